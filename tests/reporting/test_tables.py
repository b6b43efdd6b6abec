"""What pages say of small rounds, counted by hand: leaning, pace, runs, pairs, worth, weighting."""

import json

import numpy as np
import pandas as pd
import pytest

from raterbook import Workspace
from raterbook.protocols import parse
from tests.golden.pages import plain
from tests.reporting.rounds import asking, choice, measured, scale

START = pd.Timestamp("2024-03-04T08:00:00Z")


@pytest.fixture
def read(tmp_path):
    """The report of a round made of answers: (rater, item, question, value[, more])."""

    def one(questions, answers, measures=(), targets=(), items=(), **parameters):
        text = asking(questions, measures, targets)
        names = sorted({item for _, item, *_ in answers})
        rows = list(items) or [{"id": name, "text": f"Text {name}."} for name in names]
        round = Workspace(tmp_path).open("by-hand", parse(text, source="given.yaml"), frame(rows))
        kinds: dict = {}
        for rater, item, question, value, *more in answers:
            row = {"item": item, "rater": rater, "question": question, "value": value}
            row |= more[0] if more else {}
            kinds.setdefault(row.pop("kind", "human"), []).append(row)
        for kind, rows in kinds.items():
            round.add(frame(rows), kind=kind)
        return round.read(**parameters)

    return one


def frame(rows):
    return pd.DataFrame(rows).astype(object).where(lambda x: x.notna(), "")


def given(question, more=None, **by_rater):
    """`ana=[1, 2]`: one value an item; None is no answer; `more(rater, n)` says when, how fast."""
    return [
        (rater, f"i{n:02d}", question, value, *([more(rater, n)] if more else []))
        for rater, values in by_rater.items()
        for n, value in enumerate(values)
        if value is not None
    ]


def said(section):
    return "" if section is None else plain(section._repr_html_())


SCORES = {"s": scale(5)}


def test_two_raters_are_set_against_each_other_from_ten_items_on(read, tmp_path):
    """ben is 0 or 1 above ana, in turns: 0.5 ± 1.96 · sd, where sd² = 10 · ¼ / 9."""
    ana, ben = [3] * 10, [3, 4] * 5
    text = said(read(SCORES, given("s", ana=ana, ben=ben)).raters())
    spread = 1.96 * np.sqrt(2.5 / 9)
    assert "ana scores 0.50 points below ben on average" in text
    ends = f"−{0.5 + spread:.2f} to +{spread - 0.5:.2f}"
    assert f"on 100 % of items the difference is {ends}, over 10 items" in text
    assert "| ana | −0.50 |" in text
    assert "| ben | +0.50 |" in text


def test_of_nine_items_no_limits_are_given(read):
    text = said(read(SCORES, given("s", ana=[3] * 9, ben=[3, 4] * 4 + [3])).raters())
    assert "of items the difference is" not in text


def test_only_questions_on_the_commonest_scale_are_averaged(read):
    questions = {"s": scale(5), "t": scale(3), "u": scale(5)}
    answers = [
        *given("s", ana=[3] * 10, ben=[4] * 10),
        *given("t", ana=[1] * 10, ben=[3] * 10),
        *given("u", ana=[3] * 10, ben=[3] * 10),
    ]
    assert "ana scores 0.50 points below ben on each of 10 items" in said(
        read(questions, answers).raters()
    )


def at(step):
    return lambda rater, n: {"answered_at": (START + step * n).isoformat()}


def test_drift_is_the_last_third_against_the_first_from_twelve_items_on(read):
    """ben: 0 above ana on the first four of twelve, 2 above on the last four."""
    ana, ben = [2] * 12, [2] * 4 + [3] * 4 + [4] * 4
    text = said(read(SCORES, given("s", at(pd.Timedelta("1h")), ana=ana, ben=ben)).raters())
    assert "| ben | +1.00 | +0.46 to +1.54 | +2.00 (+2.00 to +2.00) | 0.85 | 12" in text
    assert "| ana | −1.00 | −1.54 to −0.46 | −2.00 (−2.00 to −2.00) | 0.85 | 12" in text


