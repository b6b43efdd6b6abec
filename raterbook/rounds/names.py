"""Which names rounds and raters may have, and how opaque names and pseudonyms are made."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256

from raterbook.rounds.model import RoundError

_ROUND = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"  # none that look alike


def check_round(name: str) -> None:
    """Round names become folders, so they are plain."""
    if not isinstance(name, str) or not _ROUND.fullmatch(name):
        raise RoundError(
            f"{name!r} is not a round name: use 1 to 64 letters, digits, - and _, beginning with "
            "a letter or a digit, as in round-03."
        )


def check_rater(name: str) -> None:
    """Rater names never become paths, so all that can be read is allowed."""
    if not isinstance(name, str) or not 1 <= len(name) <= 128:
        raise RoundError(f"{name!r} is not a rater name: use 1 to 128 characters.")
    if not name.isprintable() or name != name.strip():
        raise RoundError(
            f"{name!r} is not a rater name: use printable characters, and no spaces at the ends."
        )


def opaque_ref(secret: str, kind: str, key: str) -> str:
    """A name for an item or a case that tells nothing of its key to who lacks the round's secret.

    >>> opaque_ref("00", "item", "q1/model-a")
    'ce892dd22578aa8b'
    """
    return sha256(f"{secret}\x1f{kind}\x1f{key}".encode()).hexdigest()[:16]


def pseudonym(secret: str, number: int, taken: Callable[[str], object]) -> str:
    """A stable name for the n-th rater. Not made from the name, so guessing names confirms none."""
    digest = int.from_bytes(sha256(f"{secret}\x1frater\x1f{number}".encode()).digest(), "big")
    letters = ""
    while len(letters) < 4 or taken(f"R-{letters}"):
        digest, place = divmod(digest, len(_ALPHABET))
        letters += _ALPHABET[place]
    return f"R-{letters}"
