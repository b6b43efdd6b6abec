"""What other files, other machines and earlier days rely on: it stays as it is, to the letter.

golden/database.sql is a whole workspace as SQLite dumps it: everything a database can hold, written
once and never renewed. golden/exports holds what its two rounds were exported to. What is found to
differ here would make databases, replies paid for or files of today unreadable tomorrow.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from raterbook import Workspace
from raterbook.cli import main
from raterbook.files import export_parts
from raterbook.judges import Endpoint, judge
from raterbook.judges.cache import reply_key
from raterbook.judges.clients.scripted import reply_to
from raterbook.protocols import load, parse
from raterbook.rounds import Event, ItemTable, Store
from raterbook.rounds.store import schema
from tests.golden import rounds

GOLDEN = Path(__file__).parent / "golden"
HASHES = {
    "crowded": "14bb6288b6e652a6",
    "two-systems": "4aff2bf41816d4ae",
    "models-only": "2f7654f497730193",
    "adjudicated": "cdcaa7eddd0f519b",
    "gappy": "1143d9a94493a38d",
}

# Of the kept round `mixed`: its protocol and its answers.
MIXED = "a77e17c9bf1abe20ee0d536ad97390a7af92f26fb7d055e3a87583dabc558246"
ANSWERS = "67fc652d47c7172f63e493bdab327a73249c8831ab5e4217d26369b50f11a41e"


@pytest.fixture
def workspace(tmp_path):
    """The kept database, in a workspace of its own."""
    path = tmp_path / "data" / "raterbook.sqlite"
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.executescript((GOLDEN / "database.sql").read_text("utf-8"))
    # The marks in the file's header are not part of a dump.
    connection.execute(f"PRAGMA application_id = {schema.APPLICATION}")
    connection.commit()
    connection.close()
    return Workspace(tmp_path)


def asked(path, query):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_a_protocols_hash_is_made_of_what_it_says_and_not_of_the_file():
    found = {name: load(GOLDEN / "rounds" / f"{name}.yaml").hash[:16] for name in rounds.NAMES}
    assert found == HASHES


def test_the_kept_database_opens_with_its_whole_history(workspace):
    mixed, labels = workspace.round("mixed"), workspace.round("labels")
    assert (mixed.state, labels.state) == ("open", "closed")
    assert [(entry["at"], entry["action"]) for entry in mixed.log()] == [
        ("2026-01-01T00:01:00Z", "open"),
        ("2026-01-01T00:24:00Z", "add_rater"),
        ("2026-01-01T00:26:00Z", "exclude"),
        ("2026-01-01T00:27:00Z", "add_rater"),
        ("2026-01-01T00:29:00Z", "add_rater"),
        ("2026-01-01T00:36:00Z", "add_rater"),
        ("2026-01-01T00:38:00Z", "erase"),
    ]
    assert (mixed.protocol.hash, mixed.data_hash()) == (MIXED, ANSWERS)
    frame = mixed.answers(texts=True)
    revised = frame[(frame["question"] == "tone") & (frame["revision"] == 2)]
    assert list(zip(revised["item"], revised["rater"], revised["value"])) == [("q0/a", "ana", "2")]
    ref = mixed.items()[0].ref
    assert mixed.marks("ana")[ref].reason == "odd"


def test_names_that_rounds_gave_stay(workspace):
    mixed = workspace.round("mixed")
    assert [(item.key, item.ref) for item in mixed.items()] == [
        ("q0/a", "072fc3b6a3f709c5"),
        ("q0/b", "0cdb1fa818045ad7"),
        ("q1/a", "e7d416435a69f389"),
        ("q1/b", "8fbd2bad1d39f1aa"),
        ("q2/a", "2238a0f09a2e3940"),
        ("q2/b", "677fdd2aa6bde639"),
    ]
    assert [(case.key, case.ref) for case in mixed.cases()] == [
        ("q0", "e40859e836a02749"),
        ("q1", "cb9e328410d1b070"),
        ("q2", "31effff7ae0e1d79"),
    ]
    assert [(r.name, r.kind, r.pseudonym, r.excluded) for r in mixed.raters()] == [
        ("ana", "human", "R-qpf9", None),
        ("ben", "human", "R-fcwx", None),
        ("zoë", "human", "R-tbdt", "left the study"),
        ("auto", "automatic", "R-9y55", None),
        ("R-bpmx", "human", "R-bpmx", None),
        ("uma", "adjudicator", "R-ze7e", None),
        ("expert", "key", "R-8xba", None),
        ("robot", "model", "R-8wat", None),
    ]


def test_raters_and_items_that_come_later_get_the_names_they_would_have_had(workspace):
    mixed = workspace.round("mixed")
    mixed.add_rater("late")
    more = ItemTable.from_records(mixed.protocol, [fields("q3", "a")], "more.csv")
    mixed.add_items(more)
    assert mixed.raters()[-1].pseudonym == "R-se38"
    assert mixed.items()[-1].ref == "dc8d7868dc2bb138"


def test_everybody_goes_on_in_the_same_order(workspace):
    mixed = workspace.round("mixed")
    orders = {name: [item.key for item in mixed.queue(name)] for name in ("ana", "ben")}
    assert orders == {
        "ana": ["q1/a", "q0/b", "q2/b", "q1/b", "q2/a", "q0/a"],
        "ben": ["q0/b", "q1/a", "q1/b", "q2/a", "q0/a", "q2/b"],
    }


def test_the_kept_database_is_guarded_by_its_own_triggers(workspace):
    """Opened by any program: what was said cannot be changed or taken away."""
    columns = {
        **dict.fromkeys(
            ("answer_event", "mark_event", "round_event", "plan_event", "reply"), "seq"
        ),
        **dict.fromkeys(("round", "subject", "question", "allowed", "rater"), "id"),
        "protocol": "hash",
        "part": "number",
        "erasure": "reason",
        "round_rater": "added_at",
        "shown_value": "value",
        "hidden_value": "value",
    }
    for table, column in columns.items():
        for change in (f"DELETE FROM {table}", f"UPDATE {table} SET {column} = {column}"):
            with pytest.raises(sqlite3.IntegrityError):
                asked(workspace.db, change)


def test_an_event_sent_again_is_the_same_event(workspace):
    """`event-02` is in the kept database: a form of that day may still have it in its outbox."""
    stored = workspace.round("mixed")
    before = len(asked(workspace.db, "SELECT 1 FROM answer_event"))
    (again,) = stored.save("ana", [Event("event-02", "q0/a", "tone", 2, seconds=1.25)])
    assert again.ok
    assert len(asked(workspace.db, "SELECT 1 FROM answer_event")) == before


def fields(case, model):
    """The items of the kept round `mixed`, as they came."""
    number = int(case[1:])
    return {
        "qid": case,
        "model": model,
        "domain": f"d{number % 2}",
        "topic": f"t{number}",
        "question": f"Question {number}?",
        "text": f"First of {number}{model}. Second – “é”, 漢.",
        "gold": f"gold {number}",
        "auto": "yes" if number else "",
    }


@pytest.fixture
def twin(workspace, tmp_path):
    """The kept round `mixed` opened anew elsewhere, without answers and with the kept replies."""
    kept = workspace.round("mixed")
    items = [fields(f"q{n}", model) for n in range(3) for model in ("a", "b")]
    store = Store(tmp_path / "twin.sqlite")
    protocol = parse(kept.protocol.text, source="mixed.yaml")
    stored = store.open("mixed", protocol, ItemTable.from_records(protocol, items, "items.csv"))
    rows = asked(workspace.db, "SELECT key, text, detail FROM reply")
    store.replies.put_all([(key, text, json.loads(detail)) for key, text, detail in rows])
    return stored


def test_labels_that_come_with_the_items_have_the_event_ids_they_had(workspace, twin):
    query = "SELECT event_id FROM answer_event WHERE rater_id = {} ORDER BY seq"
    kept = asked(workspace.db, query.format("4 AND round_id = 1"))
    assert kept == asked(twin.store.path, query.format(1))
    assert sorted(kept)[0] == ("770771b0b750977aac38daf42e245c58",)


def test_a_reply_that_was_paid_for_is_found_again(twin):
    def unasked(messages):
        raise AssertionError("the reply is stored, and the model was asked")

    judge(twin, unasked, name="robot", items=["q0/a", "q1/a"])
    (robot,) = [rater for rater in twin.raters() if rater.kind == "model"]
    assert robot.version == "robot, prompts 1"
    frame = twin.frame()
    assert len(frame[frame["rater"] == "robot"]) == 14


def test_what_a_models_answers_depend_on_is_named_as_before(twin):
    judge(twin, reply_to, name="other", items=["q0/a"], examples=())
    (other,) = [rater for rater in twin.raters() if rater.kind == "model"]
    assert other.version == "other, prompts 1, examples e3b0c442"
    point = Endpoint("gpt-4o-mini", base_url="http://127.0.0.1:9/v1", seed=3)
    assert reply_key(point.identity(), [{"role": "user", "content": "é"}], {"a": 1}, 2) == (
        "5344ac3f64d9c7606bd4e268ecbb3b2ac92423d59b28e09bd7eb5915a1bde135"
    )


LAYOUTS = [
    *(("mixed", "long.csv", "long"), ("mixed", "long.tsv", "long")),
    *(("mixed", "long.jsonl", "long"), ("mixed", "wide.csv", "wide")),
    *(("mixed", "wide.jsonl", "wide"), ("labels", "source.csv", "source")),
    *(("labels", "source.tsv", "source"), ("labels", "label-studio.json", "label-studio")),
    ("labels", "argilla.json", "argilla"),
]


@pytest.mark.parametrize(("name", "file", "layout"), LAYOUTS, ids=lambda given: str(given))
def test_a_layout_is_written_as_before_byte_for_byte(workspace, tmp_path, name, file, layout):
    workspace.round(name).export(tmp_path / file, layout)
    assert (tmp_path / file).read_bytes() == (GOLDEN / "exports" / file).read_bytes()


def test_pseudonyms_and_parts_are_written_as_before_byte_for_byte(workspace, tmp_path):
    mixed = workspace.round("mixed")
    mixed.export(tmp_path / "pseudonyms.csv", pseudonyms=True)
    export_parts(mixed, tmp_path / "parts.csv")
    for file in ("pseudonyms.csv", "parts.csv"):
        assert (tmp_path / file).read_bytes() == (GOLDEN / "exports" / file).read_bytes()


def test_workbooks_have_the_cells_of_the_long_file(workspace, tmp_path):
    """Their bytes hold the time of writing."""
    workspace.round("mixed").export(tmp_path / "long.xlsx")
    kept = pd.read_csv(GOLDEN / "exports" / "long.csv", dtype=str, keep_default_na=False)
    cells = pd.read_excel(tmp_path / "long.xlsx", dtype=str, keep_default_na=False)
    assert list(cells.columns) == list(kept.columns)
    assert cells.to_numpy().tolist() == kept.to_numpy().tolist()


def test_parquet_has_the_columns_it_had(workspace, tmp_path):
    """Its bytes are the library's; names, types and what stands in the head are ours."""
    import pyarrow.parquet

    workspace.round("mixed").export(tmp_path / "long.parquet", "parquet")
    table = pyarrow.parquet.read_table(tmp_path / "long.parquet")
    assert {name: str(table.schema.field(name).type) for name in table.column_names} == {
        **dict.fromkeys(("item", "rater", "rater_kind", "rater_version", "question"), "string"),
        **dict.fromkeys(("value", "status", "reason"), "string"),
        **dict.fromkeys(("part", "replicate", "revision"), "int32"),
        **dict.fromkeys(("number", "confidence", "seconds"), "double"),
        "answered_at": "timestamp[us, tz=UTC]",
    }
    assert table.schema.metadata == {
        b"ratebook:layout": b"long",
        b"ratebook:round": b"mixed",
        b"ratebook:protocol": b"mixed",
        b"ratebook:protocol_hash": MIXED.encode(),
        b"ratebook:data_hash": ANSWERS.encode(),
    }
    assert table.num_rows == 40


