"""How large the next round must be: `raterbook plan`, `Round.forecast`, the panel."""

import json
import re
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.special import stdtrit

from raterbook import Workspace
from raterbook.analysis.assumption import assumed
from raterbook.analysis.forecast import Design, of_numbers
from raterbook.analysis.intervals.resampling import PLAIN
from raterbook.cli import main
from raterbook.numbers.forecast import forecast, smallest
from raterbook.reporting.forecast import curve, lines, panel, price, section, sentence
from raterbook.rounds import Event
from tests.golden import rounds
from tests.reporting.rounds import records

LABELS = ["SUPPORTED", "CONTRADICTED", "NO EVIDENCE"]
PEOPLE = ("ana", "ben", "cem")


def said_by(place, item):
    """What a rater says of an item: mostly what it is, each rater with misses of their own."""
    return LABELS[(item + (item * 7 + place * 5) % 11 // 9) % 3]


@pytest.fixture(scope="module")
def pilot(tmp_path_factory):
    """Forty items that three people rated, twenty seconds each, and ten that ana alone did."""
    place = Workspace(tmp_path_factory.mktemp("pilot"))
    asked = records("halo-support", 50)
    file = place.path / "items.jsonl"
    file.write_text("\n".join(json.dumps(each) for each in asked))
    round_ = place.open("round-01", "halo-support", file, raters=PEOPLE)
    for rater, who in zip(range(3), PEOPLE, strict=True):
        many = 50 if who == "ana" else 40
        round_.save(
            who,
            [
                Event(None, f"i{n:03d}", "label", said_by(rater, n), seconds=20.0)
                for n in range(many)
            ],
        )
    return round_


def by_name(found):
    return {each.name: each for each in found.numbers}


def test_at_this_rounds_own_size_the_width_is_that_of_its_own_interval(pilot):
    found = pilot.forecast(measures=["alpha_nominal", "proportion_supported", "kappa_raters"])
    numbers = pilot.numbers()
    for each in found.numbers:
        row = numbers.get(each.statistic, "label")
        planned = each.at(found.pilot, 0.95)
        assert planned.value == pytest.approx(row["estimate"])
        assert planned.high - planned.low == pytest.approx(row["high"] - row["low"], rel=0.1)


def test_raters_whom_items_alone_set_apart_keep_no_width_however_many_items(tmp_path):
    place = Workspace(tmp_path)
    (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, records("neureg-qa", 12))))
    round_ = place.open("round-01", "neureg-qa", tmp_path / "items.jsonl", raters=PEOPLE)
    for at, who in enumerate(PEOPLE):
        scores = [1 + (n + at * (n % 3)) % 5 for n in range(12)]
        round_.save(who, [Event(None, f"i{n:03d}", "relevance", s) for n, s in enumerate(scores)])
    said = sentence(round_.forecast(measures=["mean:relevance"]))
    assert "0.00 wide" not in said
    assert said.endswith(
        "For raters like these the interval narrows as for these, as round-01 shows nothing but "
        "its items that sets its 3 raters apart, which 3 raters tell only roughly."
    )


@pytest.mark.parametrize("name", rounds.NAMES)
def test_any_round_is_a_pilot_and_says_what_it_cannot_tell(tmp_path, name):
    round_ = rounds.built(name, tmp_path)
    found = round_.forecast()
    assert sentence(found)
    for row in found.frame().to_dict("records"):
        assert pd.isna(row["reason"]) != pd.isna(row["width"]), row
    for line in lines(found):
        assert "nan" not in line.split()


def test_a_width_is_answered_with_items_hours_and_how_sure_that_is(pilot, capsys):
    assert main([*at(pilot), "--measure", "alpha_nominal:label", "--width", ".2"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    said = re.match(
        r"About ([\d,]+) items, 3 ratings each by these 3 raters, make the interval of "
        r"alpha_nominal:label no wider than 0\.2; as far as 50 items can tell, ([\d,]+) to "
        r"([\d,]+)\. That is about ([\d,.]+) hours of rating\. For raters like these",
        first,
    )
    assert said, first
    items, low, high, hours = (float(each.replace(",", "")) for each in said.groups())
    assert low < items < high
    assert hours == pytest.approx(items * 3 * 20 / 3600, abs=0.05)


def test_an_items_cost_is_the_mean_over_raters_of_what_each_usually_needs(tmp_path):
    place = Workspace(tmp_path)
    (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, records("halo-support", 3))))
    round_ = place.open("round-01", "halo-support", tmp_path / "items.jsonl", raters=PEOPLE[:2])
    for who, seconds in (("ana", (10.0, 10.0, 400.0)), ("ben", (30.0, 90.0, 30.0))):
        round_.save(
            who,
            [
                Event(None, f"i{n:03d}", "label", said_by(0, n), seconds=took)
                for n, took in enumerate(seconds)
            ],
        )
    assert round_.forecast().cost.seconds == 20.0


