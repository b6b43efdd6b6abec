"""What a run over a round's questions came to: counts by step and status, cost, failures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from raterbook.judges.budgeted import Account

if TYPE_CHECKING:
    import pandas as pd

STEPS = ("write", "check", "reference", "generated")
COLUMNS = ["step", "subject", "status", "problem", "questions", "reply", "prompt", "cached",
           "retries", "cost", "tokens_in", "tokens_out", "seconds", "served"]


@dataclass(frozen=True)
class Done:
    """One text handled in one step."""

    step: str
    subject: str  # the key of the case or item
    status: str
    problem: str = ""
    questions: int = 0  # written, decided on or answered
    reply: str = ""
    prompt: str = ""
    cached: bool = False
    retries: int = 0
    cost: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float | None = None
    served: str | None = None

    @property
    def ok(self) -> bool:
        return self.status in ("ok", "partial")


@dataclass
class Summary(Account):
    """The account of a run; questions and answers are in the round.

    Texts that were done in an earlier run are not in its total.
    """

    is_baseline: bool = False
    done: list[Done] = field(default_factory=list)
    written: int = 0  # questions
    answers: int = 0  # stored: decisions and answers

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """Step → status → how many texts."""
        found: dict[str, Counter[str]] = {}
        for one in self.done:
            found.setdefault(one.step, Counter())[one.status] += 1
        return {step: dict(found[step]) for step in STEPS if step in found}

    @property
    def failed(self) -> int:
        return sum(not one.ok for one in self.done)

    @property
    def complete(self) -> bool:
        """Whether every text was handled, and none of them failed."""
        return self.stopped is None and len(self.done) == self.total and not self.failed

    def __str__(self) -> str:
        said = [f"{self.round}: {self.written} questions written, {self.answers} answers of "
                f"{self.rater}{' (a rule-based baseline)' if self.is_baseline else ''}"]
        for step, counts in self.counts.items():
            said.append(f"{step} {', '.join(f'{n} {status}' for status, n in counts.items())}")
        if not self.total:
            said.append("nothing was left to do")
        if self.requests:
            said.append(f"{self.requests} requests, {self.cost()}")
        line = "; ".join(said)
        return f"{line}; stopped: {self.stopped}" if self.stopped else line

    def __repr__(self) -> str:
        return f"Summary({self})"

    def frame(self) -> pd.DataFrame:
        """One row per text and step, in the order they were handled."""
        import pandas as pd

        rows = [[getattr(one, name) for name in COLUMNS] for one in self.done]
        return pd.DataFrame(rows, columns=COLUMNS)

    def failures(self) -> pd.DataFrame:
        """What came to nothing: status, problem and the reply as it came."""
        frame = self.frame()
        bad = ~frame["status"].isin(["ok", "partial"])
        return frame.loc[bad, ["step", "subject", "status", "problem", "reply"]]
