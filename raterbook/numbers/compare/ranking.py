"""Several models beside the same people: who comes first, and which order is shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.comparison.annotators import (
    CORRECTION,
    AnnotatorTest,
    Duels,
    ModelPair,
    duels,
    jointly,
    pairs_of_models,
)

from ...protocols.problems import joined
from ..number import Number, percent
from .comparison import BEYOND, Comparison, verdict_of, with_ends
from .sides import Sides, in_clusters, is_matched


@dataclass(frozen=True)
class RankedModel:
    """One model's place in one ranking: its test is corrected for all models of the ranking."""

    model: str
    test: AnnotatorTest
    verdict: str
    sentence: str


@dataclass(frozen=True)
class Ranked:
    """The models on one question (None: all together), the nearest to people first."""

    question: str | None
    places: tuple[RankedModel, ...]
    pairs: tuple[ModelPair, ...]
    level: float = BEYOND

    @property
    def first(self) -> tuple[str, ...]:
        """The nearest, and those it is not shown to be nearer than."""
        best = self.places[0].model
        beaten = {loser for winner, loser in self.shown if winner == best}
        return tuple(each.model for each in self.places if each.model not in beaten)

    @property
    def shown(self) -> list[tuple[str, str]]:
        """Winner and loser of each pair that differs beyond chance, after correction."""
        found = []
        for each in self.pairs:
            if each.p_corrected is not None and each.p_corrected <= self.level:
                value = each.difference.value or 0.0
                pair = (each.first, each.second)
                found.append(pair if value > 0 else pair[::-1])
        return found

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "question": self.question,
                "model": each.model,
                "verdict": each.verdict,
                "advantage": each.test.advantage.value,
                **each.test.advantage.ends,
                "winning_rate": each.test.winning_rate,
                "winning_rate_plain": each.test.winning_rate_plain,
                "design_effect": each.test.design_effect,
                "n_items": each.test.advantage.n_units,
                "beats": sorted(loser for winner, loser in self.shown if winner == each.model),
            }
            for each in self.places
        ]


@dataclass(frozen=True)
class Ranking:
    """Several models of a round beside its people, question by question and all together."""

    round: str
    parts: tuple[Ranked, ...]
    comparisons: Mapping[str, Comparison]
    coverage: float = 0.95

    @property
    def epsilon(self) -> float:
        """ε of all questions together."""
        return self.overall.places[0].test.epsilon

    @property
    def overall(self) -> Ranked:
        return self.parts[0]

    @property
    def sentence(self) -> str:
        """Who comes first, how far that is shown, and who may stand in for people."""
        part = self.overall
        many = len(part.places)
        share = part.places[0].test.advantage.value
        if share is None:
            return f"Of {many} models none can be ranked: too little was rated beside them."
        first = part.first
        said = f"Of {many} models, {part.places[0].model} comes nearest to people: at least as "
        said += f"near to the others as a person on {percent(share)} % of items. "
        if len(first) == many:
            said += "That it is nearer than any other model is not shown. "
        elif len(first) > 1:
            said += f"That it is nearer than {joined(first[1:])} is not shown. "
        else:
            said += "It is nearer than each other model. "
        passing = [each.model for each in part.places if each.verdict == "may replace"]
        if passing:
            said += f"Corrected for all {many}, {joined(passing)} may replace these people."
        else:
            said += f"Corrected for all {many}, none is shown to be fit to replace people."
        return said

    def frame(self) -> pd.DataFrame:
        """A row per model and question."""
        return pd.DataFrame([row for each in self.parts for row in each.rows()])

    def pairs(self) -> pd.DataFrame:
        """A row per pair of models and question."""
        return pd.DataFrame(
            [
                {
                    "question": part.question,
                    "first": each.first,
                    "second": each.second,
                    "difference": each.difference.value,
                    **each.difference.ends,
                    "p": each.p,
                    "p_corrected": each.p_corrected,
                }
                for part in self.parts
                for each in part.pairs
            ]
        )

    def numbers(self) -> list[Number]:
        """The pairs as rows of numbers.json: `advantage[rater=one, than=other]`."""
        return [
            Number.of(
                "advantage",
                each.difference,
                question=part.question,
                group={"rater": str(each.first), "than": str(each.second)},
                raters="human",
                n_items=each.difference.n_units,
                p=each.p,
                p_corrected=each.p_corrected,
                correction=CORRECTION,
            )
            for part in self.parts
            for each in part.pairs
        ]

    def to_json(self) -> str:
        """Full precision, never NaN; each model's whole comparison is in it."""
        document = {
            "round": self.round,
            "epsilon": self.epsilon,
            "coverage": self.coverage,
            "sentence": self.sentence,
            "models": [row for each in self.parts for row in each.rows()],
            "pairs": [
                {name: None if value != value else value for name, value in each.items()}
                for each in self.pairs().to_dict("records")
            ],
            "comparisons": [each.to_dict() for each in self.comparisons.values()],
        }
        return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    def __str__(self) -> str:
        one = next(iter(self.comparisons.values()))
        lines = [f"{len(self.comparisons)} models beside people in {self.round}, "
                 f"ε {one.epsilons}", f"  {self.sentence}"]  # fmt: skip
        for part in self.parts:
            lines.append(f"  {part.question or 'all questions'}")
            width = max(len(each.model) for each in part.places)
            for row in part.rows():
                share = with_ends(row["advantage"], row["low"], row["high"])
                rate = with_ends(row["winning_rate"], None, None)
                beats = f"; nearer than {joined(row['beats'])}" if row["beats"] else ""
                lines.append(
                    f"    {row['model']:<{width}}  as near as a person {share}; winning rate "
                    f"{rate}; {row['verdict']}{beats}"
                )
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        tables = (self.frame(), self.pairs())
        shown = [
            each.to_html(index=False, na_rep="", escape=True, float_format="{:.3f}".format)
            for each in tables
        ]
        return f"<p><strong>{escape(self.sentence)}</strong></p>" + "".join(shown)


