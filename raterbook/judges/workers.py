"""Several tasks of one run: waited for together, and ended together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

Worker = asyncio.Task[None]


async def until_done(workers: Sequence[Worker], *helpers: Worker) -> None:
    """Until every worker is done, or one of all has failed, which is raised; then all are ended."""
    waiting = {*workers, *helpers}
    try:
        while any(worker in waiting for worker in workers):
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
    finally:
        await _cancelled({*workers, *helpers})


async def _cancelled(tasks: set[Worker]) -> None:
    """Until all have ended; a library may swallow the first cancellation."""
    while tasks:
        for task in tasks:
            task.cancel()
        done, tasks = await asyncio.wait(tasks, timeout=0.5)
        await asyncio.gather(*done, return_exceptions=True)  # their failures are known by now
