"""Asking a model about a round, sheet by sheet, so that an interruption loses nothing stored."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from raterbook.judges import cache
from raterbook.judges.cache import Scribe
from raterbook.judges.clients.model import Messages, Model, Reply
from raterbook.judges.money import Budgeted, Prices, total
from raterbook.judges.outcome import JudgeRun, Outcome, Progress
from raterbook.judges.prompts import Prompt, Prompts
from raterbook.judges.replies.parsing import Parsed, parse
from raterbook.judges.sheets import Sheet, sheets, waves
from raterbook.protocols import Example

if TYPE_CHECKING:
    from raterbook.rounds import StoredRound


EXPECTED_OUT = 700  # tokens of a usual reply, for budgets and estimates
Job = tuple[Sheet, int]  # and its replicate
Found = tuple[str, Reply | None]  # the key of a request, and the reply
Ready = tuple[Sheet, int, Prompt, Found]


class Runner:
    """One run. The store is used from one thread of its own, the network from the event loop.

    With `ask` false nothing is asked and nothing written: stored replies are read again.
    """

    def __init__(
        self,
        stored: StoredRound,
        model: Model,
        rater: str,
        *,
        replicates: int = 1,
        items: Iterable[str] | None = None,
        examples: Sequence[Example] | None = None,
        budget: float | None = None,
        prices: Prices | None = None,
        fresh: bool = False,
        progress: bool | None = None,
        ask: bool = True,
        version: str | None = None,
    ):
        self.stored, self.model = stored, model
        self.result = JudgeRun(stored.name, rater)
        self._asked = Budgeted(model, self.result, prices or Prices(), budget, EXPECTED_OUT)
        self._replicates = range(1, replicates + 1)
        self._items = None if items is None else list(items)
        self._prompts = Prompts(examples, exact=bool(model.identity().get("constrained")))
        self._fresh, self._shown = fresh, progress
        self._known: dict[int, dict[tuple[str, int, str], Any]] = {}
        self._ask = ask
        self._standing: cache.Standing = {}
        self._scribe = Scribe(stored, rater, version)

    async def run(self) -> JudgeRun:
        """Raises Stop, after what was under way is stored, where going on is pointless."""
        progress = Progress(self.result, self._shown)
        try:
            rater = self.result.rater
            self._standing = await self._scribe.read(cache.standing, self.stored, rater)
            for wave in waves(self.stored.protocol):
                jobs = list(self._jobs(wave))
                self.result.total += len(jobs)
                progress.more(len(jobs))
                await self._all(jobs, progress)
                if self.result.stopped:
                    break
        finally:
            progress.close()
            await self.model.close()
            self._scribe.close()
        if self._asked.failure is not None:
            raise self._asked.failure
        return self.result

    def _jobs(self, wave: Sequence[Any]) -> Iterator[Job]:
        for replicate in self._replicates:
            known = self._known.setdefault(replicate, {})
            for group in wave:
                for sheet in sheets(self.stored, group, known, self._items):
                    yield sheet, replicate

    async def _all(self, jobs: Sequence[Job], progress: Progress) -> None:
        """Workers ask; what is in the store already is looked up ahead of them."""
        many = min(self.model.concurrency, len(jobs))
        ready: asyncio.Queue[Ready | None] = asyncio.Queue(2 * many + 1)

        async def look_up() -> None:
            for sheet, replicate in jobs:
                prompt = self._prompts.of(sheet)
                found = await self._find(prompt.messages, prompt, replicate)
                if replicate == 1 and await self._stands(sheet, found):
                    self.result.total -= 1
                    progress.more(-1)
                else:
                    await ready.put((sheet, replicate, prompt, found))
            for _ in range(many):
                await ready.put(None)

        async def work() -> None:
            while (job := await ready.get()) is not None:
                if self.result.stopped or self._scribe.failure is not None:
                    return
                outcome = await self._one(*job)
                if outcome is not None:
                    self.result.outcomes.append(outcome)
                    progress.step()

        scout = asyncio.create_task(look_up())
        workers = [asyncio.create_task(work()) for _ in range(many)]
        try:
            await until_done(workers, scout)
        finally:
            await self._scribe.finish()

    async def _one(
        self, sheet: Sheet, replicate: int, prompt: Prompt, found: Found
    ) -> Outcome | None:
        key, reply = await self._reply(prompt.messages, prompt, replicate, found)
        if reply is None:
            return None
        parsed = None if reply.error else self._parse(reply, sheet, prompt)
        if parsed is not None and parsed.status in ("parse_error", "partial"):
            again = question_again(prompt.messages, reply.text, parsed)
            found = await self._find(again, prompt, replicate)
            second_key, second = await self._reply(again, prompt, replicate, found)
            if second is not None and not second.error:
                better = self._parse(second, sheet, prompt)
                cost = total(reply.cost, second.cost)
                retries = reply.retries + second.retries + 1
                if better.ok or (better.usable and not parsed.usable) or not parsed.answers:
                    key, parsed, reply = second_key, better, second
                reply = replace(reply, retries=retries, cost=cost)
        asked = tuple(question.id for question in sheet.questions)
        outcome = Outcome(sheet.ref, asked, replicate, prompt, reply, parsed)
        self._save(sheet, outcome, key)
        return outcome

    def _parse(self, reply: Reply, sheet: Sheet, prompt: Prompt) -> Parsed:
        if reply.refusal or reply.finish == "content_filter":
            why = reply.refusal or "the server's content filter ended the reply"
            return Parsed("refused", problems=(why,))
        return parse(reply.text, sheet, cut=reply.cut, prompt=prompt.text)

    async def _find(self, messages: Messages, prompt: Prompt, replicate: int) -> Found:
        """The key of a request, and its reply where it is in the store."""
        key = cache.reply_key(self.model.identity(), messages, prompt.schema, replicate)
        if self._fresh:
            return key, None
        reply = await self._scribe.read(cache.cached, self.stored, key)
        if reply is None and not self._ask:
            reply = await self._scribe.read(cache.failure, self.stored, key)
        return key, reply

    async def _stands(self, sheet: Sheet, found: Found) -> bool:
        """Whether `raterbook questions` had this sheet's answers of the same model already."""
        key, reply = found
        if reply is not None or self._fresh:
            return False
        given = cache.standing_on(sheet, self._standing)
        if not given or await self._scribe.read(cache.failure, self.stored, key) is not None:
            return False  # nothing stands, or it was asked here before and failed
        self._known[1] |= {(sheet.ref, *cell): value for cell, value in given.items()}
        return True

    async def _reply(
        self, messages: Messages, prompt: Prompt, replicate: int, found: Found
    ) -> Found:
        """What was found, else what the model replies; None once the run has stopped."""
        key, reply = found
        if reply is not None or not self._ask:
            return found
        reply = await self._asked.ask(messages, prompt.schema, replicate)
        if reply is not None:
            asked = self.model.identity()
            await self._scribe.write(cache.record_of(key, reply, prompt=prompt.hash, asked=asked))
        return key, reply

    def _save(self, sheet: Sheet, outcome: Outcome, key: str) -> None:
        """Hands in the answers; they follow from the reply, which is on the disk already."""
        parsed, replicate = outcome.parsed, outcome.replicate
        if parsed is None:
            return
        events = cache.events_of(sheet, parsed, key, replicate, self._standing)
        self.result.answers += cache.answered(events)
        if parsed.usable:
            for (part, question), given in parsed.answers.items():
                self._known[replicate][sheet.ref, part, question] = given.value
        if self._ask:
            self._scribe.hand_in(events)


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
