"""All current answers of a round as one long frame.

The database gives numbers; which answer is current, and every name, is found with arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import raterbook.rounds.items as items
from raterbook.rounds.current import RETRACTED, SKIPPED, Events
from raterbook.rounds.model import STATUSES, RoundError
from raterbook.rounds.raters import public_name
from raterbook.rounds.snapshot import Snapshot, StoredQuestions, percentage, written

if TYPE_CHECKING:
    from raterbook.rounds.round import Round

# What stands in a cell is somebody's text: where a notebook shows a frame, “$” is no formula.
pd.set_option("display.html.use_mathjax", False)

COLUMNS = (
    "round",
    "item",
    "case",
    "part",
    "rater",
    "rater_kind",
    "question",
    "replicate",
    "value",
    "number",
    "status",
    "confidence",
    "seconds",
    "revision",
    "answered_at",
    "role",
    "cluster",
)


@dataclass
class Names:
    """Which category each number of the database stands for: arrays indexed by that number."""

    codes: np.ndarray
    categories: list[str]

    @classmethod
    def of(cls, names: Mapping[int, str | None], categories: Sequence[str] | None = None) -> Names:
        found = list(dict.fromkeys(categories or (n for n in names.values() if n is not None)))
        place = {name: code for code, name in enumerate(found)}
        codes = np.full(max(names, default=0) + 1, -1, dtype=np.int32)
        for number, name in names.items():
            codes[number] = place.get(name, -1) if name is not None else -1
        return cls(codes, found)

    def __call__(self, numbers: np.ndarray) -> pd.Categorical:
        return _categorical(self.codes[numbers], self.categories)


def wanted(
    events: Events, seen: Snapshot, asked: StoredQuestions, texts: bool, excluded: bool
) -> Events:
    """Without answers to text questions and those of excluded raters, unless they are asked for."""
    if not texts:
        closed = [each.id for each in asked.values() if not each.question.is_text]
        events = events.only(np.isin(events.question, closed))
    if not excluded and seen.excluded:
        events = events.only(~np.isin(events.rater, list(seen.excluded)))
    return events


def frame(
    seen: Snapshot,
    asked: StoredQuestions,
    inside: items.Contents,
    events: Events,
    groups: Mapping[str, bool],
    pseudonyms: bool = False,
) -> pd.DataFrame:
    """One row per event; `groups` are columns of the items, and whether they have to be there.

    Nothing in it is the events' own: whoever has a frame may write into it.
    """
    subjects, raters = seen.subjects, {row.id: row for row in seen.raters.values()}
    question = Names.of({each.id: name for name, each in asked.items()})
    number = _numbers(asked, events)
    item, case, role = _subjects(seen)
    size, moments = len(events), events.answered_at.astype("datetime64[us]")
    data: dict[str, Any] = {
        "round": _categorical(np.zeros(size, dtype=np.int8), [seen.name]),
        "item": item(events.subject),
        "case": case(events.subject),
        "part": events.part.astype(np.int64),
        "rater": Names.of({key: public_name(row, pseudonyms) for key, row in raters.items()})(
            events.rater
        ),
        "rater_kind": Names.of({key: row.kind for key, row in raters.items()})(events.rater),
        "question": question(events.question),
        "replicate": events.replicate.astype(np.int64),
        "value": _values(asked, events),
        "number": number,
        "status": _categorical(events.status, list(STATUSES[:RETRACTED])),
        "confidence": _confidence(asked, events, number),
        "seconds": events.seconds.copy(),
        "revision": events.revision.astype(np.int64),
        "answered_at": pd.DatetimeIndex(moments).tz_localize("UTC"),
        "role": role(events.subject),
        "cluster": _column(seen, inside, seen.cluster)(events.subject),
    }
    for name, needed in groups.items():
        found = _column(seen, inside, name)
        if found.categories:
            data[name] = found(events.subject)
        elif needed:
            known = sorted({word for each in subjects for word in inside.of(each)})
            raise RoundError(
                f"The items of {seen.name} have no column {name!r} to group by: "
                f"they have {', '.join(known)}."
            )
    return pd.DataFrame(data | {n: each.copy() for n, each in events.more.items()}, copy=False)


def in_words(
    stored: Round, pseudonyms: bool = False, until: int | None = None, groups: Iterable[str] = ()
) -> pd.DataFrame:
    """The answers to text questions and those that were left open, with their reasons: what a
    frame of the round has beside the values of closed questions."""
    with stored.store.read() as connection:
        seen, inside = stored.look(connection), stored.inside(connection)
        asked = stored.questions(connection)
        events = wanted(stored.said(connection, until), seen, asked, True, False)
    texts = [each.id for each in asked.values() if each.question.is_text]
    events = events.only(np.isin(events.question, texts) | (events.status == SKIPPED))
    columns = dict.fromkeys(items.group_columns(stored.protocol), False)
    return frame(seen, asked, inside, events, columns | dict.fromkeys(groups, True), pseudonyms)


def _subjects(seen: Snapshot) -> tuple[Names, Names, Names]:
    """What each subject is called as an item and as a case, and its role."""
    if "" not in seen.columns:
        each = seen.subjects.values()
        seen.columns[""] = (
            Names.of({one.id: one.key if one.kind == "item" else None for one in each}),
            Names.of({one.id: seen.case(one).key for one in each}),
            Names.of({one.id: one.role for one in each}),
        )
    found: tuple[Names, Names, Names] = seen.columns[""]
    return found


def _column(seen: Snapshot, inside: items.Contents, name: str | None) -> Names:
    """One column of the items, which a case has where it belongs to the case."""
    if name not in seen.columns:
        own = {} if name is None else inside.column(name)
        case = {each.id: each.case_id or each.id for each in seen.subjects.values()}
        of = {number: own.get(number, own.get(case[number])) or None for number in case}
        seen.columns[name] = Names.of(of)
    found: Names = seen.columns[name]
    return found


def _numbers(asked: StoredQuestions, events: Events) -> np.ndarray:
    """The value as a float where it is a number."""
    closed = {
        number: float(value)
        for each in asked.values()
        if each.question.is_numeric
        for number, value in each.value_of.items()
    }
    known = np.full(max(closed, default=0) + 2, np.nan)
    for number, value in closed.items():
        known[number] = value
    inside = np.where(events.value_id < len(known), events.value_id, len(known) - 1)
    return np.where(np.isnan(events.number), known[inside], events.number)


def _values(asked: StoredQuestions, events: Events) -> pd.Categorical:
    """Values in one spelling: allowed ones in the protocol's order, then numbers, then texts."""
    allowed = {
        number: written(value) for each in asked.values() for number, value in each.value_of.items()
    }
    names = Names.of(allowed)
    codes = np.where(events.value_id >= 0, names.codes[np.maximum(events.value_id, 0)], -1)
    categories = {name: code for code, name in enumerate(names.categories)}
    is_number = ~np.isnan(events.number)
    percents = [each.id for each in asked.values() if each.question.kind.unit == "%"]
    spelled = [
        percentage(value) if is_percent else written(value)
        for value, is_percent in zip(
            events.number[is_number].tolist(),
            np.isin(events.question[is_number], percents).tolist(),
            strict=True,
        )
    ]
    is_text = np.array([text is not None for text in events.text.tolist()], dtype=bool)
    for rows, values in (
        (is_number, spelled),
        (is_text, events.text[is_text].tolist()),
    ):
        if len(values):
            found, unique = pd.factorize(np.asarray(values, dtype=object))
            for text in sorted(map(str, unique), key=_ascending):
                categories.setdefault(text, len(categories))
            places = np.array([categories[str(text)] for text in unique], dtype=np.int32)
            codes[rows] = places[found]
    return _categorical(codes, list(categories))


