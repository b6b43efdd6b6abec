"""The words of this room: items, cases, parts, raters, events and what became of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

STATUSES = ("answered", "not_applicable", "skipped", "retracted")
ROLES = ("main", "training", "gold")
RATER_KINDS = ("human", "model", "automatic", "key", "adjudicator")
MARKS = ("flag", "unflag", "submit", "unsubmit", "reveal", "pause", "resume", "note")


class RoundError(ValueError):
    """Something a round cannot do; the message names the thing, its value and the remedy."""

    def _render_traceback_(self) -> list[str]:
        """In a notebook the message is all there is to say: the lines that led to it are ours."""
        return [str(self)]


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item as it arrives from a file: every field, hidden ones too."""

    key: str  # the key columns joined by "/"
    case: str
    fields: Mapping[str, str]
    role: str = "main"
    row: int | None = None  # where it stood in its file, for messages
    probability: float | None = None  # of being in the sample, where there was one


@dataclass(frozen=True, slots=True)
class ItemTable:
    """The items of one file; `columns` in the file's order, `source` for messages."""

    rows: tuple[ItemRow, ...]
    columns: tuple[str, ...] = ()
    source: str = "items"

    @classmethod
    def from_records(
        cls, protocol: Any, records: Iterable[Mapping[str, Any]], source: str = "items"
    ) -> ItemTable:
        """Items from plain records whose columns already have the protocol's names."""
        rows: list[ItemRow] = []
        columns: dict[str, None] = {}
        for number, record in enumerate(records, start=1):
            fields = {str(k): "" if v is None else str(v) for k, v in record.items()}
            role = fields.pop("role", "").strip().casefold() or "main"
            columns.update(dict.fromkeys(fields))
            key, case = protocol.key(fields), protocol.case_of(fields)
            rows.append(ItemRow(key, case, fields, role, number))
        return cls(tuple(rows), tuple(columns), source)


@dataclass(frozen=True, slots=True)
class PartRow:
    """One part as it arrives: `subject` is the key of the item, or of the case it belongs to."""

    subject: str
    number: int | None  # None: the next free number
    text: str
    fields: Mapping[str, str] = field(default_factory=dict)
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A piece asked about by itself; part 0, the whole, is never listed."""

    number: int
    text: str
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Item:
    """One output to judge, with its case's fields merged in and without what raters must not know.

    `ref` is the opaque name that forms and judges use; `key` can carry a model's name.
    """

    id: int
    ref: str
    key: str
    case: str
    role: str
    fields: Mapping[str, str]
    groups: Mapping[str, str]
    cluster: str | None
    parts: tuple[Part, ...] = ()
    hash: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """What several systems answered: the unit on which they are compared."""

    id: int
    ref: str
    key: str
    fields: Mapping[str, str]
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Rater:
    """Whoever answers; one identity over the whole workspace."""

    name: str
    kind: str = "human"
    version: str | None = None
    expertise: str | None = None
    excluded: str | None = None  # why, or None
    pseudonym: str = ""
    erased: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """One thing a rater entered. The id makes a retry harmless; the Lamport counter orders them."""

    event_id: str | None
    subject: str  # ref or key of the item, or of the case for questions of the case
    question: str
    value: Any = None
    part: int = 0
    replicate: int = 1
    status: str = "answered"
    reason: str | None = None
    lamport: int | None = None  # None: after everything stored for this answer
    client_time: datetime | str | float | None = None
    seconds: float | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Ack:
    """What became of an event; sent only after it is on the disk."""

    event_id: str
    ok: bool
    revision: int | None = None
    reason: str | None = None
    lamport: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The current answer to one question by one rater."""

    value: Any
    status: str
    reason: str | None = None
    revision: int = 1
    confidence: float | None = None
    lamport: int = 0
    seconds: float | None = None
