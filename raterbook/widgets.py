"""What every panel in a notebook has: the keyboard to itself, long lists in short, an end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import anywidget
import ipywidgets
import traitlets

from .design import DARK

LISTED = 200  # entries that a list has at once: each is sent to the browser, and drawn there

PANEL = "rb-panel"  # what a panel is called on the page
SCRIPT = r"""
// Lab's keys for commands (x cuts the cell, a adds one) are no keys of a panel. Lab asks the very
// element that has the keyboard, so each says so as it gets it; and a click on nothing leaves the
// keyboard with the panel, as the form does, and not with the cell it stands in.
function keep(el, ended) {
  const panel = el.closest(".PANEL");
  if (!panel) return void (el.isConnected || setTimeout(keep, 100, el, ended)); // not there yet
  const quiet = (one) => one.setAttribute("data-lm-suppress-shortcuts", "true");
  const look = () => {
    for (const one of panel.querySelectorAll(".rb-outcome:not([role])"))
      one.setAttribute("role", "status"); // read aloud as it changes
    for (const one of panel.querySelectorAll("iframe.framed")) shade(one);
  };
  panel.tabIndex = -1;
  quiet(panel);
  panel.addEventListener("focusin", (event) => quiet(event.target));
  panel.addEventListener("click", () => {
    if (!panel.contains(document.activeElement)) panel.focus({ preventScroll: true });
  });
  const watch = new MutationObserver(look);
  watch.observe(panel, { childList: true, subtree: true });
  watch.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  ended.push(() => watch.disconnect());
  stay(panel, ended);
  look();
}

// A panel that becomes shorter after a press in it, as from the steps of opening to a round, leaves
// nobody below its end with nothing in sight. Its children may all be drawn anew, this script among
// them, so what is known of it stays with the panel itself.
const KNOWN = Symbol.for("PANEL");
function stay(panel, ended) {
  const known = (panel[KNOWN] ??= { height: panel.offsetHeight, mine: false });
  const taken = (event) => (known.mine = panel.contains(event.target));
  const sized = new ResizeObserver(() => {
    const shrank = panel.offsetHeight < known.height;
    known.height = panel.offsetHeight;
    const scrolls = (one) =>
      one.scrollHeight > one.clientHeight && /auto|scroll/.test(getComputedStyle(one).overflowY);
    let pane = panel.parentElement;
    while (pane && !scrolls(pane)) pane = pane.parentElement;
    const top = pane ? pane.getBoundingClientRect().top : 0;
    if (!shrank || !known.mine || panel.getBoundingClientRect().bottom > top + 100) return;
    panel.scrollIntoView({ block: "start" });
    if (document.activeElement === document.body) panel.focus({ preventScroll: true });
  });
  for (const kind of ["focusin", "pointerdown"]) document.addEventListener(kind, taken, true);
  sized.observe(panel);
  ended.push(() => {
    sized.disconnect();
    for (const kind of ["focusin", "pointerdown"]) document.removeEventListener(kind, taken, true);
  });
}

// A whole page in a frame is light or dark as Lab is, which it cannot see by itself.
const ROOT = /<html(?: data-jp-theme-light="\w+" style="color-scheme: \w+")?/;
function shade(frame) {
  const light = document.body.dataset.jpThemeLight;
  if (light === undefined) return;
  const scheme = light === "true" ? "light" : "dark";
  const root = `<html data-jp-theme-light="${light}" style="color-scheme: ${scheme}"`;
  const page = frame.srcdoc.replace(ROOT, root);
  if (page === frame.srcdoc) return;
  // Another in its place: Chromium draws nothing in a frame whose page changes while it loads.
  const other = frame.cloneNode();
  other.srcdoc = page;
  frame.replaceWith(other);
}

