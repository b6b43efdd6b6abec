"""Which answers count: given, to a main item, at the first time of asking, by those who count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

MACHINES = ("automatic", "model")
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
        rows = self.people if frame is None else frame
        return rows[rows["question"].eq(question)]

    def numeric(self) -> list[Any]:
        """The scales that are rated, not confidence."""
        return [question for question in self.asked() if question.type == "scale"]

    def labelled(self) -> list[Any]:
        return [question for question in self.asked() if question.type == "choice"]

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
        if not len(rows):
            return pd.DataFrame(dtype=float)
        return pivot(rows, codes(rows, question))

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
    for column in ("question", "rater", "rater_kind", "status", "role"):
        if column in frame:
            frame[column] = frame[column].astype(object)
    subject = frame["item"].astype(object)
    subject = subject.where(subject.notna(), frame["case"].astype(object))
    part = frame["part"].fillna(0).astype(int)
    frame["subject"] = subject.astype(str)
    frame["unit"] = frame["subject"].where(part.eq(0), frame["subject"] + DOT + part.astype(str))
    given = frame[frame["status"].eq("answered") & frame["replicate"].eq(1)]
    if "role" in given:
        given = given[given["role"].isna() | given["role"].eq("main")]
    if raters is not None:
        kind, people = "named", given[given["rater"].isin(list(raters))]
    else:
        is_person = given["rater_kind"].eq("human")
        # Question by question, as the numbers count: models only where no person answered.
        by_people = set(given.loc[is_person, "question"].unique())
        is_model = given["rater_kind"].eq("model") & ~given["question"].isin(by_people)
        kind = "human" if by_people or not is_model.any() else "model"
        people = given[is_person | is_model]
    return Counted(given, people, kind, tuple(questions))


def codes(rows: pd.DataFrame, question: Any) -> np.ndarray:
    """Values as floats in the order of the scale; NaN where a value is not on it."""
    if question.is_numeric:
        return rows["number"].to_numpy(dtype=float, na_value=np.nan)
    place = {str(value): float(code) for code, value in enumerate(question.values or ())}
    return (
        rows["value"]
        .astype(object)
        .map(lambda value: place.get(str(value), np.nan))
        .to_numpy(dtype=float)
    )


def pivot(rows: pd.DataFrame, values: np.ndarray) -> pd.DataFrame:
    """Units × raters by scattering: a pivot of 80,000 rows without pandas' group machinery."""
    units, unit_names = pd.factorize(rows["unit"], sort=True)
    raters, rater_names = pd.factorize(rows["rater"], sort=True)
    cells = np.full((len(unit_names), len(rater_names)), np.nan)
    cells[units, raters] = values
    found = pd.DataFrame(cells, index=unit_names, columns=rater_names)
    return found[found.notna().any(axis=1)]
