"""Who was asked what, and what they answered: items, parts, plans and the store."""

from raterbook.rounds.marks import Mark
from raterbook.rounds.model import (
    MARKS,
    RATER_KINDS,
    ROLES,
    STATUSES,
    Ack,
    Answer,
    Case,
    Event,
    FileError,
    Item,
    ItemRow,
    ItemTable,
    Part,
    PartRow,
    Rater,
    RoundError,
)
from raterbook.rounds.round import Round
from raterbook.rounds.store.store import Store

__all__ = [
    "MARKS",
    "RATER_KINDS",
    "ROLES",
    "STATUSES",
    "Ack",
    "Answer",
    "Case",
    "Event",
    "FileError",
    "Item",
    "ItemRow",
    "ItemTable",
    "Mark",
    "Part",
    "PartRow",
    "Rater",
    "Round",
    "RoundError",
    "Store",
]
