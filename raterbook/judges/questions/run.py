"""Questions written, checked and answered, in the run that any judge makes.

Checking and answering are sheets with one question; a sheet of the writing has none, and what
comes of it are the parts of its case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import raterbook.judges.cache as cache
import raterbook.judges.questions.rules as rules
from raterbook.judges.cache import Scribe
from raterbook.judges.clients.model import Reply
from raterbook.judges.outcome import JudgeRun, Outcome
from raterbook.judges.prompts import Prompt
from raterbook.judges.questions.wording import (
    Draft,
    Reading,
    Wording,
    Wordings,
    clean,
    normal,
    read_numbered,
    read_questions,
)
from raterbook.judges.replies import VERSION as PARSER
from raterbook.judges.replies import Parsed
from raterbook.judges.replies.values import ParsedAnswer
from raterbook.judges.run import (
    Answerer,
    Job,
    Request,
    Runner,
    Settings,
    outcome_of,
)
from raterbook.judges.sheets import Group, Schema, Sheet, closed, items_named, sheets
from raterbook.protocols import Protocol
from raterbook.rounds import PartRow, RoundError

if TYPE_CHECKING:
    import pandas as pd

    from raterbook.rounds import Round


STEPS = {
    "write": "",
    "check": "keep",
    "reference": "reference_answer",
    "generated": "generated_answer",
}
COLUMNS = [
    "step",
    "subject",
    "status",
    "problem",
    "questions",
    "reply",
    "prompt",
    "cached",
    "retries",
    "cost",
    "tokens_in",
    "tokens_out",
    "seconds",
    "served",
]


@dataclass(frozen=True)
class Drafts(Parsed):
    """What a reply writes: questions, and no answers."""

    questions: tuple[Draft, ...] = ()


# How each step is asked for, and its reply read.


def _listed(key: str, entry: dict[str, Schema]) -> Schema:
    return closed({key: {"type": "array", "items": closed(entry)}})


_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "integer"}
SCHEMAS: dict[str, Schema] = {
    "write": _listed("questions", {"key_info": _TEXT, "question": _TEXT}),
    "check": _listed("decisions", {"number": _NUMBER, "decision": {"enum": ["keep", "drop"]}}),
    "answer": _listed("answers", {"number": _NUMBER, "answer": _TEXT}),
}


@dataclass(frozen=True)
class WordedPrompt(Prompt):
    """A prompt from a file of wordings, whose label is part of what a reply depends on."""

    step: str = ""
    most: int = 0

    def identity(self, identity: dict[str, Any]) -> dict[str, Any]:
        return {**identity, "prompt": self.hash}

    @property
    def reader(self) -> str:
        return f"{self.step} {PARSER}"

    def read(self, reply: Reply, sheet: Sheet) -> Parsed:
        if self.step == "write":
            found = read_questions(reply, self.text, self.most)
            return Drafts(found.status, problems=_problems(found), questions=found.questions)
        key, entry = ("decisions", "decision") if self.step == "check" else ("answers", "answer")
        numbers = range(1, len(sheet.parts) + 1)
        return _answers(sheet, read_numbered(reply, self.text, numbers, key, entry))


def _problems(found: Reading) -> tuple[str, ...]:
    return (found.problem,) if found.problem else ()


def _answers(sheet: Sheet, found: Reading) -> Parsed:
    """Answers under the parts' own numbers; a decision that is no option spoils the reply."""
    if found.answers is None:
        return Parsed(found.status, problems=_problems(found))
    (question,) = sheet.questions
    said = {(part.number, question.id): found.answers[place] for place, part in _places(sheet)}
    try:
        answers = {
            cell: ParsedAnswer(normal(question, text))
            for cell, text in said.items()
            if text.strip()
        }
    except ValueError as error:
        return Parsed("parse_error", problems=(str(error),))
    blank = tuple(cell for cell, text in said.items() if not text.strip())
    return Parsed(found.status, answers, problems=_problems(found), blank=blank)


def _places(sheet: Sheet) -> list[tuple[int, Any]]:
    """Parts numbered afresh: theirs may have gaps, and a model that counts would fill them."""
    return list(enumerate(sheet.parts, start=1))


class WordedPrompts:
    """Prompts of a run, in the language of each text."""

    def __init__(self, wordings: Wordings, most: int):
        self._wordings, self._most = wordings, most

    def of(self, sheet: Sheet) -> WordedPrompt:
        (text,) = sheet.fields.values()
        step = step_of(tuple(question.id for question in sheet.questions))
        kind = step if step in SCHEMAS else "answer"
        wording: Wording = self._wordings.of(kind, text)
        asked = {place: part.text for place, part in _places(sheet)}
        messages = tuple(wording.messages(text, asked, self._most))
        return WordedPrompt(sheet.ref, messages, SCHEMAS[kind], wording.label, kind, self._most)


