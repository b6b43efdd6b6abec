"""A bar on a terminal and in a notebook, with cost and failures so far; nothing in a pipe."""

from __future__ import annotations

import sys
from typing import Any

from raterbook.judges.budgeted import Account


class Progress:
    """Shows a run; `shown` None decides by where the output goes."""

    def __init__(self, run: Account, shown: bool | None = None):
        self._run = run
        self._bar: Any = None
        if shown or (shown is None and is_watched()):
            from tqdm.auto import tqdm

            self._bar = tqdm(total=run.total, desc=f"{run.rater} on {run.round}", unit="sheet")

    def more(self, count: int) -> None:
        """Sheets that turned up: those of a later wave."""
        if self._bar is not None and count:
            self._bar.total += count
            self._bar.refresh()

    def step(self) -> None:
        if self._bar is not None:
            run = self._run
            cost = "price unknown" if run.unpriced and not run.spent else f"{run.spent:.4f} USD"
            self._bar.set_postfix_str(f"{cost}, {run.failed} failed", refresh=False)
            self._bar.update()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def is_watched() -> bool:
    """Whether somebody sees a bar: on a terminal, or below a notebook's cell."""
    return in_notebook() or sys.stderr.isatty()


def in_notebook() -> bool:
    if "ipykernel" not in sys.modules:
        return False
    from IPython import get_ipython

    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")
