"""What the database itself refuses, whoever asks: changing, removing or replacing what was said."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Table, UniqueConstraint

from raterbook.rounds import schema

ERASABLE = ("identity",)
UNTIL_ANSWERED = ("shown_value", "hidden_value")
MIGRATED = ("workspace",)  # its schema version changes when the schema does


def sqlite_guards() -> Iterator[str]:
    """Triggers as SQL. REPLACE fires no delete trigger, so an insert over a row is refused too."""
    for table in schema.metadata.sorted_tables:
        if table.name in UNTIL_ANSWERED:
            yield from _frozen_once_answered(table.name)
        elif table.name not in ERASABLE:
            yield from _append_only(table)
    yield from _parts_frozen_once_answered()


def names() -> list[str]:
    """The names of all guards."""
    return [statement.split()[2] for statement in sqlite_guards()]


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
