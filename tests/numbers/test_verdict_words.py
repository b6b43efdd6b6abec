"""The sentence about a model beside people, from tests and numbers made by hand."""

from dataclasses import replace

import pytest
from scipy.stats import t as student

from raterbook.analysis.comparison import Ratio
from raterbook.analysis.comparison.annotators import AnnotatorTest, ModelPair, PersonTest
from raterbook.analysis.comparison.habits import GroupApart
from raterbook.analysis.comparison.persons import Contrast
from raterbook.analysis.estimate import Estimate
from raterbook.numbers.compare.comparison import (
    ASSIST,
    NOT,
    REPLACE,
    UNKNOWN,
    Compared,
    Comparison,
    Shown,
    Verdict,
    items_to_tell,
    severity_said,
    verdict_of,
)
from raterbook.numbers.compare.ranking import Ranked, RankedModel
from raterbook.numbers.compare.rows import entries, rows_of
from raterbook.numbers.compare.strictness import Strictness, severities
from raterbook.numbers.targets import round_up
from raterbook.protocols.comparisons import facts


def person(name="ana", value=0.05, se=0.1, n=60, clusters=20, **more):
    return PersonTest(name, Ratio(value, se, n, clusters, 1.5), 0.6, 0.2, 0.1, 0.9, **more)


def judged(*persons, epsilon=0.15, highest=None, reason=None, left_out=None, n_clusters=20):
    advantage = Estimate(0.584, 0.5, 0.66, statistic="advantage", n_units=60)
    return AnnotatorTest(epsilon, persons, left_out or {}, advantage, highest, n_clusters, reason)


def compared(test, question="tone", rho=0.4, **more):
    plain = (Estimate(0.5, rho, 0.9, statistic="spearman"),)
    nothing = Verdict(UNKNOWN, "")
    return Compared(question, {}, 60, 0, plain, more.pop("beside", ()), more.pop("alphas", ()),
                    test, (), more.pop("verdict", nothing), **more)  # fmt: skip


WON = {"rejected": True, "rejected_plain": True}
NEARER = "it was at least as near to the others as a person on 58 % of their items (50–66 %)"


def test_half_of_the_persons_are_enough_to_replace_them():
    found = verdict_of(compared(judged(person(**WON), person("ben"))), "gauge")
    assert found.kind == REPLACE
    assert found.sentence == (
        f"gauge may replace these people: {NEARER}, and it stands in for 1 of 2 persons at "
        "ε 0.15. Of other people nothing can be said with fewer than three."
    )
    three = judged(person(**WON), person("ben"), person("cai"))
    assert verdict_of(compared(three), "gauge").kind != REPLACE


@pytest.mark.parametrize(
    ("highest", "said"),
    [
        (0.14, "So it may replace other people like them."),
        (0.15, "Whether it may replace other people like them is not shown."),
    ],
)
def test_of_other_people_the_upper_end_must_lie_below_epsilon(highest, said):
    test = judged(person(**WON), highest=highest)
    assert verdict_of(compared(test), "gauge").sentence.endswith(said)
    assert test.passes_anew is (highest < 0.15)
    early = replace(test, reason="too_few_clusters")
    assert (test.passes, early.passes, early.passes_anew) == (True, None, None)


def test_what_the_plain_test_says_otherwise_is_said_with_the_design_effect():
    test = judged(person(**WON), person("ben", rejected_plain=True))
    said = verdict_of(compared(test), "gauge").sentence
    assert "(of 2 if items were independent, which they are not: design effect 1.5)" in said


def test_a_model_that_is_shown_not_to_be_near_may_assist_where_its_answers_go_with_peoples():
    test = judged(person(worse=True), person("ben"))
    assert test.fails
    assert verdict_of(compared(test), "gauge").kind == ASSIST
    assert verdict_of(compared(test, rho=-0.1), "gauge").kind == NOT
    assert verdict_of(compared(test, rho=0.0), "gauge").kind == NOT
    assert not replace(test, reason="too_few_clusters").fails


@pytest.mark.parametrize(("value", "follows"), [(1.0, True), (0.999, False), (None, False)])
def test_without_an_interval_only_answers_that_never_differ_go_with_peoples(value, follows):
    kappa = Estimate(value, statistic="kappa", reason=None if value else "no_spread")
    beside = (Contrast("kappa", kappa, kappa, kappa),)
    part = replace(compared(judged(person(**WON)), beside=beside), plain=())
    assert (verdict_of(part, "gauge").kind == REPLACE) is follows


def test_items_to_tell_are_those_at_which_half_of_the_persons_are_decided():
    """The second of three is decided at two thirds of .05 over 1 + 1/2 + 1/3."""
    test = judged(*(person(value=value, se=0.08) for value in (0.1, 0.0, 0.14)))
    level = 0.05 * 2 / (3 * (1 + 1 / 2 + 1 / 3))
    times = (student.ppf(1 - level, 19) * 0.08 / 0.05) ** 2
    assert items_to_tell(test) == round_up(times * 60)
    said = verdict_of(compared(test), "gauge")
    assert said.kind == UNKNOWN
    assert f"About {round_up(times * 60):,} items a person would tell" in said.sentence
    early = (student.ppf(1 - level / 2, 19) * 0.08 / 0.05) ** 2
    assert items_to_tell(replace(test, level=0.025)) == round_up(early * 60)  # at an early look


