"""Any edit of a history is found, and any writing of it holds."""

import random
import shutil
import sqlite3
from contextlib import closing

from hypothesis import given, settings
from hypothesis import strategies as st

from raterbook.rounds import Event, Store
from raterbook.rounds.store import schema
from raterbook.rounds.store.chain import SOURCES
from raterbook.rounds.store.history import walk

TABLES = [source.table.name for source in SOURCES.values()]


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_edit_of_any_column_is_found(kept, data):
    """Rows, columns and values as they come; what is the same after it is no edit."""
    with closing(sqlite3.connect(kept, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        table = data.draw(st.sampled_from([*TABLES, "shown_value", "hidden_value", "link"]))
        columns = list(schema.metadata.tables[table].c)
        column = data.draw(st.sampled_from(columns)).name
        key = ", ".join(each.name for each in schema.metadata.tables[table].primary_key)
        keys = connection.execute(f"SELECT {key} FROM {table}").fetchall()
        chosen = data.draw(st.sampled_from(keys))
        where = " AND ".join(f"{name} = ?" for name in key.split(", "))
        value = data.draw(
            st.one_of(st.integers(0, 2**40), st.floats(0, 1e9), st.text(max_size=9), st.none())
        )
        connection.execute("BEGIN")
        try:
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?", (table,)
            ).fetchall():
                connection.execute(f"DROP TRIGGER {name}")
            query = f"SELECT typeof({column}), {column} FROM {table} WHERE {where}"
            before = connection.execute(query, chosen).fetchone()
            try:
                connection.execute(
                    f"UPDATE {table} SET {column} = ? WHERE {where}", (value, *chosen)
                )
            except (sqlite3.IntegrityError, sqlite3.OperationalError, UnicodeEncodeError):
                return  # the schema itself refuses it
            after = connection.execute(query, chosen).fetchone()
            found = bool(walk(connection).findings)
        finally:
            connection.execute("ROLLBACK")
    assert found == (after != before)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_histories_of_any_writing_hold(kept, tmp_path_factory, seed):
    """Answers, marks, closings and items in any order: every one with its link."""
    draw = random.Random(seed)
    path = shutil.copyfile(kept, tmp_path_factory.mktemp("any") / "raterbook.sqlite")
    store = Store(path)
    round = store.round("round-02")
    for number in range(8):
        item = f"q{draw.randrange(3)}/{draw.choice('ab')}"
        draw.choice(
            [
                lambda item=item, number=number: round.save(
                    "ana", [Event(f"{seed}-{number}", item, "tone", draw.randint(1, 3))]
                ),
                lambda item=item: round.mark("ana", item, "flag", reason="x"),
                lambda: round.close("why"),
                lambda: round.reopen("why"),
                lambda: store.replies.put(str(draw.random()), "text"),
            ]
        )()
    assert store.history().findings == ()
    store.dispose()
