"""Whoever writes and answers: a model by prompts, or the rules. Each sees one text at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from raterbook.judges.questeval import rules
from raterbook.judges.questeval.asking import Asker
from raterbook.judges.questeval.replies import Draft, Outcome, read_numbered, read_questions
from raterbook.judges.questeval.rules.baseline import repeats
from raterbook.judges.questeval.wording import Wordings
from raterbook.judges.reply import Reply

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
