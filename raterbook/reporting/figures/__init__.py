"""Axes → an SVG that is the same byte for byte on every run, and reads in the dark."""

from __future__ import annotations

import io
import re
import textwrap
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
import matplotlib.colors

from ...design import DARK as NIGHT
from ...design import LIGHT
from ..html import legible, one_line, told_apart

matplotlib.use("agg")
import matplotlib.pyplot as plt
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator

STYLE: dict[Any, Any] = {
    "svg.hashsalt": "raterbook",
    "svg.fonttype": "none",  # text stays text: small files, sharp on paper, found by a search
    "text.usetex": False,
    "text.parse_math": False,  # for what is drawn to be measured, before `svg` draws it
    "font.size": 9.5,
    "font.family": ["DejaVu Sans"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.edgecolor": LIGHT["soft"],
    "xtick.color": LIGHT["soft"],
    "ytick.color": LIGHT["ink"],
    "text.color": LIGHT["ink"],
    "axes.labelcolor": LIGHT["soft"],
    "ytick.major.size": 0,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}
INK, SOFT, ACCENT = LIGHT["ink"], LIGHT["soft"], LIGHT["accent"]
LINE = "#c5cbd3"  # a thin line of a grid needs more than a table's rule
PAPER = "#fefefe"  # inside hollow signs; the paper's own white is that of a cell's letters
NAMES = {INK: "ink", SOFT: "soft", LINE: "line", ACCENT: "accent", PAPER: "paper"}
DARK = {each: "#4a515a" if each == LINE else NIGHT[word] for each, word in NAMES.items()}
# On coloured cells the text keeps its colour in the dark; these two are never replaced.
ON_LIGHT, ON_DARK = "#000000", "#ffffff"
FONTS = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
WIDTH = 4.7  # inches; small, so that letters stay readable on a phone
USUAL = 4  # lines of a title that the heights of figures allow for
ROOMIER = 5  # so often a figure without room for its labels grows


@contextmanager
def style() -> Iterator[None]:
    with plt.rc_context(STYLE), warnings.catch_warnings():
        # The browser has fonts for signs that ours lacks; here only their width is guessed.
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .*missing from font")
        warnings.filterwarnings("ignore", message=r"Matplotlib currently does not support .*")
        yield


def axes(height: float = 2.5, width: float = WIDTH, **grid: Any) -> Any:
    """Axes of one figure, or an array of them with `nrows`, `ncols`."""
    with style():
        return plt.subplots(figsize=(width, height), **grid)[1]


def name(value: object, width: int = 28) -> str:
    """A label that fits beside an axis."""
    text = one_line(value)
    return text if len(text) <= width else text[: width - 1] + "…"


def names(values: Iterable[object], width: int = 28) -> list[str]:
    """Labels that fit; names that differ look different, cut in the middle where they must."""
    return told_apart(values, name, width)


def folded(value: object, width: int = 22, most: int = 2) -> str:
    """A label on as many lines as it needs; only what passes them all is cut."""
    words = (name(word, width + 6) for word in legible(value).split())
    lines = textwrap.wrap(" ".join(words), width, break_on_hyphens=False, break_long_words=False)
    last = name(" ".join(lines[most - 1 :]), width + 6)
    return "\n".join([*lines[: most - 1], last] if last else lines)


def folds(values: Iterable[object], width: int = 22, most: int = 2) -> list[str]:
    """The same for names beside one another, told apart where they were cut alike."""
    return told_apart(values, lambda text, _: folded(text, width, most), width + 6)


def ascending(values: Iterable[str]) -> list[str]:
    """Numbers by their size, then words.

    >>> ascending(["yes", "10", "-1", "2", "-2", "0.5"])
    ['-2', '-1', '0.5', '2', '10', 'yes']
    """

    def place(value: str) -> tuple[bool, float, str]:
        is_number = re.fullmatch(r"-?\d+(\.\d+)?", value) is not None
        return not is_number, float(value) if is_number else 0.0, value

    return sorted(values, key=place)


def shortened(ax: Any, width: int = 24) -> dict[str, str]:
    """Cuts the long names beside the axes; gives each with what stands in its place."""
    found: dict[str, str] = {}
    for axis in (ax.xaxis, ax.yaxis):
        whole = [label.get_text() for label in axis.get_ticklabels()]
        longest = max(map(len, whole), default=0)
        if longest > width:
            short = names(whole, width)
            axis.set_ticks(axis.get_ticklocs(), short)
            found |= {one: other for one, other in zip(whole, short, strict=True) if one != other}
        if axis is ax.xaxis and longest > 12:
            ax.tick_params(axis="x", rotation=90)
            grow(ax, 0.07 * min(longest, width))
    return dict(sorted(found.items(), key=lambda pair: -len(pair[0])))


def ink_on(colour: Any) -> str:
    """Dark or light letters, whichever stand out more on this colour."""
    channels = matplotlib.colors.to_rgb(colour)
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return ON_LIGHT if (light + 0.05) ** 2 > 1.05 * 0.05 else ON_DARK


LEGEND = 62  # letters on a line of it, each sign counting for four


def legend_above(ax: Any, columns: int) -> None:
    """What the signs stand for, on one line over the axes where it fits."""
    # A name may begin with “_”, which matplotlib would leave out.
    signs = [each for each in ax.lines if not re.fullmatch(r"_child\d+", str(each.get_label()))]
    said = [str(each.get_label()) for each in signs]
    fitting = max(1, LEGEND // (4 + max(map(len, said), default=0)))
    lines = [-(-len(said) // across) for across in (min(columns, fitting), columns)]
    grow(ax, 0.18 * (lines[0] - lines[1]))
    ax.legend(
        signs,
        said,
        ncols=min(columns, fitting),
        loc="lower right",
        bbox_to_anchor=(1, 1),
        frameon=False,
        labelcolor=INK,
        fontsize=8.5,
        borderpad=0,
    )


def titled(ax: Any, finding: str) -> Any:
    """The finding above the figure, from its left edge, on as many lines as it needs."""
    width = int(ax.figure.get_figwidth() * 11.2)
    # A number stays with its sign, and what stands in brackets with its word.
    bound = re.sub(r" (?=%|\([^()\s]+\))", "\u00a0", legible(finding))
    lines = wrapped(bound, width)
    grow(ax, 0.17 * max(len(lines) - USUAL, 0))
    with style():
        ax.figure.suptitle(
            "\n".join(lines),
            x=0.01,
            ha="left",
            fontsize=10,
            fontweight="bold",
        )
    return ax


def wrapped(text: str, width: int) -> list[str]:
    """Lines of so many letters, an ideograph taking the room of two; longer words are broken."""
    lines = [""]
    for word in re.split("[ \n\t]+", text):
        joined = f"{lines[-1]} {word}".lstrip()
        if room(joined) <= width:
            lines[-1] = joined
            continue
        lines += [""] if lines[-1] else []
        for sign in word:  # nobody knows how wide its letters are
            lines += [""] if room(word) > width and room(lines[-1]) > 0.75 * width else []
            lines[-1] += sign
    return lines


def room(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def grow(ax: Any, more: float) -> None:
    """Room in the height for what takes more lines than usual."""
    ax.figure.set_figheight(ax.figure.get_figheight() + more)


def svg(ax: Any) -> str:
    """The figure of these axes as text; the figure is closed."""
    figure = ax.figure if hasattr(ax, "figure") else ax.flat[0].figure
    figure.set_layout_engine("constrained")
    # Names and texts are strangers': each is drawn letter by letter, a “$” as a dollar.
    for each in figure.findobj(Text):
        each.set_parse_math(False)
        each.set_usetex(False)
        each.set_text(legible(each.get_text()))
    named = [each.yaxis for each in figure.axes if each.get_ylabel()]
    for _ in range(ROOMIER):
        text = io.StringIO()
        with style(), warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", UserWarning)
            # Not figure.savefig, which draws everything once more beforehand.
            FigureCanvasSVG(figure).print_svg(text, metadata={"Date": None, "Creator": None})
        if any("layout" in str(each.message) for each in said):
            # Labels took all the room there was: a larger figure rather than none.
            figure.set_size_inches(1.4 * figure.get_size_inches())
        elif any(each.label.get_position()[0] < 0.9 * each.label.get_size() for each in named):
            # How high the axes came to be decided on wider ticks than the layout had seen, and the
            # label beside them was cut: once more, with these.
            for each in named:
                each.set_major_locator(FixedLocator(each.get_majorticklocs()))
        else:
            break
    plt.close(figure)
    return slim(text.getvalue())


def slim(text: str) -> str:
    """Without the licence block of the metadata, and in the page's own fonts."""
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.S)
    text = re.sub(r"<!DOCTYPE[^>]*>\s*", "", text)
    fonts = FONTS.replace(", sans-serif", "")

    def shorter(tag: str) -> str:
        return re.sub(r"(\d+\.\d\d)\d+", r"\1", tag.replace("'DejaVu Sans'", fonts))

    return in_tags(shorter, text.replace("\n   ", "\n "))


def in_tags(change: Callable[[str], str], text: str) -> str:
    """A change to the drawing, which leaves alone whatever is written in it."""
    return re.sub(r"<[^>]*>", lambda found: change(found[0]), text)


def in_both_lights(text: str) -> str:
    """For the page: lines and letters follow the reader's light or dark setting."""
    inks = re.compile("|".join(NAMES))
    text = in_tags(lambda tag: inks.sub(lambda ink: f"var(--{NAMES[ink[0]]})", tag), text)
    light = "".join(f"--{NAMES[colour]}:{colour};" for colour in NAMES)
    dark = "".join(f"--{NAMES[colour]}:{DARK[colour]};" for colour in NAMES)
    rule = f"svg{{{light}}}@media (prefers-color-scheme:dark){{svg{{{dark}}}}}"
    return text.replace("<defs>", f"<style>{rule}</style><defs>", 1)
