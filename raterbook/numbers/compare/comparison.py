"""What a comparison of a model with people says: its numbers, and the sentence that follows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.comparison.annotators import LEAST, AnnotatorTest, PersonTest
from raterbook.analysis.comparison.confidence import Calibration
from raterbook.analysis.comparison.habits import GroupApart
from raterbook.analysis.comparison.persons import Contrast
from raterbook.analysis.estimate import Estimate, sentence

from ...protocols.comparisons import facts
from ..number import from_to, minus, percent
from ..targets import OUT_OF_REACH, round_up
from .rows import rows_of

BEYOND = 0.05  # p after correction, below which a difference is said
REPLACE, ASSIST, NOT, UNKNOWN = "may replace", "may assist", "may not", "cannot be told"


@dataclass(frozen=True)
class Verdict:
    """may replace, may assist, may not or cannot be told, and the sentence that says why."""

    kind: str
    sentence: str


@dataclass(frozen=True)
class Shown:
    """One mean, or the share of one label: people alone, the model alone, and corrected."""

    label: str | None
    people: Estimate
    model: Estimate
    corrected: Estimate
    by_rates: Estimate | None = None  # Rogan and Gladen's, of labels


@dataclass(frozen=True)
class Compared:
    """One question (None: all together), on all items or on those of a group.

    `plain` are the numbers against all people, `beside` those of the model in each person's place.
    `unanswered` are the units people answered and the model did not. `habits` are what the model
    does otherwise than people, `unsure` the numbers where people are unsure, `severity` how strict
    it is beside the strictest and the most lenient person, `agreed` the numbers where the others
    were of one mind and where they were apart, `split` the test there, `apart` the groups of
    items, each beside all others.
    """

    question: str | None
    group: Mapping[str, Any]
    n_items: int
    unanswered: int
    plain: tuple[Estimate, ...]
    beside: tuple[Contrast, ...]
    alphas: tuple[Estimate, ...]
    test: AnnotatorTest
    means: tuple[Shown, ...]
    verdict: Verdict
    habits: tuple[Contrast, ...] = ()
    agreed: tuple[tuple[str, tuple[Contrast, ...]], ...] = ()
    split: tuple[tuple[str, AnnotatorTest], ...] = ()
    apart: tuple[GroupApart, ...] = ()
    calibration: Calibration | None = None
    unsure: tuple[Contrast, ...] = ()
    severity: tuple[tuple[str | None, Estimate], ...] = ()  # None: the model's


@dataclass(frozen=True)
class Comparison:
    """What a model's answers are worth beside people's, and the sentence that follows."""

    round: str
    model: str
    parts: tuple[Compared, ...]
    coverage: float = 0.95
    notes: tuple[str, ...] = field(default=())

    @property
    def overall(self) -> Compared:
        """All questions together, or the one that there is."""
        return next((each for each in self.parts if each.question is None), self.parts[0])

    @property
    def epsilon(self) -> float:
        """ε of all questions together, or of the one that there is."""
        return self.overall.test.epsilon

    @property
    def epsilons(self) -> str:
        """ε in words, question by question where it differs: `0.2 (tone), 0.1 (all questions)`."""
        every = {_name(part): part.test.epsilon for part in self.parts if not part.group}
        if len(set(every.values())) == 1:
            return f"{self.epsilon:g}"
        return ", ".join(f"{epsilon:g} ({name})" for name, epsilon in every.items())

    @property
    def sentence(self) -> str:
        return self.overall.verdict.sentence

    def part(self, question: str | None = None, **group: Any) -> Compared:
        """One question, of one group: `comparison.part("tone", domain="law")`."""
        for each in self.parts:
            if each.question == question and dict(each.group) == group:
                return each
        known = ", ".join(dict.fromkeys(str(each.question) for each in self.parts))
        raise LookupError(f"There is no comparison of {question!r} {group or ''}: choose {known}.")

    def frame(self) -> pd.DataFrame:
        """Every number as a row."""
        return pd.DataFrame([row for each in self.parts for row in rows_of(each)])

    def to_dict(self) -> dict[str, Any]:
        """Plain data: verdicts, tests and numbers, part by part."""
        return {
            "round": self.round,
            "model": self.model,
            "epsilon": self.epsilon,
            "coverage": self.coverage,
            "sentence": self.sentence,
            "notes": list(self.notes),
            "parts": [
                {
                    "question": each.question,
                    "group": dict(each.group) or None,
                    "verdict": each.verdict.kind,
                    "sentence": each.verdict.sentence,
                    "n_items": each.n_items,
                    "unanswered": each.unanswered,
                    "test": _test(each.test),
                    "numbers": [
                        {name: row[name] for name in row if name not in ("question", "group")}
                        for row in rows_of(each)
                    ],
                }
                for each in self.parts
            ],
        }

    def to_json(self) -> str:
        """Full precision, never NaN."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    def __str__(self) -> str:
        lines = [f"{self.model} beside people in {self.round}, ε {self.epsilons}"]
        for each in self.parts:
            lines.append(f"  {_name(each)}: {each.verdict.sentence}")
            lines += [f"    {line}" for line in _lines(each)]
        return "\n".join([*lines, *self.notes, *self.told()])

    def told(self) -> list[str]:
        """How strict the model is beside people, and in a sentence what each number says."""
        names = {name: of for part in self.parts for name, of in _shown(part)}
        said = [f"{name}: {facts(of).says}" for name, of in names.items()]
        return [severity_said(self.model, own) for _, own in self.overall.severity[:1]] + said

    __repr__ = __str__

    def _repr_html_(self) -> str:
        said = [f"<p><strong>{escape(self.sentence)}</strong></p>"]
        said += [f"<p>{escape(note)}</p>" for note in self.notes]
        verdicts = pd.DataFrame(
            [
                {
                    "what": _name(each),
                    "verdict": each.verdict.kind,
                    "winning rate": each.test.winning_rate,
                    "plain": each.test.winning_rate_plain,
                    "advantage": each.test.advantage.value,
                    "low": each.test.advantage.low,
                    "high": each.test.advantage.high,
                    "design effect": each.test.design_effect,
                    "sentence": each.verdict.sentence,
                }
                for each in self.parts
            ]
        )
        numbers = self.frame()[["question", "group", "statistic", "whose", "estimate", "low",
                                "high", "low_like", "high_like", "n_units"]]  # fmt: skip
        for table in (verdicts, numbers):
            said.append(table.to_html(index=False, na_rep="", escape=True, max_rows=200,
                                      float_format="{:.3f}".format))  # fmt: skip
        return "".join([*said, *(f"<p>{escape(each)}</p>" for each in self.told())])


