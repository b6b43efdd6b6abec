"""What a measure hands back: an estimate and what its row says of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analysis.board import Board, Grid
from analysis.estimate import Estimate
from analysis.options import Options
from analysis.scales import recoded


@dataclass(frozen=True)
class Finding:
    """One row to be: `group` joins the columns of the group it was computed for."""

    question: str | None
    estimate: Estimate
    units: np.ndarray
    group: dict[str, Any] = field(default_factory=dict)
    aggregate: str | None = None
    raters: Any = None


@dataclass(frozen=True)
class Task:
    """One measure on one group of units."""

    board: Board
    measure: dict[str, Any]
    mask: np.ndarray
    options: Options
    all_measures: tuple[dict[str, Any], ...] = ()

    @property
    def questions(self) -> list[str]:
        asked = self.measure.get("question")
        if asked is None:
            return []
        return [asked] if isinstance(asked, str) else list(asked)

    @property
    def statistic(self) -> str:
        return str(self.measure["statistic"])

    def grid(self, question: str) -> Grid:
        """The question's answers, recoded where the measure says so."""
        recode = self.measure.get("recode") or {}
        if not recode:
            return self.board.grid(question)
        new, groups = next(iter(recode.items()))
        if question == new:
            question = self.source(groups)
        grid = self.board.grid(question)
        scale, codes = recoded(grid.scale, grid.codes, groups)
        return Grid(new, scale, codes, grid.confidence)

    def called(self, question: str) -> str:
        """The name its numbers stand under: the recoded one where the measure recodes."""
        return next(iter(self.measure.get("recode") or {}), question)

    def source(self, groups: dict[str, Any]) -> str:
        """The question that has the values a recoding starts from."""
        olds = {str(old) for values in groups.values() for old in values}
        for name, question in self.board.questions.items():
            if olds <= {str(value) for value in question.get("scale") or ()}:
                return name
        raise ValueError(f"no question has the values {', '.join(sorted(olds))}")

    def each_grid(self) -> list[Grid]:
        return [self.grid(question) for question in self.questions]


def nothing(statistic: str, reason: str, **counts: Any) -> Estimate:
    """An estimate that is not there, and why."""
    return Estimate(None, statistic=statistic, reason=reason, **counts)
