"""What a run of a judge came to: counts, cost, failures; and how far it got."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from raterbook.judges.money import Account
from raterbook.protocols.problems import printable

if TYPE_CHECKING:
    import pandas as pd

    from raterbook.judges.clients.model import Reply
    from raterbook.judges.prompts import Prompt
    from raterbook.judges.replies import Parsed


COLUMNS = [
    "subject",
    "questions",
    "replicate",
    "status",
    "problem",
    "reply",
    "retries",
    "cost",
    "tokens_in",
    "tokens_out",
    "seconds",
    "served",
    "form",
    "sdk",
    "request_id",
    "at",
    "prompt",
    "cached",
]
SHOWN = 4  # kinds of failures named in the account of a run


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
class JudgeRun(Account):
    """How a model's run went. Answers are in the round; this is the account of it."""

    outcomes: list[Outcome] = field(default_factory=list)
    answers: int = 0

    @property
    def counts(self) -> dict[str, Any]:
        return dict(Counter(outcome.status for outcome in self.outcomes))

    @property
    def failed(self) -> int:
        return sum(outcome.status != "ok" for outcome in self.outcomes)

    @property
    def complete(self) -> bool:
        """Whether nothing is left to ask: a failed request is asked again by the next run."""
        asked = len(self.outcomes) == self.total and "api_error" not in self.counts
        return self.stopped is None and asked

    def __repr__(self) -> str:
        return printable(f"JudgeRun({self.summary()})")

    def __str__(self) -> str:
        return printable(
            "\n".join([self.summary(), *(f"  {problem}" for problem in self.problems())])
        )

    def summary(self) -> str:
        """One line: “feedback: 24 of 24 asked of gpt-4o-mini, 24 ok; 432 answers; …”."""
        line = f"{self.progress()}; {self.answers:,} answers; {self.cost()}"
        return f"{line}; stopped: {self.stopped}" if self.stopped else line

    def problems(self) -> list[str]:
        """Why sheets have no answers: “3 refused: the model declined to answer”, most first."""
        found = Counter((one.status, one.problem) for one in self.outcomes if one.status != "ok")
        said = [f"{count} {status}: {why}" for (status, why), count in found.most_common(SHOWN)]
        if len(found) > SHOWN:
            rest = self.failed - sum(count for _, count in found.most_common(SHOWN))
            said.append(f"and {rest} more; failures() of the run lists them all")
        return said

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
                one.subject,
                ", ".join(one.questions),
                one.replicate,
                one.status,
                one.problem,
                one.reply.text,
                one.reply.retries,
                one.reply.cost,
                one.reply.tokens_in,
                one.reply.tokens_out,
                one.reply.seconds,
                one.reply.served,
                one.reply.form,
                one.reply.sdk,
                one.reply.request_id,
                one.reply.at,
                one.prompt.hash[:12],
                one.reply.cached,
            )
            for one in self.outcomes
        ]
        return pd.DataFrame(rows, columns=COLUMNS)

    def failures(self) -> pd.DataFrame:
        """The sheets without answers: status, problem, and the reply as it came."""
        frame = self.frame()
        return frame.loc[
            frame["status"] != "ok", ["subject", "replicate", "status", "problem", "reply"]
        ]


# A bar on a terminal and in a notebook, with cost and failures so far; nothing in a pipe.


class Progress:
    """Shows a run; `shown` None decides by where the output goes."""

    def __init__(self, run: Account, shown: bool | None = None):
        self._run = run
        self._bar: Any = None
        if shown or (shown is None and is_watched()):
            from tqdm.auto import tqdm

            self._bar = tqdm(
                total=run.total, desc=printable(f"{run.rater} on {run.round}"), unit="sheet"
            )

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
