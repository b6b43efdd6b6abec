"""Writes of a run, several in one transaction: a commit waits for the disk.

Replies come first, and what is handed in while a commit is under way goes into the next one
together. A reply is on the disk before its worker goes on. Answers follow from stored replies, so
nobody waits for them: they are written when no replies are coming in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from raterbook.judges import saving
from raterbook.rounds import Event

if TYPE_CHECKING:
    from raterbook.rounds import StoredRound

Record = tuple[str, str, dict[str, Any]]  # key, text, detail
QUIET = 0.05  # seconds without a reply before answers are written
MOST = 600  # answers in one transaction


class Scribe:
    """For one event loop and one rater of one round, who joins it with the first answers.

    A model that was never reached leaves no rater, and its name can be used again.
    """

    def __init__(self, stored: StoredRound, rater: str, version: str | None = None):
        self._stored, self._rater = stored, rater
        self._version: str | None = version
        self._joined = False
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="raterbook-judge-write")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="raterbook-judge-read")
        self._records: list[tuple[Record, asyncio.Future[None]]] = []
        self._events: list[Event] = []
        self._came = asyncio.Event()
        self._work: asyncio.Task[None] | None = None
        self._finishing = False
        self.failure: Exception | None = None

    async def read(self, action: Callable[..., Any], *given: Any) -> Any:
        """Something asked of the store, in a thread of its own."""
        loop = asyncio.get_running_loop()
        return await asyncio.shield(loop.run_in_executor(self._reader, lambda: action(*given)))

    async def write(self, record: Record) -> None:
        """On the disk when this returns."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._records.append((record, done))
        self._start()
        await asyncio.shield(done)

    def hand_in(self, events: Sequence[Event]) -> None:
        """On the disk when `finish` returns."""
        self._events.extend(events)
        if events:
            self._start()

    async def finish(self) -> None:
        """Waits for everything handed in; raises what went wrong with any of it."""
        self._finishing = True
        self._came.set()
        if self._work is not None:
            await asyncio.shield(self._work)
        self._finishing = False
        if self.failure is not None:
            raise self.failure

    def close(self) -> None:
        self._writer.shutdown(wait=True)
        self._reader.shutdown(wait=True)

    def _start(self) -> None:
        self._came.set()
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._empty())

    async def _empty(self) -> None:
        while self._records or self._events:
            if self._records:
                batch, self._records = self._records, []
                await self._commit([record for record, _ in batch], [done for _, done in batch])
            elif not await self._disturbed():
                events, self._events = self._events[:MOST], self._events[MOST:]
                try:
                    await self._in_thread(self._save, events)
                except Exception as error:
                    self.failure = self.failure or error
                    self._events = []

    async def _disturbed(self) -> bool:
        """Whether a reply came in within a moment; at the end nobody waits for that."""
        if self._finishing:
            return False
        self._came.clear()
        before = len(self._records)
        try:
            async with asyncio.timeout(QUIET):
                await self._came.wait()
        except TimeoutError:
            return False
        return len(self._records) > before or (len(self._events) < MOST and not self._finishing)

    async def _commit(
        self, records: Sequence[Record], waiting: Sequence[asyncio.Future[None]]
    ) -> None:
        failure: Exception | None = None
        try:
            await self._in_thread(self._stored.replies.put_all, records)
        except Exception as error:
            failure = error
        for done in waiting:
            if done.done():
                continue
            if failure is None:
                done.set_result(None)
            else:
                done.set_exception(failure)

    async def _in_thread(self, action: Callable[..., Any], *given: Any) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.shield(loop.run_in_executor(self._writer, lambda: action(*given)))

    def _save(self, events: Sequence[Event]) -> None:
        if not self._joined:
            self._stored.add_rater(self._rater, kind="model", version=self._version)
            self._joined = True
        saving.put(self._stored, self._rater, events)
