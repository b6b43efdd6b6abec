"""What goes out comes back: the same frame in a new round, for every layout and format."""

import itertools
import string

import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from raterbook.files import export_answers, import_answers
from raterbook.rounds import Event, ItemTable, PartRow, Store
from raterbook.rounds.model import APPOINTED

from .protocols import EVERYTHING, SLOTS

RATERS = {
    "ana": ("human", None),
    "Zoë O'Brien": ("human", None),
    "=ben": ("human", None),
    "Llama-3.3-70B": ("model", "2024-12"),
    "rule": ("automatic", None),
    "key": ("key", None),
    "judge Ω": ("adjudicator", None),
}
COUNTER = itertools.count()
AXES = ["item", "case", "part", "rater", "rater_kind", "question", "replicate"]
SAID = ["value", "number", "status", "confidence", "role", "cluster", "model", "domain"]
TIMES = ["seconds", "answered_at"]
slow = settings(
    max_examples=12,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

names = st.text(string.ascii_letters + string.digits + "=-'._é中 ", min_size=1, max_size=8).filter(
    lambda name: name == name.strip() and name.isprintable()
)
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20),
    st.sampled_from(
        [
            "=1+1",
            "'=x",
            "''@y",
            "-",
            "-1",
            "a\r\nb",
            "a\rb",
            '"',
            'say "no"',
            " edge ",
            "NaN",
            "nan",
            "None",
            "_x000D_",
            "é中文🙂",
            "\ttab",
            "1e5",
            "0123",
            "+\n",
        ]
    ),
).filter(str.strip)
VALUES = {
    "tone": st.integers(1, 5),
    "balance": st.integers(-2, 2),
    "overall": st.one_of(st.integers(1, 5), st.decimals(1, 5, places=4).map(float)),
    "tone_comment": texts,
    "verdict": st.sampled_from(["nan", "=good", "NO EVIDENCE", "ok"]),
    "remark": texts,
    "sure": st.one_of(st.integers(0, 100), st.decimals(1, 100, places=3).map(float)),
    "fair": st.sampled_from(["yes", "no"]),
    "short": st.one_of(texts, st.just("<Unanswerable>")),
    "claim": st.sampled_from(["holds", "fails"]),
    "worth": st.sampled_from([0, 0.25, 0.5, 0.75, 1]),
}


@st.composite
def answers(draw, items, questions, raters, plain=False):
    """Answers with every status, by (rater, event), each cell once."""
    found = {}
    for _ in range(draw(st.integers(0, 12))):
        question = draw(st.sampled_from(questions))
        asked = next(q for q in EVERYTHING.questions + SLOTS.questions if q.id == question)
        item, case = draw(st.sampled_from(items))
        rater = draw(st.sampled_from(raters))
        about = case if asked.of == "case" else item
        part = draw(st.integers(1, 2)) if asked.per == "part" else 0
        replicate = 1 if plain else draw(st.sampled_from([1, 1, 1, 2]))
        status = (
            "answered"
            if plain
            else draw(st.sampled_from(["answered"] * 5 + ["skipped", "not_applicable"]))
        )
        extra = (
            {}
            if plain
            else {
                "reason": draw(st.sampled_from([None, "no_kg", "=because, of"])),
                "confidence": draw(st.sampled_from([None, None, 0, "0.5%", 85, 99.75])),
                "seconds": draw(st.sampled_from([None, 0, 1.25])),
                "client_time": draw(st.sampled_from([None, "2024-06-01T12:00:00.123456Z"])),
            }
        )
        value = draw(VALUES.get(question, texts)) if status == "answered" else None
        found[rater, about, part, question, replicate] = Event(
            None, about, question, value, part, replicate, status, **extra
        )
    return [(key[0], event) for key, event in found.items()]


@st.composite
def everything(draw):
    cases = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    rows = [
        {"id": case, "model": model, "text": draw(texts), "domain": "" if number else "law"}
        for number, case in enumerate(cases)
        for model in ("=m1", "m 2")
    ]
    pairs = [(f"{row['id']}/{row['model']}", row["id"]) for row in rows]
    asked = [question.id for question in EVERYTHING.questions]
    return rows, draw(answers(pairs, asked, list(RATERS)))


def opened(store, protocol, rows, parts=()):
    items = ItemTable.from_records(protocol, rows)
    return store.open(f"r{next(COUNTER)}", protocol, items, parts=parts or None)


def save(stored, events):
    for rater in dict.fromkeys(rater for rater, _ in events):
        kind, version = RATERS[rater]
        stored.add_rater(rater, kind, version)
        acks = stored.save(rater, [event for name, event in events if name == rater])
        assert all(ack.ok for ack in acks), acks


def said(stored, columns):
    frame = stored.frame(texts=True)
    kept = [name for name in AXES + columns if name in frame]
    plain = frame[kept].astype(object).where(frame[kept].notna(), None)
    return plain.sort_values(AXES, key=lambda column: column.astype(str)).reset_index(drop=True)


