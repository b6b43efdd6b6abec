"""What people would have said of all items, from those they rated and a model's answers to all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from raterbook.analysis.averages import add_up, unit_means
from raterbook.analysis.estimate import Estimate, How
from raterbook.analysis.intervals import Ends, Interval, UnitSums, Wish, estimated, interval_of
from raterbook.analysis.intervals.resampling import (
    LOGIT,
    PLAIN,
    leave_one_out,
    like_interval,
    reach_of,
    spread,
)
from raterbook.analysis.ratings.long import cluster_codes

FEWEST_OF_A_VALUE = 5  # clusters; below, a share has no interval
# Columns of a cluster's sums.
WEIGHT, OF_PEOPLE, OF_MODEL, BOTH, SIZE, REST, OF_REST, N_ALL, OF_ALL, SQUARES = range(10)


def ppi_mean(
    people: Any,
    model: Any,
    *,
    cluster: Any = None,
    inclusion: Any = None,
    interval: Wish = "jackknife",
) -> Estimate:
    """The mean people would have given all items: a model's mean, corrected where people rated.

    `model` has a value for each item; `people` one each, or a row of raters' values, empty where
    nobody rated. θ = λ·mean of the model's others + mean of (people − λ·model) on the items people
    rated, with the λ from 0 to 1 that makes it surest (PPI++, Angelopoulos, Duchi and Zrnic
    2023). Of shares, give 0 and 1; of two systems, each case's difference. What people rated must
    be a random sample of the items, or `inclusion` must say with which chance each item came to
    them; items are then weighted by it, and the model's mean is that of all items.

    The interval is the jackknife over clusters, λ tuned anew each time, with t; "analytic" is the
    paper's, for items without clusters. `beside` has λ (`tuning`), `people` and `model` alone.

    >>> ppi_mean([3, 4, 2, 5, None, None], [4, 4, 3, 5, 4, 5], interval=None)
    <ppi_mean: 3.7206; 6 units, 1 raters, 4 ratings>
    """
    wish = Interval.of(interval)
    table, f = _table(people), _numbers(model, "model")
    if len(table) != len(f):
        raise ValueError(f"{len(table)} items of people and {len(f)} of the model: give the same")
    codes = np.arange(len(f)) if cluster is None else cluster_codes(list(cluster))
    chance = None if inclusion is None else _numbers(inclusion, "inclusion")
    for what, given in (("cluster label", codes), ("chance", chance)):
        if given is not None and len(given) != len(f):
            raise ValueError(f"{len(given)} {what}s for {len(f)} items: give one for each")
    there = np.isfinite(f)
    table, f, codes = table[there], f[there], codes[there]
    chance = None if chance is None else chance[there]
    rated = np.isfinite(table)
    common: dict[str, Any] = {
        "statistic": "ppi_mean",
        "coverage": wish.coverage,
        "n_units": len(f),
        "n_dropped": int((~there).sum()),
        "n_raters": int(rated.any(axis=0).sum()),
        "n_ratings": int(rated.sum()),
    }
    if not rated.any() or not len(f):
        return Estimate(None, reason="no_ratings" if len(f) else "no_model", **common)
    if chance is not None and not (chance > 0).all():
        unknown = bool(np.isnan(chance).any())
        return Estimate(None, reason="inclusion_unknown" if unknown else "inclusion_zero", **common)
    if chance is not None and (chance > 1).any():
        raise ValueError(f"a chance of {chance.max():g} is above 1: give shares")
    sums = _Sums(table, f, codes, chance)
    rows, paired, sizes = sums.rows(table)
    values = sums.values
    total = rows.sum(axis=0)
    theta = float(values(total[None, :])[0])
    tuning = float(sums.tuning(total[None, :])[0])
    alone = {name: sums.alone(name, wish) for name in ("people", "model")}
    common["beside"] = {"tuning": tuning, **alone}
    if wish.method is None:
        return Estimate(theta + sums.middle, **common)
    if wish.method == "analytic":
        if chance is not None or len(np.unique(codes)) < len(codes):
            raise ValueError("the paper's interval knows no clusters and no chances: leave it out")
        found = sums.published(tuning, theta, wish.coverage)
    else:
        sample = UnitSums(
            rows,
            np.ones(len(rows), dtype=np.int64),
            "clusters",
            paired=paired,
            sizes=sizes,
            size=sums.size,
        )
        found = sums.of_shares(interval_of(values, sample, wish, link=PLAIN), table)
        if found.low is not None and common["n_raters"] >= 3:
            found = sums.with_raters(found, theta, rows, paired, table, wish)
    found = sums.possible(_moved(found, sums.middle))
    value = theta + sums.middle
    value = min(max(value, 0.0), 1.0) if sums.is_share else value
    return estimated(value, found, wish, warnings=found.warnings, **common)


class _Sums:
    """The sums of each cluster that a corrected mean is made of, around one middle."""

    def __init__(
        self, table: np.ndarray, f: np.ndarray, codes: np.ndarray, chance: np.ndarray | None
    ) -> None:
        _, self.cluster = np.unique(codes, return_inverse=True)
        # Squares of numbers far from zero would cancel, so all are taken around one middle.
        given = table[np.isfinite(table)]
        self.is_share = bool(np.isin(given, (0, 1)).all() and np.isin(f, (0, 1)).all())
        self.middle = 0.0 if self.is_share else float(f.mean())
        self.f = f - self.middle
        self.table = table - self.middle
        self.size = float(max(np.abs(self.f).max(), np.nanmax(np.abs(self.table))))
        self.weighted = chance is not None
        self.weight = np.ones(len(f)) if chance is None else np.reciprocal(chance)

    def rows(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The sums where these people rated, which clusters they rated in, and how much there."""
        y, f = unit_means(table - self.middle), self.f
        rated = np.isfinite(y)
        w = np.where(rated, self.weight, 0.0)
        y = np.where(rated, y, 0.0)
        one, met, rest = np.ones(len(f)), rated.astype(float), (~rated).astype(float)
        columns = (w, w * y, w * f, w * y * f, met, rest, rest * f, one, f, f**2)
        rows = add_up(self.cluster, columns)
        return rows, rows[:, SIZE] > 0, rows[:, SIZE]

    def tuning(self, totals: np.ndarray) -> np.ndarray:
        """λ: the covariance of people and model over the model's variance, from 0 to 1."""
        t = totals.T
        with np.errstate(divide="ignore", invalid="ignore"):
            covariance = t[BOTH] / t[WEIGHT] - t[OF_PEOPLE] * t[OF_MODEL] / t[WEIGHT] ** 2
            variance = (t[SQUARES] - t[OF_ALL] ** 2 / t[N_ALL]) / (t[N_ALL] - 1)
            share = 1.0 if self.weighted else 1 + t[SIZE] / t[REST]
            found = covariance / (share * variance)
        # Without spread, or without items that people did not rate, the model has nothing to add.
        useless = ~np.isfinite(found) | (variance <= 1e-12 * self.size**2)
        return np.asarray(np.clip(np.where(useless, 0.0, found), 0.0, 1.0))

    def values(self, totals: np.ndarray) -> np.ndarray:
        """θ, less the middle."""
        t, tuning = totals.T, self.tuning(totals)
        with np.errstate(divide="ignore", invalid="ignore"):
            others = t[OF_ALL] / t[N_ALL] if self.weighted else t[OF_REST] / t[REST]
            rectified = (t[OF_PEOPLE] - tuning * t[OF_MODEL]) / t[WEIGHT]
        return np.asarray(np.where(tuning > 0, tuning * others, 0.0) + rectified)

    def alone(self, name: str, wish: Interval) -> Estimate:
        """People or the model alone: the mean of the items that each of them rated."""
        rows, paired, _ = self.rows(self.table + self.middle)
        of, many, size = OF_ALL, N_ALL, N_ALL
        if name == "people":
            rows, of, many, size = rows[paired], OF_PEOPLE, WEIGHT, SIZE
        total = rows.sum(axis=0)
        value = float(total[of] / total[many])
        found = Ends()
        if wish.method == "analytic":
            x = self.f if name == "model" else unit_means(self.table)
            x = x[np.isfinite(x)]
            found = _by_z(value, float(x.var()) / len(x), wish.coverage)
        elif wish.method is not None:
            ones = np.ones(len(rows), dtype=np.int64)
            sample = UnitSums(rows, ones, "clusters", sizes=rows[:, size], size=self.size)
            link = LOGIT if self.is_share else PLAIN
            found = interval_of(lambda t: t[:, of] / t[:, many], sample, wish, link=link)
        return estimated(
            value + self.middle,
            _moved(found, self.middle),
            wish,
            statistic=name,
            coverage=wish.coverage,
            n_units=int(total[size]),
            warnings=found.warnings,
        )

    def of_shares(self, found: Ends, table: np.ndarray) -> Ends:
        """None where people gave one of the two values to so few clusters that t says nothing."""
        if not self.is_share or found.low is None:
            return found
        fewest = min(len(np.unique(self.cluster[(table == value).any(axis=1)])) for value in (0, 1))
        return Ends(reason="too_few_of_one_value") if fewest < FEWEST_OF_A_VALUE else found

    def possible(self, found: Ends) -> Ends:
        """A share's interval ends at 0 and 1, and says so."""
        if not self.is_share or found.low is None:
            return found
        names = ("low", "high", "low_like", "high_like")
        ends = {name: getattr(found, name) for name in names if getattr(found, name) is not None}
        kept = {name: min(max(end, 0.0), 1.0) for name, end in ends.items()}
        if kept == ends:
            return found
        return replace(found, **kept, warnings=(*found.warnings, "cut_at_scale"))

    def with_raters(
        self,
        found: Ends,
        theta: float,
        rows: np.ndarray,
        paired: np.ndarray,
        table: np.ndarray,
        wish: Interval,
    ) -> Ends:
        """The interval for raters like these as well: the same without each rater in turn."""
        without = []
        for rater in np.flatnonzero(np.isfinite(table).any(axis=0)):
            total = self.rows(np.delete(table, rater, axis=1))[0].sum(axis=0)
            without.append(self.values(total[None, :])[0] if total[SIZE] else np.nan)
        each = np.array(without)
        if not np.isfinite(each).all():
            return replace(found, reason="rests_on_one_rater")
        ones = np.ones(len(rows), dtype=np.int64)
        left = leave_one_out(self.values, rows, rows.sum(axis=0))
        units = replace(spread(theta, left, ones, PLAIN, paired), df=found.df or 1.0)
        raters = spread(theta, each, np.ones(len(each), dtype=np.int64), PLAIN)
        low, high = like_interval(theta, units, raters, 0.0, wish.coverage, PLAIN)
        method = found.method.over_raters(raters.n)
        return replace(found, low_like=low, high_like=high, method=method)

    def published(self, tuning: float, theta: float, coverage: float) -> Ends:
        """z, and the variances of the paper."""
        y = unit_means(self.table)
        rated = np.isfinite(y)
        gap, rest = y[rated] - tuning * self.f[rated], self.f[~rated]
        others = tuning**2 * rest.var() / len(rest) if len(rest) else 0.0
        return _by_z(theta, float(others + gap.var() / len(gap)), coverage)


