"""What a summary says of the raters among themselves, a second time in plain loops."""

from collections import Counter
from itertools import combinations
from statistics import fmean, median, stdev

import krippendorff
import numpy as np
import pytest

from raterbook.protocols import STATISTICS
from tests.numbers.drawn_round import (
    PEOPLE,
    SCALE,
    SEEDS,
    check,
    cohen,
    each_system,
    found,
    given,
    most,
    pooled,
    row_means,
    sure,
)


def within(seed, question, system):
    marked = sure(seed, question, system)
    typical = {
        rater: fmean([c for (_, who), (_, c) in marked.items() if who == rater])
        for rater in {who for _, who in marked}
    }
    units = {}
    for (unit, rater), (x, c) in marked.items():
        weight = c / typical[rater] if typical[rater] else 0.0
        units.setdefault(unit, []).append((x, weight))
    each = [
        sum(x * w for x, w in said) / sum(w for _, w in said)
        for said in units.values()
        if sum(w for _, w in said) > 0
    ]
    return fmean(each)


@pytest.mark.parametrize("seed", SEEDS)
def test_averages(seed):
    simple = {"mean": fmean, "sd": stdev, "median": median}
    for name in (*simple, "weighted_mean", "weighted_mean_within"):
        rows = found(seed, name, "tone")
        for system, key in each_system("tone"):
            units, marked = given(seed, "tone", system=system), sure(seed, "tone", system)
            if name in simple:
                expected, values, used = simple[name](pooled(units)), pooled(units), units
            else:
                values, used = list(marked.values()), {unit for unit, _ in marked}
                expected = sum(x * c for x, c in values) / sum(c for _, c in values)
                expected = within(seed, "tone", system) if name.endswith("within") else expected
            check(rows, key, expected, len(used), len(values), len(PEOPLE))


@pytest.mark.parametrize("seed", SEEDS)
def test_means_over_several_questions(seed):
    for name, of in (
        ("overall_mean", fmean),
        ("overall_computed_mean", fmean),
        ("overall_sd", stdev),
    ):
        rows = found(seed, name, ["tone", "clarity"])
        for system, (_, *group) in each_system(None):
            means = row_means(seed, ["tone", "clarity"], system)
            check(rows, (None, *group), of(pooled(means)), len(means), len(pooled(means)))


@pytest.mark.parametrize("seed", SEEDS)
def test_how_often_a_stated_overall_is_half_a_point_off(seed):
    stated, computed = given(seed, "overall"), row_means(seed, ["tone", "clarity"])
    off = [
        abs(value - computed[unit][rater]) >= 0.5
        for unit, said in stated.items()
        for rater, value in said.items()
        if rater in computed.get(unit, {})
    ]
    rows = found(seed, "adjusted_share", ["overall", "tone", "clarity"], by=False)
    check(rows, ("overall",), fmean(off), n_ratings=len(off))


def agreeing(units, same=lambda a, b: a == b):
    """The mean over units of the share of pairs that agree."""
    shares = []
    for said in units.values():
        pairs = list(combinations(said.values(), 2))
        if pairs:
            shares.append(fmean(same(a, b) for a, b in pairs))
    return fmean(shares)


def joint_use(units, scale):
    """How often each value is given, every unit counting the same."""
    shares = [Counter(said.values()) for said in units.values()]
    return [fmean(each[value] / each.total() for each in shares) for value in scale]


def mean_kappa(units, raters, weights=None):
    each = []
    for a, b in combinations(raters, 2):
        both = [(said[a], said[b]) for said in units.values() if a in said and b in said]
        each.append(cohen(both, SCALE, weights))
    return fmean(kappa for kappa in each if kappa is not None)


