"""The history as a chain: every event has a link, made of the link before it and its own text.

A link is SHA-256 of the 32 bytes of the link before (zeros for the first) and the event's text:
the table's name and its columns, whole numbers and texts first, numbers with decimals after them,
each with `;` behind it. A whole number is its digits, a text its bytes in UTF-8 behind their count
and `:`, a number with decimals the 16 hexadecimal digits of its IEEE form (no minus zero), and `-`
is what was not given. No database writes this in its own way, so the links stay where a history
moves. Names of raters are no part of it: a name can be erased, and every link stands.

Links are made at the end of each transaction, for what came in it. What lies there without a link
when the next transaction begins was put there by other means; it gets its links behind a mark that
says so. What was there before there were links stands behind such a mark too, the first.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain
from typing import Any, NamedTuple

from sqlalchemy import Boolean, Connection, Float, Table, Text, select
from sqlalchemy import text as sql
from sqlalchemy.exc import DBAPIError

from raterbook.rounds.model import counted
from raterbook.rounds.store import schema

START = bytes(32)
MARK = 0  # the source of a mark: from here to its event, links were made of what was found
VALUES = 15  # the source of what a subject shows and hides, whole, each time it was written
REVISIONS = 2**20  # a link of values names the subject times this, and which writing it was
TOUCHED = "raterbook_touched"
MOST = 10_000  # links written at once


class EventTable(NamedTuple):
    """A table of events: what one is called, and by which whole numbers a row is known."""

    table: Table
    word: str
    by: tuple[str, ...]
    rising: bool = True  # whether a later row has a higher number

    @property
    def key(self) -> str:
        """SQL: a row's number."""
        if len(self.by) == 1:
            return f"t.{self.by[0]}"
        return f"t.{self.by[0]} * {PAIR} + t.{self.by[1]}"

    @property
    def match(self) -> str:
        """SQL: the row is the one of the link."""
        if len(self.by) == 1:
            return f"t.{self.by[0]} = link.event"
        return f"t.{self.by[0]} = link.event / {PAIR} AND t.{self.by[1]} = link.event % {PAIR}"


PAIR = 2**32  # two numbers as one

# Numbers of sources are stored: one that is given stays. Written in this order.
SOURCES = {
    1: EventTable(schema.question, "question", ("id",)),
    2: EventTable(schema.allowed, "option", ("id",)),
    3: EventTable(schema.round, "round", ("id",)),
    4: EventTable(schema.subject, "subject", ("id",)),
    5: EventTable(schema.part, "part", ("id",)),
    6: EventTable(schema.part_retired, "retired part", ("part_id",), rising=False),
    7: EventTable(schema.rater, "rater", ("id",)),
    8: EventTable(schema.erasure, "erasure", ("rater_id",), rising=False),
    9: EventTable(schema.round_rater, "part in a round", ("round_id", "rater_id"), rising=False),
    10: EventTable(schema.round_event, "round event", ("seq",)),
    11: EventTable(schema.plan_event, "assignment", ("seq",)),
    12: EventTable(schema.reply, "reply", ("seq",)),
    13: EventTable(schema.mark_event, "mark", ("seq",)),
    14: EventTable(schema.answer_event, "answer", ("seq",)),
}


class Head(NamedTuple):
    """The newest link: how many links there are, and its digits. It stands for all before it."""

    links: int
    digits: str

    def __str__(self) -> str:
        return f"{self.digits} ({counted(self.links, 'link')})"


# An event's text.


def _plain(table: Table) -> str:
    """SQL for the first half of the text, whole numbers and texts, as bytes."""
    parts = [f"'{table.name};'"]
    for column in table.c:
        if isinstance(column.type, Text):
            size = f"length(CAST(t.{column.name} AS BLOB)) || ':' || t.{column.name}"
            parts.append(f"coalesce({size}, '-') || ';'")
        elif not isinstance(column.type, Float):
            parts.append(f"coalesce(t.{column.name}, '-') || ';'")
    return f"CAST({' || '.join(parts)} AS BLOB)"


def columns(source: EventTable) -> str:
    floats = [f"t.{each.name}" for each in source.table.c if isinstance(each.type, Float)]
    return ", ".join([_plain(source.table), *floats])


