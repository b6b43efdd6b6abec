"""Who was asked what, and what they answered: items, parts, plans, the store, and exchange."""

from raterbook.rounds.codebook import write_codebook
from raterbook.rounds.exchange import export_answers, import_answers, read_items, read_parts
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
    Item,
    ItemRow,
    ItemTable,
    Part,
    PartRow,
    Rater,
    RoundError,
)
from raterbook.rounds.store import Store
from raterbook.rounds.stored import StoredRound

__all__ = [
    "MARKS",
    "RATER_KINDS",
    "ROLES",
    "STATUSES",
    "Ack",
    "Answer",
    "Case",
    "Event",
    "Item",
    "ItemRow",
    "ItemTable",
    "Mark",
    "Part",
    "PartRow",
    "Rater",
    "RoundError",
    "Store",
    "StoredRound",
    "export_answers",
    "import_answers",
    "read_items",
    "read_parts",
    "write_codebook",
]
