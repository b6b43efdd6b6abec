"""Raters over the whole workspace: one identity each, which can be forgotten."""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.engine import Row

from raterbook.rounds import log, schema
from raterbook.rounds.model import RATER_KINDS, Rater, RoundError
from raterbook.rounds.names import check_rater, pseudonym

PEOPLE = ("human", "adjudicator")
_EVERYBODY = (
    select(
        schema.rater.c.id,
        func.coalesce(schema.identity.c.name, schema.rater.c.pseudonym).label("name"),
        schema.rater.c.kind,
        schema.rater.c.version,
        schema.identity.c.expertise,
        schema.rater.c.pseudonym,
        schema.erasure.c.at.label("erased_at"),
    )
    .outerjoin(schema.identity, schema.identity.c.rater_id == schema.rater.c.id)
    .outerjoin(schema.erasure, schema.erasure.c.rater_id == schema.rater.c.id)
    .order_by(schema.rater.c.id)
)


def of_round(connection: Connection, round_id: int) -> list[Row]:
    """Everybody with a part in this round, in the order they came to the workspace."""
    mine = schema.round_rater
    query = _EVERYBODY.join(mine, mine.c.rater_id == schema.rater.c.id)
    return list(connection.execute(query.where(mine.c.round_id == round_id)))


def as_rater(row: Row, excluded: str | None = None) -> Rater:
    return Rater(
        row.name, row.kind, row.version, row.expertise, excluded, row.pseudonym,
        row.erased_at is not None,
    )


def public_name(row: Row, pseudonyms: bool) -> str:
    """A person's pseudonym where it is asked for; models and keys are no secret."""
    return str(row.pseudonym if pseudonyms and row.kind in PEOPLE else row.name)


def everybody(connection: Connection) -> list[Rater]:
    return [as_rater(row) for row in connection.execute(_EVERYBODY)]


def find(connection: Connection, name: str) -> Row | None:
    """By name, or by pseudonym."""
    for column in (schema.identity.c.name, schema.rater.c.pseudonym):
        row = connection.execute(_EVERYBODY.where(column == name)).one_or_none()
        if row is not None:
            return row
    return None


def ensure(
    connection: Connection,
    name: str,
    kind: str | None,
    version: str | None,
    expertise: str | None,
    now: int,
) -> int:
    """The rater's number; made when new. A name stays with one kind and one version."""
    check_rater(name)
    if kind is not None and kind not in RATER_KINDS:
        raise RoundError(f"{kind!r} is no kind of rater: choose {', '.join(RATER_KINDS)}.")
    row = find(connection, name)
    if row is None:
        return _add(connection, name, kind or "human", version, expertise, now)
    if row.erased_at is not None:
        raise RoundError(f"{name} was erased and cannot come back: give the rater another name.")
    for what, old, new in (("kind", row.kind, kind), ("version", row.version, version)):
        if new is not None and new != old:
            raise RoundError(
                f"Rater {name} is known here with {what} {old or 'not given'}, not {new}: one "
                f"name is one rater over all rounds, so use another name, such as {name}-2."
            )
    if expertise is not None and expertise != row.expertise:
        known = schema.identity.c.rater_id == row.id
        connection.execute(update(schema.identity).where(known).values(expertise=expertise))
    return int(row.id)


def _add(
    connection: Connection,
    name: str,
    kind: str,
    version: str | None,
    expertise: str | None,
    now: int,
) -> int:
    secret = connection.scalar(select(schema.workspace.c.secret)) or ""
    number = (connection.scalar(select(func.max(schema.rater.c.id))) or 0) + 1
    connection.execute(
        insert(schema.rater).values(
            id=number, kind=kind, version=version, added_at=now,
            pseudonym=pseudonym(secret, number, lambda name: find(connection, name)),
        )
    )
    connection.execute(
        insert(schema.identity).values(rater_id=number, name=name, expertise=expertise)
    )
    return number


def erase(connection: Connection, name: str, why: str | None, now: int) -> str:
    """Remove the name and what was said of the person; answers stay under the pseudonym."""
    row = find(connection, name)
    if row is None:
        from raterbook.rounds.exchange.problems import listed

        known = listed((rater.name for rater in everybody(connection)), 10) or "nobody"
        raise RoundError(f"There is no rater {name!r} to erase; known: {known}.")
    if row.erased_at is None:
        connection.execute(delete(schema.identity).where(schema.identity.c.rater_id == row.id))
        connection.execute(insert(schema.erasure).values(rater_id=row.id, reason=why, at=now))
        mine = schema.round_rater
        rounds = select(mine.c.round_id).where(mine.c.rater_id == row.id)
        for round_id in connection.scalars(rounds).all():
            log.add(connection, round_id, "erase", now, rater_id=row.id)
    return str(row.pseudonym)
