"""The statistics of a model beside people, which `compare` and a report's `judge` ask for.

No protocol asks for them: whether there is a model is known when the answers are in.
"""

from __future__ import annotations

from functools import partial

from raterbook.protocols.statistics import COMPLETENESS, Statistic, known_statistic

_share = partial(Statistic, kind="share", takes="values")
_scores = partial(Statistic, takes="numbers")

BESIDE: dict[str, Statistic] = {
    each.name: each
    for each in (
        _share(
            "winning_rate",
            "Persons it stands in for",
            "The share of persons who are not nearer to the others than the model by ε or more, as "
            "the alternative-annotator test shows it over clusters; at one half it passes.",
        ),
        _share(
            "advantage",
            "As near as a person",
            "How often the model is at least as near to the other persons as a person is.",
        ),
        Statistic(
            "kappa",
            "Cohen’s κ of two",
            "Cohen's kappa of two raters, the mean over pairs; of scores with quadratic weights.",
            kind="correlation",
            takes="values",
            short="κ",
            against=(
                "agrees with the others beyond chance more",
                "agrees with the others beyond chance less",
            ),
        ),
        Statistic(
            "alpha_beside",
            "Krippendorff’s α, with and without the model",
            "Krippendorff's alpha of people, and with the model among them, on the same units.",
            kind="correlation",
            takes="values",
        ),
        _scores(
            "corrected_mean",
            "Mean people would have given",
            "The mean of all items, from a model's answers corrected where people rated.",
        ),
        _share(
            "corrected_share",
            "Share people would have given",
            "The same of the share of a label.",
        ),
        _scores(
            "spread",
            "Spread of scores",
            "The standard deviation of a rater's scores over that of the others': below 1 they lie "
            "closer together.",
            short="spread",
        ),
        _scores(
            "range_slope",
            "Points by the others' mean",
            "How many points higher a rater scores where the others' mean is a point higher: below "
            "a person's, items that others score low and high come closer together.",
            short="point by point",
        ),
        _scores(
            "length_slope",
            "Points by length",
            "How many points higher a text is scored that is twice as long, where the others' mean "
            "is the same.",
            short="by length",
        ),
        _scores(
            "own_family",
            "Own family",
            "How much higher, against the others, outputs of the model's own family are scored "
            "than other outputs.",
            short="own family",
        ),
        Statistic(
            "halo_effect",
            "Alike over questions",
            "The mean correlation of one rater's scores on two questions.",
            kind="correlation",
            short="alike over questions",
        ),
        Statistic(
            "severity_beside",
            "Severity beside people",
            "How strict a rater is in logits, by one model of all raters; people's mean is 0, and "
            "who is above it is stricter than they.",
            asks="all",
            short="severity",
        ),
        _share(
            "label_accuracy",
            "The likeliest label",
            "How often a rater gives the label that the others' answers make likeliest (Dawid and "
            "Skene).",
            short="likeliest label",
        ),
        _scores(
            "distance",
            "Distance where people are unsure",
            "Jensen–Shannon's, between the others' answers and one's own, over items binned by the "
            "others' median; nobody comes out at 0, so a person's is what to read it beside.",
            short="distance",
        ),
        _share(
            "stability",
            "The same when asked again",
            "How often an answer that was asked for again is the same.",
            short="same again",
        ),
        _share(
            "flips",
            "Turned by the order",
            "How often a choice of two changes where the two change places.",
            short="turned by order",
        ),
        _scores(
            "apart",
            "Further apart than elsewhere",
            "Distance to the others on a group of items less that on all others; of labels, the "
            "share not met.",
        ),
        _scores(
            "brier",
            "Brier score of confidence",
            "The mean square of stated confidence less 1 where another person answers the same, "
            "and less 0 where not; 0 is best.",
            short="Brier",
        ),
        _scores(
            "overconfidence",
            "Surer than right",
            "Mean stated confidence less how often another person answers the same.",
            short="surer than right",
        ),
        _scores(
            "calibration_error",
            "Calibration error",
            "How far stated confidence is from how often another person answers the same, over "
            "bins with as many answers each.",
            short="calibration error",
        ),
    )
}


def facts(name: str) -> Statistic:
    """What is known of a row's statistic, which may be completeness, or one of long ago."""
    if name in BESIDE or name == COMPLETENESS.name:
        return BESIDE.get(name, COMPLETENESS)
    try:
        return known_statistic(name)
    except ValueError:
        return Statistic(name, name.replace("_", " ").capitalize(), "")
