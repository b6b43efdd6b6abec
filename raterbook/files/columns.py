"""What stands in the columns of a file, and the protocol that these columns suggest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from raterbook.files.table import Table
from raterbook.protocols.draft import SYSTEMS, DraftField, DraftQuestion, ProtocolDraft
from raterbook.protocols.kinds import plain
from raterbook.protocols.protocol import VISIBLE
from raterbook.protocols.schema import number
from raterbook.rounds.frame import COLUMNS
from raterbook.rounds.model import FileError

LONG_TEXT = 200  # characters, on average: such a field is shown with search
FEW = 12  # different values at most, of a column that groups
MOST_QUESTIONS = 500
ENDS = (".", "?", "!", "…", "。", "？", "！")  # of a sentence, which is read and is no label
# What people call the same thing; the first that a protocol has is meant.
ALIKE = {
    "id": "id, item, item id, uid, key, sample, sample id, question id, qid, nr",
    "question": "question, prompt, query, input, instruction, user message",
    "answer": "answer, response, output, model output, generated answer, generated, completion, "
    "generation, generated text, reply, model answer, model response",
    "context": "context, passage, passages, source, source context, document, documents, article, "
    "evidence, retrieved",
    "reference": "ground truth, reference, gold, gold answer, reference answer, expected, target",
    "text": "text, feedback, essay, document",
    "system": ", ".join(SYSTEMS),
}
_ID = re.compile(r"\b(id|uid|key|nr|no|number|item|ref)$")
_CODE = re.compile(r"\S{1,40}")
SHOWN = ("question", "answer", "context", "text")  # what raters read


def alike(name: str, what: Iterable[str] = ALIKE) -> list[str]:
    """Every other name of what a column of this name is about."""
    words = [ALIKE[each].split(", ") for each in what]
    return [word for each in words if plain(name) in each for word in each]


@dataclass(frozen=True)
class ColumnFacts:
    """One column: what its cells are, how many are filled, how many differ."""

    name: str
    kind: str
    filled: int
    distinct: int
    longest: int
    example: str


def examined(table: Table) -> list[ColumnFacts]:
    """Every column of a table."""
    return [_facts(name, table.column(place)) for place, name in enumerate(table.columns)]


def _facts(name: str, cells: Sequence[str]) -> ColumnFacts:
    filled = [cell for cell in cells if cell.strip()]
    distinct = set(filled)
    longest = max(map(len, filled), default=0)
    if not filled:
        kind = "empty"
    elif all(map(_is_number, distinct)):
        kind = "numbers"
    elif (
        len(distinct) <= FEW
        and 2 * len(distinct) <= len(filled)
        and longest <= 40
        and not all(each.rstrip().endswith(ENDS) for each in distinct)
    ):
        kind = "labels"
    elif sum(map(len, filled)) > LONG_TEXT * len(filled) or any("\n" in each for each in distinct):
        kind = "long texts"
    else:
        kind = "texts"
    return ColumnFacts(name, kind, len(filled), len(distinct), longest, filled[0] if filled else "")


def _is_number(cell: str) -> bool:
    try:
        _number(cell)
    except ValueError:
        return False
    return True


def _number(cell: str) -> int | float:
    """A number, with a point or a decimal comma; three digits after a comma can be thousands.

    >>> _number("0,5"), _number("4.0")
    (0.5, 4)
    """
    comma = re.fullmatch(r"\s*(-?\d+),(\d{1,2}|\d{4,})\s*", cell, re.ASCII)
    return number(f"{comma[1]}.{comma[2]}" if comma else cell)


# A protocol of one's own, from the columns there are.


def draft_of(table: Table) -> ProtocolDraft:
    """A draft for an items file like this one, or for a long file of answers."""
    if {"question", "value"} <= table.places().keys():
        return _draft_of_answers(table)
    facts = [each for each in examined(table) if each.name.strip() and plain(each.name) != "role"]
    rows = len(table.rows)
    column = {name: table.column(place) for place, name in enumerate(table.columns)}
    names = _names(facts, column, rows, table.name)
    fields = [_field(each, names, rows) for each in facts]
    naming = {*names.key, names.case, names.system}
    if not any(one.show in VISIBLE for one in fields):
        texts = [one.name for one in fields if one.name not in naming]
        if not texts:
            raise FileError(
                f"{table.name} has no column for raters to read. Add one with the texts to judge."
            )
        fields = [DraftField(each.name) if each.name == texts[-1] else each for each in fields]
    if len(set(column[names.case])) < rows:
        fields = [
            replace(one, of="case")
            if one.show in VISIBLE and _same_in_case(column[one.name], column[names.case])
            else one
            for one in fields
        ]
    groups = tuple(one.name for one in fields if one.show == "hidden" and one.name not in naming)
    return ProtocolDraft("", "", tuple(fields), (), names.key, names.case, names.system, groups)


def _field(each: ColumnFacts, names: _Names, rows: int) -> DraftField:
    """What becomes of a column: what raters may know is shown, the rest is not until it is said."""
    required = each.filled == rows
    is_read = bool(alike(each.name, SHOWN))
    if each.name == names.system or plain(each.name) in SYSTEMS:
        return DraftField(each.name, "hidden", "item", required, "raters must not know it")
    if each.name in names.key or (each.name == names.case and not is_read):
        return DraftField(each.name, "none")
    if each.kind == "empty":
        return DraftField(each.name, "none", "item", False, "nothing stands in it")
    if alike(each.name, ["reference"]):
        return DraftField(each.name, "after", "item", required, "seen once an item is submitted")
    if each.kind == "labels" and not is_read:
        if plain(each.name) in COLUMNS or each.distinct < 2:
            return DraftField(each.name, "none", "item", required, "text, if raters need it")
        return DraftField(each.name, "hidden", "item", required, "text, if raters may know it")
    if each.kind == "numbers" and not is_read:
        return DraftField(each.name, "none", "item", False, "text, if raters need it")
    return DraftField(each.name, "long" if each.kind == "long texts" else "text", "item", required)


@dataclass(frozen=True)
class _Names:
    """Which columns name an item, its case and its system."""

    key: tuple[str, ...]
    case: str
    system: str | None


def _names(
    facts: Sequence[ColumnFacts], column: Mapping[str, Sequence[str]], rows: int, name: str
) -> _Names:
    """The first column that is different in every row, or with another that then is the system."""
    cells = {each.name: [cell.strip() for cell in column[each.name]] for each in facts}
    whole = [each for each in facts if each.filled == rows]
    systems = [each.name for each in whole if plain(each.name) in SYSTEMS]
    labels = [each.name for each in whole if each.kind == "labels" and each.distinct > 1]
    ids = [each for each in whole if _ID.search(plain(each.name))]
    codes = [
        each
        for each in whole
        if each not in ids and all(_CODE.fullmatch(cell) for cell in cells[each.name])
    ]

    def are_apart(*names: str) -> bool:
        return len(set(zip(*(cells[each] for each in names), strict=True))) == rows

    for each in [*ids, *codes]:
        if each.name in systems:
            continue
        if are_apart(each.name):
            system = systems[0] if systems else None
            cases = [*ids, *(one for one in whole if alike(one.name, ["question"]))]
            for one in cases if system else []:
                if one.name not in (each.name, system) and are_apart(one.name, system or ""):
                    return _Names((each.name,), one.name, system)
            return _Names((each.name,), each.name, system)
        for system in systems or labels:
            if system != each.name and are_apart(each.name, system):
                return _Names((each.name, system), each.name, system)
    raise FileError(
        f"{name}: no column names its rows, each differently. Add a column id, numbered from 1."
    )


def _same_in_case(cells: Sequence[str], cases: Sequence[str]) -> bool:
    return len(set(zip(cases, cells, strict=True))) == len(set(cases))


def _draft_of_answers(table: Table) -> ProtocolDraft:
    """The questions that a long file answers, each with the values it has there."""
    by = table.places()
    values: dict[str, dict[str, None]] = {}
    for row in table.rows:
        if row[by["question"]].strip() and row[by["value"]].strip():
            values.setdefault(row[by["question"]].strip(), {})[row[by["value"]].strip()] = None
    if len(values) > MOST_QUESTIONS:
        raise FileError(
            f"{table.name} has {len(values):,} different texts in its column of questions, and a "
            f"draft asks {MOST_QUESTIONS} at most. Look whether the column is one of questions."
        )
    questions = tuple(_question(name, list(given)) for name, given in values.items())
    fields = (DraftField("id", "none"), DraftField("text", required=False, why="what was judged"))
    return ProtocolDraft(
        "", fields=fields, questions=questions, key=("id",), case="id", system=None
    )


def _question(name: str, values: Sequence[str]) -> DraftQuestion:
    id = re.sub(r"[^a-z0-9]+", "_", plain(name)).strip("_0123456789") or "rating"
    prompt = f"{name[:1].upper()}{name[1:]}?".replace("_", " ")
    if all(map(_is_number, values)):
        numbers = [_number(each) for each in values]
        whole = all(isinstance(each, int) for each in numbers)
        low, high = min(numbers), max(numbers)
        if whole and low >= 0 and high <= 10:
            ends = (min(1, low), max(5, high) if high <= 5 else max(high, 10 if high > 7 else 7))
            return DraftQuestion(prompt, "scale", id, ends)
        if low >= 0 and high <= 100 and not any(0 < each < 1 for each in numbers):
            return DraftQuestion(prompt, "percent", id)
    if 2 <= len(values) <= FEW and max(map(len, values)) <= 40:
        return DraftQuestion(prompt, "choice", id, options=tuple(values))
    return DraftQuestion(prompt, "text", id)
