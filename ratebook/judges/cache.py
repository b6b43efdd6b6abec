"""Replies kept in the workspace's database, so that none is paid for twice.

A reply's key names everything it depends on; retries, time-outs and concurrency are not in it.
Beside the replies stands what became of each sheet: status, problems, and the reply's key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ratebook.judges.reply import Messages, Reply
from ratebook.judges.sheets import Sheet

if TYPE_CHECKING:
    from ratebook.rounds import StoredRound


def reply_key(
    identity: dict[str, Any], messages: Messages, schema: dict[str, Any], replicate: int
) -> str:
    """sha256 of model, address, parameters, messages, schema and replicate."""
    content = [identity, list(messages), schema, replicate]
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def cached(stored: StoredRound, key: str) -> Reply | None:
    """The stored reply; a failed request counts as none."""
    found = stored.replies.get(key)
    if found is None or found.detail.get("error"):
        return None
    return Reply.stored(found.text, found.detail)


def keep(stored: StoredRound, key: str, reply: Reply, **more: Any) -> None:
    stored.replies.put(key, reply.text, **reply.detail(), **more)


def record_of(key: str, reply: Reply, **more: Any) -> tuple[str, str, dict[str, Any]]:
    """A reply as the store keeps it."""
    return key, reply.text, {**reply.detail(), **more}


def outcome_key(stored: StoredRound, rater: str, sheet: Sheet, replicate: int) -> str:
    asked = ",".join(question.id for question in sheet.questions)
    name = "\x1f".join((stored.name, rater, sheet.of, sheet.ref, asked, str(replicate)))
    return "outcome/" + hashlib.sha256(name.encode()).hexdigest()


def outcome_of(
    status: str, reply_key: str | None, problems: Sequence[str], missing: Sequence[str]
) -> dict[str, Any]:
    """What became of a sheet, as the store keeps it."""
    return {
        "status": status, "reply": reply_key,
        "problems": list(problems), "missing": list(missing),
    }


def is_known(stored: StoredRound, key: str, detail: dict[str, Any]) -> bool:
    found = stored.replies.get(key)
    return found is not None and found.detail == detail


def keep_outcome(
    stored: StoredRound, key: str, status: str, reply_key: str | None,
    problems: Sequence[str], missing: Sequence[str],
) -> None:
    """What became of a sheet; nothing is written where that is known already."""
    detail = outcome_of(status, reply_key, problems, missing)
    if not is_known(stored, key, detail):
        stored.replies.put(key, "", **detail)
