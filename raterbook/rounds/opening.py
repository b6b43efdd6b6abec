"""Opening a round: everything is checked and written in one transaction, or nothing is."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Insert, insert, select

from raterbook.protocols import Protocol, parse
from raterbook.rounds import assigning, automatic, log, people, sample, schema, snapshot, splitting
from raterbook.rounds.adding import Place, add_items
from raterbook.rounds.contents import group_columns
from raterbook.rounds.frame import COLUMNS
from raterbook.rounds.model import ItemTable, PartRow, RoundError
from raterbook.rounds.plan import Mix, PlanError
from raterbook.rounds.snapshot import written

if TYPE_CHECKING:
    from raterbook.rounds.store import Store


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
    from raterbook.rounds.exchange import original
    from raterbook.rounds.exchange.newcomers import refuse_one_spelt_twice
    from raterbook.rounds.stored import StoredRound

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
        number = _new(connection, insert(schema.round).values(
            name=how.name, protocol_hash=how.protocol.hash, seed=how.seed, secret=secret,
            bare=how.bare, per_item=how.per_item,
            cluster=how.cluster or how.protocol.item.cluster,
            options=json.dumps(options, ensure_ascii=False), created_at=now,
        ))
        place = Place(number, how.protocol, secret, how.bare, how.cluster, now)
        add_items(connection, place, items)
        refuse_one_spelt_twice(how.raters, [each.name for each in people.everybody(connection)])
        join(connection, number, how.raters, "human", now)
        log.add(connection, number, "open", now, items=len(items.rows), source=items.source)
        if not how.bare:
            original.keep(connection, number, items, now)
        seen = snapshot.take(connection, number)
        parts = how.parts
        if parts is None and not how.bare:
            parts = tuple(splitting.from_fields(how.protocol, items))
        splitting.add_parts(connection, how.protocol, seen, parts or (), now)
        assigning.extend(connection, seen, how.seed, how.per_item, now, how.mix)
        row = connection.execute(select(schema.round).where(schema.round.c.id == number)).one()
        automatic.add_answers(StoredRound(store, row, how.protocol), connection, items)


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
        number = _new(connection, insert(schema.question).values(
            protocol_hash=protocol.hash, name=question.id, type=question.type, position=position,
        ))
        values = [
            {
                "question_id": number, "position": place, "value": written(value),
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


def join(
    connection: Connection, round_id: int, names: Iterable[str], kind: str | None, now: int,
    version: str | None = None, expertise: str | None = None,
) -> list[int]:
    """These raters have a part in the round; who has one already is left as is."""
    table = schema.round_rater
    here = table.c.round_id == round_id
    added = []
    for name in names:
        rater = people.ensure(connection, name, kind, version, expertise, now)
        # Asked of this one alone: files name thousands of raters, one after the other.
        if connection.scalar(select(table.c.rater_id).where(here, table.c.rater_id == rater)):
            continue
        connection.execute(insert(table).values(round_id=round_id, rater_id=rater, added_at=now))
        added.append(rater)
    return added


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
        taken = sample.sample(columns, how.sample, how.by, how.seed)
    except PlanError as error:
        raise RoundError(str(error)) from error
    rows = tuple(
        replace(row, probability=taken.chance.get(row.key))
        for row in how.items.rows
        if row.role != "main" or row.key in taken.chance
    )
    options["sample"] = taken.to_dict()
    return replace(how.items, rows=rows), options
