"""How this was made: parameters, seed, hashes, versions, and the independent checks."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from raterbook.analysis.estimate import WILSON, How
from raterbook.analysis.intervals import DRAWN
from raterbook.analysis.intervals.resampling import FISHER, FROM_ONE, LOG, LOGIT

from ...numbers.number import address, statistic_of
from ...protocols.comparisons import facts
from ..html import NOTHING, Section, bullets, heading, paragraph, part, table
from ..words import CAUTIONS, capital, count, listing, name_of, reason, was
from .systems import compared, corrections, of_many

if TYPE_CHECKING:
    from ...rounds.store.chain import Head
    from ..report import Report


def made(report: Report) -> Section:
    """How the page was made: parameters, hashes, versions, and the independent checks."""
    numbers = report.numbers
    facts = {
        **{
            name: shown(value)
            for name, value in numbers.parameters.items()
            if value not in (None, [])
        },
        "protocol": f"{numbers.protocol}, {numbers.data['protocol'][:16]}",
        "answers": numbers.data["answers"][:16],
        **({"history": str(report.head)} if report.head else {}),
        **versions(),
    }
    inside = paragraph(methods(report)) + part("facts", list(facts.items()))
    inside += wanting(numbers)
    if numbers.checks:
        inside += heading("Independent checks") + checks(numbers.checks)
    return Section("How this was made", inside, folded=True)


def wanting(numbers: Any) -> Markup:
    """What was asked of the whole round and has no value, once for each reason."""
    checked = {entry["number"] for entry in numbers.checks}  # those stand below, with the reason
    entries = [
        {"number": address(row), "reason": row["reason"]}
        for row in numbers.rows
        if row["estimate"] is None and not row["group"] and address(row) not in checked
    ]
    return heading("Asked for, and without a value") + reasons(entries) if entries else NOTHING


def checks(found: list[dict[str, Any]]) -> Markup:
    """Each coefficient with its value by another package, then those without one by reason."""
    agree = [entry for entry in found if entry["agrees"]]
    differ = [entry for entry in found if entry["agrees"] is False]
    silent = [entry for entry in found if entry["agrees"] is None]
    empty = [entry for entry in silent if is_undefined(entry)]
    many, left = len(found) - len(empty), len(silent) - len(empty)
    said = "No coefficient has a value, for the reasons given."
    if many:
        said = f"{len(agree)} of {count(many, 'coefficient')} {was(many)} computed again by "
        said += "an independent package and agree" + "s" * (many == 1)
        said += f"; {len(differ)} differ" if differ else ""
        said += f"; {left} could not be, for the reasons given." if left else "."
        if empty:
            has = "has" if len(empty) == 1 else "have"
            said += f" {count(len(empty), 'other')} {has} no value."
    made = paragraph(said)
    if silent:
        made += reasons(silent)
    lines = [
        (
            entry["number"],
            entry["package"] or "none",
            " ".join(["agrees", entry["reason"] or ""]).strip()
            if entry["agrees"]
            else f"differs: {entry['reason'] or 'another value'}",
            "–" if entry["value"] is None else f"{entry['value']:.6f}",
        )
        for entry in [*differ, *agree]
    ]
    if lines:
        head = ("Number", "Package", "Result", "Its value")
        made += table(head, lines, "Coefficients by another package", text=3)
    return made


def reasons(silent: list[dict[str, Any]]) -> Markup:
    """Each reason once, with the coefficients it holds for: “icc_2_1: correctness, clarity”."""
    grouped: dict[str, dict[str, list[str]]] = {}
    for entry in silent:
        statistic, rest = statistic_of(entry["number"])
        of = grouped.setdefault(entry["reason"] or "no reason given", {})
        of.setdefault(statistic, []).append(rest)
    lines = []
    for why, statistics in grouped.items():
        each = "; ".join(
            f"{statistic}: {', '.join(one or 'all questions' for one in rest)}"
            if any(rest)
            else statistic
            for statistic, rest in statistics.items()
        )
        said = reason(why) if why.isidentifier() else why  # a code, or a sentence
        lines.append(f"{capital(said)} – {each}")
    return bullets(lines)


def shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


# The methods paragraph: who rated what, and how each interval of this page was really made.


# What a way to make an interval is called in a sentence, some by the scale it is symmetric on.
CALLED = {
    ("jackknife", FISHER.name): "the jackknife on Fisher’s z with t",
    ("jackknife", LOGIT.name): "the jackknife on the logit with t",
    ("jackknife", LOG.name): "the jackknife on the logarithm with t",
    ("jackknife", FROM_ONE.name): "the jackknife on the logarithm with t",
    ("jackknife", ""): "the jackknife with t",
    ("linearised", ""): "the linearised variance on the logit with t",
    (WILSON, ""): "Wilson’s score",
    ("percentile bootstrap", ""): "the percentile bootstrap",
    ("BCa bootstrap", ""): "the BCa bootstrap",
    ("Gwet's linearised variance", ""): "Gwet’s linearised variance with t",
    ("F distribution", ""): "the F distribution",
}


def methods(report: Report) -> str:
    """What a reviewer asks: who rated what, how agreement and intervals were computed."""
    numbers, counted = report.numbers, report.counted
    items = counted.people["item"].dropna().nunique() or counted.people["case"].nunique()
    given = numbers.parameters
    coefficients = sorted(
        {
            name_of(row["statistic"])
            for row in numbers.rows
            if facts(row["statistic"]).is_coefficient and row["estimate"] is not None
        }
    )
    if numbers.look and numbers.look["hidden"]:
        return f"Nothing is counted yet under the protocol {numbers.protocol}."
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
    warned = {code for row in numbers.rows for code in row["warnings"]}
    said += [each.method for code, each in CAUTIONS.items() if each.method and code in warned]
    drawn = any(row["method"] and row["method"].name in DRAWN.values() for row in numbers.rows)
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


def intervals(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """“the jackknife with t (means)”: every method the rows name, with what it was used for."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row["low"] is None or not row["method"]:
            continue
        used = found.setdefault(called(row["method"]), [])
        if (what := facts(row["statistic"]).in_words) not in used:
            used.append(what)
    order = list(CALLED.values())
    return [
        f"{method} ({listing(used)})"
        for method, used in sorted(
            found.items(), key=lambda pair: order.index(pair[0]) if pair[0] in order else 99
        )
    ]


