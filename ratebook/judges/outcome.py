"""What a run of a judge came to: counts, cost, failures; and how far it got."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from ratebook.judges.parsing import Parsed
    from ratebook.judges.prompts import Prompt
    from ratebook.judges.reply import Reply

COLUMNS = ["subject", "questions", "replicate", "status", "problem", "reply", "retries", "cost",
           "tokens_in", "tokens_out", "seconds", "served", "form", "sdk", "request_id", "at",
           "prompt", "cached"]


@dataclass(frozen=True)
class Outcome:
    """One sheet: what was asked, what came back, what was made of it."""

    subject: str
    questions: tuple[str, ...]
    replicate: int
    prompt: Prompt
    reply: Reply
    parsed: Parsed | None  # None where no reply came

    @property
    def status(self) -> str:
        """ok, refused, partial, parse_error or api_error."""
        return "api_error" if self.parsed is None else self.parsed.status

    @property
    def problem(self) -> str:
        if self.parsed is None:
            return self.reply.error or ""
        return "; ".join(self.parsed.problems)


@dataclass
class JudgeRun:
    """How a model's run went. Answers are in the round; this is the account of it."""

    round: str
    rater: str
    total: int = 0
    outcomes: list[Outcome] = field(default_factory=list)
    answers: int = 0
    requests: int = 0  # sent to the model, repeats after a failure not counted
    spent: float = 0.0
    unpriced: int = 0  # replies whose cost is not known
    stopped: str | None = None  # why the run ended early

    @property
    def counts(self) -> dict[str, int]:
        return dict(Counter(outcome.status for outcome in self.outcomes))

    @property
    def failed(self) -> int:
        return sum(outcome.status != "ok" for outcome in self.outcomes)

    @property
    def complete(self) -> bool:
        return self.stopped is None and len(self.outcomes) == self.total

    def __repr__(self) -> str:
        return f"JudgeRun({self.summary()})"

    def __str__(self) -> str:
        return self.summary()

    def summary(self) -> str:
        """One line: “feedback: 24 of 24 asked of gpt-4o-mini, 24 ok; 0.0123 USD”."""
        cost = f"{self.spent:.4f} USD" if self.spent or not self.unpriced else "cost unknown"
        if self.spent and self.unpriced:
            cost += f" and {self.unpriced} replies without a known price"
        line = f"{self.progress()}; {self.answers} answers; {cost}"
        return f"{line}; stopped: {self.stopped}" if self.stopped else line

    def progress(self) -> str:
        """How far it got, and with what success."""
        ok = self.counts.get("ok", 0)
        others = [f"{count} {name}" for name, count in sorted(self.counts.items()) if name != "ok"]
        return (
            f"{self.round}: {len(self.outcomes)} of {self.total} asked of {self.rater}, "
            f"{', '.join([f'{ok} ok', *others])}"
        )

    def frame(self) -> pd.DataFrame:
        """One row per sheet, in the order of asking."""
        import pandas as pd

        rows = [
            (
                one.subject, ", ".join(one.questions), one.replicate, one.status, one.problem,
                one.reply.text, one.reply.retries, one.reply.cost, one.reply.tokens_in,
                one.reply.tokens_out, one.reply.seconds, one.reply.served, one.reply.form,
                one.reply.sdk, one.reply.request_id, one.reply.at,
                one.prompt.hash[:12], one.reply.cached,
            )
            for one in self.outcomes
        ]
        return pd.DataFrame(rows, columns=COLUMNS)

    def failures(self) -> pd.DataFrame:
        """The sheets without answers: status, problem, and the reply as it came."""
        frame = self.frame()
        return frame.loc[frame["status"] != "ok", ["subject", "replicate", "status", "problem",
                                                   "reply"]]
