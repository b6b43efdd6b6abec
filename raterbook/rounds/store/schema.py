"""Every table of a workspace's database.

Nothing that was said is ever changed: answers, marks, plans and the log are events, and what
holds now follows from them. Names of people stand in one table of their own, `identity`, the only
one whose rows may be removed; what raters must not know stands in `hidden_value`. An item's
values can be changed until somebody answers about it. `guards.py` makes the database refuse the
rest. Times are microseconds since 1970, UTC.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

VERSION = 2
APPLICATION = 0x52424B31  # "RBK1" in the file's header: what `file` and we know the database by

metadata = MetaData()
Serial = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by INTEGER only
Whole = Integer().with_variant(BigInteger, "postgresql")  # SQLite's INTEGER has eight bytes


def _table(
    name: str,
    *columns: Column[Any] | CheckConstraint | UniqueConstraint | Index | ForeignKeyConstraint,
) -> Table:
    return Table(name, metadata, *columns, sqlite_autoincrement=True)


def _id(name: str = "id") -> Column[Any]:
    # On PostgreSQL an identity: who may add a row needs no right to its sequence.
    return Column(name, Serial, Identity(), primary_key=True, autoincrement=True)


def _needs(name: str, target: str) -> Column[Any]:
    return Column(name, Serial, ForeignKey(target), nullable=False)


def _must(name: str, kind: Any) -> Column[Any]:
    return Column(name, kind, nullable=False)


workspace = Table(
    "workspace",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    _must("schema_version", Whole),
    _must("secret", Text),  # seeds the pseudonyms
    _must("created_at", BigInteger),
)

# What is asked. A protocol is kept as it was written; its hash is its name.
protocol = Table(
    "protocol",
    metadata,
    Column("hash", Text, primary_key=True),
    _must("name", Text),
    _must("text", Text),
    _must("added_at", BigInteger),
)
question = _table(
    "question",
    _id(),
    Column("protocol_hash", Text, ForeignKey("protocol.hash"), nullable=False),
    _must("name", Text),
    _must("type", Text),
    _must("position", Whole),
    UniqueConstraint("protocol_hash", "name"),
)
allowed = _table(  # the values of closed questions, so that no other can be stored
    "allowed",
    _id(),
    _needs("question_id", "question.id"),
    _must("position", Whole),
    _must("value", Text),
    Column("number", Float),
    UniqueConstraint("question_id", "id"),
    UniqueConstraint("question_id", "value"),
)

# Who was asked what. The state of a round is what its log says last.
round = _table(
    "round",
    _id(),
    Column("name", Text, nullable=False, unique=True),
    Column("protocol_hash", Text, ForeignKey("protocol.hash"), nullable=False),
    _must("seed", BigInteger),
    _must("secret", Text),  # opaque refs are made from it
    _must("bare", Boolean),
    Column("per_item", Whole),
    Column("cluster", Text),
    _must("options", Text),  # JSON: how items were sampled and mixed
    _must("created_at", BigInteger),
)
round_event = _table(
    "round_event",
    _id("seq"),
    _needs("round_id", "round.id"),
    _must("action", Text),
    Column("rater_id", Serial, ForeignKey("rater.id")),
    Column("reason", Text),
    _must("detail", Text),  # JSON
    _must("at", BigInteger),
    Index("round_event_round", "round_id", "seq"),
)
subject = _table(  # what answers are about: an item or a case
    "subject",
    _id(),
    _needs("round_id", "round.id"),
    Column("kind", Text, CheckConstraint("kind IN ('item', 'case')"), nullable=False),
    _must("key", Text),
    _must("ref", Text),
    Column("case_id", Serial, ForeignKey("subject.id")),
    _must("role", Text),
    _must("batch", Whole),  # items added later come in later batches
    Column("source_row", Whole),  # written no more
    Column("probability", Float),  # of being in the sample
    _must("added_at", BigInteger),
    UniqueConstraint("round_id", "kind", "key"),
    UniqueConstraint("round_id", "ref"),
    Index("subject_case", "case_id"),
)
part = _table(
    "part",
    _id(),
    _needs("subject_id", "subject.id"),
    _must("number", Whole),
    _must("position", Whole),
    _must("text", Text),
    _must("added_at", BigInteger),
    UniqueConstraint("subject_id", "number"),
    CheckConstraint("number > 0"),
)
part_retired = Table(  # its number is never used again
    "part_retired",
    metadata,
    Column("part_id", Serial, ForeignKey("part.id"), primary_key=True, autoincrement=False),
    Column("reason", Text),
    _must("at", BigInteger),
)


def _values(name: str) -> Table:
    return Table(
        name,
        metadata,
        Column("subject_id", Serial, ForeignKey("subject.id"), primary_key=True),
        Column("part", Whole, primary_key=True, autoincrement=False),  # 0: the subject itself
        Column("name", Text, primary_key=True),
        _must("value", Text),
        sqlite_with_rowid=False,
    )


shown_value = _values("shown_value")
hidden_value = _values("hidden_value")

# Who answers. A rater is a number and a pseudonym; the name can be erased.
rater = _table(
    "rater",
    _id(),
    _must("kind", Text),
    Column("version", Text),
    Column("pseudonym", Text, nullable=False, unique=True),
    _must("added_at", BigInteger),
)
identity = Table(
    "identity",
    metadata,
    Column("rater_id", Serial, ForeignKey("rater.id"), primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False, unique=True),
    Column("expertise", Text),  # written no more
)
erasure = Table(
    "erasure",
    metadata,
    Column("rater_id", Serial, ForeignKey("rater.id"), primary_key=True, autoincrement=False),
    Column("reason", Text),
    _must("at", BigInteger),
)
round_rater = Table(
    "round_rater",
    metadata,
    Column("round_id", Serial, ForeignKey("round.id"), primary_key=True, autoincrement=False),
    Column("rater_id", Serial, ForeignKey("rater.id"), primary_key=True, autoincrement=False),
    _must("added_at", BigInteger),
)
plan_event = _table(
    "plan_event",
    _id("seq"),
    _needs("round_id", "round.id"),
    _needs("rater_id", "rater.id"),
    _needs("subject_id", "subject.id"),
    Column("action", Text, CheckConstraint("action IN ('assign', 'withdraw')"), nullable=False),
    Column("position", Whole),
    Column("reason", Text),
    _must("at", BigInteger),
    Index("plan_event_round", "round_id", "rater_id"),
)

# What they answered. The current answer has the highest (lamport, seq); revisions are derived.
answer_event = _table(
    "answer_event",
    _id("seq"),
    _must("event_id", Text),
    _needs("round_id", "round.id"),
    _needs("rater_id", "rater.id"),
    _needs("subject_id", "subject.id"),
    _must("part", Whole),
    _needs("question_id", "question.id"),
    _must("replicate", Whole),
    _must("status", Text),
    Column("value_id", Serial),  # closed questions
    Column("number", Float),  # percentages and scales with decimals
    Column("text", Text),  # texts
    Column("reason", Text),
    Column("confidence", Float),
    Column("seconds", Float),
    Column("shown_as", Whole),  # written no more
    _must("lamport", BigInteger),
    Column("client_time", BigInteger),
    _must("server_time", BigInteger),
    UniqueConstraint("round_id", "rater_id", "event_id"),
    ForeignKeyConstraint(["question_id", "value_id"], ["allowed.question_id", "allowed.id"]),
    CheckConstraint("status IN ('answered', 'not_applicable', 'skipped', 'retracted')"),
    CheckConstraint(  # an answer has one value, everything else none
        "CASE WHEN value_id IS NULL THEN 0 ELSE 1 END + CASE WHEN number IS NULL THEN 0 ELSE 1 END"
        " + CASE WHEN text IS NULL THEN 0 ELSE 1 END"
        " = CASE WHEN status = 'answered' THEN 1 ELSE 0 END"
    ),
    CheckConstraint("part >= 0 AND replicate >= 1 AND lamport >= 0"),
    CheckConstraint("confidence BETWEEN 0 AND 100"),
    Index("answer_event_cell", "subject_id", "rater_id"),
)
mark_event = _table(
    "mark_event",
    _id("seq"),
    _must("event_id", Text),
    _needs("round_id", "round.id"),
    _needs("rater_id", "rater.id"),
    _needs("subject_id", "subject.id"),
    _must("kind", Text),
    Column("reason", Text),
    _must("lamport", BigInteger),
    Column("client_time", BigInteger),
    _must("server_time", BigInteger),
    UniqueConstraint("round_id", "rater_id", "event_id"),
)

# What models replied, as they replied; kept so that no reply is ever paid for twice.
reply = _table(
    "reply",
    _id("seq"),
    _must("key", Text),
    _must("text", Text),
    _must("detail", Text),  # JSON: model served, tokens, cost, times
    _must("at", BigInteger),
    Index("reply_key", "key"),
)

# The chain over all events, which tells whether one was changed: see `chain.py`.
link = Table(
    "link",
    metadata,
    Column("n", Serial, primary_key=True, autoincrement=False),  # from 0, without a gap
    _must("source", Integer),  # which table; 0 is a mark
    _must("event", BigInteger),  # which row of it
    _must("hash", LargeBinary),
    UniqueConstraint("source", "event"),
)

# For people who open the file with other tools.
CURRENT_ANSWER = """
CREATE VIEW current_answer AS
SELECT round.name AS round, subject.kind AS about, subject.key AS subject, e.part,
       COALESCE(identity.name, rater.pseudonym) AS rater, rater.kind AS rater_kind,
       question.name AS question, e.replicate,
       COALESCE(allowed.value, e.text, CASE
           WHEN e.number IS NULL THEN NULL
           WHEN e.number = CAST(e.number AS INTEGER) THEN CAST(CAST(e.number AS INTEGER) AS TEXT)
           ELSE rtrim(printf('%.15f', e.number), '0')
                || CASE WHEN question.type = 'percent' AND e.number BETWEEN 0 AND 1
                   THEN '%' ELSE '' END END) AS value,
       e.status, e.reason, e.confidence, e.seconds, e.revision, e.server_time
