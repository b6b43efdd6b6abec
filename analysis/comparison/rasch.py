"""How strict each rater is, by a many-facet Rasch model fitted by marginal maximum likelihood.

Joint maximum likelihood, which fits each unit too, stretches severities half as wide again with
three raters, and has nothing for units that all raters put at the top; so θ is integrated out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.comparison.facets import (
    SIGMA,
    Facets,
    Likelihood,
    Observed,
    connected,
    fitted,
    level_chances,
)
from raterbook.analysis.estimate import How, sentence
from raterbook.analysis.intervals import FEWEST, Interval, Wish
from raterbook.analysis.intervals.resampling import PLAIN, reach_of, spread, t_interval
from raterbook.analysis.ratings import Coded, read
from raterbook.analysis.ratings.long import name_key
from raterbook.analysis.ratings.patterns import divide, numbered, steps

MOST_LEVELS = 15
MOST_RATERS = 60  # a step solves as many equations
MOST_CHECKED = 1000  # clusters; no single one of more holds raters together
MOST_REFITTED = 100  # clusters; above, one step from the estimate of all is exact enough
RATER = ("rater", "severity", "low", "high", "se", "points", "points_low", "points_high",
         "infit", "outfit", "n_units", "n_ratings", "reason")  # fmt: skip
FAIR = ("group", "plain", "adjusted", "difference", "low", "high", "n_units", "n_ratings")


@dataclass(frozen=True, repr=False)
class Rasch:
    """What the model says of raters, criteria and groups, or the `reason` why there is none.

    `raters` has a row per rater: severity in logits above (strict) or below the mean of those in
    the `centre`, and `points`, how much higher than they on average the rater scores these units;
    both with intervals over clusters. Infit and outfit are 1 where the model holds; a rater above
    1.5 is less predictable than it has them. `fair` has a row per group: the mean of the
    centre's scores, and what it were had they all answered everything. `sd` is how far units lie
    apart, `separation` how many standard errors raters do, `reliability` the share of the variance
    of severities that is no error.
    """

    raters: pd.DataFrame
    criteria: pd.DataFrame = field(default_factory=pd.DataFrame)
    thresholds: pd.DataFrame = field(default_factory=pd.DataFrame)
    fair: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=FAIR))
    sd: float | None = None
    separation: float | None = None
    reliability: float | None = None
    coverage: float = 0.95
    method: How = How()  # noqa: RUF009  (a text, which nobody changes)
    n_units: int = 0
    n_clusters: int = 0
    reason: str | None = None
    warnings: tuple[str, ...] = ()

    def notes(self) -> list[str]:
        """The reason and the warnings as sentences."""
        return [sentence(code) for code in (self.reason, *self.warnings) if code]

    def __repr__(self) -> str:
        if self.reason:
            return f"<rasch: none, {self.reason}>"
        return f"<rasch: {len(self.raters)} raters, {self.n_units} units>"

    def _repr_html_(self) -> str:
        table = self.raters.to_html(index=False, float_format="{:.3f}".format, escape=True)
        return str(table) + "".join(f"<p>{escape(note)}</p>" for note in self.notes())


def rasch(
    ratings: Any,
    *,
    groups: Any = None,
    centre: Iterable[Any] | None = None,
    partial: bool = False,
    interval: Wish = "jackknife",
) -> Rasch:
    """Severities by ln P(k)/P(k − 1) = θ_unit − β_rater − δ_criterion − τ_k.

    `ratings` are those of one criterion, or a mapping from criteria to them on one scale; with
    `partial` each criterion has thresholds, and may have a scale, of its own. `groups`, a mapping
    or series from units to labels, gives each group a level of its own, and fair means. The
    severities of the `centre`, all raters unless said, average 0. Units of a cluster are left out
    together. Raters and units must hang together: who never met, however far
    round, cannot be set against one another. Levels that nobody gave are no steps of the scale.

    >>> table = [[1, 2], [2, 2], [3, 4], [4, 4], [2, 3], [1, 1], [3, 3], [4, 5], [5, 5], [2, 1]]
    >>> rasch(table, interval=None).raters[["rater", "severity"]].round(2)
      rater  severity
    0     0      0.71
    1     1     -0.71
    """
    wish = Interval.of(interval)
    given = ratings if isinstance(ratings, Mapping) else {"": ratings}
    several = {str(name): read(each).answering() for name, each in given.items()}
    for coded in several.values():
        coded.needs_an_order("a Rasch model")
    scales = {each.scale for each in several.values()}
    if len(scales) > 1 and not partial:
        raise ValueError("the criteria have different scales: pass partial=True")
    model = _Model(several, groups, partial)
    if centre is not None:
        model.centre = list(centre)
        lost = [name for name in model.centre if name not in model.raters]
        if lost or not model.centre:
            known = ", ".join(map(str, model.raters))
            raise ValueError(f"centre={lost or []}: name some of the raters, {known}")
    return model.result(wish)


class _Model:
    """The ratings as the likelihood wants them, and what is made of it."""

    def __init__(self, several: Mapping[str, Coded], groups: Any, partial: bool) -> None:
        self.criteria = list(several)
        raters = {name for coded in several.values() for name in coded.raters}
        self.raters = sorted(raters, key=name_key)
        self.centre: list[Any] = list(self.raters)
        names = pd.Index([], dtype=object)
        for coded in several.values():
            names = names.union(pd.Index(coded.units, dtype=object), sort=False)
        self.units = names
        self.partial = partial
        self._find_ratings(several)
        self._find_clusters(several)
        labels = [None] * len(names) if groups is None else _labels(groups, names)
        self.group, self.groups = pd.factorize(pd.Series(labels, dtype=object), sort=True)
        if groups is None:
            self.group = np.zeros(len(names), dtype=int)
        elif (lost := self.group[np.unique(self.given.unit)] < 0).any():
            unit = names[np.unique(self.given.unit)[lost][0]]
            raise ValueError(f"no group for unit {unit}: give each rated unit one")

    def _find_ratings(self, several: Mapping[str, Coded]) -> None:
        parts, levels, points = [], [], []
        for at, coded in enumerate(several.values()):
            own = np.array([self.raters.index(name) for name in coded.raters], dtype=int)
            place = self.units.get_indexer(pd.Index(coded.units, dtype=object))
            row, column = np.nonzero(coded.codes)
            code = coded.codes[row, column].astype(np.int32) - 1
            each = (place[row], np.full(len(row), at), own[column], code)
            parts.append([column.astype(np.int32) for column in each])  # in half the memory
            levels.append(code)
            points.append(np.asarray(coded.numbers, dtype=float))
        together = [np.concatenate(each) for each in zip(*parts, strict=True)]
        self.all = Observed(*together)
        shared = np.unique(np.concatenate(levels))
        used = [np.unique(own) if self.partial else shared for own in levels]
        level = np.concatenate([
            np.searchsorted(seen, own) for own, seen in zip(levels, used, strict=True)
        ]).astype(np.int32)  # fmt: skip
        self.given = Observed(self.all.unit, self.all.criterion, self.all.rater, level)
        self.levels = [len(seen) for seen in (used if self.partial else used[:1])]
        self.points = [own[seen] if len(seen) else own for own, seen in
                       zip(points, used, strict=True)]  # fmt: skip

    def _find_clusters(self, several: Mapping[str, Coded]) -> None:
        labels: list[Any] = [("unit", unit) for unit in self.units]
        for coded in several.values():
            if coded.clusters is None:
                continue
            places = self.units.get_indexer(pd.Index(coded.units, dtype=object))
            for place, cluster in zip(places, coded.clusters, strict=True):
                called = coded.cluster_names
                labels[place] = ("cluster", cluster if called is None else called[cluster])
        self.cluster = pd.factorize(pd.Series(labels, dtype=object), sort=False)[0]

    def reason(self) -> str | None:
        """Why these ratings cannot be fitted."""
        given = self.given
        if not len(given.unit):
            return "no_ratings"
        if len(np.unique(given.rater)) < 2:
            return "single_rater"
        if min(self.levels) < 2:
            return "no_variation"
        if max(self.levels) > MOST_LEVELS:
            return "too_many_values"
        if len(self.raters) > MOST_RATERS:
            return "too_many_raters_for_interval"
        return None

    def one_ended(self) -> np.ndarray:
        """Raters who gave nothing but the lowest level, or nothing but the highest."""
        top = np.array(self.levels if self.partial else self.levels * len(self.criteria)) - 1
        given, many = self.given, len(self.raters)
        n = np.bincount(given.rater, minlength=many)
        low = np.bincount(given.rater, given.level == 0, many)
        high = np.bincount(given.rater, given.level == top[given.criterion], many)
        return np.asarray((n > 0) & ((low == n) | (high == n)))

    def result(self, wish: Interval) -> Rasch:
        why = self.reason()
        left = {}
        if why is None and (ended := self.one_ended()).any():
            left = {int(j): "always_one_end" for j in np.flatnonzero(ended)}
            self._without(ended)
            few = len(np.unique(self.given.rater)) < 2
            why = "too_few_off_the_ends" if few else self.reason()
        if why is None and not connected(self.given):
            why = "not_connected"
        inside = [self.raters[j] in self.centre for j in np.unique(self.given.rater)]
        if why is None and not any(inside):
            why = "no_comparison"
        self.inside = np.array(inside, dtype=float)
        blank = [self._row(j, {"reason": left.get(j, why)}) for j in range(len(self.raters))]
        if why is not None:
            return Rasch(
                pd.DataFrame(blank, columns=RATER, dtype=object), reason=why, coverage=wish.coverage
            )
        kept = np.unique(self.given.rater)
        own = np.searchsorted(kept, self.given.rater).astype(np.int32)
        given = Observed(self.given.unit, self.given.criterion, own, self.given.level)
        self.facets = Facets(given, self.group, len(kept), self.levels)
        clusters = np.unique(self.cluster[given.unit])
        of = np.searchsorted(clusters, self.cluster).astype(np.int32)
        of[~np.isin(self.cluster, clusters)] = 0  # nobody rated these
        self.rows = self.facets.sums(of, len(clusters))
        self.total = np.asarray(self.rows.sum(axis=0)).ravel()
        likelihood, free = fitted(self.facets, self.total)
        return _Read(self, likelihood, free, wish).result(kept, blank, left)

    def _without(self, ended: np.ndarray) -> None:
        keep = ~ended[self.given.rater]
        rest = self.given.where(keep)
        level = rest.level.copy()
        of = rest.criterion if self.partial else np.zeros(len(level), dtype=int)
        for row in range(len(self.levels)):
            seen, code = np.unique(level[of == row], return_inverse=True)
            level[of == row] = code.ravel()
            self.levels[row] = len(seen)
            for at in [row] if self.partial else range(len(self.points)):
                self.points[at] = self.points[at][seen]
        self.given = Observed(rest.unit, rest.criterion, rest.rater, level)

    def _row(self, j: int, found: Mapping[str, Any]) -> dict[str, Any]:
        own = self.all.rater == j
        counts = {"n_units": len(np.unique(self.all.unit[own])), "n_ratings": int(own.sum())}
        blank = dict.fromkeys(RATER)
        return {**blank, "rater": self.raters[j], **counts, **found}


def _labels(groups: Any, units: pd.Index) -> list[Any]:
    if isinstance(groups, (Mapping, pd.Series)):
        return [groups.get(unit) for unit in units]
    labels = list(groups)
    if len(labels) != len(units):
        raise ValueError(f"{len(labels)} groups for {len(units)} units: give one per unit")
    return labels


class _Read:
    """A fitted model, read: severities, points and fair means with what each cluster does."""

    def __init__(
        self, model: _Model, likelihood: Likelihood, free: np.ndarray, wish: Interval
    ) -> None:
        self.model, self.likelihood, self.wish = model, likelihood, wish
        self.facets = model.facets
        self.free = likelihood.nearer(free, likelihood.inverse(free, model.total), model.total)
        self.n = self.facets.raters
        self.share = model.inside / model.inside.sum()  # of each rater in the centre
        _, first = np.unique(self.facets.of_unit, return_index=True)
        self.group = model.group[first]  # of each class
        self.here = likelihood.at(self.free, model.total)

    def levels_of(self, free: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Each rater's expected score of each class, and the severities."""
        facets, z = self.facets, self.likelihood.nodes
        natural = facets.natural(free)
        _, thresholds, sigma = facets.parts(natural)
        severity = natural[: self.n]
        difficulty = natural[self.n : self.n + facets.criteria]
        level = natural[self.n + facets.criteria : facets.location.shape[1]]
        posterior = self.likelihood.at(free, self.model.total).posterior
        made = np.zeros((len(posterior), self.n))
        for group in range(facets.groups):
            own = self.group == group
            theta = sigma * z + level[group]
            for at in range(facets.criteria):
                row = thresholds[at if len(thresholds) > 1 else 0]
                eta = theta - severity[:, None] - difficulty[at]
                chances = level_chances(eta, np.broadcast_to(row, (self.n, len(row))))[1]
                points = self.model.points[at]
                expected = np.einsum("k,rkq->rq", points, chances[:, : len(points)])
                made[own] += posterior[own] @ expected.T / facets.criteria
        return made, severity - severity @ self.share

    def numbers(self, sums: np.ndarray, made: np.ndarray) -> np.ndarray:
        """Points of each rater, then each group's fair mean; a row of sums, a row of numbers."""
        met = sums[:, : len(made)]
        mean = made @ self.share
        points = met @ (made - mean[:, None]) / met.sum(axis=1, keepdims=True)
        fair = [divide(met[:, own] @ mean[own], met[:, own].sum(axis=1)) for own in self.groups]
        return np.column_stack([points, *fair])

    @property
    def groups(self) -> list[np.ndarray]:
        return [self.group == at for at in range(self.facets.groups)]

    def jackknife(self) -> np.ndarray:
        """A row per cluster: severities, points and differences of means without it."""
        model, facets = self.model, self.facets
        many = model.rows.shape[0]
        free = np.tile(self.free, (many, 1))
        if many <= MOST_REFITTED:
            for at in range(many):
                left = model.total - model.rows[[at]].toarray()[0]
                free[at] = self.likelihood.nearer(self.free, self.inverse, left)
        else:
            free -= (model.rows @ self.likelihood.scores(self.free)) @ self.inverse
            free[:, -1] = np.clip(free[:, -1], *SIGMA)
        severity = free @ self.to_severity.T
        # What is expected of a class moves with the parameters, in a straight line so near by.
        made, _ = self.levels_of(self.free)
        slopes = np.empty((len(self.free), self.n + facets.groups))
        step = 1e-4
        for at in range(len(self.free)):
            there = np.zeros(len(self.free))
            there[at] = step
            up, down = (self.numbers(model.total[None], self.levels_of(self.free + side)[0])
                        for side in (there, -there))  # fmt: skip
            slopes[at] = ((up - down) / (2 * step))[0]
        rest = np.empty((many, self.n + facets.groups))
        sums, counts = self._plain
        plain = divide(sums.sum(axis=0) - sums, counts.sum(axis=0) - counts)
        for part in steps(many, facets.width):
            left = model.total - model.rows[np.arange(many)[part]].toarray()
            rest[part] = self.numbers(left, made)
        rest[:, self.n :] -= plain
        without = np.column_stack([severity, rest + free @ slopes])
        without[self.hangs_on()] = np.nan
        return without

    @property
    def to_severity(self) -> np.ndarray:
        """Severities from free coordinates."""
        own = self.facets.free[: self.n]
        return np.asarray(own - self.share @ own)

    @cached_property
    def inverse(self) -> np.ndarray:
        """The inverse of the information, where the likelihood is greatest.

        Anew: of the information where climbing ended, rounding would decide the last digits here.
        """
        return self.likelihood.inverse(self.free, self.model.total)

    def plain_sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Clusters × groups: sums of the centre's scores as they are, and how many."""
        given, model = self.facets.given, self.model
        starts = np.cumsum([0, *(len(each) for each in model.points[:-1])])
        score = np.concatenate(model.points)[starts[given.criterion] + given.level]
        of = numbered(model.cluster[given.unit])[2]
        shape = (model.rows.shape[0], self.facets.groups)
        sums, many = np.zeros(shape), np.zeros(shape)
        counts = model.inside[given.rater]
        where = of, model.group[given.unit]
        np.add.at(sums, where, score * counts)
        np.add.at(many, where, counts)
        return sums, many

    def hangs_on(self) -> np.ndarray:
        """Clusters without which a rater gave one end alone, or raters hang together no more."""
        given, model = self.facets.given, self.model
        of, many = numbered(model.cluster[given.unit])[2], model.rows.shape[0]
        row = given.criterion if len(model.levels) > 1 else np.zeros(len(given.unit), dtype=int)
        top = np.array(model.levels)[row] - 1
        found = np.zeros(many, dtype=bool)
        for hit in (given.level > 0, given.level < top):
            table = np.zeros((many, self.n))
            np.add.at(table, (of, given.rater), hit)
            found |= (table == table.sum(axis=0)).any(axis=1)
        met = np.zeros((len(self.model.units), self.n), dtype=bool)
        met[given.unit, given.rater] = True
        pairs = met.T.astype(float) @ met
        for at in range(many if many <= MOST_CHECKED else 0):
            units = np.unique(given.unit[of == at])
            left = pairs - met[units].T.astype(float) @ met[units]
            if ((left == 0) & (pairs > 0)).any():
                found[at] |= not connected(given.where(of != at))
        return found

    def result(
        self, kept: np.ndarray, blank: list[dict[str, Any]], left: Mapping[int, str]
    ) -> Rasch:
        model, facets, wish = self.model, self.facets, self.wish
        self._plain = self.plain_sums()
        made, severity = self.levels_of(self.free)
        numbers = self.numbers(model.total[None], made)[0]
        plain = divide(self._plain[0].sum(axis=0), self._plain[1].sum(axis=0))
        theta = np.concatenate([severity, numbers[: self.n], numbers[self.n :] - plain])
        low, high, se, why, method = self.ends(theta)
        infit, outfit = self.likelihood.fit(self.here)
        rows = blank
        for at, j in enumerate(kept):
            rows[j] = model._row(j, {
                "severity": severity[at], "low": low[at], "high": high[at], "se": se[at],
                "points": numbers[at], "points_low": low[self.n + at],
                "points_high": high[self.n + at],
                "infit": infit[at], "outfit": outfit[at], "reason": why,
            })  # fmt: skip
        natural = facets.natural(self.free)
        _, thresholds, sigma = facets.parts(natural)
        observed = float(severity.var(ddof=1))
        error = float(np.mean(se**2)) if np.isfinite(se).all() else np.nan
        true = max(observed - error, 0.0)
        fair = [
            dict(zip(FAIR, (
                name, plain[at], numbers[self.n + at], theta[2 * self.n + at],
                low[2 * self.n + at], high[2 * self.n + at],
                int(self._units_of(at)), int(self._plain[1].sum(axis=0)[at]),
            ), strict=True))
            for at, name in enumerate(model.groups)
        ]  # fmt: skip
        warnings = (*(("left_out_at_one_end",) if left else ()),
                    *(("few_clusters",) if FEWEST <= model.rows.shape[0] < 10 else ()))  # fmt: skip
        frame = pd.DataFrame(rows, columns=RATER, dtype=object)
        numeric = [name for name in RATER if name not in ("rater", "reason")]
        return Rasch(
            frame.astype(dict.fromkeys(numeric[:-2], float) | {"n_units": int, "n_ratings": int}),
            pd.DataFrame({
                "criterion": model.criteria,
                "difficulty": natural[self.n : self.n + facets.criteria],
            }),
            pd.DataFrame(
                [{"criterion": model.criteria[at] if len(model.levels) > 1 else None,
                  "level": step + 2, "threshold": thresholds[at, step]}
                 for at in range(len(model.levels)) for step in range(model.levels[at] - 1)]
            ),
            pd.DataFrame(fair, columns=FAIR),
            sd=float(sigma),
            separation=float(np.sqrt(true / error)) if error > 0 else None,
            reliability=true / observed if observed > 0 and np.isfinite(error) else None,
            coverage=wish.coverage,
            method=method,
            n_units=len(np.unique(facets.given.unit)),
            n_clusters=model.rows.shape[0],
            warnings=warnings,
        )  # fmt: skip

    def _units_of(self, at: int) -> int:
        return int((self.model.group[np.unique(self.facets.given.unit)] == at).sum())

    def ends(self, theta: np.ndarray) -> tuple[Any, ...]:
        """Low and high of each number, the severities' standard errors, and why there are none."""
        none = np.full(len(theta), np.nan)
        many, coverage = self.model.rows.shape[0], self.wish.coverage
        if self.wish.method is None:
            return none, none, none[: self.n], None, How()
        if self.wish.method not in ("jackknife", "analytic"):
            raise ValueError(f"interval={self.wish.method!r}: a Rasch model has 'jackknife', "
                             "'analytic' or None")  # fmt: skip
        if self.wish.method == "analytic":
            free = self.to_severity
            se = np.sqrt(np.diag(free @ self.inverse @ free.T))
            low, high = none.copy(), none.copy()
            reach = reach_of(coverage) * se
            low[: self.n], high[: self.n] = theta[: self.n] - reach, theta[: self.n] + reach
            return low, high, se, None, How("observed information", reach="as if units stood alone")
        if many < FEWEST:
            return none, none, none[: self.n], "too_few_units_for_interval", How()
        without = self.jackknife()
        what = "clusters" if many < len(np.unique(self.facets.given.unit)) else "units"
        if not np.isfinite(without[:, : self.n]).all():
            why = "rests_on_one_cluster" if what == "clusters" else "rests_on_one_unit"
            return none, none, none[: self.n], why, How()
        low, high, se = none.copy(), none.copy(), none.copy()
        one = np.ones(many, dtype=int)
        for at in np.flatnonzero(np.isfinite(without).all(axis=0)):
            own, value = spread(theta[at], without[:, at], one, PLAIN), theta[at]
            if own.is_none(1.0):
                continue  # the only one of the centre is 0 by definition
            se[at] = np.sqrt(own.raw_variance)
            low[at], high[at] = t_interval(value, own.variance, max(own.df, 1.0), coverage, PLAIN)
        way = "t" if many <= MOST_REFITTED else "one step each, t"
        return low, high, se[: self.n], None, How("jackknife", many, what, reach=way)
