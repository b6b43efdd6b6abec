"""A new round by hand: a protocol, its items with their columns, who rates what, and a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ipywidgets as widgets
from markupsafe import Markup

from raterbook.files import FileError, ItemFile, read_items
from raterbook.files.doctor import fit
from raterbook.files.formats import endings, read_table
from raterbook.files.names import known_columns
from raterbook.files.table import Columns, Table
from raterbook.panels.controls import (
    Drawn,
    DroppedFile,
    Notice,
    box,
    button,
    comma_separated,
    refusal,
    tick,
)
from raterbook.protocols import Protocol, load, names
from raterbook.protocols import show as in_words
from raterbook.reporting.html import bullets, fold, heading, paragraph, part, table
from raterbook.rounds.model import Problems, counted, listed, shown
from raterbook.rounds.plan import Mix
from raterbook.widgets import close, row, show

# What raters see of a field, as the protocol says it.
SEEN = {"none": "not shown", "hidden": "hidden from raters", "after": "shown once submitted"}
FIRST = 60  # signs of the first value of a column


class OpeningPanel(widgets.VBox):
    """Four steps to an open round; a step is there once the one before it is sound."""

    def __init__(self, workspace: Any, opened: Callable[[Any, list[str]], None]):
        self._workspace, self._opened = workspace, opened
        self._items: ItemFile | None = None
        self._table: Table | None = None
        self._placed: dict[str, str] = {}
        self._guessed: dict[str, str] = {}
        self.notice = Notice()
        self._choose_protocol()
        self._choose_items()
        self._choose_plan()
        self.name = box(widgets.Text, "Name", value=self._free_name())
        self.button = button("Open the round", self.notice, self._open, button_style="primary")
        self._last = widgets.VBox([Drawn(), row(self.name, self.button)])
        self._last.children[0].draw(heading("4 · Open"))
        super().__init__([self._protocol, self._file, self._plan, self._last, self.notice])
        self._read_protocol()

    # 1, the protocol

    def _choose_protocol(self) -> None:
        listed_ = [(f"{name}: {load(name).title}", name) for name in names()]
        self.protocol = box(
            widgets.Dropdown, "Protocol", options=[("choose one", ""), *listed_], width="44rem"
        )
        self.own = box(
            widgets.Text,
            "or a file",
            placeholder="a protocol of your own: the path of its YAML",
            width="44rem",
        )
        self.reading = Drawn()
        head = Drawn()
        head.draw(heading("1 · What is asked"))
        self._protocol = widgets.VBox([head, self.protocol, self.own, self.reading])
        for one in (self.protocol, self.own):
            one.observe(self._read_protocol, "value")

    def _read_protocol(self, _: Any = None) -> None:
        self.asked: Protocol | None = None
        self.reading.draw()
        self.notice.draw()
        given = self.own.value.strip() or self.protocol.value
        try:
            self.asked = load(given) if given else None
        except (ValueError, OSError) as error:
            self.notice.refuse(error)
        if self.asked is not None:
            self.reading.draw(
                paragraph(self.asked.about),
                fold("The whole protocol", part("code", in_words(self.asked))),
            )
            needs = self.asked.parts is not None and self.asked.parts.source == "file"
            show(self.parts, needs)
            self.items.words = (
                f"Drop the items file here, or choose it: {listed(known_columns(self.asked))}"
            )
        show(self._file, self.asked is not None)
        self._read_file()

    # 2, the items

    def _choose_items(self) -> None:
        formats = endings("texts", "values")
        self.items = DroppedFile("Drop the items file here, or choose it.", formats, self.notice)
        self.path = box(widgets.Text, "or its path", placeholder="data/items.csv", width="44rem")
        self.parts = DroppedFile(
            "Drop the parts file here (item, part, text), where there is one already.",
            formats,
            self.notice,
        )
        self.bare = tick("without texts: to be analysed, not rated")
        self.columns = widgets.HBox(layout=widgets.Layout(flex_flow="row wrap"))
        self.understood = Drawn()
        head = Drawn()
        head.draw(heading("2 · The items"))
        self._file = widgets.VBox(
            [head, self.items, self.path, self.bare, self.parts, self.columns, self.understood]
        )
        self.items.observe(self._dropped, "path")
        self.path.observe(self._typed, "value")
        self.bare.observe(self._understand, "value")

    def _dropped(self, change: Any) -> None:
        """Of a file that was dropped and a path that was typed the later one is meant."""
        if change.new:
            self.path.value = ""
        self._read_file()

    def _typed(self, change: Any) -> None:
        if change.new.strip():
            self.items.forget()
        self._read_file()

    @property
    def source(self) -> str:
        """Where the items lie: as they were dropped, or by their path from the workspace."""
        typed = self.path.value.strip()
        return self.items.path or (str(self._workspace.path / Path(typed)) if typed else "")

    def _read_file(self, _: Any = None) -> None:
        """The file's headers, each under the field that it most likely is: as it is spelt, else
        where its name or its cells suggest it."""
        self._table, self._placed, self._guessed = None, {}, {}
        before, self.columns.children = self.columns.children, ()
        for one in before:
            close(one)
        if self.asked is not None and self.source:
            known = known_columns(self.asked)
            try:
                self._table = read_table(self.source)
            except (FileError, OSError) as error:
                self._wrong(error)
                return
            headers = self._table.columns
            try:
                placed = Columns(self._table, known, Problems(self._table.name)).placed
                self._placed = {n: headers[place] for n, place in placed.items() if n in known}
            except FileError:
                pass  # said below, and a choice mends it
            self._guessed = dict(fit(self._table, self.asked, "", self.bare.value).headers)
            self.columns.children = [self._column(name, headers) for name in known]
        self._understand()

    def _column(self, name: str, headers: Sequence[str]) -> Any:
        there = self._placed.get(name, self._guessed.get(name))
        nothing = [] if name in self._placed else [("not in the file", "")]
        options = nothing + [(header, header) for header in dict.fromkeys(headers) if header]
        one = widgets.Dropdown(
            description=name,
            options=options,
            value=there or "",
            style={"description_width": "10em"},
            layout=widgets.Layout(width="26em"),
        )
        one.observe(self._understand, "value")
        return one

    @property
    def headers(self) -> dict[str, str]:
        """Field → header, where the file calls it otherwise: as `raterbook open --map` has it."""
        chosen = {one.description: one.value for one in self.columns.children}
        return {
            n: header for n, header in chosen.items() if header and header != self._placed.get(n)
        }

    def _understand(self, _: Any = None) -> None:
        """What the file says, as the round would have it, or every row that is wrong."""
        self._items = None
        self.understood.draw()
        if self._table is not None and self.asked is not None:
            try:
                self._items = read_items(
                    self.source, self.asked, self.bare.value, headers=self.headers
                )
            except (ValueError, OSError) as error:
                self._wrong(error)
                return
            self.understood.draw(*self._found(self._items))
            self._offer_columns(self._items)
        show(self._plan, self._items is not None)
        show(self._last, self._items is not None)

    def _wrong(self, error: Exception) -> None:
        self._items = None
        head = "Not yet sound: mend the file, or the columns."
        self.understood.draw(*refusal(error, head))
        show(self._plan, False)
        show(self._last, False)

    def _found(self, found: ItemFile) -> list[Markup]:
        assert self.asked is not None
        cases = len({one.case for one in found.rows})
        roles = Counter(one.role for one in found.rows)
        apart = ", ".join(f"{n:,} {role}" for role, n in roles.items() if len(roles) > 1)
        size = f"{found.source}: {counted(len(found.rows), 'item')} in {counted(cases, 'case')}"
        rows = [(name, self._use(name), self._header(name), first) for name, first in firsts(found)]
        head = ("Column", "What becomes of it", "In the file", "Its first value")
        return [
            part("standing", "met", "met", size + (f" ({apart})." if apart else ".")),
            bullets(notes) if (notes := [*self._guesses(), *found.notes]) else Markup(),
            table(head, rows, "The columns as they were read", text=4),
        ]

    def _guesses(self) -> list[str]:
        """What nobody said yet: a header that is taken for a field it is not named after."""
        chosen = self.headers
        return [
            f"{name} is taken from “{shown(header, FIRST)}”, by its name: choose another column "
            "above if that is wrong."
            for name, header in self._guessed.items()
            if chosen.get(name) == header
        ]

    def _header(self, name: str) -> str:
        return self.headers.get(name) or self._placed.get(name) or name

    def _use(self, name: str) -> str:
        assert self.asked is not None
        spec = self.asked.item
        field = spec.fields.get(name)
        names = [what for what, is_it in (
            ("the item", name in spec.key), ("its case", name == spec.case),
            ("its cluster", name == spec.cluster),
        ) if is_it]  # fmt: skip
        said = [f"names {' and '.join(names)}"] if names else []
        if field is None:
            said.append("kept, not shown to raters" if not names else "")
        elif field.show != "none" or not names:
            said.append(SEEN.get(field.show, "shown to raters"))
        if field is not None and field.answers is not None:
            said.append(f"answers of {field.answers.rater}")
        return "; ".join(filter(None, said))

    # 3, the raters and the plan

    def _choose_plan(self) -> None:
        self.raters = box(
            widgets.Textarea, "Raters", placeholder="a name a line, or with commas", rows=4
        )
        self.per_item = box(
            widgets.BoundedIntText, "Raters an item", value=0, min=0, max=999, width="16em"
        )
        self.cluster = box(widgets.Dropdown, "Cluster", options=[("", "")])
        self.sample = box(widgets.BoundedIntText, "Draw", value=0, min=0, max=10**9, width="18em")
        self.by = box(widgets.SelectMultiple, "in proportion to", rows=4, options=[])
        self.seed = box(widgets.IntText, "Seed", value=0, width="16em")
        self.gold = box(
            widgets.BoundedFloatText, "Share of gold", value=0, min=0, max=1, step=0.05,
            width="18em",
        )  # fmt: skip
        self.training = box(
            widgets.BoundedIntText, "Training first", value=0, min=0, max=10**6, width="18em"
        )
        self.looks = box(
            widgets.Text, "Early looks", placeholder="none; else how many, or shares: 25%,50%,100%",
            width="36em",
        )  # fmt: skip
        self.shares = Drawn()
        head = Drawn()
        head.draw(heading("3 · Who rates what"))
        self._mix = row(self.gold, self.training)
        drawing = widgets.VBox([row(self.sample, self.seed), self.by, self.cluster, self._mix])
        self.drawing = widgets.Accordion(
            [drawing],
            titles=["A sample, clusters, the seed"],
            layout=widgets.Layout(max_width="44rem"),
        )
        self._plan = widgets.VBox(
            [head, self.raters, self.per_item, self.shares, self.looks, self.drawing]
        )
        for one in (self.raters, self.per_item, self.sample):
            one.observe(self._share, "value")

    def _offer_columns(self, found: ItemFile) -> None:
        """What a sample can be drawn by, and intervals clustered by: the columns there are."""
        assert self.asked is not None
        own = self.asked.item.cluster
        before = (self.cluster.value, self.by.value)
        usual = f"as the protocol has it: {own}" if own else "none: items are independent"
        self.cluster.options = [(usual, ""), *((name, name) for name in found.columns)]
        self.by.options = list(found.columns)
        if before[0] in found.columns:
            self.cluster.value = before[0]
        self.by.value = [name for name in before[1] if name in found.columns]
        self.roles = Counter(one.role for one in found.rows)
        self.training.value = self.roles["training"]
        show(self._mix, len(self.roles) > 1)
        self._share()

    def people(self) -> list[str]:
        """The names that were typed, in their order."""
        return comma_separated(self.raters.value)

    def _share(self, _: Any = None) -> None:
        """What the plan means for one rater."""
        if self._items is None:
            return
        people, items = len(self.people()), self.sample.value or self.roles["main"]
        each = min(self.per_item.value or people, people)
        if not people:
            said = "Nobody yet: raters can be added later, or come in with a file of answers."
        elif each == people:
            said = f"{counted(people, 'rater')}: everybody rates all {counted(items, 'item')}."
        else:
            said = (
                f"{people} raters, {each} for each item: about "
                f"{counted(-(-items * each // people), 'item')} for everybody."
            )
        self.shares.draw(paragraph(said + " 0 raters an item means everybody.", "soft"))

    # 4, open

    def _free_name(self) -> str:
        taken = set(self._workspace.rounds())
        return next(name for n in range(1, 10**6) if (name := f"round-{n:02d}") not in taken)

    def _open(self) -> list[str]:
        if self._items is None or self.asked is None:
            raise FileError("Choose a protocol and its items first.")
        mixed = self.gold.value or self.training.value != self.roles["training"]
        opened = self._workspace.open(
            self.name.value.strip(),
            self.asked,
            self.source,
            parts=self.parts.path or None,
            raters=self.people(),
            headers=self.headers,
            per_item=self.per_item.value or None,
            sample=self.sample.value or None,
            by=self.by.value,
            cluster=self.cluster.value or None,
            bare=self.bare.value,
            seed=self.seed.value,
            mix=Mix(gold=self.gold.value, training=self.training.value) if mixed else None,
            looks=self.looks.value.strip() or None,
        )
        found = counted(len(opened.items()), "item")
        lines = [f"{opened.name} is open: {found} of {opened.protocol.name}.", *opened.notes]
        self._opened(opened, lines)
        return lines


def firsts(found: ItemFile) -> list[tuple[str, str]]:
    """Each column with the first value that stands in it, cut short."""
    first = {
        name: next((one.fields[name] for one in found.rows if one.fields.get(name)), "")
        for name in found.columns
    }
    return [(name, shown(" ".join(value[:1_000].split()), FIRST)) for name, value in first.items()]
