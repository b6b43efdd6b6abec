"""The log of a round: what was done to it, when and why. Its last word is the round's state."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select
from sqlalchemy.engine import Row

from raterbook.rounds.model import iso
from raterbook.rounds.store import schema

STATES = {"open": "open", "close": "closed", "reopen": "open"}


def add(
    connection: Connection,
    round_id: int,
    action: str,
    now: int,
    *,
    rater_id: int | None = None,
    reason: str | None = None,
    **detail: Any,
) -> None:
    connection.execute(
        insert(schema.round_event).values(
            round_id=round_id,
            action=action,
            rater_id=rater_id,
            reason=reason,
            at=now,
            detail=json.dumps(detail, ensure_ascii=False, sort_keys=True),
        )
    )


# Asked before every answer, so the statement is built once.
_LAST = select(func.max(schema.round_event.c.seq)).where(
    schema.round_event.c.round_id == bindparam("round_id")
)


def last(connection: Connection, round_id: int) -> int:
    """The number of the latest entry: as long as it stays, nothing about the round has changed."""
    return int(connection.scalar(_LAST, {"round_id": round_id}) or 0)


def newest(connection: Connection, round_id: int) -> tuple[int, ...]:
    """The numbers of the latest entry, answer and mark: as long as they stay, nothing came."""
    tables = (schema.round_event, schema.answer_event, schema.mark_event)
    return tuple(
        int(connection.scalar(select(func.max(t.c.seq)).where(t.c.round_id == round_id)) or 0)
        for t in tables
    )


def entries(connection: Connection, round_id: int, *actions: str) -> list[Row[Any]]:
    """In the order they were made; only these actions, if any are named."""
    query = select(schema.round_event).where(schema.round_event.c.round_id == round_id)
    if actions:
        query = query.where(schema.round_event.c.action.in_(actions))
    return list(connection.execute(query.order_by(schema.round_event.c.seq)))


def readable(
    connection: Connection, round_id: int, raters: Mapping[int, str]
) -> list[dict[str, Any]]:
    """Every entry with names in place of numbers."""
    found = []
    for entry in entries(connection, round_id):
        detail = json.loads(entry.detail)
        if entry.action == "items_file":
            detail = {"characters": len(detail["text"])}
        for name in ("giver", "taker"):
            if name in detail:
                detail[name] = raters.get(detail[name], "?")
        who = None if entry.rater_id is None else raters.get(entry.rater_id)
        found.append(
            {
                "at": iso(entry.at),
                "action": entry.action,
                "rater": who,
                "reason": entry.reason,
                **detail,
            }
        )
    return found
