"""Answers from a file, in whatever layout it has."""

from __future__ import annotations

import dataclasses
import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

from raterbook.files.checks import (
    NAMED,
    Newcomers,
    one_person,
    refuse_appointments,
    refuse_lookalikes,
    refuse_strangers,
    refuse_unasked,
    welcomed,
    withdrawn,
)
from raterbook.files.formats import read_file
from raterbook.files.layouts import found_in
from raterbook.files.layouts.layout import Incoming
from raterbook.files.names import Misplaced, Subjects
from raterbook.files.table import Records, Table, pointed
from raterbook.rounds import raters as people
from raterbook.rounds.answers import AnswerFile, Fresh, save_file
from raterbook.rounds.current import AnswerCell, Fact, facts
from raterbook.rounds.model import (
    PEOPLE,
    PLANNED,
    RATER_KINDS,
    FileError,
    Given,
    Problems,
    counted,
    listed,
    shown,
)
from raterbook.rounds.store import log

if TYPE_CHECKING:
    from raterbook.protocols import Question
    from raterbook.rounds import Round
    from raterbook.rounds.snapshot import Snapshot, StoredQuestion


@dataclasses.dataclass(frozen=True)
class ImportSummary:
    """What an import did; `added` counts the `replaced` ones too.

    `notes` is what had to be assumed, or was left alone.
    """

    added: int
    unchanged: int
    replaced: int
    raters: tuple[str, ...]
    notes: tuple[str, ...] = ()
    withdrawn: int = 0
    newcomers: str = ""  # who was not in the round before, in words

    def __str__(self) -> str:
        new = self.added - self.replaced
        words = [f"{counted(new, 'answer')} added", f"{self.unchanged:,} unchanged"]
        if self.replaced:
            words.append(f"{self.replaced:,} corrected")
        if self.withdrawn:
            words.append(f"{self.withdrawn:,} withdrawn, as a correction closes their question")
        first = f"{', '.join(words)} ({listed(self.raters, NAMED) or 'no raters'})"
        return "\n".join(filter(None, [first, self.newcomers, *self.notes]))


def take(
    stored: Round,
    file: Incoming,
    given: Sequence[Given],
    notes: Sequence[str] = (),
    replace: bool = False,
    new_raters: bool = False,
) -> ImportSummary:
    """One transaction: every answer is stored, or equal to what is there, or nothing happens."""
    problems = file.problems
    with stored.store.write() as connection:
        snapshot = stored.look(connection)
        asked = stored.questions(connection)
        everybody = [rater.name for rater in people.everybody(connection)]
        known = people.known_from_rounds(connection)
        refuse_appointments(given, file.kind, everybody, problems)
        refuse_strangers(given, snapshot, problems.source)
        if not new_raters:
            refuse_lookalikes(given, snapshot.raters, everybody, problems)
        now_there = {fact.cell: fact for fact in facts(connection, snapshot, asked, retracted=True)}
        found = _resolved(given, snapshot, asked, problems)
        fresh, unchanged, replaced = _fresh(found, now_there, replace, problems)
        del found  # a million answers are not kept in two lists
        closed = refuse_unasked(asked, snapshot, fresh, now_there, problems)
        if closed and not replace:
            problems.add(_would_close(closed))
        problems.stop()
        rule = stored.rule(snapshot)
        crowd = _crowd(fresh, now_there, snapshot) if rule.per_item is None else None
        everything = Newcomers.of(given, snapshot, rule.per_item)
        if crowd is not None and crowd.far_apart and everything.too_many:
            # Nobody was promised what everybody would be asked: the file is the plan.
            rule = dataclasses.replace(rule, per_item=crowd.usual)
        Newcomers.of(given, snapshot, rule.per_item).refuse(problems.source)
        now = stored.store.now()
        if rule.per_item != snapshot.per_item:
            why = f"as many as {problems.source} has"
            log.add(connection, stored.id, "assign", now, reason=why, per_item=rule.per_item)
        if fresh:
            what: dict[str, Any] = {
                "source": problems.source,
                "added": len(fresh),
                "replaced": replaced,
            }
            log.add(connection, stored.id, "import", now, **what)
            fresh += withdrawn(closed, fresh[0][0].row)
            brought = AnswerFile(problems.source, snapshot, fresh, now_there)
            save_file(connection, stored.id, asked, rule, brought, now)
    newcomers = welcomed([each for each, _, _ in fresh], snapshot.raters, everybody)
    came = {each.rater for each, _, _ in fresh if each.kind in (None, *PEOPLE)}
    notes = [*notes, *one_person(stored.name, came - set(snapshot.raters), known)]
    if crowd is not None:
        notes += crowd.words(stored.name, planned=rule.per_item is not None)
    raters = tuple(dict.fromkeys(each.rater for each in given))
    return ImportSummary(
        len(fresh) - len(closed), unchanged, replaced, raters, tuple(notes), len(closed), newcomers
    )


