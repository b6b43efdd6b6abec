"""The upstream cache: 1,000 entries with every kind of mismatch, counted and flagged."""

import json
from collections import Counter

import pytest

from raterbook.judges.questions import import_upstream
from raterbook.judges.questions.upstream import FLAGS


def entry(n, **changes):
    whole = {
        "key_info": [f"info {n} a", f"info {n} b"],
        "question": [f"Who was in {n}?", f"When was {n}?"],
        "answers": [f"person {n}", "无法推断"],
    }
    whole.update(changes)
    return {key: value for key, value in whole.items() if value is not None}


# What is wrong → (changes to the entry or the entry itself, flags, questions, answers).
KINDS = [
    ("whole", {}, [], 2, 2),
    ("more key_info", {"key_info": ["a", "b", "c"]}, ["key_info_count"], 2, 2),
    ("no key_info", {"key_info": None}, [], 2, 2),
    ("key_info no list", {"key_info": "a, b"}, ["key_info_count"], 2, 2),
    ("one answer less", {"answers": ["x"]}, ["answer_count"], 2, 0),
    ("one answer more", {"answers": ["x", "y", "z"]}, ["answer_count"], 2, 0),
    ("no answers", {"answers": []}, ["no_answers"], 2, 0),
    ("answers absent", {"answers": None}, ["no_answers"], 2, 0),
    ("answers a text", {"answers": "x\ny"}, ["no_answers"], 2, 0),
    ("blank answer", {"answers": ["x", " "]}, ["blank_answer"], 2, 1),
    ("answer null", {"answers": [None, "y"]}, ["blank_answer"], 2, 1),
    ("answer a number", {"answers": [7, {"a": 1}]}, ["blank_answer", "blank_answer"], 2, 0),
    ("blank question", {"question": ["", "When?"]}, ["blank_question"], 1, 1),
    ("question null", {"question": ["Who?", None]}, ["blank_question"], 1, 1),
    ("question twice", {"question": ["Who?", "Who?"]}, ["repeated_question"], 1, 1),
    (
        "all counts differ",
        {"key_info": ["a"], "question": ["q1", "q2", "q3"]},
        ["key_info_count", "answer_count"],
        3,
        0,
    ),
    ("no questions", {"question": []}, ["no_questions"], 0, 0),
    ("questions absent", {"question": None}, ["no_questions"], 0, 0),
    ("questions a text", {"question": "Who?"}, ["no_questions"], 0, 0),
    (
        "all blank",
        {"question": ["", None]},
        ["blank_question", "blank_question", "no_questions"],
        0,
        0,
    ),
    ("a list", ["x"], ["not_an_entry"], 0, 0),
    ("null", None, ["not_an_entry"], 0, 0),
    ("a number", 3.5, ["not_an_entry"], 0, 0),
    ("odd characters", {"answers": ["x\x00y", "\ud800z"]}, [], 2, 2),
    ("unknown", {}, ["unknown_case"], 0, 0),
]
COUNT = 1_000


@pytest.fixture
def thousand(opened, tmp_path):
    """The round, the cache file, and what each entry should come to."""
    content, expected = {}, {}
    for n in range(COUNT):
        name, changes, flags, asked, said = KINDS[n % len(KINDS)]
        id = f"{'x' if name == 'unknown' else 's'}{n}"
        content[id] = entry(n, **changes) if isinstance(changes, dict) else changes
        expected[id] = (flags, asked, said)
    path = tmp_path / "task_quest_gt_save.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    stored = opened(*((id, f"reference {id}", {"m": "text"}) for id in expected if id[0] == "s"))
    return stored, path, expected


