"""Import of 100,000 long rows, against pandas reading them and SQLAlchemy inserting them.

    python -m tests.benchmarks.bench_exchange

Both end with the same rows in the same table of the same schema, with its guards and indexes. Ours
also checks every value against the protocol and every row against the answers that are there.
"""

import gc
import sys
import tempfile
import time
import uuid
from pathlib import Path
from statistics import median

import pandas as pd
from sqlalchemy import insert, select

from raterbook.files import import_answers
from raterbook.protocols import parse
from raterbook.rounds import ItemTable, Store
from raterbook.rounds.store import schema

ITEMS, RATERS, QUESTIONS = 4_000, 5, 5
AT_MOST = 3.0
PROTOCOL = """
name: bench
title: Five scales
about: Five scales from 1 to 5.
instructions: [Rate each.]
item: {key: [id], case: id, fields: {id: {label: Item}}}
questions:
""" + "".join(
    f"  - {{id: q{number}, prompt: Rate it, type: scale, min: 1, max: 5}}\n"
    for number in range(1, QUESTIONS + 1)
)


def rows() -> pd.DataFrame:
    """One row per item, rater and question."""
    index = pd.MultiIndex.from_product(
        [range(ITEMS), range(RATERS), range(1, QUESTIONS + 1)], names=["item", "rater", "question"]
    )
    frame = index.to_frame(index=False)
    value = (frame["item"] * 7 + frame["rater"] * 3 + frame["question"]) % 5 + 1
    return pd.DataFrame(
        {
            "item": "item-" + frame["item"].astype(str),
            "part": "",
            "rater": "rater-" + frame["rater"].astype(str),
            "question": "q" + frame["question"].astype(str),
            "value": value,
        }
    )


def opened(folder: Path, name: str):
    protocol = parse(PROTOCOL, source="bench.yaml")
    items = ItemTable.from_records(protocol, [{"id": f"item-{n}"} for n in range(ITEMS)])
    raters = [f"rater-{n}" for n in range(RATERS)]
    return Store(folder / f"{name}.sqlite").open(name, protocol, items, raters=raters)


def ours(folder: Path, file: Path, number: int) -> float:
    stored = opened(folder, f"ours{number}")
    gc.collect()
    start = time.perf_counter()
    summary = import_answers(stored, file)
    took = time.perf_counter() - start
    assert summary.added == ITEMS * RATERS * QUESTIONS
    return took


def theirs(folder: Path, file: Path, number: int) -> float:
    """pandas.read_csv, numbers for names, and one executemany."""
    stored = opened(folder, f"theirs{number}")
    with stored.store.read() as connection:
        snapshot, asked = stored.look(connection), stored.questions(connection)
    subjects = {key: each.id for key, each in snapshot.items.items()}
    raters = {name: row.id for name, row in snapshot.raters.items()}
    questions = {name: each.id for name, each in asked.items()}
    allowed = {
        (name, value): number
        for name, each in asked.items()
        for value, number in each.allowed.items()
    }
    gc.collect()
    start = time.perf_counter()
    frame = pd.read_csv(file)
    events = [
        {
            "event_id": uuid.uuid4().hex,
            "round_id": stored.id,
            "rater_id": raters[rater],
            "subject_id": subjects[item],
            "part": 0,
            "question_id": questions[question],
            "replicate": 1,
            "status": "answered",
            "value_id": allowed[question, value],
            "lamport": 1,
            "server_time": 0,
        }
        for item, _, rater, question, value in frame.itertuples(index=False, name=None)
    ]
    with stored.store.write() as connection:
        connection.execute(insert(schema.answer_event), events)
    took = time.perf_counter() - start
    with stored.store.read() as connection:
        assert len(connection.execute(select(schema.answer_event.c.seq)).all()) == len(events)
    return took


def main(runs: int = 3) -> float:
    """The ratio of the medians, printed; interleaved, so that both meet the same machine."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "answers.csv"
        rows().to_csv(file, index=False)
        pairs = [(ours(folder, file, n), theirs(folder, file, n)) for n in range(runs)]
    mine, other = (median(times) for times in zip(*pairs, strict=True))
    ratio = mine / other
    print(
        f"import of {ITEMS * RATERS * QUESTIONS:,} rows: {mine:.2f} s; pandas and executemany: "
        f"{other:.2f} s; ratio {ratio:.2f} (at most {AT_MOST:g})"
    )
    return ratio


if __name__ == "__main__":
    sys.exit(main() > AT_MOST)