def text_of(row: Sequence[Any]) -> bytes:
    """The whole text of what `_columns` gives."""
    text: bytes = row[0]
    for number in row[1:]:
        text += b"-;" if number is None else _digits(number)
    return text


def _digits(number: Any) -> bytes:
    if isinstance(number, int | float):
        return struct.pack(">d", number + 0.0).hex().encode() + b";"
    return repr(number).encode() + b";"  # no number at all: nothing that we wrote


def mark_text(driver: Any, n: int, until: int) -> bytes:
    """The text of a mark; the first one is the workspace's own."""
    if n:
        return b"found;%d;" % until
    made, secret = driver.execute("SELECT created_at, secret FROM workspace").fetchone()
    return b"found;%d;%d;%d:%s;" % (until, made, len(secret.encode()), secret.encode())


def values_text(driver: Any, subject: int) -> bytes:
    """Every value of a subject and its parts, shown and hidden ones, in order of their bytes."""
    lines = driver.execute(_VALUES, {"subject": subject})
    return b"values;%d;" % subject + b"".join(line for (line,) in lines)


def _lines(table: str) -> str:
    sized = (f"length(CAST({name} AS BLOB)) || ':' || {name}" for name in ("name", "value"))
    text = " || ';' || ".join([f"'{table}'", "part", *sized])
    return f"SELECT CAST({text} || ';' AS BLOB) FROM {table} WHERE subject_id = :subject"


_VALUES = f"{_lines('shown_value')} UNION ALL {_lines('hidden_value')} ORDER BY 1"


def linked(before: bytes, text: bytes) -> bytes:
    return sha256(before + text).digest()


# Writing: at both ends of every transaction.


def _reaches() -> Iterator[tuple[str, str]]:
    """SQL: of each source how far its rows and its links reach, by number or by count."""
    for number, each in SOURCES.items():
        rows, links = (f"max({each.key})", "max(event)") if each.rising else ("count(*)",) * 2
        yield (
            f"coalesce((SELECT {rows} FROM {each.table.name} AS t), 0)",
            f"coalesce((SELECT {links} FROM link WHERE source = {number}), 0)",
        )


def _unlinked(number: int) -> str:
    """SQL: which rows have no link yet, where the links reach to `:mark`."""
    each = SOURCES[number]
    of_link = f"SELECT 1 FROM link WHERE source = {number} AND event = {each.key}"
    new = f"{each.key} > :mark" if each.rising else f"NOT EXISTS ({of_link})"
    return f"FROM {each.table.name} AS t WHERE {new}"


_REACH = "SELECT " + ", ".join(chain.from_iterable(_reaches()))
_COUNT = {number: f"SELECT count(*) {_unlinked(number)}" for number in SOURCES}
_EVENTS = {
    number: f"SELECT {each.key} AS event, {columns(each)} {_unlinked(number)} ORDER BY event"
    for number, each in SOURCES.items()
}
_CHANGED = {  # of new subjects and parts, the subjects
    4: "t.id",
    5: "t.subject_id",
    6: "(SELECT p.subject_id FROM part p WHERE p.id = t.part_id)",
}
_CHANGES = {
    number: f"SELECT DISTINCT {which} {_unlinked(number)}" for number, which in _CHANGED.items()
}
_REVISION = (
    f"SELECT max(event) FROM link WHERE source = {VALUES} AND event BETWEEN :first AND :last"
)
_NEWEST = "SELECT n, CAST(hash AS BLOB) FROM link ORDER BY n DESC LIMIT 1"


def touch(connection: Connection, subject: int) -> None:
    """The values of a subject change in this transaction; of new ones and new parts it is seen."""
    connection.info.setdefault(TOUCHED, set()).add(subject)


def extend(connection: Connection, found: bool = False) -> None:
    """Link what has no link yet; as `found`, where it was not written in this transaction."""
    touched: set[int] = connection.info.pop(TOUCHED, set())
    if connection.dialect.name != "sqlite":
        given = {"late": found, "touched": [] if found else sorted(touched)}
        connection.execute(_ON_SERVER, given)
        return
    driver: Any = connection.connection.driver_connection
    try:
        _extend(driver, found, set() if found else touched)
    except sqlite3.Error as error:
        raise DBAPIError("a link of the history", None, error) from error