@pytest.mark.parametrize("seed", SEEDS)
def test_coefficients(seed):
    def coefficient(name, system):
        units = given(seed, "tone", system=system)
        if name.startswith("alpha"):
            raters = [[units[u].get(r, np.nan) for u in units] for r in PEOPLE]
            return krippendorff.alpha(raters, level_of_measurement=name.removeprefix("alpha_"))
        if name in ("kappa_cohen", "kappa_raters"):
            return mean_kappa(units, PEOPLE)
        if name == "kappa_weighted_quadratic":
            return mean_kappa(units, PEOPLE, "quadratic")
        if name == "percent_within_one":
            return agreeing(units, lambda a, b: abs(a - b) <= 1)
        observed, use = agreeing(units), joint_use(units, SCALE)
        if name == "kappa_fleiss":
            chance = sum(share**2 for share in use)
        elif name == "ac1":
            chance = sum(share * (1 - share) for share in use) / 4
        elif name == "ac2":
            near = [[1 - (a - b) ** 2 / 16 for a in SCALE] for b in SCALE]
            observed = agreeing(units, lambda a, b: 1 - (a - b) ** 2 / 16)
            chance = np.sum(near) / 20 * sum(share * (1 - share) for share in use)
        else:
            return observed
        return (observed - chance) / (1 - chance)

    for name in (
        *("alpha_nominal", "alpha_ordinal", "alpha_interval", "kappa_cohen", "kappa_raters"),
        *("kappa_weighted_quadratic", "kappa_fleiss", "ac1", "ac2", "percent_agreement"),
        "percent_within_one",
    ):
        rows = found(seed, name, "tone")
        for system, key in each_system("tone"):
            units = given(seed, "tone", system=system)
            met = [said for said in units.values() if len(said) > 1]
            n = sum(map(len, met))
            check(rows, key, coefficient(name, system), len(met), n, len(PEOPLE))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_recoded_question_is_counted_on_its_new_labels(seed):
    groups = {"low": [1, 2], "high": [4, 5]}
    new = {old: name for name, olds in groups.items() for old in olds}
    units = {
        unit: {rater: new[value] for rater, value in said.items() if value in new}
        for unit, said in given(seed, "tone").items()
    }
    rows = found(seed, "percent_agreement", "level", by=False, recode={"level": groups})
    check(rows, ("level",), agreeing(units))
    rows = found(seed, "percent_agreement", "tone", by=False, recode={"level": groups})
    check(rows, ("level",), agreeing(units))


@pytest.mark.parametrize("seed", SEEDS)
def test_majorities(seed):
    for index, name in enumerate(("full_agreement", "majority", "no_majority")):
        rows = found(seed, name, ["tone", "clarity"])
        for system, (_, *group) in each_system(None):
            wins, complete = {}, {}
            for question in ("tone", "clarity"):
                units = given(seed, question, system=system)
                # Units with as many ratings as most have, of all systems; of two such, the more.
                sizes = Counter(len(said) for said in given(seed, question).values())
                size = max((n, of) for of, n in sizes.items() if of > 1)[1]
                raters = {r for said in units.values() if len(said) == size for r in said}
                units = {u: list(s.values()) for u, s in units.items() if len(s) == size}
                complete[question] = set(units)
                kinds = {
                    u: 0 if len(set(v)) == 1 else 1 if most(v) is not None else 2
                    for u, v in units.items()
                }
                wins[question] = kinds
                share = fmean(kind == index for kind in kinds.values()) if kinds else None
                n = size * len(kinds)
                check(rows, (question, *group), share, len(kinds), n, len(raters))
            both = complete["tone"] & complete["clarity"]
            reached = [sum(wins[q][u] < 2 for q in wins) for u in both]
            share = fmean({2: 0, 1: 1, 0: 2}[n] == index for n in reached) if both else None
            check(rows, (None, *group), share, len(both))


