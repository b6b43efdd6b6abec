"""PostgreSQL instead of a file: connections, the one writer, the schema, what goes wrong in words.

The tables are those of schema.py, in a schema of their own. What SQLite's guards do is done by
triggers here; who may see and add what, by the policies in policies.py. Times are the server's.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError

from raterbook.environment import optional
from raterbook.rounds.model import RoundError, listed, shown
from raterbook.rounds.store import policies, schema

LEAST = 150000  # PostgreSQL 15: views that look with the rights of who asks
HIDDEN = ("password", "sslpassword", "passfile", "sslkey")
FRESH = 1.0  # seconds for which a connection that answered is taken to be there
WAITS = (0.1, 0.3, 1.0, 2.0, 4.0, 8.0)  # seconds between attempts, while a server comes back

Given = ParamSpec("Given")
Found = TypeVar("Found")
Self = TypeVar("Self")


class Unreachable(RoundError):
    """The server went away; what was acknowledged is safe, and the same may be sent again."""


def is_address(place: str | os.PathLike[str]) -> bool:
    """Whether a server is meant and no file.

    >>> is_address("postgresql://db/study"), is_address("data/raterbook.sqlite")
    (True, False)
    """
    scheme, separator, _ = os.fspath(place).partition("://")
    return bool(separator) and scheme.partition("+")[0] in ("postgresql", "postgres")


def address(place: str | os.PathLike[str]) -> URL:
    """The server and database that are meant."""
    scheme, _, rest = os.fspath(place).partition("://")
    try:
        found = make_url(f"postgresql+psycopg://{rest}")
    except (ArgumentError, ValueError):
        raise RoundError(
            f"This {scheme}:// address cannot be read: write postgresql://USER@HOST/DATABASE, and "
            "what is no letter or digit in a password as %XX, or keep the password in ~/.pgpass."
        ) from None
    if not found.database:
        raise RoundError(
            f"{masked(place)} names no database: write postgresql://USER@HOST/DATABASE."
        )
    return found


def masked(place: str | os.PathLike[str]) -> str:
    """The same place as it may be shown: without a password; the path of a file as it is.

    >>> masked("postgresql://ana:pa55@db/study?sslmode=require&password=pa55")
    'postgresql://ana@db/study?sslmode=require'
    """
    said = os.fspath(place)
    if not is_address(said):
        return said
    try:
        found = make_url(said)
    except (ArgumentError, ValueError):
        return "postgresql://…"
    open_ = {name: value for name, value in found.query.items() if name not in HIDDEN}
    plain = URL.create(
        "postgresql", found.username, None, found.host, found.port, found.database, open_
    )
    return plain.render_as_string(hide_password=False)


class Server:
    """One database on a server, as the store uses it."""

    def __init__(self, place: str | os.PathLike[str], patience: float, keeps_times: bool = False):
        self.url, self.place = address(place), masked(place)
        self._patience, self._keeps_times = patience, keeps_times
        self.engine = self._engine()
        self._reading = self.engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )

    def _engine(self) -> Engine:
        optional("psycopg", "teams", "A PostgreSQL database")
        engine = create_engine(
            self.url,
            pool_size=8,
            max_overflow=-1,
            connect_args={"connect_timeout": 10, "application_name": "raterbook"},
        )

        @event.listens_for(engine, "connect")
        def _settle(connection: Any, _record: Any) -> None:
            connection.autocommit = True
            connection.execute(
                _SETTLE,
                {
                    "raters": policies.RATERS,
                    "masked": policies.MASKED,
                    "schema": policies.SCHEMA,
                    "patience": f"{int(self._patience * 1000)}ms",
                    "times": "kept" if self._keeps_times else "",
                },
            )
            connection.autocommit = False

        @event.listens_for(engine, "checkin")
        def _left(_connection: Any, record: Any) -> None:
            record.info["left"] = time.monotonic()

        @event.listens_for(engine, "checkout")
        def _look(connection: Any, record: Any, _proxy: Any) -> None:
            """A server that was restarted is noticed before it is asked."""
            if time.monotonic() - record.info.get("left", 0) > FRESH:
                try:
                    engine.dialect.do_ping(connection)
                except engine.dialect.loaded_dbapi.Error as error:
                    raise DisconnectionError from error  # the pool makes another

        return engine

    @contextmanager
    def read(self) -> Iterator[Connection]:
        with self._reading.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction; making links and `lock` see to it that nobody else writes meanwhile."""
        with self.engine.begin() as connection:
            yield connection

    @staticmethod
    def lock(connection: Connection) -> None:
        """Nobody else writes until the transaction ends; who waits is served in turn."""
        connection.execute(_LOCK)

    def told(self, ended: threading.Event) -> Iterator[str]:
        """The number of each round that something came to, as it comes, on a connection of its
        own; an empty text where something may have come unheard."""
        driver = optional("psycopg", "teams", "A PostgreSQL database")
        place = self.url.set(drivername="postgresql").render_as_string(hide_password=False)
        while not ended.is_set():
            try:
                with driver.connect(place, autocommit=True) as connection:
                    connection.execute(f"LISTEN {policies.CHANNEL}")
                    yield ""
                    while not ended.is_set():
                        for each in connection.notifies(timeout=0.5):
                            yield each.payload
            except driver.OperationalError:  # the server is away: it is asked again until it is not
                ended.wait(1.0)

    def address_of(self, login: str, password: str) -> str:
        """The same database for another login: to be handed over, and shown nowhere."""
        open_ = {name: value for name, value in self.url.query.items() if name not in HIDDEN}
        url = self.url.set(drivername="postgresql", username=login, password=password, query=open_)
        return url.render_as_string(hide_password=False)

    def is_masked(self) -> bool:
        """Whether this login sees what a rater sees."""
        with self.read() as connection:
            return self.masks(connection)

    @staticmethod
    def masks(connection: Connection) -> bool:
        return bool(connection.scalar(_MASKED))

    def settle(self, made: Callable[[Connection], None]) -> None:
        """Make the schema in an empty database; refuse any that is not ours."""
        with self.engine.begin() as connection:
            if self._found(connection) is not None:
                verify(connection, self.place)
                return
        with self.write() as connection:
            self.lock(connection)
            if self._found(connection) is None:  # else another process was faster
                create(connection)
                made(connection)
            verify(connection, self.place)

    def _found(self, connection: Connection) -> int | None:
        """The version of the schema; None where there is none yet."""
        driver: Any = connection.connection.driver_connection
        version = driver.info.server_version
        if version < LEAST:
            raise RoundError(
                f"{self.place} is PostgreSQL {version // 10000}, and rights are kept apart from "
                "15 on: use a newer server."
            )
        tables = set(connection.scalars(_TABLES, {"schema": policies.SCHEMA}))
        if not tables:
            return None
        lacking = sorted(schema.metadata.tables.keys() - tables)
        if lacking:
            raise RoundError(
                f"{self.place} has a schema {policies.SCHEMA!r} of another program, without "
                f"{listed(lacking, 5)}: name another database; it was not changed."
            )
        try:
            found = connection.scalar(schema.workspace.select().with_only_columns(_VERSION))
        except DBAPIError as error:
            if sqlstate(error) in ("42501", "42P01", "3F000"):
                raise RoundError(_no_part(self.place)) from error
            raise
        if found is None:
            raise RoundError(_no_part(self.place))
        if found != schema.VERSION:
            raise RoundError(
                f"{self.place} has schema {found}, and this Raterbook knows {schema.VERSION}: "
                "use the version that made it; nothing was changed."
            )
        return int(found)


