"""What panels are made of: sentences, buttons, files that are dropped, boxes with a label.

Nothing is captured as output: what is said goes into widgets of its own, as text.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets as widgets
import traitlets
from markupsafe import Markup

from raterbook.design import css
from raterbook.files import FileError
from raterbook.files.content import label, refuse_large
from raterbook.reporting.html import bullets, dressed, join, part
from raterbook.rounds import RoundError
from raterbook.rounds.model import message

PAUSE = 2.0  # seconds between two looks at a round that others fill
LABEL = "9em"  # the room for labels, so that boxes stand below one another
BESIDE = {"room": "4em", "width": "27em"}  # a box that stands beside another


class Drawn(widgets.HTML):
    """HTML in the page's own look, in which every text is text."""

    def draw(self, *pieces: Markup) -> None:
        self.value = dressed(join(pieces)) if any(pieces) else ""


class Notice(Drawn):
    """What came of the last click: sentences, or why it was refused; read aloud as it comes."""

    def __init__(self) -> None:
        super().__init__()
        self.add_class("rb-outcome")

    def say(self, lines: Iterable[str]) -> None:
        self.draw(*(part("standing", "met", "met", line) for line in lines if line))

    def refuse(self, error: BaseException) -> None:
        self.draw(*refusal(error))


def refusal(error: BaseException, head: str = "") -> tuple[Markup, Markup]:
    """Why something was refused, in a line and those below it; `head` stands before all."""
    first, *rest = [head] * bool(head) + message(error).splitlines() or [""]
    return part("standing", "missed", "missed", first), bullets(rest) if rest else Markup()


def button(words: str, said: Notice, act: Callable[[], Sequence[str] | None], **how: Any) -> Any:
    """A button: `act` has the sentences to say, or an error; it rests until that is done."""
    made = widgets.Button(description=words, layout=widgets.Layout(width="auto"), **how)

    def clicked(_: Any) -> None:
        if made.disabled:
            return
        made.disabled = True
        try:
            lines = act()
        except Exception as error:  # whatever it was, people read a sentence
            said.refuse(error)
        else:
            if lines is not None:
                said.say(lines)
        finally:
            made.disabled = False

    made.on_click(clicked)
    return made


def box(kind: Any, label: str, **how: Any) -> Any:
    """A field with its label before it. A text is sent whole when it is left: at every keystroke
    the last ones can come after a click."""
    if issubclass(kind, widgets.Text | widgets.Textarea):
        how = {"continuous_update": False, **how}
    layout = widgets.Layout(width=how.pop("width", "32em"), max_width="99%")
    style = {"description_width": how.pop("room", LABEL)}
    return kind(description=label, style=style, layout=layout, **how)


def tick(label: str, value: bool = False) -> Any:
    layout = widgets.Layout(width="auto", margin="2px 2em 2px 2px")
    return widgets.Checkbox(value, description=label, indent=False, layout=layout)


def comma_separated(text: str) -> list[str]:
    """Names that were typed, in their order: one a line, or with commas or semicolons."""
    return [name.strip() for name in re.split(r"[\n,;]", text) if name.strip()]


# A file that is dropped, or chosen.


