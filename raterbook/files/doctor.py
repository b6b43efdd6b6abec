"""What a file holds, which protocols it could serve, what is missing, and how to go on."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import raterbook.files.content as content
from raterbook.files.columns import alike, draft_of, examined
from raterbook.files.formats import FORMATS, SEPARATORS, named, read_file, separator
from raterbook.files.items import read_items
from raterbook.files.layouts import LAYOUTS
from raterbook.files.layouts.layout import Incoming
from raterbook.files.layouts.long import is_long
from raterbook.files.layouts.wide import wide_columns
from raterbook.files.names import (
    Subjects,
    item_names,
    known_columns,
    needed_columns,
    question_names,
    rater_headers,
)
from raterbook.files.table import Columns, Records, Table, spellings
from raterbook.protocols import Protocol, parse
from raterbook.protocols.kinds import plain
from raterbook.protocols.problems import nearest
from raterbook.rounds import Round
from raterbook.rounds.model import FileError, Problems, counted, listed, shown

# Which protocols its columns could serve.


@dataclass(frozen=True)
class Fit:
    """One protocol and one file: its fields under the file's headers, and what is not there."""

    protocol: Protocol
    name: str  # what commands call it: its name, or its file
    headers: Mapping[str, str] = field(default_factory=dict)  # where they are called otherwise
    present: int = 0  # fields that the file has
    lacking: tuple[str, ...] = ()
    problem: str = ""  # why its rows cannot be items of it

    @property
    def fits(self) -> bool:
        return not self.lacking and not self.problem


def fit(table: Table, protocol: Protocol, name: str, bare: bool = False) -> Fit:
    """How far a table's columns serve a protocol, its rows read as `open` would read them."""
    known = known_columns(protocol)
    spelt = spellings(known)
    placed: dict[str, str] = {}
    for header in table.columns:
        if meant := spelt.get(plain(header)):
            placed.setdefault(meant, header)
    needed = needed_columns(protocol, bare)
    # A header that cannot be printed cannot stand in a command either.
    free = [
        header
        for header in table.columns
        if header not in placed.values() and header.strip() and header.isprintable()
    ]
    headers: dict[str, str] = {}
    for each in [*needed, *(known if not bare else ())]:
        if each in placed or each in headers or each == "role":
            continue
        if (found_as := _meant(each, protocol, free, named=each in needed)) is not None:
            headers[each] = found_as
            free.remove(found_as)
    lacking = tuple(each for each in needed if each not in placed and each not in headers)
    found = Fit(protocol, name, headers, len(placed) + len(headers), lacking)
    if lacking:
        return found
    try:
        read_items(table, protocol, bare, headers=headers)
    except FileError as error:
        return replace(found, problem=error.problems[0])
    return found


def _meant(name: str, protocol: Protocol, free: Sequence[str], named: bool) -> str | None:
    """The free header that this field most likely has in the file; only for fields that are needed
    a guess by likeness."""
    one = protocol.item.fields.get(name)
    words = [plain(name), *([plain(one.label)] if one else [])]
    by = {plain(header): header for header in reversed(free)}
    for word in words:
        if word in by:
            return by[word]
    if not named:
        return None
    for word in alike(name):
        if word in by:
            return by[word]
    near = nearest(words[0], by, 0.8)
    return by[near] if near is not None else None


# Answers: who gave them, to what, about how many items.


