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
from ..rounds.model import HELPERS, RoundError
from ..rounds.raters import lookalike, public_name, spelt
from .number import Number
from .parameters import OVERALL, Parameters


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


def asked(stored: Round, parameters: Parameters) -> Completeness:
    """People by the required answers of their plan; models, who have none, by whole items."""
    found, cases = stored.standings()
    names = {each.name: public(each, parameters.pseudonyms) for each in stored.raters()}
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


def completeness(found: Completeness, raters: Sequence[str] | None) -> dict[str, Any]:
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


# Names in a report's parameters, held against the round before any kernel starts.


def check_names(stored: Round, parameters: Parameters) -> None:
    """Names that the round does not have are refused, with those it has."""
    if parameters.raters is not None:
        raters = stored.raters()
        away = {each.name: each.excluded for each in raters if each.excluded is not None}
        names = people(stored, parameters.pseudonyms)
        helpers = {each.name: each.kind for each in raters if each.kind in HELPERS}
        for name in parameters.raters:
            if name in helpers and len(helpers) < len(raters):
                raise RoundError(
                    f"parameter raters: {name} is of the kind {helpers[name]}; raters are compared "
                    "with it, so it is never one of those who count. Leave the name out."
                )
            if name in away:
                raise RoundError(
                    f"parameter raters: {name} is excluded from {stored.name} ({away[name]}). "
                    f"Let the answers count again with `raterbook include {stored.name} {name}`, "
                    "or leave the name out."
                )
        check("raters", parameters.raters, names, stored.name)
    questions = [question.id for question in stored.protocol.questions]
    check("questions", parameters.questions or (), questions, stored.name)
    if isinstance(parameters.epsilon, dict):
        check("epsilon", list(parameters.epsilon), [*questions, OVERALL], stored.name)
    if parameters.groups:
        check("groups", parameters.groups, columns(stored), stored.name)
        refuse_lookalikes(stored, parameters.groups)


def refuse_lookalikes(stored: Round, groups: Sequence[str]) -> None:
    """Groups that no reader of the page could tell apart."""
    with stored.store.read() as connection:
        inside = stored.inside(connection)
        every = [inside.of(each) for each in stored.look(connection).subjects]
    for column in groups:
        twins = lookalike(dict.fromkeys(own[column] for own in every if column in own))
        if twins is not None:
            raise RoundError(
                f"parameter groups: of {column}, {spelt(twins[0])} looks like {spelt(twins[1])}, "
                "and nobody could tell their numbers apart. Group by another column."
            )


def check(what: str, given: Sequence[str], known: Sequence[str], where: str) -> None:
    for name in given:
        if name not in known:
            raise RoundError(
                f"parameter {what}: {where} has no {name!r}. "
                f"Choose from {', '.join(known) or 'nothing: there are none'}."
            )


def people(stored: Round, pseudonyms: bool) -> list[str]:
    """Everybody whose answers may count, under the names the report uses."""
    here = [each for each in stored.raters() if each.excluded is None]
    rating = [each for each in here if each.kind not in HELPERS]
    return [public(each, pseudonyms) for each in rating or here]


def public(rater: Any, pseudonyms: bool) -> str:
    """A person's pseudonym where it is asked for, as in the frame."""
    return public_name(rater, pseudonyms)


def columns(stored: Round) -> list[str]:
    """Every column the items of the round have."""
    with stored.store.read() as connection:
        seen = stored.look(connection)
        inside = stored.inside(connection)
        return sorted({name for each in seen.subjects for name in inside.of(each)})
