"""A small round with disputes in it, opened in a workspace."""

import uuid

import pandas as pd
import pytest

from raterbook import Workspace
from raterbook.protocols import parse
from raterbook.rounds import Event
from tests.reporting.rounds import asking, choice, scale

ASKED = {
    "label": choice("yes", "no", "open", comment={"prompt": "Why?"}),
    "tone": scale(5),
    "sure": {"type": "percent", "required": False},
}
# item: question: what ana, ben and eva said.
SAID = {
    "q1/birch": {"label": ("yes", "yes", "yes"), "tone": (3, 3, 3)},
    "q1/cedar": {"label": ("yes", "no", "open"), "tone": (3, 3, 4)},
    "q2/birch": {"label": ("no", "no", "yes"), "tone": (1, 3, 5)},
    "q2/cedar": {"label": ("no", "no", "no"), "tone": (2, 2, 4)},
}
RATERS = ("ana", "ben", "eva")
DISPUTES = [("q1/cedar", "label"), ("q2/birch", "tone")]


def say(round_, rater, item, question, value, **more):
    event = Event(uuid.uuid4().hex, item, question, value, **more)
    (ack,) = round_.save(rater, [event])
    assert ack.ok, ack.reason


def opened(folder, said=SAID, asked=ASKED, raters=RATERS, parts=None, long="", **plan):
    """A round in which the raters said this, with uma to settle it."""
    text = asking(asked, parts=parts, key=["id", "model"], case="id", system="model")
    names = [name.split("/") for name in said]
    items = pd.DataFrame(
        [
            {"id": id, "model": model, "text": f"What {n} says. And more.{long}"}
            for n, (id, model) in enumerate(names)
        ]
    )
    protocol = parse(text, source="given.yaml")
    round_ = Workspace(folder).open("round-01", protocol, items, raters=raters, **plan)
    for item, answers in said.items():
        for question, values in answers.items():
            for rater, value in zip(raters, values, strict=True):
                if value is not None:
                    say(round_, rater, item, question, value)
    round_.add_rater("uma", kind="adjudicator")
    return round_


@pytest.fixture
def round_(tmp_path):
    return opened(tmp_path)
