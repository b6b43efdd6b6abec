"""What stands in the columns of a file, and the protocol that these columns suggest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from raterbook.files.table import Table
from raterbook.protocols.draft import SYSTEMS, Draft, DraftField, DraftQuestion
from raterbook.protocols.kinds import plain
from raterbook.protocols.protocol import VISIBLE
from raterbook.protocols.schema import number
from raterbook.rounds.frame import COLUMNS
from raterbook.rounds.model import FileError

LONG_TEXT = 200  # characters, on average: such a field is shown with search
FEW = 12  # different values at most, of a column that groups
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
    elif len(distinct) <= FEW and 2 * len(distinct) <= len(filled) and longest <= 40:
        kind = "labels"
    elif sum(map(len, filled)) > LONG_TEXT * len(filled) or any("\n" in each for each in distinct):
        kind = "long texts"
    else:
        kind = "texts"
    return ColumnFacts(name, kind, len(filled), len(distinct), longest, filled[0] if filled else "")


def _is_number(cell: str) -> bool:
    try:
        number(cell)
    except ValueError:
        return False
    return True


# A protocol of one's own, from the columns there are.


def draft_of(table: Table) -> Draft:
    """A draft for an items file like this one, or for a long file of answers."""
    if {"question", "value"} <= {plain(name) for name in table.columns}:
        return _draft_of_answers(table)
    facts = [each for each in examined(table) if each.name.strip() and plain(each.name) != "role"]
    rows = len(table.rows)
    column = {each.name: table.column(place) for place, each in enumerate(examined(table))}
    system = next((each.name for each in facts if plain(each.name) in SYSTEMS), None)
    key = _key(facts, column, system, rows, table.name)
    fields, groups = [], []
    for each in facts:
        if each.name in key and each.name != system:
            one = DraftField(each.name, "none")
        elif each.name == system:
            why = "raters must not know it"
            one = DraftField(each.name, "hidden", required=each.filled == rows, why=why)
        elif each.kind == "empty":
            one = DraftField(each.name, "none", required=False, why="nothing stands in it")
        elif alike(each.name, ["reference"]):
            why = "seen once an item is submitted"
            one = DraftField(each.name, "after", required=each.filled == rows, why=why)
        elif (
            each.kind == "labels"
            and each.distinct > 1
            and plain(each.name) not in COLUMNS
            and not alike(each.name, SHOWN)
        ):
            groups.append(each.name)
            why = "text, if raters may know it"
            one = DraftField(each.name, "hidden", required=each.filled == rows, why=why)
        elif each.kind == "numbers" and not alike(each.name, SHOWN):
            one = DraftField(each.name, "none", required=False, why="text, if raters need it")
        else:
            show = "long" if each.kind == "long texts" else "text"
            one = DraftField(each.name, show, required=each.filled == rows)
        fields.append(one)
    if not any(one.show in VISIBLE for one in fields):
        texts = [one for one in fields if one.name not in key and one.name != system]
        if not texts:
            raise FileError(
                f"{table.name} has no column for raters to read. Add one with the texts to judge."
            )
        fields = [replace(one, show="text", why="") if one is texts[-1] else one for one in fields]
        groups = [name for name in groups if name != texts[-1].name]
    if len(key) > 1:
        fields = [
            replace(one, of="case")
            if one.show in VISIBLE and _same_in_case(column[one.name], column[key[0]])
            else one
            for one in fields
        ]
    return Draft(
        "", fields=tuple(fields), key=key, case=key[0], system=system, groups=tuple(groups)
    )


def _key(
    facts: Sequence[ColumnFacts],
    column: Mapping[str, Sequence[str]],
    system: str | None,
    rows: int,
    name: str,
) -> tuple[str, ...]:
    """The column that names the rows, if need be together with the one that names the system."""
    ids = [each for each in facts if re.search(r"\b(id|uid|key|nr|number|item)$", plain(each.name))]
    rest = [
        each for each in facts if each not in ids and each.longest <= 60 and each.kind != "empty"
    ]
    for each in [*ids, *rest]:
        if each.name == system or each.filled < rows:
            continue
        cells = [cell.strip() for cell in column[each.name]]
        if system is not None and len(set(cells)) < rows:
            both = set(zip(cells, (cell.strip() for cell in column[system]), strict=True))
            if len(both) == rows:
                return each.name, system
        if len(set(cells)) == rows:
            return (each.name,)
    raise FileError(
        f"{name}: no column names its rows, each differently. Add a column id, numbered from 1."
    )


def _same_in_case(cells: Sequence[str], cases: Sequence[str]) -> bool:
    return len(set(zip(cases, cells, strict=True))) == len(set(cases))


def _draft_of_answers(table: Table) -> Draft:
    """The questions that a long file answers, each with the values it has there."""
    by = {plain(name): place for place, name in reversed(list(enumerate(table.columns)))}
    values: dict[str, dict[str, None]] = {}
    for row in table.rows:
        if row[by["question"]].strip() and row[by["value"]].strip():
            values.setdefault(row[by["question"]].strip(), {})[row[by["value"]].strip()] = None
    questions = tuple(_question(name, list(given)) for name, given in values.items())
    fields = (DraftField("id", "none"), DraftField("text", required=False, why="what was judged"))
    return Draft("", fields=fields, questions=questions, key=("id",), case="id", system=None)


def _question(name: str, values: Sequence[str]) -> DraftQuestion:
    id = re.sub(r"[^a-z0-9]+", "_", plain(name)).strip("_0123456789") or "rating"
    prompt = f"{name[:1].upper()}{name[1:]}?".replace("_", " ")
    if all(map(_is_number, values)):
        numbers = [number(each) for each in values]
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
