"""What a report may be told is checked against the round before anything is counted."""

import pytest

from raterbook.numbers.compute import numbers
from raterbook.numbers.parameters import Parameters
from tests.reporting.rounds import asking, measured, opened, scale

ITEMS = [{"id": f"i{n}", "text": "A text.", "topic": "ab"[n % 2]} for n in range(4)]


@pytest.fixture
def stored(tmp_path):
    """ana and ben rated four items; the model owl one, and eva, who is excluded, one."""
    text = asking({"s": scale(3)}, [measured("mean", "s")], groups=["topic"])
    given = [(name, f"i{n}", "s", 1 + n % 3) for name in ("ana", "ben") for n in range(4)]
    given += [("chief", "i0", "s", 2), ("eva", "i0", "s", 2)]
    made = opened(tmp_path, text=text, items=ITEMS, answers=given, kinds={"chief": "adjudicator"})
    made.exclude("eva", "a test")
    return made


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"coverage": 1}, "parameter coverage: 1.0 is not between .5 and 1."),
        ({"coverage": 0.4999}, "parameter coverage: 0.4999 is not between .5 and 1."),
        ({"coverage": "wide"}, "parameter coverage: 'wide' is not a number."),
        ({"resamples": 99}, "parameter resamples: 99 is not 100 to 1,000,000."),
        ({"resamples": 1_000_001}, "parameter resamples: 1000001 is not 100 to 1,000,000."),
        ({"resamples": 100.5}, "parameter resamples: 100.5 is not a whole number."),
        ({"seed": -1}, "parameter seed: -1 is below 0."),
        ({"seed": True}, "parameter seed: True is not a whole number."),
        ({"interval": "wald"}, "'wald' is not one of jackknife, bootstrap, bca, analytic."),
        ({"ties": "last"}, "parameter ties: 'last' is not one of none, first."),
        ({"pseudonyms": "perhaps"}, "parameter pseudonyms: 'perhaps' is not true or false."),
        ({"covrage": 0.9}, "Unknown report parameter 'covrage': .* Did you mean coverage?"),
        ({"raters": ["zoe"]}, r"by-hand has no 'zoe'. Choose from ana, ben\.$"),
        ({"raters": ["eva"]}, "eva is excluded from by-hand .a test."),
        ({"raters": ["chief"]}, "chief is of the kind adjudicator"),
        ({"questions": "t"}, "parameter questions: by-hand has no 't'. Choose from s."),
        ({"groups": "place"}, "parameter groups: by-hand has no 'place'. Choose from .*topic"),
    ],
)
def test_what_no_round_can_be_told_is_refused_with_what_can_be(stored, given, said):
    with pytest.raises(ValueError, match=said):
        numbers(stored, **given)


@pytest.mark.parametrize(
    "given",
    [{"coverage": 0.5}, {"resamples": 100}, {"resamples": 1_000_000}, {"seed": 0}, {"seed": "7"}],
)
def test_what_is_just_within_bounds_is_taken(stored, given):
    [name] = given
    assert numbers(stored, **given).parameters[name] == float(given[name])


def test_names_may_stand_in_one_text_or_in_a_list():
    made = Parameters("r", raters=" ana, ben,", questions=["s"], groups=None, pseudonyms="Yes")
    assert (made.raters, made.questions, made.groups) == (("ana", "ben"), ("s",), ())
    assert made.pseudonyms is True
    with pytest.raises(ValueError, match="give the name of a round"):
        Parameters("")


def test_a_group_asked_for_joins_those_that_are_declared(stored):
    found = numbers(stored, groups="topic").rows
    by_topic = {row["group"]["topic"]: row["estimate"] for row in found if row["group"]}
    assert by_topic == {"a": 2.0, "b": 1.5}


def test_groups_whose_names_look_alike_are_refused_with_both(tmp_path):
    rows = [
        {**item, "sort": letter}
        for item, letter in zip(ITEMS, ("a", "a\u3164", "b", "a"), strict=True)
    ]
    given = [("ana", f"i{n}", "s", 1) for n in range(4)]
    stored = opened(tmp_path, text=asking({"s": scale(3)}, [measured("mean", "s")]), items=rows,
                    answers=given)  # fmt: skip
    with pytest.raises(ValueError, match=r"of sort, 'a.u3164' looks like 'a', and"):
        numbers(stored, groups="sort")


def test_only_named_raters_count(stored):
    row = numbers(stored, raters="ana").get("mean", "s")
    assert (row["estimate"], row["raters"], row["n_raters"]) == (1.75, ["ana"], 1)


def test_what_nobody_told_is_the_usual():
    assert Parameters("r").to_dict() == {
        "round": "r", "raters": None, "questions": None, "groups": [], "coverage": 0.95,
        "interval": "jackknife", "resamples": 2000, "seed": 0, "ties": "none", "pseudonyms": False,
    }  # fmt: skip
    assert Parameters("r", interval="bootstrap", seed=1).other() == {
        "interval": "bootstrap", "seed": 1,
    }  # fmt: skip
    assert Parameters("r", seed=1, resamples=400).other() == {}
