"""What is stored, by whom, what is missing, flagged and unfinished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, func, select

from ratebook.rounds import assigning, completeness, marks, schema
from ratebook.rounds.model import Rater
from ratebook.rounds.people import as_rater
from ratebook.rounds.snapshot import Snapshot
from ratebook.rounds.times import iso

if TYPE_CHECKING:
    from ratebook.rounds.stored import StoredRound


def status(stored: StoredRound) -> dict[str, Any]:
    """As plain data, for the command line and for people who script."""
    events = schema.answer_event
    with stored.store.read() as connection:
        seen = stored.look(connection)
        marked = marks.marks_of(connection, stored.id)
        count, last = connection.execute(
            select(func.count(), func.max(events.c.server_time))
            .where(events.c.round_id == stored.id)
        ).one()
        raters = [
            _of_rater(stored, connection, seen, as_rater(row, seen.excluded.get(row.id)), row.id,
                      marked)
            for row in seen.raters.values()
        ]
    counting = [each for each in raters if each["excluded"] is None]
    names = seen.names()
    flagged = [
        {"item": seen.subjects[subject].key, "rater": names[rater], "reason": mark.reason}
        for (rater, subject), mark in marked.items() if mark.flagged
    ]
    return {
        "round": stored.name,
        "protocol": stored.protocol.name,
        "protocol_hash": stored.protocol_hash,
        "state": seen.state,
        "since": iso(seen.state_at),
        "bare": stored.bare,
        "items": len(seen.items),
        "cases": len(seen.cases),
        "parts": sum(len(numbers) for numbers in seen.parts.values()),
        "raters": raters,
        "answers": sum(each["answers"] for each in raters),
        "events": count,
        "last_answer_at": iso(last),
        "missing": sum(each["missing"] for each in counting),
        "unfinished": sum(each["unfinished"] for each in counting),
        "flagged": flagged,
        "complete": not any(each["missing"] or each["unfinished"] for each in counting),
    }


def _of_rater(
    stored: StoredRound, connection: Connection, seen: Snapshot, rater: Rater, number: int,
    marked: dict[tuple[int, int], marks.Mark],
) -> dict[str, Any]:
    """One rater: items assigned, begun, complete and submitted; required answers missing.

    Only people have a plan, so only they can lack something; models and labels that came with the
    items answer what they answer.
    """
    said = completeness.said_by(connection, stored.asked(connection), stored.id, number)
    planned = rater.kind in assigning.PLANNED
    queue = assigning.queue(connection, seen, number, stored.seed) if planned else []
    missing, complete, begun = 0, 0, 0
    for item in queue or [s.id for s in seen.items.values() if s.id in said]:
        subject = seen.subjects[item]
        own = {**said.get(subject.case_id or 0, {}), **said.get(item, {})}
        parts = seen.parts.get(item) or seen.parts.get(subject.case_id or 0, set())
        lacking = len(completeness.missing(stored.protocol, parts, own))
        missing += lacking if planned else 0
        complete += not lacking
        begun += bool(said.get(item)) and bool(lacking)
    submitted = sum(
        mark.submitted for (who, _), mark in marked.items() if who == number
    )
    return {
        "rater": rater.name,
        "pseudonym": rater.pseudonym,
        "kind": rater.kind,
        "version": rater.version,
        "excluded": rater.excluded,
        "assigned": len(queue),
        "complete": complete,
        "begun": begun,
        "submitted": submitted,
        "unfinished": max(0, len(queue) - complete),
        "missing": missing,
        "answers": sum(len(answers) for answers in said.values()),
        "flagged": sum(mark.flagged for (who, _), mark in marked.items() if who == number),
    }
