"""Why a number or its interval is absent, and what a reader should be warned of.

Both lists are closed: nothing in this package says a reason or a warning that is not here, so a
page can have one sentence for each.
"""

from __future__ import annotations

REASONS = {
    "no_ratings": "Nobody answered.",
    "no_variation": "Every rating is the same value, so chance agreement cannot be told apart.",
    "no_pairable_units": "Nothing was rated by two raters.",
    "single_rater": "Only one rater answered.",
    "scale_not_declared": "One value was seen and the scale was not declared.",
    "weights_give_no_disagreement": "The weights count every pair of values seen as agreement.",
    "no_spread": "All values are equal, so there is nothing to correlate or to compare.",
    "too_few_units": "There are too few units for this statistic.",
    "too_few_units_for_interval": "There are too few independent units for an interval.",
    "no_disagreement_for_interval": "Nobody disagreed, so the spread cannot be estimated.",
    "no_residual_for_interval": (
        "Raters differ by the same on every unit, so what is left over cannot be estimated."
    ),
    "too_many_raters_for_interval": "So many raters are more than an interval can be computed for.",
    "no_total_variance": "The parts of the variance add up to nothing, so there is no share of it.",
    "no_spread_for_interval": "All units are alike, so the spread cannot be estimated.",
    "rests_on_one_unit": "Without one of the units there is no value, or hardly any spread.",
    "rests_on_one_cluster": "Without one of the clusters there is no value, or hardly any spread.",
    "rests_on_one_rater": "Without one of the raters there is no value.",
    "zero_denominator": "Nothing is left in the denominator.",
    "zero_weight": "All weights are zero.",
    "no_confidence": "No answer carries a confidence.",
    "unbalanced": "This form needs every rater on every unit.",
    "no_consensus": "The raters reached no consensus on any unit that could be compared.",
    "no_comparison": "The rater to compare with answered none of these units.",
    "no_such_number": (
        "Nothing here was counted of just what is asked for: this question, and these groups or "
        "the whole round."
    ),
    "no_questions": "There are no questions.",
    "no_gt_answerable": "No question can be answered from the reference.",
    "no_answered": "No question was answered from the generated text.",
    "no_complete_units": "No unit was rated as often as most are on every question.",
    "no_common_cases": "No case was rated for both systems.",
    "too_many_values": "There are too many different values for this statistic.",
    "not_numeric": "The values are labels, which have no mean.",
    "no_order": "The values are labels, which have no order.",
}

WARNINGS = {
    "scale_inferred": "The scale was not declared, so the values seen were taken for all of it.",
    "too_few_disagreements": (
        "Fewer than 25 units lie outside the commonest pattern: no interval can be trusted here."
    ),
    "high_agreement_low_coefficient": (
        "Raters mostly agree and the coefficient is low, because one value is very common."
    ),
    "few_clusters": "Fewer than ten independent units or clusters: the interval is rough.",
    "undefined_pairs": "Some pairs of raters have no coefficient and are left out of the mean.",
    "missing_severity": "Some answers that need a severity have none and count as not severe.",
    "unscored_answers": "Some answers could not be scored and are left out.",
    "ties_left_out": "Units without a single commonest value are left out.",
    "uneven_units": "Units with fewer or more ratings than most are left out.",
    "cut_at_scale": "The interval ends where the scale does; the values beyond are impossible.",
    "more_raters_than_units": (
        "The table has more columns than rows and was read as units × raters: turn it round if "
        "its rows are raters."
    ),
    "answers_without_confidence": "Answers without a confidence are left out.",
}


def sentence(code: str) -> str:
    """What a reason or a warning means, in one sentence."""
    return REASONS.get(code) or WARNINGS[code]
