"""One rater at one round: hands out items, takes answers and marks, knows how far the rater is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ratebook.rating.pages import item_page, scope
from ratebook.rounds import Ack, Event, Mark, StoredRound

_EVENT = ("event_id", "subject", "question", "value", "part", "status", "reason", "lamport",
          "client_time", "seconds")
_MARKS = ("flag", "unflag", "submit", "unsubmit", "reveal", "note")


class Sitting:
    """What the form asks and says, as plain JSON in and out."""

    def __init__(self, round: StoredRound, rater: str):
        self.round, self.rater, self.protocol = round, rater, round.protocol
        self.items: list[Item] | None = None

    def refresh(self) -> None:
        """The rater's items as they are now: some may have come since the form was opened."""
        self.items = self.round.queue(self.rater)
        self.places = {item.ref: place for place, item in enumerate(self.items)}
        cases = {case.key: case.ref for case in self.round.cases()}
        self.case_refs = {item.ref: cases[item.case] for item in self.items}
        self.subjects = {*self.places, *self.case_refs.values()}
        self.marks = self.round.marks(self.rater)

    def open(self) -> dict[str, Any]:
        self.refresh()
        current = self.round.current(self.rater)
        return {
            "kind": "round",
            "scope": scope(self.round.store.secret, self.round.name, self.rater),
            "protocol": self.protocol.for_form(),
            "lamport": max((answer.lamport for answer in current.values()), default=0),
        }

    # Items

    def item(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The item asked for: by place, by step from another, the next unfinished, or to resume."""
        if not self.items:
            return {"kind": "say", "text": f"{self.rater} has no items in {self.round.name}."}
        current = self.round.current(self.rater)
        place = self._place(asked, current)
        item = self.items[place]
        marks = self.marks.get(item.ref, Mark())
        shown = marks.submitted and marks.revealed
        after = self.round.after(self.rater, item.ref) if shown else None
        page = item_page(self.protocol, item, self.case_refs[item.ref], current, marks, after)
        place_now = {"position": place + 1, "total": len(self.items), "submitted": self.submitted()}
        return {"kind": "item", "item": page, "place": place_now}

    def submitted(self) -> int:
        return sum(self._submitted(item.ref) for item in self.items)

    def _place(self, asked: Mapping[str, Any], current: Mapping[Any, Any]) -> int:
        here = self.places.get(str(asked.get("ref")))
        last = len(self.items) - 1
        if isinstance(asked.get("position"), int):
            return min(max(asked["position"] - 1, 0), last)
        if here is not None and isinstance(asked.get("step"), int):
            return min(max(here + asked["step"], 0), last)
        if here is not None and not asked.get("unfinished"):
            return here
        return self._unfinished(here, current)

    def _unfinished(self, here: int | None, current: Mapping[Any, Any]) -> int:
        """After `here` and around; to resume, the item answered last that is not submitted."""
        order = range(len(self.items))
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
            if not self._submitted(self.items[place].ref):
                return place
        return len(self.items) - 1 if here is None else here

    def _submitted(self, ref: str) -> bool:
        return ref in self.marks and self.marks[ref].submitted

    # Answers and marks

    def save(self, events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        """Stores what came, in its order, and says of each event what became of it."""
        acks: list[Ack] = []
        answers: list[Event] = []
        reload = False
        for event in [*events, None]:
            if event is not None and not event.get("mark"):
                answer = self._event(event)
                (acks if isinstance(answer, Ack) else answers).append(answer)  # type: ignore[arg-type]
                continue
            if answers:
                acks += self.round.save(self.rater, answers)
                answers = []
            if event is not None:
                acks.append(self._mark(event))
                reload = reload or event["mark"] in ("reveal", "unsubmit")
        return {
            "kind": "acks",
            "acks": [
                {"event_id": ack.event_id, "ok": ack.ok, "reason": ack.reason} for ack in acks
            ],
            "place": {"submitted": self.submitted()},
            "reload": reload,
        }

    def _event(self, event: Mapping[str, Any]) -> Event | Ack:
        """What the browser sent, as far as it is an event about this rater's items."""
        fields = {name: event.get(name) for name in _EVENT}
        if not isinstance(fields["event_id"], str) or fields["subject"] not in self.subjects:
            return Ack(str(fields["event_id"]), False, None, "it is about no item of this rater")
        if not isinstance(fields["part"], int):
            fields["part"] = 0
        return Event(**fields)  # type: ignore[arg-type]

    def _mark(self, event: Mapping[str, Any]) -> Ack:
        event_id, kind, ref = str(event.get("event_id")), event["mark"], str(event.get("subject"))
        if kind not in _MARKS or ref not in self.places:
            return Ack(event_id, False, None, "it is about no item of this rater")
        ack = self.round.mark(
            self.rater, ref, kind, event_id, reason=event.get("reason"),
            client_time=event.get("client_time"),
        )
        self.marks = self.round.marks(self.rater)
        return ack
