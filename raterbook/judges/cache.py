"""Replies kept in the workspace's database, so that none is paid for twice.

A reply's key names everything it depends on; retries, time-outs and concurrency are not in it.
Beside the replies stands how a rater's keys are made, so that every answer's reply can be found.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from raterbook.judges.clients.model import Messages, Reply
from raterbook.judges.replies import Parsed
from raterbook.judges.replies.values import ParsedAnswer
from raterbook.judges.sheets import Cell, Sheet, is_closed
from raterbook.protocols import Example, asked
from raterbook.rounds import Event, RoundError
from raterbook.rounds.snapshot import spelt

if TYPE_CHECKING:
    from raterbook.rounds import Round


Record = tuple[str, str, dict[str, Any]]  # key, text, detail


def reply_key(
    identity: dict[str, Any], messages: Messages, schema: dict[str, Any], replicate: int
) -> str:
    """sha256 of model, address, parameters, messages, schema and replicate."""
    content = [identity, list(messages), schema, replicate]
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def last(stored: Round, key: str) -> Reply | None:
    """What came of a request last: a reply, or why there was none."""
    found = stored.replies.get(key)
    return None if found is None else Reply.stored(found.text, {**found.detail, "at": found.at})


def cached(stored: Round, key: str) -> Reply | None:
    """The stored reply; a failed request counts as none."""
    reply = last(stored, key)
    return None if reply is None or reply.error else reply


def record_of(key: str, reply: Reply, **more: Any) -> Record:
    """A reply as the store keeps it."""
    return key, reply.text, {**reply.detail(), **more}


def after(before: Reply | None, reply: Reply) -> Reply:
    """A reply to what was asked before, which counts how often it was another.

    So an answer given once more, after another one, is not taken for a repeat of the first.
    """
    if before is None:
        return reply
    same = (before.text, before.error) == (reply.text, reply.error)
    return replace(reply, again=before.again if same else (before.again or 0) + 1)


def key_of(key: str, reply: Reply) -> str:
    """What the answers' ids are made of: the reply's key, and which of its replies this is."""
    return f"{key}\x1f{reply.again}" if reply.again else key


def remember_run(
    stored: Round,
    rater: str,
    identity: dict[str, Any],
    examples: Sequence[Example] | None,
    replicates: int,
) -> None:
    """What the keys of a rater's replies are made from, so that they can be found again."""
    shots = None if examples is None else [json.loads(one.model_dump_json()) for one in examples]
    known = run_of(stored, rater)
    most = max(replicates, known["replicates"] if known else 1)
    detail = {"identity": identity, "examples": shots, "replicates": most}
    if known != detail:
        stored.replies.put(_run_key(stored, rater), "", **detail)


def run_of(stored: Round, rater: str) -> dict[str, Any] | None:
    found = stored.replies.get(_run_key(stored, rater))
    return None if found is None else found.detail


def _run_key(stored: Round, rater: str) -> str:
    return "run/" + hashlib.sha256(f"{stored.name}\x1f{rater}".encode()).hexdigest()


# What the parser made of a stored reply, kept beside it: a run that goes on need not parse again.


def parse_key(key: str, reply: Reply, sheet: Sheet, reader: str) -> str:
    """Under what a reply's parse is kept: read by this parser, for this sheet."""
    known = sorted((part, name, str(value)) for (part, name), value in sheet.known.items())
    parts = [part.number for part in sheet.parts]
    said = [reader, key, reply.text, reply.finish, reply.refusal, parts, known]
    return "parse/" + hashlib.sha256(json.dumps(said).encode()).hexdigest()


def parse_record(key: str, parsed: Parsed) -> Record:
    """A parse as the store keeps it, among the replies and without a text."""
    return key, "", parsed.record()


def parsed_before(stored: Round, key: str) -> Parsed | None:
    found = stored.replies.get(key)
    return None if found is None else Parsed.of_record(found.detail)


# Parsed replies as events of the model's rater: each with an id that makes a repeat harmless.


Standing = Mapping[tuple[str, int, str], Any]  # subject, part, question → the current answer


def current_answers(stored: Round, rater: str) -> Standing:
    """The rater's current answers; none before it has joined the round."""
    joined = any(one.name == rater for one in stored.raters())
    return stored.current(rater) if joined else {}


def standing_on(sheet: Sheet, standing: Standing) -> dict[tuple[int, str], Any]:
    """The answers that stand on a sheet, by part and question; none where one is lacking."""
    found = {
        (part, question.id): answer.value
        for question in sheet.questions
        for part in sheet.numbers(question)
        if (answer := standing.get((sheet.ref, part, question.id))) is not None
        and answer.status == "answered"
    }
    whole = all(
        (part, question.id) in found
        for question in sheet.questions
        if is_closed(question)
        for part in sheet.numbers(question)
        if asked(question, sheet.answers_about(part, found))
    )
    return found if whole else {}


def put(stored: Round, rater: str, events: Sequence[Event]) -> None:
    """On the disk when this returns, all of them."""
    for ack in stored.save(rater, events) if events else ():
        if not ack.ok:
            raise RoundError(f"{stored.name}: an answer of {rater} was not stored: {ack.reason}")


def events_of(
    sheet: Sheet, parsed: Parsed, key: str, replicate: int, standing: Standing
) -> list[Event]:
    """The answers of a usable reply, else that there are none and why; the same ones every time.

    `standing` holds what the rater has answered: a failure later on takes nothing of it back.
    """
    events = list(_events(sheet, parsed, key, replicate))
    if parsed.ok or replicate != 1:
        return events
    return [
        event
        for event in events
        if getattr(standing.get((sheet.ref, event.part, event.question)), "status", "")
        != "answered"
    ]


