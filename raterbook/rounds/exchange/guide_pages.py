"""Headings, texts, steps and tables as one HTML page or as Markdown, everything escaped."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

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
_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~!&])")
_BEGINNINGS = re.compile(r"^(\s*)([-+]|\d+[.)])(?=\s)", re.M)


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
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Text | Steps | Lines | Table


def page(blocks: Sequence[Block], title: str, kind: str) -> str:
    """The blocks as a whole document."""
    if kind == "markdown":
        return "\n\n".join(_markdown(block) for block in blocks) + "\n"
    body = "\n".join(_html(block) for block in blocks)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _html(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"<h{level}>{escape(text)}</h{level}>"
        case Text(text):
            return f"<p>{escape(text)}</p>"
        case Steps(items, numbered):
            tag = "ol" if numbered else "ul"
            return f"<{tag}>{''.join(f'<li>{escape(item)}</li>' for item in items)}</{tag}>"
        case Lines(pairs):
            inner = "".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in pairs)
            return f"<dl>{inner}</dl>"
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in block.head)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in block.rows
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
    escaped = _BEGINNINGS.sub(_marker, _SIGNS.sub(r"\\\1", text.strip()))
    return "<br>".join(" ".join(line.split()) for line in escaped.splitlines())


def _marker(found: re.Match[str]) -> str:
    sign = found[2]
    return found[1] + (sign[:-1] + "\\" + sign[-1] if sign[-1] in ".)" else "\\" + sign)
