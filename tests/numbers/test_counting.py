"""Numbers of small rounds, counted by hand: rows, targets, checks, and what is measured at all."""

import csv
import io
import json

import pytest

from raterbook.cli import main
from raterbook.numbers.compute import numbers
from raterbook.rounds import Event
from tests.reporting.rounds import asking, choice, measured, opened, page_of, scale, words_of


def items(count, **fields):
    return [
        {"id": f"i{n:02d}", "text": f"Text {n}.", **{k: v[n] for k, v in fields.items()}}
        for n in range(count)
    ]


def answers(question, **by_rater):
    """`ana="yyn-"`: one sign an item, “-” where there is no answer."""
    return [
        (rater, f"i{n:02d}", question, value)
        for rater, values in by_rater.items()
        for n, value in enumerate(values)
        if value != "-"
    ]


@pytest.fixture
def asked(tmp_path):
    """A round of one protocol of its own."""

    def one(text, rows, given, kinds=None, **fields):
        rows = items(rows, **fields) if isinstance(rows, int) else rows
        return opened(tmp_path, text=text, items=rows, answers=given, kinds=kinds)

    return one


def check_of(found, number):
    (entry,) = [entry for entry in found.checks if entry["number"] == number]
    return entry["value"], entry["agrees"], entry["reason"]


LABELS = choice("y", "n")


def test_fleiss_of_complete_ratings_is_counted_once_more(asked):
    """Four items, three raters: 3–0, 2–1, 1–2, 0–3. Agreement 2/3 where chance makes 1/2: 1/3."""
    text = asking({"q": LABELS}, [measured("kappa_fleiss", "q")])
    found = numbers(asked(text, 4, answers("q", ana="yyyn", ben="yynn", eva="ynnn")))
    assert found.get("kappa_fleiss", "q")["estimate"] == pytest.approx(1 / 3)
    value, agrees, reason = check_of(found, "kappa_fleiss:q")
    assert (value, agrees, reason) == (pytest.approx(1 / 3), True, None)


def test_a_value_nobody_gave_is_no_category_of_fleiss(asked):
    text = asking({"q": choice("y", "x", "n")}, [measured("kappa_fleiss", "q")])
    found = numbers(asked(text, 4, answers("q", ana="yyyn", ben="yynn", eva="ynnn")))
    assert check_of(found, "kappa_fleiss:q")[:2] == (pytest.approx(1 / 3), True)


def test_fleiss_of_two_raters_is_counted_once_more(asked):
    """Three of four agree; of eight labels three are y, so chance makes (9 + 25) / 64."""
    text = asking({"q": LABELS}, [measured("kappa_fleiss", "q")])
    found = numbers(asked(text, 4, answers("q", ana="yynn", ben="ynnn")))
    kappa = (3 / 4 - (9 + 25) / 64) / (1 - (9 + 25) / 64)
    assert check_of(found, "kappa_fleiss:q") == (pytest.approx(kappa), True, None)


def test_what_neither_side_can_compute_has_our_reason(asked):
    text = asking({"q": LABELS}, [measured("kappa_fleiss", "q"), measured("alpha_nominal", "q")])
    found = numbers(asked(text, 3, answers("q", ana="yyy", ben="yyy")))
    for statistic in ("kappa_fleiss", "alpha_nominal"):
        row = found.get(statistic, "q")
        assert row["estimate"] is None
        assert check_of(found, f"{statistic}:q") == (None, None, row["reason"])


def test_fleiss_with_a_gap_is_counted_once_more_on_the_units_with_as_many_ratings(asked):
    """3–0, 2–1, 1–2: agreement 5/9, and chance makes 4/9 + 1/9 as well."""
    text = asking({"q": LABELS}, [measured("kappa_fleiss", "q")])
    found = numbers(asked(text, 4, answers("q", ana="yyyn", ben="yynn", eva="ynn-")))
    assert check_of(found, "kappa_fleiss:q") == (
        *(pytest.approx(0, abs=1e-12), True, "on the 3 of 4 units with 3 ratings"),
    )


def test_raters_who_share_no_item_have_no_kappa_on_either_side(asked):
    text = asking({"q": LABELS}, [measured("kappa_cohen", "q")])
    found = numbers(asked(text, 4, answers("q", ana="yn--", ben="--yn")))
    row = found.get("kappa_cohen", "q")
    assert row["estimate"] is None
    assert check_of(found, "kappa_cohen:q") == (None, None, row["reason"])