def answered(events: Sequence[Event]) -> int:
    return sum(event.status == "answered" for event in events)


def _events(sheet: Sheet, parsed: Parsed, key: str, replicate: int) -> Iterator[Event]:
    if not parsed.usable:
        for question in sheet.questions:
            if is_closed(question):
                for part in sheet.numbers(question):
                    if asked(question, sheet.answers_about(part, {})):
                        skipped = ParsedAnswer(None, "skipped", parsed.status)
                        yield _event(sheet, key, replicate, (part, question.id), skipped)
        return
    for cell, given in parsed.answers.items():
        yield _event(sheet, key, replicate, cell, given)
    for cell in parsed.blank:
        yield _event(sheet, key, replicate, cell, ParsedAnswer(None, "skipped", "blank"))


def _event(sheet: Sheet, key: str, replicate: int, cell: Cell, given: ParsedAnswer) -> Event:
    (part, question), about = cell, sheet.ref
    value, status, reason = given.value, given.status, given.reason
    said = "\x1f".join(map(str, (key, about, part, question, replicate, value, status, reason)))
    name = hashlib.sha256(said.encode()).hexdigest()[:40]
    if value is not None:
        value = spelt(next(one for one in sheet.questions if one.id == question), value)
    return Event(name, about, question, value, part, replicate, status, reason)


# Writes of a run, several in one transaction: a commit waits for the disk.
#
# Replies come first, and what is handed in while a commit is under way goes into the next one
# together. A reply is on the disk before its worker goes on. Answers follow from stored replies, so
# nobody waits for them: they are written when no replies are coming in.


QUIET = 0.05  # seconds without a reply before answers are written
MOST = 600  # answers in one transaction


class Scribe:
    """For one event loop and one rater of one round, who joins it with the first answers.

    A model that was never reached leaves no rater, and its name can be used again.
    """

    def __init__(self, stored: Round, rater: str, version: str | None = None):
        self.stored, self._rater = stored, rater
        self._version: str | None = version
        self._joined = False
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="raterbook-judge-write")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="raterbook-judge-read")
        self._records: list[tuple[Record, asyncio.Future[None]]] = []
        self._events: list[Event] = []
        self._notes: list[Record] = []
        self._came = asyncio.Event()
        self._work: asyncio.Task[None] | None = None
        self._finishing = False
        self.failure: Exception | None = None

    async def read(self, action: Callable[..., Any], *given: Any) -> Any:
        """Something asked of the store, in a thread of its own."""
        loop = asyncio.get_running_loop()
        return await asyncio.shield(loop.run_in_executor(self._reader, lambda: action(*given)))

    async def write(self, record: Record) -> None:
        """On the disk when this returns."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._records.append((record, done))
        self._start()
        await asyncio.shield(done)

    def hand_in(self, events: Sequence[Event]) -> None:
        """On the disk when `finish` returns."""
        self._events.extend(events)
        if events:
            self._start()

    def note(self, record: Record) -> None:
        """Like answers: on the disk when `finish` returns, and nobody waits for it."""
        self._notes.append(record)
        self._start()

    async def finish(self) -> None:
        """Waits for everything handed in; raises what went wrong with any of it."""
        self._finishing = True
        self._came.set()
        if self._work is not None:
            await asyncio.shield(self._work)
        self._finishing = False
        if self.failure is not None:
            raise self.failure

    def close(self) -> None:
        self._writer.shutdown(wait=True)
        self._reader.shutdown(wait=True)

    def _start(self) -> None:
        self._came.set()
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._empty())

    async def _empty(self) -> None:
        while self._records or self._events or self._notes:
            if self._records:
                batch, self._records = self._records, []
                await self._commit([record for record, _ in batch], [done for _, done in batch])
            elif not await self._disturbed():
                events, self._events = self._events[:MOST], self._events[MOST:]
                notes, self._notes = self._notes, []
                try:
                    await self._in_thread(self._save, events, notes)
                except Exception as error:
                    self.failure = self.failure or error
                    self._events = []

    async def _disturbed(self) -> bool:
        """Whether a reply came in within a moment; at the end nobody waits for that."""
        if self._finishing:
            return False
        self._came.clear()
        before = len(self._records)
        try:
            async with asyncio.timeout(QUIET):
                await self._came.wait()
        except TimeoutError:
            return False
        return len(self._records) > before or (len(self._events) < MOST and not self._finishing)

    async def _commit(
        self, records: Sequence[Record], waiting: Sequence[asyncio.Future[None]]
    ) -> None:
        failure: Exception | None = None
        try:
            await self._in_thread(self.stored.replies.put_all, records)
        except Exception as error:
            failure = error
        for done in waiting:
            if done.done():
                continue
            if failure is None:
                done.set_result(None)
            else:
                done.set_exception(failure)

    async def _in_thread(self, action: Callable[..., Any], *given: Any) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.shield(loop.run_in_executor(self._writer, lambda: action(*given)))

    async def join(self) -> None:
        """The rater is one of the round from here on, with answers or without."""
        await self._in_thread(self._join)

    async def act(self, action: Callable[..., Any], *given: Any) -> None:
        """Something else written to the store; done when this returns."""
        await self._in_thread(action, *given)

    def _join(self) -> None:
        if not self._joined:
            self.stored.add_rater(self._rater, kind="model", version=self._version)
            self._joined = True

    def _save(self, events: Sequence[Event], notes: Sequence[Record]) -> None:
        if notes:
            self.stored.replies.put_all(notes)
        if events:
            self._join()
            put(self.stored, self._rater, events)
