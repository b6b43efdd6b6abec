"""Requests that come together are answered together: batches for a model on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from raterbook.judges.reply import Reply, Stop

ON_THEIR_WAY = 0.01  # seconds to wait for the others of a batch


class Batches:
    """Collects requests and hands them to `answer` in a thread, `size` at a time.

    `answer` takes requests of one replicate, the last thing of each: those wait for their like.
    """

    def __init__(self, size: int, answer: Callable[[Sequence[Any]], list[Reply]]):
        if size < 1:
            raise ValueError(f"a batch of {size} is no batch: use 1 or more")
        self._size, self._answer = size, answer
        self._waiting: list[tuple[Any, asyncio.Future[Reply]]] = []
        self._work: asyncio.Task[None] | None = None
        self._thread: ThreadPoolExecutor | None = None

    async def ask(self, request: Any) -> Reply:
        place: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, place))
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._empty())
        return await place

    async def _empty(self) -> None:
        await asyncio.sleep(ON_THEIR_WAY)
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="raterbook-local")
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch = self._next()
            requests = [request for request, _ in batch]
            try:
                replies = await loop.run_in_executor(self._thread, self._answer, requests)
            except Stop as stop:
                for _, place in batch:
                    if not place.done():
                        place.set_exception(stop)
                continue
            except Exception as error:
                replies = [Reply(error=f"{type(error).__name__}: {error}")] * len(batch)
            for (_, place), reply in zip(batch, replies):
                if not place.done():
                    place.set_result(reply)

    def _next(self) -> list[tuple[Any, asyncio.Future[Reply]]]:
        replicate = self._waiting[0][0][-1]
        like = [one for one in self._waiting if one[0][-1] == replicate][: self._size]
        self._waiting = [one for one in self._waiting if not any(one is other for other in like)]
        return like

    async def close(self) -> None:
        if self._work is not None and not self._work.done():
            self._work.cancel()
        if self._thread is not None:
            self._thread.shutdown(wait=True)
            self._thread = None