def test_of_eleven_items_or_without_times_there_is_no_drift(read):
    ana, ben = [2] * 11, [2] * 4 + [3] * 3 + [4] * 4
    text = said(read(SCORES, given("s", at(pd.Timedelta("1h")), ana=ana, ben=ben)).raters())
    assert "| ben | +1.00 | +0.40 to +1.60 | – | 0.89 | 11" in text


def test_answers_given_at_three_moments_show_no_drift(read):
    """A file written at once tells no order."""

    def thrice(rater, n):
        return {"answered_at": (START + pd.Timedelta("1h") * (n % 3)).isoformat()}

    ana, ben = [2] * 12, [2] * 4 + [3] * 4 + [4] * 4
    text = said(read(SCORES, given("s", thrice, ana=ana, ben=ben)).raters())
    assert "| ben | +1.00 | +0.46 to +1.54 | – | 0.85 | 12" in text


def test_progress_tells_when_half_of_the_ratings_were_in(read):
    """Ten ratings, a day apart: half are in after four days, the last after nine."""
    report = read(SCORES, given("s", at(pd.Timedelta("1D")), ana=[3] * 10))
    text = said(report.conduct())
    assert "Half of the 10 ratings were in after 4 days, the last after 9 days" in text
    assert "25 % after 2 days, 75 % after 7 days" in text


@pytest.mark.parametrize(
    ("many", "step", "told"),
    [
        (9, "1D", ""),
        (10, "6s", ""),
        (11, "12s", "the last after 2 minutes"),
        (13, "10min", "the last after 2 hours"),
        (25, "2h", "the last after 2 days"),
    ],
)
def test_progress_needs_ten_times_and_two_of_a_unit(read, many, step, told):
    report = read(SCORES, given("s", at(pd.Timedelta(step)), ana=[3] * many))
    text = said(report.conduct())
    assert (told in text) if told else ("ratings were in" not in text)


def test_pace_is_the_median_against_what_the_others_need_for_the_same_answers(read):
    """s takes 10 s and t 100 s; eva needs half of both, and others have her beside one of them."""
    questions = {"s": scale(5), "t": scale(5)}
    usual = {"s": 10, "t": 100}

    def pace(question):
        return lambda rater, n: {"seconds": usual[question] * (0.5 if rater == "eva" else 1)}

    answers = [
        one
        for name in questions
        for one in given(name, pace(name), ana=[3, 3], ben=[3, 3], eva=[3, 3])
    ]
    text = said(read(questions, answers).conduct())
    assert "| eva | 28 s | 50 % | – | 4" in text
    assert "| ana | 55 s | 133 % | – | 4" in text


def test_scores_alike_throughout_are_counted_on_items_with_three_scales(read):
    """Of ten items ana scores four alike throughout, ben none; the eleventh has two scores."""
    questions = {name: scale(5) for name in "stu"}
    answers = [
        *given("s", ana=[3] * 11, ben=[3] * 11),
        *given("t", ana=[3] * 11, ben=[4] * 11),
        *given("u", ana=[3] * 4 + [1] * 6, ben=[5] * 10),
    ]
    text = said(read(questions, answers).conduct())
    assert "| ana | 40 % | +40 (−4 to +84) | 10" in text
    assert "| ben | 0 % | −40 (−84 to +4) | 10" in text


def test_two_scales_are_too_few_to_call_scores_alike(read):
    answers = [*given("s", ana=[3] * 10), *given("t", ana=[3] * 10)]
    assert "Uniform answers" not in said(read({"s": scale(5), "t": scale(5)}, answers).conduct())


LABELS = {"q": choice("yes", "no", "open")}


def test_the_longest_stretch_of_one_answer_is_held_against_chance(read):
    """Eight yes of twelve, six in a row: log(12 · ⅓) / log(1.5) = 3.4."""
    ana = ["yes", "no", "yes", "no", *["yes"] * 6, "no", "open"]
    ben = ["no"] * 12
    text = said(read(LABELS, given("q", at(pd.Timedelta("1min")), ana=ana, ben=ben)).conduct())
    assert "| ana | yes | 6 | 3 | 12" in text
    assert "| ben | no | 12 | 12 | 12" in text


def test_answers_given_twice_are_compared_with_the_first(read):
    """Four second answers, three of them the same."""
    answers = given("q", ana=["yes", "no", "open", "yes"], ben=["yes", "no", "open", "yes"])
    answers += given("q", lambda *_: {"replicate": 2}, ana=["yes", "no", "open", "no"])
    text = said(read(LABELS, answers).conduct())
    assert "75 % the same answer again, of 4 answers" in text
    assert "| ben" not in text


