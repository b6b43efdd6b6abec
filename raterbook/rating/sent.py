"""What a browser sends, read with suspicion: an answer, a mark, or the reason why it is neither."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from raterbook.rounds import Ack, Event

KINDS = ("flag", "unflag", "submit", "unsubmit", "reveal", "note")  # marks a rater can make


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
            event_id, sent["mark"], sent["subject"], sent.get("reason"), sent.get("lamport"),
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
        return None if sent["mark"] in KINDS else f"there is no mark {sent['mark']!r}"
    if not isinstance(sent.get("question"), str) or not isinstance(sent.get("status", ""), str):
        return "it does not say which question it answers"
    if not isinstance(sent.get("value"), str | int | float | None):
        return f"{str(sent['value'])[:80]!r} is no value"
    if not isinstance(sent.get("seconds"), int | float | None):
        return "its time is no number of seconds"
    return None