def test_cohens_kappa_is_counted_once_more_where_one_rater_gives_one_label(asked):
    """y and n by the one, y alone by the other: κ is 0, and no division by 0."""
    text = asking({"q": LABELS}, [measured("kappa_cohen", "q")])
    found = numbers(asked(text, 4, answers("q", ana="yyyn", ben="yyyy")))
    assert check_of(found, "kappa_cohen:q") == (0.0, True, None)
    found = numbers(asked(text, 4, answers("q", ana="nnnn", ben="yyyy")))
    assert check_of(found, "kappa_cohen:q") == (0.0, True, None)


def test_a_pair_without_variation_is_left_out_of_the_mean_over_pairs(asked):
    """ana and ben say y throughout; with eva each has κ 0; the mean of the two is 0."""
    text = asking({"q": LABELS}, [measured("kappa_cohen", "q")])
    found = numbers(asked(text, 4, answers("q", ana="yyyy", ben="yyyy", eva="yyyn")))
    assert check_of(found, "kappa_cohen:q")[:2] == (0.0, True)


def test_kappa_of_percentages_is_counted_once_more_from_0_to_100(asked):
    """0 and 100 and 50 against 0 and 100 and 100: 1 − (2500 / 3) / (13 · 2500 / 9 + …)."""
    percent = {"type": "percent", "level": "interval"}
    text = asking({"q": percent}, [measured("kappa_weighted_quadratic", "q")])
    found = numbers(asked(text, 3, answers("q", ana=[0, 100, 50], ben=[0, 100, 100])))
    # Mean squared distance 2500/3; of all nine pairs (0, 100, 100; 10000, 0, 0; 2500 · 3) / 9.
    kappa = 1 - (2500 / 3) / ((2 * 10000 + 10000 + 3 * 2500) / 9)
    assert found.get("kappa_weighted_quadratic", "q")["estimate"] == pytest.approx(kappa)
    assert check_of(found, "kappa_weighted_quadratic:q")[:2] == (pytest.approx(kappa), True)


def test_kappa_of_many_raters_has_an_interval_and_beyond_sixty_no_check_and_icc_no_interval(asked):
    measures = [measured("icc_2_1", "s"), measured("kappa_cohen", "q")]
    text = asking({"q": LABELS, "s": scale(3)}, measures)
    for many in (60, 61):
        labels = {f"r{n:02d}": ("yyn", "ynn", "yny")[n % 3] for n in range(many)}
        scores = {f"r{n:02d}": ([1, 2, 3], [1, 3, 3], [2, 2, 3])[n % 3] for n in range(many)}
        found = numbers(asked(text, 3, [*answers("q", **labels), *answers("s", **scores)]))
        kappa, icc = found.get("kappa_cohen", "q"), found.get("icc_2_1", "s")
        assert None not in (kappa["estimate"], kappa["low"], icc["estimate"])
        assert (icc["low"] is None) is (many > 60)
        agrees = (pytest.approx(kappa["estimate"]), True, None)
        beyond = (None, None, "61 raters have too many pairs to go through again")
        assert check_of(found, "kappa_cohen:q") == (agrees if many == 60 else beyond)


MATCH = [measured("kappa_human_auto", "label"), measured("percent_match", "label")]


def test_people_and_checker_are_compared_by_the_check_as_by_the_number(asked):
    """Matches on y, y, n of y y n n; each side says y twice or three times: κ is 1/2."""
    text = asking({"label": LABELS}, MATCH)
    given = answers("label", ana="yynn", ben="yynn")
    found = numbers(asked(text, 4, given, auto="yyny"))
    assert found.get("percent_match", "label")["estimate"] == 0.75
    assert found.get("kappa_human_auto", "label")["estimate"] == pytest.approx(0.5)
    assert check_of(found, "kappa_human_auto:label") == (pytest.approx(0.5), True, None)


@pytest.mark.parametrize(
    ("auto", "ana", "reason"),
    [
        (["", "", ""], "yyn", "no_"),
        (["y", "", ""], "-yn", "no_"),
        (["y", "y", "y"], "yyy", "no_"),
    ],
)
def test_without_labels_to_compare_the_check_has_no_value_either(asked, auto, ana, reason):
    found = numbers(
        asked(asking({"label": LABELS}, MATCH), 3, answers("label", ana=ana), auto=auto)
    )
    row = found.get("kappa_human_auto", "label")
    assert row["estimate"] is None
    value, agrees, said = check_of(found, "kappa_human_auto:label")
    assert (value, agrees, said) == (None, None, row["reason"])
    assert said.startswith(reason)


