"""Every statistic a protocol may ask for: one row each, with all that is to be known of it.

How one is computed stands in `numbers`, under `@computes`: a new one is a row in both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from raterbook.protocols.problems import unknown

Kind = Literal["mean", "median", "sd", "share", "coefficient", "correlation", "f1", "difference"]
PLURALS = {"sd": "standard deviations", "correlation": "rank correlations", "f1": "F1 scores"}
# What it needs of values: numbers, an order, or two the same; RAGQuestEval compares words.
Takes = Literal["numbers", "order", "values", "answers"]
# A number of each question, of all, of both, or of the first, whose criteria the others are.
Asks = Literal["each", "all", "each and all", "first"]
# What pages show side by side.
Family = Literal["", "central", "apart", "agreement", "majorities", "reference", "labels"]
Judge = Literal["coverage", "judge", "halves"]
# Where its interval ends: at numbers, the scale's ends, ± its width, or zero and its width.
Ends = tuple[float, float] | Literal["scale", "width", "distance"] | None


@dataclass(frozen=True)
class Statistic:
    """One statistic: its name in protocols and files, its words, and what may be asked of it.

    `of` are the statistics that a difference sets against each other, or that a share is about;
    `needs` what a measure must say besides its question; `levels` those of the questions whose
    agreement it tells best; `package` what computes it again. `leads` and `followed` are places
    among the numbers a page begins with, and that are followed over rounds; 0 is none.
    `against` says of a model what it does where its number is above a person's, and below.
    """

    name: str
    label: str
    says: str
    kind: Kind = "mean"
    takes: Takes = "numbers"
    asks: Asks = "each"
    family: Family | Judge = ""
    short: str = ""
    of: tuple[str, ...] = ()
    needs: tuple[Literal["is", "of"], ...] = ()
    ends: Ends = None
    levels: tuple[str, ...] = ()
    package: str | None = None
    leads: int = 0
    followed: int = 0
    against: tuple[str, ...] = ()

    @property
    def is_difference(self) -> bool:
        return self.kind == "difference"

    @property
    def is_coefficient(self) -> bool:
        return self.kind == "coefficient"

    @property
    def is_share(self) -> bool:
        """Whether it is read in per cent, as a difference of shares is."""
        if self.is_difference:
            return bool(self.of) and all(STATISTICS[name].is_share for name in self.of)
        return self.kind == "share"

    @property
    def is_proportion(self) -> bool:
        """Whether it is a share of answers as a protocol defines it."""
        return self.name.startswith(PROPORTION)

    def values(self, of_shares: bool) -> Takes:
        """What it needs of a question's values; a difference of shares needs no numbers."""
        single = self.is_difference and self.asks == "each"
        return "values" if single and of_shares and self.takes == "numbers" else self.takes

    @property
    def is_alpha(self) -> bool:
        return bool(self.levels)

    @property
    def in_words(self) -> str:
        """What sort of number it is, in the plural."""
        return PLURALS.get(self.kind, f"{self.kind}s")

    @property
    def called(self) -> str:
        """Its label in a narrow table."""
        return self.short or self.label


PROPORTION = "proportion_"
TENTATIVE, FIRM = 0.667, 0.8  # what Krippendorff asks of an α before anything rests on it

# What rows of one sort have in common.
_central = partial(Statistic, family="central", ends="scale")
_share = partial(Statistic, kind="share", takes="values")
_majority = partial(Statistic, kind="share", takes="values", family="majorities")
_alpha = partial(
    Statistic, kind="coefficient", takes="order", family="agreement", package="krippendorff"
)
_kappa = partial(
    Statistic, kind="coefficient", takes="values", family="agreement", package="statsmodels"
)
_agreement = partial(Statistic, kind="coefficient", takes="values", family="agreement")
_apart = partial(Statistic, family="apart", asks="each and all", ends=(0.0, math.inf))
_of_label = partial(Statistic, kind="share", takes="values", family="labels")
_judge = partial(Statistic, family="judge")
_proportion = partial(Statistic, kind="share", takes="values", needs=("is", "of"))
_coverage = partial(Statistic, kind="share", takes="answers", family="coverage")

