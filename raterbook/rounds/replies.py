"""What models replied: kept as it came, so that no reply is paid for twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, select

from raterbook.rounds import schema
from raterbook.rounds.times import iso

if TYPE_CHECKING:
    from raterbook.rounds.store import Store

_reply = schema.reply


@dataclass(frozen=True, slots=True)
class Reply:
    """The raw text, and whatever was known about it: model served, tokens, cost, status."""

    key: str
    text: str
    detail: dict[str, Any] = field(default_factory=dict)
    at: str | None = None


class Replies:
    """By key; a key can be put again, and the latest counts."""

    def __init__(self, store: Store):
        self._store = store

    def get(self, key: str) -> Reply | None:
        query = select(_reply).where(_reply.c.key == key).order_by(_reply.c.seq.desc()).limit(1)
        with self._store.read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        return Reply(row.key, row.text, json.loads(row.detail), iso(row.at))

    def put(self, key: str, text: str, **detail: Any) -> None:
        """On the disk when this returns."""
        self.put_all([(key, text, detail)])

    def put_all(self, replies: Iterable[tuple[str, str, Mapping[str, Any]]]) -> None:
        """Several in one transaction."""
        with self._store.write() as connection:
            for key, text, detail in replies:
                plain = json.dumps(detail, ensure_ascii=False, sort_keys=True)
                connection.execute(
                    insert(_reply).values(key=key, text=text, detail=plain, at=self._store.now())
                )

    def __contains__(self, key: str) -> bool:
        with self._store.read() as connection:
            query = select(_reply.c.seq).where(_reply.c.key == key).limit(1)
            return connection.scalar(query) is not None

    def __len__(self) -> int:
        with self._store.read() as connection:
            return connection.scalar(select(func.count(_reply.c.key.distinct()))) or 0
