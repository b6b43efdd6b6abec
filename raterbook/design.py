"""The one design: colours by what they mean, for the form, the page, notebooks and figures.

form.css and look.css name these tokens; docs/page.md lists them.
"""

from __future__ import annotations

PREFIX = "--rb-"

# What each token is for, its colour by day and by night. Every text colour has a contrast of at
# least 4.5 on paper and on sheet.
TOKENS: dict[str, tuple[str, str, str]] = {
    "ink": ("text, and whatever weighs most", "#1c1f23", "#e8eaed"),
    "soft": ("captions, labels of axes, what is said beside", "#59616b", "#a9b1bb"),
    "line": ("rules of tables, edges of boxes", "#d9dde2", "#3a4048"),
    "paper": ("what is written on", "#ffffff", "#16181b"),
    "sheet": ("a card, an item, a bar", "#f5f7f9", "#1f2226"),
    "accent": ("links, the control with the keyboard, reference lines", "#1f5fa8", "#8ab8f0"),
    "met": ("a target met, an answer saved", "#1b6e3c", "#6fd394"),
    "missed": ("a target missed, an error", "#a32020", "#ff9a94"),
    "undecided": ("not decided, later, being saved", "#7a5200", "#f0c36a"),
    "shade": ("there is more to the side", "#0003", "#fff5"),
    "lit": ("what a search or a sentence points at", "#ffe08a", "#6b5200"),
    "evidence": ("what a rater marked as evidence", "#bfe8c6", "#1f5530"),
    "found": ("further finds of a search", "#cfe3ff", "#234a7d"),
}
LIGHT = {name: light for name, (_, light, _) in TOKENS.items()}
DARK = {name: dark for name, (_, _, dark) in TOKENS.items()}
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif'


def variables(tokens: dict[str, str]) -> str:
    return " ".join(f"{PREFIX}{name}: {value};" for name, value in tokens.items())


def css(scope: str) -> str:
    """The tokens as variables of `scope`: by the reader's setting, and in Lab by its theme."""
    return "\n".join(
        (
            f"{scope} {{ {variables(LIGHT | {'font': FONT})} }}",
            f"@media (prefers-color-scheme: dark) {{ {scope} {{ {variables(DARK)} }} }}",
            f'[data-jp-theme-light="true"] {scope} {{ {variables(LIGHT)} }}',
            f'[data-jp-theme-light="false"] {scope} {{ {variables(DARK)} }}',
        )
    )