def test_who_is_just_at_epsilon_is_never_decided_and_who_nearly_is_needs_one_more():
    assert items_to_tell(judged(person(value=0.15))) is None
    assert items_to_tell(judged(person(value=0.1499))) is None
    assert items_to_tell(judged(person(value=0.0, se=0.001))) == round_up(61)
    assert items_to_tell(judged(person(value=0.3, se=0.001))) == round_up(61)


def low(value, high):
    return (Estimate(value, value - 0.1, high), Estimate(value + 0.3))


def test_that_people_hardly_agree_is_said_where_the_interval_shows_it():
    test, one = judged(person(**WON)), low(0.234, 0.39)
    said = verdict_of(compared(test, alphas=one), "gauge").sentence
    assert said.endswith(
        " These people's own answers go together little beyond chance (α 0.23), so to be as near "
        "as one of them asks little."
    )
    near = compared(test, alphas=low(0.234, 0.4))
    assert "little beyond chance" not in verdict_of(near, "gauge").sentence
    parts = [
        compared(test, name, alphas=low(value, high), verdict=Verdict(REPLACE, ""))
        for name, value, high in (("tone", 0.3, 0.39), ("fluency", 0.1, 0.2), ("use", 0.7, 0.8))
    ]
    said = verdict_of(compared(test, None), "gauge", parts).sentence
    assert "little beyond chance on tone, fluency (α 0.10 to 0.30)" in said


def test_questions_that_say_otherwise_are_named_together_by_what_they_say():
    test = judged(person(**WON))
    parts = [
        compared(test, name, verdict=Verdict(kind, ""))
        for name, kind in (("tone", REPLACE), ("use", NOT), ("form", ASSIST), ("sense", NOT))
    ]
    said = verdict_of(compared(test, None), "gauge", parts).sentence
    assert said.endswith(" Taken alone, otherwise: use, sense (may not); form (may assist).")


@pytest.mark.parametrize(("high", "said"), [(-0.01, True), (0.0, False)])
def test_a_model_that_passes_and_goes_with_people_less_than_a_person_is_told(high, said):
    beside = (
        Contrast("kappa", Estimate(0.4, 0.3, 0.5), Estimate(0.6), Estimate(-0.2, -0.3, high)),
    )
    part = compared(judged(person(**WON)), beside=beside)
    less = "Yet its answers go with people's less than a person's do: κ 0.40 against 0.60."
    assert (less in verdict_of(part, "gauge").sentence) is said
    named = " Its answers go with people's less than a person's do on tone."
    every = verdict_of(compared(judged(person(**WON)), None), "gauge",
                       [replace(part, verdict=Verdict(REPLACE, ""))])  # fmt: skip
    assert (named in every.sentence) is said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"reason": "too_few_clusters", "n_clusters": 5}, "there are 5 independent clusters"),
        ({"reason": "too_few_persons"}, "fewer than two people rated"),
        ({"reason": "too_few_persons", "left_out": {"a": 0, "b": 0}}, "no two people rated"),
        (
            {"reason": "too_few_persons", "left_out": {"a": 3, "b": 12}},
            "nobody rated more than 12 items",
        ),
    ],
)
def test_why_nothing_can_be_told_is_said(given, said):
    found = verdict_of(compared(judged(**given)), "gauge")
    assert (found.kind, said in found.sentence) == (UNKNOWN, True)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.1, 0.5, "gauge is stricter than people on average, by 0.30 logits (0.10 to 0.50)"),
        (-0.7, -0.2, "gauge is more lenient than people on average, by 0.30 logits (0.20 to 0.70)"),
        (0.0, 0.5, "is not shown"),
        (-0.5, 0.0, "is not shown"),
        (None, None, "is not shown"),
    ],
)
def test_a_model_is_strict_or_lenient_where_its_interval_is_beyond_nothing(low, high, said):
    value = -0.3 if high is not None and high < 0 else 0.3
    assert said in severity_said("gauge", Estimate(value, low, high))


@pytest.mark.parametrize(
    ("reason", "said"), [("single_rater", "Only one rater"), (None, "The rater to compare with")]
)
def test_without_a_severity_its_reason_is_said(reason, said):
    found = severity_said("gauge", Estimate(None, reason=reason))
    assert found.startswith(f"No severity of gauge: {said}"), found


def test_epsilon_is_said_by_question_where_it_differs():
    parts = (compared(judged(), None), compared(judged(epsilon=0.2)))
    found = Comparison("r1", "gauge", parts)
    assert found.epsilons == "0.15 (all questions), 0.2 (tone)"
    assert found.overall is parts[0]
    assert Comparison("r1", "gauge", parts[1:]).epsilons == "0.2"


