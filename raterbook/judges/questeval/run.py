"""One run: step after step, text by text, so that an interruption loses nothing stored."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from raterbook.judges.progress import Progress
from raterbook.judges.questeval import record, storing
from raterbook.judges.questeval.asking import Asker, Stopped
from raterbook.judges.questeval.hands import Hand, Result
from raterbook.judges.questeval.replies import Outcome
from raterbook.judges.questeval.summary import Done, Summary
from raterbook.judges.questeval.tasks import Task, tasks
from raterbook.judges.workers import until_done
from raterbook.protocols import UNANSWERABLE

if TYPE_CHECKING:
    from raterbook.rounds import StoredRound


class Run:
    """`asker` is None for rules, which need no cache and no budget."""

    def __init__(
        self,
        stored: StoredRound,
        hand: Hand,
        summary: Summary,
        *,
        version: str,
        asker: Asker | None = None,
        most: int = 12,
        items: Sequence[str] | None = None,
        fresh: bool = False,
        progress: bool | None = None,
    ):
        self.stored, self.hand, self.summary = stored, hand, summary
        self._asker, self._most = asker, most
        at_once = 1 if asker is not None else 500
        self._keeper = storing.Keeper(stored, summary.rater, version, at_once)
        self._items, self._fresh, self._shown = items, fresh, progress

    async def run(self, steps: Sequence[str]) -> Summary:
        progress = Progress(self.summary, self._shown)
        try:
            for step in steps:
                work = tasks(self.stored, step, self.summary.rater, self._items, self._fresh)
                self.summary.total += len(work)
                progress.more(len(work))
                self._keeper.begin()
                await self._all(work, progress)
                await self._in_store(self._keeper.flush)
                if self.summary.stopped:
                    break
        finally:
            progress.close()
            if self._asker is not None:
                await self._asker.close()
        return self.summary

    async def _all(self, work: Sequence[Task], progress: Progress) -> None:
        waiting = iter(work)

        async def hands_on() -> None:
            for task in waiting:
                if self.summary.stopped:
                    return
                try:
                    self.summary.done.append(await self._one(task))
                except Stopped:
                    return
                progress.step()

        count = min(self.hand.concurrency, len(work))
        await until_done([asyncio.create_task(hands_on()) for _ in range(count)])

    async def _one(self, task: Task) -> Done:
        result = await self._result(task)
        outcome, count = result.outcome, 0
        if outcome.status != "api_error":
            await self._in_store(self._keeper.join)
        if task.step == "write":
            if outcome.ok:
                count = await self._in_store(
                    self._keeper.questions, task.key, outcome.questions, result.prompt
                )
                self.summary.written += count
        else:
            outcome = self._readable(task, outcome)
            count = await self._in_store(self._keeper.answers, task, outcome)
            self.summary.answers += count
        await self._in_store(
            record.keep_outcome, self.stored, self.summary.rater, task, outcome, result.key
        )
        return _done(task, outcome, result, count)

    async def _result(self, task: Task) -> Result:
        if not task.text.strip():
            if task.step == "write":
                problem = "the reference is empty"
                return Result(Outcome("no_questions", problem=problem), "")
            if task.step != "check":  # what is not there answers nothing, and nobody is asked
                answers = dict.fromkeys(task.questions, UNANSWERABLE)
                return Result(Outcome("ok", answers=answers, problem="the text is empty"), "")
        if task.step == "write":
            return await self.hand.write(task.text, self._most)
        if task.step == "check":
            return await self.hand.check(task.text, task.questions)
        return await self.hand.answer(task.text, task.questions)

    def _readable(self, task: Task, outcome: Outcome) -> Outcome:
        """Decisions must be among the options; one that is not spoils the reply."""
        if task.step != "check" or not outcome.ok or outcome.answers is None:
            return outcome
        question = self.stored.protocol.question("keep")
        try:
            for said in outcome.answers.values():
                if said.strip():
                    storing.normal(question, said)
        except ValueError as error:
            return Outcome("parse_error", problem=str(error))
        return outcome

    async def _in_store(self, action: Any, *given: Any) -> Any:
        if self._asker is not None:
            return await self._asker.in_store(action, *given)
        return action(*given)


def _done(task: Task, outcome: Outcome, result: Result, count: int) -> Done:
    reply = result.reply
    if reply is None:
        return Done(task.step, task.key, outcome.status, outcome.problem, count,
                    prompt=result.prompt)
    return Done(
        task.step, task.key, outcome.status, outcome.problem, count, reply.text, result.prompt,
        reply.cached, reply.retries, reply.cost, reply.tokens_in, reply.tokens_out, reply.seconds,
        reply.served,
    )
