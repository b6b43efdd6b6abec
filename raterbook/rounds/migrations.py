"""From each earlier version of the schema to the next: one step each, kept for ever.

A step is a function that takes the connection; version 1 is the first, so there is none yet. The
test beside the fixtures of old databases fails when the schema changes without a step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from sqlalchemy import Connection

from raterbook.rounds import guards, schema
from raterbook.rounds.model import RoundError

Step = Callable[[Connection], None]

STEPS: Mapping[int, Step] = {}  # the version it starts from → the step to the next


def check_version(found: int, path: Path, steps: Mapping[int, Step] = STEPS) -> None:
    """Refuse what only a newer Raterbook can read, or what no step leads away from."""
    if found > schema.VERSION:
        raise RoundError(
            f"{path} was written by a newer Raterbook (schema {found}, this one knows up to "
            f"{schema.VERSION}): install the newer version to work with it; nothing was changed."
        )
    missing = [version for version in range(found, schema.VERSION) if version not in steps]
    if missing:
        raise RoundError(
            f"{path} has schema {found}, and this Raterbook has no way from schema {missing[0]} to "
            f"{missing[0] + 1}: open it once with the version in between."
        )


def migrate(connection: Connection, found: int, steps: Mapping[int, Step] = STEPS) -> None:
    """All steps up to today's schema, inside the caller's transaction: all of them or none."""
    drop_guards(connection)
    for version in range(found, schema.VERSION):
        steps[version](connection)
    create_guards(connection)
    connection.execute(schema.workspace.update().values(schema_version=schema.VERSION))


def create(connection: Connection) -> None:
    """Today's schema in an empty database."""
    schema.metadata.create_all(connection)
    create_guards(connection)


def create_guards(connection: Connection) -> None:
    connection.execute(schema.CURRENT_ANSWER)
    for statement in guards.sqlite_guards():
        connection.exec_driver_sql(statement)


def drop_guards(connection: Connection) -> None:
    """Guards and views refer to columns that a step may change; they come back afterwards."""
    found = connection.exec_driver_sql(
        "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')"
    ).all()
    for kind, name in found:
        connection.exec_driver_sql(f'DROP {kind} "{name}"')
