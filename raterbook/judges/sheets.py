"""Sheets: what a model is asked in one go.

Questions about the same subject that show the same texts stand on one sheet, so a sheet holds
nothing that one of its questions must not see: the answer from the generated text is asked
without the reference. Sheets that need earlier answers come in later waves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from raterbook.protocols import Protocol, Question, holds
from raterbook.protocols.conditions import leaves

if TYPE_CHECKING:
    from raterbook.rounds import Part, Round

Cell = tuple[int, str]  # part (0 for the whole) and question
Known = Mapping[tuple[str, int, str], Any]  # subject, part, question → an earlier answer


@dataclass(frozen=True)
class Group:
    """Questions asked together: of items or of cases, all showing the same."""

    of: str
    shows: frozenset[str]
    questions: tuple[Question, ...]

    def shows_part(self) -> bool:
        return not self.shows or "part" in self.shows

    def shown_answers(self) -> list[str]:
        return sorted(name.partition(":")[2] for name in self.shows if name.startswith("answer:"))

    def needs(self) -> set[str]:
        """Questions of other groups whose answers decide what is asked or shown here."""
        named = set(self.shown_answers())
        for question in self.questions:
            named.update(name for name, _ in leaves(question.when))
        return named - {question.id for question in self.questions}


@dataclass(frozen=True)
class Sheet:
    """One subject's texts and the questions about them; `ref` is all that names it."""

    protocol: Protocol
    ref: str
    of: str
    questions: tuple[Question, ...]
    fields: Mapping[str, str]  # as shown to raters
    parts: tuple[Part, ...] = ()  # empty: only the whole is asked about
    known: Mapping[Cell, Any] = field(default_factory=dict)
    shown_answers: tuple[str, ...] = ()
    shows_part: bool = True
    shows: frozenset[str] = frozenset()  # what its questions show; empty: all visible fields

    def numbers(self, question: Question) -> list[int]:
        """The parts the question is put to; 0 is the whole."""
        return [part.number for part in self.parts] if question.per == "part" else [0]

    def answers_about(self, part: int, given: Mapping[Cell, Any]) -> dict[str, Any]:
        """What conditions on this part are held against: its answers and those on the whole."""
        found: dict[str, Any] = {}
        for source in (self.known, given):
            for (number, question), value in source.items():
                if number in (0, part):
                    found[question] = value
        return found


def groups(protocol: Protocol) -> list[Group]:
    """The protocol's questions by what they show, in order."""
    found: dict[tuple[str, frozenset[str]], list[Question]] = {}
    for question in protocol.questions:
        found.setdefault((question.of, frozenset(question.shows)), []).append(question)
    return [Group(of, shows, tuple(questions)) for (of, shows), questions in found.items()]


def waves(protocol: Protocol) -> list[list[Group]]:
    """Groups in the order they can be asked: those that need earlier answers come later."""
    waiting, done, found = groups(protocol), set[str](), list[list[Group]]()
    while waiting:
        ready = [group for group in waiting if group.needs() <= done] or waiting[:1]
        found.append(ready)
        done.update(question.id for group in ready for question in group.questions)
        waiting = [group for group in waiting if group not in ready]
    return found


def sheets(stored: Round, group: Group, known: Known, items: Iterable[str] | None = None):
    """The sheets of one group: one per item, or per case for questions of the case."""
    protocol = stored.protocol
    wanted = None if items is None else set(items)
    found = [
        item
        for item in stored.items()
        if wanted is None or wanted & {item.ref, item.key, item.case}
    ]
    cases = {case.key: case for case in stored.cases()}
    for subject in _subjects(group, found, cases):
        case = cases.get(getattr(subject, "case", subject.key))
        refs = [case.ref, subject.ref] if case is not None else [subject.ref]
        fields = {
            name: text
            for name, text in subject.fields.items()
            if name in protocol.item.fields
            and protocol.item.fields[name].visible
            and (not group.shows or name in group.shows)
        }
        earlier = (
            {
                (part, question): value
                for ref in refs
                for (about, part, question), value in known.items()
                if about == ref
            }
            if group.needs()
            else {}
        )
        yield from _sheet(protocol, group, subject, fields, earlier)


def _subjects(group: Group, items: list, cases: Mapping[str, Any]) -> list:
    if group.of == "item":
        return items
    return [cases[key] for key in dict.fromkeys(item.case for item in items) if key in cases]


def _sheet(protocol: Protocol, group: Group, subject: Any, fields: dict[str, str], earlier: dict):
    by_part = any(question.per == "part" for question in group.questions)
    parts = tuple(part for part in subject.parts if _is_asked(group, part.number, earlier))
    questions = tuple(question for question in group.questions if question.per == "whole" or parts)
    if not questions:
        return
    if not by_part and not _is_asked(group, 0, earlier):
        return
    yield Sheet(
        protocol,
        subject.ref,
        group.of,
        questions,
        fields,
        parts if by_part else (),
        earlier,
        tuple(group.shown_answers()),
        group.shows_part(),
        group.shows,
    )


def _is_asked(group: Group, part: int, earlier: Mapping[Cell, Any]) -> bool:
    """Whether any question of the group can be put to this part, by the answers known before."""
    answers = {name: value for (number, name), value in earlier.items() if number in (0, part)}
    if any(name not in answers for name in group.shown_answers()):
        return False
    own = {question.id for question in group.questions}
    return any(
        any(name in own for name, _ in leaves(question.when)) or holds(question.when, answers)
        for question in group.questions
    )
