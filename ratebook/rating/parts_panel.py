"""A small panel to mend how an item was split, one part a line, until its first answer."""

from __future__ import annotations

import ipywidgets as widgets

from ratebook.rounds import PartRow, RoundError, StoredRound


class PartsPanel(widgets.VBox):
    """Choose an item, edit its lines, save. What was refused says why; nothing is half-done."""

    def __init__(self, round: StoredRound):
        spec = round.protocol.parts
        if spec is None:
            raise RoundError(
                f"{round.protocol.name} asks about whole items: there are no parts to edit."
            )
        if spec.fields:  # a line has room for the text alone
            raise RoundError(
                f"Parts of {round.protocol.name} carry {', '.join(spec.fields)} too: edit them in "
                f"a file, with `ratebook parts {round.name} FILE`."
            )
        self._round, self._of = round, spec.of
        self.chosen = widgets.Dropdown(
            options=[each.key for each in self._subjects()], description=spec.of.capitalize()
        )
        self.lines = widgets.Textarea(
            layout=widgets.Layout(width="100%", height="18em"),
            description="One a line",
        )
        self.button = widgets.Button(description="Save the parts")
        self.said = widgets.Label()
        self.chosen.observe(lambda _: self.show(), names="value")
        self.button.on_click(lambda _: self.save())
        super().__init__([self.chosen, self.lines, self.button, self.said])
        self.show()

    def show(self) -> None:
        """The parts as they are stored now."""
        self.lines.value = "\n".join(self._texts())
        self.said.value = ""

    def save(self) -> None:
        """Store the lines as the item's parts; retired numbers are never used again."""
        texts = [line.strip() for line in self.lines.value.splitlines() if line.strip()]
        if texts == self._texts():
            self.said.value = "Nothing changed."
            return
        if not texts:
            self.said.value = "Nothing was saved: leave at least one line."
            return
        rows = [PartRow(self.chosen.value, None, text) for text in texts]
        try:
            self._round.set_parts(self.chosen.value, rows, "edited in the panel")
        except RoundError as refused:
            self.said.value = str(refused)
            return
        self.said.value = f"Saved {len(texts)} parts of {self.chosen.value}."

    def _subjects(self):
        return self._round.cases() if self._of == "case" else self._round.items()

    def _texts(self) -> list[str]:
        one = next(each for each in self._subjects() if each.key == self.chosen.value)
        return [" ".join(part.text.split()) for part in one.parts]