def test_a_thousand_entries_are_counted_and_flagged_right(thousand):
    stored, path, expected = thousand
    found = import_upstream(stored, path, version="gpt-3.5-turbo")
    assert found.entries == COUNT
    assert found.counts == Counter(flag for flags, _, _ in expected.values() for flag in flags)
    assert found.questions == sum(asked for _, asked, _ in expected.values())
    assert found.answers == sum(said for _, _, said in expected.values())
    assert found.cases == sum(asked > 0 for _, asked, _ in expected.values())
    by_id = {}
    for name, flag, _ in found.flags:
        by_id.setdefault(name, []).append(flag)
    assert by_id == {id: flags for id, (flags, _, _) in expected.items() if flags}
    assert set(found.counts) <= set(FLAGS)
    assert {case.key: len(case.parts) for case in stored.cases()} == {
        id: asked for id, (_, asked, _) in expected.items() if id[0] == "s"
    }
    frame = stored.frame()
    given = frame[frame["status"].eq("answered")].groupby("case", observed=True).size()
    assert given.to_dict() == {id: said for id, (_, _, said) in expected.items() if said}
    # An answer that could not be matched is on record as skipped, and has no value.
    mismatched = frame[frame["case"].eq("s4")]
    assert set(mismatched["status"]) == {"skipped"}
    assert mismatched["value"].isna().all()


def test_imported_again_it_changes_nothing(opened, tmp_path):
    stored = opened(("s1", "reference", {"m": "text"}))
    content = {"s1": entry(1)}
    first = import_upstream(stored, content)
    before = stored.data_hash()
    again = import_upstream(stored, content)
    assert (first.questions, again.questions) == (2, 0)
    assert stored.data_hash() == before
    assert again.flags == []


def test_sentinels_of_upstream_become_unanswerable(opened):
    stored = opened(("s1", "reference", {"m": "text"}))
    found = import_upstream(stored, {"s1": entry(1, answers=["无法推断。", " <Unanswerable> "])})
    assert found.unanswerable == 2
    assert set(stored.frame()["value"]) == {"<Unanswerable>"}
    assert stored.raters()[0].kind == "model"


def test_key_info_is_never_taken_by_position_where_the_counts_differ(opened):
    stored = opened(("s1", "reference", {"m": "text"}), ("s2", "reference", {"m": "text"}))
    import_upstream(stored, {"s1": entry(1), "s2": entry(2, key_info=["a", "b", "c"])})
    with stored.store.read() as connection:
        hidden = stored.inside(connection).hidden
    cases = {case.key: case.id for case in stored.cases()}
    assert hidden[cases["s1"], 2]["key_info"] == "info 1 b"
    assert "key_info" not in hidden[cases["s2"], 2]


def test_cases_with_other_questions_keep_them_and_missing_ones_are_named(opened):
    stored = opened(("s1", "reference", {"m": "t"}), ("s2", "reference", {"m": "t"}))
    import_upstream(stored, {"s1": entry(1), "s2": entry(2)})
    found = import_upstream(stored, {"s1": entry(7)})
    assert found.flagged("other_questions") == ["s1"]
    assert found.flagged("not_in_file") == ["s2"]
    assert [part.text for part in stored.cases()[0].parts] == ["Who was in 1?", "When was 1?"]
    assert "1 × the case has other questions already; left out" in str(found)


def test_an_id_that_stands_twice_with_different_contents_is_left_out(opened, tmp_path):
    path = tmp_path / "cache.json"
    one, two = json.dumps(entry(1)), json.dumps(entry(2))
    path.write_text(f'{{"s1": {one}, "s1": {two}, "s2": {one}, "s2": {one}}}', encoding="utf-8")
    stored = opened(("s1", "reference", {"m": "t"}), ("s2", "reference", {"m": "t"}))
    found = import_upstream(stored, path)
    assert found.flagged("repeated_id") == ["s1"]
    assert (found.cases, found.questions) == (1, 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1, 2]", "the cache is one object of entries by ID, and this is a list"),
        ('{"s1": ', "line 1, column 8: not JSON"),
        ("", "line 1, column 1: not JSON"),
        ("[" * 100_000, "nested too deeply"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (None, "there is no such file"),
    ],
)
def test_a_file_that_is_no_cache_says_so(opened, tmp_path, content, message):
    path = tmp_path / "cache.json"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=message):
        import_upstream(opened(("s1", "reference", {"m": "t"})), path)