def test_answers_are_held_against_the_keys_wherever_it_answered(read):
    """The key answers three items: ana gives two of its labels, ben all; texts are no match."""
    questions = {**LABELS, "note": {"type": "text", "required": False}}
    answers = [
        *given("q", ana=["yes", "no", "open", "no"], ben=["yes", "no", "no", "no"]),
        *given("note", ana=["a", "b"], ben=["c", "d"]),
        *given("q", lambda *_: {"kind": "key"}, expert=["yes", "no", "no"]),
        *given("note", lambda *_: {"kind": "key"}, expert=["x", "y"]),
    ]
    text = said(read(questions, answers).conduct())
    assert "| ana | 67 % | 3" in text
    assert "| ben | 100 % | 3" in text


def test_who_agrees_with_whom_is_the_share_of_common_answers(read):
    """ana and ben 3 of 4; ana and eva 2 of 4; ben and eva 1 of 3, as ben left one open."""
    ana = ["yes", "no", "yes", "no", "yes"]
    ben = ["yes", "no", "yes", "yes", None]
    eva = [None, "no", "no", "no", "open"]
    text = said(read(LABELS, given("q", ana=ana, ben=ben, eva=eva)).raters())
    assert "ana and ben 75 %; ana and eva 50 %; ben and eva 33 %" in text
    assert "| ana | 60 % | 40 % | 0 % | 5" in text
    assert "| ben | 75 % | 25 % | 0 % | 4" in text
    assert "| eva | 0 % | 75 % | 25 % | 4" in text


def test_confused_values_are_counted_over_pairs_of_raters(read):
    """Ten pairs differ: six yes and no, three yes and open, one no and open; two agree on yes."""
    pairs = [*[("yes", "no")] * 6, *[("open", "yes")] * 3, ("no", "open"), *[("yes", "yes")] * 2]
    ana, ben = zip(*pairs)
    text = said(read(LABELS, given("q", ana=ana, ben=ben)).confusion())
    assert "60 % of 10 disagreements on Q lie between yes and no" in text
    # yes stands beside: yes 4 times (two pairs, both ways), no 6, open 3.
    assert "where one said yes, another said yes 31 %, no 46 %, open 23 %" in text
    assert "where one said no, another said yes 86 %, no 0 %, open 14 %" in text


def test_of_nine_disagreeing_pairs_nothing_is_said(read):
    ana, ben = ["yes"] * 9 + ["no"], ["no"] * 9 + ["no"]
    assert read(LABELS, given("q", ana=ana, ben=ben)).confusion() is None


def test_where_all_agree_no_value_is_confused_with_another(read):
    answers = given("q", ana=["yes", "no", "open"], ben=["yes", "no", "open"])
    assert read(LABELS, answers).confusion() is None


MACHINE = {"label": choice("y", "n", "o"), "note": {"type": "text", "required": False}}


def checked(labels):
    return [{"id": f"i{n:02d}", "text": ".", "auto": label} for n, label in enumerate(labels)]


def test_a_checkers_errors_are_counted_label_by_label(read):
    """Of six, people and auto part on three: y for n twice, o for y once."""
    answers = given("label", ana="ynnyyo", ben="ynnyyo")
    text = said(read(MACHINE, answers, items=checked("yyyoyo")).machines())
    assert "auto gives the people’s label in 3 of 6" in text
    assert "its commonest error is y where people say n (2)" in text
    assert "y by auto: y 2, n 2, o 0; n by auto: y 0, n 0, o 0; o by auto: y 1, n 0, o 1" in text


def test_a_checker_without_errors_has_no_commonest_one(read):
    answers = given("label", ana="yno", ben="yno")
    text = said(read(MACHINE, answers, items=checked("yno")).machines())
    assert "auto gives the people’s label in 3 of 3" in text
    assert "commonest error" not in text


def test_errors_equally_often_are_all_named(read):
    answers = given("label", ana="yno", ben="yno")
    text = said(read(MACHINE, answers, items=checked("nyo")).machines())
    assert "equally often, are y where people say n and n where people say y (1)" in text


