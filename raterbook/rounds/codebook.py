"""The codebook: what every column and every value of a round's data means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raterbook.protocols import Question
from raterbook.protocols.conditions import in_words
from raterbook.rounds import contents
from raterbook.rounds.model import RoundError
from raterbook.rounds.snapshot import written

if TYPE_CHECKING:
    from raterbook.rounds.stored import StoredRound

COLUMNS = {
    "round": "the round's name",
    "item": "the item's key; empty for answers about a case",
    "case": "what several systems answered; systems are compared on it",
    "part": "the number of the part, 0 (empty in files) for the whole",
    "rater": "who answered; a pseudonym where names are left out or erased",
    "rater_kind": "human, model, automatic (a label that came with the data), key or adjudicator",
    "question": "the question's id, below",
    "replicate": "which of a rater's repeated answers it is; 1 counts, all show stability",
    "value": "the answer as it is written below; numbers without needless decimals",
    "number": "the answer as a number, for scales and percentages",
    "status": "answered, not_applicable or skipped; retracted answers are left out",
    "confidence": "0–100, given with the answer or by the confidence question that covers it",
    "seconds": "how long the rater took, where it was measured",
    "revision": "1 for a first answer, 2 for one corrected once, …",
    "answered_at": "when, by the rater's clock if it was sent, else by the store's; UTC",
    "role": "main counts; training and gold items do not",
    "cluster": "items that resemble each other, for the width of intervals",
}


def write_codebook(stored: StoredRound, file: str | Path) -> Path:
    """The codebook as a Markdown file."""
    from raterbook.rounds.exchange.content import put

    path = Path(file)
    if str(file) != "-" and path.suffix.lower() not in (".md", ".markdown", ".txt"):
        raise RoundError(
            f"{path.name or path}: a codebook is Markdown: end its name in .md."
        )
    put(codebook(stored).encode(), file)
    return path


def codebook(stored: StoredRound) -> str:
    """Columns, questions with their values, the items' fields, and the raters by pseudonym."""
    protocol = stored.protocol
    status = stored.status()
    blocks = [
        f"# Codebook of {stored.name}",
        f"Protocol {protocol.name} ({protocol.title}), {status['state']}; {status['items']} items "
        f"in {status['cases']} cases, {status['answers']} answers.",
        f"Protocol hash `{stored.protocol_hash}`, data hash `{stored.data_hash()}`.",
        "## Columns of the answers",
        _table(("column", "meaning"), [*COLUMNS.items(), *_groups(stored)]),
        "## Questions",
    ]
    for question in protocol.questions:
        blocks += _question(question)
    blocks += [
        "## Fields of the items",
        _table(
            ("field", "label", "belongs to", "raters see it"),
            [(name, field.label, field.of, _seen(field.show))
             for name, field in protocol.item.fields.items()],
        ),
        "## Raters",
        _table(
            ("rater", "kind", "version", "answers", "excluded because"),
            [(each["pseudonym"] if each["kind"] in ("human", "adjudicator") else each["rater"],
              each["kind"], each["version"] or "", each["answers"], each["excluded"] or "")
             for each in status["raters"]],
        ),
    ]
    return "\n\n".join(blocks) + "\n"


def _groups(stored: StoredRound) -> list[tuple[str, str]]:
    fields = stored.protocol.item.fields
    return [
        (name, f"{fields[name].label if name in fields else name}: a column of the items")
        for name in contents.group_columns(stored.protocol)
    ]


def _question(question: Question) -> list[str]:
    """Its wording, then what its values mean."""
    facts = [
        f"type {question.type}" + (f" ({question.level})" if question.level else ""),
        f"of the {question.of}" + (", asked of each part" if question.per == "part" else ""),
    ]
    if question.when is not None:
        facts.append(f"asked when {in_words(question.when)}")
    if question.required is not True:
        optional = question.required is False
        facts.append("optional" if optional else f"required when {in_words(question.required)}")
    if question.covers:
        facts.append(f"confidence in {', '.join(question.covers)}")
    blocks = [f"### {question.id}", question.prompt, "; ".join(facts) + "."]
    if question.options:
        rows = [(each.value, each.label, each.description) for each in question.options]
        blocks.append(_table(("value", "label", "meaning"), rows))
    elif question.levels:
        levels = [(written(each.value), each.name, each.description) for each in question.levels]
        blocks.append(_table(("value", "label", "meaning"), levels))
    elif question.is_numeric:
        step = f" in steps of {written(question.step)}" if question.step else ""
        blocks.append(f"Values {written(question.min)} to {written(question.max)}{step}.")
    return blocks


def _seen(show: str) -> str:
    return {"hidden": "no", "none": "no", "after": "once they submitted"}.get(show, "yes")


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(value: Any) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")