@dataclass(frozen=True)
class AnswersFound:
    """What a file of answers says of itself."""

    layout: str
    raters: tuple[str, ...]
    questions: tuple[str, ...]
    items: tuple[str, ...]
    per_item: tuple[int, int, int]  # raters of an item: fewest, usual, most
    unread: tuple[str, ...] = ()  # columns that no question has

    @classmethod
    def of(
        cls, layout: str, questions: Iterable[str], said: Iterable[tuple[str, str]]
    ) -> AnswersFound:
        """From pairs of an item and who said something about it; "" is nobody named."""
        pairs = {pair: None for pair in said if pair[0]}
        counts = sorted(Counter(item for item, who in pairs if who).values()) or [0]
        usual = counts[len(counts) // 2]
        return cls(
            layout,
            tuple(dict.fromkeys(who for _, who in pairs if who)),
            tuple(questions),
            tuple(dict.fromkeys(item for item, _ in pairs)),
            (counts[0], usual, counts[-1]),
        )

    @property
    def plan(self) -> int | None:
        """How many raters each item was to have, where not all have all."""
        return self.per_item[1] if self.per_item[2] < len(self.raters) else None


def answers_in(file: Table | Records, protocols: Sequence[Protocol]) -> AnswersFound | None:
    """What there is of answers, or None where the file holds items."""
    if isinstance(file, Records):
        return _of_tool(file, protocols)
    if is_long(file, protocols[0]):
        return _of_long(file, protocols)
    asking = [(_columns_of_questions(file, protocol), protocol) for protocol in protocols]
    asking = [each for each in asking if each[0]]
    if not asking:
        return None
    questions, protocol = max(asking, key=lambda each: len(each[0]))
    columns = Columns(file, wide_columns(protocol), Problems(file.name))
    raters = [cell.strip() for cell in columns.cells("rater")]
    found = AnswersFound.of(
        "wide", questions, zip(item_names(columns, protocol), raters, strict=True)
    )
    unread = (name for name in columns.placed if name not in columns.known)
    return replace(found, unread=tuple(unread))


def _columns_of_questions(table: Table, protocol: Protocol) -> list[str]:
    """The headers that are questions, where the file says who answered about which item too."""
    try:
        columns = Columns(table, wide_columns(protocol), Problems(table.name))
    except FileError:
        return []
    if "rater" not in columns or not ("item" in columns or protocol.item.key[0] in columns):
        return []
    ids = {question.id for question in protocol.questions}
    return [table.columns[place] for name, place in columns.placed.items() if name in ids]


def _of_long(table: Table, protocols: Sequence[Protocol]) -> AnswersFound | None:
    """By the columns item, rater, question and value, or what protocols call the first two."""
    by = table.places()
    heads = ["rater", *(plain(word) for one in protocols for word in rater_headers(one))]
    rater = next((by[word] for word in heads if word in by), None)
    keys = [plain(word) for one in protocols for word in (one.item.key[0], one.item.case)]
    item = next((by[w] for w in ("item", "item id", "subject", *keys, "case") if w in by), None)
    if item is None:
        return None
    questions = dict.fromkeys(cell.strip() for cell in table.column(by["question"]) if cell.strip())
    said = zip(table.column(item), table.column(rater), strict=True)
    return AnswersFound.of("long", questions, ((one.strip(), who.strip()) for one, who in said))


def _of_tool(file: Records, protocols: Sequence[Protocol]) -> AnswersFound:
    """An annotation tool's records, as the protocol reads them that finds most answers in them."""
    best, name = AnswersFound("json", (), (), (), (0, 0, 0)), "json"
    most = 0
    for protocol in protocols:
        layout = next((one for one in LAYOUTS.values() if one.is_in(file, protocol)), None)
        if layout is None or layout.read is None:
            continue
        name = layout.name
        try:
            answers, _ = layout.read(Incoming(file, protocol, Problems(file.name)))
        except FileError:
            continue
        if len(answers) > most:
            most = len(answers)
            questions = dict.fromkeys(each.question for each in answers)
            best = AnswersFound.of(name, questions, ((each.item, each.rater) for each in answers))
    return best if most else replace(best, layout=name)


# What it comes to.


@dataclass(frozen=True)
class Diagnosis:
    """Lines for a person, and the commands among them."""

    lines: tuple[str, ...]
    commands: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True)