MANY = 20  # people, from whom on a file may show that each was asked about a few items


@dataclasses.dataclass(frozen=True)
class Crowd:
    """How many people answered about an item, and how many people there are."""

    fewest: int
    usual: int
    most: int
    people: int

    @property
    def far_apart(self) -> bool:
        """Whether no item has more than some of many, so that nobody was asked about everything."""
        return self.people >= MANY and 2 * self.most <= self.people

    def words(self, round: str, planned: bool) -> list[str]:
        """A line where many people each answered about few items, and no plan said so."""
        # Where items have unequally many of few people, somebody may not have come to them yet.
        unequal = self.fewest < self.most and 2 * self.most > self.people
        if not planned and (self.people < 3 or unequal or self.most == self.people):
            return []
        some = f"{self.fewest} to {self.most}" if self.fewest < self.most else str(self.usual)
        each = f"Each item has answers of {some} of {self.people:,} people."
        if planned:
            return [
                f"{each} {self.usual} an item is the plan from now on, as everybody about every "
                f"item would be too many. Another one: raterbook assign {round} --per-item N"
            ]
        return [
            f"{each} Without a plan everybody is asked about every item, and what is missing is "
            f"counted so. If each item was to have {self.usual}: raterbook assign {round} "
            f"--per-item {self.usual}"
        ]