def _by_z(value: float, variance: float, coverage: float) -> Ends:
    reach, se = reach_of(coverage) * variance**0.5, variance**0.5
    return Ends(value - reach, value + reach, se=se, method=How("PPI++", reach="z"))


def _moved(found: Ends, by: float) -> Ends:
    ends = {name: getattr(found, name) for name in ("low", "high", "low_like", "high_like")}
    return replace(found, **{name: end + by for name, end in ends.items() if end is not None})


def _table(people: Any) -> np.ndarray:
    """Items × raters, NaN where nobody rated."""
    given = np.asarray(people, dtype=object)
    if given.ndim == 1:
        given = given[:, None]
    return _numbers(given, "people")


def _numbers(given: Any, what: str) -> np.ndarray:
    values = np.asarray(given, dtype=object)
    try:
        return np.asarray([np.nan if _is_missing(v) else float(v) for v in values.ravel()]).reshape(
            values.shape
        )
    except (TypeError, ValueError):
        wrong = next(v for v in values.ravel() if not _is_missing(v) and not _is_number(v))
        raise ValueError(f"{what} holds {wrong!r}, which is no number: give numbers") from None


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or value is np.ma.masked or value != value


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


Counts = tuple[float, float]


def rogan_gladen(
    right_positives: Counts, right_negatives: Counts, positives: Counts, *, coverage: float = 0.95
) -> Estimate:
    """The true share of positives, from a model's share and how often it is right.

    Each is a count and what it is out of: the positives that the model calls positive
    (sensitivity), the negatives that it calls negative (specificity), and what it calls positive
    among items without a label. π = (share + specificity − 1) / (sensitivity + specificity − 1)
    (Rogan and Gladen 1978), with the interval of Lang and Reiczigel (2014). Counts may be those of
    as many independent items. Without a value where the model is no better than chance.

    >>> rogan_gladen((45, 50), (40, 50), (130, 200))
    <rogan_gladen: 0.6429; 95 % 0.5074 to 0.7892 for these raters; 300 units, 1 raters, 300 ratings>
    """
    given = {"sensitivity": right_positives, "specificity": right_negatives, "share": positives}
    for name, (count, of) in given.items():
        if not 0 <= count <= of:
            raise ValueError(f"{name}: {count:g} of {of:g} is no share: give a count and a total")
    units = round(sum(of for _, of in given.values()))
    common: dict[str, Any] = {
        "statistic": "rogan_gladen",
        "coverage": coverage,
        "n_units": units,
        "n_raters": 1,
        "n_ratings": units,
    }
    if not all(of > 0 for _, of in given.values()):
        return Estimate(None, reason="zero_denominator", **common)
    right, wrong, share = (count / of for count, of in given.values())
    if right + wrong - 1 <= 0:
        return Estimate(None, reason="no_better_than_chance", **common)
    value = min(max((share + wrong - 1) / (right + wrong - 1), 0.0), 1.0)
    z = reach_of(coverage)
    (hit, n1), (clear, n0), (called, n) = given.values()
    sens, spec = (hit + 1) / (n1 + 2), (clear + 1) / (n0 + 2)
    p, youden = (called + z**2 / 2) / (n + z**2), (hit + 1) / (n1 + 2) + (clear + 1) / (n0 + 2) - 1
    if youden <= 0:
        return Estimate(None, reason="no_better_than_chance", **common)
    pi = (p + spec - 1) / youden
    of_sens, of_spec = sens * (1 - sens) / (n1 + 2), spec * (1 - spec) / (n0 + 2)
    middle = pi + 2 * z**2 * (pi * of_sens - (1 - pi) * of_spec)
    variance = p * (1 - p) / (n + z**2) + pi**2 * of_sens + (1 - pi) ** 2 * of_spec
    reach = z * float(np.sqrt(variance)) / youden
    low, high = (float(min(max(end, 0.0), 1.0)) for end in (middle - reach, middle + reach))
    return Estimate(value, low, high, method=How("Lang and Reiczigel 2014"), **common)
