"""Which values raters confuse with which, in the order of the scale."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..section import Section
from ..tables.pairs import confusions, worst_pair
from ..tables.spread import scales
from ..tables.values import value_names
from ..words import count, listing, percent

ENOUGH = 10  # disagreeing pairs; of fewer a table says nothing


def confusion(report: Any) -> Section | None:
    if len(report.counted.raters()) < 2:
        return None
    parts = []
    for place, group in enumerate(scales(report.counted)):
        if len(group[0].values) < 3:
            continue
        found = confusions(report.counted, group)
        worst = worst_pair(found)
        if worst is None or worst[3] < ENOUGH:
            continue
        parts.append(one(report, group, found, worst, place))
    return Section("Confused values", "".join(parts), folded=True) if parts else None


def one(report: Any, group: list[Any], found: pd.DataFrame, worst: Any, place: int) -> str:
    first, second, share, pairs = worst
    where = listing([report.label(question.id) for question in group])
    if len(group) > 3:
        where = f"{len(group)} questions"
    names = value_names(group[0])
    said = (
        f"{percent(share)} % of {count(pairs, 'disagreement')} on {where} lie between "
        f"{names[str(first)]} and {names[str(second)]}"
    )
    found = found.rename(index=lambda v: names[str(v)], columns=lambda v: names[str(v)])
    rows = found.div(found.sum(axis=1).where(found.sum(axis=1) > 0), axis=0)
    from ..figures.heat import heat_figure

    drawn = heat_figure(
        rows, said, percent, rows="one rater said", columns="another said", low=0, high=1
    )
    alt = (
        said
        + ". "
        + "; ".join(
            f"where one said {row}, another said "
            + ", ".join(
                f"{column} {percent(value)} %" for column, value in line.items() if value == value
            )
            for row, line in rows.iterrows()
            if line.notna().any()
        )
    )
    return report.picture(
        f"confusion-{place + 1}",
        drawn,
        alt,
        "Read along a row: where one rater said this, what the others said, in per cent.",
    )
