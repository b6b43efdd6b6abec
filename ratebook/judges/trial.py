"""A judge tried out step by step, as judge.ipynb does it: look, ask about three, ask about all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ratebook.judges.beside import beside_people
from ratebook.judges.by_hand import DryRun, askings, dry_run
from ratebook.judges.outcome import JudgeRun

if TYPE_CHECKING:
    import pandas as pd

    from ratebook.rounds import StoredRound

NO_MODEL = "No model is chosen: name one in the parameters, and run the cells again."


class Trial:
    """One model on one round. Without a `model` it shows what would be asked, and asks nothing.

    `model` is a name behind `base_url`, a path or id with `local`, or a function.
    """

    def __init__(
        self,
        stored: StoredRound,
        model: Any = "",
        *,
        base_url: str | None = None,
        local: bool = False,
        key_env: str = "OPENAI_API_KEY",
        name: str | None = None,
        concurrency: int = 8,
        **how: Any,
    ):
        self.stored, self._how = stored, how
        self._model: Any = None
        if callable(model):
            self._model = model
        elif model and local:
            from ratebook.judges.local import LocalModel

            self._model = LocalModel(model, name=name)
        elif model:
            from ratebook.judges.endpoint import Endpoint

            self._model = Endpoint(model, base_url, key_env=key_env, concurrency=concurrency)
        self.name = name or getattr(self._model, "name", "") or "judge"
        self.last: JudgeRun | None = None

    def plan(self) -> DryRun:
        """What would be sent, and about what it would cost."""
        prices, replicates = self._how.get("prices"), self._how.get("replicates", 1)
        return dry_run(self.stored, self.name, prices=prices, replicates=replicates)

    def prompts(self, number: int = 3) -> list[str]:
        """What a model reads about the first items: the part that differs from item to item."""
        return [one.prompt.messages[-1]["content"] for one in _first(self.stored, number)]

    def first(self, number: int = 3) -> pd.DataFrame | str:
        """Asks about the first items only, and shows what came back."""
        if self._model is None:
            return NO_MODEL
        items = [item.ref for item in self.stored.items()[:number]]
        run = self._run(items=items)
        columns = ["subject", "questions", "status", "problem", "reply", "cost", "seconds"]
        return run.frame()[columns]

    def run(self) -> JudgeRun | str:
        """Asks about everything; what is stored is not asked again."""
        return NO_MODEL if self._model is None else self._run()

    def questions(self) -> Any:
        """RAGQuestEval: writes questions about each reference and answers them from both texts."""
        parts = self.stored.protocol.parts
        if parts is None or parts.of != "case" or parts.source != "file":
            return f"{self.stored.protocol.name} has no questions to be written."
        if self._model is None:
            return NO_MODEL
        from ratebook.judges.questeval import questions

        how = {key: self._how[key] for key in ("budget", "prices") if key in self._how}
        return questions(self.stored, ask=self._model, name=self.name, **how)

    def failures(self) -> pd.DataFrame | str:
        """The sheets of the last run that gave no answers, and why."""
        return NO_MODEL if self.last is None else self.last.failures()

    def beside_people(self) -> pd.DataFrame | str:
        """The judge's answers beside the people's."""
        return NO_MODEL if self._model is None else beside_people(self.stored, self.name)

    def _run(self, **more: Any) -> JudgeRun:
        from ratebook.judges.judging import judge

        self.last = judge(self.stored, self._model, self.name, **{**self._how, **more})
        return self.last


def _first(stored: StoredRound, number: int) -> list[Any]:
    found: list[Any] = []
    for one in askings(stored):
        if len(found) == number:
            break
        found.append(one)
    return found
