"""A server's triggers make the links that the program makes of the same events in a file."""

import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import create_engine, event, insert, select

from raterbook.rounds.store import schema
from raterbook.rounds.store.chain import SOURCES, server_links
from raterbook.rounds.store.history import walk

server = pytest.importorskip("tests.server", reason="no throwaway PostgreSQL in this checkout")
LOCK = 0x52424B31


@pytest.fixture(scope="module")
def cluster():
    cluster = server.Cluster()
    yield cluster
    cluster.remove()


@pytest.fixture
def copied(cluster, kept, tmp_path):
    """The rows of the kept database, added to a server with its triggers, and what came of it as
    a file again: rows and links as the server has them."""
    there = create_engine(cluster.empty().replace("postgresql:", "postgresql+psycopg:"))
    here = create_engine(f"sqlite:///{kept}")

    @event.listens_for(there, "connect")
    def _place(connection, _record):
        connection.execute("SET search_path TO raterbook")
        connection.commit()

    tables = [t for t in schema.metadata.sorted_tables if t.name != "link"]
    with there.begin() as target, here.begin() as source:
        target.exec_driver_sql("CREATE SCHEMA raterbook")
        schema.metadata.create_all(target)
        for statement in server_links("raterbook", LOCK):
            target.exec_driver_sql(statement)
        first = schema.metadata.tables["workspace"]
        for table in (first, *(table for table in tables if table is not first)):
            rows = [dict(row) for row in source.execute(select(table)).mappings()]
            if rows:
                target.execute(insert(table), rows)
    path = tmp_path / "back.sqlite"
    back = create_engine(f"sqlite:///{path}")
    with there.begin() as source, back.begin() as target:
        schema.metadata.create_all(target)
        for table in (*tables, schema.link):
            rows = [dict(row) for row in source.execute(select(table)).mappings()]
            if rows:
                target.execute(insert(table), rows)
    for engine in (there, here, back):
        engine.dispose()
    return path


def test_the_links_of_a_server_are_those_of_its_events(copied):
    with closing(sqlite3.connect(copied)) as connection:
        found = walk(connection)
        events = dict(connection.execute("SELECT source, count(*) FROM link GROUP BY source"))
    assert found.findings == ()
    assert SOURCES.keys() <= events.keys()


def test_control_an_event_changed_on_the_way_is_found(copied):
    with closing(sqlite3.connect(copied)) as connection:
        connection.execute("UPDATE answer_event SET seconds = 2.5 WHERE event_id = 'e4'")
        assert "answer" in walk(connection).findings[0].said
