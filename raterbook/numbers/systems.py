"""Systems against each other on the same cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from raterbook.analysis.averages import Entries
from raterbook.analysis.averages.differences import adjust, paired_difference, pooled_difference
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.ratings.patterns import divide
from raterbook.numbers import questeval
from raterbook.numbers.averages import holds, row_means
from raterbook.numbers.counted import consensus
from raterbook.numbers.measures import (
    Finding,
    Task,
    computes,
    correction_of,
    is_of_shares,
    nothing,
)
from raterbook.numbers.number import Pair
from raterbook.numbers.questeval import trace
from raterbook.numbers.reference import label_of

NONE = np.zeros(0, dtype=int)
CALLED = {"holm": "Holm", "benjamini-hochberg": "Benjamini–Hochberg"}

# From each unit's system and two of them: their difference, and the units it rests on.
Compare = Callable[[np.ndarray, Pair], tuple[Estimate, np.ndarray]]


@computes("difference")
def differences(task: Task) -> list[Finding]:
    """Mean or proportion of one system minus another's, over cases that both answered."""
    found = []
    for question in task.questions:
        columns, who = task.board.counted([question])
        hit, of = _sums(task, question, columns)
        name = task.grid(question).question
        compare = _comparing(task, columns, hit, of)
        found += in_pairs(task, name, who, task.mask & of.any(axis=1), compare)
    return found


@computes("difference_overall")
def overall_difference(task: Task) -> list[Finding]:
    """The same of each rating's mean over the questions, as `overall_mean` takes it."""
    row, columns, who = row_means(task, task.questions)
    given = np.isfinite(row)
    compare = _comparing(task, columns, np.where(given, row, 0.0), given.astype(float))
    return in_pairs(task, None, who, given.any(axis=1), compare)


def in_pairs(
    task: Task,
    question: str | None,
    who: Any,
    answered: np.ndarray,
    compare: Compare,
    aggregate: str | None = None,
) -> list[Finding]:
    """One finding per pair of the systems of the units that were `answered`.

    The measure's `system` names the column (model if it names none). With several pairs the
    method carries each p, how many were compared, and the p corrected for that.
    """
    first = task.board.first
    column = str(task.measure.get("system") or "model")
    system = np.full(len(first), "", dtype=object)
    if column in first.columns:
        names = first[column].astype(object)
        system = np.where(names.notna(), names.astype(str), "")
    known = sorted(set(system[answered]) - {""})
    pairs = []
    for a, b in combinations(known, 2):
        estimate, units = compare(system, (a, b))
        found = Finding(question, estimate, units, aggregate=aggregate, raters=who)
        pairs.append(replace(found, pair=(a, b)))
    if not pairs:
        missing = nothing(task.statistic, "no_common_cases")
        return [Finding(question, missing, NONE, aggregate=aggregate, raters=who)]
    return _corrected(task, pairs)


def _corrected(task: Task, pairs: list[Finding]) -> list[Finding]:
    """The pairs with what is known of chance written into their methods.

    The measure's `correction` is holm, benjamini-hochberg or none.
    """
    correction = correction_of(task.measure) or "holm"
    each = [pair.estimate.p for pair in pairs]
    after = adjust(each, correction)
    compared = sum(p is not None for p in each)
    found = []
    for pair, p, final in zip(pairs, each, after, strict=True):
        if p is None:
            found.append(pair)
            continue
        said = f"p {p:.3g}"
        if compared > 1 and correction == "none":
            said += f", not corrected for {compared} pairs"
        elif compared > 1:
            said += f", {final:.3g} after {CALLED[correction]} over {compared} pairs"
        beside = {**pair.estimate.beside, "p": p}
        method = pair.estimate.method.saying(said)
        estimate = replace(pair.estimate, method=method, beside=beside)
        found.append(replace(pair, estimate=estimate))
    return found