def test_people_who_are_one_to_one_have_no_label_to_compare(read):
    answers = given("label", ana="yyyy", ben="yynn")
    text = said(read(MACHINE, answers, items=checked("ynnn")).machines())
    assert "auto gives the people’s label in 1 of 2" in text
    assert "2 items without such a majority are left out" in text


def order_of(text, names):
    return sorted((name for name in names if f"\n{name}\n" in text), key=text.index)


def test_the_widest_disagreement_is_read_first(read):
    """Of five points 4, 2 and 1 apart; of labels two thirds and a third outside the commonest."""
    answers = given("s", ana=[1, 2, 3, 3], ben=[5, 4, 4, 3], eva=[1, 2, 3, 3])
    text = said(read(SCORES, answers).worth_reading())
    assert "Raters differ on 3 items" in text
    assert order_of(text, ["i00", "i01", "i02", "i03"]) == ["i00", "i01", "i02"]
    assert "S: 1 and 5" in text


def test_flags_and_evidence_stand_beside_the_item_that_is_worth_reading(read):
    answers = given("s", ana=[1, 2], ben=[5, 2])
    report = read(SCORES, answers)
    note = json.dumps({"evidence": {"field": "text", "start": 0, "end": 4, "quote": "Text"}})
    for item, why in (("i00", "two <b>answers</b> in one"), ("i01", "of another item")):
        assert report.stored.mark("ana", item, "flag", reason=why).ok
    assert report.stored.mark("ben", "i00", "note", reason=note).ok
    text = said(report.worth_reading())
    assert "ana flagged it: two <b>answers</b> in one" in text
    assert "ben marked in Text: “Text”" in text
    assert text.count("flagged it") == 1  # the other's flag stands with the flags of the round
    assert "ana, i01: of another item" in text


def test_labels_differ_by_the_share_outside_the_commonest(read):
    answers = given(
        "q",
        ana=["yes", "yes", "yes", "yes"],
        ben=["yes", "no", "yes", None],
        eva=["no", "open", "yes", None],
    )
    text = said(read(LABELS, answers).worth_reading())
    assert "Raters differ on 2 items" in text
    assert order_of(text, ["i00", "i01", "i02", "i03"]) == ["i01", "i00"]
    assert "Q: yes, no and open" in text


def test_of_ordered_labels_the_distance_counts_as_well(read):
    """Half of the raters differ on both; low and high are further apart than low and mid."""
    questions = {"q": choice("low", "mid", "high", level="ordinal")}
    answers = given("q", ana=["low", "low", "mid"], ben=["mid", "high", "mid"])
    text = said(read(questions, answers).worth_reading())
    assert order_of(text, ["i00", "i01", "i02"]) == ["i01", "i00"]


def test_comments_and_a_checker_that_differs_make_an_item_worth_reading(read):
    """All differ alike; i03 has a machine against two people, i02 more notes than i01."""
    questions = {"label": choice("y", "n"), "note": {"type": "text", "required": False}}
    items = [{"id": f"i{n:02d}", "text": ".", "auto": "y" if n < 3 else "n"} for n in range(4)]
    answers = [
        *given("label", ana="yyyy", ben="yyyy", eva="nnnn"),
        *given("note", ana=[None, "a", "a"], ben=[None, None, "b"]),
    ]
    text = said(read(questions, answers, items=items).worth_reading())
    assert order_of(text, ["i00", "i01", "i02", "i03"]) == ["i03", "i02", "i01", "i00"]


def test_a_fourth_note_makes_an_item_no_more_worth_reading(read):
    questions = {**LABELS, "note": {"type": "text", "required": False}}
    raters = ("ana", "ben", "eva", "joe")
    answers = [
        *given("q", ana=["yes"] * 3, ben=["yes"] * 3, eva=["no"] * 3, joe=["no"] * 3),
        *[(name, "i02", "note", "w") for name in raters],
        *[(name, "i01", "note", "w") for name in raters[:3]],
        *[(name, "i00", "note", "w") for name in raters[:2]],
    ]
    text = said(read(questions, answers).worth_reading())
    assert order_of(text, ["i00", "i01", "i02"]) == ["i01", "i02", "i00"]


