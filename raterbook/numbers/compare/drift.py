"""A model beside itself: does it answer the same items in a later round as it did before?

What a model says twice about one thing differs without any change of the model. Replicates show how
much; only what differs beyond that is drift. Without them just a change that has a direction is
told from noise, and how many answers changed is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.averages.means import adjust

from ...rounds import Round, RoundError
from ...rounds.items import pinned
from ...rounds.model import counted, listed
from ..counted import subjects
from ..measures import drawn_with

SAME, DRIFTED, NOISE, UNKNOWN = "same", "drifted", "within its noise", "cannot be told"
LEVEL = 0.05
DRAWS = 9999  # arrangements tried, where there are more than that
MOST_WAYS = 200  # of dealing one cluster's replicates to the two rounds
NAMED = 5  # items that a sentence names


@dataclass(frozen=True)
class Changed:
    """An answer that is another one: about what, and from which to which."""

    unit: str
    before: str
    after: str


@dataclass(frozen=True)
class Drift:
    """One model on one question: what it answered before, and now.

    `changed` counts first answers; `between` is how far answers of the two rounds lie apart,
    `within` how far those of one round do (shares of differing labels, or points of the scale),
    None without replicates. `p` is that of no drift, `p_corrected` after Holm over all of them.
    """

    model: str
    question: str
    n_items: int
    n_clusters: int
    replicates: tuple[int, int]
    changed: tuple[Changed, ...]
    between: float
    within: float | None
    shift: float | None
    p: float | None
    can_tell: bool
    p_corrected: float | None = None

    @property
    def verdict(self) -> str:
        if self.p_corrected is not None and self.p_corrected <= LEVEL:
            return DRIFTED
        if not self.changed and (self.within is None or not self.between):
            return SAME
        return NOISE if self.within is not None and self.can_tell else UNKNOWN

    @property
    def sentence(self) -> str:
        many = f"{len(self.changed):,} of {counted(self.n_items, 'answer')}"
        if self.verdict == SAME:
            return f"{self.model} on {self.question}: all {self.n_items:,} answers are the same."
        said = f"{self.model} on {self.question}: {many} changed"
        if self.within is not None:
            said += (
                f"; apart by {self.between:.2f}, where its own replicates are by {self.within:.2f}"
            )
        if self.shift is not None and round(self.shift, 2):
            said += f"; on average {self.shift:+.2f}".replace("-", "−")
        if self.p_corrected is not None:
            p = self.p_corrected
            said += f" (p {p:.3f})" if p >= 0.001 else " (p under 0.001)"
        ends = {
            DRIFTED: "it drifted",
            NOISE: "not shown to be more than its own noise",
            UNKNOWN: "whether that is noise is not known, as nothing was answered twice",
        }
        end = ends[self.verdict]
        if self.verdict == UNKNOWN and self.within is not None:
            end = "there are too few answers to tell it from noise"
        said += f": {end}."
        if self.changed:
            some = [f"{each.unit} ({each.before} → {each.after})" for each in self.changed[:NAMED]]
            rest = len(self.changed) - NAMED
            said += f" Changed: {', '.join(some)}" + (f" and {rest:,} more." if rest > 0 else ".")
        return said

    def row(self) -> dict[str, Any]:
        """As `check --json` has it."""
        return {
            "model": self.model,
            "question": self.question,
            "verdict": self.verdict,
            "n_items": self.n_items,
            "n_clusters": self.n_clusters,
            "replicates": list(self.replicates),
            "changed": len(self.changed),
            "between": self.between,
            "within": self.within,
            "shift": self.shift,
            "p": self.p,
            "p_corrected": self.p_corrected,
            "items": [
                {"item": each.unit, "before": each.before, "after": each.after}
                for each in self.changed
            ],
            "sentence": self.sentence,
        }


@dataclass(frozen=True)
class Drifts:
    """Every model that answered in both rounds, question by question."""

    round: str
    against: str
    anchors: int
    parts: tuple[Drift, ...]
    notes: tuple[str, ...] = ()
    kept: int = 0  # replies that were there before the round: nobody asked for them anew

    @property
    def passed(self) -> bool:
        """Whether the models were asked, nothing drifted, and nothing is unknown."""
        return not self.kept and all(each.verdict in (SAME, NOISE) for each in self.parts)

    def noted(self, notes: Iterable[str], kept: int) -> Drifts:
        """The same with further lines on what differs."""
        return replace(self, notes=(*self.notes, *notes), kept=self.kept + kept)

    def lines(self) -> list[str]:
        drifted = sum(each.verdict == DRIFTED for each in self.parts)
        untold = [each for each in self.parts if each.verdict == UNKNOWN]
        unknown = len(untold)
        said = [each.sentence for each in self.parts] + list(self.notes)
        if any(each.within is None for each in untold):
            said.append(
                f"What cannot be told is not passed: let the model answer the anchors twice, as in "
                f"`raterbook judge {self.round} --model NAME --replicates 2`."
            )
        elif untold:
            said.append(
                "What cannot be told is not passed: pin more items as anchors (`raterbook anchor`) "
                "or let the model answer them oftener (`raterbook judge --replicates`)."
            )
        end = "Passed" if self.passed else "Not passed"
        rest = f", {unknown} cannot be told" if unknown else ""
        said.append(
            f"{end}: {drifted} of {counted(len(self.parts), 'comparison')} with {self.against} "
            f"drifted{rest}."
        )
        return said

    def to_dict(self) -> dict[str, Any]:
        return {
            "round": self.round,
            "against": self.against,
            "anchors": self.anchors,
            "passed": self.passed,
            "drift": [each.row() for each in self.parts],
            "notes": list(self.notes),
        }

    def frame(self) -> pd.DataFrame:
        """A row per model and question."""
        return pd.DataFrame([each.row() for each in self.parts])

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__


def drift(now: Round, before: Round, models: Sequence[str], seed: int) -> Drifts:
    """What models answer now, beside what they answered in the round before.

    On the items that are pinned as anchors in either round, else on all that both have, as far as
    they read the same. Models are taken by name: those given, else those that answered in both.
    """
    named = shared_models(now, before, models)
    keys, notes = anchors_of(now, before)
    frames = [_rows(each, keys) for each in (before, now)]
    parts = []
    for model in named:
        for question in now.protocol.questions:
            if question.is_score or question.is_label:
                found = one_drift(model, question, frames, seed)
                parts += [] if found is None else [found]
    if not parts:
        raise RoundError(
            f"{', '.join(named)} answered no anchor in both {now.name} and {before.name}: let the "
            f"model answer them with `raterbook judge {now.name}`."
        )
    after = adjust([each.p for each in parts], "holm")
    parts = [replace(each, p_corrected=p) for each, p in zip(parts, after, strict=True)]
    return Drifts(now.name, before.name, len(keys), tuple(parts), tuple(notes))


def shared_models(now: Round, before: Round, models: Sequence[str]) -> list[str]:
    known = [
        {each.name for each in stored.raters() if each.kind == "model"} for stored in (now, before)
    ]
    both = sorted(known[0] & known[1])
    if not both:
        raise RoundError(
            f"No model answered in both {now.name} ({listed(sorted(known[0]), 5) or 'none'}) and "
            f"{before.name} ({listed(sorted(known[1]), 5) or 'none'}): models are compared by name."
        )
    if unknown := [name for name in models if name not in both]:
        raise RoundError(f"{unknown[0]!r} did not answer in both rounds: choose {listed(both, 9)}.")
    return list(models) or both


def anchors_of(now: Round, before: Round) -> tuple[set[str], list[str]]:
    """The items to compare on, and what is to be known of them."""
    texts = [
        {each.key: (dict(each.fields), [part.text for part in each.parts]) for each in s.items()}
        for s in (now, before)
    ]
    both = texts[0].keys() & texts[1].keys()
    chosen = set(pinned(now)) | set(pinned(before))
    notes = []
    if chosen:
        gone = sorted(chosen - both)
        notes.append(f"Compared on {counted(len(chosen & both), 'anchor item')}.")
        if gone:
            notes.append(f"{counted(len(gone), 'anchor')} not in both rounds: {listed(gone, 5)}.")
    else:
        notes.append(
            f"No anchors are pinned: compared on the {counted(len(both), 'item')} both rounds have."
        )
    kept = (chosen & both) if chosen else set(both)
    other = sorted(key for key in kept if texts[0][key] != texts[1][key])
    if other:
        verb = "reads" if len(other) == 1 else "read"
        notes.append(
            f"{counted(len(other), 'item')} {verb} otherwise now, left out: {listed(other, 5)}."
        )
    if now.bare or before.bare:
        notes.append("That items read the same is not known: a round was opened without texts.")
    kept -= set(other)
    if not kept:
        raise RoundError(
            f"{now.name} and {before.name} have no item in common that reads the same: ask the "
            "model about the same items in both."
        )
    if now.protocol_hash != before.protocol_hash:
        notes.append(
            "The protocol is another one now; what it asks may have changed, not the model."
        )
    return kept, notes


def _rows(stored: Round, keys: set[str]) -> pd.DataFrame:
    """The answers of models about these items and their cases."""
    frame = stored.frame()
    wanted = frame["status"].astype(object).eq("answered") & frame["rater_kind"].eq("model")
    frame = frame[wanted]
    item = frame["item"].astype(object)
    cases = set(frame.loc[item.isin(keys), "case"].astype(object))
    case = frame["case"].astype(object)
    frame = frame[item.isin(keys) | (item.isna() & case.isin(cases))]
    part = [f", part {number}" if number else "" for number in frame["part"]]
    return pd.DataFrame(
        {
            "rater": frame["rater"].astype(str),
            "question": frame["question"].astype(str),
            "unit": subjects(frame).astype(str) + pd.Series(part, frame.index),
            "replicate": frame["replicate"],
            "value": frame["value"].astype(str),
            "number": frame["number"],
            "cluster": drawn_with(frame),
        }
    )


def one_drift(model: str, question: Any, frames: Sequence[pd.DataFrame], seed: int) -> Drift | None:
    """One model on one question, before and now; None where it answered nothing in both."""
    sides = [rows[rows["rater"].eq(model) & rows["question"].eq(question.id)] for rows in frames]
    units = sorted(set(sides[0]["unit"]) & set(sides[1]["unit"]))
    if not units:
        return None
    column = "number" if question.is_score else "value"
    said = [_wide(rows, units, column) for rows in sides]
    texts = [_wide(rows, units, "value") for rows in sides]
    labels = {
        label: place for place, label in enumerate(np.unique(np.hstack(texts)[_given(texts)]))
    }
    if not question.is_score:
        said = [np.vectorize(lambda v: labels.get(v, np.nan), [float])(table) for table in texts]
    table = np.hstack([each.astype(float) for each in said])
    where = dict(zip(sides[1]["unit"], sides[1]["cluster"], strict=True))
    _, cluster = np.unique([where[unit] for unit in units], return_inverse=True)
    first = [[next(iter(row[_given([row])]), "") for row in each] for each in texts]
    changed = tuple(Changed(unit, a, b) for unit, a, b in zip(units, *first, strict=True) if a != b)
    r = (said[0].shape[1], said[1].shape[1])
    test = Arrangements(table, r, cluster, question.is_score)
    within, between = test.within, test.between
    rng = np.random.default_rng(seed)
    p, can_tell = test.beyond_noise(rng) if within is not None else test.in_one_direction(rng)
    shift = None
    if question.is_score:
        shift = float(np.nanmean(_means(said[1]) - _means(said[0])))
    return Drift(
        model,
        question.id,
        len(units),
        len(np.unique(cluster)),
        r,
        changed,
        between,
        within,
        shift,
        p,
        can_tell,
    )


def _wide(rows: pd.DataFrame, units: Sequence[str], column: str) -> np.ndarray:
    """Units × replicates, None or NaN where nothing was answered."""
    wide = rows.pivot(index="unit", columns="replicate", values=column)
    return np.asarray(wide.reindex(units).to_numpy())


def _given(tables: Sequence[np.ndarray]) -> np.ndarray:
    return np.asarray(pd.notna(np.hstack(tables)))


def _means(table: np.ndarray) -> np.ndarray:
    return np.asarray(np.nanmean(table.astype(float), axis=1))


class Arrangements:
    """The answers of both rounds, and how else they could have come about without any drift.

    Without drift a model's replicates of one thing could have come in either round. Those of a
    cluster are dealt together, as they may hang together.
    """

    def __init__(self, table: np.ndarray, r: tuple[int, int], cluster: np.ndarray, scored: bool):
        self.table, self.r, self.scored = table, r, scored
        given = np.isfinite(table)
        apart = np.abs(table[:, :, None] - table[:, None, :])
        apart = apart if scored else (apart > 0).astype(float)
        both = given[:, :, None] & given[:, None, :]
        self.apart = np.zeros((len(np.unique(cluster)), *apart.shape[1:]))
        self.pairs = np.zeros_like(self.apart)
        np.add.at(self.apart, cluster, np.where(both, apart, 0.0))
        np.add.at(self.pairs, cluster, both.astype(float))
        self.cluster = cluster
        self.sums = self._sums(tuple(range(r[0])))

    @property
    def between(self) -> float:
        apart, pairs, _, _ = self.sums.sum(axis=0)
        return float(apart / pairs)

    @property
    def within(self) -> float | None:
        _, _, apart, pairs = self.sums.sum(axis=0)
        return float(apart / pairs) if pairs else None

    def _sums(self, first: tuple[int, ...]) -> np.ndarray:
        """By cluster: distances and pairs between the rounds, then within, if these replicates
        were the earlier round's."""
        old = np.isin(np.arange(sum(self.r)), first)
        cross = old[:, None] != old[None, :]
        upper = np.triu(np.ones_like(cross), 1)
        found = [
            (table * (mask & upper)).sum(axis=(1, 2))
            for mask in (cross, ~cross)
            for table in (self.apart, self.pairs)
        ]
        return np.stack(found, axis=1)

    def beyond_noise(self, rng: np.random.Generator) -> tuple[float, bool]:
        """p of the rounds lying no further apart than replicates do, and whether it could be small.

        An exact test, over all arrangements or as many as are drawn.
        """
        ways = list(combinations(range(sum(self.r)), self.r[0]))
        if len(ways) > MOST_WAYS:
            some = rng.choice(len(ways) - 1, MOST_WAYS - 1, replace=False) + 1
            ways = [ways[0], *(ways[place] for place in some)]
        each = np.stack([self._sums(way) for way in ways])  # ways × clusters × 4
        # A cluster that looks the same however it is dealt says nothing.
        live = np.flatnonzero((np.ptp(each, axis=0) > 1e-12).any(axis=1))
        still = each[0, np.setdiff1d(np.arange(each.shape[1]), live)].sum(axis=0)
        each = each[:, live]

        def gap(totals: np.ndarray) -> np.ndarray:
            with np.errstate(divide="ignore", invalid="ignore"):
                found = totals[..., 0] / totals[..., 1] - totals[..., 2] / totals[..., 3]
            return np.asarray(np.where(np.isfinite(found), found, -np.inf))

        here = float(gap(each[0].sum(axis=0) + still))
        deals = arrangements([len(ways)] * len(live), rng)
        totals = np.stack([each[deal, range(len(live))].sum(axis=0) for deal in deals]) + still
        return p_of(here, gap(totals), len(ways) ** len(live))

    def in_one_direction(self, rng: np.random.Generator) -> tuple[float, bool]:
        """p of the answers having moved in no direction, and whether it could be small.

        Exact, by exchanging the rounds cluster by cluster. Changes that cancel out are not seen.
        """
        # Without replicates each has one answer.
        a, b = (np.nanmax(part, axis=1) for part in np.split(self.table, [self.r[0]], axis=1))
        if self.scored:
            moved = (b - a)[:, None]
        else:
            values = np.unique(self.table[np.isfinite(self.table)])
            moved = (b[:, None] == values).astype(float) - (a[:, None] == values)
        by_cluster = np.zeros((len(self.apart), moved.shape[1]))
        np.add.at(by_cluster, self.cluster, moved)
        by_cluster = by_cluster[np.abs(by_cluster).sum(axis=1) > 1e-12]
        if not len(by_cluster):
            return 1.0, False
        signs = 1.0 - 2.0 * np.array(arrangements([2] * len(by_cluster), rng))
        spread = np.maximum((by_cluster**2).sum(axis=0), 1e-12)
        far = ((signs @ by_cluster) ** 2 / spread).sum(axis=1)
        here = float((by_cluster.sum(axis=0) ** 2 / spread).sum())
        return p_of(here, far, 2 ** len(by_cluster))


def arrangements(ways: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """All of them where they are few, else as many as are drawn beside the one that is."""
    if prod(ways) <= DRAWS:
        return np.array(list(product(*map(range, ways))), dtype=int).reshape(prod(ways), len(ways))
    drawn = rng.integers(0, np.array(ways), (DRAWS, len(ways)))
    return np.vstack([np.zeros((1, len(ways)), dtype=int), drawn])


def p_of(here: float, every: np.ndarray, ways: int) -> tuple[float, bool]:
    """The share of arrangements as far out as this one, and whether that can be small at all."""
    p = float((every >= here - 1e-9).mean())
    return p, float(p) <= LEVEL or ways >= 2 / LEVEL
