"""Opening a round: everything is checked and written in one transaction, or nothing is."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Insert, insert, select

import raterbook.rounds.answers as answers
import raterbook.rounds.items as items
import raterbook.rounds.looks as looks
import raterbook.rounds.parts as splitting
import raterbook.rounds.plan as plan
import raterbook.rounds.raters as people
import raterbook.rounds.snapshot as snapshot
from raterbook.protocols import Protocol, parse
from raterbook.rounds.frame import COLUMNS
from raterbook.rounds.model import Event, ItemRow, ItemTable, PartRow, RoundError
from raterbook.rounds.plan import Mix, PlanError, draw
from raterbook.rounds.snapshot import written
from raterbook.rounds.store import log, rules, schema

if TYPE_CHECKING:
    from raterbook.rounds.store.store import Store


LARGEST = 2**63 - 1  # the largest whole number the database holds


@dataclass(frozen=True)
class Opening:
    """A round as it is asked for."""

    name: str
    protocol: Protocol
    items: ItemTable
    raters: Iterable[str] = ()
    per_item: int | None = None
    seed: int = 0
    parts: Iterable[PartRow] | None = None
    bare: bool = False
    sample: int | None = None
    by: Iterable[str] = ()
    cluster: str | None = None
    mix: Mix | None = None
    double: int | None = None  # items that people rate beside a model, of all that it rates
    looks: str | int | Iterable[float] | None = None  # when agreement may be seen before the end


def open_round(store: Store, how: Opening) -> None:
    """One transaction: the protocol, its questions, the items, the raters and who rates what."""
    _check(how)
    table, options = _sampled(how)
    declared = None if how.looks is None else looks.shares_of(how.looks)
    raters, protocol = tuple(how.raters), how.protocol
    with store.write() as connection:
        now = store.now()
        people.check_new_round(how.name, connection.scalars(select(schema.round.c.name)).all())
        store_protocol(connection, protocol, now)
        secret = secrets.token_bytes(16).hex()
        number = _new(
            connection,
            insert(schema.round).values(
                name=how.name,
                protocol_hash=protocol.hash,
                seed=how.seed,
                secret=secret,
                bare=how.bare,
                per_item=how.per_item,
                cluster=how.cluster or protocol.item.cluster,
                options=json.dumps(options, ensure_ascii=False),
                created_at=now,
            ),
        )
        place = items.Place(number, protocol, secret, how.bare, how.cluster, now)
        log.add(connection, number, "open", now, items=len(table.rows), source=table.source)
        if declared is not None:
            looks.write(connection, number, declared, now)
        nothing = snapshot.take(connection, number)
        items.add_items(connection, place, table, nothing, items.load(connection, number))
        people.refuse_one_spelt_twice(raters, [one.name for one in people.everybody(connection)])
        people.refuse_known_look(connection, raters)
        people.join(connection, number, [people.Named(name, "human") for name in raters], now)
        if not how.bare:
            items.keep(connection, number, table, now)
        seen = snapshot.take(connection, number)
        parts = how.parts
        if parts is None and not how.bare:
            parts = splitting.from_fields(protocol, table)
        splitting.add_parts(connection, protocol, seen, parts or (), now)
        plan.extend(connection, seen, plan.opened(how.seed, how.per_item, options), now)
        add_answers(connection, number, protocol, table, now)


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
    if connection.dialect.name == "postgresql":
        rules.write_rules(connection, protocol)


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
    clash = [name for name in items.group_columns(how.protocol) if name in COLUMNS]
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


def _sampled(how: Opening) -> tuple[ItemTable, dict[str, Any]]:
    """The items the round takes, with their chances, and what is written down about it."""
    options: dict[str, Any] = {}
    by = tuple(how.by)
    if how.mix is not None:
        options["mix"] = {"gold": how.mix.gold, "training": how.mix.training}
    if how.sample is None:
        if by and how.double is None:
            raise RoundError(
                "Columns to sample by need the size of the sample too (--sample N or --double N)."
            )
        return how.items, options | _doubled(how, how.items)
    columns = {row.key: row.fields for row in how.items.rows if row.role == "main"}
    taken = sample(columns, how.sample, by, how.seed)
    rows = tuple(
        replace(row, probability=taken.chance.get(row.key))
        for row in how.items.rows
        if row.role != "main" or row.key in taken.chance
    )
    options["sample"] = taken.to_dict()
    table = replace(how.items, rows=rows)
    return table, options | _doubled(how, table)


def _doubled(how: Opening, table: ItemTable) -> dict[str, Any]:
    """Which items people rate beside a model, and with which chance each would have been drawn."""
    if how.double is None:
        return {}
    columns = {row.key: row.fields for row in table.rows if row.role == "main"}
    by = tuple(how.by)
    drawn = sample(columns, how.double, by, how.seed)
    share = {key: taken / there for key, (there, taken) in drawn.strata.items()}
    chance = {
        item: share[tuple(str(fields[column]) for column in by)] for item, fields in columns.items()
    }
    return {"double": {**drawn.to_dict(), "items": list(drawn.items), "chance": chance}}


# Which items a round takes when it takes a sample: seeded, stratified, its chances recorded.


@dataclass(frozen=True)
class SampledItems:
    """The sampled items in their old order, and what an estimate for all items needs to know.

    `chance` is each sampled item's inclusion probability: n of its stratum over N of it.
    `strata` has, per stratum, how many there were and how many were taken.
    """

    items: tuple[str, ...]
    seed: int
    by: tuple[str, ...]
    chance: Mapping[str, float]
    strata: Mapping[tuple[str, ...], tuple[int, int]]

    def to_dict(self) -> dict[str, object]:
        """What is written beside the round."""
        return {
            "n": len(self.items),
            "of": sum(there for there, _ in self.strata.values()),
            "seed": self.seed,
            "by": list(self.by),
            "strata": [
                {**dict(zip(self.by, key)), "items": there, "taken": taken, "chance": taken / there}
                for key, (there, taken) in self.strata.items()
            ],
        }


def sample(
    columns: Mapping[str, Mapping[str, str]], n: int, by: Sequence[str] = (), seed: int = 0
) -> SampledItems:
    """`n` of the items, at random or spread over the strata of `by` as evenly as sizes allow.

    `columns` has each item's fields, in order. Strata get proportional shares, rounded by
    largest remainder, and at least one item each while `n` allows; within a stratum every item
    has the same chance. The same seed gives the same sample everywhere.
    """
    if not 1 <= n <= len(columns):
        raise PlanError(
            f"a sample of {n} cannot be taken from {len(columns)} items. Use 1 to {len(columns)}."
        )
    strata: dict[tuple[str, ...], list[str]] = {}
    for item, fields in columns.items():
        for column in by:
            if column not in fields:
                raise PlanError(
                    f"items have no column {column} to sample by. "
                    f"Use one of {', '.join(sorted(fields))}."
                )
        strata.setdefault(tuple(str(fields[column]) for column in by), []).append(item)
    sizes = {key: len(names) for key, names in strata.items()}
    takes = _shares(sizes, n, seed)
    taken: set[str] = set()
    chance: dict[str, float] = {}
    for key, names in strata.items():
        first = sorted(names, key=lambda item: (draw(seed, "sample", item), item))[: takes[key]]
        taken.update(first)
        chance.update(dict.fromkeys(first, takes[key] / sizes[key]))
    kept = tuple(item for item in columns if item in taken)
    return SampledItems(
        kept,
        seed,
        tuple(by),
        {item: chance[item] for item in kept},
        {key: (sizes[key], takes[key]) for key in sorted(strata)},
    )


def _shares(sizes: Mapping[tuple[str, ...], int], n: int, seed: int) -> dict[tuple[str, ...], int]:
    total = sum(sizes.values())
    exact = {key: n * size / total for key, size in sizes.items()}
    shares = {key: int(share) for key, share in exact.items()}
    ranked = sorted(
        sizes, key=lambda key: (shares[key] - exact[key], draw(seed, "stratum", *key), key)
    )
    for key in ranked[: n - sum(shares.values())]:
        shares[key] += 1
    for key in sorted(key for key in sizes if not shares[key] and n >= len(sizes)):
        largest = max(shares, key=lambda other: (shares[other], other))
        shares[largest] -= 1
        shares[key] = 1
    return shares


# Answers that come with the items: a column that holds the labels of an automatic rater.


def add_answers(
    connection: Connection, round_id: int, protocol: Protocol, table: ItemTable, now: int
) -> None:
    """Each filled cell is an answer of the rater the protocol names for its column."""
    for column, field in protocol.item.fields.items():
        named = field.answers
        if named is None:
            continue
        of_case = protocol.question(named.question).of == "case"
        rows: dict[str, ItemRow] = {}
        for row in table.rows:
            if row.fields.get(column, "").strip():
                rows.setdefault(row.case if of_case else row.key, row)
        people.join(connection, round_id, [people.Named(named.rater, named.kind)], now)
        seen = snapshot.take(connection, round_id)
        questions = snapshot.questions(connection, protocol, seen.protocol_hash)
        events = [
            Event(_event_id(column, subject, row), subject, named.question, row.fields[column])
            for subject, row in rows.items()
        ]
        rater = seen.rater(named.rater)
        acks = answers.save(connection, seen, questions, rater, events, now)
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
