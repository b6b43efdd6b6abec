"""Asking a model: from the store where the reply is there, within the budget, once again if bad."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from raterbook.judges import cache
from raterbook.judges.clients.model import Messages, Model, Reply
from raterbook.judges.money import Budgeted, Prices, total
from raterbook.judges.questions import rules
from raterbook.judges.questions.replies import (
    Draft,
    Outcome,
    Summary,
    read_numbered,
    read_questions,
)
from raterbook.judges.questions.rules.matching import repeats
from raterbook.judges.questions.wording import Wording, Wordings
from raterbook.judges.replies.parsing import Parsed
from raterbook.judges.run import question_again
from raterbook.judges.schema import Schema, closed
from raterbook.protocols import Protocol as Protocol_of_protocols

if TYPE_CHECKING:
    from raterbook.rounds import Case, StoredRound


EXPECTED_OUT = 500  # tokens of a usual reply, for budgets
Read = Callable[[Reply, str], Outcome]


class Stopped(Exception):
    """The run ends here; the summary says why."""


class Asker:
    """One model in one run. The store is used from one thread of its own."""

    def __init__(
        self,
        stored: StoredRound,
        model: Model,
        summary: Summary,
        *,
        budget: float | None = None,
        prices: Prices | None = None,
        fresh: bool = False,
    ):
        self.model = model
        self._stored, self._fresh = stored, fresh
        self._asked = Budgeted(model, summary, prices or Prices(), budget, EXPECTED_OUT)
        self._store = ThreadPoolExecutor(1, thread_name_prefix="raterbook-questions")

    async def ask(
        self, wording: Wording, messages: Messages, read: Read
    ) -> tuple[Outcome, Reply, str]:
        """What the model says, read; asked once more, with the complaint, where that fails."""
        prompt = "\n\n".join(message["content"] for message in messages)
        key, reply = await self._reply(wording, messages)
        outcome = read(reply, prompt)
        if outcome.status in ("parse_error", "mismatch", "partial") and not reply.error:
            complaint = Parsed("parse_error", problems=(outcome.problem,))
            again = question_again(messages, reply.text, complaint)
            second_key, second = await self._reply(wording, again)
            better = read(second, prompt)
            retries, cost = reply.retries + second.retries + 1, total(reply.cost, second.cost)
            if better.ok and (better.status == "ok" or not outcome.ok):
                return better, replace(second, retries=retries, cost=cost), second_key
            reply = replace(reply, retries=retries, cost=cost)
        return outcome, reply, key

    async def _reply(self, wording: Wording, messages: Messages) -> tuple[str, Reply]:
        identity = self.model.identity()
        schema = SCHEMAS[wording.step]
        named = {**identity, "prompt": wording.label}
        key = cache.reply_key(named, messages, schema, 1)
        if not self._fresh:
            found = await self.in_store(cache.cached, self._stored, key)
            if found is not None:
                return key, found
        reply = await self._asked.ask(messages, schema, 1)
        if reply is None:
            raise Stopped
        await self.in_store(
            cache.keep, self._stored, key, reply, prompt=wording.label, asked=identity
        )
        return key, reply

    async def in_store(self, action: Callable[..., Any], *given: Any, **more: Any) -> Any:
        """In the store's thread; an interruption waits until the write is over."""
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(self._store, lambda: action(*given, **more))
        return await asyncio.shield(work)

    async def close(self) -> None:
        await self.model.close()
        self._store.shutdown(wait=True)


# Whoever writes and answers: a model by prompts, or the rules. Each sees one text at a time.


Questions = Mapping[int, str]  # by the number of the part


@dataclass(frozen=True)
class Result:
    """What became of one text: the outcome, and the reply it was read from, if there was one."""

    outcome: Outcome
    prompt: str
    reply: Reply | None = None
    key: str | None = None


class Hand(Protocol):
    """No call is given more than one text: the answerer of one never sees the other."""

    concurrency: int

    async def write(self, reference: str, most: int) -> Result: ...

    async def check(self, reference: str, questions: Questions) -> Result: ...

    async def answer(self, text: str, questions: Questions) -> Result: ...


class ModelHand:
    """A model, asked with the wordings of the run."""

    def __init__(self, asker: Asker, wordings: Wordings):
        self.concurrency = asker.model.concurrency
        self._asker, self._wordings = asker, wordings

    async def write(self, reference: str, most: int) -> Result:
        wording = self._wordings.of("write", reference)
        messages = wording.messages(reference, {}, most)
        outcome, reply, key = await self._asker.ask(
            wording, messages, lambda reply, prompt: read_questions(reply, prompt, most)
        )
        return Result(outcome, wording.label, reply, key)

    async def check(self, reference: str, questions: Questions) -> Result:
        return await self._numbered("check", reference, questions, "decisions", "decision")

    async def answer(self, text: str, questions: Questions) -> Result:
        return await self._numbered("answer", text, questions, "answers", "answer")

    async def _numbered(
        self, step: str, text: str, questions: Questions, key: str, entry: str
    ) -> Result:
        wording = self._wordings.of(step, text)
        # Numbered afresh: parts may have gaps, and a model that counts would fill them.
        parts = dict(enumerate(questions, start=1))
        asked = {number: questions[part] for number, part in parts.items()}

        def read(reply: Reply, prompt: str) -> Outcome:
            return read_numbered(reply, prompt, asked, key, entry)

        messages = wording.messages(text, asked)
        outcome, reply, name = await self._asker.ask(wording, messages, read)
        if outcome.answers is not None:
            by_part = {parts[number]: said for number, said in outcome.answers.items()}
            outcome = Outcome(outcome.status, (), by_part, outcome.problem)
        return Result(outcome, wording.label, reply, name)