export default {
  render({ el }) {
    const ended = [];
    keep(el, ended);
    return () => ended.forEach((end) => end());
  },
};
""".replace("PANEL", PANEL)


ARROW = (
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 18 18'>"
    f"<path d='M5 7.5 9 11.5l4-4' fill='none' stroke='{DARK['ink'].replace('#', '%23')}' "
    "stroke-width='2'/></svg>"
)
# The page's pieces in a panel stand on its own ground, in letters of its size.
STYLE = """
.rb-panel:focus { outline: none; }
.rb-panel .rb-page { background: none !important; font-size: 14px !important; }
.rb-panel .rb-page .scroll { background: none !important;
  --under: var(--jp-layout-color1) !important; }
.rb-panel .rb-page .item .scroll { --under: var(--rb-sheet) !important; }
.rb-panel ::placeholder { color: var(--jp-ui-font-color2); opacity: 1; }
.rb-panel .rb-group + .rb-group { border-top: 1px solid var(--jp-border-color2);
  margin-top: .4rem; padding-top: .6rem; }
/* Lab's own arrow of a list is black by night too. */
[data-jp-theme-light="false"] .rb-panel { --jp-widgets-dropdown-arrow: url("ARROW"); }
.rb-panel .rb-page .texts blockquote { font-size: 15px; }
.rb-panel .rb-page section > h2:first-child { margin-top: 1rem !important; }
.rb-panel .lm-TabBar-content { flex-wrap: wrap; }
.rb-panel .lm-TabBar .lm-TabBar-tab { flex: 0 0 auto !important; min-width: 0 !important; }
""".replace("ARROW", ARROW)


class Keyboard(anywidget.AnyWidget):
    """Stands in a panel unseen, anywhere inside the one with the class `rb-panel`."""

    _esm, _css = SCRIPT, STYLE

    def __init__(self) -> None:
        super().__init__()
        self.layout.display = "none"


class Picker(ipywidgets.HBox):
    """One of many names, `nothing` before them: of more than 200 what is typed finds some."""

    value = traitlets.Unicode("")

    def __init__(self, label: str, names: Iterable[str], nothing: str | None = None):
        self._names, self._nothing = list(names), [] if nothing is None else [(nothing, "")]
        self._filling = False
        self.list = ipywidgets.Dropdown(description=label)
        self.find = ipywidgets.Text(placeholder="find by its name", continuous_update=False)
        self.more = ipywidgets.Label()
        show(self.find, len(self._names) > LISTED)
        super().__init__([self.list, self.find, self.more], layout=ROWS)
        self.find.observe(lambda _: self._listed(), "value")
        self.list.observe(self._picked, "value")
        self.observe(self._set, "value")
        self._listed()

    def _listed(self) -> None:
        wanted = self.find.value.strip().casefold()
        found = [name for name in self._names if wanted in name.casefold()]
        shown = [*self._nothing, *((name, name) for name in found[:LISTED])]
        kept = self.value if (self.value, self.value) in shown else ""
        self._filling = True  # what new options choose by themselves nobody picked
        self.list.options = shown
        self.list.value = kept or (shown[0][1] if shown else None)
        self._filling = False
        self.value = self.list.value or ""
        beyond = len(found) - LISTED
        self.more.value = f"and {beyond:,} more: type to find one" if beyond > 0 else ""

    def _picked(self, change: Any) -> None:
        if not self._filling:
            self.value = change.new or ""

    def _set(self, change: Any) -> None:
        """By a script: a name beyond those that are listed is found first."""
        if self.list.value != change.new:
            if change.new and change.new not in [value for _, value in self.list.options]:
                if change.new not in self._names:
                    raise ValueError(f"There is no {change.new!r} to choose.")
                self.find.value = change.new
            self.list.value = change.new


ROWS = {"flex_flow": "row wrap", "align_items": "center"}


def row(*children: Any) -> Any:
    """Side by side, and below one another where it is narrow."""
    return ipywidgets.HBox(children, layout=ipywidgets.Layout(**ROWS))


def show(widget: Any, shown: bool) -> None:
    widget.layout.display = None if shown else "none"


def close(widget: Any) -> None:
    """One that another has taken the place of, with all that is in it: nothing of it is kept."""
    for child in getattr(widget, "children", ()):
        close(child)
    for own in (widget.layout, getattr(widget, "style", None)):
        if isinstance(own, ipywidgets.Widget):
            own.close()
    widget.close()