def at(round_, name="round-01"):
    return ["--workspace", str(round_.workspace.path), "plan", name]


def test_the_items_that_are_named_reach_the_width_and_fewer_do_not(pilot):
    found = pilot.forecast(measures=["alpha_nominal:label"], width=0.2)
    (each,) = found.numbers
    items = each.items(0.2, found.pilot, 0.95)
    there, before = (
        found_at(found, each, replace(found.pilot, items=many)) for many in (items, items - 2)
    )
    assert there <= 0.2 < before


def found_at(found, each, size):
    frame = replace(found, numbers=(each,), sizes=(size,)).frame()
    return frame["width"].iloc[0]


def test_every_combination_that_is_asked_for_has_its_row(pilot, capsys):
    words = ["--items", "100,200", "--raters", "3,6", "--per-item", "2,3", "--cluster-size", "1,4"]
    assert main([*at(pilot), "--measure", "alpha_nominal", *words, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["forecast"]
    there = [
        tuple(row[name] for name in ("items", "raters", "per_item", "cluster_size")) for row in rows
    ]
    assert sorted(there) == sorted(product((100, 200), (3, 6), (2, 3), (1, 4)))


def test_more_raters_narrow_what_is_said_of_raters_like_these(pilot):
    found = pilot.forecast(measures=["alpha_nominal"], sizes={"items": [100], "raters": [3, 6, 12]})
    widths = list(found.frame()["width_like"])
    assert widths == sorted(widths, reverse=True)


def test_rated_once_come_in_an_order_by_chance_and_each_once(pilot):
    once = [f"i{n:03d}" for n in range(40, 50)]
    first = pilot.forecast().first
    assert sorted(first) == once != list(first)
    assert pilot.forecast().first == first


def test_of_every_cluster_one_is_rated_twice_before_a_second(tmp_path):
    place = Workspace(tmp_path)
    asked = [
        each | {"gold_answer": f"c{n % 3}"} for n, each in enumerate(records("halo-support", 12))
    ]
    file = tmp_path / "items.jsonl"
    file.write_text("\n".join(json.dumps(each) for each in asked))
    round_ = place.open("round-01", "halo-support", file, raters=["ana"], cluster="gold_answer")
    round_.save("ana", [Event(None, f"i{n:03d}", "label", said_by(0, n)) for n in range(12)])
    first = round_.forecast().first
    turns = [{int(each[1:]) % 3 for each in first[at : at + 3]} for at in range(0, 12, 3)]
    assert turns == [{0, 1, 2}] * 4
    # Two of the first cluster have a second rating now: the other clusters catch up with it.
    round_.add_rater("ben")
    round_.save("ben", [Event(None, f"i{n:03d}", "label", said_by(1, n)) for n in (0, 3)])
    first = [int(each[1:]) % 3 for each in round_.forecast().first]
    assert [sorted(turn) for turn in (first[:2], first[2:4], first[4:7], first[7:])] == [
        *([[1, 2]] * 2), *([[0, 1, 2]] * 2)
    ]  # fmt: skip


def test_what_models_cost_is_beside_the_hours(pilot):
    found = forecast(pilot, sizes={"items": [600]}).priced({"judge": 0.02})
    assert list(found.frame()["money"]) == pytest.approx([12.0] * len(found.numbers))
    assert "10.0 hours of rating" in price(found, found.sizes[0])
    assert "12.00 USD for judge" in price(found, found.sizes[0])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--items", "100,x"], "--items '100,x': 'x' is not a whole number"),
        (["--raters", "2.5"], "--raters '2.5': '2.5' is not a whole number"),
        (["--per-item", "4"], "4 ratings an item are more than 3 raters can give"),
        (["--width", "0"], "width 0.0 is no width"),
        (["--coverage", "95"], "coverage"),
        (["--assume", "alpha_nominal:label=x"], "--assume alpha_nominal:label=x: write a value"),
        (["--assume", "alpha_nominal=.5"], "write STATISTIC:QUESTION"),
        (["--assume", "mean:label=.5"], "no forecast of 'mean'"),
        (["--measure", "alpha_nominal:lable"], "Did you mean alpha_nominal:label?"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_the_remedy(pilot, capsys, words, said):
    assert main([*at(pilot), *words]) == 2
    assert said in capsys.readouterr().err


def test_a_round_without_answers_is_no_pilot(tmp_path, capsys):
    place = Workspace(tmp_path)
    file = tmp_path / "items.jsonl"
    file.write_text("\n".join(json.dumps(each) for each in records("halo-support", 3)))
    round_ = place.open("round-01", "halo-support", file, raters=["ana"])
    assert main(at(round_)) == 2
    assert "round-01 has no answers that count, so it is no pilot." in capsys.readouterr().err


def test_where_nothing_can_be_said_of_a_width_the_reason_stands_in_its_place(tmp_path, capsys):
    place = Workspace(tmp_path)
    file = tmp_path / "items.jsonl"
    file.write_text("\n".join(json.dumps(each) for each in records("halo-support", 4)))
    round_ = place.open("round-01", "halo-support", file, raters=["ana"])
    round_.save("ana", [Event(None, f"i{n:03d}", "label", LABELS[0]) for n in range(4)])
    assert main([*at(round_), "--measure", "alpha_nominal"]) == 0
    assert "cannot tell how wide an interval will be: Only one rater" in capsys.readouterr().out


def test_the_panel_draws_what_its_boxes_say(pilot):
    shown = panel(pilot.forecast(measures=["alpha_nominal", "proportion_supported"]))
    (first, second, page, _) = shown.children
    before = page.value
    assert "<img" in before
    assert "the interval of alpha_nominal:label" in before
    raters = first.children[1]
    raters.value = 9
    assert "for 9 raters" in page.value
    second.children[1].value = 0.1
    assert "no wider than 0.1" in page.value


def test_the_curve_falls_and_its_title_says_what_was_found(pilot):
    found = pilot.forecast(measures=["alpha_nominal"], width=0.15)
    (each,) = found.numbers
    widths = curve(found, each, found.pilot)["width"].dropna()
    assert list(widths) == sorted(widths, reverse=True)
    drawn = section(found, each, found.pilot)._repr_html_()
    assert re.search(r"About [\d,]+ items, 3 ratings each by these 3", drawn)


def test_the_difference_that_a_round_finds_is_found_by_four_fifths_of_such_rounds():
    rng = np.random.default_rng(9)
    pilot = of_numbers(rng.normal(size=(60, 1)), None, PLAIN, "difference")
    true = smallest(pilot.at(Design(100, 1, 1)))
    spread = pilot.same**0.5
    rounds_ = true + spread * rng.normal(size=(4000, 100))
    reach = stdtrit(99, 0.975) * rounds_.std(axis=1, ddof=1) / 10
    assert np.mean(rounds_.mean(axis=1) > reach) == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize("given", [said_by, lambda place, item: LABELS[item % 2]])
def test_a_round_rated_once_is_planned_from_an_assumed_agreement(tmp_path, capsys, given):
    """A label that nobody gave yet may be given next time: as half an item has it."""
    place = Workspace(tmp_path)
    file = tmp_path / "items.jsonl"
    file.write_text("\n".join(json.dumps(each) for each in records("halo-support", 30)))
    round_ = place.open("round-01", "halo-support", file, raters=["ana"])
    round_.save("ana", [Event(None, f"i{n:03d}", "label", given(0, n)) for n in range(30)])
    words = ["--assume", "alpha_nominal:label=.6", "--raters", "2", "--per-item", "2"]
    words += ["--measure", "alpha_nominal", "--width", ".2", "--json"]
    assert main([*at(round_), *words]) == 0
    said = json.loads(capsys.readouterr().out)["recommendation"]
    items = int(re.match(r"About (\d+) items", said)[1])
    shares = [len([n for n in range(30) if given(0, n) == each]) for each in LABELS]
    made = assumed("alpha_nominal", 0.6, [each + 0.5 for each in shares])
    assert items == made.needed(0.2, Design(30, 2, 2))
    assert "rests on an assumed value of 0.60" in said
