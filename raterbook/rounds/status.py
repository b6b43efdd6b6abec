"""What is stored, by whom, what is missing, flagged and unfinished."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, func, select

from raterbook.protocols import Protocol
from raterbook.rounds import marks
from raterbook.rounds.completeness import Standing, by_models, standings
from raterbook.rounds.model import Rater, iso
from raterbook.rounds.raters import as_rater
from raterbook.rounds.snapshot import Snapshot, StoredQuestions
from raterbook.rounds.store import log, schema


def status(
    connection: Connection, seen: Snapshot, protocol: Protocol, questions: StoredQuestions
) -> dict[str, Any]:
    """As plain data, for the command line and for people who script."""
    events = schema.answer_event
    marked = marks.marks_of(connection, seen.round_id)
    count, last = connection.execute(
        select(func.count(), func.max(events.c.server_time)).where(
            events.c.round_id == seen.round_id
        )
    ).one()
    found, cases = standings(connection, seen, protocol, questions)
    imported = bool(log.entries(connection, seen.round_id, "import"))
    raters = [
        _of_rater(as_rater(row, seen.excluded.get(row.id)), row.id, standing, marked)
        for row, standing in zip(seen.raters.values(), found, strict=True)
    ]
    counting = [each for each in raters if each["excluded"] is None]
    planned = any(each["assigned"] for each in counting)
    of_cases = cases.missing if planned else 0
    unsplit = _without_parts(protocol, seen) if planned else 0
    asked_anybody = any(each["kind"] != "automatic" for each in counting)
    models = [each for each in found if each.kind == "model" and each.excluded is None]
    _, put, whole = by_models(models, len(seen.items))
    left = 0 if planned else put - whole
    missing = sum(each["missing"] for each in counting) + of_cases
    unfinished = sum(each["unfinished"] for each in counting)
    names = seen.names()
    flagged = [
        {"item": seen.subjects[subject].key, "rater": names[rater], "reason": mark.reason}
        for (rater, subject), mark in marked.items()
        if mark.flagged
    ]
    return {
        "round": seen.name,
        "protocol": protocol.name,
        "protocol_hash": seen.protocol_hash,
        "state": seen.state,
        "since": iso(seen.state_at),
        "bare": seen.bare,
        "per_item": seen.per_item,
        "imported": imported,
        "items": len(seen.items),
        "cases": len(seen.cases),
        "parts": sum(len(numbers) for numbers in seen.parts.values()),
        "raters": raters,
        "answers": sum(each["answers"] for each in raters),
        "events": count,
        "last_answer_at": iso(last),
        "missing": missing,
        "missing_of_cases": of_cases,
        "without_parts": unsplit,
        "unfinished": unfinished,
        "left_to_models": left,
        "flagged": flagged,
        "complete": asked_anybody
        and not (missing or unfinished or left or (unsplit and not seen.parts)),
    }


def crowd(found: Mapping[str, Any]) -> tuple[int, float] | None:
    """(people, people of an item on average) of a status, where a file brought many people with
    few items each and no plan says how many an item should have; then “missing” rests on nothing.
    """
    people = [each for each in found["raters"] if each["kind"] == "human" and not each["excluded"]]
    touched = sum(each["complete"] + each["begun"] for each in people)
    mean = touched / found["items"] if found["items"] else 0.0
    if not found["imported"] or found["per_item"] or len(people) < 3 or 2 * mean > len(people):
        return None
    return len(people), mean


def _without_parts(protocol: Protocol, seen: Snapshot) -> int:
    """Items or cases that have no piece, where the protocol asks about pieces."""
    if not any(q.per == "part" and q.required is not False for q in protocol.questions):
        return 0
    parts = protocol.parts
    subjects = seen.cases if parts is not None and parts.of == "case" else seen.items
    return sum(not seen.parts.get(each.id) for each in subjects.values())


def _of_rater(
    rater: Rater, number: int, standing: Standing, marked: dict[tuple[int, int], marks.Mark]
) -> dict[str, Any]:
    """One rater: items assigned, begun, complete and submitted; answers required and missing.

    Only people have a plan, so only they can lack something; models and labels that came with the
    items answer what they answer.
    """
    mine = [mark for (who, _), mark in marked.items() if who == number]
    assigned = standing.items if standing.planned else 0
    return {
        "rater": rater.name,
        "pseudonym": rater.pseudonym,
        "kind": rater.kind,
        "version": rater.version,
        "excluded": rater.excluded,
        "assigned": assigned,
        "complete": standing.complete,
        "begun": standing.begun,
        "submitted": sum(mark.submitted for mark in mine),
        "unfinished": max(0, assigned - standing.complete),
        "missing": standing.missing if standing.planned else 0,
        "answers": standing.answers,
        "flagged": sum(mark.flagged for mark in mine),
    }
