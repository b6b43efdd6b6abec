"""Whatever stands in a file of the right outer shape: it is taken, or refused in words that name
the file. Nothing else is raised, for any layout and both kinds of doors."""

import itertools
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raterbook.files import import_answers, read_items, read_parts
from raterbook.files.formats import FORMATS
from raterbook.files.table import Table, checked
from raterbook.rounds import ItemTable, RoundError, Store

from .protocols import EVERYTHING, SLOTS

many = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
ROWS = [
    {"id": "c1", "model": "m1", "text": "A text."},
    {"id": "c1", "model": "m2", "text": "Another."},
]
COUNTER = itertools.count()

WORDS = (
    "tone verdict remark overall sure claim fair c1/m1 c1 m1 ana 4 ok okay submitted draft",
    "answered skipped human adjudicator rating choices textarea number 2024-06-01T12:00:00Z",
    "0001-01-01 item id model question value rater status metadata fields data part responses",
    "user_id values completed_by result from_name type annotations predictions updated_at email",
)
words = st.sampled_from(" ".join(WORDS).split())
odd = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(st.characters(), max_size=5),
    st.sampled_from(["\ud800", "\x00", "\x1b[2J", "=1+1", "9" * 400, "e" * 5_000, "‮"]),
    words,
)
anything = st.recursive(
    odd,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)


def or_odd(usual):
    """Mostly what is usual, so that reading goes on to what lies deeper."""
    return st.integers(0, 14).flatmap(lambda n: anything if n == 7 else usual)


def of(**fields):
    """An object with these fields, each of them now and then something else."""
    return st.fixed_dictionaries({name: or_odd(each) for name, each in fields.items()})


items = of(item=st.sampled_from(["c1/m1", "c1/m2"]))
results = of(
    from_name=st.sampled_from(["tone", "verdict", "remark"]),
    type=st.sampled_from(["rating", "choices", "textarea", "number"]),
    value=of(rating=odd, choices=st.lists(odd, max_size=2), text=st.lists(odd, max_size=2)),
)
TASKS = of(
    data=items,
    annotations=st.lists(
        of(
            completed_by=st.sampled_from(["ana", 1, {"email": "a@b"}]),
            was_cancelled=st.just(False),
            updated_at=st.just("2024-06-01T12:00:00Z"),
            result=st.lists(results, max_size=2),
        ),
        max_size=2,
    ),
    predictions=anything,
)
said = of(value=odd, user_id=st.just("ana"), status=st.just("submitted"))
RECORDS = of(
    id=odd,
    metadata=items,
    fields=items,
    responses=st.one_of(
        st.dictionaries(words, or_odd(st.lists(said, max_size=2)), max_size=2),
        st.lists(of(values=st.dictionaries(words, anything, max_size=2), user_id=odd), max_size=2),
    ),
) | st.fixed_dictionaries(
    {
        "id": st.just("c1/m1"),
        "tone.responses": anything,
        "tone.responses.users": anything,
        "tone.responses.status": anything,
    }
)


@pytest.fixture(scope="module")
def rounds(tmp_path_factory):
    place = tmp_path_factory.mktemp("any")
    store = Store(place / "r.sqlite")
    one = store.open("e", EVERYTHING, ItemTable.from_records(EVERYTHING, ROWS))
    labels = [{"id": "c1", "text": "A text.", "auto_label": "SUPPORTED"}]
    return {
        "e": one,
        "s": store.open("s", SLOTS, ItemTable.from_records(SLOTS, labels)),
        "folder": place,
    }


def ends_in_words(name, door):
    try:
        words = str(door())
    except RoundError as error:
        words = str(error)
        if not words.startswith(name):
            raise
    assert len(words) < 20_000


@pytest.mark.parametrize("records", [TASKS, RECORDS], ids=["label-studio", "argilla"])
@given(data=st.data())
@many
def test_any_records_of_a_tool_are_taken_or_refused_in_words(rounds, records, data):
    content = data.draw(or_odd(st.lists(records, max_size=3)))
    file = rounds["folder"] / "a.json"
    file.write_text(json.dumps(content))
    ends_in_words("a.json", lambda: import_answers(rounds["e"], file, replace=True))


USUAL = {
    "item": ["c1/m1", "c1/m2"],
    "id": ["c1"],
    "model": ["m1", "m2"],
    "rater": ["ana", "ben", "gpt-x"],
    "question": ["tone", "verdict", "remark", "overall"],
    "value": ["4", "ok", "5"],
    "tone": ["1", "5", ""],
    "verdict": ["ok", ""],
    "auto_label": ["SUPPORTED"],
    "human_label": ["SUPPORTED", "NO EVIDENCE"],
    "human_label_ana": ["SUPPORTED", ""],
    "rater_kind": ["", "human", "model"],
    "answered_at": ["", "2024-06-01T12:00:00Z"],
    "status": ["", "answered"],
}
HEADERS = {
    "long": "item rater question value | part replicate status reason confidence seconds "
    "answered_at rater_kind rater_version comment case",
    "wide": "id model rater tone verdict | tone.status tone.confidence part replicate rater_kind",
    "source": "id text | auto_label human_label notes human_label_ana model_label_x key_label_y",
    "typed": "item part rater question value number revision | confidence answered_at rater_kind",
}
cells = odd.map(str)


@pytest.mark.parametrize("layout", HEADERS)
@given(data=st.data())
@many
def test_any_cells_of_a_table_are_taken_or_refused_in_words(rounds, layout, data):
    fewest, more = (names.split() for names in HEADERS[layout].split("|"))
    some = data.draw(st.lists(st.sampled_from(more), max_size=3, unique=True))
    strange = data.draw(st.lists(cells, max_size=1)) if data.draw(st.integers(0, 9)) == 5 else []
    columns = list(dict.fromkeys([*fewest, *some, *strange]))
    row = st.tuples(*(or_odd(st.sampled_from(USUAL.get(name, [""]))).map(str) for name in columns))
    rows = [list(each) for each in data.draw(st.lists(row, min_size=1, max_size=4))]
    table = Table("a.csv", columns, rows, range(2, len(rows) + 2))
    stored = rounds["s" if layout == "source" else "e"]
    rater = data.draw(st.sampled_from([None, None, None, "ana"]))
    kind = data.draw(st.sampled_from([None, None, "model", "key"]))
    ends_in_words(
        "a.csv",
        lambda: import_answers(stored, checked(table), rater=rater, kind=kind, replace=True),
    )


@pytest.mark.parametrize("ending", FORMATS)
@given(data=st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
@many
def test_any_bytes_under_any_ending_are_taken_or_refused_in_words(rounds, ending, data):
    file = rounds["folder"] / f"a{ending}"
    file.write_bytes(data)
    for door in (
        lambda: import_answers(rounds["e"], file),
        lambda: read_items(file, EVERYTHING),
        lambda: read_parts(file, EVERYTHING, ItemTable.from_records(EVERYTHING, ROWS)),
    ):
        ends_in_words(file.name, door)
