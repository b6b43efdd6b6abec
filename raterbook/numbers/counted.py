"""A round's answers as aligned tables, and whose answers count: one row per unit, one column
per rater, per question. `Board.counted` says who counts.

A unit is an item, or one part of it, or a part of a case where a question belongs to the case.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.averages import Entries
from raterbook.analysis.ratings import Coded, refuse_twice_named
from raterbook.analysis.ratings.long import one_label, that_count
from raterbook.analysis.ratings.patterns import Patterns, how_many, numbered
from raterbook.protocols import TYPES
from raterbook.rounds.consensus import ADJUDICATOR, strict_majority
from raterbook.rounds.consensus import consensus as together
from raterbook.rounds.model import COUNTING

NEEDED = ("item", "case", "part", "rater", "rater_kind", "question", "value")


@dataclass(frozen=True)
class Scale:
    """Values in order. Code c stands for `values[c - 1]`, whose position is `numbers[c - 1]`."""

    values: tuple[Any, ...]
    numbers: np.ndarray
    declared: bool
    labels: bool

    def code(self, value: Any) -> int:
        """The code of a value, however it is written (3, 3.0 or "3"); 0 if it is not on it."""
        for i, known in enumerate(self.values):
            if known == value or str(known) == str(value):
                return i + 1
        number = _number(value)
        if number is not None and not self.labels:
            found = np.flatnonzero(self.numbers == number)
            return int(found[0]) + 1 if len(found) else 0
        return 0


def scale_of(question: Mapping[str, Any], answers: pd.DataFrame) -> tuple[Scale, np.ndarray]:
    """The question's scale and the answers' codes (0 where there is no value).

    Numbers between the declared ones (an overall of 3.5) are added to the scale.
    """
    declared = question.get("scale")
    numeric = question.get("type") in TYPES and TYPES[question["type"]].is_numeric
    if question.get("type") is None or (numeric and declared is None):
        numeric = "number" in answers.columns and bool(
            answers["number"].notna().any() or not len(answers)
        )
    positions = None if declared is None else [_number(value) for value in declared]
    if positions is not None and any(p is None for p in positions):
        numeric = False
    if numeric and "number" in answers.columns:
        numbers = answers["number"].to_numpy(dtype=float, na_value=np.nan)
        return _numeric(numbers, positions)
    return _labelled(answers["value"], declared)


def _numeric(numbers: np.ndarray, positions: list[Any] | None) -> tuple[Scale, np.ndarray]:
    given = np.isfinite(numbers)
    seen = np.unique(numbers[given])
    points = seen if positions is None else np.union1d(np.asarray(positions, dtype=float), seen)
    codes = np.zeros(len(numbers), dtype=np.int32)
    codes[given] = np.searchsorted(points, numbers[given]) + 1
    values = tuple(int(p) if float(p).is_integer() else float(p) for p in points)
    return Scale(values, points, positions is not None, labels=False), codes


def _labelled(column: pd.Series, declared: Any) -> tuple[Scale, np.ndarray]:
    texts = column.astype(object)
    where, seen = pd.factorize(texts, sort=False)
    known = [str(value) for value in declared] if declared is not None else []
    names = [str(value) for value in seen]
    # A value outside the declared options is kept as one more, never dropped in silence.
    extra = sorted(set(names) - set(known) - {""})
    values = tuple(declared or ()) + tuple(extra)
    place = {str(value): i + 1 for i, value in enumerate(values)}
    to_code = np.array([*(place.get(name, 0) for name in names), 0], dtype=np.int32)
    numbers = np.arange(1.0, len(values) + 1)
    return Scale(values, numbers, declared is not None, labels=True), to_code[where]


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, Real):
        return float(value)
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def listed(said: Any) -> list[Any]:
    """What a measure says of one thing or of several, as several."""
    return list(said) if isinstance(said, list | tuple) else [said]


def recoded(scale: Scale, codes: np.ndarray, groups: Mapping[str, Any]) -> tuple[Scale, np.ndarray]:
    """New values made of old ones; old values in no group are left out."""
    to_new = np.zeros(len(scale.values) + 1, dtype=np.int32)
    for new, olds in enumerate(groups.values(), start=1):
        for old in listed(olds):
            code = scale.code(old)
            if code:
                to_new[code] = new
    values = tuple(groups)
    return Scale(values, np.arange(1.0, len(values) + 1), True, labels=True), to_new[codes]


@dataclass(frozen=True)
class Grid:
    """Answers to one question: codes into `scale` and confidences, units × all raters."""

    question: str
    scale: Scale
    codes: np.ndarray
    confidence: np.ndarray | None

    def numbers(self) -> np.ndarray:
        """The answers as numbers, NaN where nobody answered."""
        return np.asarray(np.append(np.nan, self.scale.numbers)[self.codes])

    def means(self, values: Iterable[Any]) -> np.ndarray:
        """Where the answer is one of these values."""
        wanted = np.zeros(len(self.scale.values) + 1, dtype=bool)
        wanted[[self.scale.code(value) for value in values]] = True
        wanted[0] = False  # a value that nobody could give is no missing answer
        return np.asarray(wanted[self.codes])


class Board:
    """The counted answers of a frame: answered, first replicate, main items."""

    def __init__(
        self,
        frame: pd.DataFrame,
        questions: Mapping[str, Mapping[str, Any]],
        *,
        cluster: str | None = None,
        raters: Sequence[Any] | None = None,
    ) -> None:
        missing = [name for name in NEEDED if name not in frame.columns]
        if missing:
            raise ValueError(f"the frame has no column {', '.join(missing)}")
        if cluster is not None and cluster not in frame.columns:
            raise ValueError(f"the frame has no column {cluster!r} to cluster by")
        frame = that_count(frame)
        self.questions = questions
        self.named = None if raters is None else list(raters)
        refuse_twice_named(self.named or ())
        self.frame = frame.reset_index(drop=True)
        self._find_units(cluster)
        codes, found = pd.factorize(self.frame["rater"].astype(object), sort=True)
        self.rater_codes, self.raters = codes.astype(np.int32), list(found)
        self.kinds = np.array(["human"] * len(self.raters), dtype=object)
        self.kinds[self.rater_codes] = self.frame["rater_kind"].astype(object).to_numpy()
        codes, self.question_names = pd.factorize(self.frame["question"].astype(object), sort=False)
        self.question_codes = codes.astype(np.int32)
        # Who answered which question; the last, for none of them, nobody did.
        self._answered = np.zeros((len(self.question_names) + 1, len(self.raters)), dtype=bool)
        self._answered[self.question_codes, self.rater_codes] = True
        self._grids: dict[str, Grid] = {}
        self._counted: dict[Any, tuple[Coded, Patterns]] = {}
        self.kept: dict[Any, Any] = {}  # what one measure found and another needs

    def _find_units(self, cluster: str | None) -> None:
        frame = self.frame
        case, owner = frame["case"].astype(object), subjects(frame)
        by_item = frame["item"].notna().to_numpy()
        owners, _ = pd.factorize(owner.astype(str), sort=True)
        part = frame["part"].fillna(0).astype(int).to_numpy()
        width = int(part.max(initial=0)) + 1
        owners = owners * 2 + by_item
        key = owners * width + part
        # Sorted by name, then part, so that the order of the answers cannot matter. A case may be
        # called as an item is, and stays a unit of its own.
        _, first, codes = numbered(key)
        self.unit_codes = codes.astype(np.int32)
        self.n_units = len(first)
        self.first = frame.iloc[first].reset_index(drop=True)
        self.of_item = by_item[first]
        self.part = part[first]
        self.owner = owners[first]
        known = case.notna().to_numpy()[first]
        names = np.where(known, case.iloc[first].astype(str), owner.iloc[first].astype(str))
        self.case, cases = pd.factorize(names, sort=True)
        if cluster is None:
            self.cluster, self.cluster_names = self.case, cases
        else:
            called = owner.iloc[first].tolist()
            given = one_label(frame[cluster], self.unit_codes, called, "item")
            # An item without a cluster stands with its case.
            alone = [f"case {name}" for name in names]
            labels = np.array(
                [a if g is None else str(g) for a, g in zip(alone, given, strict=True)],
                dtype=object,
            )
            self.cluster, self.cluster_names = pd.factorize(labels, sort=True)

    @cached_property
    def everything(self) -> np.ndarray:
        """A mask that keeps all units."""
        return np.ones(self.n_units, dtype=bool)

    def grid(self, question: str) -> Grid:
        """All raters' answers to a question."""
        if question not in self._grids:
            self._grids[question] = self._make(question)
        return self._grids[question]

    def _make(self, question: str) -> Grid:
        rows = np.flatnonzero(self.question_codes == _place(self.question_names, question))
        part = self.frame.iloc[rows]
        scale, coded = scale_of(self.questions.get(question, {}), part)
        units, raters = self.unit_codes[rows], self.rater_codes[rows]
        codes = np.zeros((self.n_units, len(self.raters)), dtype=np.int32)
        codes[units, raters] = coded
        if np.count_nonzero(codes) < np.count_nonzero(coded):
            self._refuse_twice(units, raters, question)
        confidence = None
        if "confidence" in part.columns and part["confidence"].notna().any():
            confidence = np.full(codes.shape, np.nan)
            confidence[units, raters] = part["confidence"].to_numpy(dtype=float, na_value=np.nan)
        return Grid(question, scale, codes, confidence)

    def _refuse_twice(self, units: np.ndarray, raters: np.ndarray, question: str) -> None:
        cells = units.astype(np.int64) * len(self.raters) + raters
        cells, counts = np.unique(cells, return_counts=True)
        unit, rater = divmod(int(cells[counts > 1][0]), len(self.raters))
        where = self.first.iloc[unit]
        name = where["item"] if self.of_item[unit] else where["case"]
        raise ValueError(
            f"{self.raters[rater]} answered “{question}” on {name} twice in the first replicate"
        )

    def counted(self, questions: Iterable[str]) -> tuple[np.ndarray, Any]:
        """The columns of the raters who count here, and their kind or their names.

        People, else models, else whoever was named.
        """
        if self.named is not None:
            unknown = [name for name in self.named if name not in self.raters]
            if unknown and len(unknown) == len(self.named):
                return np.zeros(0, dtype=int), self.named
            wanted = [self.raters.index(name) for name in self.named if name in self.raters]
            return np.array(sorted(wanted), dtype=int), self.named
        places = [_place(self.question_names, question) for question in questions]
        answered = np.flatnonzero(self._answered[places].any(axis=0))
        for kind in COUNTING:
            columns = answered[self.kinds[answered] == kind]
            if len(columns):
                return columns, kind
        return np.zeros(0, dtype=int), "human"

    def columns_of(self, kind: str) -> np.ndarray:
        """The columns of all raters of a kind."""
        return np.flatnonzero(self.kinds == kind)

    def patterns(self, grid: Grid, columns: np.ndarray, mask: np.ndarray) -> tuple[Coded, Patterns]:
        """A question's ratings and their patterns, counted once for all coefficients."""
        key = (grid.question, columns.tobytes(), mask.tobytes())
        if key not in self._counted:
            coded = self.ratings(grid, columns, mask)
            self._counted[key] = coded, coded.patterns
        return self._counted[key]

    def ratings(self, grid: Grid, columns: np.ndarray, mask: np.ndarray) -> Coded:
        """A question's codes for the coefficients, with clusters where units share them."""
        units = np.flatnonzero(mask)
        units = units[grid.codes[np.ix_(units, columns)].any(axis=1)]
        clusters, names = self.shared_clusters(units)
        return Coded(
            grid.codes[np.ix_(units, columns)],
            tuple(grid.scale.values),
            grid.scale.numbers,
            grid.scale.declared,
            grid.scale.labels,
            units,
            tuple(self.raters[column] for column in columns),
            clusters,
            cluster_names=names,
        )

    def long(self, question: str) -> pd.DataFrame:
        """The answers of those who count: unit, rater, value, cluster, and confidence if stated.

        The unit is the item (or the case a question belongs to), with the part where it has parts.
        """
        grid = self.grid(question)
        columns, _ = self.counted([question])
        unit, place = np.nonzero(grid.codes[:, columns])
        rater = columns[place]
        names = self.first["item"].astype(object).where(self.of_item, self.first["case"])
        names = names.astype(str)
        if self.part[unit].any():
            names = names + " · " + pd.Series(self.part).astype(str)
        found = pd.DataFrame(
            {
                "unit": names.to_numpy(dtype=object)[unit],
                "rater": pd.Series(np.array(self.raters, dtype=object)[rater], dtype=object),
                "value": pd.Series(list(grid.scale.values)).to_numpy()[grid.codes[unit, rater] - 1],
                "cluster": np.asarray(self.cluster_names, dtype=object)[self.cluster[unit]],
            }
        )
        if grid.confidence is not None:
            found["confidence"] = grid.confidence[unit, rater]
        return found.sort_values(["unit", "rater"], kind="stable", ignore_index=True)

    def shared_clusters(self, units: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
        """The units' clusters, or None where each unit is its own; and their names."""
        clusters, names = self.cluster[units], np.asarray(self.cluster_names)
        return (None, names[clusters]) if how_many(clusters) == len(units) else (clusters, names)

    def cells(self, given: np.ndarray, columns: np.ndarray, **numbers: np.ndarray) -> Entries:
        """The answers where `given` holds (units × these columns), with numbers of that shape."""
        unit, place = np.nonzero(given)
        return Entries(
            unit,
            columns[place] if len(columns) else place,
            self.cluster[unit],
            {name: values[unit, place] for name, values in numbers.items()},
            tuple(self.raters),
            self.cluster_names,
        )

    def unit_cells(self, given: np.ndarray, **numbers: np.ndarray) -> Entries:
        """One entry for each unit where `given` holds, whoever answered, with a number a unit."""
        columns = {name: values[:, None] for name, values in numbers.items()}
        return self.cells(given[:, None], np.zeros(1, dtype=int), **columns)

    def n_items(self, units: np.ndarray) -> int:
        """How many items (or cases, for questions asked of a case) these units belong to."""
        return how_many(self.owner[units])


def _place(names: Any, wanted: str) -> int:
    found = np.flatnonzero(np.asarray(names, dtype=object) == wanted)
    return int(found[0]) if len(found) else -1


# What the raters together say of a unit.


def consensus(board: Board, grid: Grid, columns: np.ndarray) -> np.ndarray:
    """One code per unit, 0 where there is no consensus: adjudicated, else that of `columns`."""
    return together(grid.codes[:, columns], grid.codes[:, board.columns_of(ADJUDICATOR)])


def majority_of(table: pd.DataFrame) -> pd.Series:
    """What more than half of a unit's raters gave, of a units × raters table; NaN is none."""
    codes, values = pd.factorize(table.to_numpy(float).ravel(), sort=True)
    said = strict_majority((codes + 1).reshape(table.shape))
    return pd.Series(np.append(np.nan, values)[said], index=table.index)


def settled_of(people: pd.DataFrame, final: pd.DataFrame) -> pd.Series:
    """The consensus of such tables: what adjudicators gave, else those who count."""
    theirs = majority_of(people)
    return majority_of(final).combine_first(theirs) if len(final) else theirs


# The same answers as the tables of a page.


MACHINES = ("model", "automatic")  # who stands beside people, and is compared with them
# Between an item and the number of its part; the invisible joiner keeps “c · 1”, which may be the
# name of an item, apart from the first part of c.
DOT = " \u2060· "


@dataclass(frozen=True)
class Counted:
    """The answers of a round, sorted by who gave them.

    `given` are all current answers, `people` (people, else models, else those named) the ones
    that count; each has a column `unit`, the item or case with its part.
    """

    given: pd.DataFrame
    people: pd.DataFrame
    kind: str
    questions: tuple[Any, ...]

    def of(self, question: str, frame: pd.DataFrame | None = None) -> pd.DataFrame:
        if frame is None:
            return self.people.iloc[self._places.get(question, slice(0))]
        return frame[frame["question"].eq(question)]

    @cached_property
    def _places(self) -> dict[str, np.ndarray]:
        """Where each question's answers stand among those that count."""
        codes, names = pd.factorize(self.people["question"])
        return {name: np.flatnonzero(codes == code) for code, name in enumerate(names)}

    def numeric(self) -> list[Any]:
        """The scales that are rated, not confidence."""
        return [question for question in self.asked() if question.is_score]

    def labelled(self) -> list[Any]:
        return [question for question in self.asked() if question.is_label]

    def asked(self) -> list[Any]:
        seen = set(self.people["question"].unique())
        return [question for question in self.questions if question.id in seen]

    def machines(self) -> list[tuple[str, str, Any]]:
        """(rater, kind, question) for all that people who count and a machine answered."""
        if self.kind == "model":
            return []
        given = self.given[self.given["rater_kind"].isin(MACHINES)]
        if not len(given):
            return []
        kinds = self.people.groupby("question")["rater_kind"].unique()
        by_people = {name for name, found in kinds.items() if set(found) == {"human"}}
        questions = [q for q in [*self.labelled(), *self.numeric()] if q.id in by_people]
        found = []
        for (kind, rater), rows in given.groupby(["rater_kind", "rater"], sort=True):
            answered = set(rows["question"].unique())
            found += [(str(rater), str(kind), q) for q in questions if q.id in answered]
        return found

    def table(self, question: Any, frame: pd.DataFrame | None = None) -> pd.DataFrame:
        """Units × raters: numbers of a scale, else codes of the options from 0."""
        rows = self.of(question.id, frame)
        return pivot(rows, codes(rows, question)) if len(rows) else pd.DataFrame(dtype=float)

    def places(self) -> dict[str, tuple[str, int]]:
        """Unit → its item or case, and the number of its part or 0."""
        rows = self.given[["unit", "subject", "part"]].drop_duplicates("unit")
        parts = rows["part"].fillna(0).astype(int)
        return dict(zip(rows["unit"], zip(rows["subject"], parts, strict=True), strict=True))

    def raters(self) -> list[str]:
        return sorted(self.people["rater"].unique())


def count(
    frame: pd.DataFrame, questions: Iterable[Any], raters: Iterable[str] | None = None
) -> Counted:
    """Sort the frame's answers; the frame itself stays as it is."""
    frame = frame.copy(deep=False)
    for column in ("question", "rater", "rater_kind"):
        if column in frame:
            frame[column] = frame[column].astype(object)
    part = frame["part"].fillna(0).astype(int)
    frame["subject"] = unit = subjects(frame).astype(str)
    if part.any():  # else a million names would be made twice
        unit = unit.where(part.eq(0), unit + DOT + part.astype(str))
    frame["unit"] = unit
    given = that_count(frame)
    if raters is not None:
        kind, people = "named", given[given["rater"].isin(list(raters))]
    else:
        is_person = given["rater_kind"].eq("human")
        # Question by question, as the numbers count: models only where no person answered.
        by_people = set(given.loc[is_person, "question"].unique())
        is_model = given["rater_kind"].eq("model") & ~given["question"].isin(by_people)
        kind = "human" if by_people or not is_model.any() else "model"
        counts = is_person | is_model
        people = given if counts.all() else given[counts]
    return Counted(given, people, kind, tuple(questions))


def subjects(frame: pd.DataFrame) -> pd.Series:
    """What each answer is of: its item, or its case where the question belongs to the case."""
    item = frame["item"].astype(object)
    return item.where(item.notna(), frame["case"].astype(object))


def codes(rows: pd.DataFrame, question: Any) -> np.ndarray:
    """Values as floats in the order of the scale; NaN where a value is not on it."""
    if question.is_numeric:
        return np.asarray(rows["number"].to_numpy(dtype=float, na_value=np.nan))
    place = {str(value): float(code) for code, value in enumerate(question.values or ())}
    found = rows["value"].astype(object).map(lambda value: place.get(str(value), np.nan))
    return np.asarray(found, dtype=float)


def pivot(rows: pd.DataFrame, values: np.ndarray) -> pd.DataFrame:
    """Units × raters by scattering: a pivot of 80,000 rows without pandas' group machinery."""
    units, unit_names = pd.factorize(rows["unit"], sort=True)
    raters, rater_names = pd.factorize(rows["rater"], sort=True)
    cells = np.full((len(unit_names), len(rater_names)), np.nan)
    cells[units, raters] = values
    found = pd.DataFrame(cells, index=unit_names, columns=rater_names)
    return found[found.notna().any(axis=1)]
