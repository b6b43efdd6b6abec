"""The annotation guide of a round: what its raters are asked, to hand out with the file.

Everything comes from the protocol. What raters must not know (hidden columns, the item's own
group, what is measured and which targets are set) is not in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raterbook.protocols import UNANSWERABLE, Example, Protocol, Question
from raterbook.protocols.conditions import in_words, same
from raterbook.rounds.exchange.content import label, put
from raterbook.rounds.exchange.guide_pages import Block, Heading, Lines, Steps, Table, Text, page
from raterbook.rounds.exchange.problems import FileError

if TYPE_CHECKING:
    from raterbook.rounds.stored import StoredRound


def write_guide(round: StoredRound | Protocol, file: str | Path) -> Path:
    """The guide as a page (.html) or as Markdown (.md, and on standard output)."""
    protocol, name = (round, "") if isinstance(round, Protocol) else (round.protocol, round.name)
    suffix = ".md" if str(file) == "-" else Path(file).suffix.lower()
    if suffix not in (".html", ".htm", ".md", ".markdown"):
        raise FileError(f"{label(file)}: a guide is a page or Markdown. Use .html or .md.")
    kind = "html" if suffix.startswith(".htm") else "markdown"
    put(page(list(blocks(protocol, name)), protocol.title, kind).encode(), file)
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
        yield Table(("Word", "Meaning"), tuple(entries.items()))
    for heading, text in protocol.reading.items():
        yield Heading(2, heading)
        yield Text(text)
    yield from _examples(protocol)
    yield from _file(protocol)


def _seen(protocol: Protocol) -> Iterator[Block]:
    visible = [field.label for field in protocol.item.fields.values() if field.visible]
    after = [field.label for field in protocol.item.fields.values() if field.show == "after"]
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
    if question.object and question.type in ("scale", "choice"):
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
        yield Table(("Answer", "When"), tuple(
            (option.label,
             "\n".join([option.description, *(f"Example: {each}" for each in option.examples)]))
            for option in question.options
        ))
    elif question.levels:
        yield Table(("Score", "When"), tuple(
            (f"{level.value} {level.name}", "\n".join([level.description, *level.indicators]))
            for level in sorted(question.levels, key=lambda level: -level.value)
        ))
    elif question.is_numeric:
        yield Text(f"A number from {question.min} to {question.max}.")
    if question.type == "scale" and question.step == 0:
        yield Text("Decimals are allowed.")
    if question.type == "answer":
        yield Text("Write <Unanswerable> where the text gives no answer.")
    if question.not_applicable:
        yield Table(("Not applicable", "When"), tuple(question.not_applicable.items()))
    if question.comment is not None:
        need = _must(protocol, protocol.question(f"{question.id}_comment"))
        yield Text(f"Comment: {question.comment.prompt} {need}")


def _must(protocol: Protocol, question: Question) -> str:
    if question.required is True:
        return "Required."
    if question.required is False:
        return "You may leave it open."
    return f"Required if {condition(protocol, question.required)}."


def condition(protocol: Protocol, given: Mapping[str, Any]) -> str:
    """A condition in words: “Accuracy is inaccurate, unsupported or disputed”."""
    return in_words(dict(given), lambda name: protocol.question(name).label)


def _examples(protocol: Protocol) -> Iterator[Block]:
    if protocol.examples:
        yield Heading(2, "Worked examples")
    for example in protocol.examples:
        yield Heading(3, example.title)
        labels = protocol.item.fields
        lines = [(labels[name].label if name in labels else name, text)
                 for name, text in example.fields.items()
                 if name not in labels or labels[name].visible]
        whole = {text.strip() for _, text in lines}
        if example.part and example.part.strip() not in whole:
            lines.append((protocol.parts.label if protocol.parts else "Part", example.part))
        yield Lines(tuple(lines))
        yield Table(*_judged(protocol, example))
        if example.note:
            yield Text(example.note)


def _judged(protocol: Protocol, example: Example) -> tuple[tuple[str, ...], tuple]:
    """Questions, answers as a rater reads them, and reasons where there are any."""
    rows = []
    for name, value in example.answers.items():
        question = protocol.question(name)
        if question.comment_of in example.answers:
            continue  # stands beside the answer it is about
        comment = example.answers.get(f"{name}_comment")
        why = [example.reasons.get(name, ""), f"Comment: {comment}" if comment else ""]
        rows.append((question.label, _in_words(question, value), "\n".join(filter(None, why))))
    if any(reason for _, _, reason in rows):
        return ("Question", "Answer", "Why"), tuple(rows)
    return ("Question", "Answer"), tuple(row[:2] for row in rows)


def _in_words(question: Question, value: Any) -> str:
    """The label of an option, a score with its name."""
    for option in question.options:
        if option.value == value:
            return option.label
    for level in question.levels:
        if same(level.value, value):
            return f"{value} ({level.name})"
    return f"{value} %" if question.type == "percent" else str(value)


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
        yield Text(f"{_and(cases)} are answered once for all texts about one {protocol.item.case}: "
                   f"write that {protocol.item.case} as item.")
    if any(question.not_applicable for question in protocol.questions):
        yield Text("Where a question does not apply, leave value empty, write not_applicable in a "
                   "column status and why in a column reason.")
    yield Table(("question", "value"), tuple(
        (question.id, _values(question)) for question in protocol.questions
    ))


def _and(words: Sequence[str]) -> str:
    *rest, last = words
    return f"{', '.join(rest)} and {last}" if rest else last


def _values(question: Question) -> str:
    if question.values is not None:
        return ", ".join(map(str, question.values))
    if question.is_numeric:
        return f"a number from {question.min} to {question.max}"
    if question.type == "answer":
        return f"a text, or {UNANSWERABLE}"
    return "a text"
