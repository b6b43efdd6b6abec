"""A protocol as readable text, for a terminal."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Iterator

from raterbook.protocols.conditions import in_words
from raterbook.protocols.library import load
from raterbook.protocols.measures import Measure, Target
from raterbook.protocols.protocol import Protocol
from raterbook.protocols.questions import Question

WIDTH = 96


def check(path: str | os.PathLike[str], protocol: Protocol | None = None) -> str:
    """One line that says a protocol file is sound; a ProtocolError says what is wrong with it."""
    protocol = protocol or load(path)
    number = len(protocol.questions)
    questions = f"{number} question{'s' * (number != 1)}"
    return (
        f"{os.fspath(path)}: {protocol.name} is sound ({questions}, "
        f"{len(protocol.measures)} measures, {len(protocol.targets)} targets; "
        f"content {protocol.hash[:12]})"
    )


def overview(protocols: Iterable[Protocol]) -> str:
    """One line for each protocol: its name and what it is about."""
    listed = list(protocols)
    width = max((len(protocol.name) for protocol in listed), default=0)
    return "\n".join(f"{protocol.name:<{width}}  {protocol.title}" for protocol in listed)


def show(protocol: Protocol) -> str:
    """The whole protocol as plain text."""
    lines = [f"{protocol.name}: {protocol.title}", "", *_wrapped(protocol.about)]
    lines += _section("How to rate", _numbered(protocol.instructions))
    lines += _section("Columns of the items file", _columns(protocol))
    if protocol.parts is not None:
        lines += _section("Parts", _parts(protocol))
    for number, question in enumerate(protocol.questions, 1):
        heading = f"Question {number}: {question.id}"
        lines += _section(heading, _question(question))
    if len(protocol.stages) > 1:
        stages = _numbered(", ".join(ids) for ids in protocol.stages)
        lines += _section("Asked in this order", stages)
    lines += _section("Decision aid", _numbered(protocol.aid))
    for name, entries in protocol.definitions.items():
        told = (line for value, text in entries.items() for line in _entry(value, text))
        lines += _section(f"Definitions: {protocol.item.fields[name].label}", told)
    for title, text in protocol.reading.items():
        lines += _section(title, _wrapped(text, "  "))
    lines += _section("Worked examples", _examples(protocol))
    lines += _section(
        "Measures", (line for measure in protocol.measures for line in _measure(measure))
    )
    lines += _section("Targets", (f"  {_target(target)}" for target in protocol.targets))
    return "\n".join(lines) + "\n"


def _section(title: str, body: Iterable[str]) -> list[str]:
    lines = list(body)
    return ["", title, "-" * len(title), *lines] if lines else []


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


def _entry(head: str, text: str, indent: str = "  ") -> list[str]:
    hanging = indent + "    "
    return textwrap.wrap(f"{head}: {text}", WIDTH, initial_indent=indent, subsequent_indent=hanging)


def _numbered(steps: Iterable[str]) -> Iterator[str]:
    for number, step in enumerate(steps, 1):
        yield from textwrap.wrap(
            f"{number}. {step}", WIDTH, initial_indent="  ", subsequent_indent="     "
        )


_SHOWN = {
    "text": "shown",
    "long": "shown, with search",
    "markdown": "shown with its headings, lists, tables and code",
    "code": "shown as code, line for line",
    "formula": "shown as a formula",
    "triples": "shown as a table of triples",
    "none": "not shown",
    "hidden": "hidden from raters",
    "after": "shown once the item is submitted",
}


def _columns(protocol: Protocol) -> Iterator[str]:
    item = protocol.item
    for name, field in item.fields.items():
        facts = [_SHOWN[field.show]]
        if field.of == "case":
            facts.append("the same in all items of a case")
        if field.optional:
            facts.append("optional")
        if field.answers is not None:
            facts.append(f"holds the {field.answers.kind} answers of {field.answers.rater!r}")
        if field.exchange is not None:
            facts.append(f"holds answers to {field.exchange!r} in files that go to and fro")
        yield from _entry(name, "; ".join(facts))
        for value, aliases in field.values.items():
            yield from _wrapped(
                f"{value}, also {', '.join(aliases)}" if aliases else value, "      "
            )
    yield f"  An item is named by {' and '.join(item.key)}, a case by {item.case}."
    for role, column in (("Systems are told apart", item.system), ("Clusters", item.cluster)):
        if column:
            yield f"  {role} by {column}."
    if item.groups:
        yield f"  Numbers are also given by {', '.join(item.groups)}."


def _parts(protocol: Protocol) -> Iterator[str]:
    parts = protocol.parts
    if parts is None:
        return
    origin = "from a parts file" if parts.source == "file" else f"from {parts.source}"
    split = ", split into sentences" if parts.split == "sentences" else ""
    yield f"  {parts.label}s of each {parts.of}, {origin}{split}."
    for name, field in parts.fields.items():
        yield from _entry(name, _SHOWN[field.show])


def _question(question: Question) -> Iterator[str]:
    yield from _wrapped(question.prompt, "  ")
    if question.help:
        yield from _wrapped(question.help, "  ")
    facts = [question.kind.summary(question)]
    if question.of == "case":
        facts.append("once for each case")
    if question.per == "part":
        facts.append("for each part")
    facts += asking(question)
    if question.shows:
        facts.append(f"shows {', '.join(question.shows)}")
    if question.covers:
        facts.append(f"speaks of {', '.join(question.covers)}")
    yield from _wrapped(f"[{'; '.join(facts)}]", "  ")
    for level in question.levels:
        yield from _entry(f"{level.value} {level.name}", level.description)
        for indicator in level.indicators:
            yield from _wrapped(f"- {indicator}", "        ")
    for option in question.options:
        yield from _entry(option.value, option.description)
        for example in option.examples:
            yield from _wrapped(f"e.g. {example}", "        ")
    for code, reason in question.not_applicable.items():
        yield from _entry(f"not applicable ({code})", reason)


def asking(question: Question) -> Iterator[str]:
    """When the question is put and when it must be answered, a clause for each."""
    if question.when is not None:
        yield f"asked when {in_words(question.when)}"
    if isinstance(question.required, dict):
        yield f"required when {in_words(question.required)}"
    else:
        yield "required" if question.required else "optional"


def _examples(protocol: Protocol) -> Iterator[str]:
    for number, example in enumerate(protocol.examples, 1):
        yield f"  {number}. {example.title}"
        for name, text in example.fields.items():
            yield from _entry(protocol.item.fields[name].label, text, "     ")
        if example.part and protocol.parts is not None:
            yield from _entry(protocol.parts.label, example.part, "     ")
        for id, value in example.answers.items():
            reason = f" ({example.reasons[id]})" if id in example.reasons else ""
            yield from _entry(f"→ {id}", f"{value}{reason}", "     ")
        if example.note:
            yield from _wrapped(example.note, "     ")


def _measure(measure: Measure) -> list[str]:
    words = [measure.statistic]
    if measure.question:
        words.append("of " + ", ".join(tuple(measure.recode or ()) or measure.question))
    if measure.by:
        words.append("by " + ", ".join(" × ".join(columns) for columns in measure.by))
    return textwrap.wrap(" ".join(words), WIDTH, initial_indent="  ", subsequent_indent="      ")


def _target(target: Target) -> str:
    bound = f"≥ {target.at_least}" if target.at_least is not None else f"≤ {target.at_most}"
    question = f" of {target.question}" if target.question else ""
    return f"{target.name}: {target.statistic}{question} {bound}"
