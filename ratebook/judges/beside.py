"""A judge beside people: how often it says the same, how far off it is, how high it scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import analysis

if TYPE_CHECKING:
    import pandas as pd

    from ratebook.protocols import Question
    from ratebook.rounds import StoredRound

SCORES = ("exact", "within_one", "mae", "bias", "spearman")
LABELS = ("exact",)


def beside_people(stored: StoredRound, name: str | None = None) -> pd.DataFrame:
    """One row per judge, question and measure, with its interval and the number of items.

    People are those who count in the round; without them there is nothing to compare with, and
    the frame says so in its `reason` column.
    """
    import pandas as pd

    asked = [one for one in stored.protocol.questions if one.type in ("scale", "choice")]
    measures = [
        {"statistic": statistic, "question": question.id}
        for question in asked
        for statistic in (SCORES if question.type == "scale" else LABELS)
    ]
    rows = analysis.summary(
        stored.frame(), measures, {one.id: _described(one) for one in asked}, interval="jackknife"
    )
    columns = ["question", "statistic", "estimate", "low", "high", "n_items", "reason"]
    frame = pd.DataFrame(rows, columns=["group", *columns])
    judges = frame["group"].map(lambda group: (group or {}).get("rater"))
    frame = frame.assign(judge=judges)[["judge", *columns]]
    if name is not None:  # a row without a judge says why nothing could be compared
        frame = frame[(frame["judge"] == name) | frame["judge"].isna()]
    return frame.reset_index(drop=True)


def _described(question: Question) -> dict[str, Any]:
    described: dict[str, Any] = {"type": question.type, "level": question.level}
    if question.values is not None:
        described["scale"] = list(question.values)
    return described
