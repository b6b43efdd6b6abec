"""What the raters together say of a unit: adjudicated, else strict majority, else nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from analysis.board import Board, Grid
from analysis.measures.finding import Finding
from analysis.patterns import count_values


def consensus(board: Board, grid: Grid, columns: np.ndarray) -> np.ndarray:
    """One code per unit, 0 where there is no consensus.

    Several adjudicators settle a unit by strict majority among themselves; where they have none,
    nothing is adjudicated.
    """
    q = len(grid.scale.values)
    found = strict_majority(grid.codes[:, columns], q)
    settled = board.columns_of("adjudicator")
    if len(settled):
        final = strict_majority(grid.codes[:, settled], q)
        found = np.where(final > 0, final, found)
    return found


def strict_majority(codes: np.ndarray, q: int) -> np.ndarray:
    """The value that more than half of those who answered gave, else 0."""
    counts = count_values(codes, q)
    if not q:
        return np.zeros(len(codes), dtype=np.int64)
    top = counts.argmax(axis=1)
    wins = counts[np.arange(len(codes)), top] * 2 > counts.sum(axis=1)
    return np.where(wins, top + 1, 0)


def modal(codes: np.ndarray, q: int, tie: str | None = None) -> np.ndarray:
    """The commonest value; a tie gives 0, or with tie="first" the tied value met first."""
    counts = count_values(codes, q)
    if not q:
        return np.zeros(len(codes), dtype=np.int64)
    top = counts.max(axis=1)
    tied = counts == top[:, None]
    single = (tied.sum(axis=1) == 1) & (top > 0)
    found = np.where(single, counts.argmax(axis=1) + 1, 0)
    if tie == "first":
        for i in np.flatnonzero(~single & (top > 0)):
            found[i] = next(c for c in codes[i] if c and tied[i, c - 1])
    return found


def without_ties(finding: Finding) -> Finding:
    """The finding with the warning that some units had no single value and were left out."""
    warnings = (*finding.estimate.warnings, "ties_left_out")
    return replace(finding, estimate=replace(finding.estimate, warnings=warnings))
