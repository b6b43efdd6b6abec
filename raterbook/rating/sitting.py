"""One rater at one round: hands out items, takes answers and marks, knows how far the rater is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from raterbook.rating.pages import item_page, scope
from raterbook.rating.sent import SentMark, understood
from raterbook.rounds import Ack, Event, Mark, RoundError, StoredRound
from raterbook.rounds.turns import Turn, counter, page, turns


class Sitting:
    """What the form asks and says, as plain JSON in and out."""

    def __init__(self, round: StoredRound, rater: str):
        self.round, self.rater, self.protocol = round, rater, round.protocol
        self.turns: list[Turn] = []

    @property
    def named(self) -> tuple[str, str]:
        return (self.round.name, self.rater)

    def refresh(self) -> None:
        """The rater's items as they are now: some may have come since the form was opened."""
        self.turns = turns(self.round, self.rater)
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
        item = page(self.round, self.turns[place])
        marks = self.marks.get(item.ref, Mark())
        shown = marks.submitted and marks.revealed
        after = self.round.after(self.rater, item.ref) if shown else None
        place_now = {"position": place + 1, "total": len(self.turns), "submitted": self.submitted}
        shown_item = item_page(self.protocol, item, current, marks, after)
        count = counter(self.round, self.rater)
        return {"kind": "item", "item": shown_item, "place": place_now, "lamport": count}

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
            "place": {"submitted": self.submitted},
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
            self.rater, mark.subject, mark.kind, mark.event_id, reason=mark.reason,
            lamport=mark.lamport, client_time=mark.client_time,
        )
        self._read_marks()
        return ack

    def _overtaken(self, mark: SentMark) -> bool:
        """Whether something else stands: a later mark was here before this one."""
        now = self.marks.get(mark.subject, Mark())
        return {
            "flag": not now.flagged, "unflag": now.flagged,
            "submit": not now.submitted, "unsubmit": now.submitted,
        }.get(mark.kind, False)