class Doctor:
    """Who looks at a file: the protocols there are, by the name commands have for them, and the
    rounds of the workspace. `command` is what a command begins with."""

    protocols: Mapping[str, Protocol]
    rounds: Sequence[Round] = ()
    command: str = "raterbook"

    def look(self, source: str | Path) -> Diagnosis:
        """Says what is in the file; a file that cannot be read is refused as it always is."""
        file = read_file(source)
        asking = [round.protocol for round in self.rounds] + [*self.protocols.values()]
        found = answers_in(file, asking)
        lines = list(_contents(file, str(source)))
        if isinstance(file, Table) and not file.rows:
            return Diagnosis(
                (*lines, "", "No rows under the header: there is nothing to rate."), ()
            )
        if found is not None:
            said, commands = self._answers(file, found, str(source))
        else:
            assert isinstance(file, Table)
            said, commands = self._items(file, str(source))
        lines += ["", *said]
        if commands:
            lines += ["", "Go on with:", *(f"  {each}" for each in commands)]
        return Diagnosis(tuple(lines), tuple(commands))

    def _items(self, table: Table, source: str) -> tuple[list[str], list[str]]:
        fits = [fit(table, protocol, name) for name, protocol in self.protocols.items()]
        fits.sort(key=lambda each: (-each.present, len(each.headers)))
        good = [each for each in fits if each.fits]
        said = ["Items, one in a row. Which protocols they could serve:"]
        width = max(len(each.name) for each in fits)
        said += [
            f"  {each.name:<{width}}  {_how(each)}"
            for each in [*good, *(e for e in fits if not e.fits)]
        ]
        commands = [self._open(each, source) for each in good[:1]]
        new = _new_name(source, self.protocols)
        making = f"{self.command} protocols --new {new} --from {shlex.quote(source)}"
        if good:
            said += ["", f"A protocol of your own for these columns: {making}"]
            return said, commands
        if who := self._rated(table):
            return [
                f"Answers, a row for each item and rater, as its column {shown(who)} says; but no "
                "protocol known here asks what its other columns answer. Make one of the file with "
                "the items; then this says how to go on:",
                f"  {self.command} protocols --new NAME --from ITEMS.csv --ask …",
                f"  {self.command} doctor {shlex.quote(source)} --protocol NAME.yaml",
            ], []
        try:
            own = fit(table, parse(replace(draft_of(table), name=new).text()), new)
        except ValueError as error:
            return [*said, "", f"Nor can one be made of its columns: {error}"], []
        if own.problem:
            return [*said, "", f"One could be made of its columns, but {own.problem}"], []
        opening = f"{self.command} open {self._round(source)} --protocol {new}.yaml --items "
        return said, [making, opening + shlex.quote(source)]

    def _rated(self, table: Table) -> str | None:
        """The column that is called after raters, where it takes one to name a row."""
        words = {plain(word) for one in self.protocols.values() for word in rater_headers(one)}
        who = next((each for each in table.columns if plain(each) in {"rater", *words}), None)
        try:
            return who if who in draft_of(table).key else None
        except ValueError:
            return who

    def _open(self, each: Fit, source: str, *more: str) -> str:
        """The command that opens a round of this file."""
        words = [self.command, "open", self._round(source), "--protocol", shlex.quote(each.name)]
        words += ["--items", shlex.quote(source)]
        if each.headers:
            pairs = ",".join(f"{name}={_header(header)}" for name, header in each.headers.items())
            words += ["--map", shlex.quote(pairs)]
        return " ".join([*words, *more])

    def _round(self, source: str) -> str:
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(source).stem).strip("-_")[:50] or "round-01"
        taken = {round.name for round in self.rounds}
        return next(n for n in (stem, *(f"{stem}-{k}" for k in range(2, 10**6))) if n not in taken)

    def _answers(
        self, file: Table | Records, found: AnswersFound, source: str
    ) -> tuple[list[str], list[str]]:
        if found.layout not in LAYOUTS:
            return ["Records of no tool that is known. Use .jsonl for one object per line."], []
        said = [f"Answers, in the layout {found.layout}: {LAYOUTS[found.layout].title}."]
        if not found.items:
            said.append("No protocol known here finds its questions and items in it.")
        else:
            few, usual, most = found.per_item
            each = f"{few} to {most}, mostly {usual}" if few < most else str(most)
            said.append(
                f"Raters: {len(found.raters):,} ({listed(found.raters, 10)})."
                if found.raters
                else "Raters: no column says who; import takes --rater NAME."
            )
            said.append(f"Items: {len(found.items):,}, each with answers of {each}.")
            said.append(f"Questions: {listed(found.questions, 20)}.")
            if found.unread:
                said.append(f"Not read, as no question: {listed(found.unread, 20)}.")
        rater = [] if found.raters else ["--rater", "NAME"]
        for round in self.rounds:
            if (
                round.state == "open"
                and self._asks(round.protocol, found.questions)
                and _has(round, found.items)
            ):
                said.append(f"The round {round.name} asks these questions about these items.")
                return said, [
                    " ".join([self.command, "import", round.name, shlex.quote(source), *rater])
                ]
        asking = [n for n, p in self.protocols.items() if self._asks(p, found.questions)]
        if isinstance(file, Records):
            taking = f"{self.command} import ROUND {shlex.quote(source)}"
            said.append(f"Open a round of its items first; then: {taking}")
            return said, []
        said.append(
            f"No round here asks this. These protocols ask these questions: {listed(asking)}."
            if asking
            else "No protocol known here asks these questions; one can be made from the file."
        )
        try:
            return said, self._opening(file, found, asking, source, rater)
        except ValueError as error:
            return [*said, f"Nothing to go on with: {error}"], []

    def _opening(
        self,
        file: Table,
        found: AnswersFound,
        asking: Sequence[str],
        source: str,
        rater: Sequence[str],
    ) -> list[str]:
        """A round of what the file says of its items, without their texts, and then its answers."""
        first: list[str] = []
        if asking:
            fits = [fit(file, self.protocols[name], name, bare=True) for name in asking]
        elif found.layout == "long":
            new = _new_name(source, self.protocols)
            draft = replace(draft_of(file), name=new)
            first = [f"{self.command} protocols --new {new} --from {shlex.quote(source)}"]
            fits = [fit(file, parse(draft.text()), f"{new}.yaml", bare=True)]
        else:
            return []
        plan = [f"--per-item {found.plan}"] if found.plan else []
        good = next((each for each in fits if each.fits), None)
        if good is None:
            return []
        name = self._round(source)
        taking = " ".join([self.command, "import", name, shlex.quote(source), *rater])
        return [*first, self._open(good, source, "--bare", *plan), taking]

    @staticmethod
    def _asks(protocol: Protocol, questions: Iterable[str]) -> bool:
        names = question_names(protocol)
        return all(plain(each) in names for each in questions) and bool(list(questions))


