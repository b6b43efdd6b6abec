"""The words of this room: items, cases, parts, raters, events and what became of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from raterbook.protocols.problems import Refusal

STATUSES = ("answered", "not_applicable", "skipped", "retracted")
ROLES = ("main", "training", "gold")
LONGEST_ID = 200  # characters of an event's id
LONGEST_TIME = 315_360_000  # seconds on one answer
LARGEST = 2**53  # the largest whole number every sender can count to
MARKS = ("flag", "unflag", "submit", "unsubmit", "reveal", "note")


@dataclass(frozen=True, slots=True)
class RaterKind:
    """What kind of rater does what.

    Who `plans` has a plan of items to rate; who is a `person` rates in the form, and can have a
    pseudonym; who `counts` is one of the raters numbers are made of, where the others are what
    these are compared with. Of the kinds with a place in a consensus, the first `settles` it.
    Who is `appointed` is what others are held to: whoever imports a file says so, never the file.
    """

    name: str
    plans: bool = False
    person: bool = False
    counts: bool = False
    settles: int | None = None
    appointed: bool = False


KINDS = (
    RaterKind("human", plans=True, person=True, counts=True, settles=2),
    RaterKind("model", counts=True, settles=3),
    RaterKind("automatic"),  # labels that came with the items
    RaterKind("key", appointed=True),
    RaterKind("adjudicator", person=True, settles=1, appointed=True),
)
RATER_KINDS = tuple(kind.name for kind in KINDS)
PLANNED = tuple(kind.name for kind in KINDS if kind.plans)
PEOPLE = tuple(kind.name for kind in KINDS if kind.person)
COUNTING = tuple(kind.name for kind in KINDS if kind.counts)  # the first that answered count
HELPERS = tuple(kind.name for kind in KINDS if not kind.counts)
APPOINTED = tuple(kind.name for kind in KINDS if kind.appointed)
CONSENSUS = tuple(
    kind.name for kind in sorted(KINDS, key=lambda kind: kind.settles or 0) if kind.settles
)

# Of the raters who answered a question, those of the first of these kinds count, all alike.
STANDING = (*CONSENSUS, *(name for name in RATER_KINDS if name not in CONSENSUS))


# What follows where a database says what we never write.
ALTERED = (
    "somebody changed the database. Keep it, and put the last `raterbook backup` in its place."
)


class RoundError(Refusal):
    """Something a round cannot do; the message names the thing, its value and the remedy."""


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


@dataclass(slots=True)
class Given:
    """One answer of a file: `row` and `column` say where its value stood."""

    row: int
    column: str
    item: str
    question: str
    value: str
    rater: str
    part: int = 0
    replicate: int = 1
    status: str = "answered"
    reason: str | None = None
    confidence: float | None = None
    seconds: float | None = None
    at: str | None = None
    kind: str | None = None
    version: str | None = None


# Times: stored as microseconds since 1970, shown as UTC. They say when, never in what order.


_MILLISECONDS = 1e11  # a browser's Date.now(); in seconds it would be the year 5138
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = 7_258_118_400_000_000  # the year 2200 begins: what is said to be later was not said then


def microseconds(time: Any) -> int | None:
    """From a datetime, an ISO text, seconds since 1970, or milliseconds as browsers count.

    Whoever sends it, a time before 1970 or after 2199 is refused.

    >>> microseconds("2024-06-01T12:00:00Z"), microseconds(1717243200000)
    (1717243200000000, 1717243200000000)
    """
    if time is None or time == "":
        return None
    found = _since_1970(time)
    if found is None:
        what = shown(repr(time)) if isinstance(time, str | int | float) else type(time).__name__
        raise ValueError(f"{what} is not a time: write 2024-06-01T12:00:00Z")
    if not 0 <= found < LATEST:
        raise ValueError(f"{shown(time)} is outside the years 1970–2199: set the clock right")
    return found


def _since_1970(time: Any) -> int | None:
    if isinstance(time, str):
        try:
            time = datetime.fromisoformat(time)
        except ValueError:
            return None
    if isinstance(time, datetime):
        since = (time if time.tzinfo else time.replace(tzinfo=UTC)) - _EPOCH
        return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    if isinstance(time, bool) or not isinstance(time, int | float) or not abs(time) < 1e300:
        return None
    seconds = time / 1000 if abs(time) >= _MILLISECONDS else time
    return round(seconds * 1_000_000)


def moment(sent: int | None, kept: int) -> int:
    """When something was said: by its sender's clock, or by the store's where that has no time.

    >>> moment(5, 7), moment(None, 7), moment(-62_135_647_200_000_000, 7)
    (5, 7, 7)
    """
    return kept if sent is None or not 0 <= sent < LATEST else sent


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


def to_the_minute(iso: str) -> str:
    """
    >>> to_the_minute("2024-06-01T12:00:00Z")
    '2024-06-01 12:00'
    """
    return iso[:16].replace("T", " ")


# What is wrong with a file, all of it at once, in words for the person who holds the file.


SHOWN = 20
_VALUE = re.compile(
    r"^.*?(?= (?:is|are|would|stands?|differs?|contradicts?|answers|names) )", re.DOTALL
)
APART = 5  # so many problems of one kind have lines of their own
MOST_PROBLEMS = 2_000  # then the rest of the file is not looked at


class FileError(RoundError):
    """A file that was not taken. `problems` has every reason; the message has the first twenty, or
    `told`, which says them more shortly."""

    def __init__(self, problems: str | Iterable[str], told: Sequence[str] = ()):
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        told = told or self.problems
        shown = list(told[:SHOWN])
        rest = len(told) - SHOWN
        if rest > 0:
            shown.append(f"and {counted(rest, 'more row')} with problems.")
        super().__init__("\n".join(shown))


class Problems:
    """Collects what is wrong, row by row, so that one look at the file mends it all."""

    def __init__(self, source: str):
        self.source = source
        self.found: list[tuple[int, str, str]] = []  # row, kind of problem, words

    def add(self, message: str, row: int | None = None, column: str | None = None) -> None:
        """One problem; the message names the value and ends with the remedy."""
        where = self.source
        if row is not None:
            where += f", row {row}"
        if column is not None:
            where += f", column {shown(column)}" if column else ", a column without a name"
        self.found.append((row or 0, f"{column} {_kind(message)}", f"{where}: {message}"))
        if len(self.found) >= MOST_PROBLEMS:
            words = f"{self.source}: after {MOST_PROBLEMS:,} problems the rest was not looked at."
            self.found.append((row or 0, words, words))
            self.stop()

    def stop(self) -> None:
        """Refuse the file if anything was found; problems are told in the order of rows, and many
        of one kind in one line."""
        if not self.found:
            return
        found = sorted(self.found, key=lambda each: each[0])
        alike: dict[str, list[tuple[int, str]]] = {}
        for row, kind, words in found:
            alike.setdefault(kind, []).append((row, words))
        told = []
        for same in alike.values():
            if len(same) <= APART:
                told += same
                continue
            row, words = same[0]
            rows = [number for number, _ in same[1:]]
            apart = list(dict.fromkeys(rows))
            if not row:
                more = "more places"
            elif len(apart) == len(rows):
                more = f"{counted(len(rows), 'more row')}: {listed(rows, APART)}"
            else:  # a row has several of its kind
                which = "row" if len(apart) == 1 else "rows"
                more = f"{counted(len(rows), 'more place')}, {which} {listed(apart, APART)}"
            told.append((row, f"{words} The same in {more}."))
        raise FileError([words for _, _, words in found], [words for _, words in sorted(told)])


def _kind(message: str) -> str:
    """What messages on one kind of mistake have in common: all but the values they name."""
    plain = _VALUE.sub("", message, count=1)
    plain = re.sub(r"Did you mean [^?]*\?|Its names look like .*\.", "", plain)
    return re.sub(r"'[^']*'|\d[\d.,]*", "…", plain)


def shown(value: object, most: int = 60) -> str:
    """A value as it can stand in a message: one line, no control characters, not too long.

    A long one is cut before its end: names that begin alike mostly end otherwise.

    >>> shown("meta-llama-3.1-8b-instruct-turbo", 20)
    'meta-llama-3…t-turbo'
    """
    text = str(value)
    if len(text) > 2 * most:
        text = text[:most] + text[-most:]
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    if len(text) <= most:
        return text
    end = 2 * (most - 1) // 5
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def counted(number: int, what: str) -> str:
    """A number with its noun.

    >>> counted(1, "answer"), counted(1200, "more row")
    ('1 answer', '1,200 more rows')
    """
    return f"{number:,} {what}" + ("" if number == 1 else "s")


MOST_SAID = 10_000  # characters of an error


def message(error: BaseException) -> str:
    """An error in words, for the person who asked; what it quotes may be of any length."""
    said = _words(error)
    return said if len(said) <= MOST_SAID else f"{said[: MOST_SAID - 500]} … {said[-400:]}"


def _words(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        said = f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
        if isinstance(error, PermissionError) and error.filename:
            said += " Give yourself the right to it, or to its folder, or name another place."
        return said
    if isinstance(error, KeyError) and error.args:
        return str(error.args[0])
    return str(error) or type(error).__name__


def listed(words: Iterable[object], most: int = 40) -> str:
    """All the words, as the contract has it; a very long list says how many it leaves out.

    >>> listed([1, 2, 3])
    '1, 2, 3'
    """
    every = list(words)
    said = ", ".join(shown(word) for word in every[:most])
    return said if len(every) <= most else f"{said} and {len(every) - most:,} more"
