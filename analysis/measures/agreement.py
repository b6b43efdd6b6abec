"""Agreement among the raters who count."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.alpha import alpha_statistic
from analysis.board import Grid
from analysis.chance import ObservedAgreement, SharedChance
from analysis.gwet import within_weights
from analysis.icc import icc
from analysis.infer import infer
from analysis.kappa import kappa_statistic, undefined_pairs
from analysis.measures.finding import Finding, Task
from analysis.patterns import find_patterns
from analysis.ratings import Ratings
from analysis.weights import agreement_weights

ALPHAS = ("alpha_nominal", "alpha_ordinal", "alpha_interval")
PAIRED = ("kappa_cohen", "kappa_raters", "kappa_weighted_quadratic")
NAMES = (
    *ALPHAS,
    *PAIRED,
    "kappa_fleiss",
    "ac1",
    "ac2",
    "percent_agreement",
    "percent_within_one",
    "icc_2_1",
)


def agreement(task: Task) -> list[Finding]:
    """One finding per question."""
    found = []
    for question, grid in zip(task.questions, task.each_grid(), strict=True):
        columns, who = task.board.counted([_asked(task, question)])
        coded = task.board.ratings(grid, columns, task.mask)
        least = 2
        units = np.asarray(coded.units)[coded.rating_counts() >= least]
        estimate = _estimate(task.statistic, coded, grid, task.options)
        found.append(Finding(grid.question, estimate, units, raters=who))
    return found


def _asked(task: Task, question: str) -> str:
    recode = task.measure.get("recode") or {}
    if question in recode:
        return task._source(recode[question])
    return question


def _estimate(name: str, coded: Ratings, grid: Grid, options: dict[str, Any]) -> Any:
    if name == "icc_2_1":
        return icc(coded, "ICC2", **options)
    patterns = find_patterns(coded)
    warnings: tuple[str, ...] = ()
    statistic = statistic_named(name, coded)
    if name in PAIRED:
        warnings = undefined_pairs(statistic, patterns)
    elif name in ("ac1", "ac2") and not coded.declared:
        warnings = ("scale_inferred",)
    statistic.name = name
    return infer(statistic, coded, patterns, warnings=warnings, **options)


def statistic_named(name: str, coded: Ratings) -> Any:
    """The statistic behind a name of the protocol's vocabulary."""
    if name in ALPHAS:
        return alpha_statistic(name.removeprefix("alpha_"), coded)
    if name in PAIRED:
        weights = "quadratic" if name == "kappa_weighted_quadratic" else "identity"
        return kappa_statistic("light", weights, coded)
    if name == "kappa_fleiss":
        return kappa_statistic("fleiss", "identity", coded)
    if name in ("ac1", "ac2"):
        weights = "quadratic" if name == "ac2" else "identity"
        return SharedChance(agreement_weights(weights, coded.numbers), "gwet", name)
    within = 1.0 if name == "percent_within_one" else 0.0
    return ObservedAgreement(within_weights(coded.numbers, within), name)
