"""A judge beside people: how often it says the same, how far off it is, how high it scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import analysis

if TYPE_CHECKING:
    import pandas as pd

    from raterbook.protocols import Question
    from raterbook.rounds import StoredRound

SCORES = ("exact", "within_one", "mae", "bias", "spearman")
LABELS = ("exact",)
SHARES = ("exact", "within_one")
CALLED = {
    "exact": "the same", "within_one": "within one", "mae": "off by", "bias": "higher by",
    "spearman": "order (Spearman)",
}


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


def as_table(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per question, to be read: each measure with its 95 % interval, or why there is none.
    """
    import pandas as pd

    rows: dict[str, dict[str, Any]] = {}
    for one in frame.to_dict("records"):
        row = rows.setdefault(str(one["question"]), {})
        row[CALLED[one["statistic"]]] = _said(one)
        if one["n_items"]:
            row["items"] = int(one["n_items"])
        if one["estimate"] != one["estimate"] or one["estimate"] is None:
            row["why not"] = one["reason"]
    used = [name for name in (*CALLED.values(), "items", "why not")
            if any(name in row for row in rows.values())]
    cells = [[row.get(name, "") for name in used] for row in rows.values()]
    return pd.DataFrame(cells, index=list(rows), columns=used)


def _said(row: dict[str, Any]) -> str:
    numbers = [row["estimate"], row["low"], row["high"]]
    if numbers[0] is None or numbers[0] != numbers[0]:
        return "–"
    form = "{:.0%}" if row["statistic"] in SHARES else "{:.2f}"
    estimate, *ends = [form.format(one) for one in numbers if one is not None and one == one]
    return f"{estimate} ({' to '.join(ends)})" if ends else estimate


def _described(question: Question) -> dict[str, Any]:
    described: dict[str, Any] = {"type": question.type, "level": question.level}
    if question.values is not None:
        described["scale"] = list(question.values)
    return described
