"""A methods paragraph and a LaTeX table, to paste into a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..numbers.number import LEADING
from .sections.made import methods
from .words import CAUTIONS, JOINER, Unit, interval, marks, name_of, number

if TYPE_CHECKING:
    from .report import Report

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
    "†": r"\textsuperscript{\dag}",
    "‡": r"\textsuperscript{\ddag}",
    "*": r"\textsuperscript{*}",
}

LATEX = Unit(lambda value: f"${value:.3f}$" if value < 0 else f"{value:.3f}")
ASIDE = ("completeness",)  # said in the paragraph, and no result


def latex(numbers: dict[str, Any], labels: dict[str, str] | None = None) -> str:
    """A booktabs table of the numbers of the whole round, from numbers.json."""
    labels = labels or {}
    noted: set[str] = set()
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
        if row["group"] is not None or row["estimate"] is None or row["statistic"] in ASIDE:
            continue
        if row["aggregate"] not in LEADING:
            continue
        question = labels.get(row["question"] or "", (row["question"] or "all").replace("_", " "))
        between = ""
        if row["low"] is not None:
            signs = marks(row).replace(JOINER, "")
            noted |= set(row["warnings"])
            between = interval(row["low"], row["high"], LATEX) + tex(signs)
        cells = (
            tex(question),
            tex(name_of(row["statistic"])),
            number(row["estimate"], LATEX),
            between,
            str(row["n_items"]),
        )
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    for code, each in CAUTIONS.items():
        if code in noted:
            lines.append(rf"\par{{\footnotesize {tex(each.sign)} {tex(each.note)}}}")
    return "\n".join(lines) + "\n"


def tex(text: str) -> str:
    return "".join(ESCAPES.get(sign, sign) for sign in text)


def paper(report: Report) -> str:
    """paper.tex: the paragraph, then the table."""
    import json

    labels = {question.id: report.label(question.id) for question in report.protocol.questions}
    return tex(methods(report)) + "\n\n" + latex(json.loads(report.numbers.to_json()), labels)
