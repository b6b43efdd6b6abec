"""Axes → an SVG that is the same byte for byte on every run, and reads in the dark."""

from __future__ import annotations

import io
import re
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
import matplotlib.colors

from ...design import DARK as NIGHT
from ...design import LIGHT
from ..html import printable

matplotlib.use("agg")
import matplotlib.pyplot as plt
from matplotlib.backends.backend_svg import FigureCanvasSVG

STYLE: dict[Any, Any] = {
    "svg.hashsalt": "raterbook",
    "svg.fonttype": "none",  # text stays text: small files, sharp on paper, found by a search
    "text.parse_math": False,  # a “$” in somebody's text is a dollar
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


@contextmanager
def style() -> Iterator[None]:
    with plt.rc_context(STYLE), warnings.catch_warnings():
        # The browser has fonts for signs that ours lacks; here only their width is guessed.
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .*missing from font")
        yield


def axes(height: float = 2.5, width: float = WIDTH, **grid: Any) -> Any:
    """Axes of one figure, or an array of them with `nrows`, `ncols`."""
    with style():
        return plt.subplots(figsize=(width, height), **grid)[1]


def name(value: object, width: int = 28) -> str:
    """A label that fits beside an axis."""
    text = " ".join(printable(value).split())
    return text if len(text) <= width else text[: width - 1] + "…"


def folded(value: object, width: int = 22, most: int = 2) -> str:
    """A label on as many lines as it needs; only what passes them all is cut."""
    words = (name(word, width + 6) for word in printable(value).split())
    lines = textwrap.wrap(" ".join(words), width, break_on_hyphens=False, break_long_words=False)
    last = name(" ".join(lines[most - 1 :]), width + 6)
    return "\n".join([*lines[: most - 1], last] if last else lines)


def ink_on(colour: Any) -> str:
    """Dark or light letters, whichever stand out more on this colour."""
    channels = matplotlib.colors.to_rgb(colour)
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return ON_LIGHT if (light + 0.05) ** 2 > 1.05 * 0.05 else ON_DARK


def legend_above(ax: Any, columns: int) -> None:
    """What the signs stand for, on one line over the axes where it fits."""
    ax.legend(
        ncols=columns,
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
    bound = re.sub(r" (?=%|\([^()\s]+\))", "\u00a0", printable(finding))
    with style():
        ax.figure.suptitle(
            "\n".join(textwrap.wrap(bound, width, break_on_hyphens=False)),
            x=0.01,
            ha="left",
            fontsize=10,
            fontweight="bold",
        )
    return ax


def svg(ax: Any) -> str:
    """The figure of these axes as text; the figure is closed."""
    figure = ax.figure if hasattr(ax, "figure") else ax.flat[0].figure
    text = io.StringIO()
    with style():
        figure.set_layout_engine("constrained")
        # Not figure.savefig, which draws everything once more beforehand.
        FigureCanvasSVG(figure).print_svg(text, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    return slim(text.getvalue())


def slim(text: str) -> str:
    """Without the licence block of the metadata, and in the page's own fonts."""
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.S)
    text = re.sub(r"<!DOCTYPE[^>]*>\s*", "", text)
    text = text.replace("'DejaVu Sans'", FONTS.replace(", sans-serif", "")).replace("\n   ", "\n ")
    return re.sub(r"(\d+\.\d\d)\d+", r"\1", text)


def in_both_lights(text: str) -> str:
    """For the page: lines and letters follow the reader's light or dark setting."""
    for colour, word in NAMES.items():
        text = text.replace(colour, f"var(--{word})")
    light = "".join(f"--{NAMES[colour]}:{colour};" for colour in NAMES)
    dark = "".join(f"--{NAMES[colour]}:{DARK[colour]};" for colour in NAMES)
    rule = f"svg{{{light}}}@media (prefers-color-scheme:dark){{svg{{{dark}}}}}"
    return text.replace("<defs>", f"<style>{rule}</style><defs>", 1)