class RulesAnswerer:
    """The rule-based baseline: another answerer of the same run, which needs no store."""

    concurrency, failure = 1, None

    def __init__(self, rater: str, most: int):
        self._key, self._most = f"{rater}, {rules.VERSION}", most

    async def find(self, sheet: Sheet, replicate: int) -> Request:
        return Request(sheet, replicate, Prompt(sheet.ref, (), {}, rules.VERSION), self._key)

    async def answer(self, request: Request) -> tuple[str, Outcome]:
        return request.key, outcome_of(request, self.parsed(request.sheet), Reply())

    def parsed(self, sheet: Sheet) -> Parsed:
        (text,) = sheet.fields.values()
        step = step_of(tuple(question.id for question in sheet.questions))
        if step == "write":
            found = tuple(
                Draft(one.question, one.key_info) for one in rules.write(text, self._most)
            )
            if found:
                return Drafts("ok", questions=found)
            why = "the rules find nothing to ask about in this text"
            return Drafts("no_questions", problems=(why,))
        asked = {part.number: part.text for part in sheet.parts}
        if step == "check":
            said = _decisions(asked)
        else:
            said = {part: rules.answer(question, text) for part, question in asked.items()}
        (question,) = sheet.questions
        answers = {
            (part, question.id): ParsedAnswer(normal(question, one)) for part, one in said.items()
        }
        return Parsed("ok", answers)

    async def close(self) -> None:
        pass


def _decisions(asked: Mapping[int, str]) -> dict[int, str]:
    """Only a question asked before is dropped: rules cannot tell a good one from a bad one."""
    before: list[str] = []
    decisions = {}
    for part, question in asked.items():
        decisions[part] = "drop" if rules.repeats(question, before) else "keep"
        before.append(question)
    return decisions


# The run itself, and the account of it.


@dataclass(frozen=True)
class Fields:
    """The columns that hold the two texts."""

    reference: str
    generated: str


def fields_of(protocol: Protocol) -> Fields:
    """Where the protocol's two answers are to be found; a ValueError where it asks for none."""
    asked = {question.id: question for question in protocol.questions}
    found: list[list[str]] = []
    for name, of in (("reference_answer", "case"), ("generated_answer", "item")):
        question = asked.get(name)
        if question is None or question.of != of or question.per != "part":
            found = []
            break
        found.append([each for each in question.shows if each in protocol.item.fields])
    of_case = protocol.parts is not None and protocol.parts.of == "case"
    if not of_case or len(found) != 2 or any(len(shown) != 1 for shown in found):
        raise ValueError(
            f"Protocol {protocol.name} has no questions to generate: its parts must belong to the "
            "case, with reference_answer (of: case) and generated_answer (of: item) per part, each "
            "showing one text, as in rag-questeval."
        )
    return Fields(found[0][0], found[1][0])


def step_of(questions: tuple[str, ...]) -> str:
    """The step that asks for just these; the writing asks none."""
    return next(step for step, question in STEPS.items() if question == "".join(questions))