# Raters look at the views; who made the tables is none, whatever roles were made by the same login.
_SETTLE = """
SELECT set_config('search_path', CASE WHEN EXISTS (SELECT FROM pg_auth_members m
    JOIN pg_roles g ON g.oid = m.roleid JOIN pg_roles u ON u.oid = m.member
    WHERE g.rolname = %(raters)s AND u.rolname = session_user)
    AND NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = %(schema)s
    AND pg_has_role(session_user, nspowner, 'MEMBER'))
    THEN %(masked)s ELSE %(schema)s END, false),
  set_config('lock_timeout', %(patience)s, false),
  set_config('idle_in_transaction_session_timeout', '120s', false),
  set_config('raterbook.times', %(times)s, false)
"""
_VERSION = schema.workspace.c.schema_version
_LOCK = text(f"SELECT pg_advisory_xact_lock({schema.APPLICATION})")
_MASKED = text(f"SELECT current_schema() = '{policies.MASKED}'")
_TABLES = text("SELECT tablename FROM pg_tables WHERE schemaname = :schema")


def _no_part(place: str) -> str:
    return (
        f"{place}: this login has no part in the workspace, or none any more: who leads it adds "
        "one with `raterbook team add`."
    )


# The schema, and whether it is as we make it.


def create(connection: Connection) -> None:
    for statement in policies.before_tables():
        connection.exec_driver_sql(statement)
    schema.metadata.create_all(connection)
    for statement in policies.after_tables():
        connection.exec_driver_sql(statement)