def severity_said(model: str, own: Estimate) -> str:
    """Whether the model is shown to be stricter or more lenient than people on average."""
    if own.value is None:
        return f"No severity of {model}: {sentence(own.reason or 'no_comparison')}"
    if own.low is None or own.high is None or own.low <= 0 <= own.high:
        return f"That {model} is stricter or more lenient than people on average is not shown."
    which = "stricter" if own.value > 0 else "more lenient"
    ends = " to ".join(in_two(end) for end in sorted((abs(own.low), abs(own.high))))
    return (
        f"{model} is {which} than people on average, by {in_two(abs(own.value))} logits ({ends}) "
        "in one model of all raters."
    )


def _test(found: AnnotatorTest) -> dict[str, Any]:
    persons = found.frame().to_dict("records")
    return {
        "epsilon": found.epsilon,
        "passes": found.passes,
        "passes_plain": found.passes_plain,
        "passes_anew": found.passes_anew,
        "winning_rate": found.winning_rate,
        "winning_rate_plain": found.winning_rate_plain,
        "design_effect": found.design_effect,
        "n_clusters": found.n_clusters,
        "highest_anew": found.highest_anew,
        "left_out": {str(name): many for name, many in found.left_out.items()},
        "persons": [{name: _finite(value) for name, value in each.items()} for each in persons],
        "reason": found.reason,
        "warnings": list(found.warnings),
    }


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _name(part: Compared) -> str:
    inside = ", ".join(f"{name}={value}" for name, value in part.group.items())
    return (part.question or "all questions") + (f" [{inside}]" if inside else "")


def _lines(part: Compared) -> list[str]:
    """What a terminal shows of one part: a line a statistic, people beside it."""
    beside = _beside(part)
    known = {each.statistic for each in beside}
    lines = [(each.statistic, f"model {_say(each)}") for each in part.plain
             if each.statistic not in known]  # fmt: skip
    lines += [
        (
            each.statistic,
            f"model {_say(each.model)}; a person {_say(each.persons)}; "
            f"between them {_say(each.difference)}",
        )
        for each in beside
    ]
    if part.alphas:
        people, everybody = part.alphas
        said = f"people {_say(people)}; people and model {_say(everybody)}"
        lines.append((people.statistic, said))
    for mean in part.means:
        said = f"people {_say(mean.people)}; model {_say(mean.model)}"
        for each, how in ((mean.corrected, "corrected"), (mean.by_rates, "by its rates")):
            if each is not None and each.value is not None:
                said += f"; {how} {_say(each)}"
        lines.append(("mean" if mean.label is None else mean.label, said))
    if part.severity:
        strict, *ends = (each for _, each in part.severity)
        reach = " to ".join(in_two(each.value or 0.0) for each in ends[::-1])
        lines.append(("severity", f"model {_say(strict)}" + (f"; people {reach}" if reach else "")))
    lines += [
        ("apart", f"{each.column} {each.value}: {_beyond_persons(each.found.difference)}")
        for each in _parted(part)
    ]
    width = max((len(name) for name, _ in lines), default=0)
    notes = dict.fromkeys(
        ("Not corrected: " if mean.corrected.value is None else "No interval: ")
        + sentence(mean.corrected.reason)
        for mean in part.means
        if mean.corrected.reason
    )
    return [f"{name:<{width}}  {said}" for name, said in lines] + [*notes]


