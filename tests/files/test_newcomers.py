"""Raters a file names for the first time, and slips of the pen among them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raterbook.files import import_answers
from raterbook.rounds import FileError, ItemTable, Store
from raterbook.rounds.raters import folded, is_slip, traces

from .protocols import EVERYTHING, SLOTS

HEAD = "item,rater,question,value\n"


def opened(folder, raters=("ana", "clara"), **how):
    rows = [{"id": f"c{number}", "text": "A text."} for number in range(4)]
    items = ItemTable.from_records(EVERYTHING, rows)
    return Store(folder / "r.sqlite").open("r", EVERYTHING, items, raters=raters, **how)


def put(folder, *rows):
    (folder / "a.csv").write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    return folder / "a.csv"


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("Ana", "ana"),
        (" ana", None),
        ("áná", "ana"),
        ("A N A", "ana"),
        ("clra", "clara"),
        ("calra", "clara"),
        ("claara", "clara"),
        ("cora", None),
        ("anna", None),
        ("ben", None),
        ("claro", None),
        ("clara2", None),
    ],
)
def test_a_name_almost_like_a_known_one_is_refused(tmp_path, name, like):
    stored = opened(tmp_path)
    file = put(tmp_path, "c0,clara,tone,3", f"c1,{name},tone,4")
    if like is None:
        assert import_answers(stored, file).added == 2
        return
    with pytest.raises(
        FileError,
        match=f"a.csv, row 3: {name} would be a new rater, and there is "
        f"{like}. Write {like} if they are one, or add "
        "--new-raters if they are two.",
    ):
        import_answers(stored, file)
    assert stored.frame().empty
    assert [rater.name for rater in stored.raters()] == ["ana", "clara"]


def test_two_people_of_almost_one_name_can_be_said_to_be_two(tmp_path):
    stored = opened(tmp_path)
    summary = import_answers(stored, put(tmp_path, "c1,Ana,tone,4"), new_raters=True)
    assert str(summary).splitlines() == [
        "1 answer added, 0 unchanged (Ana)",
        "new rater: Ana (person, 1 answer, not to be taken for ana)",
    ]
    again = import_answers(stored, put(tmp_path, "c1,Ana,tone,4", "c1,ana,tone,4"))
    assert str(again) == "1 answer added, 1 unchanged (Ana, ana)"


def test_one_person_spelt_in_two_ways_within_a_file_is_refused(tmp_path):
    stored = opened(tmp_path, raters=())
    with pytest.raises(FileError, match=r"row 3: Eve would be a new rater, and there is eve"):
        import_answers(stored, put(tmp_path, "c0,eve,tone,3", "c1,Eve,tone,4"))


def test_a_rater_of_another_round_is_one_identity_over_the_workspace(tmp_path):
    stored = opened(tmp_path)
    items = ItemTable.from_records(EVERYTHING, [{"id": "c0", "text": "A text."}])
    other = stored.store.open("other", EVERYTHING, items)
    with pytest.raises(FileError, match=r"Clara would be a new rater, and there is clara"):
        import_answers(other, put(tmp_path, "c0,Clara,tone,3"))


def test_who_is_new_is_told_with_how_much_they_said(tmp_path):
    stored = opened(tmp_path, raters=())
    summary = import_answers(stored, put(tmp_path, "c0,eve,tone,3", "c1,eve,tone,4", "c1,x,tone,1"))
    assert summary.newcomers == "new raters: eve (person, 2 answers), x (person, 1 answer)"


@pytest.mark.parametrize(
    "pair",
    [
        ("r1", "r2"),
        ("rater-01", "rater-10"),
        ("annotator a", "annotator b"),
        ("gpt-4", "gpt-4o"),
        ("Ev_1", "Ev_11"),
        ("राम", "रमा"),
        ("王芳", "王方"),
        ("Llama-3.1-70B", "Llama-3.3-70B"),
        ("anna", "anne"),
    ],
)
def test_names_that_differ_on_purpose_are_no_slips(pair):
    assert folded(pair[0]) != folded(pair[1])
    assert not is_slip(*pair) or "gpt" in pair[0]


def test_models_of_almost_one_name_are_models_apart(tmp_path):
    stored = opened(tmp_path)
    import_answers(stored, put(tmp_path, "c0,gpt-4,tone,3"), kind="model")
    assert import_answers(stored, put(tmp_path, "c0,gpt-4o,tone,3"), kind="model").added == 1


def test_who_comes_in_by_a_file_goes_on_in_the_form_with_what_they_answered(tmp_path):
    """With so many raters an item, the rest is dealt when a rater is added; nothing moves."""
    stored = opened(tmp_path, raters=(), per_item=2)
    import_answers(stored, put(tmp_path, "c0,eve,tone,3", "c1,eve,tone,4", "c1,mia,tone,1"))
    queues = {name: [item.key for item in stored.queue(name)] for name in ("eve", "mia")}
    assert {name: sorted(keys) for name, keys in queues.items()} == {
        "eve": ["c0", "c1"],
        "mia": ["c1"],
    }
    stored.add_rater("zoe")
    for name, keys in queues.items():
        assert [item.key for item in stored.queue(name)][: len(keys)] == keys
    dealt = [item.key for name in ("eve", "mia", "zoe") for item in stored.queue(name)]
    assert sorted(dealt) == sorted(["c0", "c1", "c2", "c3"] * 2)


def test_a_planned_rater_who_answered_more_in_a_file_has_that_in_the_queue_too(tmp_path):
    stored = opened(tmp_path, raters=("ana", "ben"), per_item=1)
    mine = [item.key for item in stored.queue("ana")]
    other = next(item.key for item in stored.queue("ben"))
    import_answers(stored, put(tmp_path, f"{other},ana,tone,3"))
    assert [item.key for item in stored.queue("ana")] == [*mine, other]


KIND = "item,rater,question,value,rater_kind"


def kinds(folder, *rows, head=KIND):
    file = folder / "k.csv"
    file.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("kind", ["adjudicator", "key"])
@pytest.mark.parametrize("before", ["", "c1,x,tone,4,\n"])
def test_a_file_makes_nobody_adjudicator_or_key(tmp_path, kind, before):
    stored = opened(tmp_path, raters=())
    file = kinds(tmp_path, f"{before}c0,x,tone,3,{kind}")
    with pytest.raises(FileError, match=f"row [23]: x is called {kind}, .* with --kind {kind}, or"):
        import_answers(stored, file)
    with pytest.raises(FileError, match=f"x is called {kind}"):
        import_answers(stored, file, kind="human")
    import_answers(stored, file, kind=kind)
    assert [rater.kind for rater in stored.raters()] == [kind]


def test_who_is_adjudicator_already_may_come_again_in_a_file(tmp_path):
    stored = opened(tmp_path, raters=())
    stored.add_rater("x", "adjudicator")
    assert import_answers(stored, kinds(tmp_path, "c0,x,tone,3,adjudicator")).added == 1


def test_the_header_of_an_items_file_makes_no_adjudicator(tmp_path):
    rows = [{"id": "c0", "text": "A text.", "auto_label": "SUPPORTED"}]
    stored = Store(tmp_path / "s.sqlite").open("s", SLOTS, ItemTable.from_records(SLOTS, rows))
    file = kinds(tmp_path, "c0,NO EVIDENCE", head="id,adjudicator_label_x")
    with pytest.raises(FileError, match="row 2: x is called adjudicator"):
        import_answers(stored, file)


def test_an_import_says_of_what_kind_each_new_rater_is(tmp_path):
    stored = opened(tmp_path, raters=())
    file = kinds(tmp_path, "c0,anna,tone,3,", "c0,gpt-x,tone,3,model", "c0,rule,tone,1,automatic")
    assert import_answers(stored, file).newcomers == (
        "new raters: anna (person, 1 answer), gpt-x (model, 1 answer), rule (automatic, 1 answer)"
    )


@given(st.lists(st.text("abAé-1 ", min_size=1, max_size=6), min_size=2, max_size=2))
def test_names_of_which_one_is_a_slip_of_the_other_share_a_trace(pair):
    assert not is_slip(*pair) or traces(pair[0]) & traces(pair[1])
