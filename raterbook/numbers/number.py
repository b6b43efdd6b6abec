"""What statistics are called where people read them, and which of them are shares."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# Shown as per cent; the names begin so.
SHARES = (
    "percent_",
    "proportion_",
    "agreement_",
    "recall",
    "precision",
    "full_agreement",
    "majority",
    "no_majority",
    "evaluator_agreement",
    "score_ranges",
    "severe_any",
    "missing_severity",
    "adjusted_share",
    "exact",
    "within_one",
    "completeness",
    "difference_recall",
    "difference_precision",
    "difference_percent",
)

NAMES = {
    "mean": "Mean",
    "sd": "SD",
    "median": "Median",
    "weighted_mean": "Weighted by confidence",
    "weighted_mean_within": "Weighted within items",
    "alpha_nominal": "Krippendorff’s α, nominal",
    "alpha_ordinal": "Krippendorff’s α, ordinal",
    "alpha_interval": "Krippendorff’s α, interval",
    "kappa_cohen": "Cohen’s κ",
    "kappa_weighted_quadratic": "Cohen’s κ, quadratic weights",
    "kappa_fleiss": "Fleiss’ κ",
    "kappa_human_auto": "κ, people and checker",
    "kappa_raters": "κ among raters",
    "ac1": "Gwet’s AC1",
    "ac2": "Gwet’s AC2",
    "icc_2_1": "ICC(2,1)",
    "percent_agreement": "Exact agreement",
    "percent_within_one": "Within one level",
    "percent_match": "Labels match",
    "overall_mean": "Overall mean",
    "overall_sd": "Overall SD",
    "full_agreement": "All agree",
    "majority": "A majority",
    "no_majority": "No majority",
    "evaluator_agreement": "With the majority",
    "evaluator_variance": "Variance among raters",
    "evaluator_sd": "SD among raters",
    "score_ranges": "Scores in the range",
    "agreement_jaccard": "Both of either",
    "agreement_of_auto": "Of the checker’s",
    "agreement_of_human": "Of the people’s",
    "agreement_specific": "Specific agreement",
    "proportion_accurate": "Accurate",
    "proportion_inaccurate": "Inaccurate",
    "proportion_severely_inaccurate": "Severely inaccurate",
    "proportion_residual": "Disputed or unsupported",
    "proportion_excluded": "Could not be assessed",
    "severe_any_issue": "Severe, any issue",
    "missing_severity": "Severity missing",
    "recall": "Recall",
    "recall_over_all": "Recall over all questions",
    "precision": "Precision",
    "precision_over_kept": "Precision over kept questions",
    "precision_over_all": "Precision over all questions",
    "overall_computed_mean": "Mean of the criteria",
    "adjusted_share": "Overall adjusted",
    "completeness": "Required answers given",
    "difference": "Difference",
    "difference_overall": "Difference, all together",
    "difference_recall": "Difference in recall",
    "difference_recall_over_all": "Difference in recall over all questions",
    "difference_precision": "Difference in precision",
    "difference_precision_over_kept": "Difference in precision over kept questions",
    "difference_precision_over_all": "Difference in precision over all questions",
    "difference_percent_match": "Difference in how often labels match",
    "exact": "The same",
    "within_one": "Within one level",
    "mae": "Distance",
    "bias": "Bias",
    "spearman": "Rank correlation",
    "exact_halves": "The same, to the half point",
    "macro_f1_halves": "F1 over half points",
}


def statistic_of(address: str) -> tuple[str, str]:
    """The statistic of an address, and what stands behind it, which may hold any sign."""
    found = re.match(r"(\w*):?(.*)", address, re.S)
    assert found is not None  # matches every text
    return found[1], found[2]


def address(row: Mapping[str, Any]) -> str:
    """`recall:generated_answer[aggregate=macro, model=atlas-2]`: this number and no other."""
    text = str(row["statistic"]) + (f":{row['question']}" if row["question"] else "")
    inside = ", ".join(places(row))
    return f"{text}[{inside}]" if inside else text


def places(row: Mapping[str, Any]) -> list[str]:
    """`aggregate=macro`, `model=atlas-2`: the reading and the group, each as one word."""
    found = {"aggregate": row["aggregate"]} if row["aggregate"] else {}
    return [f"{name}={value}" for name, value in {**found, **(row["group"] or {})}.items()]


ROW = (
    *("question", "group", "statistic", "estimate", "low", "high", "low_like", "high_like"),
    *("raters", "n_items", "n_raters", "n_ratings", "method", "p", "p_holm"),
    *("p_corrected", "correction", "reason"),
    *("aggregate", "warnings"),
)


# Where raters hardly ever differ, no interval covers as often as it says.
UNTRUSTED = "too_few_disagreements"


def is_untrusted(row: Mapping[str, Any]) -> bool:
    """Whether nothing may be decided by the interval of this number, or of this target."""
    return UNTRUSTED in (row.get("warnings") or ())
