"""What is measured of a round: what its protocol declares, by the groups asked for, and of models.

Where models or automatic raters answered beside people, they are compared without being told to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .parameters import Parameters

SCORES = ("exact", "within_one", "mae", "bias", "spearman")
HALVES = ("exact_halves", "macro_f1_halves")
COMPARISONS = (*SCORES, *HALVES)
# Means over several questions, which are compared between systems as well.
TOGETHER = ("overall_mean", "overall_computed_mean")


def wanted(protocol: Any, frame: pd.DataFrame, parameters: Parameters) -> list[dict[str, Any]]:
    """The protocol's measures, narrowed to the questions and widened by the groups asked for."""
    columns = set(frame.columns)
    kept = []
    for measure in protocol.measures:
        entry = measure.to_dict()
        if not says_what_it_is_of(entry):
            continue
        if entry["statistic"] == "adjusted_share":
            # A number of the overall that was stated, whose criteria are not chosen by a reader.
            entry["question"] = with_criteria(asked_of(entry), protocol)
            stated, *criteria = entry["question"]
            asked_for = parameters.questions is None or stated in parameters.questions
            if not (criteria and asked_for):
                continue
        elif parameters.questions is not None and entry.get("question") is not None:
            asked = [name for name in asked_of(entry) if name in parameters.questions]
            if not asked:
                continue
            entry["question"] = asked
        by = [group for group in entry.get("by") or [] if columns.issuperset(listed(group))]
        entry["by"] = by + [[name] for name in parameters.groups if [name] not in by]
        if entry["statistic"].startswith("difference") and protocol.item.system:
            entry["system"] = protocol.item.system
        if parameters.ties == "first" and entry["statistic"] == "evaluator_agreement":
            entry["tie"] = "first"
        kept.append(entry)
        if entry["statistic"] in TOGETHER and len(asked_of(entry)) > 1 and protocol.item.system:
            together = {"statistic": "difference_overall", "question": entry["question"]}
            together |= {"system": protocol.item.system, **one_correction(protocol)}
            if together not in kept:  # else one comparison would be corrected for twice
                kept.append(together)
    machines = machines_beside_people(protocol, frame, parameters)
    return [*kept, *comparisons(machines, kept)]


def one_correction(protocol: Any) -> dict[str, str]:
    """The correction that all comparisons the protocol declares have; else the usual one."""
    declared = {m.correction for m in protocol.measures if m.statistic.startswith("difference")}
    only = declared.pop() if len(declared) == 1 else None
    return {"correction": only} if only else {}


def says_what_it_is_of(measure: dict[str, Any]) -> bool:
    """False for what rounds opened long ago may still ask, which no protocol may ask today."""
    try:
        check_measure(measure)
    except ValueError:
        return False
    return True


def with_criteria(asked: list[str], protocol: Any) -> list[str]:
    """A stated overall with its criteria; alone, with those its computed one is made of."""
    if len(asked) > 1:
        return asked
    made_of = (m.question for m in protocol.measures if m.statistic == "overall_computed_mean")
    return [*asked, *next(made_of, ())]