def _extend(driver: Any, found: bool, touched: set[int]) -> None:
    reach = driver.execute(_REACH).fetchone()
    behind = {
        number: {"mark": reach[2 * place + 1]}
        for place, number in enumerate(SOURCES)
        if reach[2 * place] > reach[2 * place + 1]
    }
    newest = driver.execute(_NEWEST).fetchone()
    if not behind and not touched and newest is not None:
        return
    n, last = newest or (-1, START)
    for source in behind.keys() & _CHANGES.keys():
        touched |= {subject for (subject,) in driver.execute(_CHANGES[source], behind[source])}
    rows: list[tuple[int, int, int, bytes]] = []
    if found or newest is None:
        many = [driver.execute(_COUNT[source], behind[source]).fetchone()[0] for source in behind]
        n, until = n + 1, n + 1 + sum(many) + len(touched)
        last = linked(last, mark_text(driver, n, until))
        rows.append((n, MARK, until, last))
    for source, event, text in _new(driver, behind, touched):
        n, last = n + 1, linked(last, text)
        rows.append((n, source, event, last))
        if len(rows) >= MOST:
            _write(driver, rows)
            rows.clear()
    _write(driver, rows)


def _write(driver: Any, rows: list[tuple[int, int, int, bytes]]) -> None:
    for statement, values in schema.adding(schema.link, ("n", "source", "event", "hash"), rows):
        driver.executemany(statement, values)


def _new(
    driver: Any, behind: Mapping[int, Mapping[str, int]], touched: set[int]
) -> Iterator[tuple[int, int, bytes]]:
    """EventTable, number and text of all that has no link yet."""
    for subject in sorted(touched):
        of = {"first": subject * REVISIONS, "last": (subject + 1) * REVISIONS - 1}
        (known,) = driver.execute(_REVISION, of).fetchone()
        event = of["first"] if known is None else known + 1
        yield VALUES, event, values_text(driver, subject)
    for source, mark in behind.items():
        events = driver.execute(_EVENTS[source], mark)
        # What is looked up among the links is read before more are written.
        for event, *text in events if SOURCES[source].rising else events.fetchall():
            yield source, event, text_of(text)


def head(driver: Any) -> Head | None:
    """The newest link; None where a database of before has none yet."""
    there = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'link'"
    newest = driver.execute(_NEWEST).fetchone() if driver.execute(there).fetchone() else None
    return None if newest is None else Head(newest[0] + 1, newest[1].hex())


# On a server raters do not see each other's answers, so that the links are made there, by a
# function with its owner's rights: the same links of the same texts.


def head_on_server(connection: Connection) -> Head | None:
    newest = select(schema.link.c.n, schema.link.c.hash).order_by(schema.link.c.n.desc()).limit(1)
    row = connection.execute(newest).one_or_none()
    return None if row is None else Head(row.n + 1, bytes(row.hash).hex())


FUNCTION = "link_events"
GIVEN = "late boolean, touched bigint[]"
_ON_SERVER = sql(f"SELECT raterbook.{FUNCTION}(:late, CAST(:touched AS bigint[]))")


def _said(table: Table) -> str:
    """SQL for the text of an event, as a server writes it."""
    parts, floats = [f"'{table.name};'"], []
    for column in table.c:
        name = f"t.{column.name}"
        if isinstance(column.type, Float):
            digits = f"encode(float8send({name} + 0.0::float8), 'hex')"
            floats.append(f"coalesce({digits}, '-') || ';'")
        elif isinstance(column.type, Text):
            parts.append(f"coalesce({_sized(name)}, '-') || ';'")
        else:
            whole = f"{name}::int" if isinstance(column.type, Boolean) else name
            parts.append(f"coalesce({whole}::text, '-') || ';'")
    return " || ".join([*parts, *floats])


def _sized(name: str) -> str:
    return f"octet_length(convert_to({name}, 'UTF8')) || ':' || {name}"


