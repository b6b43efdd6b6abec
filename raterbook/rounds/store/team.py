"""Who has a login to a workspace on a server: leads and raters, added and removed by its owner.

Each login is a role of PostgreSQL of its own. What it may do follows from two roles that nobody
logs in as, and from the table `login`, which every policy asks.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, text

import raterbook.rounds.raters as people
from raterbook.rounds.model import RoundError, shown
from raterbook.rounds.store import policies
from raterbook.rounds.store.backup import OWNERS, new_file
from raterbook.rounds.store.policies import LEADS, RATERS, SCHEMA, quoted
from raterbook.rounds.store.postgres import Server, altered
from raterbook.rounds.store.store import Store

ROLES = {"lead": LEADS, "rater": RATERS}
_LOGIN = re.compile(r"[a-z_][a-z0-9_.-]{0,62}")


@dataclass(frozen=True)
class Member:
    """One login: what it is, whose answers it gives, and what came by it.

    `by_others` are answers of this rater that another login stored: from a file, or on their
    behalf.
    """

    login: str
    role: str
    rater: str | None
    active: bool
    answers: int = 0
    by_others: int = 0


def init(store: Store) -> None:
    """The two roles and their rights; doing it again changes nothing."""
    with _owned(store) as (server, connection):
        for role in ROLES.values():
            if not _role(connection, role):
                connection.exec_driver_sql(f"CREATE ROLE {role} NOLOGIN")
        for statement in policies.rights(str(server.url.database)):
            connection.exec_driver_sql(statement)


def add(store: Store, name: str, role: str, login: str | None = None) -> tuple[str, str | None]:
    """A login of this name's own; its name, and the address with a new password to hand over.

    A login that the server has already keeps its password, and there is no address to hand over.
    """
    login = login or name
    if role not in ROLES:
        raise RoundError(f"{shown(role)!r} is no part in a team: choose {' or '.join(ROLES)}.")
    if not _LOGIN.fullmatch(login) or login in ROLES.values():
        raise RoundError(
            f"{shown(login)!r} is no name of a login: use up to 63 of a–z, 0–9, _, - and ., "
            "beginning with a letter, and name it with --login; the rater's name may be any."
        )
    with _owned(store) as (server, connection):
        _ready(connection, store)
        there = _role(connection, login)
        if there is not None and (there.rolsuper or there.rolcreaterole or there.rolbypassrls):
            raise RoundError(
                f"{login} may do everything on this server, so nothing would be kept from it: "
                "name another login."
            )
        other = next(each for each in ROLES.values() if each != ROLES[role])
        if there is not None and _is_member(connection, login, other):
            raise RoundError(
                f"{login} has another part in a workspace of this server, and a login has one: "
                "name another login."
            )
        rater = None
        if role == "rater":
            people.refuse_known_look(connection, [name])
            (rater,) = people.ensure(connection, [people.Named(name, "human")], store.now())
        known = connection.execute(_KNOWN, {"login": login}).one_or_none()
        if known is not None and (known.role, known.rater_id) != (role, rater):
            raise RoundError(f"{login} is somebody else's login here: name another with --login.")
        address = None
        if there is None:
            address = _make(server, connection, login)
        database = quoted(str(server.url.database))
        connection.exec_driver_sql(f"GRANT {ROLES[role]} TO {quoted(login)}")
        connection.exec_driver_sql(f"GRANT CONNECT ON DATABASE {database} TO {quoted(login)}")
        connection.execute(_ADD, {"login": login, "role": role, "rater": rater})
    return login, address


def remove(store: Store, login: str) -> None:
    """The login sees and adds nothing any more; what it stored stays, and open sessions end."""
    with _owned(store) as (server, connection):
        _ready(connection, store)
        if connection.execute(_KNOWN, {"login": login}).one_or_none() is None:
            raise RoundError(
                f"{shown(login)!r} has no part in {store.path}: `raterbook team status` says who "
                "has."
            )
        connection.execute(_REMOVE, {"login": login})
        database = quoted(str(server.url.database))
        connection.exec_driver_sql(f"REVOKE CONNECT ON DATABASE {database} FROM {quoted(login)}")
    with _owned(store) as (_, connection):  # not before it is refused anew
        connection.execute(_END, {"login": login})


def status(store: Store) -> list[Member]:
    """Every login there ever was, by name."""
    server_of(store)
    with store.read() as connection:
        _ready(connection, store)
        return [Member(*row) for row in connection.execute(_STATUS)]


def guards(store: Store) -> list[str] | None:
    """The guards that say something else than ours; None for who may not look, a lead say."""
    server_of(store)
    with store.read() as connection:
        if not connection.scalar(_LOOKS):
            return None
    with store.write() as connection:
        return altered(connection)


@contextmanager
def hand_over(file: Path) -> Iterator[Callable[[str], None]]:
    """Writes to a new file that its owner alone can read: the one place where a password stands.

    It is made first, so that nobody is added whose password could not be kept; nothing written
    is no file.
    """
    if file.exists() or file.is_symlink():
        raise RoundError(f"{file} exists already, and nothing is written over: name a new file.")
    with os.fdopen(new_file(file, OWNERS), "w", encoding="utf-8") as out:
        try:
            yield lambda address: print(address, file=out)
        finally:
            out.flush()
            if not out.tell():
                file.unlink()


def server_of(store: Store) -> Server:
    if store.server is None:
        raise RoundError(
            f"{store.path} is a file, which has no logins: name a PostgreSQL database with --db "
            "postgresql://USER@HOST/DATABASE; `raterbook copy FROM TO` takes a workspace there."
        )
    return store.server


@contextmanager
def _owned(store: Store) -> Iterator[tuple[Server, Connection]]:
    server = server_of(store)
    with store.write() as connection:
        if not connection.scalar(_OWNS):
            raise RoundError(
                f"{store.path}: logins are given and taken by who made the workspace's tables: "
                "connect as that login."
            )
        yield server, connection


def _ready(connection: Connection, store: Store) -> None:
    if _role(connection, LEADS) is None or not connection.scalar(_GRANTED):
        raise RoundError(f"{store.path} has no team yet: `raterbook team init` makes one.")


def _role(connection: Connection, name: str) -> Any:
    return connection.execute(_ROLE, {"name": name}).one_or_none()


def _is_member(connection: Connection, login: str, group: str) -> bool:
    return bool(connection.scalar(_MEMBER, {"login": login, "group": group}))


def _make(server: Server, connection: Connection, login: str) -> str:
    """A new role; the server is sent a hash alone, so that no log of it has the password."""
    password = secrets.token_urlsafe(24)
    driver: Any = connection.connection.driver_connection
    hashed = driver.pgconn.encrypt_password(
        password.encode(), login.encode(), b"scram-sha-256"
    ).decode()
    connection.exec_driver_sql(
        f"CREATE ROLE {quoted(login)} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION"
        f" NOBYPASSRLS PASSWORD '{hashed}'"
    )
    return server.address_of(login, password)


_OWNS = text(
    "SELECT pg_has_role(session_user, nspowner, 'MEMBER') FROM pg_namespace"
    f" WHERE nspname = '{SCHEMA}'"
)
_LOOKS = text(f"SELECT ({_OWNS}) AND has_database_privilege(current_database(), 'TEMP')")
_GRANTED = text(f"SELECT has_schema_privilege('{LEADS}', '{SCHEMA}', 'USAGE')")
_ROLE = text("SELECT rolsuper, rolcreaterole, rolbypassrls FROM pg_roles WHERE rolname = :name")
_MEMBER = text("SELECT pg_has_role(CAST(:login AS name), CAST(:group AS name), 'MEMBER')")
_KNOWN = text(f"SELECT role, rater_id FROM {SCHEMA}.login WHERE login = :login")
_ADD = text(
    f"INSERT INTO {SCHEMA}.login (login, role, rater_id, active, added_at) VALUES"
    " (:login, :role, :rater, true, CAST(extract(epoch FROM now()) * 1000000 AS bigint))"
    " ON CONFLICT (login) DO UPDATE SET active = true"
)
_REMOVE = text(f"UPDATE {SCHEMA}.login SET active = false WHERE login = :login")
_END = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE usename = :login AND datname = current_database()"
)
_STATUS = text(
    "SELECT l.login, l.role, COALESCE(i.name, r.pseudonym), l.active, count(a.seq),"
    " count(a.seq) FILTER (WHERE a.written_by <> l.login)"
    f" FROM {SCHEMA}.login l LEFT JOIN {SCHEMA}.rater r ON r.id = l.rater_id"
    f" LEFT JOIN {SCHEMA}.identity i ON i.rater_id = r.id"
    f" LEFT JOIN {SCHEMA}.answer_event a ON a.rater_id = r.id"
    " GROUP BY 1, 2, 3, 4 ORDER BY 1"
)