def there_and_back(tmp_path, protocol, rows, parts, events, layout, suffix, columns, rater=None):
    number = next(COUNTER)
    first = opened(Store(tmp_path / f"a{number}.sqlite"), protocol, rows, parts)
    save(first, events)
    file = tmp_path / f"out{number}{suffix}"
    export_answers(first, file, layout)
    second = opened(Store(tmp_path / f"b{number}.sqlite"), protocol, rows, parts)
    for told in {name for name, _ in events if RATERS[name][0] in APPOINTED}:
        second.add_rater(told, RATERS[told][0])  # no file does that
    if events:
        import_answers(second, file, rater=rater)
        again = import_answers(second, file, rater=rater)
        assert again.added == 0
    pd.testing.assert_frame_equal(said(first, columns), said(second, columns))
    first.store.dispose()
    second.store.dispose()
    return file


def parts_of(rows):
    return [
        PartRow(f"{row['id']}/{row['model']}", number, f"Sentence {number}.")
        for row in rows
        for number in (1, 2)
    ]


@pytest.mark.parametrize(
    ("layout", "suffix"),
    [
        ("long", ".csv"),
        ("long", ".tsv"),
        ("long", ".jsonl"),
        ("long", ".xlsx"),
        ("parquet", ".parquet"),
    ],
)
@given(data=everything())
@slow
def test_long_and_parquet_carry_everything(tmp_path, layout, suffix, data):
    rows, events = data
    there_and_back(tmp_path, EVERYTHING, rows, parts_of(rows), events, layout, suffix, SAID + TIMES)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".xlsx"])
@given(data=everything())
@slow
def test_wide_carries_all_but_times_and_names_them_in_its_header(tmp_path, suffix, data):
    rows, events = data
    file = there_and_back(tmp_path, EVERYTHING, rows, parts_of(rows), events, "wide", suffix, SAID)
    if suffix == ".csv":
        header = file.read_text(encoding="utf-8").splitlines()[0] if events else ""
        assert ("seconds" in header) == any(event.seconds is not None for _, event in events)
        assert ("answered_at" in header) == any(event.client_time for _, event in events)


@pytest.mark.parametrize("layout", ["wide", "source"])
@given(data=st.data())
@slow
def test_the_items_file_carries_labels_and_notes(tmp_path, layout, data):
    rows = [
        {
            "id": f"s{number}",
            "text": data.draw(texts),
            "auto_label": "SUPPORTED",
            "human_label": "",
            "notes": "",
        }
        for number in range(3)
    ]
    people = data.draw(
        st.sampled_from(
            [
                ["ana"],
                ["ana", "Zoë O'Brien"],
                ["Llama-3.3-70B"],
                ["ana", "judge Ω", "key"],
                ["=ben"],
            ]
        )
    )
    pairs = [(row["id"], row["id"]) for row in rows]
    labels = {"label": st.sampled_from(["SUPPORTED", "NO EVIDENCE"]), "notes": texts}
    found = {}
    for rater in people:
        for item, _ in pairs:
            for question, values in labels.items():
                value = data.draw(st.none() | values)
                if value is not None:
                    found[rater, item, question] = Event(None, item, question, value)
    events = [(key[0], event) for key, event in found.items()]
    told = {rater for rater, _ in events}
    humans = [rater for rater in told if RATERS[rater][0] == "human"]
    others = any(RATERS[rater][0] == "adjudicator" for rater in told)
    rater = humans[0] if len(humans) == 1 and not others else None
    there_and_back(tmp_path, SLOTS, rows, (), events, layout, ".csv", SAID, rater)


@pytest.mark.parametrize("layout", ["label-studio", "argilla"])
@given(data=everything())
@slow
def test_the_files_of_other_tools_carry_what_people_answered_and_name_the_rest(
    tmp_path, layout, data
):
    rows, events = data
    number = next(COUNTER)
    first = opened(Store(tmp_path / f"a{number}.sqlite"), EVERYTHING, rows, parts_of(rows))
    save(first, events)
    file = tmp_path / f"out{number}.json"
    refused = [each.replicate > 1 for _, each in events]
    if layout == "label-studio":
        refused += [
            each.question == "sure" and each.value is not None and 0 < each.value < 1
            for _, each in events
        ]
    if any(refused):
        with pytest.raises(ValueError, match=f"The layout {layout} cannot carry .*Use long"):
            export_answers(first, file, layout)
        first.store.dispose()
        return
    left = str(export_answers(first, file, layout))
    for rater, event in events:
        people = RATERS[rater][0] == "human"
        assert people or f"answers of {rater}" in left
        assert not people or event.status == "answered" or event.status.replace("_", " ") in left
        assert not (people and event.reason) or "reasons" in left
    columns = ["value", "number"]
    kept = said(first, [*columns, "status"])
    kept = kept[(kept["rater_kind"] == "human") & (kept["status"] == "answered")]
    kept = kept.drop(columns="status").reset_index(drop=True)
    second = opened(Store(tmp_path / f"b{number}.sqlite"), EVERYTHING, rows, parts_of(rows))
    if len(kept):
        import_answers(second, file)
        assert import_answers(second, file).added == 0
        pd.testing.assert_frame_equal(kept, said(second, columns), check_dtype=False)
    first.store.dispose()
    second.store.dispose()