@pytest.fixture
def run(workspace, tmp_path, monkeypatch, capsys):
    """One command line in the kept workspace: its exit status."""
    monkeypatch.chdir(tmp_path)
    given = "item,rater,question,value\n"
    (tmp_path / "good.csv").write_text(given + "q2/b,ana,tone,3\n", "utf-8")
    (tmp_path / "bad.csv").write_text(given + "q2/b,ana,tone,9\n", "utf-8")
    (tmp_path / "items.csv").write_text("id,question,context,generated_answer\nh,q,c,a\n", "utf-8")

    def one(words):
        try:
            return main(words.split())
        except SystemExit as end:
            return end.code
        finally:
            capsys.readouterr()

    return one


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("protocols", 0),
        ("protocols halo-support", 0),
        ("protocols nosuch", 2),
        ("open fresh --protocol halo-support --items items.csv", 0),
        ("open mixed --protocol halo-support --items items.csv", 2),
        ("open fresh --protocol halo-support --items none.csv", 2),
        ("open fresh --protocol halo-support", 2),
        ("import mixed good.csv", 0),
        ("import mixed bad.csv", 2),
        ("import mixed none.csv", 2),
        ("import labels good.csv", 2),
        ("export mixed out.csv", 0),
        ("export mixed out.csv --layout source", 2),
        ("export mixed out.csv --layout nosuch", 2),
        ("status", 0),
        ("status mixed", 0),
        ("status nosuch", 2),
        ("reassign mixed ana ben", 0),
        ("reassign mixed ana nobody", 2),
        ("exclude mixed ben --why tired", 0),
        ("exclude mixed ben", 2),
        ("exclude mixed nobody --why tired", 2),
        ("include mixed zoë", 0),
        ("include mixed nobody", 2),
        ("erase ben --why asked", 0),
        ("erase nobody", 2),
        ("parts mixed parts.csv", 0),
        ("parts labels parts.csv", 2),
        ("guide mixed guide.md", 0),
        ("guide mixed guide.docx", 2),
        ("codebook mixed book.md", 0),
        ("codebook nosuch book.md", 2),
        ("close mixed", 0),
        ("close nosuch", 2),
        ("reopen labels", 0),
        ("reopen nosuch", 2),
        ("backup copy.sqlite", 0),
        ("check mixed", 1),
        ("check labels", 1),
        ("check mixed --json", 1),
        ("check mixed --decided", 1),
        ("check mixed --require mean:tone>=1", 0),
        ("check mixed --require mean:tone>=2.9", 1),
        ("check mixed --require mean:tine>=2.9", 2),
        ("check mixed --param coverage=2", 2),
        ("check nosuch", 2),
        ("report nosuch", 2),
        ("report", 2),
        ("judge mixed --model m --dry-run", 0),
        ("judge mixed --model m --prompts-out prompts.md", 0),
        ("judge mixed --model m --replies none.jsonl", 2),
        ("judge nosuch --model m --dry-run", 2),
        ("judge mixed", 2),
        ("questions mixed --rules", 2),
        ("nosuch", 2),
        ("", 2),
        ("--version", 0),
        ("--help", 0),
    ],
)
def test_a_command_ends_as_before(run, words, status):
    assert run(words) == status
