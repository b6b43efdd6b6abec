"""Proportions and their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from raterbook.analysis.averages import Additive, Entries, infer_cells, ratio
from raterbook.analysis.averages.means import DRAWN_APART, entries
from raterbook.analysis.estimate import WILSON, Estimate, How, check_name
from raterbook.analysis.intervals import (
    DRAWN,
    LIMITS_METHODS,
    ROUGH,
    USUAL,
    Interval,
    Wish,
    limits,
    no_wider,
    t_of,
)
from raterbook.analysis.intervals.resampling import LOGIT, freedom, t_interval
from raterbook.analysis.ratings import Coded, read


def proportion(
    ratings: Any,
    total: Any = None,
    *,
    of: Sequence[Any] | None = None,
    method: str = "wilson",
    interval: Wish = "jackknife",
) -> Estimate:
    """A share of answers, or count / total of independent units with a named interval.

    `proportion(15, 148)` takes a count and a total; `method` is wilson, clopper-pearson or normal.
    `proportion(ratings, ["accurate"], of=[…])` takes ratings, the values that count as hits, and
    those in the denominator (all of them if not named); answers of one unit are resampled together.
    Without a value when the denominator is zero.

    >>> proportion(15, 148)
    <proportion: 0.1014; 95 % 0.0624 to 0.1605 for these raters; 148 units, 1 raters, 148 ratings>
    """
    wish = Interval.of(interval)
    if not isinstance(ratings, Real):
        if method != LIMITS_METHODS[0]:
            raise ValueError(
                f"method={method!r} needs a count and a total: of ratings, answers of one unit "
                "stand together"
            )
        coded = read(ratings)
        if coded.clusters is None and wish.method in DRAWN and coded.n_units <= DRAWN_APART:
            coded = coded.apart()
        return proportion_of("proportion", _hits(coded, total, of), wish)
    if of is not None:
        raise ValueError("a count and a total take no of=: it belongs to ratings")
    return _of_counts(float(ratings), float(total), method, wish.coverage)


def _hits(coded: Coded, values: Any, of: Sequence[Any] | None) -> Entries:
    if values is None or isinstance(values, str):
        raise ValueError("name the values that count as hits, as a list")
    values, of = list(values), None if of is None else list(of)
    unknown = [v for v in [*values, *(of or ())] if coded.declared and v not in coded.scale]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not on the scale: {', '.join(map(str, coded.scale))}")
    wanted = np.array([False, *(value in values for value in coded.scale)])
    counts = np.array([False, *(of is None or value in of for value in coded.scale)])
    unit, rater = np.nonzero(coded.codes)
    codes = coded.codes[unit, rater]
    hit, within = wanted[codes] & counts[codes], counts[codes]
    return entries(coded, unit, rater, {"hit": hit.astype(float), "of": within.astype(float)})


def _of_counts(count: float, total: float, method: str, coverage: float) -> Estimate:
    check_name("method", method, LIMITS_METHODS)
    if not 0 <= count <= total:
        raise ValueError(f"{count:g} of {total:g} is not a proportion")
    n = int(total)
    counts: dict[str, Any] = {"n_units": n, "n_raters": 1, "n_ratings": n}
    if total == 0:
        return Estimate(None, reason="zero_denominator", statistic="proportion", **counts)
    low, high = limits(count, total, method, coverage)
    p = count / total
    return Estimate(
        p,
        low,
        high,
        se=float(np.sqrt(p * (1 - p) / total)),
        statistic="proportion",
        coverage=coverage,
        method=How(method),
        beside={"count": count, "total": total},
        **counts,
    )


def proportion_difference(
    count: float, total: float, other_count: float, other_total: float, *, coverage: float = 0.95
) -> Estimate:
    """The difference of two independent proportions, with Newcombe's interval (method 10).

    >>> round(proportion_difference(9, 10, 3, 10).low, 4)
    0.1705
    """
    if min(total, other_total) <= 0:
        return Estimate(None, reason="zero_denominator", statistic="proportion_difference")
    for few, many in ((count, total), (other_count, other_total)):
        if not 0 <= few <= many:
            raise ValueError(f"{few:g} of {many:g} is not a proportion")
    p, q = count / total, other_count / other_total
    low, high = limits(count, total, "wilson", coverage)
    other_low, other_high = limits(other_count, other_total, "wilson", coverage)
    return Estimate(
        p - q,
        float(p - q - np.hypot(p - low, other_high - q)),
        float(p - q + np.hypot(high - p, q - other_low)),
        statistic="proportion_difference",
        coverage=coverage,
        method=How("newcombe"),
        n_units=int(total + other_total),
        n_ratings=int(total + other_total),
        n_raters=1,
    )


def proportion_of(
    name: str,
    cells: Entries,
    wish: Interval = USUAL,
    *,
    warnings: tuple[str, ...] = (),
) -> Estimate:
    """Σ hit / Σ of over answers: the linearised variance over clusters, on the logit, with t.

    Where each cluster holds one answer, Wilson's interval; at 0 and 1, Wilson's on the number of
    clusters, and so where few clusters carry the spread and the other would be wider. A bootstrap
    asked for by name is drawn wherever there is something to draw.
    """
    counted = cells.where(cells.numbers["of"] > 0)
    interval, coverage = wish.method, wish.coverage
    found = infer_cells(
        Additive(
            name,
            lambda part: part.per_cluster(part.numbers["hit"], part.numbers["of"]),
            ratio,
            link=LOGIT,
            reason="zero_denominator",
        ),
        counted,
        wish,
        warnings=warnings,
    )
    rows = counted.per_cluster(counted.numbers["hit"], counted.numbers["of"])
    alike = counted.alike()
    count, total = (float((alike * column).sum()) for column in rows.T)
    found = replace(found, beside={"count": count, "total": total})
    if found.value is None or interval is None:
        return found
    p = found.value
    n, drawn = int(alike.sum()), interval in DRAWN
    single = n == counted.counts()["n_ratings"] and _single_answers(counted)
    if not (drawn and found.low is not None) and single:
        low, high = limits(p * n, n, "wilson", coverage)
        method = How(WILSON, n, "answers").over_raters(found.method.raters)
        reason = found.reason if found.low is not None else None
        found = replace(found, low=low, high=high, method=method, reason=reason)
        if n < ROUGH:
            found = replace(found, warnings=tuple(dict.fromkeys((*warnings, "few_clusters"))))
    elif found.low is not None and not drawn and 0 < p < 1:
        gaps = linearised_gaps(rows, p, alike)
        df = min(max(freedom(gaps**2, alike), 1.0), n - 1.0)
        variance = float((alike * gaps**2).sum()) * LOGIT.slope(np.array([p]))[0] ** 2
        low, high = t_interval(p, variance, df, coverage, LOGIT)
        method = How("linearised", n, "clusters", LOGIT.name, t_of(df, n))
        least = no_wider(p, (low, high), rows[:, 1], alike, coverage)
        if least is not None:
            low, high, many = least
            method = How(WILSON, many, "clusters")
        method = method.over_raters(found.method.raters)
        found = replace(found, low=low, high=high, method=method, df=df)
    return found.no_surer_of_others()


def _single_answers(cells: Entries) -> bool:
    """Whether each entry is one yes or no, as Wilson's interval takes it."""
    hit, of = cells.numbers["hit"], cells.numbers["of"]
    return bool((of == 1).all() and np.isin(hit, (0.0, 1.0)).all())


def linearised_gaps(rows: np.ndarray, p: float, alike: np.ndarray) -> np.ndarray:
    """What each cluster adds to Σ hit / Σ of, scaled so that squares make its variance.

    A row stands for as many clusters as `alike` says.
    """
    g = int(alike.sum())
    gaps = rows[:, 0] - p * rows[:, 1]
    return np.asarray(np.sqrt(g / (g - 1)) * gaps / (alike * rows[:, 1]).sum())
