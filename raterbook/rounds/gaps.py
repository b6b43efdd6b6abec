"""Required answers that are not there, counted with arrays: a million answers in a moment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from raterbook.protocols import Protocol, Question, is_required
from raterbook.protocols.conditions import leaves
from raterbook.rounds.events import ANSWERED, NOT_APPLICABLE, SKIPPED, Events
from raterbook.rounds.snapshot import Asked, Snapshot

Counts = dict[str, int]
WIDEST = 10**7  # parts are numbered below it


def gaps(
    protocol: Protocol, asked: Mapping[str, Asked], seen: Snapshot, own: Events, items: np.ndarray
) -> tuple[Counts, Counts, np.ndarray]:
    """Of one rater's current answers: by question what is put and given; by item what lacks."""
    slots = Slots(seen, items)
    lacking = np.zeros(len(items), dtype=np.int64)
    put, given = {}, {}
    for question, cells, there in slots.required(protocol, asked, own):
        put[question], given[question] = len(there), int(there.sum())
        np.add.at(lacking, cells.place[~there], 1)
    return put, given, lacking


def of_cases(
    protocol: Protocol, asked: Mapping[str, Asked], seen: Snapshot, events: Events,
    items: Collection[int],
) -> tuple[Counts, Counts]:
    """Required questions of the cases of these items: how many there are, how many answered."""
    cases = np.unique([seen.subjects[item].case_id or item for item in items]).astype(np.int64)
    slots = Slots(seen, cases)
    put, given = {}, {}
    for question, _, there in slots.required(protocol, asked, events, of="case"):
        put[question], given[question] = len(there), int(there.sum())
    return put, given


@dataclass(frozen=True)
class Cells:
    """Where a question is asked: the subject and its case, the part, the subject's place."""

    subject: np.ndarray
    case: np.ndarray
    part: np.ndarray
    place: np.ndarray

    def take(self, rows: np.ndarray) -> Cells:
        return Cells(self.subject[rows], self.case[rows], self.part[rows], self.place[rows])


class Slots:
    """These items (or cases) with their parts, and what is asked about them."""

    def __init__(self, seen: Snapshot, subjects: np.ndarray):
        numbers = subjects.tolist()
        case = np.array([seen.subjects[n].case_id or n for n in numbers], dtype=np.int64)
        place = np.arange(len(numbers))
        self.whole = Cells(subjects, case, np.zeros(len(numbers), dtype=np.int64), place)
        parts = [
            sorted(seen.parts.get(n) or seen.parts.get(c) or ())
            for n, c in zip(numbers, case.tolist(), strict=True)
        ] if seen.parts else [[]] * len(numbers)
        again = np.repeat(place, [len(each) for each in parts])
        flat = np.array([number for each in parts for number in each], dtype=np.int64)
        self.parts = Cells(subjects[again], case[again], flat, again)

    def lacking(
        self, protocol: Protocol, asked: Mapping[str, Asked], own: Events
    ) -> Iterator[tuple[str, Cells]]:
        """What a rater has still to do: a question left open as one that cannot be judged is done
        with, though its answer is missing."""
        said = Said(asked, own)
        for question, cells, there in self.required(protocol, asked, own):
            open_ = said.has(question, cells, (SKIPPED,))
            yield question, cells.take(~there & ~open_)

    def required(
        self, protocol: Protocol, asked: Mapping[str, Asked], own: Events, of: str = "item"
    ) -> Iterator[tuple[str, Cells, np.ndarray]]:
        """Question by question: where it is required, and whether it is answered there."""
        said = Said(asked, own)
        for question in protocol.questions:
            if question.of != of or question.required is False:
                continue
            cells = self.whole if question.per == "whole" else self.parts
            if question.when is not None or question.required is not True:
                cells = cells.take(_is_required(question, cells, said, asked))
            there = said.has(question.id, cells, (ANSWERED, NOT_APPLICABLE))
            yield question.id, cells, there


class Said:
    """Current answers, looked up by question, subject and part."""

    def __init__(self, asked: Mapping[str, Asked], events: Events):
        self.asked, self.events = asked, events
        self.known: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def has(self, question: str, cells: Cells, statuses: tuple[int, ...]) -> np.ndarray:
        mine = self.events.question == self.asked[question].id
        rows = self.events.take(mine & np.isin(self.events.status, statuses))
        return np.isin(_key(cells.subject, cells.part), _key(rows.subject, rows.part))

    def values(self, question: Question, cells: Cells) -> tuple[np.ndarray, list[Any]]:
        """The answer in each cell as the place of its value in the list; 0 is none."""
        mine = self.events.question == self.asked[question.id].id
        rows = self.events.take(mine & (self.events.status == ANSWERED))
        values: dict[Any, int] = {None: 0}
        codes = np.array(
            [values.setdefault(value, len(values)) for value in self._plain(question, rows)],
            dtype=np.int64,
        )
        subject = cells.case if question.of == "case" else cells.subject
        part = cells.part if question.per == "part" else np.zeros_like(cells.part)
        keys, wanted = _key(rows.subject, rows.part), _key(subject, part)
        order = np.argsort(keys, kind="stable")
        at = np.minimum(np.searchsorted(keys, wanted, sorter=order), max(len(keys) - 1, 0))
        if not len(keys):
            return np.zeros(len(wanted), dtype=np.int64), [None]
        found = order[at]
        return np.where(keys[found] == wanted, codes[found], 0), list(values)

    def _plain(self, question: Question, rows: Events) -> Iterable[Any]:
        value_of = self.asked[question.id].value_of
        return (
            value_of.get(closed, number if text is None else text)
            for closed, number, text in zip(
                rows.value_id.tolist(), rows.number.tolist(), rows.text.tolist(), strict=True
            )
        )


def _is_required(
    question: Question, cells: Cells, said: Said, asked: Mapping[str, Asked]
) -> np.ndarray:
    """The protocol's own rule, put once for each combination of answers it depends on."""
    both = (question.when, question.required if isinstance(question.required, dict) else None)
    names = list(dict.fromkeys(name for each in both for name, _ in leaves(each)))
    columns = [said.values(asked[name].question, cells) for name in names]
    codes = np.stack([code for code, _ in columns], axis=1)
    rows, back = np.unique(codes, axis=0, return_inverse=True)
    truth = [
        is_required(question, {
            name: known[code] for name, (_, known), code in zip(names, columns, row, strict=True)
        })
        for row in rows.tolist()
    ]
    return np.array(truth, dtype=bool)[back.reshape(-1)]


def _key(subject: np.ndarray, part: np.ndarray) -> np.ndarray:
    return subject.astype(np.int64) * WIDEST + part
