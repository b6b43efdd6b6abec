"""Writes of a run, in one thread, several in one transaction: a commit waits for the disk.

What is handed in while a commit is under way goes into the next one together. A reply is on the
disk before its worker goes on; answers follow from stored replies, so nobody waits for them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ratebook.judges.saving import Unsaved
from ratebook.rounds import Event

if TYPE_CHECKING:
    from ratebook.rounds import StoredRound

Record = tuple[str, str, dict[str, Any]]  # key, text, detail


@dataclass
class Entry:
    records: Sequence[Record]
    events: Sequence[Event]
    done: asyncio.Future[None]


class Scribe:
    """For one event loop and one rater of one round."""

    def __init__(self, stored: StoredRound, rater: str):
        self._stored, self._rater = stored, rater
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ratebook-judge")
        self._waiting: list[Entry] = []
        self._work: asyncio.Task[None] | None = None
        self._left: set[asyncio.Future[None]] = set()  # entries nobody waits for

    async def read(self, action: Callable[..., Any], *given: Any) -> Any:
        """Something asked of the store, in its thread."""
        loop = asyncio.get_running_loop()
        return await asyncio.shield(loop.run_in_executor(self._thread, lambda: action(*given)))

    async def write(self, *records: Record) -> None:
        """On the disk when this returns."""
        await asyncio.shield(self._enter(records, ()))

    def hand_in(self, events: Sequence[Event]) -> None:
        """On the disk when `finish` returns."""
        if events:
            self._left.add(self._enter((), events))

    async def finish(self) -> None:
        """Waits for everything handed in; raises what went wrong with any of it."""
        left, self._left = list(self._left), set()
        for result in await asyncio.gather(*left, return_exceptions=True):
            if isinstance(result, BaseException):
                raise result

    def failed(self) -> bool:
        """Whether a write went wrong already, so that no more should be asked."""
        return any(done.done() and done.exception() is not None for done in self._left)

    def close(self) -> None:
        self._thread.shutdown(wait=True)

    def _enter(self, records: Sequence[Record], events: Sequence[Event]) -> asyncio.Future[None]:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(Entry(records, events, done))
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._empty())
        return done

    async def _empty(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            entries, self._waiting = self._waiting, []
            try:
                await asyncio.shield(loop.run_in_executor(self._thread, self._commit, entries))
            except Exception as error:
                for entry in entries:
                    if not entry.done.done():
                        entry.done.set_exception(error)
            else:
                for entry in entries:
                    if not entry.done.done():
                        entry.done.set_result(None)

    def _commit(self, entries: Sequence[Entry]) -> None:
        put_all(self._stored, [record for entry in entries for record in entry.records])
        events = [event for entry in entries for event in entry.events]
        for ack in self._stored.save(self._rater, events) if events else ():
            if not ack.ok:
                raise Unsaved(
                    f"{self._stored.name}: an answer of {self._rater} was not stored: {ack.reason}"
                )


def put_all(stored: StoredRound, records: Sequence[Record]) -> None:
    """In one transaction where the store offers that, else one after another."""
    together = getattr(stored.replies, "put_all", None)
    if together is not None and len(records) > 1:
        together(records)
        return
    for key, text, detail in records:
        stored.replies.put(key, text, **detail)
