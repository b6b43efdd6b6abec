"""What one door takes every door takes, with the same stored row; or all refuse, with a reason.

Doors are `save`, as the form calls it, files in every format and layout, the JSON of Label Studio
and Argilla, and a judge's reply. Where a door rightly reads otherwise, the reason stands here, in
`READ_OTHERWISE_BY_JUDGES` and at the doors themselves.
"""

import contextlib
import functools
import itertools
import json
import re

import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from raterbook import Workspace
from raterbook.files import formats, import_answers
from raterbook.files.table import Table
from raterbook.judges import judge
from raterbook.judges.clients.scripted import reply_to
from raterbook.judges.sheets import written
from raterbook.protocols import load, names
from raterbook.rounds import Event, RoundError
from raterbook.rounds.snapshot import percentage
from raterbook.rounds.store import database

SIXTH = "tests/sixth/pairwise.yaml"
FIELDS = {
    "question_type": "relational",
    "shot_type": "zero_shot",
    "auto_label": "SUPPORTED",
    "source_kg": "a → b → c",
    "response": "One sentence. And two.",
    "human_label": "",
    "notes": "",
    "label": "human",
    "prediction": "ai",
}
BEFORE = {  # what must be said first, so that the question is asked
    "severity": {"accuracy": "inaccurate"},
    "match": {"reference_answer": "x", "generated_answer": "y"},
}
COUNTER = itertools.count()
some = settings(
    max_examples=6,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
many = settings(some, max_examples=120)
HOSTILE = [
    "",
    " ",
    "nan",
    "NaN",
    "NA",
    "N/A",
    "None",
    "null",
    "-",
    "?",
    "1e5",
    "1e0",
    "00",
    "04",
    " 4 ",
    "4.0",
    "4,5",
    "+4",
    "-4",
    "٤",
    "4%",
    "0.5",
    "0.5%",
    "85%",
    "85 %",
    "0",
    "100",
    "100.5",
    "inf",
    "=1+1",
    "'=x",
    "''@y",
    "+",
    "@x",
    "a\r\nb",
    "a\rb",
    "a\nb",
    "a\tb",
    "a\u2028b",
    '"',
    'say "no"',
    "'quoted'",
    "**bold**",
    "_x000D_",
    " edge ",
    "\ufeffbom",
    "a\u0000b",
    "half \ud800",
    "é中文🙂",
    "\u202eright to left",
    "a\u0301",
    "<Unanswerable>",
    "＜unanswerable＞",
    "<Unanswerable> as it is",
    "unanswerable",
    "true",
    "TRUE",
    "[1]",
    '{"a": 1}',
    "x" * 3000,
    "<b>",
    "~~~",
    "4 5",
    "good",
    "1_0",
]


def values(question):
    """Answers, near misses and hostile texts; numbers only where the question takes numbers."""
    found = [st.sampled_from(HOSTILE), st.text(max_size=8)]
    if question.type in ("text", "answer"):
        return st.one_of(*found)
    words = [str(value) for value in question.values or ()]
    words += [name for level in question.levels for name in (level.name, *level.aliases)]
    words += [name for one in question.options for name in (one.label, *one.aliases)]
    spelt = [
        change(word)
        for word in words
        for change in (
            str,
            str.upper,
            str.title,
            lambda w: w.replace(" ", "_"),
            lambda w: w.replace(" ", "−"),
            lambda w: f" {w}\t",
        )
    ]
    found += [st.sampled_from(spelt or HOSTILE)] * 2
    if question.is_numeric:
        low, high = question.ends
        found += [
            st.integers(low - 1, high + 1),
            st.floats(low - 1, high + 1),
            st.decimals(low, high, places=2).map(float),
            st.sampled_from([0.5, 1e-7, 1e17]),
            st.just(float("nan")),
        ]
    return st.one_of(*found)


class Doors:
    """One round of a protocol, and every way an answer can come into it."""

    def __init__(self, folder, name):
        protocol = load(SIXTH if name == "sixth" else name)
        spec = protocol.item
        row = {field: FIELDS.get(field, f"text of {field}") for field in spec.fields}
        row |= dict.fromkeys((*spec.key, spec.case), "k")
        self.folder, self.protocol = folder, protocol
        place = Workspace(folder)
        parts = None
        if protocol.parts and protocol.parts.source == "file":
            parts = folder / "parts.csv"
            parts.write_text("item,part,text\nk,1,Who?\nk,2,When?\n")
        self.row = {field: row[field] for field in row if row[field]}
        self.round = place.open("r", protocol, pd.DataFrame([row]), parts=parts)
        (self.item,) = self.round.items()

    def about(self, question):
        return self.item.case if question.of == "case" else self.item.key

    def part(self, question):
        return 1 if question.per == "part" else 0

    def rater(self, question):
        """Somebody new, who has said what the question rests on."""
        name = f"rater {next(COUNTER)}"
        self.round.add_rater(name)
        first = BEFORE.get(question.id, {})
        asked = {one.id: one for one in self.protocol.questions}
        acks = self.round.save(
            name,
            [
                Event(None, self.about(asked[id]), id, value, self.part(asked[id]))
                for id, value in first.items()
            ],
        )
        assert all(ack.ok for ack in acks)
        return name

    def stored(self, rater, question):
        """(status, value, its type), or None where nothing was stored."""
        for (_, part, asked), answer in self.round.current(rater).items():
            if (part, asked) == (self.part(question), question.id):
                return answer.status, answer.value, type(answer.value).__name__
        return None

    def by_form(self, question, value):
        rater = self.rater(question)
        (ack,) = self.round.save(
            rater, [Event(None, self.about(question), question.id, value, self.part(question))]
        )
        assert ack.ok or ack.reason
        return self.stored(rater, question)

    def by_file(self, door, question, value):
        rater = self.rater(question)
        with contextlib.suppress(RoundError, UnicodeEncodeError):  # half a character: no file
            file, how = getattr(self, door)(rater, question, value)
            import_answers(self.round, file, **how)
        return self.stored(rater, question)

    def _long(self, rater, question, value):
        part = str(self.part(question) or "")
        return (
            ["item", "part", "rater", "question", "value"],
            [[self.about(question), part, rater, question.id, text(value)]],
        )

    def _file(self, suffix, data):
        file = self.folder / f"f{suffix}"
        file.write_bytes(data)
        return file, {}

    def _delimited(self, suffix, columns, rows, mark=","):
        table = Table("f", columns, rows)
        return self._file(suffix, formats.write_csv(table, mark))  # formulas prefixed, as exported

    def csv(self, *answer):
        return self._delimited(".csv", *self._long(*answer))

    def tsv(self, *answer):
        return self._delimited(".tsv", *self._long(*answer), "\t")

    def json_lines(self, *answer):
        return self._file(".jsonl", formats.write_lines(Table("f", *self._long(*answer))))

    def json_lines_typed(self, rater, question, value):
        columns, (row,) = self._long(rater, question, value)
        record = dict(zip(columns, row)) | {"value": value}
        return self._file(".jsonl", json.dumps(record).encode())

    def workbook(self, *answer):
        return self._file(".xlsx", formats.write_workbook(Table("f.xlsx", *self._long(*answer))))

    def parquet(self, *answer):
        columns, rows = self._long(*answer)
        pd.DataFrame(rows, columns=columns).to_parquet(self.folder / "f.parquet")
        return self.folder / "f.parquet", {}

    def frame(self, rater, question, value):
        columns, (row,) = self._long(rater, question, value)
        return pd.DataFrame([[*row[:-1], value]], columns=columns), {}

    def wide(self, rater, question, value):
        return self._delimited(
            ".csv",
            ["item", "part", "rater", question.id],
            [[self.about(question), str(self.part(question) or ""), rater, text(value)]],
        )

    def source(self, rater, question, value):
        """The items file with a column that takes answers: halo-support's human_label and notes."""
        slot = next(
            name
            for name, field in self.protocol.item.fields.items()
            if field.exchange == question.id
        )
        row = self.row | {slot: text(value)}
        file, _ = self._delimited(".csv", list(row), [list(row.values())])
        return file, {"rater": rater}

    def label_studio(self, rater, question, value):
        kind = {"choice": "choices", "text": "textarea", "answer": "textarea"}.get(
            question.type, "number"
        )
        key = "text" if kind == "textarea" else kind
        held = value if kind == "number" else [value]
        return self._file(
            ".json",
            json.dumps(
                [
                    {
                        "data": {"item": self.about(question), "part": self.part(question) or None},
                        "annotations": [
                            {
                                "completed_by": rater,
                                "result": [
                                    {"from_name": question.id, "type": kind, "value": {key: held}}
                                ],
                            }
                        ],
                    }
                ]
            ).encode(),
        )

    def argilla(self, rater, question, value):
        part = {"part": self.part(question)} if self.part(question) else {}
        return self._file(
            ".json",
            json.dumps(
                [
                    {
                        "id": "1",
                        "metadata": {"item": self.about(question), **part},
                        "responses": {question.id: [{"value": value, "user_id": rater}]},
                    }
                ]
            ).encode(),
        )

    def by_judge(self, question, value):
        name = f"model {next(COUNTER)}"
        fixed = {**BEFORE.get(question.id, {}), question.id: value}
        judge(self.round, lambda messages: reply_to(messages, **fixed), name)
        return self.stored(name, question)


def text(value):
    """A number as a table writes it."""
    return value if isinstance(value, str) else "" if value != value else str(value)


FILES = [
    "csv",
    "tsv",
    "json_lines",
    "json_lines_typed",
    "workbook",
    "parquet",
    "frame",
    "wide",
    "label_studio",
    "argilla",
]

# A reply is prose that is read, not a cell: (what the form takes, why the reply reads otherwise).
READ_OTHERWISE_BY_JUDGES = [
    (
        lambda question, value: value != value.strip() or " ".join(value.split()) != value,
        "spaces around a reply's text, and runs of them in an answer, are not the model's answer",
    ),
    (
        lambda question, value: (
            value.strip("*_`\"'“” \t\n").casefold()
            in ("", "null", "none", "n/a", "na", "-", "–", "—", "nan", "?")
        ),
        "models write these for nothing, and nobody can be asked what was meant",
    ),
    (
        lambda question, value: re.search("[\x00\ud800-\udfff]", value) is not None,
        "what no file can hold is replaced by a sign, as a reply cannot be handed back to "
        "its writer",
    ),
    (
        lambda question, value: (
            question.type not in ("text", "answer") and value != value.strip("*_`\"'“”")
        ),
        "Markdown's emphasis and quotes around a value go",
    ),
    (
        lambda question, value: question.type == "text" and "~~~" in value,
        "a reply's own fences are no part of it",
    ),
]


@pytest.fixture(params=[*names(), "sixth"])
def doors(request, tmp_path, monkeypatch):
    # No power fails in these tests, so nothing waits for the disk.
    quick = functools.partial(database.engine_of, synchronous="OFF")
    monkeypatch.setattr(database, "engine_of", quick)
    return Doors(tmp_path, request.param)


def files_store_what_the_form_stores_or_refuse_it_too(doors, data):
    question = data.draw(st.sampled_from(doors.protocol.questions))
    value = data.draw(values(question))
    row = doors.by_form(question, value)
    ways = (
        [*FILES, "source"]
        if any(field.exchange == question.id for field in doors.protocol.item.fields.values())
        else FILES
    )
    for door in ways:
        assert doors.by_file(door, question, value) == row, (door, question.id, value)


def a_judge_s_reply_stores_what_the_form_stores(doors, data):
    # Comments and reasons come with the reasoning of their question, and have no key of their own.
    question = data.draw(st.sampled_from(written(doors.protocol.questions)))
    value = data.draw(values(question))
    row, judged = doors.by_form(question, value), doors.by_judge(question, value)
    if judged is not None and judged[0] == "answered":  # what it reads is an answer at every door
        said = percentage(judged[1]) if question.type == "percent" else judged[1]
        assert doors.by_form(question, said) == judged
    if row is None:  # a reply may say a value in more words than a cell
        return
    if isinstance(value, str) and any(
        rule(question, value) for rule, _ in READ_OTHERWISE_BY_JUDGES
    ):
        return
    assert judged == row, (question.id, value)


def what_was_not_answered_has_one_row_too(doors, data):
    question = data.draw(st.sampled_from(doors.protocol.questions))
    status = data.draw(st.sampled_from(["skipped", "not_applicable", "maybe"]))
    reason = data.draw(st.sampled_from([*HOSTILE, None]))
    if reason is not None and not reason.strip():
        reason = None  # a table has no way to say an empty reason
    about, part = doors.about(question), doors.part(question)
    rater = doors.rater(question)
    (ack,) = doors.round.save(
        rater, [Event(None, about, question.id, None, part, status=status, reason=reason)]
    )
    row = said(doors, rater, question)
    assert ack.ok == (row is not None)
    head = ["item", "part", "rater"]
    for columns, cells in (
        ([*head, "question", "value", "status", "reason"], [question.id, "", status, reason or ""]),
        (
            [*head, question.id, f"{question.id}.status", f"{question.id}.reason"],
            ["", status, reason or ""],
        ),
    ):
        for suffix in (".csv", ".xlsx"):
            rater = doors.rater(question)
            rows = [[about, str(part or ""), rater, *cells]]
            with contextlib.suppress(RoundError, UnicodeEncodeError):
                written_ = (
                    formats.write_workbook(Table("f.xlsx", columns, rows))
                    if suffix == ".xlsx"
                    else doors._delimited(".csv", columns, rows)[0].read_bytes()
                )
                import_answers(doors.round, doors._file(suffix, written_)[0])
            assert said(doors, rater, question) == row, (suffix, columns, status, reason)


def said(doors, rater, question):
    for (_, part, asked), answer in doors.round.current(rater).items():
        if (part, asked) == (doors.part(question), question.id):
            # Around a reason, as around a name, a table's spaces say nothing.
            return answer.status, answer.value, (answer.reason or "").strip() or None
    return None


PROPERTIES = [
    files_store_what_the_form_stores_or_refuse_it_too,
    a_judge_s_reply_stores_what_the_form_stores,
    what_was_not_answered_has_one_row_too,
]
each = pytest.mark.parametrize("holds", PROPERTIES, ids=lambda one: one.__name__)


@each
@some
@given(data=st.data())
def test_every_door_stores_the_same_row(doors, holds, data):
    holds(doors, data)


@pytest.mark.long
@each
@many
@given(data=st.data())
def test_every_door_stores_the_same_row_of_many_more_answers(doors, holds, data):
    holds(doors, data)
