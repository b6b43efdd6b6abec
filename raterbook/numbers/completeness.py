"""How many required answers were asked of those who count, and how many are there.

The counts are the round's own, those of `raterbook status`; here they only meet the parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raterbook.analysis.estimate import How

from ..protocols.statistics import COMPLETENESS
from ..rounds import Round
from ..rounds.completeness import by_models
from ..rounds.raters import public_name
from .number import Number
from .parameters import Parameters


@dataclass(frozen=True)
class Completeness:
    """What was asked for; `away` are raters left out: name, why, how many answers they gave.

    `what` is counted: required answers, or whole items where nobody has a plan. `plans` are the
    items of each person's plan. `unanswered` are the questions asked of people that nobody
    answered.
    """

    what: str
    required: int
    given: int
    items: int
    raters: int
    away: tuple[tuple[str, str, int], ...]
    plans: Mapping[str, int]
    planned: bool
    unanswered: tuple[str, ...] = ()

    @property
    def missing(self) -> int:
        return self.required - self.given

    @property
    def share(self) -> float | None:
        return self.given / self.required if self.required else None


def completeness_of(stored: Round, parameters: Parameters) -> Completeness:
    """People by the required answers of their plan; models, who have none, by whole items."""
    found, cases = stored.standings()
    names = {each.name: public_name(each, parameters.pseudonyms) for each in stored.raters()}
    away = tuple(
        (names[each.rater], each.excluded, each.answers)
        for each in found
        if each.excluded is not None
    )
    there = [each for each in found if each.excluded is None]
    if parameters.raters is not None:
        counting = [each for each in there if names[each.rater] in parameters.raters]
    else:
        people = [each for each in there if each.planned and each.items]
        machines = [each for each in there if each.kind == "model"]
        # Where only models said anything, the numbers are made of that.
        silent = not any(each.answers for each in people)
        spoke = any(each.answers for each in machines)
        counting = machines if silent and spoke else people or machines
    plans = {names[each.rater]: each.items for each in there if each.planned}
    planned = any(each.planned for each in counting)
    if not planned:
        with stored.store.read() as connection:
            items = len(stored.look(connection).items)
        models, required, given = by_models(counting, items)
        return Completeness(
            what="items × models",
            required=required,
            given=given,
            items=items,
            raters=models,
            away=away,
            plans=plans,
            planned=False,
        )
    sums = [(each.put, each.given) for each in counting]
    if parameters.raters is None:
        sums.append((cases.put, cases.given))  # asked of the round, not of anybody
    kept = parameters.questions

    def total(counts: Any) -> int:
        return sum(n for name, n in counts.items() if kept is None or name in kept)

    answered = {name for _, given in sums for name, n in given.items() if n}
    put = dict.fromkeys(name for counts, _ in sums for name, n in counts.items() if n)
    return Completeness(
        what="required answers",
        required=sum(total(put) for put, _ in sums),
        given=sum(total(given) for _, given in sums),
        items=max((each.items for each in counting), default=0),
        raters=len(counting),
        away=away,
        plans=plans,
        planned=True,
        unanswered=tuple(
            name for name in put if name not in answered and (kept is None or name in kept)
        ),
    )


def completeness_row(found: Completeness, raters: Sequence[str] | None) -> dict[str, Any]:
    """The same as a row of numbers.json; `raters` are those named to count."""
    number = Number(
        COMPLETENESS.name,
        estimate=found.share,
        raters=list(raters) if raters else "human" if found.planned else "model",
        n_items=found.items,
        n_raters=found.raters,
        n_ratings=found.required,
        method=How(f"{found.given} of {found.required} {found.what}"),
        reason=None if found.required else "no_ratings",
    )
    return number.row()
