"""A share of ratings seen from other levels: by sentence, by response, and at its upper bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from analysis.board import Board
from analysis.cells import Cells, add_up, infer_cells, ratio
from analysis.estimate import Estimate
from analysis.links import LOGIT
from analysis.options import Options
from analysis.proportions import proportion_of


def by_sentence(
    board: Board, name: str, hit: np.ndarray, of: np.ndarray, options: Options
) -> tuple[Estimate, np.ndarray]:
    """The share of sentences of which more than half of the judging ratings say so."""
    judged, said = of.sum(axis=1), hit.sum(axis=1)
    wins = (said * 2 > judged).astype(float)
    given = (judged > 0)[:, None]
    cells = board.cells(given, np.zeros(1, dtype=int), hit=wins[:, None], of=given * 1.0)
    estimate = proportion_of(name, cells, options)
    raters = int(of.any(axis=0).sum())
    return replace(estimate, n_raters=raters, n_ratings=int(judged.sum())), cells.unit


def by_response(
    board: Board,
    name: str,
    hit: np.ndarray,
    of: np.ndarray,
    columns: np.ndarray,
    options: Options,
) -> tuple[Estimate, np.ndarray]:
    """The mean over responses of each response's own share, long and short ones counting alike."""
    cells = board.cells(of, columns, hit=hit * 1.0, of=of * 1.0)
    by_owner = replace(cells, unit=board.owner[cells.unit])

    def rows(part: Cells) -> np.ndarray:
        sums, clusters = part.per_unit(part.numbers["hit"], part.numbers["of"])
        _, codes = np.unique(clusters, return_inverse=True)
        return add_up(codes.ravel(), (sums[:, 0] / sums[:, 1], np.ones(len(sums))))

    estimate = infer_cells(
        name, by_owner, rows, ratio, options, link=LOGIT, reason="zero_denominator"
    )
    return estimate, cells.unit
