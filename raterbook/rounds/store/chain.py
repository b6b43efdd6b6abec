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
from typing import Any, NamedTuple

from sqlalchemy import Boolean, Connection, Float, Table, Text
from sqlalchemy.exc import DBAPIError

from raterbook.rounds.model import counted
from raterbook.rounds.store import schema

START = bytes(32)
MARK = 0  # the source of a mark: from here to its event, links were made of what was found
VALUES = 15  # the source of what a subject shows and hides, whole, each time it was written
REVISIONS = 2**20  # a link of values names the subject times this, and which writing it was
TOUCHED = "raterbook_touched"
MOST = 10_000  # links written at once


class Source(NamedTuple):
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
    1: Source(schema.question, "question", ("id",)),
    2: Source(schema.allowed, "option", ("id",)),
    3: Source(schema.round, "round", ("id",)),
    4: Source(schema.subject, "subject", ("id",)),
    5: Source(schema.part, "part", ("id",)),
    6: Source(schema.part_retired, "retired part", ("part_id",), rising=False),
    7: Source(schema.rater, "rater", ("id",)),
    8: Source(schema.erasure, "erasure", ("rater_id",), rising=False),
    9: Source(schema.round_rater, "part in a round", ("round_id", "rater_id"), rising=False),
    10: Source(schema.round_event, "round event", ("seq",)),
    11: Source(schema.plan_event, "assignment", ("seq",)),
    12: Source(schema.reply, "reply", ("seq",)),
    13: Source(schema.mark_event, "mark", ("seq",)),
    14: Source(schema.answer_event, "answer", ("seq",)),
}


class Head(NamedTuple):
    """The newest link: how many links there are, and its digits. It stands for all before it."""

    links: int
    digits: str

    def __str__(self) -> str:
        return f"{self.digits} ({counted(self.links, 'link')})"


# An event's text.


def _floats(table: Table) -> list[str]:
    return [column.name for column in table.c if isinstance(column.type, Float)]


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


def columns(source: Source) -> str:
    return ", ".join([_plain(source.table), *(f"t.{name}" for name in _floats(source.table))])


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


def _reach() -> str:
    """SQL: of each source how far its rows and its links reach, by number or by count."""
    parts = []
    for number, each in SOURCES.items():
        rows, links = (f"max({each.key})", "max(event)") if each.rising else ("count(*)",) * 2
        parts.append(f"coalesce((SELECT {rows} FROM {each.table.name} AS t), 0)")
        parts.append(f"coalesce((SELECT {links} FROM link WHERE source = {number}), 0)")
    return "SELECT " + ", ".join(parts)


def _unlinked(number: int) -> str:
    """SQL: which rows have no link yet, where the links reach to `:mark`."""
    each = SOURCES[number]
    of_link = f"SELECT 1 FROM link WHERE source = {number} AND event = {each.key}"
    new = f"{each.key} > :mark" if each.rising else f"NOT EXISTS ({of_link})"
    return f"FROM {each.table.name} AS t WHERE {new}"


_REACH = _reach()
_COUNT = {number: f"SELECT count(*) {_unlinked(number)}" for number in SOURCES}
_EVENTS = {
    number: f"SELECT {each.key} AS event, {columns(each)} {_unlinked(number)} ORDER BY event"
    for number, each in SOURCES.items()
}
_CHANGES = {  # of new subjects and parts, the subjects
    number: f"SELECT DISTINCT {which} {_unlinked(number)}"
    for number, which in {
        4: "t.id",
        5: "t.subject_id",
        6: "(SELECT subject_id FROM part WHERE part.id = t.part_id)",
    }.items()
}
_REVISION = (
    f"SELECT max(event) FROM link WHERE source = {VALUES} AND event BETWEEN :first AND :last"
)
_NEWEST = "SELECT n, CAST(hash AS BLOB) FROM link ORDER BY n DESC LIMIT 1"
_ADD = "INSERT INTO link (n, source, event, hash) VALUES (?, ?, ?, ?)"


def touch(connection: Connection, subject: int) -> None:
    """The values of a subject change in this transaction; of new ones and new parts it is seen."""
    connection.info.setdefault(TOUCHED, set()).add(subject)


def extend(connection: Connection, found: bool = False) -> None:
    """Link what has no link yet; as `found`, where it was not written in this transaction."""
    touched: set[int] = connection.info.pop(TOUCHED, set())
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
            driver.executemany(_ADD, rows)
            rows.clear()
    driver.executemany(_ADD, rows)


def _new(
    driver: Any, behind: Mapping[int, Mapping[str, int]], touched: set[int]
) -> Iterator[tuple[int, int, bytes]]:
    """Source, number and text of all that has no link yet."""
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


