"""The methods paragraph: who rated what, and how each interval of this page was really made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .differences import compared, corrections, of_many
from .names import statistic_of
from .provenance import PACKAGES, versions
from .words import capital, count, is_share, listing, name_of, was

COEFFICIENTS = ("alpha_", "kappa_", "ac1", "ac2", "icc")
# How the `method` of a row begins, and what it is called in a sentence.
CALLED = (
    (r"jackknife .* on Fisher's z", "the jackknife on Fisher’s z with t"),
    (r"jackknife .* on the logit", "the jackknife on the logit with t"),
    (r"jackknife .* on the logarithm", "the jackknife on the logarithm with t"),
    (r"jackknife", "the jackknife with t"),
    (r"linearised", "the linearised variance on the logit with t"),
    (r"Wilson", "Wilson’s score"),
    (r"percentile bootstrap", "the percentile bootstrap"),
    (r"BCa bootstrap", "the BCa bootstrap"),
    (r"Gwet's linearised variance", "Gwet’s linearised variance with t"),
    (r"F distribution", "the F distribution"),
)


def methods(report: Any) -> str:
    """What a reviewer asks: who rated what, how agreement and intervals were computed."""
    numbers, counted = report.numbers, report.counted
    items = counted.people["item"].dropna().nunique() or counted.people["case"].nunique()
    given = numbers.parameters
    coefficients = sorted(
        {
            name_of(row["statistic"])
            for row in numbers.rows
            if is_coefficient(row["statistic"]) and row["estimate"] is not None
        }
    )
    said = [
        f"{capital(count(items, 'item'))} {was(items)} rated by {report.who} "
        f"under the protocol {numbers.protocol} ({numbers.data['protocol'][:8]})."
    ]
    said += [f"The answers of {name} ({why}) were left out." for name, why, _ in report.asked.away]
    if coefficients:
        said.append(f"Agreement is given as {listing(coefficients, limit=9)}.")
    made = intervals(numbers.rows)
    if made:
        said.append(
            f"{100 * given['coverage']:g} % intervals take each {report.independent} as one draw "
            f"and come from {listing(made, limit=12)}."
        )
    if any(row["low_like"] is not None for row in numbers.rows):
        said.append(
            "They speak of these raters; a second interval, of raters like these, adds the "
            "jackknife over raters."
        )
    if any("cut_at_scale" in row["warnings"] for row in numbers.rows):
        said.append("Intervals that reach beyond the scale are cut at its end.")
    drawn = any("bootstrap" in (row["method"] or "") for row in numbers.rows)
    if drawn:
        said.append(f"{given['resamples']:,} resamples were drawn with seed {given['seed']}.")
    if compared(report):
        by = " or ".join(corrections(report))
        corrected = of_many(report, f", corrected by {by} for")
        said.append(f"Systems are compared case by case, with p by t{corrected}.")
    said += checked(numbers.checks)
    found = versions()
    packages = [f"{name} {found[name]}" for name in PACKAGES if name in found]
    said.append(f"Computed with Python {found['python']}, {listing(packages, limit=12)}.")
    return " ".join(said)


def is_coefficient(statistic: str) -> bool:
    return statistic.startswith(COEFFICIENTS)


def intervals(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """“the jackknife with t (means)”: every method the rows name, with what it was used for."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row["low"] is None or not row["method"]:
            continue
        used = found.setdefault(called(row["method"]), [])
        if (what := kind(row["statistic"])) not in used:
            used.append(what)
    order = [name for _, name in CALLED]
    return [
        f"{method} ({listing(used)})"
        for method, used in sorted(
            found.items(), key=lambda pair: order.index(pair[0]) if pair[0] in order else 99
        )
    ]


def called(method: str) -> str:
    for begins, name in CALLED:
        if re.match(begins, method):
            return name
    return re.split(r"[,;]| over ", method)[0]


def kind(statistic: str) -> str:
    """What sort of number it is, in the plural."""
    if is_coefficient(statistic):
        return "coefficients"
    if statistic.startswith("difference"):
        return "differences"
    if statistic in ("sd", "overall_sd"):
        return "standard deviations"
    if statistic == "median":
        return "medians"
    if statistic == "spearman":
        return "rank correlations"
    if statistic == "macro_f1_halves":
        return "F1 scores"
    return "shares" if is_share(statistic) else "means"


def is_undefined(entry: Mapping[str, Any]) -> bool:
    """Whether there was nothing to compute again: the coefficient itself has no value."""
    from analysis.reasons import REASONS

    return entry["agrees"] is None and entry["reason"] in REASONS


def checked(checks: list[dict[str, Any]]) -> list[str]:
    """How many coefficients another package gave too, and which none could."""
    checks = [entry for entry in checks if not is_undefined(entry)]
    agree = sum(entry["agrees"] is True for entry in checks)
    silent = [entry for entry in checks if entry["agrees"] is None]
    said = []
    if agree:
        said.append(
            f"{capital(count(agree, 'coefficient'))} {was(agree)} recomputed "
            "with krippendorff or statsmodels, with the same result."
        )
    if silent:
        names = dict.fromkeys(name_of(statistic_of(entry["number"])[0]) for entry in silent)
        which = listing(list(names), limit=8)
        said.append(
            f"{count(len(silent), 'other')} could not be ({which})."
            if agree
            else f"{capital(count(len(silent), 'coefficient'))} could not be recomputed ({which})."
        )
    return said
