"""Exploring a round: every view is a frame, a figure and the code that makes both again."""

import inspect
import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from raterbook import Workspace
from raterbook.protocols import parse
from raterbook.reporting import views
from raterbook.reporting.explore import VIEWS, Explore
from tests.golden import rounds
from tests.panels.conftest import SAID, opened, say
from tests.reporting.rounds import CRITERIA, asking, records, scale


@pytest.fixture(scope="module")
def explored(tmp_path_factory):
    """A round of feedback, two systems in two groups, three raters with confidences and times."""
    round_ = rounds.built("two-systems", tmp_path_factory.mktemp("explored"))
    return Explore(round_)


def test_every_view_is_a_function_of_answers_and_has_its_title():
    made = {
        name
        for name, one in vars(views).items()
        if inspect.isfunction(one) and one.__module__ == views.__name__
    }
    helpers = {"chosen", *(one.__name__ for one in views.HELPERS)}
    assert made - helpers == set(VIEWS)


def test_one_question_with_scores_goes_together_with_nothing(tmp_path):
    explore = Explore(opened(tmp_path, SAID))  # tone is a score, label none
    said = explore.correlations()._repr_html_()
    assert "No two questions here have scores, so there is nothing to correlate." in said


@pytest.mark.parametrize("name", rounds.NAMES)
def test_a_view_of_any_round_shows_something_or_says_why_not(tmp_path, name):
    explore = Explore(rounds.built(name, tmp_path))
    for view in VIEWS:
        made = explore.view(view)
        assert made.said.strip()
        assert (made.frame is None) == (made.figure is None) == (not made.code)


@pytest.mark.parametrize("view", VIEWS)
def test_the_code_of_a_view_makes_the_same_frame_and_the_same_figure(explored, view):
    made = explored.view(view)
    if made.frame is None:
        pytest.skip(f"nothing to see: {made.said}")
    space = {}
    exec(made.code, space)
    plt.close("all")
    pd.testing.assert_frame_equal(space["frame"], made.frame)
    assert space["figure"].get_suptitle() == made.figure.get_suptitle()
    drawn, again = made.figure.axes[0], space["figure"].axes[0]
    assert [line.get_xydata().tolist() for line in again.lines] == [
        line.get_xydata().tolist() for line in drawn.lines
    ]


def test_a_filter_holds_for_every_view(explored):
    both = explored.distributions().frame
    one = explored.where(rater=[both.index[0]]).distributions().frame
    assert list(one.index) == [both.index[0]]
    with pytest.raises(ValueError, match="no answer has rater 'nobody': there are "):
        explored.where(rater="nobody")
    with pytest.raises(ValueError, match="no column moon to filter by: choose rater"):
        explored.where(moon=["full"])


def test_a_round_in_which_nothing_was_rated_twice_can_be_explored(tmp_path):
    place = Workspace(tmp_path)
    items = pd.DataFrame(records("neureg-qa", 6))
    round_ = place.open("single", "neureg-qa", items, raters=["ana"])
    rows = [
        {"item": item.key, "rater": "ana", "question": question, "value": 1 + n % 5}
        for n, item in enumerate(round_.items())
        for question in CRITERIA
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "answers.csv", index=False)
    round_.add(tmp_path / "answers.csv")
    explore = Explore(round_)
    assert explore.distributions().frame is not None
    assert explore.pairs().said == ("No two raters answered the same question about the same unit.")
    assert all(explore.view(view)._repr_html_() for view in VIEWS)


def test_from_a_mark_to_the_item_with_everyones_answers(explored):
    unit = explored.splitting().frame.index[0]
    shown = explored.item(unit)._repr_html_()
    own = explored.answers[explored.answers["unit"].eq(unit)]
    assert all(str(rater) in shown for rater in own["rater"].unique())


def test_the_panel_draws_the_view_that_is_chosen_for_the_raters_that_are_chosen(explored):
    panel = explored.panel()
    (view, _), (raters, *_), page = (
        panel.children[0].children,
        panel.children[1].children,
        panel.children[2],
    )
    view.value = "distributions"
    named = raters.options[0]
    raters.value = (named,)
    assert VIEWS["distributions"] in page.value
    assert str(raters.options[1]) not in page.value


