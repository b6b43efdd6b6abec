"""Where a model's answers come from: the reply behind each, and what is known about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from raterbook.judges import cache
from raterbook.judges.judging import run_until_done
from raterbook.judges.outcome import JudgeRun
from raterbook.judges.prices import Prices
from raterbook.judges.reply import Messages, Reply
from raterbook.judges.run import Runner
from raterbook.protocols import Example

if TYPE_CHECKING:
    from raterbook.rounds import StoredRound


@dataclass(frozen=True)
class Remembered:
    """A model as an earlier run knew it; it cannot be asked."""

    settings: dict[str, Any]
    concurrency: int = 8

    @property
    def name(self) -> str:
        return str(self.settings["model"])

    def identity(self) -> dict[str, Any]:
        return self.settings

    async def ask(self, messages: Messages, schema: dict[str, Any], replicate: int) -> Reply:
        raise RuntimeError("a stored run is read, not asked")

    async def close(self) -> None:
        pass


def account(stored: StoredRound, name: str) -> JudgeRun:
    """The last run of the judge `name`, read again from its stored replies; nothing is asked.

    `account(…).frame()` has the reply of every sheet with model served, prompt hash, tokens,
    cost, retries, request id and time; `failures()` those that gave no answers, and why.
    """
    known = cache.run_of(stored, name)
    if known is None:
        models = [rater.name for rater in stored.raters() if rater.kind == "model"]
        raise ValueError(
            f"{stored.name} has no replies of {name!r}; its models are "
            f"{', '.join(models) or 'none yet'}."
        )
    examples = known["examples"]
    shots = None if examples is None else tuple(Example(**one) for one in examples)
    runner = Runner(
        stored, Remembered(known["identity"]), name, replicates=known["replicates"],
        examples=shots, prices=Prices({}), progress=False, ask=False,
    )
    return run_until_done(runner.run())
