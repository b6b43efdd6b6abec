"""What a file may call an item, a case, a question, a rater or a column, and which one it means."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from raterbook.files.table import Columns, Table, spellings
from raterbook.protocols import Protocol
from raterbook.protocols.conditions import in_words
from raterbook.protocols.kinds import plain
from raterbook.protocols.problems import nearest
from raterbook.rounds.model import shown

MOST_SLIPS = 50  # unknown names of a file for which a like one is looked for
NEIGHBOURS = 25


class Misplaced(ValueError):
    """Nothing in the round is named so; `column` is where the name stands."""

    def __init__(self, column: str, message: str):
        super().__init__(message)
        self.column = column


class Subjects:
    """Items by key, cases by name, and items by their case where it has only one."""

    def __init__(self, pairs: Iterable[tuple[str, str]]):
        """`pairs` has each item's key and case."""
        self.cases: dict[str, list[str]] = {}
        self.items: dict[str, str] = {}
        for key, case in pairs:
            self.items[key] = case
            self.cases.setdefault(case, []).append(key)
        self._said: dict[tuple[str, bool], str] = {}
        self._sorted: dict[bool, tuple[list[str], list[str]]] = {}

    def find(self, name: str, of_case: bool) -> str:
        """The key of the item or case, or a Misplaced that says what the name could have been."""
        if of_case and name in self.cases:
            return name
        if name in self.items:
            return self.items[name] if of_case else name
        keys = self.cases.get(name)
        if keys is None:
            what, known = ("case", self.cases) if of_case else ("item", self.items)
            near = self._near(name, of_case, known)
            raise Misplaced("item", f"{shown(name)} is no {what} of the round. {near}")
        if len(keys) > 1:
            raise Misplaced(
                "item",
                f"{shown(name)} names {len(keys)} items. "
                f"Write which one: {', '.join(map(shown, keys[:4]))}"
                f"{', …' if len(keys) > 4 else ''}.",
            )
        return keys[0]

    def _near(self, name: str, of_case: bool, known: Iterable[str]) -> str:
        """What the name may be a slip for: looked for among names that begin or end as it does,
        and for the first few names that are not known."""
        if (name, of_case) not in self._said and len(self._said) < MOST_SLIPS:
            if of_case not in self._sorted:
                ends = sorted(each[::-1] for each in known)
                self._sorted[of_case] = sorted(known), ends
            forth, back = self._sorted[of_case]
            some = around(name, forth) + [each[::-1] for each in around(name[::-1], back)]
            near = nearest(name, dict.fromkeys(some), 0.8)
            self._said[name, of_case] = f"Did you mean {shown(near)}?" if near else ""
        usual = next((f"Its names look like {shown(each)}." for each in known), "It has none.")
        return self._said.get((name, of_case)) or usual


def around(name: str, names: list[str]) -> list[str]:
    """The names next to where this one would stand among sorted ones."""
    place = bisect(names, name)
    return names[max(0, place - NEIGHBOURS) : place + NEIGHBOURS]


def item_names(columns: Columns, protocol: Protocol) -> list[str]:
    """Row by row: the column item, else the key columns joined by /, else the case."""
    if "item" in columns:
        names = [cell.strip() for cell in columns.cells("item")]
    else:
        keys = [name for name in protocol.item.key if name in columns]
        names = [
            protocol.key({name: cell.strip() for name, cell in zip(keys, row)})
            if row[0].strip()
            else ""
            for row in zip(*(columns.cells(name) for name in keys))
        ]
    if "case" in columns and not all(names):
        cases = columns.cells("case")
        names = [name or case.strip() for name, case in zip(names, cases)]
    one = dict(zip(names, names))  # one text for all rows of an item
    return [one[name] for name in names]


def item_of(data: Mapping[str, Any], protocol: Protocol) -> str:
    """The key of the item that a tool's fields belong to; empty if they name none."""
    if data.get("item"):
        return str(data["item"])
    known = spellings(known_columns(protocol))
    fields = {
        known[plain(name)]: str(value).strip()
        for name, value in data.items()
        if plain(name) in known and value is not None
    }
    return protocol.key(fields) if fields.get(protocol.item.key[0]) else ""


def meant(table: Table) -> str:
    """What a column is meant to be that is spelt almost like one of a long file."""
    headers = {plain(name): name for name in table.columns}
    missing = [name for name in ("question", "value") if name not in headers]
    found = [(headers[near], name) for name in missing if (near := nearest(name, headers, 0.7))]
    return "".join(f"Column {shown(header)}: did you mean {name}? " for header, name in found)


def known_columns(protocol: Protocol) -> dict[str, tuple[str, ...]]:
    """Every column of an items file the protocol names, with its aliases."""
    spec = protocol.item
    named = [*spec.key, spec.case, spec.cluster, spec.system, *spec.groups, "role"]
    known: dict[str, tuple[str, ...]] = {name: () for name in named if name}
    known.update({name: field.aliases for name, field in spec.fields.items()})
    return known


def needed_columns(protocol: Protocol, bare: bool = False) -> list[str]:
    """What an items file must have: what names items and cases and, unless `bare`, the texts."""
    spec = protocol.item
    texts = [name for name, field in spec.fields.items() if field.required and not field.exchange]
    needed = dict.fromkeys([spec.case, *spec.key, *([] if bare else texts)])
    return [name for name in needed if name not in spec.fields or spec.fields[name].required]


def answer_columns(protocol: Protocol) -> dict[str, str]:
    """Question → the column of the items file that takes its answers."""
    return {field.exchange: name for name, field in protocol.item.fields.items() if field.exchange}


def question_names(protocol: Protocol) -> dict[str, str]:
    """Every spelling of a question, by `plain`: ids first, then aliases, labels and prompts."""
    names: dict[str, str] = {}
    for question in protocol.questions:
        names.setdefault(plain(question.id), question.id)
    for question in protocol.questions:
        for alias in question.aliases:
            names.setdefault(plain(alias), question.id)
    for question in protocol.questions:
        names.setdefault(plain(question.label), question.id)
    for question_id, (prompt,) in own_prompts(protocol).items():
        names.setdefault(plain(prompt), question_id)
    for question_id, name in answer_columns(protocol).items():
        names.setdefault(plain(name), question_id)
    return names


def own_prompts(protocol: Protocol) -> dict[str, tuple[str]]:
    """Question → its prompt, as forms made elsewhere head their columns; none that can mean two."""
    many = Counter(
        word
        for question in protocol.questions
        for word in {
            plain(name)
            for name in (question.id, *question.aliases, question.label, question.prompt)
        }
    )
    return {q.id: (q.prompt,) for q in protocol.questions if many[plain(q.prompt)] == 1}


def comment_of(protocol: Protocol, question: str) -> str | None:
    """The question that takes a comment on this one, if there is one."""
    return next((each.id for each in protocol.questions if each.comment_of == question), None)


def rater_headers(protocol: Protocol) -> tuple[str, ...]:
    """What a column of raters may be called."""
    others = ("rater_id", "annotator", "annotator_id", "evaluator", "evaluator_id", "judge")
    return (*protocol.item.rater, *others)


def condition(protocol: Protocol, given: Mapping[str, Any]) -> str:
    """A condition in the questions' labels: “Accuracy is inaccurate, unsupported or disputed”."""
    return in_words(dict(given), lambda name: protocol.question(name).label)