LONG = [f"Professor Doctor {'of a long name ' * 6}{letter * 5}" for letter in "abcd"]


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """Systems with colons, a topic with “rater” in it, a column of two words, scores below 0."""
    folder = tmp_path_factory.mktemp("odd")
    (folder / "odd.yaml").write_text(
        "name: odd\ntitle: Odd\nabout: Odd.\ninstructions: [Look.]\n"
        "item:\n  key: [id, model]\n  case: id\n  system: model\n  groups: [topic area]\n"
        "  fields:\n"
        "    id: {label: Id, show: none}\n    answer: {label: Answer}\n"
        "    model: {label: Model, show: hidden}\n    topic area: {label: Topic, show: hidden}\n"
        "questions:\n"
        "  - {id: tone, prompt: Tone?, type: scale, min: -2, max: 2}\n"
        "  - {id: clear, prompt: Clear?, type: scale, min: 1, max: 5}\n"
        "measures: [{statistic: mean, question: tone}]\n",
        encoding="utf-8",
    )
    items = pd.DataFrame(
        [
            {"id": f"i{n}", "answer": "a" * n, "model": model, "topic area": f"{'cs'[n % 2]}rater"}
            for n in range(8)
            for model in ("llama3:8b", "qwen:7b")
        ]
    )
    round_ = Workspace(folder).open("odd", folder / "odd.yaml", items)
    rows = [
        {"item": item.key, "rater": rater, "question": question, "value": low + (at * turn) % 5}
        for at, item in enumerate(round_.items())
        for turn, rater in enumerate(LONG, 1)
        for question, low in (("tone", -2), ("clear", 1))
    ]
    pd.DataFrame(rows).to_csv(folder / "answers.csv", index=False)
    round_.add(folder / "answers.csv", new_raters=True)
    return Explore(round_)


def test_values_stand_from_the_lowest_to_the_highest(odd):
    assert list(odd.distributions(question="tone").frame) == ["-2", "-1", "0", "1", "2"]


def test_values_of_another_scale_are_not_taken_for_those_of_the_first(odd):
    assert list(odd.confusion().frame) == ["-2", "-1", "0", "1", "2"]


def test_a_lead_by_group_is_asked_of_systems_and_groups_whatever_they_are_called(odd):
    made = odd.mixed()
    assert made.frame is not None, made.said
    assert list(made.frame.index) == ["srater", "qwen:7b", "srater × qwen:7b"]


def test_the_code_of_a_view_holds_where_a_column_has_a_name_of_two_words(odd):
    made = odd.where(**{"topic area": ["srater"]}).systems()
    space = {}
    exec(made.code, space)
    plt.close("all")
    pd.testing.assert_frame_equal(space["frame"], made.frame)


@pytest.mark.parametrize("view", ["pairs", "dropping", "distributions", "severity"])
def test_long_names_leave_room_for_the_figure_and_are_told_apart(odd, view):
    made = odd.view(view)
    labels = [label.get_text() for label in made.figure.axes[0].get_yticklabels()]
    assert max(map(len, labels)) <= 24
    assert len(set(labels)) == len(LONG)
    assert "of a long name of a long name" not in made.said


def test_labels_stand_in_the_order_of_the_protocol(tmp_path):
    explore = Explore(opened(tmp_path, SAID))
    in_order = ["yes", "no", "open"]
    assert list(explore.distributions(question="label").frame) == in_order
    made = explore.confusion(questions=["label"])
    assert list(made.frame.index) == in_order
    assert "scale=['yes', 'no', 'open']" in made.code


def test_shares_in_cells_and_beside_axes_are_written_as_everywhere(tmp_path):
    explore = Explore(opened(tmp_path, SAID))
    cells = [text.get_text() for text in explore.pairs().figure.axes[0].texts]
    assert cells
    assert all(cell.endswith("\u00a0%") for cell in cells)
    figure = explore.distributions().figure
    figure.canvas.draw()
    ticks = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert ticks[0] == "0\u00a0%"


