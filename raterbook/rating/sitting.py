"""One rater at one round: hands out items, takes answers and marks, knows how far the rater is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from raterbook.rating.sheet import item_page, scope
from raterbook.rounds import MARKS, Ack, Event, Mark, Round, RoundError
from raterbook.rounds.parts import Queued


class Sitting:
    """What the form asks and says, as plain JSON in and out."""

    def __init__(self, round: Round, rater: str):
        self.round, self.rater, self.protocol = round, rater, round.protocol
        self.turns: list[Queued] = []

    @property
    def named(self) -> tuple[str, str]:
        return (self.round.name, self.rater)

    def refresh(self) -> None:
        """The rater's items as they are now: some may have come since the form was opened."""
        self.turns = self.round.queued(self.rater)
        self.places = {turn.ref: place for place, turn in enumerate(self.turns)}
        self.subjects = {*self.places, *(turn.case for turn in self.turns)}
        self._read_marks()

    def _read_marks(self) -> None:
        self.marks = self.round.marks(self.rater)
        self.submitted = sum(
            mark.submitted for ref, mark in self.marks.items() if ref in self.places
        )

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
            return {"kind": "say", "text": f"{self.rater} has no items in {self.round.name}."}
        current = self.round.current(self.rater)
        place = self._place(asked, current)
        item = self.round.page(self.turns[place])
        marks = self.marks.get(item.ref, Mark())
        shown = marks.submitted and marks.revealed
        after = self.round.after(self.rater, item.ref) if shown else None
        place_now = {"position": place + 1, "total": len(self.turns), **self._counts()}
        shown_item = item_page(self.protocol, item, current, marks, after)
        count = self.round.counter(self.rater)
        return {"kind": "item", "item": shown_item, "place": place_now, "lamport": count}

    def _counts(self) -> dict[str, int]:
        flagged = sum(mark.flagged for ref, mark in self.marks.items() if ref in self.places)
        return {"submitted": self.submitted, "flagged": flagged}

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
        here = self.places.get(str(asked.get("ref")))
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
        reload = False
        for sent in events:
            event = understood(sent, self.subjects)
            if isinstance(event, Event):
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
                {"event_id": ack.event_id, "ok": ack.ok, "reason": ack.reason} for ack in acks
            ],
            "place": self._counts(),
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
            reason = f"it could not be stored ({type(problem).__name__}: {problem})"
            return [Ack(str(answers[0].event_id), False, None, reason)]

    def _mark(self, mark: SentMark) -> Ack:
        if mark.subject not in self.places:
            return Ack(mark.event_id, False, None, "it is about no item of this rater")
        ack = self.round.mark(
            self.rater,
            mark.subject,
            mark.kind,
            mark.event_id,
            reason=mark.reason,
            lamport=mark.lamport,
            client_time=mark.client_time,
        )
        self._read_marks()
        return ack

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


def understood(sent: Any, subjects: Collection[str]) -> Event | SentMark | Ack:
    """The event about one of these subjects; else a refusal, which the browser shows the rater."""
    if not isinstance(sent, Mapping) or not isinstance(sent.get("event_id"), str):
        return Ack("", False, None, "it has no id")
    event_id = sent["event_id"]
    problem = _problem(sent, subjects)
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


def _problem(sent: Mapping[str, Any], subjects: Collection[str]) -> str | None:
    subject = sent.get("subject")
    if not isinstance(subject, str) or subject not in subjects:
        return "it is about no item of this rater"
    for name in ("reason", "client_time"):
        if not isinstance(sent.get(name), str | None):
            return f"its {name} is no text"
    for name in ("part", "lamport"):
        if type(sent.get(name, 0)) is not int:
            return f"its {name} is no whole number"
    if "mark" in sent:
        return None if sent["mark"] in MARKS else f"there is no mark {sent['mark']!r}"
    if not isinstance(sent.get("question"), str) or not isinstance(sent.get("status", ""), str):
        return "it does not say which question it answers"
    if not isinstance(sent.get("value"), str | int | float | None):
        return f"{str(sent['value'])[:80]!r} is no value"
    if not isinstance(sent.get("seconds"), int | float | None):
        return "its time is no number of seconds"
    return None
