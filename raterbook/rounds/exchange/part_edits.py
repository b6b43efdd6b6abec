"""Editing parts in a file: out, changed there, and in again, until an item's first answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raterbook.rounds import log, splitting
from raterbook.rounds.exchange.content import put
from raterbook.rounds.exchange.outgoing import encoded
from raterbook.rounds.exchange.parts import read_parts
from raterbook.rounds.exchange.problems import FileError
from raterbook.rounds.exchange.subjects import Subjects
from raterbook.rounds.model import PartRow, RoundError

if TYPE_CHECKING:
    from raterbook.rounds.stored import StoredRound


@dataclass(frozen=True)
class Edited:
    """How many items or cases were split anew, and how many the file left as they were."""

    changed: int
    unchanged: int

    def __str__(self) -> str:
        return f"{self.changed:,} split anew, {self.unchanged:,} as before"


def export_parts(round: StoredRound, file: str | Path) -> int:
    """Write all parts as `item,part,text` and the protocol's part fields; how many there are."""
    spec = round.protocol.parts
    if spec is None:
        raise FileError(f"{round.protocol.name} asks about whole items; it has no parts.")
    with round.store.read() as connection:
        snapshot, inside = round.look(connection), round.inside(connection)
        rows = [
            [key, str(number), text,
             *(inside.of(each.id, number).get(name, "") for name in spec.fields)]
            for key, each in (snapshot.cases if spec.of == "case" else snapshot.items).items()
            for number, text in inside.parts.get(each.id, [])
        ]
    columns = ["item", "part", "text", *spec.fields]
    name = Path(file).name
    put(encoded(columns, rows, Path(file).suffix.lower(), name), file)
    return len(rows)


def import_parts(
    round: StoredRound, source: Any, why: str | None = None, encoding: str | None = None
) -> Edited:
    """Take in edited parts: each item the file names gets exactly the parts the file gives it.

    Whole or not at all. Items that say the same keep their parts and numbers; a new split gets
    numbers that were never used. Items with answers are frozen, and refused if they differ.
    """
    protocol = round.protocol
    with round.store.write() as connection:
        snapshot, inside = round.look(connection), round.inside(connection)
        if snapshot.state == "closed":
            raise RoundError(f"{round.closed_reason(snapshot)}.")
        pairs = [(key, snapshot.subjects[each.case_id or 0].key)
                 for key, each in snapshot.items.items()]
        rows = read_parts(source, protocol, Subjects(pairs), encoding)
        assert protocol.parts is not None
        subjects = snapshot.cases if protocol.parts.of == "case" else snapshot.items
        by_subject: dict[str, list[PartRow]] = {}
        for row in rows:
            by_subject.setdefault(row.subject, []).append(row)
        changed = 0
        for key, wanted in by_subject.items():
            wanted.sort(key=lambda row: row.number if row.number is not None else len(rows) + 1)
            number = subjects[key].id
            there = [(text, inside.of(number, part))
                     for part, text in inside.parts.get(number, [])]
            if there == _said(wanted):
                continue
            changed += 1
            splitting.replace_parts(
                connection, protocol, snapshot, key, wanted, round.store.now(), why
            )
        if changed:
            log.add(connection, round.id, "set_parts", round.store.now(), reason=why,
                    subjects=changed)
    return Edited(changed, len(by_subject) - changed)


def _said(rows: Sequence[PartRow]) -> list[tuple[str, dict[str, str]]]:
    return [(row.text, dict(row.fields)) for row in rows]