CENTRAL = (
    _central("mean", "Mean", "The mean of all ratings.", followed=3),
    _central("median", "Median", "The middle rating.", kind="median"),
    _central("sd", "SD", "The sample standard deviation of all ratings.", ends=None, kind="sd"),
    _central(
        "weighted_mean", "Weighted by confidence", "The mean in which surer answers count more."
    ),
    _central(
        *("weighted_mean_within", "Weighted within items"),
        "Items count the same; within an item, each rater weighs by confidence over their own "
        "mean.",
    ),
    _central(
        *("overall_mean", "Overall mean"),
        "The mean over ratings of each rating's mean over the questions answered.",
        asks="all",
        family="",
        leads=1,
        followed=1,
    ),
    Statistic(
        *("overall_sd", "Overall SD"),
        "The standard deviation of each rating's mean over the questions answered.",
        asks="all",
        kind="sd",
    ),
    Statistic(
        *("severity_logits", "Severity"), "Each rater's severity in logits.", "mean", "order", "all"
    ),
    _central(
        *("overall_computed_mean", "Mean of the criteria"),
        "The mean of the criteria's means, as against the overall stated.",
        asks="all",
        family="",
        leads=2,
        followed=2,
    ),
    _share(
        *("adjusted_share", "Overall adjusted"),
        "How often the overall stated is half a point or more off the criteria.",
        takes="numbers",
        asks="first",
        of=("overall_computed_mean",),
    ),
    _share(
        *("score_ranges", "Scores in the range"),
        "The share of ratings from each whole score up to the next.",
        takes="numbers",
        asks="all",
    ),
    _apart(
        *("evaluator_variance", "Variance among raters"),
        "How far raters lie apart on a unit: its variance, averaged over units.",
    ),
    _apart(
        *("evaluator_sd", "SD among raters"),
        "The same as standard deviation: each unit's, averaged over units.",
    ),
)

AGREEMENT = (
    _share(
        *("percent_agreement", "Exact agreement"),
        "The share of pairs of raters with the same value, averaged over units.",
        family="agreement",
    ),
    _share(
        *("percent_within_one", "Within one level"),
        "The share of pairs of raters at most one step apart.",
        takes="numbers",
        family="agreement",
    ),
    _alpha(
        *("alpha_ordinal", "Krippendorff’s α, ordinal"),
        "Krippendorff's alpha on ranks: near values count as nearly agreeing.",
        levels=("ordinal",),
    ),
    _alpha(
        *("alpha_nominal", "Krippendorff’s α, nominal"),
        "Krippendorff's alpha: agreement beyond chance, any difference counts fully.",
        takes="values",
        levels=("nominal",),
    ),
    _alpha(
        *("alpha_interval", "Krippendorff’s α, interval"),
        "Krippendorff's alpha on numbers: squared distance counts.",
        levels=("interval", "ratio"),
    ),
    _alpha(
        *("kappa_weighted_quadratic", "Cohen’s κ, quadratic weights"),
        "Kappa with quadratic weights, the mean over pairs of raters.",
        package="statsmodels",
    ),
    _kappa(
        *("kappa_cohen", "Cohen’s κ"),
        "Cohen's kappa of two raters, or its mean over all pairs of raters.",
    ),
    _kappa(
        *("kappa_fleiss", "Fleiss’ κ"),
        "Fleiss' kappa: agreement beyond the chance that all raters share.",
    ),
    _kappa(
        *("kappa_raters", "κ among raters"),
        "Cohen's kappa between people: of the pair, or the mean over pairs.",
    ),
    _agreement(
        *("ac1", "Gwet’s AC1"),
        "Gwet's AC1: agreement beyond chance that a very common value does not sink.",
    ),
    _alpha(
        *("ac2", "Gwet’s AC2"),
        "Gwet's AC2: AC1 in which near values count as partly agreeing.",
        package=None,
    ),
    _agreement(
        *("icc_2_1", "ICC(2,1)"),
        "The share of the variance of single ratings that lies between units.",
        takes="numbers",
    ),
    _majority(
        *("full_agreement", "All agree"),
        "The share of units on which all raters agree; over all questions, units with a "
        "majority on every one.",
        short="All raters the same",
    ),
    _majority(
        *("majority", "A majority"),
        "The share of units on which more than half but not all agree; over all questions, "
        "units with a majority on some.",
    ),
    _majority(
        *("no_majority", "No majority"),
        "The share of units on which no value has more than half of the raters.",
    ),
    _share(
        *("evaluator_agreement", "With the majority"),
        "How often a rater gives the commonest value, ties left out.",
    ),
)

