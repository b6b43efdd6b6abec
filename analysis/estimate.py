"""A number with everything a reader needs to judge it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any


class How(str):
    """How an interval was made, as it is printed, with its parts.

    `name` is the way, over `n` units or clusters; `scale`, where the interval is symmetric;
    `reach`, how far it goes; `raters`, over how many the one for raters like these goes as well.

    >>> found = How("jackknife", 12, "clusters", scale="the logit", reach="t")
    >>> found
    'jackknife over 12 clusters on the logit, t'
    >>> found.scale
    'the logit'
    """

    name: str
    n: float | None
    over: str
    scale: str
    reach: str
    raters: int | None
    said: str

    def __new__(
        cls,
        name: str = "",
        n: float | None = None,
        over: str = "",
        scale: str = "",
        reach: str = "",
        raters: int | None = None,
        said: str = "",
    ) -> How:
        words = name
        if over:
            many = "" if n is None else f"{n} " if isinstance(n, int) else f"{n:.3g} "
            words += f" {'on' if name == WILSON else 'over'} {many}{over}"
        words += (f" on {scale}" if scale else "") + (f", {reach}" if reach else "")
        like = "" if raters is None else f"raters like these: and over {raters} raters"
        how = super().__new__(cls, "; ".join(filter(None, (words, like, said))))
        how.name, how.n, how.over, how.scale = name, n, over, scale
        how.reach, how.raters, how.said = reach, raters, said
        return how

    def __getnewargs__(self) -> tuple[Any, ...]:
        """What copies and other processes make it of."""
        parts = (self.name, self.n, self.over, self.scale, self.reach)
        return (*parts, self.raters, self.said)

    def over_raters(self, raters: int | None) -> How:
        """The same, and over so many raters."""
        return How(self.name, self.n, self.over, self.scale, self.reach, raters, self.said)

    def saying(self, said: str) -> How:
        """The same, and what else is to be said."""
        said = "; ".join(filter(None, (self.said, said)))
        return How(self.name, self.n, self.over, self.scale, self.reach, self.raters, said)


WILSON = "Wilson"


@dataclass(frozen=True)
class Estimate:
    """One statistic, its intervals, its counts, or the reason why there is none.

    `low, high` speak of these raters, as do `se` and `df`; `low_like, high_like` of raters like
    these, and are absent below three raters. `n_units` were used, `n_dropped` had ratings that
    could not be used.

    >>> Estimate(0.5, 0.25, 0.75, statistic="share", n_units=12, n_raters=2, n_ratings=24)
    <share: 0.5000; 95 % 0.2500 to 0.7500 for these raters; 12 units, 2 raters, 24 ratings>
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    low_like: float | None = None
    high_like: float | None = None
    se: float | None = None
    df: float | None = None
    statistic: str = ""
    coverage: float = 0.95
    method: How = How()  # noqa: RUF009  (a text, which nobody changes)
    n_units: int = 0
    n_dropped: int = 0
    n_raters: int = 0
    n_ratings: int = 0
    raters: tuple[Any, ...] = ()
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    seed: int | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.reason is not None and self.reason not in REASONS:
            raise ValueError(f"unknown reason {self.reason!r}: see analysis/estimate.py")
        unknown = [code for code in self.warnings if code not in WARNINGS]
        if unknown:
            raise ValueError(f"unknown warning {unknown[0]!r}: see analysis/estimate.py")

    def __float__(self) -> float:
        return float("nan") if self.value is None else float(self.value)

    @property
    def p(self) -> float | None:
        """Two-sided p of the value being zero, by the t of its jackknife."""
        if self.value is None or not self.se or self.df is None:
            return None
        from scipy.special import stdtr

        return float(2 * stdtr(self.df, -abs(self.value) / self.se))

    @property
    def ends(self) -> dict[str, float | None]:
        """Both intervals, by the names of their ends."""
        return {name: getattr(self, name) for name in ("low", "high", "low_like", "high_like")}

    @property
    def scope(self) -> tuple[str, ...]:
        """What the intervals at hand speak of, in words."""
        said = []
        if self.low is not None:
            said.append("these raters")
        if self.low_like is not None:
            said.append("raters like these")
        return tuple(said)

    def no_surer_of_others(self) -> Estimate:
        """The same, raters like these being no surer than these are.

        Their interval may come from another variance than the one for these raters.
        """
        if self.low is None or self.high is None:
            return self
        if self.low_like is None or self.high_like is None:
            return self
        low, high = min(self.low, self.low_like), max(self.high, self.high_like)
        return replace(self, low_like=low, high_like=high)

    def notes(self) -> list[str]:
        """The reason and the warnings as sentences."""
        codes = [self.reason] if self.reason else []
        said = [sentence(code) for code in [*codes, *self.warnings]]
        return [*said, *([self.beside["sentence"]] if self.beside.get("sentence") else [])]

    def __repr__(self) -> str:
        name = self.statistic or "estimate"
        if self.value is None:
            return f"<{name}: none, {self.reason}>"
        percent = f"{self.coverage * 100:g} %"
        parts = [f"{name}: {self.value:.4f}"]
        if self.low is not None:  # an interval has both of its ends
            parts.append(f"{percent} {self.low:.4f} to {self.high:.4f} for these raters")
        if self.low_like is not None:
            parts.append(f"{self.low_like:.4f} to {self.high_like:.4f} for raters like these")
        parts.append(f"{self.n_units} units, {self.n_raters} raters, {self.n_ratings} ratings")
        return f"<{'; '.join([*parts, *self.warnings])}>"

    def _repr_html_(self) -> str:
        def span(low: float | None, high: float | None) -> str:
            return "–" if low is None else f"{low:.3f} to {high:.3f}"

        value = "none" if self.value is None else f"{self.value:.3f}"
        rows = [
            (self.statistic or "estimate", value),
            ("these raters", span(self.low, self.high)),
            ("raters like these", span(self.low_like, self.high_like)),
            ("counts", f"{self.n_units} units, {self.n_raters} raters, {self.n_ratings} ratings"),
            ("method", self.method or "–"),
        ]
        body = "".join(
            f"<tr><th scope='row'>{escape(name)}</th><td>{escape(said)}</td></tr>"
            for name, said in rows
        )
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes())
        return f"<table>{body}</table>{notes}"


