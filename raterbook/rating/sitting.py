"""One rater at one round: hands out items, takes answers and marks, knows how far the rater is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from raterbook.rating.sheet import early, free, item_page, scope
from raterbook.rounds import MARKS, Ack, Event, Mark, Round, RoundError
from raterbook.rounds.model import LARGEST, LONGEST_ID, shown
from raterbook.rounds.parts import Queued

AHEAD = 100 * 365 * 86_400_000  # ms: how far a browser's count may be before our clock
LONGEST_WORD = 600  # of a refusal, which may quote what was sent


class Sitting:
    """What the form asks and says, as plain JSON in and out."""

    def __init__(self, round: Round, rater: str):
        self.round, self.rater, self.protocol = round, rater, round.protocol
        self.turns: list[Queued] = []
        last = len(self.protocol.stages) - 1
        at_once = free(self.protocol, 0, last)
        later = {name for names in self.protocol.stages[at_once + 1 :] for name in names}
        self.resting = later | {one.id for one in self.protocol.questions if one.when}

    @property
    def named(self) -> tuple[str, str]:
        return (self.round.name, self.rater)

    def refresh(self) -> None:
        """The rater's items as they are now: some may have come since the form was opened."""
        self.turns = self.round.queued(self.rater)
        self.places = {turn.ref: place for place, turn in enumerate(self.turns)}
        self.of_case: dict[str, list[Queued]] = {}
        for turn in self.turns:
            self.of_case.setdefault(turn.case, []).append(turn)
        self.subjects = {*self.places, *(turn.case for turn in self.turns)}
        self._read_marks()

    def _read_marks(self) -> None:
        self.marks = self.round.marks(self.rater)
        mine = [mark for ref, mark in self.marks.items() if ref in self.places]
        self.counts = {
            "submitted": sum(mark.submitted for mark in mine),
            "flagged": sum(mark.flagged for mark in mine),
        }

    def open(self) -> dict[str, Any]:
        self.refresh()
        return {
            "kind": "round",
            "scope": scope(self.round.secret, self.rater),
            "about": {"round": self.round.name, "rater": self.rater},
            "protocol": self.protocol.for_form(),
        }

    # Items

    def item(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The item asked for: by place, by step from another, the next unfinished, or to resume."""
        if not self.turns:
            self.refresh()
        if not self.turns:
            said = f"{self.rater} has no items in {self.round.name}. Whoever leads the round gives "
            return {"kind": "say", "text": f"{said}some; then run this cell again."}
        current = self.round.current(self.rater)
        place = self._place(asked, current)
        item = self.round.page(self.turns[place])
        marks = self.marks.get(item.ref, Mark())
        shown = marks.submitted and marks.revealed
        after = self.round.after(self.rater, item.ref) if shown else None
        place_now = {"position": place + 1, "total": len(self.turns), **self.counts}
        shown_item = item_page(self.protocol, item, current, marks, after)
        count = self.round.counter(self.rater)
        return {"kind": "item", "item": shown_item, "place": place_now, "lamport": count}

    def items(self) -> dict[str, Any]:
        """How each item stands, in the rater's order: places alone, as their names say too much."""
        if not self.turns:
            self.refresh()
        begun: set[str] = set()
        later: set[str] = set()
        for (subject, _, _), answer in self.round.current(self.rater).items():
            begun.add(subject)
            if answer.status == "skipped":
                later.add(subject)

        def state(ref: str) -> str:
            if self._submitted(ref):
                return "submitted"
            return "later" if ref in later else "begun" if ref in begun else "todo"

        items = [[state(turn.ref), self.marks.get(turn.ref, Mark()).flagged] for turn in self.turns]
        return {"kind": "items", "items": items}

    def _place(self, asked: Mapping[str, Any], current: Mapping[Any, Any]) -> int:
        ref = asked.get("ref")
        here = self.places.get(ref) if isinstance(ref, str) else None
        last = len(self.turns) - 1
        if isinstance(asked.get("position"), int):
            return min(max(asked["position"] - 1, 0), last)
        if here is not None and isinstance(asked.get("step"), int):
            return min(max(here + asked["step"], 0), last)
        if here is not None and not asked.get("unfinished"):
            return here
        return self._unfinished(here, current)

    def _unfinished(self, here: int | None, current: Mapping[Any, Any]) -> int:
        """After `here` and around; to resume, the item answered last that is not submitted."""
        order = range(len(self.turns))
        if here is None:
            latest: dict[str, int] = {}
            for (subject, _, _), answer in current.items():
                if subject in self.places and not self._submitted(subject):
                    latest[subject] = max(latest.get(subject, 0), answer.lamport)
            if latest:
                return self.places[max(latest, key=lambda ref: latest[ref])]
        else:
            order = [*order[here + 1 :], *order[: here + 1]]  # type: ignore[assignment]
        for place in order:
            if not self._submitted(self.turns[place].ref):
                return place
        return len(self.turns) - 1 if here is None else here

    def _submitted(self, ref: str) -> bool:
        return ref in self.marks and self.marks[ref].submitted

    # Answers and marks

    def save(self, events: Iterable[Any]) -> dict[str, Any]:
        """Stores what came, in its order, and says of each event what became of it."""
        if not self.turns:
            self.refresh()
        acks: list[Ack] = []
        answers: list[Event] = []
        again: set[str] = set()
        reload = False
        latest = self.round.store.now() // 1000 + AHEAD
        for sent in events:
            event = understood(sent, self.subjects, latest)
            if isinstance(event, Event):
                if event.question in self.resting and event.status != "retracted":
                    acks += self._save(answers)
                    answers = []
                    if (why := self._early(event)) is not None:
                        acks.append(Ack(str(event.event_id), False, None, why[0]))
                        again |= {str(event.event_id)} if why[1] else set()
                        continue
                answers.append(event)
                continue
            acks += self._save(answers)
            answers = []
            if isinstance(event, Ack):
                acks.append(event)
            else:
                acks.append(self._mark(event))
                reload |= event.kind in ("reveal", "unsubmit") or self._overtaken(event)
        acks += self._save(answers)
        return {
            "kind": "acks",
            "acks": [
                {
                    "event_id": ack.event_id,
                    "ok": ack.ok,
                    "reason": ack.reason and shown(ack.reason, LONGEST_WORD),
                }
                | ({"again": True} if ack.event_id in again else {})
                for ack in acks
            ],
            "place": self.counts,
            "reload": reload,
        }

    def _save(self, answers: list[Event]) -> list[Ack]:
        if not answers:
            return []
        try:
            return self.round.save(self.rater, answers)
        except RoundError:
            raise  # the store cannot store now; all of it comes again
        except Exception as problem:
            # One event that nobody foresaw must not hold up all others for ever.
            if len(answers) > 1:
                return [ack for answer in answers for ack in self._save([answer])]
            return [_unforeseen(str(answers[0].event_id), problem)]

    def _early(self, event: Event) -> tuple[str, bool] | None:
        """Why the question is not asked yet about its item, or about no item of its case."""
        about = event.subject
        turns = [self.turns[self.places[about]]] if about in self.places else self.of_case[about]
        key = (about, event.part, event.question)
        why = None
        for turn in turns:
            answers = self.round.current(self.rater, turn.ref)
            why = early(self.protocol, self.round.page(turn), answers, key)
            if why is None:
                return None
        return why

    def _mark(self, mark: SentMark) -> Ack:
        if mark.subject not in self.places:
            return Ack(mark.event_id, False, None, "it is about no item of this rater")
        try:
            ack = self.round.mark(
                self.rater,
                mark.subject,
                mark.kind,
                mark.event_id,
                reason=mark.reason,
                lamport=mark.lamport,
                client_time=mark.client_time,
            )
        except RoundError:
            raise
        except Exception as problem:
            return _unforeseen(mark.event_id, problem)
        self._read_marks()
        if mark.kind == "submit" and not ack.ok and self._page(mark.subject)["withheld"]:
            # What is missing would tell how many parts there are to come.
            return Ack(mark.event_id, False, None, "not complete yet: its next step is to come")
        return ack

    def _page(self, ref: str) -> dict[str, Any]:
        item = self.round.page(self.turns[self.places[ref]])
        return item_page(self.protocol, item, self.round.current(self.rater, ref), Mark(), None)

    def _overtaken(self, mark: SentMark) -> bool:
        """Whether something else stands: a later mark was here before this one."""
        now = self.marks.get(mark.subject, Mark())
        return {
            "flag": not now.flagged,
            "unflag": now.flagged,
            "submit": not now.submitted,
            "unsubmit": now.submitted,
        }.get(mark.kind, False)


# What a browser sends, read with suspicion: an answer, a mark, or the reason why it is neither.


@dataclass(frozen=True)
class SentMark:
    event_id: str
    kind: str
    subject: str
    reason: str | None
    lamport: int | None
    client_time: str | None


def understood(sent: Any, subjects: Collection[str], latest: int) -> Event | SentMark | Ack:
    """The event about one of these subjects; else a refusal, which the browser shows the rater.

    A count above `latest` is refused: a browser counts on from what is stored, and must not come
    to where counting ends.
    """
    event_id = sent.get("event_id") if isinstance(sent, Mapping) else None
    if not isinstance(event_id, str) or not event_id:
        return Ack("", False, None, "it has no id")
    if len(event_id) > LONGEST_ID or not event_id.isprintable():
        plain = f"its id is no plain text of 1 to {LONGEST_ID} characters"
        return Ack(shown(event_id), False, None, plain)
    problem = _problem(sent, subjects, latest)
    if problem is not None:
        return Ack(event_id, False, None, problem)
    if "mark" in sent:
        return SentMark(
            event_id,
            sent["mark"],
            sent["subject"],
            sent.get("reason"),
            sent.get("lamport"),
            sent.get("client_time"),
        )
    return Event(
        event_id=event_id,
        subject=sent["subject"],
        question=sent["question"],
        value=sent.get("value"),
        part=sent.get("part", 0),
        status=sent.get("status", "answered"),
        reason=sent.get("reason"),
        lamport=sent.get("lamport"),
        client_time=sent.get("client_time"),
        seconds=sent.get("seconds"),
    )


def _unforeseen(event_id: str, problem: Exception) -> Ack:
    return Ack(event_id, False, None, f"it could not be stored ({type(problem).__name__})")


def _quoted(value: Any) -> str:
    return repr(shown(value)) if isinstance(value, str) else f"a {type(value).__name__}"


def _problem(sent: Mapping[str, Any], subjects: Collection[str], latest: int) -> str | None:
    subject = sent.get("subject")
    if not isinstance(subject, str) or subject not in subjects:
        return "it is about no item of this rater"
    for name in ("reason", "client_time"):
        if not isinstance(sent.get(name), str | None):
            return f"its {name} is no text"
    for name in ("part", "lamport"):
        if type(sent.get(name, 0)) is not int or not 0 <= sent.get(name, 0) <= LARGEST:
            return f"its {name} is no whole number from 0 to {LARGEST}"
    if sent.get("lamport", 0) > latest:
        return "its count is further ahead than any clock can be"
    if "mark" in sent:
        kind = sent["mark"]
        return None if kind in MARKS else f"there is no mark {_quoted(kind)}"
    if not isinstance(sent.get("question"), str) or not isinstance(sent.get("status", ""), str):
        return "it does not say which question it answers"
    if not isinstance(sent.get("value"), str | int | float | None):
        return f"{_quoted(sent['value'])} is no value"
    if not isinstance(sent.get("seconds"), int | float | None):
        return "its time is no number of seconds"
    return None