def _has(round: Round, items: Sequence[str]) -> bool:
    """Whether all these are items or cases of the round."""
    known = Subjects((item.key, item.case) for item in round.items())
    return bool(items) and all(each in known.items or each in known.cases for each in items)


def _header(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if re.search(r'[,="]', text) else text


def _new_name(source: str, taken: Iterable[str]) -> str:
    stem = re.sub(r"[^a-z0-9]+", "-", Path(source).stem.lower()).strip("-") or "mine"
    return f"{stem}-protocol" if stem in taken else stem


def _how(each: Fit) -> str:
    also = ", ".join(f"{name} from {shown(header)}" for name, header in each.headers.items())
    if each.lacking:
        return f"lacks {listed(each.lacking)}" + (f" ({also})" if also else "")
    if each.problem:
        return f"has the columns, but {each.problem}"
    return "yes" + (f", with {also}" if also else "")


def _contents(file: Table | Records, source: str) -> Iterator[str]:
    """The file's format, size, columns and what is odd about it."""
    format = FORMATS[named(Path(source).suffix.lower(), reading=True) or ".csv"]
    if isinstance(file, Records):
        yield f"{file.name}: {format.title}, {counted(len(file.records), 'record')}."
        yield from file.notes
        return
    how = [format.title]
    if file.original is not None:
        mark, _ = separator(file.original.text, file.name)
        how += [file.original.encoding.upper(), f"separated by {SEPARATORS[mark]}"]
    elif format.lines and source != "-":
        how.append(content.decode(content.read_bytes(source), file.name).encoding.upper())
    size = f"{counted(len(file.rows), 'row')}, {counted(len(file.columns), 'column')}"
    yield f"{file.name}: {', '.join(how)}; {size}."
    yield from file.notes
    facts = examined(file)
    rows = [["column", "holds", "filled", "different", "longest", "such as"]]
    rows += [
        [
            shown(each.name, 30),
            each.kind,
            f"{each.filled:,}",
            f"{each.distinct:,}",
            f"{each.longest:,}",
            shown(each.example, 30),
        ]
        for each in facts
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield (
            "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        ).rstrip()
    blank = {
        each.name.strip() or f"column {place}, which has no name": len(file.rows) - each.filled
        for place, each in enumerate(facts, 1)
        if each.filled < len(file.rows)
    }
    if blank:
        yield "Blank: " + listed(f"{many:,} in {name}" for name, many in blank.items()) + "."
    twice = len(file.rows) - len({tuple(row) for row in file.rows})
    if twice:
        yield f"Said twice: {counted(twice, 'row')} the same as another."
