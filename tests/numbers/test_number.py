"""One number of a round: its address, its ends, and how a person reads it."""

from types import SimpleNamespace

import pytest

from raterbook.numbers.compute import corrected, possible
from raterbook.numbers.measures import comparisons
from raterbook.numbers.number import (
    Number,
    PairName,
    address,
    excludes_zero,
    is_comparison,
    is_shown,
    is_untrusted,
    minus,
    percent,
    row_of,
    statistic_of,
)


@pytest.mark.parametrize(
    ("value", "said"),
    [(0, "0"), (0.0004, "<0.1"), (0.0006, "0.1"), (0.0299, "3.0"), (0.03, "3"), (0.5, "50"),
     (0.125, "12"), (0.97, "97"), (0.971, "97.1"), (0.9994, "99.9"), (0.9996, ">99.9"), (1, "100"),
     (1.2, "120"), (-0.25, "−25"), (-0.001, "0")],
)  # fmt: skip
def test_a_share_is_a_whole_per_cent_and_finer_near_its_ends(value, said):
    assert percent(value) == said


@pytest.mark.parametrize(
    ("text", "said"), [("-0.00", "0.00"), ("-0", "0"), ("-0.10", "−0.10"), ("1e-5", "1e−5")]
)
def test_a_minus_is_a_minus_and_nothing_is_below_nothing(text, said):
    assert minus(text) == said


def row(**given):
    return Number("mean", "tone", **given).row()


@pytest.mark.parametrize(
    ("low", "high", "p", "beyond", "shown"),
    [
        (0.1, 0.5, None, True, True),
        (-0.5, -0.1, None, True, True),
        (0.0, 0.5, None, False, False),
        (-0.5, 0.0, None, False, False),
        (None, None, None, False, False),
        (0.1, 0.5, 0.049, True, True),
        (0.1, 0.5, 0.051, True, False),
        (-0.1, 0.5, 0.01, False, False),
    ],
)
def test_a_difference_is_shown_by_its_interval_and_its_corrected_p(low, high, p, beyond, shown):
    found = row(low=low, high=high, p_corrected=p)
    assert (excludes_zero(found), is_shown(found, 0.95)) == (beyond, shown)


def test_a_p_that_is_just_what_the_coverage_leaves_shows_nothing():
    found = row(low=0.1, high=0.5, p_corrected=0.25)
    assert (is_shown(found, 0.75), is_shown(found, 0.74)) == (False, True)


def test_comparisons_corrected_in_one_way_are_counted_together_and_groups_are_not_counted():
    made = [
        Number("difference", "use", pair=("a", name), p=p, correction=way, group=group)
        for name, p, way, group in (
            ("b", 0.01, "holm", None),
            ("c", 0.03, "holm", None),
            ("d", 0.04, "benjamini-yekutieli", None),
            ("e", 0.01, "holm", {"domain": "law"}),
        )
    ]
    assert [each.p_corrected for each in corrected(made)] == [
        *(pytest.approx(0.02), pytest.approx(0.03), pytest.approx(0.04), None)
    ]
    assert [each.p_holm for each in corrected(made)][2:] == [None, None]


def test_a_number_is_found_by_statistic_question_and_group_in_the_reading_that_leads():
    rows = [
        row(estimate=1.0, aggregate="micro"),
        row(estimate=2.0, aggregate="macro"),
        row(estimate=3.0, group={"model": "a"}),
        Number("mean", "use", estimate=4.0).row(),
        Number("sd", "use", estimate=5.0).row(),
    ]

    def found(*where):
        one = row_of(rows, *where)
        return None if one is None else one["estimate"]

    assert found("mean", "tone") == 2
    assert found("mean", "tone", {"model": "a"}) == 3
    assert (found("mean"), found("sd"), found("mean", "use", {})) == (2, 5, 4)
    assert (found("sd", "tone"), found("mean", "tone", {"model": "b"})) == (None, None)


