"""Replies kept in the workspace's database, so that none is paid for twice.

A reply's key names everything it depends on; retries, time-outs and concurrency are not in it.
Beside the replies stands how a rater's keys are made, so that every answer's reply can be found.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from raterbook.judges.reply import Messages, Reply
from raterbook.protocols import Example

if TYPE_CHECKING:
    from raterbook.rounds import StoredRound


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
    return Reply.stored(found.text, {**found.detail, "at": found.at})


def keep(stored: StoredRound, key: str, reply: Reply, **more: Any) -> None:
    stored.replies.put(key, reply.text, **reply.detail(), **more)


def record_of(key: str, reply: Reply, **more: Any) -> tuple[str, str, dict[str, Any]]:
    """A reply as the store keeps it."""
    return key, reply.text, {**reply.detail(), **more}


def failure(stored: StoredRound, key: str) -> Reply | None:
    """The last failure of a request that was never answered."""
    found = stored.replies.get(key)
    return None if found is None else Reply.stored(found.text, {**found.detail, "at": found.at})


def remember_run(
    stored: StoredRound, rater: str, identity: dict[str, Any],
    examples: Sequence[Example] | None, replicates: int,
) -> None:
    """What the keys of a rater's replies are made from, so that they can be found again."""
    shots = None if examples is None else [json.loads(one.model_dump_json()) for one in examples]
    known = run_of(stored, rater)
    most = max(replicates, known["replicates"] if known else 1)
    detail = {"identity": identity, "examples": shots, "replicates": most}
    if known != detail:
        stored.replies.put(_run_key(stored, rater), "", **detail)


def run_of(stored: StoredRound, rater: str) -> dict[str, Any] | None:
    found = stored.replies.get(_run_key(stored, rater))
    return None if found is None else found.detail


def _run_key(stored: StoredRound, rater: str) -> str:
    return "run/" + hashlib.sha256(f"{stored.name}\x1f{rater}".encode()).hexdigest()