def test_a_round_narrowed_to_some_raters_counts_them_and_checks_them(asked):
    text = asking({"q": LABELS}, [measured("kappa_cohen", "q"), measured("percent_agreement", "q")])
    stored = asked(text, 4, answers("q", ana="yynn", ben="yynn", eva="nnyy"))
    found = numbers(stored, raters=["ana", "ben"])
    assert found.get("percent_agreement", "q")["estimate"] == 1.0
    assert check_of(found, "kappa_cohen:q") == (1.0, True, None)
    done = found.get("completeness")
    assert (done["estimate"], done["n_raters"], done["raters"]) == (1.0, 2, ["ana", "ben"])
    assert numbers(stored).get("percent_agreement", "q")["estimate"] == pytest.approx(1 / 3)


def test_training_items_and_second_answers_are_in_no_number_and_no_check(asked):
    text = asking({"q": LABELS}, [measured("kappa_cohen", "q")])
    stored = asked(
        text, 5, answers("q", ana="yynny", ben="yynnn"), role=[*["main"] * 4, "training"]
    )
    stored.save("ana", [Event("again", "i00", "q", "n", replicate=2)])
    found = numbers(stored)
    assert found.get("kappa_cohen", "q")["n_items"] == 4
    assert check_of(found, "kappa_cohen:q") == (1.0, True, None)


def test_required_answers_are_counted_by_rater_and_question(asked):
    text = asking({"q": LABELS, "s": scale(3)}, [measured("mean", "s")])
    given = answers("q", ana="yn-", ben="y--") + answers("s", ana=[1, 2, 3])
    stored = asked(text, 3, given)
    row = numbers(stored).get("completeness")
    assert row["method"] == "6 of 12 required answers"
    assert (row["estimate"], row["n_items"], row["n_raters"], row["n_ratings"]) == (0.5, 3, 2, 12)
    only = numbers(stored, questions=["q"]).get("completeness")
    assert only["method"] == "3 of 6 required answers"


def test_narrowed_to_a_question_the_others_are_not_measured(asked):
    both = ["s", "t"]
    measures = [measured("mean", both), measured("sd", "t"), measured("alpha_nominal", "q")]
    text = asking({"q": LABELS, "s": scale(3), "t": scale(3)}, measures)
    given = [
        *answers("q", ana="yn", ben="yn"),
        *(one for name in both for one in answers(name, ana=[1, 2], ben=[2, 3])),
    ]
    found = numbers(asked(text, 2, given), questions=["s"])
    assert [(r["statistic"], r["question"]) for r in found.rows] == [
        ("mean", "s"),
        ("completeness", None),
    ]


def test_a_stated_overall_is_measured_where_a_reader_asks_for_it(asked):
    """Stated 3, 3, 1, criteria 3, 2.5, 1.5: the last two are half a point off."""
    of = ["o", "s", "t"]
    text = asking({name: scale(3) for name in of}, [measured("adjusted_share", of)])
    given = answers("o", ana=[3, 3, 1]) + answers("s", ana=[3, 3, 2]) + answers("t", ana=[3, 2, 1])
    stored = asked(text, 3, given)
    assert numbers(stored, questions=["o"]).get("adjusted_share")["estimate"] == pytest.approx(
        2 / 3
    )
    assert numbers(stored, questions=["s"]).get("adjusted_share") is None


def test_numbers_say_which_format_they_have(asked):
    stored = asked(asking({"s": scale(3)}, [measured("mean", "s")]), 1, answers("s", ana=[1]))
    assert json.loads(numbers(stored).to_json())["format"] == 1


