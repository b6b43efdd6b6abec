"""The statistics that a protocol may ask for, each with what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

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
    from analysis.measures import (
        agreement,
        averages,
        judge,
        majority,
        paired,
        questeval,
        reference,
        shares,
        spread,
        systems,
    )

    families: tuple[tuple[Iterable[str], Callable[[Any], list[Any]]], ...] = (
        (agreement.NAMES, agreement.agreement),
        (averages.SINGLE, averages.averages),
        (averages.OVERALL, averages.overall),
        (majority.NAMES, majority.majorities),
        (reference.NAMES, reference.against_reference),
        (questeval.NAMES, questeval.questeval),
        (judge.NAMES, judge.judged),
        (spread.NAMES, spread.spread),
        (paired.NAMES, paired.paired),
        (("adjusted_share",), averages.adjusted),
        (("evaluator_agreement",), majority.evaluator_agreement),
        (("difference",), systems.differences),
        (("difference_overall",), systems.overall_difference),
    )
    return next((compute for names, compute in families if name in names), shares.shares)