CONFIDENT = {"s": scale(5), "sure": {"type": "percent", "covers": ["s"], "required": False}}


def confidence(**by_rater):
    return given("sure", **by_rater)


def test_weighting_by_confidence_moves_the_mean_towards_surer_answers(read):
    """What is surer by half a range moves the items by 1, 1, .75 and .5, with an SD of .239."""
    answers = given("s", ana=[1, 1, 2, 2], ben=[5, 5, 5, 4])
    text = said(read(CONFIDENT, answers + confidence(ana=[25] * 4, ben=[75] * 4)).weighting())
    # .8125 ± 3.182 · .239 / 2
    assert "moves the mean from 3.12 to 3.94 (+0.81; +0.43 to +1.19)" in text
    assert "because the raters who state more confidence score higher" in text
    assert "ana and ben always state the same confidence" in text
    assert "| ana | 25 % | 0 | 100 %" in text
    assert "cannot be checked here" in text


def test_where_items_are_alike_nothing_is_said_of_how_far_weighting_moves_others(read):
    """Scores 1 and 5 on each of four items; 5 at 75 %, 1 at 25 %: 3 becomes 4 on every item."""
    answers = given("s", ana=[1] * 4, ben=[5] * 4) + confidence(ana=[25] * 4, ben=[75] * 4)
    text = said(read(CONFIDENT, answers).weighting())
    assert "moves the mean from 3.00 to 4.00 (+1.00), which may be chance." in text


def test_where_surer_means_closer_it_is_said_and_drawn_by_level(read):
    """Three raters, thirty items: joe swings by two points at 10 %, the others stay at 90 %."""
    joe = [1, 5] * 15
    answers = given("s", ana=[3] * 30, ben=[3] * 30, joe=[3] * 15 + joe[:15])
    sure = [90] * 15 + [10] * 15
    answers += confidence(ana=[90, 80] * 15, ben=[80, 90] * 15, joe=sure)
    text = said(read(CONFIDENT, answers).weighting())
    assert "Surer answers were closer to the other raters’" in text
    assert "10 %: 2.00 over 15 answers" in text
    # ana and ben are 0 apart from the others on 15 items, and 1 on those where joe swings.
    assert "90 %: 0.33 over 45 answers" in text
    assert "80 %: 0.50 over 30 answers" in text
    assert "| joe | 50 % | 40 | 50 %" in text


def test_without_any_stated_confidence_nothing_is_weighted(read):
    assert read(CONFIDENT, given("s", ana=[1, 2], ben=[2, 3])).weighting() is None


def test_confidence_of_0_throughout_weighs_nothing(read):
    answers = given("s", ana=[1, 2], ben=[2, 3]) + confidence(ana=[0, 0], ben=[0, 0])
    assert read(CONFIDENT, answers).weighting() is None


@pytest.mark.parametrize(
    ("bound", "told"),
    [
        # The interval reaches .2007 up: 20 · (.2007 / .1)² = 80.6.
        (0.6, "T: about 81 items instead of 20, if the estimate stays at 50 %; it would"),
        (0.4, "T: about 81 items instead of 20, if the estimate stays at 50 %; it would"),
        # 20 · (.2007 / .04)² is beyond 20 rounds like this one, and with .05 within: 322.
        (0.46, "T: no reasonable number of items."),
        (0.55, "T: about 330 items instead of 20"),
        (0.5, "T: no reasonable number of items."),
    ],
)
def test_what_would_settle_a_target_grows_with_the_square_of_the_gap(read, bound, told):
    target = {"name": "T", "statistic": "proportion_yes", "question": "q", "at_least": bound}
    measure = measured("proportion_yes", "q", **{"is": ["yes"], "of": ["yes", "no"]})
    answers = given("q", ana=["yes", "no"] * 10)
    text = said(read(LABELS, answers, [measure], [target]).targets())
    assert told in text


def test_two_items_cannot_tell_how_many_would_settle_a_target(read):
    target = {"name": "T", "statistic": "proportion_yes", "question": "q", "at_least": 0.9}
    measure = measured("proportion_yes", "q", **{"is": ["yes"], "of": ["yes", "no"]})
    text = said(read(LABELS, given("q", ana=["yes", "yes"]), [measure], [target]).targets())
    assert "T: more items; 2 items cannot tell how many." in text