def test_of_severities_the_models_alone_is_said_and_every_number_is_explained_once():
    strict = Estimate(0.3, 0.1, 0.5)
    own = ((None, strict), ("strictest person", strict), ("most lenient person", strict))
    far = Contrast("distance", strict, strict, strict)
    parts = tuple(
        compared(judged(person()), name, severity=own, unsure=(far, replace(far)))
        for name in (None, "tone")
    )
    said = Comparison("r1", "gauge", parts).told()
    meant = [f"{name}: {facts(name).says}" for name in ("spearman", "distance")]
    assert said == [severity_said("gauge", strict), *meant]
    without = replace(far, model=Estimate(None, reason="no_comparison"))
    none = compared(judged(person()), None, unsure=(without,))
    assert Comparison("r1", "gauge", (none,)).told() == meant[:1]


def test_a_part_is_asked_for_by_question_and_group_and_a_wrong_one_names_those_there_are():
    parts = (compared(judged(), None), replace(compared(judged()), group={"domain": "law"}))
    found = Comparison("r1", "gauge", parts)
    assert found.to_json().startswith('{\n "round": "r1",\n "model": "gauge",')
    assert found.part() is parts[0]
    assert found.part("tone", domain="law") is parts[1]
    with pytest.raises(LookupError, match="no comparison of 'tone' : choose None, tone"):
        found.part("tone")


def test_the_lines_of_a_part_say_severities_and_groups_that_part():
    strict, lenient, own = (Estimate(value) for value in (1.25, None, 0.3))

    def group(value, p):
        between = Estimate(value, value - 0.02, value + 0.02)
        found = Contrast("mae", between, between, between)
        return GroupApart("domain", f"by {value:g}", 30, found, p, p)

    part = compared(
        judged(person()),
        severity=((None, own), ("strictest person", strict), ("most lenient person", lenient)),
        apart=(group(0.07, 0.05), group(-0.07, 0.01), group(0.5, 0.06), group(0.0, 0.01)),
    )
    lines = str(Comparison("r1", "gauge", (part,))).splitlines()
    named = [line.split(maxsplit=1) for line in lines if line.startswith("    ")]
    assert [said for name, said in named if name in ("severity", "apart")] == [
        "model 0.30; people 0.00 to 1.25",
        "domain by 0.07: 0.07 (0.05 to 0.09) more than persons",
        "domain by -0.07: 0.07 (0.05 to 0.09) less than persons",
        "domain by 0: 0.00 (−0.02 to 0.02) more than persons",
    ]


def test_every_number_of_a_part_says_whose_it_is_and_a_p_stands_beside_what_is_between():
    one = Estimate(0.07, 0.05, 0.09)
    line = Contrast("mae", one, one, one)
    part = compared(judged(person()), apart=(GroupApart("domain", "law", 30, line, 0.01, 0.02),))
    part = replace(part, means=(Shown(None, one, one, one), Shown("yes", one, one, one, one)))
    three = ["in a person's place", "persons", "model − persons"]
    assert [(row["statistic"], row["whose"]) for row in rows_of(part)] == [
        ("spearman", "against people"),
        ("winning_rate", "model"),
        ("advantage", "in a person's place"),
        *(("mean", whose) for whose in ("people alone", "model alone", "corrected")),
        *(("share of yes", whose) for whose in ("people alone", "model alone", "corrected")),
        ("share of yes", "corrected by its rates"),
        *(("mae", whose) for whose in three),
    ]
    assert [row.p_corrected for row in entries(part) if row.group == {"domain": "law"}] == [
        *(None, None, 0.02)
    ]


def test_the_first_are_the_nearest_and_whom_it_is_not_shown_to_beat():
    places = tuple(RankedModel(name, judged(person()), "", "") for name in "abc")

    def pair(first, second, value, p):
        return ModelPair(first, second, Estimate(value), p, p)

    pairs = (pair("a", "b", 0.2, 0.06), pair("c", "a", -0.3, 0.05), pair("b", "c", 0.0, None))
    found = Ranked("tone", places, pairs)
    assert found.shown == [("a", "c")]
    assert found.first == ("a", "b")
    assert [row["beats"] for row in found.rows()] == [["c"], [], []]
    assert replace(found, level=0.06).first == ("a",)


def test_severities_beside_a_model_are_those_of_the_strictest_and_the_most_lenient_person():
    from raterbook.analysis.comparison.rasch import rasch

    table = [[1, 2, 3, 1], [2, 3, 3, 2], [3, 3, 4, 2], [4, 5, 5, 3], [2, 2, 4, 1], [3, 4, 5, 3]]
    found = rasch(table * 3, centre=[0, 1, 2], interval=None)
    own, *ends = severities(Strictness(found, ("tone",), ("3",), ("0", "1", "2")), "3")
    logits = found.raters["severity"]
    assert own == (None, own[1])
    assert own[1].value == pytest.approx(logits[3])
    assert [(who, each.value) for who, each in ends] == [
        ("strictest person", pytest.approx(logits[0])),
        ("most lenient person", pytest.approx(logits[2])),
    ]
    own, *ends = severities(Strictness(found, ("tone",), ("3",), ("0", "2")), "3")
    assert [who for who, _ in ends] == ["strictest person", "most lenient person"]
    assert len(severities(Strictness(found, ("tone",), ("3",), ("0",)), "3")) == 1