def test_a_tie_has_a_majority_only_where_the_parameters_say_so(asked):
    """One item 1–1–2: all with the majority but one. One item 1–2–3: a tie of three."""
    text = asking({"s": scale(3)}, [measured("evaluator_agreement", "s")])
    stored = asked(text, 2, answers("s", ana=[1, 1], ben=[1, 2], eva=[2, 3]))
    shares = {
        ties: {
            row["group"]["rater"]: row["estimate"]
            for row in numbers(stored, ties=ties).rows
            if row["statistic"] == "evaluator_agreement" and row["group"]
        }
        for ties in ("none", "first")
    }
    assert shares["none"] == {"ana": 1.0, "ben": 1.0, "eva": 0.0}
    assert shares["first"] == {"ana": 1.0, "ben": 0.5, "eva": 0.0}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, "no_ratings"),
        ({"ana": [1, 2]}, "single_rater"),
        ({"ana": [1, "-"], "ben": ["-", 2]}, "no_pairable_units"),
        ({"ana": [1, 2], "ben": [2, 3]}, "no_consensus"),
    ],
)
def test_without_a_commonest_value_the_reason_is_what_is_lacking(asked, given, reason):
    text = asking({"s": scale(3), "t": scale(3)}, [measured("evaluator_agreement", ["s", "t"])])
    stored = asked(text, 2, answers("s", **given))
    found = [row for row in numbers(stored).rows if row["statistic"] == "evaluator_agreement"]
    assert [(row["question"], row["reason"]) for row in found] == [
        ("s", reason),
        ("t", "no_ratings"),
        (None, reason),
    ]


def test_where_a_model_is_named_among_those_who_count_it_is_not_compared_with_people(asked):
    text = asking({"s": scale(3)}, [measured("mean", "s")])
    given = answers("s", ana=[1, 2, 3], ben=[1, 2, 3], owl=[1, 2, 2])
    stored = asked(text, 3, given, kinds={"owl": "model"})
    compared = {"exact", "within_one", "mae", "bias", "spearman"}
    of = {row["statistic"]: row for row in numbers(stored).rows}
    assert compared <= of.keys()
    assert of["exact"]["estimate"] == pytest.approx(2 / 3)
    assert of["bias"]["estimate"] == pytest.approx(-1 / 3)
    people = numbers(stored, raters=["ana", "ben"])
    assert compared <= {row["statistic"] for row in people.rows}
    named = numbers(stored, raters=["ana", "owl"])
    assert not compared & {row["statistic"] for row in named.rows}
    assert named.get("mean", "s")["estimate"] == pytest.approx(11 / 6)


def test_means_over_the_same_questions_are_compared_once_and_corrected_once(asked):
    both = ["s", "t"]
    measures = [
        *(measured("overall_mean", both), measured("overall_computed_mean", both)),
        *(measured("difference", both), measured("overall_mean", "s")),
    ]
    text = asking({"s": scale(5), "t": scale(5)}, measures, key=["id", "model"], system="model")
    rows = [
        {"id": f"c{n}", "model": model, "text": "."} for n in range(6) for model in ("oak", "yew")
    ]
    values = {"oak": [3, 4, 5, 4, 3, 5], "yew": [2, 4, 3, 3, 1, 4]}
    given = [
        (rater, f"c{n}/{model}", name, max(1, values[model][n] - shift))
        for model in values
        for n in range(6)
        for name, shift in zip(both, (0, 1))
        for rater in ("ana", "ben")
    ]
    found = numbers(asked(text, rows, given))
    pairs = [row for row in found.rows if row["statistic"].startswith("difference")]
    assert [(r["statistic"], r["question"]) for r in pairs] == [
        ("difference_overall", None),
        ("difference", "s"),
        ("difference", "t"),
    ]
    least = min(row["p"] for row in pairs)
    assert min(row["p_holm"] for row in pairs) == pytest.approx(3 * least)


# Twelve items: nearly all 1, so that the interval of the mean is cut at 1; and the same at 5.
LOW = [1] * 11 + [4]
HIGH = [5] * 11 + [2]


