"""The numbers of a comparison one by one: for its table, for numbers.json, and so for the gate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from raterbook.analysis.comparison.annotators import AnnotatorTest
from raterbook.analysis.comparison.persons import Contrast
from raterbook.analysis.estimate import Estimate, How

from ..number import Number

if TYPE_CHECKING:
    from .comparison import Compared, Comparison, Shown

PLACE, PERSONS, BETWEEN = "in place", "persons", "difference"
# The same in words.
SAID = {PLACE: "in a person's place", PERSONS: "persons", BETWEEN: "model − persons"}


@dataclass(frozen=True)
class ComparisonRow:
    """One number: its statistic, whose it is, and what else tells it from others."""

    statistic: str
    whose: str | None
    estimate: Estimate
    group: dict[str, Any] = field(default_factory=dict)
    p_corrected: float | None = None
    called: str | None = None  # in the table, where it has another name there

    @property
    def in_words(self) -> str:
        return "model" if self.whose is None else SAID.get(self.whose, self.whose)


def entries(part: Compared) -> Iterator[ComparisonRow]:
    """Every number of a part."""
    for each in part.plain:
        yield ComparisonRow(each.statistic, "against people", each)
    for line in part.beside:
        yield from _three(line)
    for whose, each in zip(("people", "people and model"), part.alphas, strict=False):
        yield ComparisonRow("alpha_beside", whose, each, called=each.statistic)
    yield ComparisonRow("winning_rate", None, winning_rate(part.test))
    yield ComparisonRow("advantage", PLACE, part.test.advantage)
    for mean in part.means:
        yield from _mean(mean)
    for line in part.habits:
        yield from _three(line)
    for line in part.unsure:
        yield from _three(line)
    for end, each in part.severity:
        yield ComparisonRow("severity_beside", end, each)
    for which, lines in part.agreed:
        for line in lines:
            yield from _three(line, {"others": which})
    for which, test in part.split:
        yield ComparisonRow("winning_rate", None, winning_rate(test), {"others": which})
        yield ComparisonRow("advantage", PLACE, test.advantage, {"others": which})
    for group in part.apart:
        inside = {group.column: group.value}
        yield from _three(group.found, inside, group.p_corrected)
    if part.calibration is not None:
        for line in part.calibration.stated:
            yield from _three(line)
        for line in part.calibration.mended:
            yield ComparisonRow(line.statistic, PLACE, line.model, {"confidence": "mended"})


def _three(
    line: Contrast, group: dict[str, Any] | None = None, p: float | None = None
) -> Iterator[ComparisonRow]:
    sides = {PLACE: line.model, PERSONS: line.persons, BETWEEN: line.difference}
    for whose, each in sides.items():
        yield ComparisonRow(
            line.statistic, whose, each, group or {}, p if whose == BETWEEN else None
        )


def _mean(mean: Shown) -> Iterator[ComparisonRow]:
    sides = {
        "people alone": mean.people,
        "model alone": mean.model,
        None: mean.corrected,
        "corrected by its rates": mean.by_rates,
    }
    statistic = "corrected_mean" if mean.label is None else "corrected_share"
    called = "mean" if mean.label is None else f"share of {mean.label}"
    group = {} if mean.label is None else {"label": mean.label}
    for whose, each in sides.items():
        if each is not None:
            yield ComparisonRow(statistic, whose, each, group, called=called)


def winning_rate(test: AnnotatorTest) -> Estimate:
    """ω; none where there is no verdict, so that no gate opens on what the test refuses.

    Its low end are the persons the model is shown to stand in for, its high end all who are not
    shown to be nearer by more than ε: between them is nobody decided.
    """
    rate = test.winning_rate if test.reason is None else None
    worse = [each.worse for each in test.persons]
    return Estimate(
        rate,
        rate,
        None if rate is None else 1 - sum(worse) / len(worse),
        statistic="winning_rate",
        method=How("alternative-annotator test", over="clusters", reach=f"ε {test.epsilon:g}"),
        n_units=test.advantage.n_units,
        n_raters=len(test.persons),
        n_ratings=test.advantage.n_ratings,
        reason=test.reason,
        warnings=test.warnings,
    )


def rows_of(part: Compared) -> list[dict[str, Any]]:
    """Every number, as a row of the comparison's table."""
    return [
        {
            "question": part.question,
            "group": {**part.group, **each.group} or None,
            "statistic": each.called or each.statistic,
            "whose": "corrected" if each.called and each.whose is None else each.in_words,
            **_row(each.estimate),
        }
        for each in entries(part)
    ]


def _row(found: Estimate) -> dict[str, Any]:
    return {
        "estimate": found.value,
        **found.ends,
        "n_units": found.n_units,
        "n_raters": found.n_raters,
        "method": found.method or None,
        "reason": found.reason,
        "warnings": list(found.warnings),
    }


def numbers_of(comparison: Comparison) -> list[Number]:
    """The rows of numbers.json: `winning_rate:tone[rater=gauge]`, `exact:tone[rater=gauge,
    whose=in place]`. What the round's own rows say already, the model against people, is left out.
    """
    return [
        number_of(part.question, {"rater": comparison.model, **part.group}, each)
        for part in comparison.parts
        for each in entries(part)
        if each.whose != "against people"
    ]


def number_of(question: str | None, group: dict[str, Any], each: ComparisonRow) -> Number:
    found = each.estimate
    whose = {} if each.whose is None else {"whose": each.whose}
    if each.statistic == "advantage":
        whose = {}
    corrected = "holm" if each.p_corrected is not None else None
    return Number.of(
        each.statistic,
        found,
        question=question,
        group={**group, **{name: _plain(value) for name, value in each.group.items()}, **whose},
        raters="human",
        n_items=found.n_units,
        p=found.p if corrected else None,
        p_holm=each.p_corrected,
        p_corrected=each.p_corrected,
        correction=corrected,
    )


def _plain(value: Any) -> str | float:
    return value if isinstance(value, str | int | float) else str(value)