class QuestionRun(Runner):
    """Step after step; `at_once` texts' questions are written in one transaction."""

    def __init__(
        self,
        stored: Round,
        answerer: Answerer,
        scribe: Scribe,
        result: Summary,
        settings: Settings,
        *,
        steps: Sequence[str],
        at_once: int = 1,
    ):
        super().__init__(stored, answerer, scribe, result, settings)
        self._steps, self._at_once = steps, at_once
        self._fields = fields_of(stored.protocol)
        self._drafts: list[PartRow] = []
        self._texts = 0
        self.result: Summary = result
        cases, items = stored.cases(), stored.items()
        self._cases = {case.ref: case.key for case in cases}
        result.names = self._cases | {item.ref: item.key for item in items}

    def waves(self) -> Iterator[list[Job]]:
        for step in self._steps:
            yield [(sheet, 1) for sheet in self._sheets(step) if not self._is_done(sheet)]
            self._add(self._taken())

    def _sheets(self, step: str) -> Iterator[Sheet]:
        protocol = self.stored.protocol
        asked = {one.id: one for one in protocol.questions}
        if step == "write":
            names = {item.case for item in items_named(self.stored, self.settings.items)}
            for case in self.stored.cases():
                if case.key in names and not case.parts:
                    text = case.fields.get(self._fields.reference, "")
                    yield Sheet(protocol, case.ref, "case", (), {self._fields.reference: text})
        elif question := asked.get(STEPS[step]):
            shown = self._fields.generated if step == "generated" else self._fields.reference
            group = Group(question.of, frozenset(["part", shown]), (question,))
            yield from sheets(self.stored, group, {}, self.settings.items)

    def _is_done(self, sheet: Sheet) -> bool:
        """A question is answered among its fellows: all of a text's while one is open."""
        if self.settings.fresh or not sheet.questions:
            return False
        return bool(cache.standing_on(sheet, self.standing))

    async def stands(self, request: Request) -> bool:
        return False

    def unasked(self, request: Request) -> tuple[str, Outcome] | None:
        (text,) = request.sheet.fields.values()
        if request.sheet.questions or text.strip():
            return super().unasked(request)
        nothing = Drafts("no_questions", problems=("the reference is empty",))
        return request.key, outcome_of(request, nothing, Reply())

    async def save(self, sheet: Sheet, outcome: Outcome, key: str) -> None:
        parsed = outcome.parsed
        if parsed is None:
            return
        await self.scribe.join()
        if isinstance(parsed, Drafts):
            self._write(self._cases[sheet.ref], parsed.questions, outcome.prompt.hash)
            self._texts += 1
            if self._texts >= self._at_once:
                await self.scribe.act(self._add, self._taken())
            return
        events = [
            event
            for event in cache.events_of(sheet, parsed, key, 1, self.standing)
            if not _is_said(self.standing.get((event.subject, event.part, event.question)), event)
        ]
        self.result.answers += cache.answered(events)
        self.scribe.hand_in(events)

    def _write(self, case: str, drafts: Sequence[Draft], prompt: str) -> None:
        """The drafts become parts of the case."""
        for number, draft in enumerate(drafts, start=1):
            fields = {"written_by": f"{self.result.rater} ({prompt})"}
            if draft.key_info.strip():
                fields["key_info"] = clean(draft.key_info)
            self._drafts.append(PartRow(case, number, clean(draft.question), fields))
        self.result.written += len(drafts)

    def _taken(self) -> list[PartRow]:
        rows, self._drafts, self._texts = self._drafts, [], 0
        return rows

    def _add(self, rows: Sequence[PartRow]) -> None:
        """Under numbers of their own, so that two runs at once cannot both write a case's."""
        try:
            if rows:
                self.stored.add_parts(rows)
        except RoundError:
            taken = {case.key for case in self.stored.cases() if case.parts}
            # Numbers of retired questions are not used again.
            again = [
                PartRow(row.subject, None, row.text, row.fields)
                for row in rows
                if row.subject not in taken
            ]
            if again:
                self.stored.add_parts(again)


def _is_said(before: Any, event: Any) -> bool:
    """Whether the current answer says the same."""
    names = ("status", "value", "reason")
    return before is not None and all(
        getattr(before, name) == getattr(event, name) for name in names
    )


@dataclass
class Summary(JudgeRun):
    """The account of a run; questions and answers are in the round.

    Texts that were done in an earlier run are not in its total.
    """

    is_baseline: bool = False
    written: int = 0  # questions
    names: dict[str, str] = field(default_factory=dict)  # cases and items by their references

    @property
    def counts(self) -> dict[str, Any]:
        """Step → status → how many texts."""
        found: dict[str, Counter[str]] = {}
        for one in self.outcomes:
            found.setdefault(step_of(one.questions), Counter())[one.status] += 1
        return {step: dict(found[step]) for step in STEPS if step in found}

    @property
    def failed(self) -> int:
        return sum(one.status not in ("ok", "partial") for one in self.outcomes)

    @property
    def complete(self) -> bool:
        """Whether every text was handled, and none of them failed."""
        return self.stopped is None and len(self.outcomes) == self.total and not self.failed

    def __str__(self) -> str:
        said = [
            f"{self.round}: {self.written} questions written, {self.answers} answers of "
            f"{self.rater}{' (a rule-based baseline)' if self.is_baseline else ''}"
        ]
        for step, counts in self.counts.items():
            said.append(f"{step} {', '.join(f'{n} {status}' for status, n in counts.items())}")
        if not self.total:
            said.append("nothing was left to do")
        if self.requests:
            said.append(f"{self.requests} requests, {self.cost()}")
        line = "; ".join(said)
        return f"{line}; stopped: {self.stopped}" if self.stopped else line

    def __repr__(self) -> str:
        return f"Summary({self})"

    def frame(self) -> pd.DataFrame:
        """One row per text and step, in the order they were handled."""
        import pandas as pd

        rows = [
            (
                step_of(one.questions),
                self.names[one.subject],
                one.status,
                one.problem,
                _count(one),
                one.reply.text,
                one.prompt.hash,
                *(getattr(one.reply, name) for name in COLUMNS[7:]),
            )
            for one in self.outcomes
        ]
        return pd.DataFrame(rows, columns=COLUMNS)

    def failures(self) -> pd.DataFrame:
        """What came to nothing: status, problem and the reply as it came."""
        frame = self.frame()
        bad = ~frame["status"].isin(["ok", "partial"])
        return frame.loc[bad, ["step", "subject", "status", "problem", "reply"]]


def _count(one: Outcome) -> int:
    """Questions written, decided on or answered."""
    if isinstance(one.parsed, Drafts):
        return len(one.parsed.questions)
    return len(one.parsed.answers) if one.parsed is not None else 0
