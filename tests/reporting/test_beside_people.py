"""The section on models set beside people: there where it is asked for, true to its intervals."""

import random
import re

import pytest

from raterbook.reporting import Report
from raterbook.reporting.html import Section
from raterbook.rounds import Event
from tests.numbers.test_compare_rows import models
from tests.reporting.rounds import asking, opened, scale, words_of


def section(stored, **parameters):
    found = Report(stored, judge="all", **parameters).beside()
    assert isinstance(found, Section)
    return words_of(found._repr_html_())


def test_without_being_asked_for_there_is_no_such_section(tmp_path):
    assert Report(models(tmp_path)).beside() is None


def test_several_models_stand_in_one_table_and_one_figure_with_the_sentence(tmp_path):
    report = Report(models(tmp_path, off=(0.1, 0.9)), judge="all")
    said = words_of(report.beside()._repr_html_())
    assert "Of 2 models, m0 comes nearest to people" in said
    assert "It is nearer than each other model." in said
    assert "m0 comes nearest to people: m0 86" in said  # the figure, for those who hear it
    assert "nearest" in report.pictures


def test_an_order_that_is_not_shown_is_not_claimed(tmp_path):
    said = section(models(tmp_path, off=(0.3, 0.3)))
    assert "come nearest to people; their order is not shown" in said
    assert "is nearer than" not in said.replace("That it is nearer than", "")


def lenient(folder, by):
    rng, answers = random.Random(5), []
    rows = [{"id": f"i{at:03d}", "text": "…"} for at in range(80)]
    for row in rows:
        true = rng.randint(2, 3)
        for who in ("ana", "ben", "cai", "gauge"):
            off = rng.choice((-1, 0, 0, 0, 1)) + (by if who == "gauge" else 0)
            answers.append((who, row["id"], "tone", true + off))
    text = asking({"tone": scale(5)})
    return opened(folder, items=rows, answers=answers, kinds={"gauge": "model"}, text=text)


@pytest.mark.parametrize(("by", "said"), [(1, True), (0, False)])
def test_a_habit_is_said_where_its_interval_carries_it(tmp_path, by, said):
    page = section(lenient(tmp_path, by))
    assert ("gauge scores higher than a person does: Tone +0.98 (+0.83 to +1.14)." in page) == said
    assert ("gauge scores" in page) == said


@pytest.mark.parametrize(("by", "said"), [(1, True), (0, False)])
def test_how_near_it_comes_is_said_beside_how_near_a_person_does(tmp_path, by, said):
    page = section(lenient(tmp_path, by))
    assert ("gauge gives the others’ answer less often than a person does: Tone −" in page) == said
    assert ("gauge lies further from the others’ mean than a person does: Tone +" in page) == said
    nothing = "That gauge is nearer to people than a person is, or less near, is not shown."
    assert (nothing in page) == (not said)
    named = ("The same", "Within one level", "Distance", "Rank correlation", "Cohen’s κ of two")
    for name in named:
        assert f"{name}: " in page  # what it is, in a sentence below its numbers


def test_alpha_stands_with_the_model_and_without_and_means_by_each_of_them(tmp_path):
    report = Report(lenient(tmp_path, 1), judge="all")
    page = words_of(report.beside()._repr_html_())
    people, both = (
        report.numbers.get("alpha_beside", "tone", rater="gauge", whose=whose)["estimate"]
        for whose in ("people", "people and model")
    )
    assert both < people
    head = "Question People People and the model Tone"
    assert re.search(rf"{head} {people:.2f} .* {both:.2f} ", page)
    assert "By people, by gauge, and corrected" in page
    assert "People rated every item the model did, so nothing is to be corrected." in page


def test_groups_that_show_nothing_are_said_to_show_nothing(tmp_path):
    said = section(models(tmp_path, off=(0.3,)))
    assert "On none of 2 groups of items is m0 shown to be further from people" in said


def sure(folder, stated):
    rows = [{"id": f"i{at:03d}", "text": "…"} for at in range(80)]
    stored = opened(folder, items=rows, text=asking({"tone": scale(5)}))
    for who, kind in (("ana", "human"), ("ben", "human"), ("gauge", "model")):
        stored.add_rater(who, kind=kind)
        events = [
            Event(f"{who}{at}", row["id"], "tone", 4 if who == "gauge" and at % 4 == 0 else 3,
                  confidence=stated if who == "gauge" else None)
            for at, row in enumerate(rows)
        ]  # fmt: skip
        assert all(ack.ok for ack in stored.save(who, events))
    return stored


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        (95, "gauge on Tone: surer than right by 20 points (10 to 30)"),
        (76, "gauge on Tone: that its confidence is too high or too low is not shown"),
        (30, "gauge on Tone: less sure than right by 45 points (35 to 55)"),
    ],
)
def test_confidence_is_called_too_high_or_too_low_where_that_is_shown(tmp_path, stated, said):
    report = Report(sure(tmp_path, stated), judge="gauge")
    assert said in words_of(report.beside()._repr_html_())
    assert "confidence-gauge-tone" in report.pictures


def test_the_figures_of_confidence_open_on_a_click_below_a_sentence_for_each_question(tmp_path):
    html = Report(sure(tmp_path, 95), judge="gauge").beside()._repr_html_()
    before, inside = html.split("Stated confidence, question by question")
    assert "surer than right by 20 points" in before
    assert "<img" not in before
    assert "<img" in inside


def test_names_of_models_and_groups_are_text(tmp_path):
    rng = random.Random(1)
    rows = [{"id": f"i{at:03d}", "text": "…", "topic": ("<u>x", "y")[at % 2]} for at in range(60)]
    answers = []
    for at, row in enumerate(rows):
        true = rng.randint(1, 3)
        for who in ("ana", "ben", "cai", "<b>m", "<i>n"):
            more = 2 if who == "<b>m" and at % 2 == 0 else 0
            off = 0 if more else rng.choice((0, 0, 0, 1))
            answers.append((who, row["id"], "tone", true + more + off))
    kinds = {"<b>m": "model", "<i>n": "model"}
    text = asking({"tone": scale(5)}, groups=["topic"])
    stored = opened(tmp_path, items=rows, answers=answers, kinds=kinds, text=text)
    html = Report(stored, judge="all").beside()._repr_html_()
    assert not [tag for tag in ("<b>m", "<i>n", "<u>x") if tag in html]
    assert "&lt;u&gt;x" in html


@pytest.mark.parametrize("judge", [None, "gauge"])
def test_a_page_knows_the_chance_with_which_items_came_to_people(tmp_path, judge):
    rng, answers = random.Random(2), []
    rows = [{"id": f"i{at:03d}", "text": "…", "chance": "0.5"} for at in range(80)]
    for at, row in enumerate(rows):
        true = rng.randint(2, 4)
        for who in ("ana", "ben", "gauge"):
            if who == "gauge" or at % 2:
                answers.append((who, row["id"], "tone", true))
    text = asking({"tone": scale(5)})
    stored = opened(tmp_path, items=rows, answers=answers, kinds={"gauge": "model"}, text=text)
    report = Report(stored, judge=judge, columns=["inclusion=chance"])
    assert "May gauge replace people?" in words_of(report.machines()._repr_html_())
    if judge:
        row = report.numbers.get("corrected_mean", "tone", rater="gauge")
        assert row["low"] < row["estimate"] < row["high"]
        page = words_of(report.beside()._repr_html_())
        shown = f"{row['estimate']:.2f} ({row['low']:.2f} to {row['high']:.2f})"
        assert "Question What People alone The model alone Corrected Tone mean 3" in page
        assert shown in page