# Why a number or its interval is absent, and what a reader should be warned of.
#
# Both lists are closed: nothing in this package says a reason or a warning that is not here, so a
# page can have one sentence for each.


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
    "pairs_share_too_little": (
        "Raters take turns, and half of the pairs share fewer than ten units: a κ of so few comes "
        "out too low, and so does the mean of many."
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
    "raters_take_turns": (
        "Where raters take turns, pairs of them share too few units to tell this width beforehand."
    ),
    "needs_each_answer": (
        "The engine that counts an archive does not go through the answers one by one, as this "
        "number needs: take them into a workspace."
    ),
    "no_such_number": (
        "Nothing here was counted of just what is asked for: this question, and these groups or "
        "the whole round."
    ),
    "hidden_until_a_look": "The round declared looks, and the next one is not reached yet.",
    "no_questions": "There are no questions.",
    "no_gt_answerable": "No question can be answered from the reference.",
    "no_answered": "No question was answered from the generated text.",
    "no_complete_units": "No unit was rated as often as most are on every question.",
    "no_common_cases": "No case was rated for both systems.",
    "too_many_values": "There are too many different values for this statistic.",
    "not_numeric": "The values are labels, which have no mean.",
    "no_order": "The values are labels, which have no order.",
    "too_few_persons": "No person rated enough items beside others to be tested.",
    "too_few_clusters": "There are fewer than eight independent clusters, too few for a verdict.",
    "no_model": "The model answered nothing here.",
    "inclusion_unknown": (
        "It is not known with which chance an item was given to people, so they speak for the "
        "items they rated and for no others."
    ),
    "nothing_to_correct": "People rated every item the model did, so nothing is to be corrected.",
    "inclusion_zero": "Some items could not come to people at all, so nobody speaks for them.",
    "too_few_of_one_value": (
        "People gave one of the two values in fewer than five independent units, too few for an "
        "interval."
    ),
    "not_connected": (
        "Raters fall into parts that share no unit, however far round, so they cannot be set "
        "against one another."
    ),
    "too_few_for_truth": (
        "Fewer than three raters answered the same unit, so nobody can say who of them errs."
    ),
    "too_few_off_the_ends": (
        "Fewer than two raters gave more than one end of the scale, so there is nobody to set "
        "against another."
    ),
    "always_one_end": (
        "This rater gave nothing but the lowest level, or nothing but the highest, so how strict "
        "they are has no bound."
    ),
    "no_better_than_chance": "The model tells the two apart no better than chance would.",
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
    "under_twenty_clusters": "Fewer than twenty independent clusters: a test is rough.",
    "persons_left_out": "Persons who rated too few items beside others were not tested.",
    "left_out_at_one_end": "Raters who gave one end of the scale alone are left out.",
    "answers_without_confidence": "Answers without a confidence are left out.",
}


def check_name(what: str, name: Any, names: Collection[str | None]) -> None:
    """Refuse a name that is none of these, which are said.

    >>> check_name("level", "nominal", ("nominal", "ordinal"))
    """
    if name not in names:
        *others, last = map(str, names)
        raise ValueError(f"unknown {what} {name!r}: choose {', '.join(others)} or {last}")


def sentence(code: str) -> str:
    """What a reason or a warning means, in one sentence.

    >>> sentence("single_rater")
    'Only one rater answered.'
    """
    return REASONS.get(code) or WARNINGS[code]
