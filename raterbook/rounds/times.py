"""Times: stored as microseconds since 1970, shown as UTC. They say when, never in what order."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

_MILLISECONDS = 1e11  # a browser's Date.now(); in seconds it would be the year 5138


def microseconds(time: Any) -> int | None:
    """From a datetime, an ISO text, seconds since 1970, or milliseconds as browsers count.

    >>> microseconds("2024-06-01T12:00:00Z"), microseconds(1717243200000)
    (1717243200000000, 1717243200000000)
    """
    if time is None or time == "":
        return None
    if isinstance(time, str):
        try:
            time = datetime.fromisoformat(time)
        except ValueError:
            raise ValueError(f"{time!r} is not a time: write 2024-06-01T12:00:00Z") from None
    if isinstance(time, datetime):
        zoned = time if time.tzinfo else time.replace(tzinfo=UTC)
        since = zoned - datetime(1970, 1, 1, tzinfo=UTC)
        return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    if isinstance(time, bool) or not isinstance(time, int | float) or not math.isfinite(time):
        raise ValueError(f"{time!r} is not a time: write 2024-06-01T12:00:00Z")
    seconds = time / 1000 if abs(time) >= _MILLISECONDS else time
    if abs(seconds) >= _MILLISECONDS:
        raise ValueError(f"{time!r} is not a time: write 2024-06-01T12:00:00Z")
    return round(seconds * 1_000_000)


def iso(microseconds: int | None) -> str | None:
    """As people and files read it.

    >>> iso(1717243200000000)
    '2024-06-01T12:00:00Z'
    """
    if microseconds is None:
        return None
    moment = datetime.fromtimestamp(microseconds // 1_000_000, UTC)
    moment = moment.replace(microsecond=microseconds % 1_000_000)
    return moment.isoformat().replace("+00:00", "Z")


def minute(microseconds: int) -> str:
    """As messages say it.

    >>> minute(1717243200000000)
    '2024-06-01 12:00 UTC'
    """
    return datetime.fromtimestamp(microseconds // 1_000_000, UTC).strftime("%Y-%m-%d %H:%M UTC")