def _server_values(table: str) -> str:
    words = " || ';' || ".join([f"'{table}'", "v.part", _sized("v.name"), _sized("v.value")])
    return (
        f"SELECT convert_to({words} || ';', 'UTF8') AS line FROM {table} v WHERE v.subject_id = s"
    )


_ADD = "last := sha256(last || {said}); n := n + 1; INSERT INTO link (n, source, event, hash)"


def _server_body() -> str:
    """What the function does: `_extend` and `_new` above, in the server's language.

    Most transactions write to one table or none, so that only what reaches further than its links
    is looked at; both ends of what is new are named, as a server takes an index for that.
    """
    counts, changes, events = [], [], []
    for place, (number, each) in enumerate(SOURCES.items(), 1):
        new = f"{each.key} > links[{place}] AND {each.key} <= there[{place}]"
        if not each.rising:
            new = (
                "NOT EXISTS"
                f" (SELECT FROM link l WHERE l.source = {number} AND l.event = {each.key})"
            )
        of, behind = f"FROM {each.table.name} t WHERE {new}", f"there[{place}] > links[{place}]"
        counts.append(f"CASE WHEN {behind} THEN (SELECT count(*) {of}) ELSE 0 END")
        if number in _CHANGED:
            changes.append(
                f"IF {behind} THEN touched := touched || ARRAY(SELECT {_CHANGED[number]} {of});"
                " END IF;"
            )
        said = f"convert_to({_said(each.table)}, 'UTF8')"
        events.append(
            f"IF {behind} THEN FOR one IN SELECT {each.key} AS event, {said} AS said {of}"
            f" ORDER BY 1 LOOP {_ADD.format(said='one.said')}"
            f" VALUES (n, {number}, one.event, last); END LOOP; END IF;"
        )
    there, links = (f"ARRAY[{', '.join(each)}]" for each in zip(*_reaches(), strict=True))
    values = " UNION ALL ".join(_server_values(name) for name in ("shown_value", "hidden_value"))
    found = (
        "convert_to('found;' || n + 1 + many || ';' || CASE WHEN fresh THEN"
        f" made || ';' || {_sized('own')} || ';' ELSE '' END, 'UTF8')"
    )
    return f"""
DECLARE
  n bigint; last bytea; many bigint; made bigint; own text; one record; s bigint; said bytea;
  fresh boolean; there bigint[]; links bigint[];
BEGIN
  PERFORM pg_advisory_xact_lock({schema.APPLICATION});
  IF cardinality(touched) > 0 AND NOT (leads() OR session_user =
      (SELECT tableowner FROM pg_tables WHERE schemaname = 'raterbook' AND tablename = 'link'))
  THEN touched := ARRAY[]::bigint[]; END IF;
  there := {there};
  links := {links};
  SELECT l.n, l.hash INTO n, last FROM link l ORDER BY l.n DESC LIMIT 1;
  fresh := n IS NULL;
  {" ".join(changes)}
  IF cardinality(touched) > 0 THEN
    touched := ARRAY(SELECT DISTINCT c FROM unnest(touched) c ORDER BY c);
  END IF;
  IF fresh THEN n := -1; last := decode(repeat('00', 32), 'hex'); END IF;
  IF late OR fresh THEN
    many := cardinality(touched) + {" + ".join(counts)};
    IF many > 0 OR fresh THEN
      SELECT w.created_at, w.secret INTO made, own FROM workspace w;
      {_ADD.format(said=found)} VALUES (n, {MARK}, n + many, last);
    END IF;
  END IF;
  FOREACH s IN ARRAY touched LOOP
    said := convert_to('values;' || s || ';', 'UTF8') || coalesce(
      (SELECT string_agg(line, ''::bytea ORDER BY line) FROM ({values}) lines), ''::bytea);
    {_ADD.format(said="said")} VALUES (n, {VALUES},
      coalesce((SELECT max(l.event) + 1 FROM link l WHERE l.source = {VALUES} AND l.event
        BETWEEN s * {REVISIONS} AND (s + 1) * {REVISIONS} - 1), s * {REVISIONS}), last);
  END LOOP;
  {" ".join(events)}
END"""


SERVER_BODY = _server_body()