def test_an_address_names_statistic_question_reading_and_group():
    group = {"model": "atlas-2", "rater": "ana"}
    found = row(aggregate="macro", group=group)
    assert address(found) == "mean:tone[aggregate=macro, model=atlas-2, rater=ana]"
    assert address(row()) == "mean:tone"
    assert address(Number("overall_mean").row()) == "overall_mean"
    assert statistic_of("mean:tone[a:b=c]") == ("mean", "tone[a:b=c]")


def test_two_systems_are_one_name_that_can_be_turned():
    pair = PairName("a", "b")
    assert (pair, pair.turned, pair.turned.names) == ("a − b", "b − a", ("b", "a"))
    found = Number("difference", "tone", pair=("a", "b"), group={"topic": "law"})
    assert found.row()["group"] == {"topic": "law", "systems": "a − b"}
    assert not found.is_comparison
    assert not is_comparison(found.row())
    whole = Number("difference", "tone", pair=("a", "b"))
    assert whole.is_comparison
    assert is_comparison(whole.row())
    micro = Number("difference", "tone", pair=("a", "b"), aggregate="micro")
    assert (micro.is_comparison, is_comparison(micro.row())) == (False, False)
    assert not is_comparison(row(group={"systems": "a − b"}))


@pytest.mark.parametrize(
    ("ends", "cut", "said"),
    [
        ((0.5, 1.2, 0.4, 0.9), (0.5, 1.0, 0.4, 0.9), ("few_clusters", "cut_at_scale")),
        ((-0.1, 0.9, -0.2, 1.5), (0.0, 0.9, 0.0, 1.0), ("few_clusters", "cut_at_scale")),
        ((0.0, 1.0, -0.1, 1.1), (0.0, 1.0, 0.0, 1.0), ("few_clusters",)),
        ((None, None, None, None), (None, None, None, None), ("few_clusters",)),
    ],
)
def test_an_interval_ends_where_the_scale_does_and_says_so_of_the_ends_that_pages_print(
    ends, cut, said
):
    names = ("low", "high", "low_like", "high_like")
    one = Number("mean", "tone", warnings=("few_clusters",), **dict(zip(names, ends, strict=True)))
    found = one.within((0.0, 1.0))
    assert tuple(getattr(found, name) for name in names) == cut
    assert found.warnings == said
    assert one.within(None) is one


def test_nothing_is_decided_where_hardly_anybody_ever_differs():
    assert is_untrusted(row(warnings=("few_clusters", "too_few_disagreements")))
    assert not is_untrusted(row(warnings=("few_clusters",)))
    assert not is_untrusted({})


@pytest.mark.parametrize(
    ("statistic", "ends"),
    [
        ("mean", (1.0, 7.0)),
        ("sd", None),
        ("mae", (0.0, 4.0)),
        ("bias", (-4.0, 4.0)),
        ("macro_f1_halves", (0.0, 1.0)),
        ("difference", (-4.0, 4.0)),
    ],
)
def test_what_a_number_can_be_is_known_from_its_questions(statistic, ends):
    ranges = {"tone": (1.0, 5.0), "use": (4.0, 7.0)}
    measure = {"statistic": statistic, "question": ["tone", "use"]}
    assert possible(Number(statistic), ranges, measure) == ends
    assert possible(Number("bias"), {}, measure) is None
    shares = measure | {"is": [5]}
    assert possible(Number("difference", question="tone"), ranges, shares) == (-1.0, 1.0)


def test_a_machine_is_compared_in_all_ways_that_the_protocol_does_not_compare_a_model_in():
    tone, kind = (
        SimpleNamespace(id=name, is_score=name == "tone", is_label=name == "kind")
        for name in ("tone", "kind")
    )
    declared = [
        {"statistic": "exact", "question": "kind"},
        {"statistic": "mae", "question": "tone"},
    ]
    asked = {
        machine: {
            measure["statistic"]: measure["question"]
            for measure in comparisons({machine: [tone, kind]}, declared)
        }
        for machine in ("model", "automatic")
    }
    rest = {name: ["tone"] for name in ("within_one", "bias", "spearman")}
    assert asked["model"] == {"exact": ["tone"], **rest}
    assert asked["automatic"] == {"exact": ["tone"], "mae": ["tone"], **rest}
