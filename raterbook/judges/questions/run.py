"""One run: step after step, text by text, so that an interruption loses nothing stored."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from raterbook.judges import cache
from raterbook.judges.clients.model import storable
from raterbook.judges.outcome import Progress
from raterbook.judges.questions.asking import ASKED, Asker, Hand, Result, Stopped, Task, tasks
from raterbook.judges.questions.replies import Done, Draft, Outcome, Summary
from raterbook.judges.run import until_done
from raterbook.protocols import UNANSWERABLE, Question
from raterbook.rounds import Event, PartRow, RoundError

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
        self._keeper = Keeper(stored, summary.rater, version, at_once)
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
            keep_outcome, self.stored, self.summary.rater, task, outcome, result.key
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
                    normal(question, said)
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
        return Done(
            task.step, task.key, outcome.status, outcome.problem, count, prompt=result.prompt
        )
    return Done(
        task.step,
        task.key,
        outcome.status,
        outcome.problem,
        count,
        reply.text,
        result.prompt,
        reply.cached,
        reply.retries,
        reply.cost,
        reply.tokens_in,
        reply.tokens_out,
        reply.seconds,
        reply.served,
    )


# What is known of the questions beside the answers: who wrote them, and what came to nothing.


STEPS = ("write", "check", "reference", "generated")


def keep_outcome(
    stored: StoredRound, rater: str, task: Task, outcome: Outcome, key: str | None
) -> None:
    """What became of a text, beside the replies; a success is only noted after a failure."""
    where = _key(stored, rater, task.step, task.ref)
    known = stored.replies.get(where)
    if outcome.status == "ok" and known is None:
        return
    problems = [outcome.problem] if outcome.problem else []
    detail = {"status": outcome.status, "reply": key, "problems": problems}
    if known is None or known.detail != detail:
        stored.replies.put(where, "", **detail)


def failures(stored: StoredRound, rater: str) -> list[dict[str, str]]:
    """The texts that came to nothing: step, subject, status and problem, for reports."""
    subjects = [(case.ref, case.key) for case in stored.cases()]
    subjects += [(item.ref, item.key) for item in stored.items()]
    found = []
    for step in STEPS:
        for ref, key in subjects:
            reply = stored.replies.get(_key(stored, rater, step, ref))
            if reply is not None and reply.detail["status"] != "ok":
                problem = "; ".join(reply.detail["problems"])
                status = str(reply.detail["status"])
                found.append({"step": step, "subject": key, "status": status, "problem": problem})
    return found


def writers(stored: StoredRound) -> dict[tuple[str, int], str]:
    """Who wrote each generated question, by case and part; those of people and files are absent.

    For reports, which warn where one family of models both writes and answers.
    """
    with stored.store.read() as connection:
        hidden = stored.inside(connection).hidden
    found = {}
    for case in stored.cases():
        for part in case.parts:
            by = hidden.get((case.id, part.number), {}).get("written_by")
            if by:
                found[case.key, part.number] = by
    return found


def _key(stored: StoredRound, rater: str, step: str, ref: str) -> str:
    name = "\x1f".join((stored.name, rater, "questions", step, ref))
    return "outcome/" + hashlib.sha256(name.encode()).hexdigest()


# Questions and answers on their way into the round; said again, they change nothing.


_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Keeper:
    """Stores `at_once` texts in one transaction: one where each was paid for, many for rules.

    A model that was never reached leaves no rater, and its name can be used again.
    """

    def __init__(self, stored: StoredRound, rater: str, version: str, at_once: int = 1):
        self._stored, self._rater, self._version = stored, rater, version
        self._at_once, self._joined = at_once, False
        self._drafts: list[tuple[str, list[PartRow]]] = []
        self._events: list[Event] = []
        self._texts = 0
        self._standing: dict[tuple[str, int, str], Any] = {}

    def begin(self) -> None:
        """What this rater has answered so far."""
        self._standing = dict(cache.standing(self._stored, self._rater))

    def join(self) -> None:
        """The rater is one of the round from its first reply on."""
        if not self._joined:
            self._stored.add_rater(self._rater, kind="model", version=self._version)
            self._joined = True

    def questions(self, case: str, drafts: Iterable[Draft], prompt: str) -> int:
        """The drafts become parts of the case; how many they are."""
        rows = [
            PartRow(case, number, clean(draft.question), self._fields(draft, prompt))
            for number, draft in enumerate(drafts, start=1)
        ]
        self._drafts.append((case, rows))
        self._count()
        return len(rows)

    def answers(self, task: Task, outcome: Outcome) -> int:
        """The answers, or that there are none and why; how many answers are new."""
        question = self._stored.protocol.question(ASKED[task.step])
        fresh = [
            event
            for part in task.questions
            if self._is_new(event := event_of(task, question, part, outcome))
        ]
        self._events += fresh
        self._count()
        return sum(event.status == "answered" for event in fresh)

    def flush(self) -> None:
        """On the disk when this returns."""
        drafts, events = self._drafts, self._events
        self._drafts, self._events, self._texts = [], [], 0
        if drafts:
            self._add(drafts)
        cache.put(self._stored, self._rater, events)

    def _count(self) -> None:
        self._texts += 1
        if self._texts >= self._at_once:
            self.flush()

    def _is_new(self, event: Event) -> bool:
        where = (event.subject, event.part, event.question)
        before = self._standing.get(where)
        if before is not None:
            if (before.status, before.value, before.reason) == (
                event.status,
                event.value,
                event.reason,
            ):
                return False
            if before.status == "answered" and event.status != "answered":
                return False  # a failure takes nothing back
        self._standing[where] = event
        return True

    def _add(self, drafts: list[tuple[str, list[PartRow]]]) -> None:
        """Under numbers of their own, so that two runs at once cannot both write a case's."""
        try:
            self._stored.add_parts([row for _, rows in drafts for row in rows])
        except RoundError:
            taken = {case.key for case in self._stored.cases() if case.parts}
            rest = [row for case, rows in drafts if case not in taken for row in rows]
            # Numbers of retired questions are not used again.
            again = [PartRow(row.subject, None, row.text, row.fields) for row in rest]
            if again:
                self._stored.add_parts(again)

    def _fields(self, draft: Draft, prompt: str) -> dict[str, str]:
        fields = {"written_by": f"{self._rater} ({prompt})"}
        if draft.key_info.strip():
            fields["key_info"] = clean(draft.key_info)
        return fields


def event_of(task: Task, question: Question, part: int, outcome: Outcome) -> Event:
    """One answer as it is stored, or skipped with the status of the reply as its reason."""
    skipped = "" if outcome.ok and outcome.answers is not None else outcome.status
    said = (outcome.answers or {}).get(part, "")
    if not skipped and not said.strip():
        skipped = "blank"
    if skipped:
        return Event(None, task.ref, question.id, None, part, status="skipped", reason=skipped)
    return Event(None, task.ref, question.id, normal(question, said), part)


def normal(question: Question, said: str) -> str:
    """The answer as it is stored: as a judge's reply is read."""
    return str(question.check(" ".join(storable(said).split())))


def clean(text: str) -> str:
    """Without the characters that no file can hold."""
    return _UNSTORABLE.sub("", text)