# The same on a server, where who adds an event cannot read those of others: triggers make the
# links, one event after the other, with the rights of who made the tables.


def server_links(place: str, lock: int) -> Iterator[str]:
    """PostgreSQL's functions and triggers for the tables in the schema `place`.

    `lock` is the advisory lock that every writer holds. While `raterbook.copied` is set by the
    owner, no links are made: a copy brings its own.
    """
    for number, each in SOURCES.items():
        name = f"{each.table.name}_link"
        key = each.key.replace("t.", "NEW.").replace(f" {PAIR} ", f" {PAIR}::bigint ")
        yield _function(f"{place}.{name}", place, lock, (f"{number}, {key}", _server_text(each)))
        yield (
            f"CREATE TRIGGER {name} AFTER INSERT ON {place}.{each.table.name} "
            f"FOR EACH ROW EXECUTE FUNCTION {place}.{name}()"
        )
    subject = "coalesce(NEW.subject_id, OLD.subject_id)"
    revision = (
        f"(SELECT coalesce(max(event) + 1, {subject} * {REVISIONS}) FROM link WHERE source = "
        f"{VALUES} AND event BETWEEN {subject} * {REVISIONS} AND ({subject} + 1) * {REVISIONS} - 1)"
    )
    lines = " UNION ALL ".join(_server_lines(table, subject) for table in VALUED)
    values = (
        f"'values;' || {subject} || ';' || coalesce((SELECT string_agg(line, '' ORDER BY "
        f"convert_to(line, 'UTF8')) FROM ({lines}) AS lines), '')"
    )
    once = (
        f"IF EXISTS (SELECT FROM link WHERE source = {VALUES} AND event / {REVISIONS} = {subject} "
        "AND xmin = pg_current_xact_id()::xid) THEN RETURN NULL; END IF;"
    )
    yield _function(f"{place}.values_link", place, lock, (f"{VALUES}, {revision}", values), once)
    for table in VALUED:  # at the end of the transaction, once for a subject
        yield (
            f"CREATE CONSTRAINT TRIGGER {table}_link AFTER INSERT OR UPDATE OR DELETE ON "
            f"{place}.{table} DEFERRABLE INITIALLY DEFERRED "
            f"FOR EACH ROW EXECUTE FUNCTION {place}.values_link()"
        )
    yield _function(f"{place}.workspace_link", place, lock, ("0, 0", _FIRST))
    yield (
        f"CREATE TRIGGER workspace_link AFTER INSERT ON {place}.workspace "
        f"FOR EACH ROW EXECUTE FUNCTION {place}.workspace_link()"
    )


VALUED = ("shown_value", "hidden_value")
_FIRST = (
    "'found;0;' || NEW.created_at || ';' || octet_length(NEW.secret) || ':' || NEW.secret || ';'"
)


def _function(name: str, place: str, lock: int, event: tuple[str, str], unless: str = "") -> str:
    """A trigger that adds the link of one event: its source and number, and its text."""
    return f"""CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = {place}, pg_temp AS $$
        DECLARE last bytea; place bigint;
        BEGIN
            IF current_setting('raterbook.copied', true) = 'yes' AND pg_has_role(session_user,
                (SELECT nspowner FROM pg_namespace WHERE nspname = '{place}'), 'MEMBER')
            THEN RETURN NULL; END IF;
            PERFORM pg_advisory_xact_lock({lock});
            {unless}
            SELECT n, hash INTO place, last FROM link ORDER BY n DESC LIMIT 1;
            INSERT INTO link (n, source, event, hash) SELECT coalesce(place, -1) + 1, {event[0]},
                sha256(coalesce(last, decode(repeat('00', 32), 'hex')) ||
                convert_to({event[1]}, 'UTF8'));
            RETURN NULL;
        END $$"""


def _server_text(source: Source) -> str:
    """PostgreSQL for the text of the new row."""
    plain, decimal = [f"'{source.table.name};'"], []
    for column in source.table.c:
        new = f"NEW.{column.name}"
        if isinstance(column.type, Text):
            plain.append(f"coalesce(octet_length({new}) || ':' || {new}, '-') || ';'")
        elif isinstance(column.type, Float):
            decimal.append(f"coalesce(encode(float8send({new} + 0.0), 'hex'), '-') || ';'")
        else:
            whole = f"{new}::int" if isinstance(column.type, Boolean) else new
            plain.append(f"coalesce({whole}::text, '-') || ';'")
    return " || ".join(plain + decimal)


def _server_lines(table: str, subject: str) -> str:
    sized = (f"octet_length({name}) || ':' || {name}" for name in ("name", "value"))
    text = " || ';' || ".join([f"'{table}'", "part", *sized])
    return f"SELECT {text} || ';' AS line FROM {table} WHERE subject_id = {subject}"
