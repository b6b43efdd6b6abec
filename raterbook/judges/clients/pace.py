"""How many requests at once: all that are allowed, fewer after “too many requests”, then more.

Additive increase, multiplicative decrease, as TCP does it. A wait the server asks for holds
back every request, not only the one that was refused.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

LESS = 0.6


@dataclass
class Turn:
    """One request's place; when it began decides whether its refusal is news."""

    began: float


class Pace:
    """A gate of changing width. For one event loop."""

    def __init__(self, most: int):
        if most < 1:
            raise ValueError(f"{most} requests at once is not a number of requests: use 1 or more")
        self.most = most
        self.limit = float(most)
        self._under_way = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._narrowed = 0.0
        self._not_before = 0.0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn]:
        """Waits for a place, and for the end of a pause."""
        await self._enter()
        try:
            while (wait := self._not_before - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            yield Turn(time.monotonic())
        finally:
            self._under_way -= 1
            self._let_in()

    def went_well(self) -> None:
        self.limit = min(float(self.most), self.limit + 1 / self.limit)
        self._let_in()

    def too_many(self, turn: Turn) -> None:
        """Narrower; once for all requests that were under way together."""
        if turn.began >= self._narrowed:
            self.limit = max(1.0, self.limit * LESS)
            self._narrowed = time.monotonic()

    def pause(self, seconds: float) -> None:
        self._not_before = max(self._not_before, time.monotonic() + seconds)

    async def _enter(self) -> None:
        if self._under_way < int(self.limit) and not self._waiting:
            self._under_way += 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # let in and cancelled at the same moment
                self._under_way -= 1
                self._let_in()
            raise

    def _let_in(self) -> None:
        while self._waiting and self._under_way < int(self.limit):
            place = self._waiting.popleft()
            if not place.done():
                self._under_way += 1
                place.set_result(None)