FROM (SELECT *,
             ROW_NUMBER() OVER (cell ORDER BY lamport DESC, seq DESC) AS age,
             COUNT(*) OVER cell AS revision
      FROM answer_event
      WINDOW cell AS (PARTITION BY rater_id, subject_id, part, question_id, replicate)) AS e
JOIN round ON round.id = e.round_id
JOIN subject ON subject.id = e.subject_id
JOIN rater ON rater.id = e.rater_id
LEFT JOIN identity ON identity.rater_id = e.rater_id
JOIN question ON question.id = e.question_id
LEFT JOIN allowed ON allowed.id = e.value_id
WHERE e.age = 1 AND e.status <> 'retracted'
"""


# What the database itself refuses, whoever asks: changing, removing or replacing what was said.


ERASABLE = ("identity",)
UNTIL_ANSWERED = ("shown_value", "hidden_value")
MIGRATED = ("workspace",)  # its schema version changes when the schema does


def sqlite_guards() -> Iterator[str]:
    """Triggers as SQL. REPLACE fires no delete trigger, so an insert over a row is refused too."""
    for table in metadata.sorted_tables:
        if table.name in UNTIL_ANSWERED:
            yield from _frozen_once_answered(table.name)
        elif table.name not in ERASABLE:
            yield from _append_only(table)
    yield from _parts_frozen_once_answered()


def _append_only(table: Table) -> Iterator[str]:
    refuse = f"SELECT RAISE(ABORT, '{table.name}: what is stored is never changed');"
    for event in ("UPDATE", "DELETE"):
        if event == "UPDATE" and table.name in MIGRATED:
            continue
        yield (
            f"CREATE TRIGGER {table.name}_no_{event.lower()} BEFORE {event} ON {table.name} "
            f"BEGIN {refuse} END"
        )
    same = " OR ".join(
        "(" + " AND ".join(f"{name} = NEW.{name}" for name in key) + ")" for key in _keys(table)
    )
    yield (
        f"CREATE TRIGGER {table.name}_no_replace BEFORE INSERT ON {table.name} "
        f"WHEN EXISTS (SELECT 1 FROM {table.name} WHERE {same}) BEGIN {refuse} END"
    )


def _keys(table: Table) -> list[list[str]]:
    unique = [
        [column.name for column in constraint.columns]
        for constraint in table.constraints
        if isinstance(constraint, UniqueConstraint)
    ]
    return sorted([[column.name for column in table.primary_key], *unique])


def _answered(subject: str) -> str:
    """About this subject, or about an item of this case; labels that came with it do not count."""
    by_somebody = (
        "SELECT 1 FROM answer_event JOIN rater ON rater.id = answer_event.rater_id "
        "AND rater.kind <> 'automatic'"
    )
    return (
        f"(EXISTS ({by_somebody} WHERE answer_event.subject_id = {subject}) OR EXISTS "
        f"({by_somebody} JOIN subject ON subject.id = answer_event.subject_id "
        f"WHERE subject.case_id = {subject}))"
    )


def _frozen_once_answered(table: str) -> Iterator[str]:
    refuse = f"SELECT RAISE(ABORT, '{table}: frozen since its first answer');"
    for event, row in (("UPDATE", "OLD"), ("DELETE", "OLD"), ("INSERT", "NEW")):
        yield (
            f"CREATE TRIGGER {table}_frozen_{event.lower()} BEFORE {event} ON {table} "
            f"WHEN {_answered(f'{row}.subject_id')} BEGIN {refuse} END"
        )


def _parts_frozen_once_answered() -> Iterator[str]:
    refuse = "SELECT RAISE(ABORT, 'parts are frozen since the first answer');"
    yield (
        "CREATE TRIGGER part_frozen BEFORE INSERT ON part "
        f"WHEN {_answered('NEW.subject_id')} BEGIN {refuse} END"
    )
    yield (
        "CREATE TRIGGER part_retired_frozen BEFORE INSERT ON part_retired WHEN "
        + _answered("(SELECT subject_id FROM part WHERE id = NEW.part_id)")
        + f" BEGIN {refuse} END"
    )


# Rows on their way in. SQLite looks after each statement (what it undoes, the table's last number)
# for as long as after a row, so that many rows are one statement there.


TOGETHER = 50


@cache
def _statements(table: str, columns: tuple[str, ...]) -> tuple[str, str]:
    """To add one row, and to add many."""
    into = f"INSERT INTO {table} ({', '.join(columns)}) VALUES "
    row = f"({', '.join('?' * len(columns))})"
    return into + row, into + ", ".join([row] * TOGETHER)


def adding(
    table: Table, columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    """The statements that add rows to a file in their order, each with what it is executed with."""
    one, many = _statements(table.name, columns)
    rest = len(rows) - len(rows) % TOGETHER
    if rest:
        starts = range(0, rest, TOGETHER)
        yield many, [tuple(chain.from_iterable(rows[at : at + TOGETHER])) for at in starts]
    if rest < len(rows):
        yield one, list(rows[rest:])


def write(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows of the same columns, all of them plain values: in a file nothing looks at each."""
    if not rows:
        return
    if connection.dialect.name != "sqlite":
        connection.execute(table.insert(), [*rows])
        return
    columns = tuple(rows[0])
    for statement, values in adding(table, columns, [*map(itemgetter(*columns), rows)]):
        connection.exec_driver_sql(statement, values)
