"""RAGQuestEval: recall and precision of each system, and who stands behind them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ...protocols.comparisons import facts
from ...protocols.statistics import of_family
from ...rounds.parts import writers
from ..html import NOTHING, Section, fold, heading, join, paragraph, table
from ..words import IN_HEAD, cell, count, name_of
from .systems import comparisons
from .trace import (
    by_question,
    csv_of,
    lost,
    same_meaning,
    samples_table,
    trace,
    trace_table,
    unusable,
)

if TYPE_CHECKING:
    from ..report import Report

AGGREGATES = {
    "macro": "average over cases",
    "micro": "over all questions pooled",
    "compatible": "as the upstream script computes it",
}
MEANING = (
    "Recall: of the questions that the reference answers, the share that the text answers too. "
    "Precision: the words both answers share (token F1), over the questions that both answer; "
    "“kept” divides by the questions the reference answers, “all” by every question asked."
)
AGAINST = (
    "Measured against the reference, not against the passages a system retrieved: what these held "
    "and the reference does not say cannot be seen here."
)


def coverage(report: Report) -> Section | None:
    """Recall and precision of each system under RAGQuestEval, with the trace behind them."""
    if not report.rows("recall") or not len(report.counted.people):
        return None
    pairs = trace(report)
    report.files["trace.csv"] = csv_of(pairs)
    traced = by_question(pairs)
    parts = [
        paragraph(AGAINST),
        *(paragraph(said) for said in warnings(report)),
        readings(report),
        elsewhere(report),
        other_readings(report),
        by_rater(report),
        same_meaning(report, pairs),
        unusable(traced),
        lost(traced),
        samples_table(pairs),
        trace_table(traced),
    ]
    return Section("Recall and precision", join(parts))


def warnings(report: Report) -> list[str]:
    """The baseline, and one family of models on both sides of a question."""
    found = []
    for kin in families(report):
        wrote = f"wrote {kin.written:,} of {count(kin.questions, 'question')}"
        if kin.name == "baseline":
            did = [said for said, done in ((wrote, kin.written), ("answers", kin.answers)) if done]
            found.append(
                f"The rule-based baseline {' and '.join(did)}: a lowest bar for trying things "
                "out, not a measurement."
            )
        elif kin.is_both:
            found.append(
                f"Models of one family, {kin.name} by their names, {wrote} and answer too. "
                "Such a family may ask what it finds easy to answer: let people or another family "
                "answer, or check the questions."
            )
    return [f"Warning. {said}" for said in found]


def readings(report: Report) -> Markup:
    """The averages over cases, one column a system."""
    names = columns(report)
    lines = [
        (facts(statistic).called, *cells)
        for statistic in of_family("coverage")
        if set(cells := line(report, statistic, "macro", names)) != {"–"}
    ]
    if not lines:
        return NOTHING
    caption = f"Recall and precision, {AGGREGATES['macro']}, per cent"
    return table(("Number", *names), lines, caption) + paragraph(MEANING, "soft")


def elsewhere(report: Report) -> Markup:
    """Where systems are compared; their intervals here, side by side, decide nothing."""
    if not any(row["question"] == "generated_answer" for row in comparisons(report)):
        return NOTHING
    said = (
        "Whether systems differ is said under Systems compared, where each case’s two numbers are "
        "set against each other."
    )
    return paragraph(said, "soft")


def other_readings(report: Report) -> Markup:
    names = columns(report)
    made = NOTHING
    for aggregate in ("micro", "compatible"):
        lines = [
            (facts(statistic).called, *cells)
            for statistic in of_family("coverage")
            if set(cells := line(report, statistic, aggregate, names)) != {"–"}
        ]
        if lines:
            caption = f"Recall and precision, {AGGREGATES[aggregate]}, per cent"
            made += table(("Number", *names), lines, caption)
    note = (
        "The upstream script counts a sample as 0 where no question can be answered from the "
        "reference, or none from the text; the other readings leave it out and say so."
    )
    return fold("Pooled, and as upstream", made + paragraph(note, "soft") if made else NOTHING)


def by_rater(report: Report) -> Markup:
    """People and models side by side, each with their own answers, where several answered."""
    raters = report.by("recall", "rater")
    if not raters:
        return NOTHING
    kinds = dict(
        zip(report.counted.given["rater"], report.counted.given["rater_kind"], strict=True)
    )
    kinds = {str(name): {"human": "person"}.get(kind, kind) for name, kind in kinds.items()}
    names = columns(report)
    lines = []
    for row in raters:
        rater = str(row["group"]["rater"])
        for statistic in ("recall", "precision"):
            cells = line(report, statistic, "macro", names, rater=rater)
            what = name_of(statistic)
            lines.append((f"{rater}, {kinds.get(rater, '')}", what, *cells, row["n_items"]))
    caption = f"Each rater’s own answers, {AGGREGATES['macro']}, per cent"
    head = ("Rater", "Number", *names, "Texts")
    note = (
        "Above, the answers of all people count alike where any person answered, else those of "
        "models: every pair of an answer from the reference and one from the text, each question "
        "as one. Here each rater is taken alone, with references and decisions of their own where "
        "they gave any."
    )
    return (
        heading("By who answered") + table(head, lines, caption, text=2) + paragraph(note, "soft")
    )


def columns(report: Report) -> list[str]:
    return report.system_names if report.system else ["all"]


def line(
    report: Report, statistic: str, aggregate: str, names: list[str], **group: str
) -> list[str]:
    rows = [
        row
        for row in report.numbers.rows
        if row["statistic"] == statistic and row["aggregate"] == aggregate
    ]
    found = {tuple(sorted((k, str(v)) for k, v in (r["group"] or {}).items())): r for r in rows}
    wanted = [{**group, **({report.system: name} if report.system else {})} for name in names]
    return [cell(found.get(tuple(sorted(each.items()))), IN_HEAD) for each in wanted]


# Who wrote the questions of a round, and whether the same family of models answers them.


ANSWERS = ("reference_answer", "generated_answer")
# Names under which one maker's models go beside the first word of the others.
KIN = {
    **dict.fromkeys(("chatgpt", "o", "davinci"), "gpt"),
    **dict.fromkeys(("mixtral", "ministral", "codestral", "magistral", "pixtral"), "mistral"),
    **dict.fromkeys(("codellama", "tinyllama"), "llama"),
    "gemma": "gemini",
    "qwq": "qwen",
}


@dataclass(frozen=True)
class Family:
    """What a family's models did: wrote so many of all questions, and whether they answer any."""

    name: str
    written: int
    questions: int
    answers: bool

    @property
    def is_both(self) -> bool:
        return bool(self.written and self.answers)