def number_on(connection: Connection) -> None:
    """After rows came with numbers of their own: the next gets the next number."""
    for table in schema.metadata.tables.values():
        for column in table.primary_key:
            if column.identity is not None:
                name = f"{policies.SCHEMA}.{table.name}"
                connection.exec_driver_sql(
                    f"SELECT setval(pg_get_serial_sequence('{name}', '{column.name}'),"
                    f" max({column.name})) FROM {name} HAVING max({column.name}) IS NOT NULL"
                )


@cache
def _made() -> frozenset[tuple[str, ...]]:
    return frozenset(policies.shape())


def verify(connection: Connection, place: str) -> None:
    """Refuse a database with guards, policies or functions other than ours, and say which."""
    found = {tuple(row) for row in connection.exec_driver_sql(policies.SHAPE)}
    made = _made()
    wrong = [f"{row[0]} {shown(row[1])} is foreign or altered" for row in found - made]
    wrong += [
        f"{row[0]} {row[1]} is missing or altered"
        for row in made - found
        if not any(row[:2] == other[:2] for other in found)
    ]
    if wrong:
        raise RoundError(
            f"{place} is not as Raterbook makes it: {listed(sorted(wrong), 10)}. Somebody with the "
            "owner's rights changed it, and answers may be changed too: keep it, and put the last "
            "copy in its place (`raterbook copy FROM TO`)."
        )


def altered(connection: Connection) -> list[str]:
    """Policies, triggers and views that have our names and say something else, or are not ours.

    Ours are made beside them for a moment, of tables that only this session has, so that the server
    words both alike, whatever its version. For who may make such tables: the owner.
    """

    def different(said: str, *places: str) -> set[str]:
        query, temporary = text(said), connection.scalar(_TEMPORARY)
        here, made = (
            {tuple(row) for row in connection.execute(query, {"places": list(names)})}
            for names in (places, (temporary,))
        )
        return {f"{row[0]} {row[1]}" for row in here ^ made}

    trial = connection.begin_nested()
    for name in (*schema.metadata.tables, *policies.OWN_TABLES):
        connection.exec_driver_sql(f"CREATE TEMP TABLE {name} (LIKE {policies.SCHEMA}.{name})")
    for table, name, words in policies.each_policy():
        connection.exec_driver_sql(f"CREATE POLICY {name} ON pg_temp.{table} {words}")
    for table, name, when, function in policies.each_trigger():
        words = f"{when.format(table=f'pg_temp.{table}')} EXECUTE FUNCTION"
        connection.exec_driver_sql(f"CREATE TRIGGER {name} {words} {policies.SCHEMA}.{function}()")
    wrong = different(_POLICIES, policies.SCHEMA) | different(_TRIGGERS, policies.SCHEMA)
    trial.rollback()
    trial = connection.begin_nested()
    for statement in (policies.CURRENT_ANSWER, *map(policies.view_of, policies.READ)):
        beside = re.sub(r"CREATE VIEW \w+\.", "CREATE TEMP VIEW ", statement, count=1)
        connection.exec_driver_sql(beside)
    wrong |= different(_VIEWS, policies.SCHEMA, policies.MASKED)
    trial.rollback()
    return sorted(wrong)