def _beside(part: Compared) -> list[Contrast]:
    """The numbers of the model in a person's place that there are."""
    stated = part.calibration.stated if part.calibration else ()
    every = (*part.beside, *part.habits, *part.unsure, *stated)
    return [each for each in every if each.model.value is not None]


def _parted(part: Compared) -> list[GroupApart]:
    """The groups of items where the model differs otherwise than persons do."""
    return [e for e in part.apart if e.p_corrected is not None and e.p_corrected <= BEYOND]


def _shown(part: Compared) -> list[tuple[str, str]]:
    """What the lines of a part are called, and the statistics they are of."""
    names = [*(each.statistic for each in part.plain), *(e.statistic for e in _beside(part))]
    named = [(name, name) for name in names]
    named += [(each.statistic, "alpha_beside") for each in part.alphas[:1]]
    named += [("corrected", "corrected_mean" if each.label is None else "corrected_share")
              for each in part.means if each.corrected.value is not None]  # fmt: skip
    return named + [("apart", "apart")] * bool(_parted(part))


def _say(found: Estimate) -> str:
    return with_ends(found.value, found.low, found.high)


def with_ends(value: float | None, low: float | None, high: float | None) -> str:
    """“0.71 (0.62 to 0.80)”, as far as there is any of it."""
    if value is None or low is None or high is None:
        return "–" if value is None else in_two(value)
    return f"{in_two(value)} ({in_two(low)} to {in_two(high)})"


def _beyond_persons(found: Estimate) -> str:
    """“0.07 (0.05 to 0.09) more than persons”, or so much less."""
    if found.value is None or found.value >= 0:
        return f"{_say(found)} more than persons"
    ends = [None if end is None else -end for end in (found.high, found.low)]
    return f"{with_ends(-found.value, *ends)} less than persons"


def in_two(value: float) -> str:
    return minus(f"{value:.2f}")


# The verdict.


def verdict_of(found: Compared, model: str, parts: Sequence[Compared] = ()) -> Verdict:
    """The verdict on one question, or on all that `parts` are of, with theirs at its end."""
    kind, said = _told(found, model, parts)
    return Verdict(kind, said + _by_question(kind, parts))


def _by_question(kind: str, parts: Sequence[Compared]) -> str:
    """Which questions, taken by themselves, say otherwise."""
    other: dict[str, list[str]] = {}
    for part in parts:
        if part.verdict.kind != kind:
            other.setdefault(part.verdict.kind, []).append(str(part.question))
    said = [f"{', '.join(names)} ({each})" for each, names in other.items()]
    alone = f" Taken alone, otherwise: {'; '.join(said)}." if said else ""
    less = [str(part.question) for part in parts if _less(part)] if kind == REPLACE else []
    if less:
        alone += f" Its answers go with people's less than a person's do on {', '.join(less)}."
    return alone + (_little(parts) if kind == REPLACE else "")


def _told(found: Compared, model: str, parts: Sequence[Compared]) -> tuple[str, str]:
    test: AnnotatorTest = found.test
    if test.reason is not None:
        return (UNKNOWN, f"Whether {model} may replace people cannot be told: {_why(test)}.")
    nearer = (
        f"it was at least as near to the others as a person on {_percent(test.advantage.value)} "
        f"of their items{_between(test)}"
    )
    winning = sum(each.rejected for each in test.persons)
    of = f"{winning} of {len(test.persons)} persons at ε {test.epsilon:g}{_plain(test)}"
    follows = any(_follows(each) for each in (parts or (found,)))
    if test.passes and not follows:
        return (
            UNKNOWN,
            f"Whether {model} may replace people cannot be told: {nearer}, and it stands in for "
            f"{of}, yet that it tells items apart as people do is not shown. Items that people "
            "answer differently would tell.",
        )
    if test.passes:
        return (
            REPLACE,
            f"{model} may replace these people: {nearer}, and it stands in for {of}. "
            f"{_anew(test)}{_less(found)}{_little([found])}",
        )
    if not test.fails and (needed := items_to_tell(test)) is not None:
        return (
            UNKNOWN,
            f"Whether {model} may replace people cannot be told: {nearer}, and it stands in for "
            f"{of}. About {needed:,} items a person would tell, if things stay as they are.",
        )
    if follows:
        return (
            ASSIST,
            f"{model} may assist people and not replace them: {nearer}, and it stands in for {of}. "
            "Its answers go with theirs, so people can correct its means from a random sample.",
        )
    return (
        NOT,
        f"{model} may not replace people: {nearer}, and it stands in for {of}. That its answers "
        "go with theirs is not shown either.",
    )