def comparisons(
    machines: dict[str, list[Any]], declared: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The comparisons with people that this round allows, over those the protocol declares.

    Scores are compared by all of SCORES, labels of models by `exact`; an automatic label has
    measures of its own.
    """
    found = []
    for kind, questions in machines.items():
        scales = [q.id for q in questions if q.is_score]
        labels = [q.id for q in questions if q.is_label and kind == "model"]
        for statistic in SCORES:
            done = {
                name
                for measure in declared
                if measure["statistic"] == statistic and kind == "model"
                for name in asked_of(measure)
            }
            asked = [*scales, *(labels if statistic == "exact" else [])]
            asked = [name for name in asked if name not in done]
            if asked:
                found.append({"statistic": statistic, "question": asked, "of": kind})
    return found


def machines_beside_people(
    protocol: Any, frame: pd.DataFrame, parameters: Parameters
) -> dict[str, list[Any]]:
    """By kind of machine, the questions that it and people answered, where only people count."""
    if not {"model", "automatic"} & set(frame["rater_kind"].unique()):
        return {}
    counted = count(frame, protocol.questions, parameters.raters)
    if parameters.raters is not None and set(counted.people["rater_kind"]) != {"human"}:
        return {}
    both = {(kind, question.id) for _, kind, question in counted.machines()}
    asked = [
        q
        for q in protocol.questions
        if parameters.questions is None or q.id in parameters.questions
    ]
    return {
        kind: [question for question in asked if (kind, question.id) in both]
        for kind in ("model", "automatic")
    }


def asked_of(measure: dict[str, Any]) -> list[str]:
    """The questions of a measure; none where it is of all."""
    return listed(measure.get("question") or [])


def listed(names: Any) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


# The statistics that a protocol may ask for, each with what it means.


STATISTICS = {
    "mean": "The mean of all ratings.",
    "sd": "The sample standard deviation of all ratings.",
    "median": "The middle rating.",
    "weighted_mean": "The mean in which surer answers count more.",
    "weighted_mean_within": (
        "Items count the same; within an item, each rater weighs by confidence over their own mean."
    ),
    "alpha_nominal": "Krippendorff's alpha: agreement beyond chance, any difference counts fully.",
    "alpha_ordinal": "Krippendorff's alpha on ranks: near values count as nearly agreeing.",
    "alpha_interval": "Krippendorff's alpha on numbers: squared distance counts.",
    "kappa_cohen": "Cohen's kappa of two raters, or its mean over all pairs of raters.",
    "kappa_weighted_quadratic": "Kappa with quadratic weights, the mean over pairs of raters.",
    "kappa_fleiss": "Fleiss' kappa: agreement beyond the chance that all raters share.",
    "ac1": "Gwet's AC1: agreement beyond chance that a very common value does not sink.",
    "ac2": "Gwet's AC2: AC1 in which near values count as partly agreeing.",
    "percent_agreement": "The share of pairs of raters with the same value, averaged over units.",
    "percent_within_one": "The share of pairs of raters at most one step apart.",
    "icc_2_1": "The share of the variance of single ratings that lies between units.",
    "overall_mean": "The mean over ratings of each rating's mean over the questions answered.",
    "overall_sd": "The standard deviation of each rating's mean over the questions answered.",
    "full_agreement": (
        "The share of units on which all raters agree; over all questions, units with a majority "
        "on every one."
    ),
    "majority": (
        "The share of units on which more than half but not all agree; over all questions, units "
        "with a majority on some."
    ),
    "no_majority": "The share of units on which no value has more than half of the raters.",
    "evaluator_agreement": "How often a rater gives the commonest value, ties left out.",
    "evaluator_variance": "How far raters lie apart on a unit: its variance, averaged over units.",
    "evaluator_sd": "The same as standard deviation: each unit's, averaged over units.",
    "score_ranges": "The share of ratings from each whole score up to the next.",
    "percent_match": "The share of units on which people and the automatic label agree.",
    "kappa_human_auto": "Cohen's kappa between people's consensus and the automatic label.",
    "kappa_raters": "Cohen's kappa between people: of the pair, or the mean over pairs.",
    "agreement_jaccard": "Of the units where either side gives the label, where both do.",
    "agreement_of_auto": "Of the units with this automatic label, where people give it too.",
    "agreement_of_human": "Of the units people give this label, where the automatic one is too.",
    "agreement_specific": "Twice the matches on a label over how often both sides give it.",
    "proportion_accurate": "The share of judged sentences that are accurate.",
    "proportion_inaccurate": "The share of judged sentences that are inaccurate.",
    "proportion_severely_inaccurate": "The share that are inaccurate and severely so.",
    "proportion_residual": "The share that are disputed or unsupported.",
    "proportion_excluded": "The share of ratings that could not assess the sentence.",
    "severe_any_issue": "The share with any issue that is severe.",
    "missing_severity": "Of the ratings with an issue, the share without a severity.",
    "recall": "Of the questions the reference answers, the share the text answers.",
    "recall_over_all": "Of all questions, the share the text answers.",
    "precision": "How alike the two answers are, over questions that both texts answer.",
    "precision_over_kept": "The same sum over all questions the reference answers.",
    "precision_over_all": "The same sum over all questions.",
    "overall_computed_mean": "The mean of the criteria's means, as against the overall stated.",
    "adjusted_share": "How often the overall stated is half a point or more off the criteria.",
    "difference": "One system minus another, over cases that both answered.",
    "difference_overall": "The same of each rating's mean over the questions answered.",
    "difference_recall": "One system's recall minus another's, case by case.",
    "difference_recall_over_all": "The same of recall over all questions.",
    "difference_precision": "One system's precision minus another's, where both have one.",
    "difference_precision_over_kept": "The same of precision over kept questions.",
    "difference_precision_over_all": "The same of precision over all questions.",
    "difference_percent_match": "How much oftener one system's automatic labels are people's.",
    "exact": "How often the judge gives the same value as a person.",
    "within_one": "How often the judge is at most one step from a person.",
    "mae": "How far the judge is from the people's mean, on average.",
    "bias": "How much higher the judge is than the people's mean.",
    "spearman": "The rank correlation of the judge with the people's mean.",
    "exact_halves": "How often judge and people's mean agree, both rounded to halves.",
    "macro_f1_halves": "F1 averaged over the half-point classes, rare ones counting the same.",
}

# What each needs of a question's values: that they are numbers, that they have an order, or only
# that two can be the same. RAGQuestEval compares two answers in words.
TAKES: dict[str, str] = {
    **dict.fromkeys(
        (
            *("mean", "sd", "median", "weighted_mean", "weighted_mean_within"),
            *("percent_within_one", "icc_2_1", "overall_mean", "overall_sd"),
            *("overall_computed_mean", "adjusted_share", "score_ranges"),
            *("evaluator_variance", "evaluator_sd", "difference", "difference_overall"),
            *("within_one", "mae", "bias", "exact_halves", "macro_f1_halves"),
        ),
        "numbers",
    ),
    **dict.fromkeys(
        ("alpha_ordinal", "alpha_interval", "kappa_weighted_quadratic", "ac2", "spearman"),
        "order",
    ),
    **dict.fromkeys(
        (
            *("alpha_nominal", "kappa_cohen", "kappa_fleiss", "kappa_raters", "ac1"),
            *("percent_agreement", "full_agreement", "majority", "no_majority"),
            *("evaluator_agreement", "exact", "percent_match", "kappa_human_auto"),
            *("agreement_jaccard", "agreement_of_auto", "agreement_of_human"),
            *("agreement_specific", "difference_percent_match"),
            *("proportion_accurate", "proportion_inaccurate", "proportion_severely_inaccurate"),
            *("proportion_residual", "proportion_excluded", "severe_any_issue"),
            "missing_severity",
        ),
        "values",
    ),
    **dict.fromkeys(
        (
            *("recall", "recall_over_all"),
            *("precision", "precision_over_kept", "precision_over_all"),
            *("difference_recall", "difference_recall_over_all", "difference_precision"),
            *("difference_precision_over_kept", "difference_precision_over_all"),
        ),
        "answers",
    ),
}


def takes(measure: Mapping[str, Any]) -> str:
    """What a measure needs of its questions' values; a difference of shares needs no numbers."""
    name = str(measure["statistic"])
    if name == "difference" and (measure.get("is") is not None or measure.get("of") is not None):
        return "values"
    return TAKES.get(name, "values")


def correction_of(measure: Mapping[str, Any]) -> str | None:
    """How the p of its pairs is corrected for their number: Holm's way unless it says another."""
    if not str(measure["statistic"]).startswith("difference"):
        return None
    return str(measure.get("correction") or "holm")


def check_measure(measure: Mapping[str, Any]) -> None:
    """Refuse a measure that does not say what it is of."""
    name = str(measure["statistic"])
    meaning(name)
    if takes(measure) != "answers" and not measure.get("question"):
        raise ValueError(f"{name} needs a question")
    needed = {"missing_severity": ["of"], "severe_any_issue": ["is", "of"]}.get(name, [])
    if name.startswith("proportion_"):
        needed = ["is", "of"]
    missing = [key for key in needed if measure.get(key) is None]
    if missing:
        said = " and ".join(repr(key) for key in missing)
        raise ValueError(f"{name} needs {said}: the values that count, and those they are out of")


def meaning(name: str) -> str:
    """What a statistic means, in one sentence; any `proportion_…` is a share."""
    if name in STATISTICS:
        return STATISTICS[name]
    if name.startswith("proportion_") and len(name) > len("proportion_"):
        what = name.removeprefix("proportion_").replace("_", " ")
        return f"The share of answers that are {what}."
    known = ", ".join(STATISTICS)
    raise ValueError(f"unknown statistic {name!r}: choose {known}, or any proportion_…")


def measured_by(name: str) -> Callable[[Any], list[Any]]:
    """The function that computes a statistic for one group."""
    meaning(name)
    from raterbook.numbers import agreement, averages, questeval, reference, shares, systems
    from raterbook.numbers import agreement as majority
    from raterbook.numbers import averages as spread
    from raterbook.numbers import reference as judge
    from raterbook.numbers import systems as paired

    families: tuple[tuple[Iterable[str], Callable[[Any], list[Any]]], ...] = (
        (agreement.NAMES, agreement.agreement),
        (averages.SINGLE, averages.averages),
        (averages.OVERALL, averages.overall),
        (majority.OF_MAJORITIES, majority.majorities),
        (reference.NAMES, reference.against_reference),
        (questeval.NAMES, questeval.questeval),
        (judge.OF_A_MODEL, judge.judged),
        (spread.NAMES, spread.spread),
        (paired.NAMES, paired.paired),
        (("adjusted_share",), averages.adjusted),
        (("evaluator_agreement",), majority.evaluator_agreement),
        (("difference",), systems.differences),
        (("difference_overall",), systems.overall_difference),
    )
    return next((compute for names, compute in families if name in names), shares.shares)


# Which answers count: given, to a main item, at the first time of asking, by those who count.


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
