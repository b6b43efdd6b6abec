"""Asking a model about a round, sheet by sheet, so that an interruption loses nothing stored."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ratebook.judges import cache, saving
from ratebook.judges.outcome import JudgeRun, Outcome
from ratebook.judges.parsing import Parsed, parse
from ratebook.judges.prices import Budget, Prices, tokens_of
from ratebook.judges.progress import Progress
from ratebook.judges.prompts import Prompt, Prompts
from ratebook.judges.reask import question_again
from ratebook.judges.reply import Messages, Model, Reply, Stop
from ratebook.judges.scribe import Scribe
from ratebook.judges.sheets import Sheet, sheets, waves
from ratebook.protocols import Example

if TYPE_CHECKING:
    from ratebook.rounds import StoredRound

EXPECTED_OUT = 700  # tokens of a usual reply, for budgets and estimates
Job = tuple[Sheet, int]  # and its replicate


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
    ):
        self.stored, self.model = stored, model
        self.result = JudgeRun(stored.name, rater)
        self.prices = prices or Prices()
        self.budget = Budget(budget, self.prices.of(model.name), model.name, self.prices.source)
        self._replicates = range(1, replicates + 1)
        self._items = None if items is None else list(items)
        self._prompts, self._fresh, self._shown = Prompts(examples), fresh, progress
        self._known: dict[int, dict[tuple[str, int, str], Any]] = {}
        self._failure: Stop | None = None
        self._ask = ask
        self._standing: saving.Standing = {}
        self._scribe = Scribe(stored, rater)

    async def run(self) -> JudgeRun:
        """Raises Stop, after what was under way is stored, where going on is pointless."""
        progress = Progress(self.result, self._shown)
        try:
            self._standing = await self._scribe.read(self.stored.current, self.result.rater)
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
        if self._failure is not None:
            raise self._failure
        return self.result

    def _jobs(self, wave: Sequence[Any]) -> Iterator[Job]:
        for replicate in self._replicates:
            known = self._known.setdefault(replicate, {})
            for group in wave:
                for sheet in sheets(self.stored, group, known, self._items):
                    yield sheet, replicate

    async def _all(self, jobs: Sequence[Job], progress: Progress) -> None:
        waiting = iter(jobs)

        async def work() -> None:
            for job in waiting:
                if self.result.stopped or self._scribe.failed():
                    return
                outcome = await self._one(*job)
                if outcome is None:
                    continue
                self.result.outcomes.append(outcome)
                progress.step()

        many = min(self.model.concurrency, len(jobs))
        workers = [asyncio.create_task(work()) for _ in range(many)]
        try:
            await asyncio.gather(*workers)
        except BaseException:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            raise
        finally:
            await self._scribe.finish()

    async def _one(self, sheet: Sheet, replicate: int) -> Outcome | None:
        prompt = self._prompts.of(sheet)
        key, reply = await self._reply(prompt.messages, prompt, replicate)
        if reply is None:
            return None
        parsed = None if reply.error else self._parse(reply, sheet, prompt)
        if parsed is not None and parsed.status in ("parse_error", "partial"):
            again = question_again(prompt.messages, reply.text, parsed)
            second_key, second = await self._reply(again, prompt, replicate)
            if second is not None and not second.error:
                better = self._parse(second, sheet, prompt)
                if better.ok or not parsed.answers:
                    key, parsed = second_key, better
                    reply = replace(second, retries=reply.retries + second.retries + 1)
        outcome = Outcome(
            sheet.ref, tuple(q.id for q in sheet.questions), replicate, prompt, reply, parsed
        )
        self._save(sheet, outcome, key)
        return outcome

    def _parse(self, reply: Reply, sheet: Sheet, prompt: Prompt) -> Parsed:
        if reply.refusal or reply.finish == "content_filter":
            why = reply.refusal or "the server's content filter ended the reply"
            return Parsed("refused", problems=(why,))
        return parse(reply.text, sheet, cut=reply.cut, prompt=prompt.text)

    async def _reply(
        self, messages: Messages, prompt: Prompt, replicate: int
    ) -> tuple[str, Reply | None]:
        """From the store where it is there, else from the model; None once the run has stopped."""
        identity = self.model.identity()
        key = cache.reply_key(identity, messages, prompt.schema, replicate)
        if not self._fresh:
            found = await self._scribe.read(cache.cached, self.stored, key)
            if found is not None:
                return key, found
        if not self._ask:
            return key, await self._scribe.read(cache.failure, self.stored, key)
        written = sum(tokens_of(message["content"]) for message in messages)
        estimate = self.budget.reserve(written, EXPECTED_OUT)
        if estimate is None:
            self.result.stopped = self.result.stopped or "the budget is used up"
            return key, None
        self.result.requests += 1
        reply: Reply | None = None
        try:
            reply = await self.model.ask(messages, prompt.schema, replicate)
        except Stop as stop:
            self._failure = self._failure or stop
            self.result.stopped = self.result.stopped or str(stop)
            return key, None
        finally:
            cost = None
            if reply is not None:
                priced = self.prices.cost(self.model.name, reply.tokens_in, reply.tokens_out)
                cost = reply.cost if reply.cost is not None else priced
                reply = replace(reply, cost=cost)
            self._account(estimate, reply, cost)
        await self._scribe.write(cache.record_of(key, reply, prompt=prompt.hash, asked=identity))
        return key, reply

    def _account(self, estimate: float, reply: Reply | None, cost: float | None) -> None:
        sent_and_answered = reply is not None and not reply.error
        self.budget.settle(estimate, cost if sent_and_answered else 0.0)
        if sent_and_answered:
            self.result.spent += cost or 0.0
            self.result.unpriced += cost is None

    def _save(self, sheet: Sheet, outcome: Outcome, key: str) -> None:
        """Hands in the answers; they follow from the reply, which is on the disk already."""
        parsed, replicate = outcome.parsed, outcome.replicate
        if parsed is None:
            return
        events = saving.events_of(sheet, parsed, key, replicate, self._standing)
        self.result.answers += saving.answered(events)
        if parsed.ok:
            for (part, question), given in parsed.answers.items():
                self._known[replicate][sheet.ref, part, question] = given.value
        if self._ask:
            self._scribe.hand_in(events)
