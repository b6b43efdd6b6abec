"""One run over a round, sheet by sheet, so that an interruption loses nothing stored.

What is left to answer are sheets; an answerer turns each into answers; the scribe stores them. A
model is one answerer, rules are another.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import raterbook.judges.cache as cache
from raterbook.judges.cache import Scribe
from raterbook.judges.clients.model import Messages, Model, Reply, Stop
from raterbook.judges.money import Budgeted, Prices, total
from raterbook.judges.outcome import JudgeRun, Outcome, Progress
from raterbook.judges.prompts import Prompt
from raterbook.judges.replies import Parsed
from raterbook.judges.replies.values import ParsedAnswer
from raterbook.judges.sheets import Sheet, is_closed, sheets, waves
from raterbook.protocols import UNANSWERABLE, Example

if TYPE_CHECKING:
    from raterbook.rounds import Round


EXPECTED_OUT = 700  # tokens of a usual reply, for budgets and estimates
AGAIN = ("parse_error", "partial", "mismatch")  # what is asked once more
Job = tuple[Sheet, int]  # and its replicate


@dataclass(frozen=True)
class Settings:
    """How a run is made, whoever answers."""

    replicates: int = 1
    items: Sequence[str] | None = None  # None: all
    examples: Sequence[Example] | str | None = None  # in place of the protocol's; (): none
    budget: float | None = None  # US dollars
    prices: Any = None  # a table or file of one's own
    concurrency: int | None = None
    fresh: bool = False  # ask again even where a reply is stored
    progress: bool | None = None  # a bar; None: where somebody sees it

    def price_table(self) -> Prices:
        return self.prices if isinstance(self.prices, Prices) else Prices(self.prices)


@dataclass(frozen=True)
class Request:
    """A sheet as it is put to an answerer, with the reply where that is in the store already."""

    sheet: Sheet
    replicate: int
    prompt: Prompt
    key: str
    reply: Reply | None = None


class Answerer(Protocol):
    """Whoever fills in sheets; it never sees more than one sheet."""

    concurrency: int

    @property
    def failure(self) -> Stop | None:
        """Why going on is pointless, if it is."""

    async def find(self, sheet: Sheet, replicate: int) -> Request:
        """The sheet as it would be asked about, and what is known of it."""

    async def answer(self, request: Request) -> tuple[str, Outcome] | None:
        """What it says, and under which key; None once the run has stopped."""

    async def close(self) -> None:
        """Give back what it holds."""


class PromptMaker(Protocol):
    def of(self, sheet: Sheet) -> Prompt: ...


class ModelAnswerer:
    """A model: from the store where the reply is there, within the budget, once again if bad.

    With `ask` false nothing is asked: stored replies and failures are read again.
    """

    def __init__(
        self,
        model: Model,
        prompts: PromptMaker,
        scribe: Scribe,
        run: JudgeRun,
        settings: Settings,
        expected_out: int = EXPECTED_OUT,
    ):
        self.model, self.concurrency = model, model.concurrency
        self.ask = True
        self._prompts, self._scribe, self._fresh = prompts, scribe, settings.fresh
        prices = settings.price_table()
        self._asked = Budgeted(model, run, prices, settings.budget, expected_out)

    @property
    def failure(self) -> Stop | None:
        return self._asked.failure

    async def find(self, sheet: Sheet, replicate: int) -> Request:
        prompt = self._prompts.of(sheet)
        return await self._found(sheet, replicate, prompt, prompt.messages)

    async def _found(
        self, sheet: Sheet, replicate: int, prompt: Prompt, messages: Messages
    ) -> Request:
        identity = prompt.identity(self.model.identity())
        key = cache.reply_key(identity, messages, prompt.schema, replicate)
        reply = None
        if not self._fresh:
            reply = await self._scribe.read(cache.cached, self._scribe.stored, key)
            if reply is None and not self.ask:
                reply = await self._scribe.read(cache.last, self._scribe.stored, key)
        return Request(sheet, replicate, prompt, key, reply)

    async def answer(self, request: Request) -> tuple[str, Outcome] | None:
        sheet, prompt, key = request.sheet, request.prompt, request.key
        reply = await self._reply(request, prompt.messages)
        if reply is None:
            return None
        parsed = None if reply.error else await self._parsed(request, reply)
        if parsed is not None and parsed.status in AGAIN:
            again = question_again(prompt.messages, reply.text, parsed)
            follow_up = await self._found(sheet, request.replicate, prompt, again)
            second = await self._reply(follow_up, again)
            if second is not None and not second.error:
                better = await self._parsed(follow_up, second)
                cost = total(reply.cost, second.cost)
                retries = reply.retries + second.retries + 1
                if better.ok or (better.usable and not parsed.usable) or not parsed.answers:
                    key, parsed, reply = follow_up.key, better, second
                reply = replace(reply, retries=retries, cost=cost)
        return cache.key_of(key, reply), outcome_of(request, parsed, reply)

    async def _reply(self, request: Request, messages: Messages) -> Reply | None:
        """What was found, else what the model replies; None once the run has stopped."""
        if request.reply is not None or not self.ask:
            return request.reply
        prompt, asked = request.prompt, self.model.identity()
        reply = await self._asked.ask(messages, prompt.schema, request.replicate)
        if reply is not None:
            store = self._scribe.stored
            before = await self._scribe.read(cache.last, store, request.key)
            reply = cache.after(before, reply)
            record = cache.record_of(request.key, reply, prompt=prompt.hash, asked=asked)
            await self._scribe.write(record)
        return reply

    async def _parsed(self, request: Request, reply: Reply) -> Parsed:
        """What a reply says: read off the loop, and once for each version of the parser."""
        prompt, sheet = request.prompt, request.sheet
        key = cache.parse_key(request.key, reply, sheet, prompt.reader)
        if request.reply is not None:
            known = await self._scribe.read(cache.parsed_before, self._scribe.stored, key)
            if known is not None:
                return known
        parsed = await self._scribe.read(prompt.read, reply, sheet)
        if self.ask and type(parsed) is Parsed:  # written questions are more than answers
            self._scribe.note(cache.parse_record(key, parsed))
        return parsed

    async def close(self) -> None:
        await self.model.close()


def outcome_of(request: Request, parsed: Parsed | None, reply: Reply) -> Outcome:
    sheet = request.sheet
    asked = tuple(question.id for question in sheet.questions)
    return Outcome(sheet.ref, asked, request.replicate, request.prompt, reply, parsed)


class Runner:
    """One run of one answerer. The store is used from threads of the scribe's."""

    def __init__(
        self,
        stored: Round,
        answerer: Answerer,
        scribe: Scribe,
        result: JudgeRun,
        settings: Settings,
        *,
        saves: bool = True,
    ):
        self.stored, self.result, self.settings = stored, result, settings
        self.answerer, self.scribe = answerer, scribe
        self.standing: cache.Standing = {}
        self._known: dict[int, dict[tuple[str, int, str], Any]] = {}
        self._saves = saves

    async def run(self) -> JudgeRun:
        """Raises Stop, after what was under way is stored, where going on is pointless."""
        progress = Progress(self.result, self.settings.progress)
        try:
            rater = self.result.rater
            self.standing = await self.scribe.read(cache.current_answers, self.stored, rater)
            for jobs in self.waves():
                self.result.total += len(jobs)
                progress.more(len(jobs))
                await self._all(jobs, progress)
                if self.result.stopped:
                    break
        finally:
            progress.close()
            await self.answerer.close()
            self.scribe.close()
        if self.answerer.failure is not None:
            raise self.answerer.failure
        return self.result

    def waves(self) -> Iterator[list[Job]]:
        """The sheets that can be asked, those of a wave once the one before it is stored."""
        for wave in waves(self.stored.protocol):
            yield [
                (sheet, replicate)
                for replicate in range(1, self.settings.replicates + 1)
                for group in wave
                for sheet in sheets(
                    self.stored,
                    group,
                    self._known.setdefault(replicate, {}),
                    self.settings.items,
                )
            ]

    async def _all(self, jobs: Sequence[Job], progress: Progress) -> None:
        """Workers ask; what is in the store already is looked up ahead of them."""
        many = min(self.answerer.concurrency, len(jobs))
        ready: asyncio.Queue[Request | None] = asyncio.Queue(2 * many + 1)

        async def look_up() -> None:
            for sheet, replicate in jobs:
                request = await self.answerer.find(sheet, replicate)
                if replicate == 1 and await self.stands(request):
                    self.result.total -= 1
                    progress.more(-1)
                else:
                    await ready.put(request)
            for _ in range(many):
                await ready.put(None)

        async def work() -> None:
            while (request := await ready.get()) is not None:
                if self.result.stopped or self.scribe.failure is not None:
                    return
                found = self.unasked(request) or await self.answerer.answer(request)
                if found is not None:
                    key, outcome = found
                    await self.save(request.sheet, outcome, key)
                    self.result.outcomes.append(outcome)
                    progress.step()

        scout = asyncio.create_task(look_up())
        workers = [asyncio.create_task(work()) for _ in range(many)]
        try:
            await until_done(workers, scout)
        finally:
            await self.scribe.finish()

    async def stands(self, request: Request) -> bool:
        """Whether `raterbook questions` had this sheet's answers of the same model already."""
        if request.reply is not None or self.settings.fresh:
            return False
        sheet = request.sheet
        given = cache.standing_on(sheet, self.standing)
        if not given or await self.scribe.read(cache.last, self.stored, request.key) is not None:
            return False  # nothing stands, or it was asked here before and failed
        self._known[1] |= {(sheet.ref, *cell): value for cell, value in given.items()}
        return True

    async def save(self, sheet: Sheet, outcome: Outcome, key: str) -> None:
        """Hands in the answers; they follow from the reply, which is on the disk already."""
        parsed, replicate = outcome.parsed, outcome.replicate
        if parsed is None:
            return
        events = cache.events_of(sheet, parsed, key, replicate, self.standing)
        self.result.answers += cache.answered(events)
        if parsed.usable:
            for (part, question), given in parsed.answers.items():
                self._known[replicate][sheet.ref, part, question] = given.value
        if self._saves:
            self.scribe.hand_in(events)

    def unasked(self, request: Request) -> tuple[str, Outcome] | None:
        """What is not there answers nothing, and nobody is asked; None where there is a text."""
        sheet = request.sheet
        closed = [question for question in sheet.questions if is_closed(question)]
        texts = [text for text in sheet.fields.values() if text.strip()]
        only_answers = bool(closed) and all(question.type == "answer" for question in closed)
        if request.reply is not None or texts or not sheet.fields or not only_answers:
            return None
        answers = {
            (part, question.id): ParsedAnswer(UNANSWERABLE)
            for question in closed
            for part in sheet.numbers(question)
        }
        parsed = Parsed("ok", answers, problems=("the text is empty",))
        return request.key, outcome_of(request, parsed, Reply())


