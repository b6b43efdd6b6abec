"""A judge tried out step by step, as judge.ipynb does it: look, ask about three, ask about all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from raterbook.judges.by_hand import DryRun, askings, dry_run
from raterbook.judges.clients import model_of
from raterbook.judges.clients.model import Source
from raterbook.judges.judging import JudgeStopped, judge
from raterbook.judges.outcome import JudgeRun, Outcome
from raterbook.numbers.compute import summary
from raterbook.numbers.measures import questions_of
from raterbook.protocols.comparisons import facts
from raterbook.protocols.statistics import of_family

if TYPE_CHECKING:
    import pandas as pd

    from raterbook.rounds import Round


WAITS = (
    "No more than the three items above were asked about: read their replies, then set all_items "
    "to True in the parameters and run the cells again."
)
NO_MODEL = "No model is chosen: name one in the parameters, and run the cells again."


class Trial:
    """One model on one round. Without a `model` it shows what would be asked, and asks nothing.

    `model` is a name behind `base_url`, a path or id with `local`, “scripted” for the stand-in, or
    a function; `how` is what `judge` takes, such as `items`.
    """

    def __init__(
        self,
        stored: Round,
        model: Any = "",
        *,
        base_url: str | None = None,
        local: bool = False,
        key_env: str = "OPENAI_API_KEY",
        name: str | None = None,
        concurrency: int | None = None,
        constrained: bool = False,
        **how: Any,
    ):
        self.stored, self._how = stored, how
        self._model: Any = None
        if callable(model):
            self._model = model
        elif model:
            source = Source(
                None if local else model,
                name,
                base_url,
                model if local else None,
                constrained,
                key_env,
                None if local else concurrency,
            )
            self._model = model_of(source)
        self.name = name or getattr(self._model, "name", "") or "judge"
        self.last: JudgeRun | None = None

    def plan(self) -> DryRun:
        """What would be sent, and about what it would cost."""
        return dry_run(
            self.stored, self.name, **self._given("prices", "replicates", "items", "examples")
        )

    def prompts(self, number: int = 3) -> list[str]:
        """What a model reads about the first items: the part that differs from item to item."""
        found = askings(self.stored, self._how.get("examples"), self._how.get("items"))
        return [one.prompt.messages[-1]["content"] for one in islice(found, number)]

    def first(self, number: int = 3) -> list[str]:
        """Asks about the first items only; the replies as they came."""
        if self._model is None:
            return [NO_MODEL]
        chosen = self._how.get("items") or [item.ref for item in self.stored.items()]
        run, said = self._run(items=list(chosen)[:number])
        return [*self._told(run.outcomes), *([said] if run.stopped else [])]

    def run(self) -> str:
        """Asks about everything, what is stored excepted; what that came to, or why it stopped."""
        return NO_MODEL if self._model is None else self._run()[1]

    def waits(self) -> str:
        """What stands in a step that asks about everything before the first replies were read."""
        return NO_MODEL if self._model is None else WAITS

    def questions(self, rules: bool = False) -> Any:
        """RAGQuestEval: writes questions about each reference and answers them from both texts.

        With `rules` the offline baseline does it, which needs no model.
        """
        parts = self.stored.protocol.parts
        if parts is None or parts.of != "case" or parts.source != "file":
            return f"{self.stored.protocol.name} has no questions to be written."
        from raterbook.judges.questions import questions

        if rules:
            return questions(self.stored, rules=True, **self._given("items"))
        if self._model is None:
            return NO_MODEL
        how = self._given("items", "budget", "prices")
        return questions(self.stored, ask=self._model, name=self.name, **how)

    def failures(self, number: int = 20) -> list[str]:
        """The replies of the last run that gave no answers, and why."""
        if self.last is None:
            return [NO_MODEL]
        found = [one for one in self.last.outcomes if one.status != "ok"]
        more = len(found) - number
        return [
            *self._told(found[:number]),
            *([f"and {more} more: failures({len(found)}) shows all"] if more > 0 else []),
        ] or ["Every reply gave answers."]

    def beside_people(self) -> pd.DataFrame | str:
        """The judge's answers beside the people's, a row for each question."""
        if self._model is None:
            return NO_MODEL
        return as_table(beside_people(self.stored, self.name))

    def _given(self, *names: str) -> dict[str, Any]:
        return {name: self._how[name] for name in names if name in self._how}

    def _run(self, **more: Any) -> tuple[JudgeRun, str]:
        try:
            self.last = judge(self.stored, self._model, self.name, **{**self._how, **more})
        except JudgeStopped as stop:
            self.last = stop.run
            return stop.run, str(stop)
        return self.last, str(self.last)

    def _told(self, outcomes: Iterable[Outcome]) -> Iterator[str]:
        """Which item, how it went, and the whole reply."""
        stored = self.stored
        names = {item.ref: item.key for item in stored.items()}
        names |= {case.ref: case.key for case in stored.cases()}
        for one in outcomes:
            cost = "" if one.reply.cost is None else f", {one.reply.cost:.4f} USD"
            why = f": {one.problem}" if one.problem else cost
            yield f"{names.get(one.subject, one.subject)}: {one.status}{why}\n\n{one.reply.text}"


# A judge beside people: how often it says the same, how far off it is, how high it scores.


def beside_people(stored: Round, name: str | None = None) -> pd.DataFrame:
    """One row per judge, question and measure, with its interval and the number of items.

    People are those who count in the round; without them there is nothing to compare with, and
    the frame says so in its `reason` column.
    """
    import pandas as pd

    asked = [one for one in stored.protocol.questions if one.kind.is_judgement]
    measures = [
        {"statistic": statistic, "question": question.id}
        for question in asked
        for statistic in of_family("judge")
        if question.is_score or facts(statistic).takes == "values"
    ]
    known = questions_of(stored.protocol)
    rows = summary(stored.frame(), measures, known, interval="jackknife")
    columns = ["question", "statistic", "estimate", "low", "high", "n_items", "reason"]
    frame = pd.DataFrame(rows, columns=["group", *columns])
    judges = frame["group"].map(lambda group: (group or {}).get("rater"))
    frame = frame.assign(judge=judges)[["judge", *columns]]
    if name is not None:  # a row without a judge says why nothing could be compared
        frame = frame[(frame["judge"] == name) | frame["judge"].isna()]
    return frame.reset_index(drop=True)


def as_table(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per question, to read: each measure with its 95 % interval, or why there is none."""
    import pandas as pd

    rows: dict[str, dict[str, Any]] = {}
    for one in frame.to_dict("records"):
        row = rows.setdefault(str(one["question"]), {})
        row[facts(one["statistic"]).called] = _said(one)
        if one["n_items"]:
            row["items"] = int(one["n_items"])
        if one["estimate"] != one["estimate"] or one["estimate"] is None:
            row["why not"] = one["reason"]
    used = [
        name
        for name in (*(facts(each).called for each in of_family("judge")), "items", "why not")
        if any(name in row for row in rows.values())
    ]
    cells = [[row.get(name, "") for name in used] for row in rows.values()]
    return pd.DataFrame(cells, index=list(rows), columns=used)


def _said(row: dict[str, Any]) -> str:
    numbers = [row["estimate"], row["low"], row["high"]]
    if numbers[0] is None or numbers[0] != numbers[0]:
        return "–"
    form = "{:.0%}" if facts(row["statistic"]).is_share else "{:.2f}"
    estimate, *ends = [form.format(one) for one in numbers if one is not None and one == one]
    return f"{estimate} ({' to '.join(ends)})" if ends else estimate