_TEMPORARY = text("SELECT nspname FROM pg_namespace WHERE oid = pg_my_temp_schema()")
_POLICIES = """
SELECT 'policy', c.relname || '.' || l.polname, l.polcmd, l.polpermissive, l.polroles::text,
  pg_get_expr(l.polqual, l.polrelid), pg_get_expr(l.polwithcheck, l.polrelid)
FROM pg_policy l JOIN pg_class c ON c.oid = l.polrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = ANY(:places)
"""
_TRIGGERS = """
SELECT 'trigger', c.relname || '.' || t.tgname, t.tgtype, t.tgenabled, t.tgfoid, t.tgattr::text,
  t.tgnargs, pg_get_expr(t.tgqual, t.tgrelid)
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = ANY(:places) AND NOT t.tgisinternal
"""
_VIEWS = """
SELECT 'view', c.relname, pg_get_viewdef(c.oid), c.reloptions::text
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = ANY(:places) AND c.relkind = 'v'
"""


# What the server cannot do, said so that somebody can do something about it.


def sqlstate(error: DBAPIError) -> str:
    return str(getattr(error.orig, "sqlstate", None) or "")


_GONE = ("08", "57P01", "57P02", "57P03", "57P05", "25P03")  # by the beginning of SQLSTATE
_CAUSES: Mapping[str, str] = {
    "42501": "{place}: this login may not do that ({said}), and nothing was saved: a rater adds "
    "answers of their own to items they were given, while the round is open; let a lead do all "
    "else, and the owner of the tables what is about logins.",
    "55P03": "{place} has been locked by another session for a while, and nothing was saved: look "
    "for a stopped Raterbook or notebook on this workspace and end it, then try again.",
    "53100": "{place}: the server's disk is full, and nothing of this step was saved: free some "
    "space, then try again; what was acknowledged before is safe.",
    "25006": "{place}: the server takes nothing in (a standby?), and nothing was saved: name the "
    "one that does.",
    "3D000": "{place}: {said}: make it with `createdb`, or correct --db.",
    "28": "{place}: {said}: correct the login or its password (in the address or in ~/.pgpass), or "
    "let the workspace's owner add the login with `raterbook team add`.",
}


_AT_THE_DOOR = {
    "password authentication failed": "28",
    "no pg_hba.conf entry": "28",
    "no password supplied": "28",
    "permission denied for database": "28",
    "is not permitted to log in": "28",
    'role "': "28",
    'database "': "3D000",
}


def explanation(error: DBAPIError, place: str) -> RoundError:
    """What happened, and the remedy."""
    code = sqlstate(error)
    diagnosis = getattr(error.orig, "diag", None)
    lines = str(getattr(diagnosis, "message_primary", None) or error.orig).strip().splitlines()
    said = (lines or ["no reason given"])[0].rstrip(".")
    if code == "P0001":  # raised by a guard of ours
        return RoundError(f"{place}: {said}.")
    if not code and "FATAL: " in said:  # refused at the door, where there is no SQLSTATE
        said = said.rpartition("FATAL: ")[2].strip()
        for words, cause in _AT_THE_DOOR.items():
            if words in said:
                return RoundError(_CAUSES[cause].format(place=place, said=said))
    if code == "0A000" and "of view" in said:  # what a rater looks at takes answers alone
        code = "42501"
    if error.connection_invalidated or not code or code.startswith(_GONE):
        return Unreachable(
            f"{place} cannot be reached ({said}), and nothing was acknowledged: look whether the "
            "server runs and the address is right, then try again; what was acknowledged is safe."
        )
    for beginning, message in _CAUSES.items():
        if code.startswith(beginning):
            return RoundError(message.format(place=place, said=said))
    return RoundError(f"{place}: {said}.")


def lasting(
    method: Callable[Concatenate[Self, Given], Found],
) -> Callable[Concatenate[Self, Given], Found]:
    """What may be sent twice is sent again while the server is away: its ids make that harmless."""

    @wraps(method)
    def again(self: Self, /, *given: Given.args, **named: Given.kwargs) -> Found:
        for wait in WAITS:
            try:
                return method(self, *given, **named)
            except Unreachable:
                time.sleep(wait)
        return method(self, *given, **named)

    return again
