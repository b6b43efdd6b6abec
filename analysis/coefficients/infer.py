"""A statistic of coded ratings becomes an Estimate: value, intervals, counts, reason, warnings."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from raterbook.analysis.coefficients import (
    Coefficient,
    Paired,
    Solved,
    point,
    rows_to_resample,
    too_large,
)
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.intervals import (
    DRAWN,
    USUAL,
    Ends,
    Interval,
    UnitSums,
    Unseen,
    analytic_interval,
    estimated,
    interval_of,
)
from raterbook.analysis.intervals.raters import leave_raters_out
from raterbook.analysis.intervals.resampling import FISHER, LOGIT
from raterbook.analysis.ratings import Coded
from raterbook.analysis.ratings.patterns import Patterns, divide

# Below this many units outside the commonest pattern no interval holds its coverage.
ENOUGH_DISAGREEMENTS = 25
HIGH, LOW = 0.6, 0.5  # an agreement that looks high, and a coefficient that does not
# With more values than this, none is rare among the others.
MANY = 100
# Above this many raters, no unit has them all.
CROWD = 12


def infer(
    statistic: Coefficient,
    coded: Coded,
    wish: Interval = USUAL,
    *,
    warnings: tuple[str, ...] = (),
) -> Estimate:
    """The estimate of `statistic`; its counts are those of units rated at least twice."""
    patterns = coded.patterns
    used = used_counts(patterns)
    names = [name for name, seen in zip(coded.raters, used["by_rater"], strict=True) if seen]
    common: dict[str, Any] = {
        "statistic": statistic.name,
        "coverage": wish.coverage,
        "n_units": used["units"],
        "n_dropped": used["dropped"],
        "n_raters": len(names),
        "n_ratings": used["ratings"],
        "raters": tuple(names),
        "beside": beside(patterns, coded),
    }
    reason = why_not(patterns)
    work = patterns.forget_raters() if statistic.exchangeable else patterns
    value = float("nan") if reason else point(statistic, work)
    if not np.isfinite(value):
        return Estimate(None, reason=reason or why_undefined(patterns, statistic), **common)
    if coded.guessed:
        warnings = (*warnings, "more_raters_than_units")
    found, compared = Ends(), patterns
    if wish.method is not None:
        compared = _compared(statistic, patterns)
        found = _ends(statistic, patterns, compared, work, wish)
    said = [*warnings, *found.warnings]
    said += warnings_of(patterns, value, common["beside"], wish.method is not None)
    common["beside"] = {**common["beside"], **_speak(said, common["beside"], value)}
    return estimated(
        value,
        found,
        wish,
        called=lambda row: called(coded, work, row, statistic.exchangeable),
        leaving=[coded.raters[j] for j in np.flatnonzero(compared.codes.any(axis=0))],
        warnings=tuple(dict.fromkeys(said)),
        **common,
    )


def _ends(
    statistic: Coefficient,
    patterns: Patterns,
    compared: Patterns,
    work: Patterns,
    wish: Interval,
) -> Ends:
    if wish.method == "analytic":
        closed = patterns.blocks is None
        published = analytic_interval(statistic, patterns, wish.coverage) if closed else None
        if published is not None:
            return published
        wish = replace(wish, method="jackknife")
    if patterns.codes.shape[1] > getattr(statistic, "most_raters", np.inf):
        return Ends(reason="too_many_raters_for_interval")
    if isinstance(statistic, Paired) and statistic.is_thin(patterns):
        return Ends(reason="pairs_share_too_little")
    if wish.method in DRAWN and not statistic.exchangeable:
        # What is drawn must not depend on how the raters are called.
        work = (compared if isinstance(statistic, Paired) else work).raters_in_order()
    values, left = statistic.values, None
    with_raters = wish.leaves_out(patterns.codes.shape[1])
    if isinstance(statistic, Paired) and wish.method in DRAWN:
        rows, weights = rows_to_resample(statistic.among(work), work)
    elif isinstance(statistic, Paired):
        gone = statistic.departures(patterns)
        rows, weights, values = gone.rows, gone.weights, gone.without_units
        if with_raters:
            left = (gone if compared is patterns else statistic.departures(compared)).left_out()
    else:
        rows, weights = rows_to_resample(statistic, work)
        left = leave_raters_out(statistic, compared) if with_raters else None
    link = getattr(statistic, "link", FISHER)
    sample = UnitSums(
        rows,
        weights,
        "clusters" if _share_clusters(patterns) else "units",
        "cluster" if _share_clusters(patterns) else "unit",
        paired=paired(work, len(rows)),
        sizes=_sizes(work, len(rows)) if link is LOGIT else None,
    )
    often = _rare(work) if link is FISHER else None
    if often is not None and often.any():
        each = carried(work, often)
        sample = replace(
            sample,
            carried=each if len(each) == len(rows) else None,
            unseen=unseen(statistic, work, often, weights @ rows),
        )
    found = interval_of(values, sample, wish, link=link, left=left, edge=1.0)
    return nameless(found) if are_groups(work, len(rows)) else found


def _compared(statistic: Coefficient, patterns: Patterns) -> Patterns:
    """The patterns that enter the statistic: those rated once only where it counts their values."""
    met = patterns.rated >= 2
    alone = Patterns(patterns.codes[~met], patterns.weights[~met], patterns.q)
    if met.all() or (
        not isinstance(statistic, Paired)
        and (too_large(statistic, alone) or statistic.sums(alone.codes, alone.q).any())
    ):
        return patterns
    blocks = patterns.blocks
    if blocks is not None:
        clusters, which, counts = blocks
        keep, place = met[which], np.cumsum(met) - 1
        _, clusters = np.unique(clusters[keep], return_inverse=True)
        blocks = (clusters.ravel(), place[which[keep]], counts[keep])
    return Patterns(patterns.codes[met], patterns.weights[met], patterns.q, blocks)


def _sizes(patterns: Patterns, n: int) -> np.ndarray:
    """How many units hold two answers to the same, per unit or cluster."""
    met = patterns.rated >= 2
    if patterns.blocks is None:
        return np.ones(n)
    clusters, which, counts = patterns.blocks
    found = np.bincount(clusters, met[which] * counts)
    return found if len(found) == n else np.ones(n)


def _share_clusters(patterns: Patterns) -> bool:
    """Whether some units stand together; a cluster of one is a unit."""
    if patterns.blocks is None:
        return False
    return len(np.unique(patterns.blocks[0])) < patterns.n_units


def are_groups(patterns: Patterns, n: int) -> bool:
    """Whether n rows are groups of units or clusters by turns, of which none has a name."""
    if patterns.blocks is None:
        return n != len(patterns.codes)
    return bool(n != patterns.blocks[0].max() + 1)


def nameless(found: Ends) -> Ends:
    """The same where rows are groups: nobody can say on which unit all rests."""
    return replace(found, rests_on=None)


def paired(patterns: Patterns, n: int) -> np.ndarray:
    """Which units, or clusters, hold two answers to the same; all, where they are n groups."""
    met = patterns.rated >= 2
    if patterns.blocks is not None:
        clusters, which, _ = patterns.blocks
        met = np.bincount(clusters, met[which]) > 0
    return met if len(met) == n else np.ones(n, dtype=bool)


def _rare(patterns: Patterns) -> np.ndarray | None:
    """How often each value was given in pairs, none for the commonest, of which there is no lack.

    None where values are so many that they are no labels.
    """
    if patterns.q > MANY:
        return None
    paired = patterns.rated >= 2
    codes, weights = patterns.codes[paired], patterns.weights[paired]
    each = np.repeat(weights, patterns.rated[paired]).astype(float)
    often = np.bincount(codes[codes > 0], each, patterns.q + 1)[1:]
    often[often == often.max()] = 0.0
    return often


def carried(patterns: Patterns, often: np.ndarray) -> np.ndarray:
    """How often a value that is not the commonest was given, per unit or cluster."""
    rare = np.append(False, often > 0)[patterns.codes].sum(axis=1) * (patterns.rated >= 2)
    if patterns.blocks is None:
        return np.asarray(rare, dtype=float)
    clusters, which, counts = patterns.blocks
    return np.bincount(clusters, rare[which] * counts)


def unseen(
    statistic: Coefficient, patterns: Patterns, often: np.ndarray, total: np.ndarray
) -> Unseen | None:
    """The statistic with one unit more, on which all raters gave the same value: for each value.

    None where raters are so many that no unit has them all and who gave a value matters.
    """
    q, width = patterns.q, patterns.codes.shape[1]
    if not statistic.exchangeable and width > CROWD:
        return None
    paired = patterns.rated >= 2
    if statistic.exchangeable:
        width = round(float(np.average(patterns.rated[paired], weights=patterns.weights[paired])))
    alike = np.repeat(np.arange(1, q + 1, dtype=patterns.codes.dtype)[:, None], width, axis=1)
    if not statistic.exchangeable:
        alike *= patterns.codes[paired].any(axis=0)
    if not isinstance(statistic, Paired):
        return statistic.values(total + statistic.sums(alike, q)), often
    found = np.full(q, np.nan)
    for value in np.flatnonzero(often):
        codes = np.vstack([patterns.codes, alike[value]])
        found[value] = point(statistic, Patterns(codes, np.append(patterns.weights, 1), q))
    return found, often


def called(coded: Coded, patterns: Patterns, row: int, exchangeable: bool) -> Any:
    """The name of the unit, or cluster, whose sums are this row."""
    if patterns.blocks is not None:
        rated = coded.codes.any(axis=1)
        assert coded.clusters is not None
        clusters = np.unique(coded.clusters[rated])
        return coded.cluster_names[clusters[row]]
    codes, wanted = coded.codes, patterns.codes[row]
    if exchangeable:
        # Without raters, a pattern is as wide as there are answers to a unit at most.
        codes, wanted = np.sort(codes, axis=1)[:, ::-1][:, : len(wanted)], np.sort(wanted)[::-1]
    names = coded.units if coded.clusters is not None else coded.cluster_names
    names = coded.units if names is None else names
    found = np.flatnonzero((codes == wanted).all(axis=1))
    return names[int(found[0])] if len(found) else None


def used_counts(patterns: Patterns) -> dict[str, Any]:
    """How many units, ratings and raters enter, and how many units had to be left out."""
    answers, m = patterns.answers, patterns.rated
    weights = patterns.weights * (m >= 2)
    width = patterns.codes.shape[1]
    return {
        "units": int(weights.sum()),
        "dropped": int(patterns.weights.sum() - weights.sum()),
        "ratings": int(weights @ m),
        "by_rater": np.bincount(answers.rater, weights[answers.pattern], width) > 0,
    }


def why_not(patterns: Patterns) -> str | None:
    """The reason why agreement cannot be computed at all, if there is one."""
    if not len(patterns.codes):
        return "no_ratings"
    if np.count_nonzero(np.bincount(patterns.answers.rater)) < 2:
        return "single_rater"
    if (patterns.rated < 2).all():
        return "no_pairable_units"
    return None


def why_undefined(patterns: Patterns, statistic: Coefficient) -> str:
    """The reason why a coefficient has no value although two raters met."""
    if isinstance(statistic, Solved):
        return statistic.why(patterns)
    answers = patterns.answers
    if len(np.unique(answers.code[patterns.rated[answers.pattern] >= 2])) == 1:
        return getattr(statistic, "single_value_reason", "no_variation")
    return "weights_give_no_disagreement"


def beside(patterns: Patterns, coded: Coded) -> dict[str, Any]:
    """What stands beside every coefficient: observed agreement and how common one value is."""
    answers = patterns.answers
    weights = patterns.weights[answers.pattern]
    values = np.bincount(answers.code, weights)[1:]
    totals = values.sum()
    agree, pairable = pairwise_agreement(patterns)
    common = int(values.argmax()) if totals else None
    return {
        "n_pairable": pairable,
        "observed_agreement": agree / pairable if pairable else None,
        "prevalence": float(values[common] / totals) if common is not None else None,
        "commonest": coded.scale[common] if common is not None else None,
    }


def pairwise_agreement(patterns: Patterns) -> tuple[float, int]:
    """Sum over units of the share of agreeing pairs, and how many units have a pair."""
    kinds = patterns.forget_raters()
    # The values of a unit are sorted: each agrees with as many as stand like it before it.
    same = np.zeros(len(kinds.codes))
    alike = np.zeros(len(kinds.codes))
    for before, own in pairwise(kinds.codes.T):
        alike = np.where((before == own) & (own > 0), alike + 1, 0)
        same += alike
    m = kinds.rated
    pairs = m * (m - 1) / 2
    used = m >= 2
    return float((kinds.weights * used) @ divide(same, pairs, 0.0)), int(kinds.weights @ used)


def units_outside_commonest(patterns: Patterns) -> int:
    """Units that do not show the commonest pattern, whoever was absent."""
    weights = patterns.weights * (patterns.rated >= 2)
    answers, highest = patterns.answers, patterns.codes.max(axis=1)
    unanimous = np.ones(len(highest), dtype=bool)
    unanimous[answers.pattern[answers.code != highest[answers.pattern]]] = False
    alike = np.bincount(highest, weights * unanimous)
    return int(weights.sum() - max(weights.max(), alike.max()))


def warnings_of(
    patterns: Patterns, value: float, said: dict[str, Any], with_interval: bool
) -> list[str]:
    """What a reader of a coefficient should be warned of."""
    found = []
    if with_interval and units_outside_commonest(patterns) < ENOUGH_DISAGREEMENTS:
        found.append("too_few_disagreements")
    agreement = said.get("observed_agreement")
    if agreement is not None and agreement >= HIGH and value < LOW:
        found.append("high_agreement_low_coefficient")
    return found


def _speak(said: list[str], near: dict[str, Any], value: float) -> dict[str, str]:
    if "high_agreement_low_coefficient" not in said:
        return {}
    return {
        "sentence": (
            f"Pairs of raters agree on {near['observed_agreement']:.0%} of the units, yet the "
            f"coefficient is {value:.2f}: {near['prevalence']:.0%} of all ratings are "
            f"“{near['commonest']}”, so most of that agreement would happen by chance."
        )
    }