def _ascending(text: str) -> tuple[float, str]:
    try:
        return float(text.removesuffix("%")), text
    except ValueError:
        return np.inf, text


def _confidence(asked: StoredQuestions, events: Events, number: np.ndarray) -> np.ndarray:
    """Given with the answer, else the answer to the confidence question that covers it."""
    confidence = events.confidence.copy()
    for each in asked.values():
        if not each.question.covers:
            continue
        covered = [asked[name].id for name in each.question.covers]
        told = (events.question == each.id) & ~np.isnan(number)
        lacking = np.isin(events.question, covered) & np.isnan(confidence)
        per_part = each.question.per == "part"
        keys = events.cell(part=per_part)
        where = pd.Series(number[told], index=keys[told])
        confidence[lacking] = where.reindex(keys[lacking]).to_numpy()
    return confidence


def _categorical(codes: np.ndarray, categories: list[str]) -> pd.Categorical:
    return pd.Categorical.from_codes(codes, categories=pd.Index(categories, dtype=object))


# One hash for all that counts in a round: the same answers give the same hash anywhere.


AT_ONCE = 50_000
_CONTENT = (
    "item",
    "case",
    "part",
    "rater",
    "rater_kind",
    "question",
    "replicate",
    "value",
    "status",
    "confidence",
    "role",
)


def data_hash(protocol_hash: str, frame: pd.DataFrame) -> str:
    """Of the protocol and the current answers, texts too; not of times, order or revisions."""
    digest = sha256(protocol_hash.encode())
    columns = [_spelled(frame[name]) for name in _CONTENT]
    # No spelling is the beginning of another, so rows are in order where their cells are.
    rows = np.lexsort([codes for codes, _ in columns[::-1]])
    ends = [", "] * (len(columns) - 1) + [")\n"]
    cells = [
        (codes, np.array([word + end for word in words], dtype=object))
        for (codes, words), end in zip(columns, ends, strict=True)
    ]
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        lines = np.full(len(some), "(", dtype=object)
        for codes, words in cells:
            lines += words[codes[some]]
        digest.update("".join(lines.tolist()).encode())
    return digest.hexdigest()


def _spelled(column: pd.Series) -> tuple[np.ndarray, list[str]]:
    """Each cell as Python writes it: its place in the sorted list of all there are."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, seen = column.cat.codes.to_numpy(), column.cat.categories.tolist()
    else:
        codes, values = pd.factorize(column)
        seen = values.tolist()
    said = [*map(repr, seen), repr(None)]  # the last where there is none, whose code is −1
    words = sorted(said)
    place = {word: at for at, word in enumerate(words)}
    return np.array([place[word] for word in said], dtype=np.int32)[codes], words
