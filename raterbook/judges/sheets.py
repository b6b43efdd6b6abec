"""Sheets: what a model is asked in one go.

Questions about the same subject that show the same texts stand on one sheet, so a sheet holds
nothing that one of its questions must not see: the answer from the generated text is asked
without the reference. Sheets that need earlier answers come in later waves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from raterbook.protocols import Protocol, Question, asked, holds
from raterbook.protocols.conditions import leaves
from raterbook.protocols.problems import joined

if TYPE_CHECKING:
    from raterbook.rounds import Case, Item, Part, Round

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


def sheets(
    stored: Round, group: Group, known: Known, items: Iterable[str] | None = None
) -> Iterator[Sheet]:
    """The sheets of one group: one per item, or per case for questions of the case."""
    protocol, found = stored.protocol, items_named(stored, items)
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


def items_named(stored: Round, names: Iterable[str] | None) -> list[Item]:
    """The items of these names, or of the cases of these names; all where none are given."""
    wanted = None if names is None else set(names)
    return [
        item
        for item in stored.items()
        if wanted is None or wanted & {item.ref, item.key, item.case}
    ]


def _subjects(group: Group, items: list[Item], cases: Mapping[str, Case]) -> Sequence[Item | Case]:
    if group.of == "item":
        return items
    return [cases[key] for key in dict.fromkeys(item.case for item in items) if key in cases]


def _sheet(
    protocol: Protocol,
    group: Group,
    subject: Item | Case,
    fields: dict[str, str],
    earlier: Mapping[tuple[int, str], Any],
) -> Iterator[Sheet]:
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


# The JSON schema of a reply, from the protocol. Reasoning stands before the score it leads to.


Schema = dict[str, Any]
NULL: Schema = {"type": "null"}


def reply_schema(sheet: Sheet) -> Schema:
    """One schema per kind of sheet, the same for every item: servers compile it once."""
    whole, per_part = by_extent(sheet)
    keys = {question.id: question_schema(question) for question in whole}
    if per_part:
        entry = {question.id: question_schema(question) for question in per_part}
        keys["parts"] = {"type": "array", "items": closed({"part": {"type": "integer"}, **entry})}
    return closed(keys)


def by_extent(sheet: Sheet) -> tuple[list[Question], list[Question]]:
    """The questions a reply answers: about the whole, and about each part."""
    asked = written(sheet.questions)
    whole = [question for question in asked if question.per == "whole"]
    return whole, [question for question in asked if question.per == "part"]


def question_schema(question: Question) -> Schema:
    value = reasoned(question, question.kind.schema(question))
    if question.when is not None or (question.is_numeric and not is_closed(question)):
        return {"anyOf": [value, NULL]}
    return value


def reasoned(question: Question, value: Schema) -> Schema:
    """The value after its reasoning, where the question has any."""
    if question.kind.is_judgement:
        return closed({"reasoning": {"type": "string"}, value_key(question): value})
    return value


def closed(properties: dict[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


# The schema of one sheet's reply and no other's, for models whose every token is held to it.
#
# Its own parts stand in it by number, and null stands just where a question is not asked, so that a
# reply of this shape is a complete one.


Kind = tuple[bool, ...]  # which of the questions that depend on others are asked


def exact_schema(sheet: Sheet) -> Schema:
    whole, per_part = by_extent(sheet)
    parts: dict[str, Schema] = {}
    if per_part:
        entries = [
            _fitting(sheet, per_part, part.number, {"part": {"enum": [part.number]}}, {})
            for part in sheet.parts
        ]
        parts["parts"] = {
            "type": "array",
            "prefixItems": entries,
            "items": False,
            "minItems": len(entries),
        }
    return _fitting(sheet, whole, 0, {}, parts)


def _fitting(
    sheet: Sheet,
    questions: Sequence[Question],
    part: int,
    before: Mapping[str, Schema],
    after: Mapping[str, Schema],
) -> Schema:
    """An object; where questions depend on one of its answers, one object per kind of answer."""
    decisive = _decisive(sheet, questions)
    own = set() if decisive is None else {decisive.id}
    settled = [one for one in questions if one.when is not None and _named(one, sheet) <= own]
    known = sheet.answers_about(part, {})
    found = []
    for kind, values in _kinds(settled, known, decisive).items():
        is_asked = dict(zip((one.id for one in settled), kind))
        keys = {one.id: _settled(one, is_asked.get(one.id)) for one in questions}
        if decisive is not None:
            keys[decisive.id] = reasoned(decisive, {"enum": values})
        found.append(closed({**before, **keys, **after}))
    return found[0] if len(found) == 1 else {"anyOf": found}


def _settled(question: Question, is_asked: bool | None) -> Schema:
    """`is_asked` is None where that is still open, or where there is no question of it."""
    if is_asked is False:
        return NULL
    if question.kind.has_unanswerable:
        return {"type": "string", "minLength": 1}
    return question_schema(question.model_copy(update={"when": None}) if is_asked else question)


def _kinds(
    settled: Sequence[Question], known: Mapping[str, Any], decisive: Question | None
) -> dict[Kind, list[Any]]:
    """The decisive question's answers, by what they lead to."""
    if decisive is None:
        return {tuple(asked(one, known) for one in settled): []}
    kinds: dict[Kind, list[Any]] = {}
    for value in decisive.values or ():
        answers = {**known, decisive.id: value}
        kinds.setdefault(tuple(asked(one, answers) for one in settled), []).append(value)
    for code in decisive.not_applicable:  # no answer
        kinds.setdefault(tuple(asked(one, known) for one in settled), []).append(code)
    return kinds


def _decisive(sheet: Sheet, questions: Sequence[Question]) -> Question | None:
    """The one question with listed values on which others here depend; None if it is not one."""
    named = {name for question in questions for name in _named(question, sheet)}
    found = [one for one in questions if {one.id} == named]
    return found[0] if found and found[0].values is not None else None


def _named(question: Question, sheet: Sheet) -> set[str]:
    """The questions of the same sheet it depends on."""
    own = {one.id for one in sheet.questions}
    return {name for name, _ in leaves(question.when) if name in own}


# Conditions, scales and values in words, for prompts and for telling a model what was wrong.


def value_key(question: Question) -> str:
    """Under which key a reply states its answer, beside its reasoning."""
    return "score" if question.is_score else "answer"


def placeholder(question: Question) -> str:
    """What stands in the output format where the answer goes; no value of the question itself."""
    words = question.kind.output(question)
    codes = [f'"{code}"' for code in question.not_applicable]
    if codes:
        words += f", or {joined(codes, 'or')}"
    return f"<{words}>"


def is_closed(question: Question) -> bool:
    """Questions whose answer makes a reply complete; texts and confidence may be missing."""
    return question.kind.is_closed


def reason_target(question: Question, questions: tuple[Question, ...]) -> str | None:
    """The text question a reasoning belongs to: the question's comment, or `<id>_reason`."""
    for other in questions:
        if other.comment_of == question.id:
            return other.id
    for other in questions:
        if other.is_text and other.id == f"{question.id}_reason":
            return other.id
    return None


def written(questions: tuple[Question, ...]) -> list[Question]:
    """The questions a reply has a key for; comments and reasons come with their question."""
    covered = {reason_target(one, questions) for one in questions if is_closed(one)}
    return [question for question in questions if question.id not in covered]
