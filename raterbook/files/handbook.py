"""The annotation guide of a round: what its raters are asked, to hand out with the file.

Everything comes from the protocol. What raters must not know (hidden columns, the item's own
group, what is measured and which targets are set) is not in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape as as_html
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raterbook.files.content import label, put
from raterbook.files.names import condition
from raterbook.protocols import UNANSWERABLE, Example, Protocol, Question
from raterbook.protocols.handbook import asking
from raterbook.protocols.problems import joined, printable
from raterbook.rounds import items
from raterbook.rounds.model import PEOPLE, FileError, RoundError
from raterbook.rounds.snapshot import written

if TYPE_CHECKING:
    from raterbook.rounds import Round


# The codebook: what every column and every value of a round's data means.


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


def write_codebook(stored: Round, file: str | Path) -> Path:
    """The codebook as a Markdown file."""
    from raterbook.files.content import put

    path = Path(file)
    if str(file) != "-" and path.suffix.lower() not in (".md", ".markdown", ".txt"):
        raise RoundError(f"{path.name or path}: a codebook is Markdown: end its name in .md.")
    put(codebook(stored).encode(), file)
    return path


def codebook(stored: Round) -> str:
    """Columns, questions with their values, the items' fields, and the raters by pseudonym."""
    return page(list(_codebook(stored)), f"Codebook of {stored.name}", "markdown")


def _codebook(stored: Round) -> Iterator[Block]:
    protocol = stored.protocol
    status = stored.status()
    yield Heading(1, f"Codebook of {stored.name}")
    yield Text(
        f"Protocol {protocol.name} ({protocol.title}), {status['state']}; {status['items']} items "
        f"in {status['cases']} cases, {status['answers']} answers."
    )
    yield Text(f"Protocol hash {stored.protocol_hash}, data hash {stored.data_hash()}.")
    yield Heading(2, "Columns of the answers")
    yield TableBlock(("column", "meaning"), (*COLUMNS.items(), *_groups(stored)))
    yield Heading(2, "Questions")
    for question in protocol.questions:
        yield from _question_lines(question)
    yield Heading(2, "Fields of the items")
    seen = {"hidden": "no", "none": "no", "after": "once they submitted"}
    yield TableBlock(
        ("field", "label", "belongs to", "raters see it"),
        tuple(
            (name, field.label, field.of, seen.get(field.show, "yes"))
            for name, field in protocol.item.fields.items()
        ),
    )
    yield Heading(2, "Raters")
    yield TableBlock(
        ("rater", "kind", "version", "answers", "excluded because"),
        tuple(
            (
                each["pseudonym"] if each["kind"] in PEOPLE else each["rater"],
                each["kind"],
                each["version"] or "",
                str(each["answers"]),
                each["excluded"] or "",
            )
            for each in status["raters"]
        ),
    )


def _groups(stored: Round) -> list[tuple[str, str]]:
    fields = stored.protocol.item.fields
    return [
        (name, f"{fields[name].label if name in fields else name}: a column of the items")
        for name in items.group_columns(stored.protocol)
    ]


def _question_lines(question: Question) -> Iterator[Block]:
    """Its wording, then what its values mean."""
    facts = [
        f"type {question.type}" + (f" ({question.level})" if question.level else ""),
        f"of the {question.of}" + (", asked of each part" if question.per == "part" else ""),
    ]
    facts += (clause for clause in asking(question) if clause != "required")
    if question.covers:
        facts.append(f"confidence in {', '.join(question.covers)}")
    yield Heading(3, question.id)
    yield Text(question.prompt)
    yield Text("; ".join(facts) + ".")
    meanings = [(each.value, each.label, each.description) for each in question.options]
    meanings += [(written(each.value), each.name, each.description) for each in question.levels]
    if meanings:
        yield TableBlock(("value", "label", "meaning"), tuple(meanings))
    elif question.is_numeric:
        step = f" in steps of {written(question.step)}" if question.step else ""
        yield Text(f"Values {written(question.min)} to {written(question.max)}{step}.")


# Headings, texts, steps and tables as one HTML page or as Markdown, everything escaped.


STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; }
th, td { border: 1px solid #767676; padding: .3rem .6rem; text-align: left; vertical-align: top; }
th:first-child { width: 22%; }
td { white-space: pre-line; overflow-wrap: break-word; }
@media (max-width: 40rem) { h1 { font-size: 1.5rem; } th, td { padding: .2rem .4rem; } }
dt { font-weight: 600; } dd { margin: 0 0 .5rem 1rem; white-space: pre-line; }
@media print { body { margin: 0; max-width: none; } tr, dl { break-inside: avoid; } }
"""
# What Markdown could take for a sign of its own, anywhere or at the beginning of a line.
_SIGNS = re.compile(r"[$\\`*{}\[\]<>#|~!&]|(?<!\w)_|_(?!\w)")
_BEGINNINGS = re.compile(r"^(\s*)([-+]|\d+[.)](?=\s))", re.M)
# Formulas begin with these, and are looked for before anything else and, in Jupyter, once more in
# the page that was made: there the classes say that this sign begins none.
_FORMULAS = {
    sign: f'<span class="mathjax_ignore tex2jax_ignore">&#{ord(sign)};</span>' for sign in "$\\"
}


@dataclass(frozen=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class Steps:
    """A list, numbered where the order matters."""

    items: tuple[str, ...]
    numbered: bool = False


@dataclass(frozen=True)
class Lines:
    """Names and what is said of each."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class TableBlock:
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Text | Steps | Lines | TableBlock


def page(blocks: Sequence[Block], title: str, kind: str) -> str:
    """The blocks as a whole document."""
    if kind == "markdown":
        return "\n\n".join(_markdown(block) for block in blocks) + "\n"
    body = "\n".join(_html(block) for block in blocks)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _escape(text: str) -> str:
    return as_html(printable(text))


def _html(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"<h{level}>{_escape(text)}</h{level}>"
        case Text(text):
            return f"<p>{_escape(text)}</p>"
        case Steps(items, numbered):
            tag = "ol" if numbered else "ul"
            return f"<{tag}>{''.join(f'<li>{_escape(item)}</li>' for item in items)}</{tag}>"
        case Lines(pairs):
            inner = "".join(f"<dt>{_escape(a)}</dt><dd>{_escape(b)}</dd>" for a, b in pairs)
            return f"<dl>{inner}</dl>"
    head = "".join(f'<th scope="col">{_escape(cell)}</th>' for cell in block.head)
    rows = "".join(
        "<tr>" + "".join(f"<td>{_escape(cell)}</td>" for cell in row) + "</tr>"
        for row in block.rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _markdown(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"{'#' * level} {_plain(text)}"
        case Text(text):
            return _plain(text)
        case Steps(items, numbered):
            return "\n".join(
                f"{f'{number}.' if numbered else '-'} {_plain(item)}"
                for number, item in enumerate(items, 1)
            )
        case Lines(pairs):
            return "\n\n".join(f"**{_plain(a)}:** {_plain(b)}" for a, b in pairs)
    rows = [block.head, ("---",) * len(block.head)]
    cells = [[_plain(cell) for cell in row] for row in block.rows]
    lines = [*rows[:1], rows[1], *cells]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _plain(text: str) -> str:
    """A text that Markdown shows as it is; line breaks become <br>."""
    signs = _SIGNS.sub(lambda found: _FORMULAS.get(found[0], f"\\{found[0]}"), printable(text))
    escaped = _BEGINNINGS.sub(_marker, signs.strip())
    return "<br>".join(" ".join(line.split()) for line in escaped.splitlines())


def _marker(found: re.Match[str]) -> str:
    sign = found[2]
    return found[1] + (sign[:-1] + "\\" + sign[-1] if sign[-1] in ".)" else "\\" + sign)


def write_guide(round: Round | Protocol, file: str | Path) -> Path:
    """The guide as a page (.html) or as Markdown (.md, and on standard output)."""
    protocol, name = (round, "") if isinstance(round, Protocol) else (round.protocol, round.name)
    return write_page(list(blocks(protocol, name)), protocol.title, file, "a guide")


def write_page(blocks: Sequence[Block], title: str, file: str | Path, what: str) -> Path:
    """The blocks as the file's ending has it; `what` it is, for messages."""
    suffix = ".md" if str(file) == "-" else Path(file).suffix.lower()
    if suffix not in (".html", ".htm", ".md", ".markdown"):
        raise FileError(f"{label(file)}: {what} is a page or Markdown. Use .html or .md.")
    kind = "html" if suffix.startswith(".htm") else "markdown"
    put(page(blocks, title, kind).encode(), file)
    return Path(file)


def guide(protocol: Protocol, kind: str = "markdown", round: str = "") -> str:
    """The guide as text: html or markdown."""
    return page(list(blocks(protocol, round)), protocol.title, kind)


def blocks(protocol: Protocol, round: str = "") -> Iterator[Block]:
    """The guide's headings, texts, steps and tables, in order."""
    yield Heading(1, protocol.title)
    if round:
        yield Text(f"Annotation guide of the round {round}.")
    yield Text(protocol.about)
    yield Heading(2, "How to rate")
    yield Steps(tuple(protocol.instructions), numbered=True)
    yield from _seen(protocol)
    yield Heading(2, "What you are asked")
    for number, question in enumerate((q for q in protocol.questions if not q.comment_of), 1):
        yield from _question(protocol, question, number)
    if protocol.aid:
        yield Heading(2, "When you hesitate")
        yield Steps(tuple(protocol.aid), numbered=True)
    for name, entries in protocol.definitions.items():
        label = protocol.item.fields[name].label if name in protocol.item.fields else name
        yield Heading(2, label)
        yield TableBlock(("Word", "Meaning"), tuple(entries.items()))
    for heading, text in protocol.reading.items():
        yield Heading(2, heading)
        yield Text(text)
    yield from _examples(protocol)
    yield from _file(protocol)


def _seen(protocol: Protocol) -> Iterator[Block]:
    visible = [field.label for field in protocol.item.fields.values() if field.visible]
    after = [field.label for field in protocol.item.fields.values() if field.held]
    yield Heading(2, "What you see")
    lines = list(visible)
    if protocol.parts is not None:
        of = "item" if protocol.parts.of == "item" else "case"
        lines.append(f"{protocol.parts.label}: each {of} is judged piece by piece")
    yield Steps(tuple(lines))
    if after:
        yield Text(f"Shown once you have submitted an item: {', '.join(after)}.")


def _question(protocol: Protocol, question: Question, number: int) -> Iterator[Block]:
    yield Heading(3, f"{number}. {question.label}")
    yield Text(question.prompt)
    told = []
    if question.object and question.kind.is_judgement:
        told.append(f"Judge {question.object}.")
    if question.per == "part" and protocol.parts is not None:
        told.append(f"Asked about each {protocol.parts.label.lower()}.")
    if question.when and question.when == question.required:
        told.append(f"Asked, and required, only if {condition(protocol, question.when)}.")
    else:
        if question.when:
            told.append(f"Asked only if {condition(protocol, question.when)}.")
        told.append(_must(protocol, question))
    if question.help:
        told.append(question.help)
    yield Text(" ".join(told))
    if question.options:
        yield TableBlock(
            ("Answer", "When"),
            tuple(
                (
                    option.label,
                    "\n".join(
                        [option.description, *(f"Example: {each}" for each in option.examples)]
                    ),
                )
                for option in question.options
            ),
        )
    elif question.levels:
        yield TableBlock(
            ("Score", "When"),
            tuple(
                (f"{level.value} {level.name}", "\n".join([level.description, *level.indicators]))
                for level in sorted(question.levels, key=lambda level: -level.value)
            ),
        )
    elif question.is_numeric:
        yield Text(f"A number from {question.min} to {question.max}.")
    if question.is_score and question.step == 0:
        yield Text("Decimals are allowed.")
    if question.kind.has_unanswerable:
        yield Text(f"Write {UNANSWERABLE} where the text gives no answer.")
    if question.not_applicable:
        yield TableBlock(("Not applicable", "When"), tuple(question.not_applicable.items()))
    if question.comment is not None:
        need = _must(protocol, protocol.question(f"{question.id}_comment"))
        yield Text(f"Comment: {question.comment.prompt} {need}")


def _must(protocol: Protocol, question: Question) -> str:
    if question.required is True:
        return "Required."
    if question.required is False:
        return "You may leave it open."
    return f"Required if {condition(protocol, question.required)}."


def _examples(protocol: Protocol) -> Iterator[Block]:
    if protocol.examples:
        yield Heading(2, "Worked examples")
    for example in protocol.examples:
        yield Heading(3, example.title)
        labels = protocol.item.fields
        lines = [
            (labels[name].label if name in labels else name, text)
            for name, text in example.fields.items()
            if name not in labels or labels[name].visible
        ]
        whole = {text.strip() for _, text in lines}
        if example.part and example.part.strip() not in whole:
            lines.append((protocol.parts.label if protocol.parts else "Part", example.part))
        yield Lines(tuple(lines))
        yield TableBlock(*_judged(protocol, example))
        if example.note:
            yield Text(example.note)


def _judged(protocol: Protocol, example: Example) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Questions, answers as a rater reads them, and reasons where there are any."""
    rows = []
    for name, value in example.answers.items():
        question = protocol.question(name)
        if question.comment_of in example.answers:
            continue  # stands beside the answer it is about
        comment = example.answers.get(f"{name}_comment")
        why = [example.reasons.get(name, ""), f"Comment: {comment}" if comment else ""]
        rows.append(
            (question.label, question.kind.in_words(question, value), "\n".join(filter(None, why)))
        )
    if any(reason for _, _, reason in rows):
        return ("Question", "Answer", "Why"), tuple(rows)
    return ("Question", "Answer"), tuple(row[:2] for row in rows)


def _file(protocol: Protocol) -> Iterator[Block]:
    """How to write the answers into a file, for who rates outside of the form."""
    yield Heading(2, "If you rate in a file")
    yield Text(
        "Write one row per answer under the columns item, part, rater, question, value. Leave part "
        "empty for the whole item; pieces count from 1. Write your own name as rater, the same in "
        "every row. Save the file as CSV in UTF-8."
    )
    cases = [question.id for question in protocol.questions if question.of == "case"]
    if cases:
        yield Text(
            f"{joined(cases)} are answered once for all texts about one {protocol.item.case}: "
            f"write that {protocol.item.case} as item."
        )
    if any(question.not_applicable for question in protocol.questions):
        yield Text(
            "Where a question does not apply, leave value empty, write not_applicable in a "
            "column status and why in a column reason."
        )
    yield TableBlock(
        ("question", "value"),
        tuple((question.id, question.kind.takes(question)) for question in protocol.questions),
    )
