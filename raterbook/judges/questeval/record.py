"""What is known of the questions beside the answers: who wrote them, and what came to nothing."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from raterbook.judges.questeval.replies import Outcome
from raterbook.judges.questeval.tasks import Task

if TYPE_CHECKING:
    from raterbook.rounds import StoredRound

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