class RulesHand:
    """The rule-based baseline."""

    concurrency = 1
    label = rules.VERSION

    async def write(self, reference: str, most: int) -> Result:
        found = tuple(Draft(one.question, one.key_info) for one in rules.write(reference, most))
        if not found:
            problem = "the rules find nothing to ask about in this text"
            return Result(Outcome("no_questions", problem=problem), self.label)
        return Result(Outcome("ok", found), self.label)

    async def check(self, reference: str, questions: Questions) -> Result:
        """Only a question asked before is dropped: rules cannot tell a good one from a bad one."""
        before: list[str] = []
        decisions = {}
        for part, question in questions.items():
            decisions[part] = "drop" if repeats(question, before) else "keep"
            before.append(question)
        return Result(Outcome("ok", answers=decisions), self.label)

    async def answer(self, text: str, questions: Questions) -> Result:
        answers = {part: rules.answer(question, text) for part, question in questions.items()}
        return Result(Outcome("ok", answers=answers), self.label)


# What is left to do in a round, step by step: which texts, and which questions about each.


ASKED = {"check": "keep", "reference": "reference_answer", "generated": "generated_answer"}


@dataclass(frozen=True)
class Fields:
    """The columns that hold the two texts."""

    reference: str
    generated: str


@dataclass(frozen=True)
class Task:
    """One text in one step; `ref` and `key` name its case or item."""

    step: str
    ref: str
    key: str
    text: str
    questions: Mapping[int, str] = field(default_factory=dict)


def fields_of(protocol: Protocol_of_protocols) -> Fields:
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


def tasks(
    stored: StoredRound,
    step: str,
    rater: str,
    items: Iterable[str] | None = None,
    fresh: bool = False,
) -> list[Task]:
    """The tasks of a step that this rater has not done yet; with `fresh`, all but the writing."""
    fields = fields_of(stored.protocol)
    wanted = None if items is None else set(items)
    chosen = [
        item
        for item in stored.items()
        if wanted is None or wanted & {item.key, item.ref, item.case}
    ]
    names = {item.case for item in chosen}
    cases = {case.key: case for case in stored.cases() if case.key in names}
    if step == "write":
        return [
            Task(step, case.ref, case.key, case.fields.get(fields.reference, ""))
            for case in cases.values()
            if not case.parts
        ]
    question = ASKED[step]
    if question not in {each.id for each in stored.protocol.questions}:
        return []
    answered = _answered(stored, rater, question, fresh)
    found = []
    if step == "generated":
        texts = [
            (item.ref, item.key, item.fields.get(fields.generated, ""), cases[item.case])
            for item in chosen
        ]
    else:
        texts = [
            (case.ref, case.key, case.fields.get(fields.reference, ""), case)
            for case in cases.values()
        ]
    for ref, key, text, case in texts:
        left = _left(case, ref, answered)
        if left:
            found.append(Task(step, ref, key, text, left))
    return found


def _answered(stored: StoredRound, rater: str, question: str, fresh: bool) -> set[tuple[str, int]]:
    if fresh or rater not in {each.name for each in stored.raters()}:
        return set()
    return {
        (ref, part)
        for (ref, part, asked), answer in stored.current(rater).items()
        if asked == question and answer.status == "answered"
    }


def _left(case: Case, ref: str, answered: set[tuple[str, int]]) -> dict[int, str]:
    """All questions of a text while one is open: a question is answered among its fellows."""
    open_ = [part for part in case.parts if (ref, part.number) not in answered]
    return {part.number: part.text for part in case.parts} if open_ else {}


# The JSON schemas of the three replies, in the strict form that servers compile once.


def _listed(key: str, entry: dict[str, Schema]) -> Schema:
    return closed({key: {"type": "array", "items": closed(entry)}})


_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "integer"}

SCHEMAS: dict[str, Schema] = {
    "write": _listed("questions", {"key_info": _TEXT, "question": _TEXT}),
    "check": _listed("decisions", {"number": _NUMBER, "decision": {"enum": ["keep", "drop"]}}),
    "answer": _listed("answers", {"number": _NUMBER, "answer": _TEXT}),
}