REFERENCE = (
    _share(
        *("percent_match", "Labels match"),
        "The share of units on which people and the automatic label agree.",
        family="reference",
        followed=4,
    ),
    _kappa(
        *("kappa_human_auto", "κ, people and checker"),
        "Cohen's kappa between people's consensus and the automatic label.",
        family="reference",
    ),
    _of_label(
        *("agreement_jaccard", "Both of either"),
        "Of the units where either side gives the label, where both do.",
        short="Of either’s",
    ),
    _of_label(
        *("agreement_of_auto", "Of the checker’s"),
        "Of the units with this automatic label, where people give it too.",
    ),
    _of_label(
        *("agreement_of_human", "Of the people’s"),
        "Of the units people give this label, where the automatic one is too.",
    ),
    _of_label(
        *("agreement_specific", "Specific agreement"),
        "Twice the matches on a label over how often both sides give it.",
        short="Specific",
    ),
    _share(
        *("exact", "The same"),
        "How often the model gives the same value as a person.",
        family="judge",
        short="the same",
        against=("gives the others’ answer oftener", "gives the others’ answer less often"),
    ),
    _judge(
        *("within_one", "Within one level"),
        "How often the model is at most one step from a person.",
        short="within one",
        kind="share",
        against=("comes within one level oftener", "comes within one level less often"),
    ),
    _judge(
        *("mae", "Distance"),
        "How far the model is from the people's mean, on average.",
        short="off by",
        ends="distance",
        against=("lies further from the others’ mean", "lies nearer to the others’ mean"),
    ),
    _judge(
        *("bias", "Bias"),
        "How much higher the model is than the people's mean.",
        short="higher by",
        ends="width",
    ),
    _judge(
        *("spearman", "Rank correlation"),
        "The rank correlation of the model with the people's mean.",
        takes="order",
        short="order (Spearman)",
        kind="correlation",
        against=("keeps the others’ order better", "keeps the others’ order worse"),
    ),
    _share(
        *("exact_halves", "The same, to the half point"),
        "How often judge and people's mean agree, both rounded to halves.",
        takes="numbers",
        family="halves",
    ),
    _central(
        *("macro_f1_halves", "F1 over half points"),
        "F1 averaged over the half-point classes, rare ones counting the same.",
        family="halves",
        ends=(0.0, 1.0),
        kind="f1",
    ),
)

SHARES = (
    _proportion(
        *("proportion_accurate", "Accurate"),
        "The share of judged sentences that are accurate.",
        leads=3,
    ),
    _proportion(
        "proportion_inaccurate", "Inaccurate", "The share of judged sentences that are inaccurate."
    ),
    _proportion(
        *("proportion_severely_inaccurate", "Severely inaccurate"),
        "The share that are inaccurate and severely so.",
    ),
    _proportion(
        *("proportion_residual", "Disputed or unsupported"),
        "The share that are disputed or unsupported.",
    ),
    _proportion(
        *("proportion_excluded", "Could not be assessed"),
        "The share of ratings that could not assess the sentence.",
    ),
    _proportion(
        "severe_any_issue", "Severe, any issue", "The share with any issue that is severe."
    ),
    _share(
        *("missing_severity", "Severity missing"),
        "Of the ratings with an issue, the share without a severity.",
        needs=("of",),
    ),
)

