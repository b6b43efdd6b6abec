"""One hash for all that counts in a round: the same answers give the same hash anywhere."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from raterbook.rounds.stored import StoredRound

_CONTENT = (
    "item", "case", "part", "rater", "rater_kind", "question", "replicate", "value", "status",
    "confidence", "role",
)


def data_hash(stored: StoredRound) -> str:
    """Of the protocol and the current answers, texts too; not of times, order or revisions."""
    frame = stored.frame(texts=True)
    columns = [frame[name].astype(object).where(frame[name].notna(), None) for name in _CONTENT]
    digest = sha256(stored.protocol_hash.encode())
    for row in sorted(map(repr, zip(*columns, strict=True))):
        digest.update(row.encode())
        digest.update(b"\n")
    return digest.hexdigest()
