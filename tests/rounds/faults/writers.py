"""Raters as processes of their own: each saves answers and tells what was acknowledged."""

import multiprocessing
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

from raterbook.protocols import parse
from raterbook.rounds import Event, ItemTable, Round, RoundError, Store
from raterbook.rounds.store import lock

PROTOCOL = """
name: faults
title: One scale
about: For tests.
instructions: [Rate.]
item:
  key: id
  case: id
  fields:
    id: {label: Id, show: none}
    text: {label: Text}
questions:
  - {id: score, prompt: "How good?", type: scale, min: 1, max: 5}
  - {id: note, prompt: "Why?", type: text, required: false}
"""
ITEMS = 100


def new_round(path, raters, items=ITEMS):
    """A round of plain items at this path."""
    protocol = parse(PROTOCOL, source="faults.yaml")
    records = [{"id": f"i{number}", "text": f"Text {number}."} for number in range(items)]
    return Store(path).open(
        "faults", protocol, ItemTable.from_records(protocol, records), raters=raters
    )


def events_of(rater, run, count):
    """The answers one rater gives in one run: ids that never repeat, values that can be checked."""
    return [
        Event(f"{run}-{rater}-{n}", f"i{n % ITEMS}", "score", 1 + n % 5, seconds=float(n))
        for n in range(count)
    ]


class Acknowledged:
    """A file of ids, each written when its answer was acknowledged; it survives its writer."""

    def __init__(self, path):
        self.descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def add(self, event_id):
        os.write(self.descriptor, f"{event_id}\n".encode())

    @staticmethod
    def read(path):
        text = Path(path).read_text() if Path(path).exists() else ""
        return text.split("\n")[:-1]


def rate(path, acks, rater, run, count):
    """Save one answer after the other; each is told only after it was acknowledged."""
    told = Acknowledged(acks)
    stored = Store(path).round("faults")
    for event in events_of(rater, run, count):
        (ack,) = stored.save(rater, [event])
        assert ack.ok, ack.reason
        told.add(ack.event_id)


def rate_carelessly(path, acks, rater, run, count):
    """The control: tells before the answer is on the disk, as a store that batches would."""
    told = Acknowledged(acks)
    stored = Store(path).round("faults")
    waiting = []
    for event in events_of(rater, run, count):
        waiting.append(event)
        told.add(event.event_id)
        if len(waiting) == 10:
            stored.save(rater, waiting)
            waiting = []


def rate_and_time(path, acks, rater, run, count):
    """As `rate`, with how long each answer took, once everybody is ready."""
    told = Acknowledged(acks)
    stored = Store(path).round("faults")
    stored.current(rater)
    told.add("ready")
    while not (acks.parent / "go").exists():
        time.sleep(0.005)
    for event in events_of(rater, run, count):
        start = time.perf_counter()
        (ack,) = stored.save(rater, [event])
        assert ack.ok, ack.reason
        told.add(f"{ack.event_id} {time.perf_counter() - start:.6f}")


def rate_without_queue(path, acks, rater, run, count):
    """The control of the turns: SQLite's waiters sleep and try again, in no order."""
    lock.exclusive = lambda path, patience: nullcontext()
    save = Round.save

    def again(*given):
        while True:  # where nobody queues, some are not served within SQLite's patience
            try:
                return save(*given)
            except RoundError:
                continue

    Round.save = again
    rate_and_time(path, acks, rater, run, count)


def write_bare(path, acks, rater, run, count):
    """The control of the crowd: plain SQLite that neither queues nor waits."""
    told = Acknowledged(acks)
    told.add("ready")
    while not (acks.parent / "go").exists():
        time.sleep(0.005)
    for event in events_of(rater, run, count):
        connection = sqlite3.connect(path, timeout=0)
        try:
            connection.execute("INSERT INTO bare VALUES (?)", (event.event_id,))
            connection.commit()
            told.add(event.event_id)
        except sqlite3.OperationalError:
            pass
        finally:
            connection.close()


_context = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")


@contextmanager
def running(target, path, folder, raters, run, count) -> Iterator[list]:
    """One process per rater; all are ended when the block is left."""
    _context.set_forkserver_preload(["tests.rounds.faults.writers", "raterbook.rounds.frame"])
    processes = [
        _context.Process(target=target, args=(path, folder / f"{rater}.acks", rater, run, count))
        for rater in raters
    ]
    for process in processes:
        process.start()
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.join()
            process.close()


def integrity(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        (state,) = connection.execute("PRAGMA integrity_check").fetchone()
    return state


def stored_ids(path):
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT event_id FROM answer_event ORDER BY seq").fetchall()
    return [event_id for (event_id,) in rows]