def _sums(task: Task, question: str, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is added up and what it is divided by, units × raters."""
    grid = task.grid(question)
    if is_of_shares(task.measure):
        of = holds(task, question, task.measure.get("of"), columns) & task.mask[:, None]
        hit = of & holds(task, question, task.measure.get("is"), columns)
        return hit.astype(float), of.astype(float)
    given = (grid.codes[:, columns] > 0) & task.mask[:, None]
    return np.where(given, np.nan_to_num(grid.numbers()[:, columns]), 0.0), given.astype(float)


def _comparing(task: Task, columns: np.ndarray, hit: np.ndarray, of: np.ndarray) -> Compare:
    board = task.board
    answered = of.any(axis=1) & task.mask

    def compare(system: np.ndarray, pair: Pair) -> tuple[Estimate, np.ndarray]:
        first, second = (system == side for side in pair)
        shared = np.intersect1d(board.case[answered & first], board.case[answered & second])
        common = np.isin(board.case, shared) & (first | second)
        given = (of > 0) & common[:, None]
        side = np.broadcast_to(first[:, None].astype(float), of.shape)
        cells = board.cells(given, columns, x=hit, of=of, first=side)
        if is_of_shares(task.measure):
            # Shares are pooled over ratings, as the shares of each system are.
            return pooled_difference(cells, task.options), cells.unit
        # Each case's two means are set against each other, so the case is the unit here.
        by_case = replace(cells, unit=board.case[cells.unit])
        return paired_difference(by_case, task.options), cells.unit

    return compare


# Systems in pairs on the same cases: by recall, by precision, and by how often labels match.


PREFIX = "difference_"
MATCH = "percent_match"


@dataclass(frozen=True)
class Samples:
    """One entry per item: what is added up, out of how much, and where upstream's code gives 0."""

    unit: np.ndarray
    top: np.ndarray
    bottom: np.ndarray
    upstream_zero: np.ndarray
    answers: np.ndarray
    raters: int
    warnings: tuple[str, ...] = ()


@computes(*(PREFIX + name for name in (*questeval.NAMES, MATCH)))
def paired(task: Task) -> list[Finding]:
    """One system's number minus another's, over the cases where both have it.

    Each case's two numbers are set against each other, so that an easy case is easy for both, and
    cases (or their clusters) are what is resampled. `micro` pools the questions of those cases.
    """
    found: list[Finding] = []
    if task.statistic == PREFIX + MATCH:
        for question in task.questions:
            found += _pairs(task, question, _matches(task, question), None)
        return found
    samples = _coverage(task)
    for aggregate in questeval.AGGREGATES:
        found += _pairs(task, questeval.QUESTION, samples, aggregate)
    return found


def _coverage(task: Task) -> Samples:
    """Each text's recall or precision, as a sum and what it is divided by."""
    traced = trace(task)
    name = task.statistic.removeprefix(PREFIX)
    _, first, codes = np.unique(traced.item, return_index=True, return_inverse=True)
    return Samples(
        traced.unit[first],
        *questeval.per_sample(name, traced),
        np.bincount(codes.ravel(), traced.answers, len(first)),
        traced.raters,
        ("unscored_answers",) if traced.unscored else (),
    )


def _matches(task: Task, question: str) -> Samples:
    """Where people's consensus is the automatic label."""
    grid = task.grid(question)
    columns, _ = task.board.counted([question])
    said, label = consensus(task.board, grid, columns), label_of(task, grid)
    unit = np.flatnonzero((said > 0) & (label > 0) & task.mask)
    one = np.ones(len(unit))
    people = int(grid.codes[np.ix_(unit, columns)].any(axis=0).sum())
    return Samples(unit, (said == label)[unit].astype(float), one, one < 1, one, people)


def _pairs(task: Task, question: str, samples: Samples, aggregate: str | None) -> list[Finding]:
    board = task.board
    top, bottom, pooled = samples.top, samples.bottom, aggregate == "micro"
    if aggregate == "compatible":
        top = np.where(samples.upstream_zero, 0.0, divide(top, bottom, 0.0))
        bottom = np.ones(len(top))
    x, there, case = (
        top if pooled else divide(top, bottom, 0.0),
        bottom > 0,
        board.case[samples.unit],
    )

    def compare(systems: np.ndarray, pair: Pair) -> tuple[Estimate, np.ndarray]:
        system = systems[samples.unit]
        first, second = (there & (system == side) for side in pair)
        keep = (first | second) & np.isin(case, np.intersect1d(case[first], case[second]))
        cells = Entries(
            case[keep],
            np.zeros(keep.sum(), dtype=int),
            board.cluster[samples.unit[keep]],
            {"x": x[keep], "of": bottom[keep], "first": first[keep].astype(float)},
            clusters=board.cluster_names,
        )
        found = (pooled_difference if pooled else paired_difference)(cells, task.options)
        found = replace(
            found,
            statistic=task.statistic,
            n_raters=samples.raters if keep.any() else 0,
            n_ratings=int(samples.answers[keep].sum()),
            warnings=(*samples.warnings, *found.warnings),
        )
        return found, samples.unit[keep]

    answered = np.zeros(board.n_units, dtype=bool)
    answered[samples.unit] = True
    return in_pairs(task, question, board.counted([question])[1], answered, compare, aggregate)
