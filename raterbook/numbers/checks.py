"""Every α and κ once more, by packages that share no code with ours.

krippendorff (GPL) recomputes α and is called nowhere else; statsmodels recomputes κ. What neither
can express says why, and so does every other coefficient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from .number import address

TOLERANCE = 1e-9
MOST_RATERS = 60
# Coefficients that no package a report installs computes; the tests of analysis/ hold them.
PUBLISHED = "no installed package computes it; our tests hold it to published tables"
ALONE = {"ac1": PUBLISHED, "ac2": PUBLISHED, "icc_2_1": PUBLISHED}
ALPHAS = {"alpha_nominal": "nominal", "alpha_ordinal": "ordinal", "alpha_interval": "interval"}


def checks(
    frame: pd.DataFrame,
    rows: Iterable[Mapping[str, Any]],
    measures: Iterable[Mapping[str, Any]],
    questions: Mapping[str, Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """One entry for each coefficient among the rows: the package, its value, whether it agrees."""
    recodes = {
        new: (measure["question"], mapping)
        for measure in measures
        for new, mapping in (measure.get("recode") or {}).items()
    }
    answers = Answers(frame, questions, recodes)
    found = []
    for row in rows:
        recompute = RECOMPUTE.get(row["statistic"])
        if recompute is not None:
            found.append(check(row, recompute, answers))
        elif row["statistic"] in ALONE:
            found.append(
                {
                    "number": address(row),
                    "package": None,
                    "value": None,
                    "agrees": None,
                    "reason": (
                        row["reason"] if row["estimate"] is None else ALONE[row["statistic"]]
                    ),
                }
            )
    return found


def check(row: Mapping[str, Any], recompute: Callable, answers: Answers) -> dict[str, Any]:
    package = "krippendorff" if row["statistic"] in ALPHAS else "statsmodels"
    value, reason, *part = recompute(row, answers)
    ours = part[0] if part else row["estimate"]
    agrees: bool | None = None
    if value is not None and ours is not None:
        agrees = bool(abs(value - ours) <= TOLERANCE * max(1.0, abs(ours)))
    elif value is None and ours is None:
        agrees, reason = None, row["reason"] or reason
    elif value is None:
        agrees = None
    else:
        agrees, reason = False, f"ours is undefined: {row['reason']}"
    return {
        "number": address(row),
        "package": package,
        "value": value,
        "agrees": agrees,
        "reason": reason,
    }


class Answers:
    """The counted answers, as units × raters tables."""

    def __init__(self, frame, questions, recodes):
        main = frame[frame["status"].eq("answered") & frame["replicate"].eq(1)]
        if "role" in main:
            main = main[main["role"].isna() | main["role"].eq("main")]
        self.main, self.questions, self.recodes = main, questions, recodes
        self.known: dict[str, pd.DataFrame] = {}

    def counted(self, row: Mapping[str, Any]) -> pd.DataFrame:
        """The answers of those who count in this row: of a kind, or of these names."""
        who = row["raters"]
        if isinstance(who, list | tuple):
            return self.main[self.main["rater"].isin(list(who))]
        return self.main[self.main["rater_kind"].astype(str).eq(str(who or "human"))]

    def table(self, row: Mapping[str, Any], rows: pd.DataFrame | None = None) -> pd.DataFrame:
        """Units × raters; values are numbers for ordered scales, else codes in scale order."""
        if rows is None:  # several coefficients look at the same answers
            key = repr((row["question"], row["group"], row["raters"]))
            if key not in self.known:
                self.known[key] = self.made(row, self.counted(row))
            return self.known[key]
        return self.made(row, rows)

    def made(self, row: Mapping[str, Any], part: pd.DataFrame) -> pd.DataFrame:
        question = row["question"]
        mapping = None
        if question in self.recodes:
            question, mapping = self.recodes[question]
            question = question if isinstance(question, str) else question[0]
        part = part[part["question"].astype(str).eq(question)]
        for column, value in (row["group"] or {}).items():
            if column in part.columns:
                part = part[part[column].astype(str).eq(str(value))]
        values = part["value"].astype(str)
        if mapping is not None:
            new = {str(old): code for code, olds in enumerate(mapping.values()) for old in olds}
            codes = values.map(new).astype(float)
        elif self.questions[question]["type"] in ("scale", "percent"):
            codes = part["number"].astype(float)
        else:
            scale = self.questions[question]["scale"]
            codes = values.map({str(name): code for code, name in enumerate(scale)}).astype(float)
        unit = part["item"].astype(object).where(part["item"].notna(), part["case"].astype(object))
        long = pd.DataFrame(
            {
                "unit": unit.astype(str) + "\0" + part["part"].astype(str),
                "rater": part["rater"].astype(str),
                "code": codes,
            }
        ).dropna()
        return long.pivot(index="unit", columns="rater", values="code")


def alpha(row: Mapping[str, Any], answers: Answers) -> tuple[float | None, str | None]:
    import krippendorff

    table = answers.table(row).to_numpy(float)
    pairable = np.isfinite(table).sum(axis=1) >= 2
    values = table[pairable][np.isfinite(table[pairable])]
    level: Any = ALPHAS[row["statistic"]]
    if len(np.unique(values)) < 2:
        return None, "no variation: the package refuses a single value"
    return float(krippendorff.alpha(table.T, level_of_measurement=level)), None


def cohen(row: Mapping[str, Any], answers: Answers) -> tuple[float | None, str | None]:
    weights = "quadratic" if row["statistic"].endswith("quadratic") else None
    scale = scale_of(row, answers)
    if weights and len(set(np.diff(scale).round(9))) > 1:
        return None, "values between those of the scale: statsmodels weighs by their places"
    return pairwise(answers.table(row), scale, weights)


def pairwise(table: pd.DataFrame, scale: list[float], weights: str | None):
    """statsmodels' Cohen's κ of the pair; with more raters the mean over pairs."""
    if table.shape[1] > MOST_RATERS:
        return None, f"{table.shape[1]:,} raters have too many pairs to go through again"
    found = []
    for a, b in combinations(table.columns, 2):
        both = table[[a, b]].dropna()
        if not len(both):
            continue
        value = cohens(both[a], both[b], scale, weights)
        if value is not None:  # as ours, which leaves such pairs out and warns of it
            found.append(value)
    if not found:
        return None, "no two raters share items that vary"
    return float(np.mean(found)), None


def cohens(a: pd.Series, b: pd.Series, scale: list[float], weights: str | None) -> float | None:
    from statsmodels.stats.inter_rater import cohens_kappa

    counts = np.zeros((len(scale), len(scale)))
    place = {value: index for index, value in enumerate(scale)}
    for x, y in zip(a, b, strict=True):
        counts[place[x], place[y]] += 1
    if (counts.sum(axis=0) > 0).sum() == 1 and (counts.sum(axis=1) > 0).sum() == 1:
        return None if counts.trace() == counts.sum() else 0.0
    kappa = cohens_kappa(counts, wt=weights, return_results=False)
    return float(kappa) if np.isfinite(kappa) else None


def fleiss(row: Mapping[str, Any], answers: Answers) -> tuple[Any, ...]:
    """statsmodels' Fleiss' κ, of counts: who rated a unit may differ, how many did may not.

    Where some units have another number of ratings, both are computed for those with the
    commonest number: its value, which they are, and ours of the same units.
    """
    from statsmodels.stats.inter_rater import fleiss_kappa

    scale, table = scale_of(row, answers), answers.table(row)
    counts = np.stack([(table == value).sum(axis=1) for value in scale], axis=1)
    sizes = counts.sum(axis=1)
    usual = np.bincount(sizes[sizes >= 2]).argmax() if (sizes >= 2).any() else 0
    even = counts[sizes == usual] if usual else counts[:0]
    even = even[:, even.sum(axis=0) > 0]
    if even.shape[1] < 2:
        return None, "no variation, or a single rater"
    value = float(fleiss_kappa(even))
    if len(even) == len(counts):
        return value, None
    from analysis import kappa

    ours = kappa(table[sizes == usual].to_numpy(float), "fleiss", scale=scale, interval=None).value
    return value, f"on the {len(even):,} of {len(counts):,} units with {usual} ratings", ours


def human_auto(row: Mapping[str, Any], answers: Answers) -> tuple[float | None, str | None]:
    """The automatic raters' majority against one person or the people's consensus, or one of them.

    People's consensus is the adjudicators' strict majority, else their own, else none.
    """
    group = dict(row["group"] or {})
    rater = group.pop("rater", None)
    row = {**row, "group": group}
    kinds = answers.main["rater_kind"].astype(str)
    people = answers.table(row)
    machines = answers.table(row, answers.main[kinds.eq("automatic")])
    if machines.empty:
        return None, "no item has an automatic label"
    auto = majorities(machines)
    if rater is not None and rater not in machines:
        label_of = people.get(rater)
    else:
        auto = auto if rater is None else machines[rater]
        settled = answers.table(row, answers.main[kinds.eq("adjudicator")])
        label_of = majorities(settled).combine_first(majorities(people))
    if label_of is None:
        return None, f"{rater} gave no label"
    both = pd.concat([auto, label_of], axis=1, keys=["auto", "human"]).dropna()
    if not len(both):
        return None, "no item has both labels"
    value = cohens(both["auto"], both["human"], scale_of(row, answers), None)
    return value, None if value is not None else "no variation"


def majorities(table: pd.DataFrame) -> pd.Series:
    found = [strict_majority(labels) for _, labels in table.iterrows()]
    return pd.Series(found, index=table.index, dtype=float)


def strict_majority(labels: pd.Series) -> float:
    counts = labels.value_counts()
    return float(counts.index[0]) if len(counts) and counts.iloc[0] * 2 > counts.sum() else np.nan


def scale_of(row: Mapping[str, Any], answers: Answers) -> list[float]:
    question = row["question"]
    if question in answers.recodes:
        return [float(code) for code in range(len(answers.recodes[question][1]))]
    asked = answers.questions[question]
    if asked["type"] in ("scale", "percent"):
        given = answers.table({**row, "group": None}).to_numpy(float)
        declared = [float(value) for value in asked["scale"] or ()]
        return sorted({*declared, *given[np.isfinite(given)].tolist()})
    return [float(code) for code in range(len(asked["scale"]))]


RECOMPUTE: dict[str, Callable] = {
    **dict.fromkeys(ALPHAS, alpha),
    "kappa_cohen": cohen,
    "kappa_weighted_quadratic": cohen,
    "kappa_raters": cohen,
    "kappa_fleiss": fleiss,
    "kappa_human_auto": human_auto,
}