@pytest.mark.parametrize(
    ("values", "bound", "met", "verdict"),
    [
        (LOW, {"at_least": 1}, True, "met"),  # low is 1: all of the interval is at least 1
        (LOW, {"at_most": 1}, False, "undecided"),  # low is 1: not all of it is above 1
        (HIGH, {"at_most": 5}, True, "met"),
        (HIGH, {"at_least": 5}, False, "undecided"),  # high is 5: not all of it is below 5
        (LOW, {"at_least": 1.25}, True, "undecided"),  # the mean itself is 1.25
        (LOW, {"at_most": 1.25}, True, "undecided"),
        (LOW, {"at_least": 4}, False, "missed"),
        (HIGH, {"at_most": 2}, False, "missed"),
        (LOW, {"at_most": 4}, True, "met"),
        (HIGH, {"at_least": 2}, True, "met"),
    ],
)
def test_a_target_at_an_end_of_the_interval_is_met_by_it_and_never_missed(
    asked, values, bound, met, verdict
):
    target = {"name": "T", "statistic": "mean", "question": "s", **bound}
    text = asking({"s": scale(5)}, [measured("mean", "s")], [target])
    found = numbers(asked(text, 12, answers("s", ana=values, ben=values)))
    row = found.get("mean", "s")
    assert row["estimate"] == (1.25 if values is LOW else 4.75)
    assert (row["low"] == 1) is (values is LOW)
    assert (row["high"] == 5) is (values is HIGH)
    assert row["warnings"] == ["cut_at_scale"]
    (told,) = found.targets
    assert (told["met"], told["verdict"]) == (met, verdict)
    assert (told["value"], told["low"], told["high"]) == (row["estimate"], row["low"], row["high"])
    assert told["target"] == next(iter(bound.values()))
    assert told["direction"] == next(iter(bound))
    assert told["n_items"] == 12


def test_a_target_of_a_number_without_a_value_is_not_met(asked):
    target = {"name": "T", "statistic": "alpha_nominal", "question": "q", "at_most": 0.5}
    text = asking({"q": LABELS}, [measured("alpha_nominal", "q")], [target])
    (told,) = numbers(asked(text, 3, answers("q", ana="yyy", ben="yyy"))).targets
    assert (told["value"], told["met"], told["verdict"]) == (None, False, "undecided")
    assert told["reason"]


def test_an_interval_that_is_not_to_be_trusted_decides_nothing(asked):
    """Three items of thirty differ: α lies above its target with all of its interval."""
    target = {"name": "T", "statistic": "alpha_nominal", "question": "q", "at_least": 0.01}
    text = asking({"q": LABELS}, [measured("alpha_nominal", "q")], [target])
    given = answers("q", ana="yn" * 15, ben="yn" * 13 + "nynn")
    found = numbers(asked(text, 30, given))
    row = found.get("alpha_nominal", "q")
    assert row["low"] > 0.01
    assert "too_few_disagreements" in row["warnings"]
    (told,) = found.targets
    assert (told["met"], told["verdict"]) == (True, "undecided")


def test_a_target_is_held_against_the_number_of_its_own_question_and_group(asked):
    targets = [
        {"name": "S", "statistic": "mean", "question": "s", "at_least": 2},
        {"name": "T", "statistic": "mean", "question": "t", "at_least": 2},
        {"name": "Sea", "statistic": "mean", "question": "t", "at_least": 2}
        | {"group": {"topic": "sea"}},
        {"name": "Sky", "statistic": "mean", "question": "t", "at_least": 2}
        | {"group": {"topic": "sky"}},
    ]
    measures = [measured("mean", ["s", "t"], by="topic")]
    text = asking({"s": scale(3), "t": scale(3)}, measures, targets, groups=["topic"])
    given = answers("s", ana=[3, 3, 3, 3]) + answers("t", ana=[1, 1, 2, 3])
    found = numbers(asked(text, 4, given, topic=["sea", "sea", "air", "air"]))
    assert [(t["name"], t["value"]) for t in found.targets] == [
        ("S", 3.0),
        ("T", 1.75),
        ("Sea", 1.0),
        ("Sky", None),
    ]
    assert found.get("mean", "t", topic="air")["estimate"] == 2.5
    assert found.get("mean", "t", topic="sky") is None
    assert found.get("median", "t") is None