def called(method: How) -> str:
    return CALLED.get((method.name, method.scale)) or CALLED.get((method.name, "")) or method.name


def is_undefined(entry: Mapping[str, Any]) -> bool:
    """Whether there was nothing to compute again: the coefficient itself has no value."""
    from raterbook.analysis.estimate import REASONS

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


# What made a page: versions on the page; times, commit and dirty flag beside it, in run.json.


PACKAGES = [
    "raterbook",
    "numpy",
    "scipy",
    "pandas",
    "statsmodels",
    "krippendorff",
    "seaborn",
    "matplotlib",
    "papermill",
]


def versions() -> dict[str, str]:
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def run_record(head: Head | None, run: str = "") -> str:
    """run.json: what differs from run to run, kept off the page so that pages compare equal, and
    the newest link of the history, to hold the database to later (`raterbook verify`).

    `run` names the run that made this page and the others asked for with it.
    """
    record = {
        "history": {"head": head.digits, "links": head.links} if head else None,
        "run": run or None,
        "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        **commit(),
    }
    return json.dumps(record, indent=1) + "\n"


def commit() -> dict[str, str | bool | None]:
    """The commit of the checkout this code runs from, if it runs from one."""
    here = Path(__file__).parents[2]
    if not (here / ".git").exists():
        return {"commit": None, "dirty": None}
    try:
        head = git(here, "rev-parse", "HEAD")
        return {"commit": head, "dirty": bool(git(here, "status", "--porcelain"))}
    except (OSError, subprocess.SubprocessError):
        return {"commit": None, "dirty": None}


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(  # noqa: S603  (words of ours)
        ["git", *words],  # noqa: S607  (whichever git the user has)
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    return done.stdout.strip()