def ranking_of(round: str, every: Mapping[str, tuple[Sides, Comparison]]) -> Ranking:
    """The ranking of these models' comparisons, each with the sides it was made of."""
    found = {model: comparison for model, (_, comparison) in every.items()}
    asked = list(dict.fromkeys(_questions(found.values())))
    level = min((sides.level for sides, _ in every.values()), default=BEYOND)
    parts = []
    for question in asked:
        there = {model: each.part(question) for model, each in found.items()
                 if any(p.question == question and not p.group for p in each.parts)}  # fmt: skip
        tests = jointly([part.test for part in there.values()], level)
        places = []
        for (model, part), test in zip(there.items(), tests, strict=True):
            beneath = [p for p in found[model].parts if not p.group and p.question is not None]
            verdict = verdict_of(
                replace(part, test=test), model, beneath if question is None else ()
            )
            places.append(RankedModel(model, test, verdict.kind, verdict.sentence))
        places.sort(key=lambda each: (-(each.test.advantage.value or 0.0), each.model))
        made, persons = duels_of(
            [every[each.model][0] for each in places],
            [name for name in asked if name is not None] if question is None else [question],
        )
        wish = next(iter(every.values()))[0].wish
        pairs = pairs_of_models(made, persons, wish=wish) if len(places) > 1 else []
        parts.append(Ranked(question, tuple(places), tuple(pairs), level))
    coverage = next(iter(found.values())).coverage
    return Ranking(round, tuple(parts), found, coverage)


def duels_of(
    several: Sequence[Sides], questions: Sequence[str]
) -> tuple[dict[str, Callable[[Sequence[int]], Duels]], int]:
    """Each model's duels with the same persons on the same rows, and how many persons there are."""
    board = several[0].board
    tables = []
    for name in questions:
        grid, level = board.grid(name), board.questions.get(name, {}).get("level")
        people = several[0].people(grid)
        rated = np.asarray(grid.codes[:, people].any(axis=1))
        coded = board.ratings(grid, np.append(people, [each.own for each in several]), rated)
        tables.append((in_clusters(coded, board), len(people), is_matched(level)))
    persons = list(dict.fromkeys(name for each, many, _ in tables for name in each.raters[:many]))

    def made(at: int, kept: Sequence[int]) -> Duels:
        names, found = [persons[j] for j in kept], []
        for coded, many, matched in tables:
            part = coded.only([name for name in names if name in coded.raters[:many]])
            found.append(duels(part, coded.codes[:, many + at], matched))
        return Duels.pooled(found, names)

    return {each.model: partial(made, at) for at, each in enumerate(several)}, len(persons)


def _questions(every: Iterable[Comparison]) -> list[str | None]:
    """All together first, where one has several."""
    names = [part.question for each in every for part in each.parts if not part.group]
    return sorted(dict.fromkeys(names), key=lambda name: name is not None)
