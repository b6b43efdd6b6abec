"""A small panel to write or mend the parts of an item or case, until its first answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import ipywidgets as widgets

from raterbook.rounds import PartRow, Round, RoundError
from raterbook.widgets import PANEL, Keyboard, Picker, close

if TYPE_CHECKING:
    from raterbook.rounds import Case, Item


class PartsPanel(widgets.VBox):
    """Choose an item or case, edit its lines, save. A refusal says why; nothing is half-done.

    Above the lines stands what they are about: the text they were cut from, or of a case its own
    fields, so that nobody who writes its questions sees what a system answered.
    """

    def __init__(self, round: Round):
        spec = round.protocol.parts
        if spec is None:
            raise RoundError(
                f"{round.protocol.name} asks about whole items: there are no parts to edit."
            )
        needed = [name for name, field in spec.fields.items() if field.required]
        if needed:  # a line has room for the text alone
            raise RoundError(
                f"Parts of {round.protocol.name} need {', '.join(needed)} too: edit them in "
                f"a file, with `raterbook parts {round.name} FILE`."
            )
        self._round, self._of, self._source = round, spec.of, spec.source
        self._noun = spec.label.lower()
        wide = {"width": "99%"}
        self.chosen = Picker(spec.of.capitalize(), (each.key for each in self._subjects()))
        self.texts = widgets.VBox()
        self.lines = widgets.Textarea(
            layout=widgets.Layout(height="14em", **wide),
            placeholder=f"One {self._noun} a line",
            # Sent whole when it is left: at every keystroke, the last ones can come after a click.
            continuous_update=False,
        )
        self.button = widgets.Button(
            description=f"Save the {self._noun}s",
            layout=widgets.Layout(width="auto", align_self="flex-start"),
        )
        # A Label would read formulas; an HTML widget, markup.
        self.said = widgets.Text(
            disabled=True,
            layout=widgets.Layout(**wide),
            style={"text_color": "var(--jp-ui-font-color0)"},
        )
        self.chosen.observe(lambda _: self.show(), names="value")
        self.button.on_click(lambda _: self.save())
        super().__init__(
            [
                self.chosen,
                self.texts,
                widgets.Label(f"Its {self._noun}s, one a line"),
                self.lines,
                self.button,
                self.said,
                Keyboard(),
            ]
        )
        self.add_class(PANEL).add_class("mathjax_ignore")
        self.show()

    def show(self) -> None:
        """The parts as they are stored now, under what they are about."""
        self.lines.value = "\n".join(part.text for part in self._parts())
        before = self.texts.children
        self.texts.children = [
            widgets.Textarea(
                value=text,
                disabled=True,
                layout=widgets.Layout(width="99%", height=height),
                description=label,
                tooltip=label,
                style={"text_color": "var(--jp-ui-font-color0)"},
            )
            for label, text, height in self._fields()
        ]
        for text in before:
            close(text)
        self.said.value = ""

    def save(self) -> None:
        """Store the lines as the parts; retired numbers are never used again."""
        there = self._parts()
        texts = [line.strip() for line in self.lines.value.splitlines() if line.strip()]
        if texts == [part.text for part in there]:
            self.said.value = "Nothing changed."
            return
        if not texts:
            self.said.value = "Nothing was saved: leave at least one line."
            return
        key = self.chosen.value
        kept = {part.text: part.fields for part in there}  # what stands beside an unchanged line
        rows = [PartRow(key, None, text, kept.get(text, {})) for text in texts]
        try:
            self._round.set_parts(key, rows, "edited in the panel")
        except RoundError as refused:
            self.said.value = str(refused)
            return
        self.said.value = f"Saved {len(texts)} {self._noun}{'s' * (len(texts) > 1)} of {key}."

    def _subjects(self) -> Sequence[Item | Case]:
        return self._round.cases() if self._of == "case" else self._round.items()

    def _parts(self) -> list[PartRow]:
        """With the fields raters do not see, so that an edit of one line loses none."""
        key = self.chosen.value
        with self._round.store.read() as connection:
            seen, inside = self._round.look(connection), self._round.inside(connection)
            number = (seen.cases if self._of == "case" else seen.items)[key].id
            return [
                PartRow(key, part, " ".join(text.split()), inside.of(number, part))
                for part, text in inside.parts.get(number, [])
            ]

    def _fields(self) -> Iterator[tuple[str, str, str]]:
        """Label, text and height of what the lines are about."""
        fields = self._round.protocol.item.fields
        one = next(each for each in self._subjects() if each.key == self.chosen.value)
        for name, text in one.fields.items():
            field = fields[name]
            wanted = name == self._source if self._source in fields else field.of == self._of
            if text and field.visible and wanted:
                yield (
                    field.label,
                    text,
                    "9em" if field.show in ("long", "markdown", "code") else "3em",
                )