def _why(test: AnnotatorTest) -> str:
    if test.reason == "too_few_clusters":
        return (
            f"there are {test.n_clusters} independent clusters of items, and a verdict needs eight "
            "a person; items from further sources would tell"
        )
    many = max(test.left_out.values(), default=0)
    if len(test.left_out) < 2:
        return "fewer than two people rated; a second person on the same items would tell"
    if not many:
        return f"no two people rated the same items; {LEAST} items that two people rate would tell"
    return (
        f"nobody rated more than {many} items beside another person and the model; {LEAST} items "
        "would tell"
    )


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{percent(value)} %"


def _between(test: AnnotatorTest) -> str:
    low, high = test.advantage.low, test.advantage.high
    return "" if low is None or high is None else f" ({from_to(percent(low), percent(high))} %)"


def _plain(test: AnnotatorTest) -> str:
    """What the published test says, where it says otherwise."""
    effect = test.design_effect
    if test.winning_rate_plain == test.winning_rate or effect is None:
        return ""
    many = sum(each.rejected_plain for each in test.persons)
    return f" (of {many} if items were independent, which they are not: design effect {effect:.1f})"


def _anew(test: AnnotatorTest) -> str:
    if test.passes_anew is None:
        return "Of other people nothing can be said with fewer than three."
    if test.passes_anew:
        return "So it may replace other people like them."
    return "Whether it may replace other people like them is not shown."


def _less(part: Compared) -> str:
    """That a person goes with the others better than the model does, where that is shown."""
    for each in part.beside:
        gap, model, person = each.difference.high, each.model.value, each.persons.value
        if each.statistic == "kappa" and gap is not None and gap < 0 and model is not None:
            return (
                " Yet its answers go with people's less than a person's do: "
                f"κ {in_two(model)} against {in_two(person or 0.0)}."
            )
    return ""


LITTLE = 0.4  # α below which answers hardly go together


def _little(parts: Sequence[Compared]) -> str:
    """That people's own answers hardly go together, where that is shown."""
    low = [
        (part.question, part.alphas[0].value or 0.0)
        for part in parts
        if part.alphas and part.alphas[0].high is not None and part.alphas[0].high < LITTLE
    ]
    if not low:
        return ""
    which = "" if len(parts) == 1 else f" on {', '.join(str(name) for name, _ in low)}"
    values = sorted(value for _, value in low)
    ends = in_two(values[0]) + (f" to {in_two(values[-1])}" if len(values) > 1 else "")
    return (
        f" These people's own answers go together little beyond chance{which} (α {ends}), so to be "
        "as near as one of them asks little."
    )


def _follows(part: Compared) -> bool:
    """Whether the model's answers are shown to go with people's, beyond chance."""
    given = [each for each in part.plain if each.statistic == "spearman"]
    given += [each.model for each in part.beside if each.statistic == "kappa"]
    # Where nobody ever differs there is no interval, and nothing to doubt.
    return any(
        each.low > 0 if each.low is not None else (each.value or 0.0) > 1 - 1e-9 for each in given
    )


def items_to_tell(test: AnnotatorTest) -> int | None:
    """Items a person at which half of the persons would be decided, if things stay as they are.

    None where that takes more than twenty times what there is.
    """
    from scipy.special import stdtrit

    m = len(test.persons)
    place = (m + 1) // 2
    level = test.level * place / (m * sum(1 / k for k in range(1, m + 1)))

    def times(each: PersonTest) -> float:
        gap = abs(test.epsilon - each.difference.value)
        if gap == 0:
            return float("inf")
        t = -float(stdtrit(each.difference.clusters - 1, level))
        return float(t * each.difference.se / gap) ** 2

    ranked = sorted((times(each), each.difference.n) for each in test.persons)
    factor, n = ranked[place - 1]
    return None if factor > OUT_OF_REACH else round_up(max(factor * n, n + 1))