SCRIPT = """
const PIECE = 1 << 20; // a message to the kernel must not be larger than ten of these

export default {
  render({ model, el }) {
    const label = document.createElement("label");
    const words = document.createElement("span");
    const input = document.createElement("input");
    input.type = "file";
    input.accept = model.get("accept");
    label.className = "rb-drop";
    const button = document.createElement("b");
    button.textContent = "Choose a file";
    label.append(words, button, input);
    el.append(label);
    const say = () => (words.textContent = model.get("words"));
    model.on("change:words", say);
    say();
    const send = async (file) => {
      if (!file) return;
      for (let at = 0; at === 0 || at < file.size; at += PIECE) {
        const piece = await file.slice(at, at + PIECE).arrayBuffer();
        model.send({ name: file.name, size: file.size, at }, undefined, [piece]);
      }
      input.value = ""; // the same file, mended, can be chosen again
    };
    input.addEventListener("change", () => send(input.files[0]));
    for (const kind of ["dragover", "drop", "dragleave"])
      label.addEventListener(kind, (event) => {
        event.preventDefault();
        event.stopPropagation();
        label.classList.toggle("over", kind === "dragover");
        if (kind === "drop") send(event.dataTransfer.files[0]);
      });
  },
};
"""
STYLE = (
    css(".rb-drop")
    + """
.rb-drop { position: relative; display: flex; flex-wrap: wrap; gap: .3rem 1rem;
  align-items: center; justify-content: space-between; padding: .6rem 1rem; margin: .3rem 2px;
  max-width: 42rem; border-radius: 6px; border: 1px dashed var(--jp-border-color1, #888);
  color: var(--jp-ui-font-color1, inherit); font: 13px/1.4 var(--jp-ui-font-family, sans-serif); }
.rb-drop.over, .rb-drop:hover { background: var(--jp-layout-color2, #8883); }
.rb-drop:focus-within { outline: 2px solid var(--jp-brand-color1, var(--rb-accent)); }
.rb-drop span { flex: 1 1 20rem; overflow-wrap: anywhere; }
.rb-drop b { padding: .25rem .8rem; border-radius: 2px; font-weight: 500;
  background: var(--jp-layout-color3, #8885); }
.rb-drop input { position: absolute; inset: 0; width: 100%; opacity: 0; cursor: pointer; }
"""
)


class DroppedFile(anywidget.AnyWidget):
    """A place to drop a file on; `path` is where it lies then, under its own name.

    It comes in pieces, so that its size is not limited by that of a message.
    """

    _esm = SCRIPT
    _css = STYLE
    accept = traitlets.Unicode("").tag(sync=True)
    words = traitlets.Unicode("").tag(sync=True)
    path = traitlets.Unicode("")

    def __init__(self, words: str, accept: Iterable[str], said: Notice):
        self._asked, self._said = words, said
        self._folder = Path(tempfile.mkdtemp(prefix="raterbook-"))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._pieces = bytearray()
        super().__init__(words=words, accept=",".join(accept))
        self.on_msg(self._heard)

    def _heard(self, _: Any, content: Any, buffers: Sequence[Any]) -> None:
        if not isinstance(content, dict) or not buffers:
            return
        at, size = content.get("at"), content.get("size")
        if at == 0:
            self._pieces = bytearray()
        if at != len(self._pieces) or not isinstance(size, int):
            return  # of a file that another has taken the place of
        size = max(size, len(self._pieces) + len(buffers[0]))
        try:
            refuse_large(size, label(str(content.get("name") or "The file")))
        except FileError as error:
            self._said.refuse(error)
            return
        self._pieces += bytes(buffers[0])
        if len(self._pieces) < size:
            self.words = f"{len(self._pieces) / size:.0%} of the file is here …"
            return
        self.take(str(content.get("name") or ""), bytes(self._pieces))
        self._pieces = bytearray()

    def take(self, name: str, data: bytes) -> None:
        """This file, from now on; watchers of `path` hear of it even if the name is the same."""
        plain = Path(name.replace("\\", "/").replace("\0", "")).name
        kept = plain.encode("utf-8", "replace")[-200:].decode("utf-8", "ignore")  # of 255 bytes
        file = self._folder / (kept if kept.strip(".") else "file")
        self.path = ""
        file.write_bytes(data)
        self.words = f"{file.name} is here; drop another in its place."
        self.path = str(file)

    def forget(self) -> None:
        self.path, self.words = "", self._asked


def following(panel: Any) -> None:
    """The panel looks again when something came, at most every two seconds, while there is it."""
    known = weakref.ref(panel)

    def heard() -> None:
        if (there := known()) is None:
            end()
            return
        with suppress(RoundError):  # the server is away; it is looked at again when it is back
            there.look()
        del there
        time.sleep(PAUSE)

    end = panel._round.follow(heard)