COVERAGE = (
    _coverage(
        *("recall", "Recall"),
        "Of the questions the reference answers, the share the text answers.",
        followed=5,
    ),
    _coverage(
        *("recall_over_all", "Recall over all questions"),
        "Of all questions, the share the text answers.",
        short="Recall, all",
    ),
    _coverage(
        *("precision", "Precision"),
        "How alike the two answers are, over questions that both texts answer.",
        followed=6,
    ),
    _coverage(
        *("precision_over_kept", "Precision over kept questions"),
        "The same sum over all questions the reference answers.",
        short="Precision, kept",
    ),
    _coverage(
        *("precision_over_all", "Precision over all questions"),
        "The same sum over all questions.",
        short="Precision, all",
    ),
)

SINGLE = {each.name: each for each in (*CENTRAL, *AGREEMENT, *REFERENCE, *SHARES, *COVERAGE)}


def _difference(of: str, says: str, *more: str, name: str = "", label: str = "") -> Statistic:
    """One system's number minus another's; it takes and asks what that number does."""
    single = SINGLE[of]
    return Statistic(
        name or f"difference_{of}",
        label or f"Difference in {single.label.lower()}",
        says,
        kind="difference",
        takes=single.takes,
        asks=single.asks,
        of=(of, *more),
    )


DIFFERENCES = (
    _difference(
        "mean",
        "One system minus another, over cases that both answered.",
        name="difference",
        label="Difference",
    ),
    _difference(
        "overall_mean",
        "The same of each rating's mean over the questions answered.",
        "overall_computed_mean",
        name="difference_overall",
        label="Difference, all together",
    ),
    _difference("recall", "One system's recall minus another's, case by case."),
    _difference("recall_over_all", "The same of recall over all questions."),
    _difference("precision", "One system's precision minus another's, where both have one."),
    _difference("precision_over_kept", "The same of precision over kept questions."),
    _difference("precision_over_all", "The same of precision over all questions."),
    _difference(
        "percent_match",
        "How much oftener one system's automatic labels are people's.",
        label="Difference in how often labels match",
    ),
)

STATISTICS: dict[str, Statistic] = {each.name: each for each in (*SINGLE.values(), *DIFFERENCES)}
# Of the round itself: every round has it, and no measure asks for it.
COMPLETENESS = Statistic(
    "completeness", "Required answers given", "The share of required answers given.", kind="share"
)


def known_statistic(name: str) -> Statistic:
    """The statistic of this name; any `proportion_…` is a share that a protocol defines."""
    if name in STATISTICS:
        return STATISTICS[name]
    what = name.removeprefix(PROPORTION).replace("_", " ")
    if name.startswith(PROPORTION) and what:
        return _proportion(name, what.capitalize(), f"The share of answers that are {what}.")
    raise ValueError(unknown(name, (*STATISTICS, f"{PROPORTION}…"), "a statistic"))


def of_family(family: Family | Judge) -> list[str]:
    """The names of those that a page shows side by side, in its order."""
    return [each.name for each in STATISTICS.values() if each.family == family]


def alphas() -> list[str]:
    """Those of which one leads wherever agreement is spoken of."""
    return [each.name for each in STATISTICS.values() if each.is_alpha]


def alpha_at(level: str | None) -> str:
    """The α that fits answers at this level of measurement."""
    return next(name for name in alphas() if (level or "nominal") in STATISTICS[name].levels)


def leading() -> list[str]:
    """What a page begins with, the most telling first."""
    return _placed((each.leads, each.name) for each in STATISTICS.values())


def followed() -> list[str]:
    """What is followed over rounds besides agreement, the most telling first."""
    return _placed((each.followed, each.name) for each in STATISTICS.values())


def _placed(places: Iterable[tuple[int, str]]) -> list[str]:
    return [name for place, name in sorted(places) if place]


def difference_of(name: str) -> Statistic | None:
    """The difference that sets this statistic of two systems against each other."""
    return next(
        (each for each in STATISTICS.values() if each.is_difference and name in each.of), None
    )


def compared_means() -> list[str]:
    """The means, of one question or of several, that systems are compared by."""
    differences = [each for each in STATISTICS.values() if each.is_difference]
    return [name for each in differences if not each.is_share for name in each.of]