def test_numbers_csv_has_the_rows_of_numbers_json(asked, tmp_path):
    text = asking({"s": scale(3)}, [measured("mean", "s", by="topic")], groups=["topic"])
    stored = asked(text, 2, answers("s", ana=[1, 3], ben=[1, 3]), topic=["sea", "air"])
    found = numbers(stored)
    found.write(tmp_path)
    assert (tmp_path / "numbers.json").read_text("utf-8") == found.to_json()
    assert (tmp_path / "numbers.csv").read_text("utf-8") == found.to_csv()
    again = json.dumps(json.loads(found.to_json()), ensure_ascii=False, indent=1)
    assert found.to_json() == again + "\n"
    lines = list(csv.DictReader(io.StringIO(found.to_csv())))
    head = "question,group,statistic,estimate,low,high,low_like,high_like,raters,n_items,"
    head += "n_raters,n_ratings,method,p,p_holm,p_corrected,correction,reason,aggregate,warnings"
    assert ",".join(lines[0]) == head
    for line, row in zip(lines, json.loads(found.to_json())["numbers"], strict=True):
        for name, said in line.items():
            value = row[name]
            if value is None:
                assert said == ""
            elif isinstance(value, dict | list):
                assert json.loads(said) == value
            else:
                assert said == str(value)
    by = [line for line in lines if line["group"]]
    assert [line["group"] for line in by] == ['{"topic": "air"}', '{"topic": "sea"}']
    assert len(found.frame()) == len(found.rows)


def test_intervals_end_where_the_values_can(asked):
    """mae from 0 up to the widest scale, bias to both sides, F1 from 0 to 1."""
    statistics = ("mae", "bias", "macro_f1_halves")
    text = asking({"s": scale(3)}, [measured(name, "s") for name in statistics])
    given = answers("s", ana=[1, 3, 2], ben=[1, 3, 2], owl=[1, 3, 3])
    found = numbers(asked(text, 3, given, kinds={"owl": "model"}))
    rows = {name: found.get(name, "s", rater="owl") for name in statistics}
    assert [rows[name]["estimate"] for name in statistics[:2]] == [pytest.approx(1 / 3)] * 2
    assert (rows["mae"]["low"], rows["macro_f1_halves"]["low"]) == (0.0, 0.0)
    assert (rows["bias"]["low"] < 0 < rows["bias"]["high"], rows["mae"]["high"] > 1) == (True, True)
    assert rows["macro_f1_halves"]["high"] == 1.0
    assert all(rows[name]["low"] >= -2 and rows[name]["high"] <= 2 for name in ("mae", "bias"))


def test_a_target_that_no_number_answers_is_undefined_and_not_met(asked):
    """A comparison with people stands rater by rater, and no system is called c."""
    targets = [
        {"name": "Near", "statistic": "mae", "question": "s", "at_most": 0.9},
        *(
            {"name": f"Of {name}", "statistic": "mean", "question": "s", "at_least": 1}
            | {"group": {"model": name}}
            for name in "ca"
        ),
    ]
    measures = [measured("mae", "s"), measured("mean", "s", by=["model"])]
    text = asking({"s": scale(3), "t": scale(3)}, measures, targets, system="model")
    given = answers("s", ana=[1, 3, 2], ben=[1, 3, 2], owl=[1, 3, 3])
    given += answers("t", ana=[1, 1, 1])
    stored = asked(text, 3, given, kinds={"owl": "model"}, model="aab")
    found = numbers(stored).targets
    assert [(told["name"], told["met"], told["verdict"]) for told in found] == [
        ("Near", False, "undecided"),
        ("Of c", False, "undecided"),
        ("Of a", True, "undecided"),
    ]
    assert [(told["value"], told["reason"]) for told in found[:2]] == [(None, "no_such_number")] * 2
    assert [told["group"] for told in found] == [None, {"model": "c"}, {"model": "a"}]
    page = words_of(page_of(stored))
    assert "Near: undefined, because nothing here was counted of just what is asked for" in page
    # Who leaves a question out of a report leaves its targets out.
    assert numbers(stored, questions=["t"]).targets == []


def test_a_gate_is_shut_by_a_target_that_no_number_answers(asked, tmp_path, capsys):
    target = {"name": "Near", "statistic": "mae", "question": "s", "at_most": 0.9}
    text = asking(
        {"s": scale(3)},
        [measured("mae", "s"), measured("mean", "s")],
        [
            target,
            {"name": "High", "statistic": "mean", "question": "s", "at_least": 1},
        ],
    )
    given = answers("s", ana=[1, 3, 2], ben=[1, 3, 2], owl=[1, 3, 3])
    stored = asked(text, 3, given, kinds={"owl": "model"})
    at = ["--workspace", str(tmp_path), "--db", str(stored.store.path)]
    assert main([*at, "check", stored.name]) == 1
    said = capsys.readouterr().out
    assert "Near: undefined, because nothing here was counted" in said
    assert "Not passed: 1 of 2 targets met by the estimate." in said