def test_columns_called_as_views_call_their_own_are_there_beside_them(tmp_path):
    asked = json.loads(asking({"tone": scale(5)}, key=["id", "unit"], case="id", system="unit",
                              groups=["draw"]))  # fmt: skip
    for name in ("unit", "draw"):
        asked["item"]["fields"][name] = {"label": name, "show": "hidden"}
    items = pd.DataFrame(
        [{"id": f"i{n}", "unit": unit, "draw": f"d{n % 2}", "text": "A text."}
         for n in range(4) for unit in ("cm", "inch")]
    )  # fmt: skip
    protocol = parse(json.dumps(asked), source="given.yaml")
    round_ = Workspace(tmp_path).open("odd", protocol, items, raters=("ana", "ben"))
    for at, item in enumerate(round_.items()):
        for rater in ("ana", "ben"):
            say(round_, rater, item.key, "tone", 1 + at % 5)
    explore = Explore(round_)
    assert list(explore.systems(question="tone").frame.index) == ["inch", "cm"]
    assert list(explore.where(unit="cm").distributions(by="draw").frame.index) == ["d0", "d1"]
    options = [box.options for box in explore.panel().children[1].children]
    assert ("cm", "inch") in options


def test_where_nobody_answered_that_is_the_reason(tmp_path):
    items = pd.DataFrame(records("neureg-qa", 2))
    explore = Explore(Workspace(tmp_path).open("nobody", "neureg-qa", items, raters=["ana"]))
    assert {explore.view(view).said for view in VIEWS} == {"Nobody has answered yet."}
    assert explore.panel().children


def test_where_all_give_a_value_alike_often_nobody_is_named():
    alike = {"question": ["q"] * 4, "rater": ["ana", "ana", "ben", "ben"], "value": list("1212")}
    _, figure = views.distributions(pd.DataFrame(alike), "q")
    assert figure.get_suptitle().endswith("50\u00a0% of a rater's answers")
    _, figure = views.distributions(pd.DataFrame({**alike, "value": list("1112")}), "q")
    said = " ".join(
        figure.get_suptitle().split()
    )  # it is on two lines, and signs stay with numbers
    assert said.endswith("75 % of a rater's answers, from 50 % to 100 %")


def frame_of(draws, **columns):
    """Answers to one question as `chosen` leaves them."""
    rows = pd.DataFrame(columns)
    return rows.assign(question="q", draw=[f"d{each}" for each in draws])


def test_length_is_judged_over_what_is_drawn_together():
    """Within each of four sources nothing; between them long texts happen to score higher."""
    rng = np.random.default_rng(1)
    source = np.repeat(np.arange(4), 20)
    units = [f"u{n}" for n in range(80)]
    lengths = dict(zip(units, 100 * (1 + source) + rng.integers(0, 20, 80), strict=True))
    scores = np.clip(2 + source // 2 + rng.integers(0, 2, 80), 1, 5).astype(float)
    given = {"unit": units, "rater": "ana", "number": scores}
    said = views.length(frame_of(source, **given), "q", lengths)[1].get_suptitle()
    assert said.startswith("That longer items score otherwise is not shown: Spearman 0.")
    alone = views.length(frame_of(range(80), **given), "q", lengths)[1].get_suptitle()
    assert alone.startswith("Longer items score higher: Spearman 0.")


def test_a_view_names_nobody_by_what_few_sources_or_rare_slips_show():
    rng = np.random.default_rng(3)
    scores = 5.0 - (rng.random((40, 8)) < 0.06)
    rows = {
        "unit": np.repeat([f"u{n}" for n in range(40)], 8),
        "rater": np.tile([f"r{n}" for n in range(8)], 40),
        "number": scores.ravel(),
    }
    each = np.repeat(np.arange(40), 8)
    _, figure = views.severity(frame_of(each, **rows), ["q"])
    assert figure.get_suptitle() == "Nobody is shown to lean beyond chance"
    low = {**rows, "number": rows["number"] - 1.5 * (rows["rater"] == "r3")}
    _, figure = views.severity(frame_of(each, **low), ["q"])
    assert figure.get_suptitle().startswith("Beyond chance from the others: r3 −1.")
    _, figure = views.severity(frame_of(each // 10, **low), ["q"])
    assert figure.get_suptitle() == "Nobody is shown to lean beyond chance"


def test_pairs_and_times_are_said_without_names():
    rows = {"unit": np.repeat(["u1", "u2"], 3), "rater": ["ana", "ben", "eva"] * 2}
    rows |= {"value": list("112121"), "seconds": [4, 5, 20, 4, 5, 20]}
    rows = frame_of([1, 1, 1, 2, 2, 2], **rows)
    said = " ".join(views.pairs(rows, ["q"])[1].get_suptitle().split())
    assert (
        said
        == "Two raters give the same answer in 0 % to 50 % of the 2 answers they have in common"
    )
    assert views.time(rows)[1].get_suptitle() == "An answer takes a rater 4 to 20 s in the middle"