def family(model: str) -> str:
    """The first word of a model's name, without its maker's folder: llama of org/Llama-3.1-8B."""
    name = model.strip().rpartition("/")[2].lower()
    word = re.match(r"[^\W\d_]+", name)
    return KIN.get(word[0], word[0]) if word else name


def families(report: Report) -> list[Family]:
    """Every family of models with a part in the questions, those that wrote most first."""
    models: dict[str, str] = {}
    for rater in report.stored.raters():
        if rater.kind == "model":
            models[rater.name] = models[rater.pseudonym] = family(model_of(rater))
    given = report.counted.given
    answered = set(given.loc[given["question"].isin(ANSWERS), "rater"])
    answering = {models[name] for name in answered if name in models}
    written = [models.get(name, family(name)) for name in rater_names(report.stored, models)]
    total = sum(len(case.parts) for case in report.stored.cases())
    found = [
        Family(one, written.count(one), total, one in answering) for one in answering | set(written)
    ]
    return sorted(found, key=lambda kin: (-kin.written, kin.name))


def rater_names(stored: Any, known: Iterable[str] = ()) -> Iterable[str]:
    """The rater who wrote each question; those of people and files are left out.

    The prompts are noted behind the name in brackets; a `known` name may have brackets itself.
    """
    names = sorted(known, key=len, reverse=True)
    for by in writers(stored).values():
        given = (name for name in names if by == name or by.startswith(f"{name} ("))
        yield next(given, by.rpartition(" (")[0] or by)


def model_of(rater: Any) -> str:
    """The model a run noted at the head of the rater’s version, else the rater’s name."""
    model, noted, _ = (rater.version or "").partition(", ")
    return model if noted and ", prompts " in rater.version else rater.name
