"""A methods paragraph and a LaTeX table, to paste into a paper."""

from __future__ import annotations

from typing import Any

from .provenance import PACKAGES, versions
from .words import capital, count, listing, name_of

ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "’": "'",
    "−": "$-$",
    "–": "--",
}
HOW = {
    "jackknife": "jackknife intervals on Fisher’s z for coefficients and t intervals for means",
    "bootstrap": "percentile bootstrap intervals",
    "bca": "BCa bootstrap intervals",
    "analytic": "analytic intervals",
}


def methods(report: Any) -> str:
    """What a reviewer asks: who rated what, how agreement and intervals were computed."""
    numbers, counted = report.numbers, report.counted
    items = counted.people["item"].dropna().nunique() or counted.people["case"].nunique()
    raters = len(counted.raters())
    given = numbers.parameters
    coefficients = sorted(
        {
            name_of(row["statistic"])
            for row in numbers.rows
            if row["statistic"].startswith(("alpha_", "kappa_", "ac", "icc"))
        }
    )
    cluster = report.protocol.item.cluster if report.cluster else report.protocol.item.case
    said = (
        f"{capital(count(items, 'item'))} were rated by {count(raters, report.people)} under the "
        f"protocol {numbers.protocol} ({numbers.data['protocol'][:8]}). "
    )
    if coefficients:
        said += f"Agreement is given as {listing(coefficients, limit=9)}. "
    said += (
        f"{100 * given['coverage']:g} % intervals are {HOW[given['interval']]}, with {cluster} as "
        "the unit of resampling; they speak of these raters, and where there are three or more "
        "also of raters like these. "
    )
    if given["interval"] in ("bootstrap", "bca"):
        said += f"{given['resamples']:,} resamples were drawn with seed {given['seed']}. "
    agree = sum(entry["agrees"] is True for entry in numbers.checks)
    if agree:
        said += (
            f"{capital(count(agree, 'coefficient'))} "
            f"{'was' if agree == 1 else 'were'} recomputed with krippendorff or statsmodels, "
            "with the same result. "
        )
    found = versions()
    packages = [f"{name} {found[name]}" for name in PACKAGES if name in found]
    return said + f"Computed with Python {found['python']}, {listing(packages, limit=12)}."


def latex(numbers: dict[str, Any], labels: dict[str, str] | None = None) -> str:
    """A booktabs table of the numbers of the whole round, from numbers.json."""
    labels = labels or {}
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{tabular}{llrrr}",
        r"\toprule",
        r"Question & Statistic & Estimate & 95\,\% interval & Items \\",
        r"\midrule",
    ]
    coverage = f"{100 * numbers['parameters']['coverage']:g}"
    lines[3] = lines[3].replace("95", coverage)
    for row in numbers["numbers"]:
        if row["group"] is not None or row["estimate"] is None:
            continue
        if row["aggregate"] not in (None, "macro"):
            continue
        question = labels.get(row["question"] or "", (row["question"] or "all").replace("_", " "))
        between = ""
        if row["low"] is not None:
            between = f"{figure(row['low'])} to {figure(row['high'])}"
        cells = (
            tex(question),
            tex(name_of(row["statistic"])),
            figure(row["estimate"]),
            between,
            str(row["n_items"]),
        )
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def figure(value: float) -> str:
    text = f"{value:.3f}"
    return f"${text}$" if value < 0 else text


def tex(text: str) -> str:
    return "".join(ESCAPES.get(sign, sign) for sign in text)


def paper(report: Any) -> str:
    """paper.tex: the paragraph, then the table."""
    import json

    labels = {question.id: question.label for question in report.protocol.questions}
    return tex(methods(report)) + "\n\n" + latex(json.loads(report.numbers.to_json()), labels)
