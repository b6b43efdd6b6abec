"""Exploring a round: every view is a frame, a figure and the code that makes both again."""

import inspect

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from raterbook import Workspace
from raterbook.reporting import views
from raterbook.reporting.explore import VIEWS, Explore
from tests.golden import rounds
from tests.reporting.rounds import CRITERIA, records


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
    helpers = {"chosen", "intervals", "dots", "titled", "lengths"}
    assert made - helpers == set(VIEWS)


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
