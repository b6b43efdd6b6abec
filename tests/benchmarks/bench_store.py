"""The store beside plain tools: a million answers read, one commit; a decision in 10,000 disputes.

    python tests/benchmarks/bench_store.py [answers]

Prints each time beside its peer's, and the ratio; exits 1 where a ratio is above its limit.
"""

import sqlite3
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd

from raterbook import Workspace
from raterbook.panels.adjudicate import DecisionPanel
from raterbook.protocols import load
from raterbook.rounds import Event, ItemTable, Store

SAME_ROWS = """
SELECT round.name AS round, item.key AS item, cases.key AS "case", e.part, identity.name AS rater,
       rater.kind AS rater_kind, question.name AS question, e.replicate, allowed.value,
       allowed.number, e.status, e.confidence, e.seconds, e.server_time AS answered_at, item.role
FROM answer_event AS e
JOIN round ON round.id = e.round_id JOIN subject AS item ON item.id = e.subject_id
JOIN subject AS cases ON cases.id = item.case_id JOIN rater ON rater.id = e.rater_id
JOIN identity ON identity.rater_id = e.rater_id JOIN question ON question.id = e.question_id
LEFT JOIN allowed ON allowed.id = e.value_id
"""
CATEGORIES = ["round", "item", "case", "rater", "rater_kind", "question", "value", "status", "role"]
PLAIN = "SELECT * FROM plain"  # the easiest peer: one flat table, nothing to join


def filled(path, answers):
    """A round with this many answers: five questions, twenty raters."""
    protocol = load("neureg-qa")
    asked = ["relevance", "accuracy", "completeness", "fluency", "kg_alignment"]
    items = max(1, answers // (len(asked) * 20))
    names = [*protocol.item.key, protocol.item.case, *protocol.item.fields]
    table = ItemTable.from_records(
        protocol, [{name: f"{name} {number}" for name in names} for number in range(items)]
    )
    store = Store(path)
    raters = [f"rater-{number:02d}" for number in range(20)]
    stored = store.open("large", protocol, table, raters=raters)
    keys = [row.key for row in table.rows]
    values = np.random.default_rng(0).integers(1, 6, (20, items, len(asked)))
    start = time.perf_counter()
    for rater, mine in zip(raters, values.tolist()):
        events = [
            Event(f"{rater}-{key}-{question}", key, question, value)
            for key, row in zip(keys, mine)
            for question, value in zip(asked, row)
        ]
        acks = stored.save(rater, events)
        assert all(ack.ok for ack in acks)
    return stored, time.perf_counter() - start


def best(*functions, times=3):
    """For each: the least processor time of a few runs, turn by turn, and what it returned.

    All of it is computing in one process; the clock on the wall would measure the neighbours.
    """
    durations, results = [[] for _ in functions], [None] * len(functions)
    for _ in range(times):
        for place, function in enumerate(functions):
            start = time.process_time()
            results[place] = function()
            durations[place].append(time.process_time() - start)
    return [min(each) for each in durations], results


def joined(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        frame = pd.read_sql(SAME_ROWS, connection)
    return frame.astype(dict.fromkeys(CATEGORIES, "category"))


def flat(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        frame = pd.read_sql(PLAIN, connection)
    return frame.astype(dict.fromkeys(CATEGORIES, "category"))


def commits(stored, count=300):
    """Milliseconds from one answer to its acknowledgement."""
    item = stored.queue("rater-00")[0].ref
    durations = []
    for number in range(count):
        start = time.perf_counter()
        stored.save("rater-00", [Event(f"one-{number}", item, "accuracy", 1 + number % 5)])
        durations.append((time.perf_counter() - start) * 1000)
    return statistics.median(durations), sorted(durations)[int(count * 0.95)]


def bare_commits(path, count=300):
    """The same to a bare table, with the same flushing."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection, connection:
        connection.execute("PRAGMA synchronous = EXTRA")
        connection.execute("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, a TEXT UNIQUE)")
        durations = []
        for number in range(count):
            start = time.perf_counter()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO t (a) VALUES (?)", (f"one-{number}",))
            connection.execute("COMMIT")
            durations.append((time.perf_counter() - start) * 1000)
    return statistics.median(durations)


def decisions(path, many=10_000, count=20):
    """Seconds for a decision in the adjudicator's panel, where so many questions are in dispute,
    for what it would take to count them all anew, and for a status that names each."""
    asked = load("halo-support")
    rows = [
        {**dict.fromkeys(asked.item.fields, "text"), "id": f"i{number}", "auto_label": "SUPPORTED"}
        for number in range(many)
    ]
    table = ItemTable.from_records(asked, rows)
    Store(path).open("disputed", asked, table, raters=["ana", "ben"])
    stored = Workspace(path.parent, db=str(path)).round("disputed")
    for rater, value in (("ana", "SUPPORTED"), ("ben", "CONTRADICTED")):
        events = [Event(f"{rater}-{row.key}", row.key, "label", value) for row in table.rows]
        assert all(ack.ok for ack in stored.save(rater, events))
    stored.add_rater("uma", kind="adjudicator")
    panel = DecisionPanel(stored, "uma")
    durations = []
    for _ in range(count):
        panel.choice.value, panel.why.value = "SUPPORTED", "As the source has it."
        start = time.perf_counter()
        panel.buttons["decide"].click()
        durations.append(time.perf_counter() - start)
    assert len(panel.mine) == count
    start = time.perf_counter()
    panel.refresh()
    anew = time.perf_counter() - start
    (status, plain), _ = best(stored.status, lambda: joined(path))
    return statistics.median(durations), anew, status, plain


def main(answers):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite"
        stored, saving = filled(path, answers)
        print(f"saved {answers:,} answers in {saving:.1f} s ({answers / saving:,.0f} per second)")
        plain = Path(folder) / "plain.sqlite"
        with closing(sqlite3.connect(plain)) as connection, connection:
            joined(path).to_sql("plain", connection, index=False)
        (ours, with_joins, one_table), frames = best(
            stored.frame, lambda: joined(path), lambda: flat(plain)
        )
        assert {len(frame) for frame in frames} == {answers}
        print(
            f"frame of {answers:,}: {ours:.2f} s; read_sql with joins {with_joins:.2f} s, "
            f"of one flat table {one_table:.2f} s"
        )
        ratio = ours / one_table
        print(f"ratio {ours / with_joins:.2f} to the joined rows, {ratio:.2f} to flat (limit 1.5)")
        median, late = commits(stored)
        bare = bare_commits(Path(folder) / "bare.sqlite")
        print(f"one answer: median {median:.2f} ms, p95 {late:.2f} ms; a bare commit {bare:.2f} ms")
        decided, anew, status, plain = decisions(Path(folder) / "disputed.sqlite")
        print(f"a decision in 10,000 disputes: {decided:.3f} s (limit 0.5); all anew {anew:.2f} s")
        print(f"a status of them: {status:.2f} s, {status / plain:.1f} times read_sql with joins")
    return 0 if ratio <= 1.5 and decided <= 0.5 else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