@pytest.mark.parametrize("tie", [None, "first"])
@pytest.mark.parametrize("seed", SEEDS)
def test_how_often_a_rater_gives_the_commonest_value(seed, tie):
    rows = found(seed, "evaluator_agreement", ["tone", "clarity"], by=False, tie=tie)
    every, tied = {}, False
    for question in ("tone", "clarity"):
        hits = {}
        for unit, said in given(seed, question).items():
            if len(said) < 2:
                continue
            counts = Counter(said.values())
            top = [value for value, n in counts.items() if n == max(counts.values())]
            if len(top) > 1 and tie is None:
                tied = True
                continue
            commonest = next(said[r] for r in sorted(said) if said[r] in top)
            for rater, value in said.items():
                hits[unit, rater] = value == commonest
        check(rows, (question,), fmean(hits.values()), n_ratings=len(hits))
        for rater in PEOPLE:
            own = [hit for (_, who), hit in hits.items() if who == rater]
            check(rows, (question, ("rater", rater)), fmean(own), len(own), len(own), 1)
        every |= {(question, *key): hit for key, hit in hits.items()}
    check(rows, (None,), fmean(every.values()), n_ratings=len(every))
    for row in rows.values():
        assert ("ties_left_out" in row["warnings"]) == tied


@pytest.mark.parametrize("seed", SEEDS)
def test_how_far_raters_of_a_unit_lie_apart(seed):
    for name, of in (("evaluator_variance", np.var), ("evaluator_sd", np.std)):
        rows = found(seed, name, ["tone", "clarity"])
        for system, (_, *group) in each_system(None):
            for question in ("tone", "clarity", None):
                asked = ["tone", "clarity"] if question is None else [question]
                units = row_means(seed, asked, system)
                met = [list(said.values()) for said in units.values() if len(said) > 1]
                n = sum(map(len, met))
                check(rows, (question, *group), fmean(map(of, met)), len(met), n)


@pytest.mark.parametrize("seed", SEEDS)
def test_ranges_of_scores(seed):
    for asked, name in ((["tone", "clarity"], None), (["tone"], "tone")):
        rows = found(seed, "score_ranges", asked, by=False)
        means = pooled(row_means(seed, asked))
        assert len(rows) == 4
        for low in (1, 2, 3, 4):
            end = "]" if low == 4 else ")"
            inside = [low <= x < low + 1 or (low == 4 and x == 5) for x in means]
            key = name, ("label", f"[{low}, {low + 1}{end}")
            check(rows, key, fmean(inside), n_ratings=len(means))


TWICE = (
    *("mean", "sd", "median", "weighted_mean", "weighted_mean_within", "overall_mean"),
    *("overall_sd", "overall_computed_mean", "adjusted_share", "alpha_nominal", "alpha_ordinal"),
    *("alpha_interval", "kappa_cohen", "kappa_raters", "kappa_weighted_quadratic"),
    *("kappa_fleiss", "ac1", "ac2", "percent_agreement", "percent_within_one"),
    *("full_agreement", "majority", "no_majority", "evaluator_agreement"),
    *("evaluator_variance", "evaluator_sd", "score_ranges", "percent_match"),
    *("kappa_human_auto", "agreement_jaccard", "agreement_of_auto", "agreement_of_human"),
    *("agreement_specific", "proportion_accurate", "proportion_residual"),
    *("proportion_severely_inaccurate", "missing_severity", "exact", "within_one", "mae"),
    *("bias", "spearman", "exact_halves", "macro_f1_halves", "difference"),
    *("difference_overall", "difference_percent_match"),
)
# Shares like those above; one-way sums of squares against pingouin; questions and answers.
ELSEWHERE = {
    "proportion_inaccurate": "test_stem_shares",
    "proportion_excluded": "test_stem_shares",
    "severe_any_issue": "test_stem_shares",
    "icc_2_1": "test_against_packages",
    "severity_logits": "test_rasch",  # the package mirt
    **dict.fromkeys(
        (name for name in STATISTICS if "recall" in name or "precision" in name),
        "test_questeval_raters, test_paired_coverage",
    ),
}


def test_every_statistic_is_had_a_second_time():
    assert set(TWICE) | set(ELSEWHERE) == set(STATISTICS)