# Several tasks of one run: waited for together, and ended together.


Worker = asyncio.Task[None]


async def until_done(workers: Sequence[Worker], *helpers: Worker) -> None:
    """Until every worker is done, or one of all has failed, which is raised; then all are ended."""
    waiting = {*workers, *helpers}
    try:
        while any(worker in waiting for worker in workers):
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
    finally:
        await _cancelled({*workers, *helpers})


async def _cancelled(tasks: set[Worker]) -> None:
    """Until all have ended; a library may swallow the first cancellation."""
    while tasks:
        for task in tasks:
            task.cancel()
        done, tasks = await asyncio.wait(tasks, timeout=0.5)
        await asyncio.gather(*done, return_exceptions=True)  # their failures are known by now


# Asking once more: the model's own reply, what was wrong with it, and the same form again.


SHOWN = 8  # problems named; one is usually enough to see what went wrong
KEPT = 4_000  # characters of the reply that are sent back


def question_again(messages: Messages, reply: str, parsed: Parsed) -> list[dict[str, str]]:
    """The conversation so far with the parser's complaint at its end."""
    problems = list(parsed.problems[:SHOWN])
    if len(parsed.problems) > SHOWN:
        problems.append(f"and {len(parsed.problems) - SHOWN} more")
    listed = "\n".join(f"- {problem}" for problem in problems)
    return [
        *messages,
        {"role": "assistant", "content": reply[:KEPT] or "(nothing)"},
        {
            "role": "user",
            "content": (
                f"That reply could not be used:\n{listed}\n\n"
                "Reply again, complete, with one JSON object in the format asked for and "
                "nothing else."
            ),
        },
    ]
