"""Opening a round: everything is checked and written in one transaction, or nothing is."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Insert, insert, select

from raterbook.protocols import Protocol, parse
from raterbook.rounds import answers, plan, snapshot
from raterbook.rounds import parts as splitting
from raterbook.rounds import raters as people
from raterbook.rounds.frame import COLUMNS
from raterbook.rounds.items import Place, add_items, group_columns
from raterbook.rounds.model import Event, ItemRow, ItemTable, PartRow, RoundError
from raterbook.rounds.plan import Mix, PlanError
from raterbook.rounds.snapshot import written
from raterbook.rounds.store import log, schema

if TYPE_CHECKING:
    from raterbook.rounds.round import StoredRound
    from raterbook.rounds.store.store import Store


LARGEST = 2**63 - 1  # the largest whole number the database holds


@dataclass(frozen=True)
class Opening:
    """A round as it is asked for."""

    name: str
    protocol: Protocol
    items: ItemTable
    raters: tuple[str, ...] = ()
    per_item: int | None = None
    seed: int = 0
    parts: tuple[PartRow, ...] | None = None
    bare: bool = False
    sample: int | None = None
    by: tuple[str, ...] = ()
    cluster: str | None = None
    mix: Mix | None = None


def open_round(store: Store, how: Opening) -> None:
    from raterbook.rounds import items as original
    from raterbook.rounds.raters import refuse_one_spelt_twice
    from raterbook.rounds.round import StoredRound

    _check(how)
    items, options = _sampled(how)
    with store.write() as connection:
        now = store.now()
        if connection.scalar(select(schema.round.c.id).where(schema.round.c.name == how.name)):
            raise RoundError(
                f"There is a round {how.name!r} in {store.path} already: choose another name."
            )
        store_protocol(connection, how.protocol, now)
        secret = secrets.token_bytes(16).hex()
        number = _new(
            connection,
            insert(schema.round).values(
                name=how.name,
                protocol_hash=how.protocol.hash,
                seed=how.seed,
                secret=secret,
                bare=how.bare,
                per_item=how.per_item,
                cluster=how.cluster or how.protocol.item.cluster,
                options=json.dumps(options, ensure_ascii=False),
                created_at=now,
            ),
        )
        place = Place(number, how.protocol, secret, how.bare, how.cluster, now)
        add_items(connection, place, items)
        refuse_one_spelt_twice(how.raters, [each.name for each in people.everybody(connection)])
        people.join(connection, number, how.raters, "human", now)
        log.add(connection, number, "open", now, items=len(items.rows), source=items.source)
        if not how.bare:
            original.keep(connection, number, items, now)
        seen = snapshot.take(connection, number)
        parts = how.parts
        if parts is None and not how.bare:
            parts = tuple(splitting.from_fields(how.protocol, items))
        splitting.add_parts(connection, how.protocol, seen, parts or (), now)
        plan.extend(connection, seen, how.seed, how.per_item, now, how.mix)
        row = connection.execute(select(schema.round).where(schema.round.c.id == number)).one()
        add_answers(StoredRound(store, row, how.protocol), connection, items)


def store_protocol(connection: Connection, protocol: Protocol, now: int) -> None:
    """The protocol's text, questions and allowed values; once, however many rounds use it."""
    table = schema.protocol
    if connection.scalar(select(table.c.hash).where(table.c.hash == protocol.hash)):
        return
    connection.execute(
        insert(table).values(
            hash=protocol.hash, name=protocol.name, text=protocol.text, added_at=now
        )
    )
    for position, question in enumerate(protocol.questions):
        number = _new(
            connection,
            insert(schema.question).values(
                protocol_hash=protocol.hash,
                name=question.id,
                type=question.type,
                position=position,
            ),
        )
        values = [
            {
                "question_id": number,
                "position": place,
                "value": written(value),
                "number": float(value) if question.is_numeric else None,
            }
            for place, value in enumerate(question.values or ())
        ]
        if values:
            connection.execute(insert(schema.allowed), values)


def _new(connection: Connection, statement: Insert) -> int:
    key = connection.execute(statement).inserted_primary_key
    assert key is not None
    return int(key[0])


def _check(how: Opening) -> None:
    if not how.items.rows:
        raise RoundError(f"{how.items.source} has no items, and a round needs at least one.")
    try:
        again = parse(how.protocol.text, source=how.protocol.name).hash
    except ValueError:
        again = None
    if again != how.protocol.hash:
        raise RoundError(
            f"Protocol {how.protocol.name} does not say what its text says, and a round keeps the "
            "text: load it from a YAML file, or make it with parse()."
        )
    for what, number in (("seed", how.seed), ("number of raters an item", how.per_item)):
        if number is not None and not -LARGEST <= number <= LARGEST:
            raise RoundError(f"A {what} of {number} is too large: use at most {LARGEST}.")
    clash = [name for name in group_columns(how.protocol) if name in COLUMNS]
    if clash:
        raise RoundError(
            f"Protocol {how.protocol.name}: group column {clash[0]!r} is also the name of a column "
            "of the answers: give the item's column another name."
        )
    cluster = how.cluster
    if cluster and not any(cluster in row.fields for row in how.items.rows):
        known = ", ".join(how.items.columns)
        raise RoundError(
            f"{how.items.source} has no column {cluster!r} to cluster by: its columns are {known}."
        )


def _sampled(how: Opening) -> tuple[ItemTable, dict]:
    """The items the round takes, with their chances, and what is written down about it."""
    options: dict = {}
    if how.mix is not None:
        options["mix"] = {"gold": how.mix.gold, "training": how.mix.training}
    if how.sample is None:
        if how.by:
            raise RoundError("Columns to sample by need the size of the sample too (--sample N).")
        return how.items, options
    columns = {row.key: row.fields for row in how.items.rows if row.role == "main"}
    try:
        taken = plan.sample(columns, how.sample, how.by, how.seed)
    except PlanError as error:
        raise RoundError(str(error)) from error
    rows = tuple(
        replace(row, probability=taken.chance.get(row.key))
        for row in how.items.rows
        if row.role != "main" or row.key in taken.chance
    )
    options["sample"] = taken.to_dict()
    return replace(how.items, rows=rows), options


# Answers that come with the items: a column that holds the labels of an automatic rater.


def add_answers(stored: StoredRound, connection: Connection, table: ItemTable) -> None:
    """Each filled cell is an answer of the rater the protocol names for its column."""
    from raterbook.rounds.raters import join

    for column, field in stored.protocol.item.fields.items():
        named = field.answers
        if named is None:
            continue
        of_case = stored.protocol.question(named.question).of == "case"
        rows: dict[str, ItemRow] = {}
        for row in table.rows:
            if row.fields.get(column, "").strip():
                rows.setdefault(row.case if of_case else row.key, row)
        join(connection, stored.id, [named.rater], named.kind, stored.store.now())
        seen = snapshot.take(connection, stored.id)
        events = [
            Event(_event_id(column, subject, row), subject, named.question, row.fields[column])
            for subject, row in rows.items()
        ]
        rater = stored.rater_id(seen, named.rater)
        acks = answers.store_events(stored, connection, seen, rater, events)
        for row, ack in zip(rows.values(), acks, strict=True):
            if not ack.ok:
                raise RoundError(
                    f"{table.source}, row {row.row}, column {column}: {ack.reason}: correct the "
                    "cell, or empty it."
                )


def _event_id(column: str, subject: str, row: ItemRow) -> str:
    """The same cell is the same event, however often it is read."""
    text = "\x1f".join((column, subject, row.fields[column]))
    return sha256(text.encode()).hexdigest()[:32]