def _crowd(
    fresh: Sequence[Fresh], there: Mapping[AnswerCell, Fact], snapshot: Snapshot
) -> Crowd | None:
    """Who stands behind the items' answers, stored ones and those of the file; None for nobody."""
    kinds = {row.name: row.kind for row in snapshot.raters.values()}
    said = chain(
        ((cell, each.kind or kinds.get(each.rater)) for each, cell, _ in fresh),
        ((cell, fact.kind) for cell, fact in there.items()),
    )
    items: dict[str, set[str]] = {}
    cases: dict[str, set[str]] = {}
    for (subject, of_case, _, rater, _, _), kind in said:
        if kind in (None, *PLANNED):
            (cases if of_case else items).setdefault(subject, set()).add(rater)
    raters = items or cases
    if not raters:
        return None
    counts = sorted(map(len, raters.values()))
    everybody = set().union(*raters.values())
    return Crowd(counts[0], counts[len(counts) // 2], counts[-1], len(everybody))


def _would_close(closed: Sequence[Fact]) -> str:
    first = closed[0]
    more = f", and {len(closed) - 1:,} more like it" if len(closed) > 1 else ""
    return (
        f"{shown(first.rater)} answered {shown(first.text)} to “{first.question}” about "
        f"{shown(first.subject)} before{more}, which would not be asked any more. Use "
        "--replace to withdraw it."
    )


def _resolved(
    given: Sequence[Given], snapshot: Snapshot, asked: dict[str, StoredQuestion], problems: Problems
) -> list[Fresh]:
    """Each answer with what it answers and its value as it would be stored; others are problems."""
    subjects = Subjects(
        (key, snapshot.subjects[each.case_id].key)  # type: ignore[index]
        for key, each in snapshot.items.items()
    )
    about: dict[tuple[str, str, int], tuple[str, bool] | Misplaced] = {}
    values: dict[tuple[str, str], Any] = {}
    found: list[Fresh] = []
    for each in given:
        question = asked[each.question].question
        where = (each.item, each.question, each.part)
        if where not in about:
            try:
                about[where] = _about(each, subjects, snapshot, question)
            except Misplaced as error:
                about[where] = error
        what = (each.question, each.value)
        if each.status == "answered" and what not in values:
            try:
                values[what] = question.check(each.value)
            except ValueError as error:
                values[what] = error
        value = values[what] if each.status == "answered" else None
        place = about[where]
        if isinstance(place, Misplaced):
            problems.add(str(place), each.row, place.column)
        if isinstance(value, ValueError):
            problems.add(f"{value}. {_remedy(question, each.value)}", each.row, each.column)
        if each.status != "answered" and each.value.strip():
            problems.add(
                f"{shown(each.value)} stands with the status {each.status}. Leave one of them out.",
                each.row,
                each.column,
            )
        if not isinstance(place, Misplaced) and not isinstance(value, ValueError):
            cell = (*place, each.part, each.rater, each.question, each.replicate)
            found.append((each, cell, value))
    return found


def _about(
    each: Given, subjects: Subjects, snapshot: Snapshot, question: Question
) -> tuple[str, bool]:
    """The key of the item or case, and whether it is a case; a Misplaced where there is none."""
    of_case = question.of == "case"
    named = snapshot.refs.get(each.item)  # as sheets name items
    key = subjects.find(named.key if named else each.item, of_case)
    subject = (snapshot.cases if of_case else snapshot.items)[key]
    try:
        snapshot.refuse_part(each.item, subject, question, each.part)
    except ValueError as error:
        raise Misplaced("part", f"{error}.") from None
    return key, of_case


def _remedy(question: Question, value: str) -> str:
    """What can be written instead of this value."""
    usual = _usual(question)
    return pointed(value, usual, question.check) if question.is_numeric else usual


def _usual(question: Question) -> str:
    if question.values is not None:
        if question.is_numeric and len(question.values) > 12:
            return f"Use {question.min} to {question.max} in steps of {question.step}."
        return f"Use one of {listed(question.values, len(question.values))}."
    if question.is_numeric:
        return f"Use a number from {question.min} to {question.max}."
    return "Write a text, or leave the cell empty."


def _fresh(
    found: Sequence[Fresh], there: Mapping[AnswerCell, Fact], replace: bool, problems: Problems
) -> tuple[list[Fresh], int, int]:
    """What is new, how many answers are there already, and how many are in place of others."""
    seen: dict[AnswerCell, Fresh] = {}
    fresh: list[Fresh] = []
    unchanged = replaced = 0
    for answer in found:
        each, cell, value = answer
        first, _, other = seen.setdefault(cell, answer)
        if first is not each:
            if not _same(each, value, first, other):
                problems.add(
                    f"{_said(each)} contradicts row {first.row}, where {shown(each.rater)} gave "
                    f"{_said(first)}. Keep one, or number them in a column replicate.",
                    each.row,
                    each.column,
                )
            unchanged += 1
            continue
        fact = there.get(cell)
        if each.status == "retracted" and (fact is None or fact.status == "retracted"):
            unchanged += 1
            continue
        if fact is not None and fact.status != "retracted":
            if _same(each, value, fact, fact.value):
                unchanged += 1
                continue
            if not replace:
                problems.add(
                    f"{_said(each)} differs from {shown(fact.text) or fact.status}, which "
                    f"{shown(each.rater)} gave before. Use --replace to take the new one.",
                    each.row,
                    each.column,
                )
                continue
            replaced += 1
        fresh.append(answer)
    return fresh, unchanged, replaced


def _said(each: Given) -> str:
    return shown(each.value) or each.status


def _same(each: Given, value: Any, before: Given | Fact, other: Any) -> bool:
    """Equal in what was said; a file that is silent on reason or confidence contradicts nothing."""
    return (
        each.status == before.status
        and value == other
        and each.reason in (None, before.reason)
        and each.confidence in (None, before.confidence)
    )


def import_answers(
    round: Round,
    source: Any,
    rater: str | None = None,
    kind: str | None = None,
    replace: bool = False,
    new_raters: bool = False,
) -> ImportSummary:
    """Take in a file of answers: long, wide, the protocol's own, Label Studio's or Argilla's.

    Whole or not at all. Answers equal to the current ones add nothing; different ones are refused
    unless `replace` asks for them, and then they are revisions. `rater` names who answered where
    the file does not, `kind` what kind of rater that is. A new rater whose name is like a known
    one's is refused, unless `new_raters` says that they are two. `source` is a file, standard
    input ("-"), a frame, or what `read_file` has read in an encoding of its own.
    """
    if kind is not None and kind not in RATER_KINDS:
        raise FileError(f"{shown(kind)} is no kind of rater. Use one of {', '.join(RATER_KINDS)}.")
    with _undisturbed():
        file = read_file(source)
        given = Incoming(file, round.protocol, Problems(file.name), rater, kind)
        layout = found_in(file, round.protocol)
        assert layout.read is not None
        answers, notes = layout.read(given)
        notes = [*file.notes, *notes, *_same_protocol(file, round)]
        if not answers and not given.problems.found:
            given.problems.add(
                "no answers in it. Fill in the values, or name the file that has them."
            )
        # From here on the answers stand for the rows, of which there may be a million.
        given = Incoming(Records(file.name, []), round.protocol, given.problems, rater, kind)
        del file
        return take(round, given, answers, notes, replace, new_raters)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Without the collector: a hundred thousand small objects that all stay, and it looks through
    them again and again, which takes a third of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _same_protocol(file: Table | Records, round: Round) -> list[str]:
    """Files of ours say which protocol their answers are to."""
    metadata = file.metadata if isinstance(file, Table) else {}
    other = metadata.get("protocol")
    if other is None:
        return []
    if other != round.protocol.name:
        raise FileError(
            f"{file.name} holds answers to {shown(other)}, and {round.name} asks "
            f"{round.protocol.name}. Open a round of {shown(other)} for it."
        )
    if metadata.get("protocol_hash") != round.protocol_hash:
        return [
            f"{file.name} was written under another version of {shown(other)}; every value was "
            "checked against this one."
        ]
    return []
