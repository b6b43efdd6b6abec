"""What raters wrote, to the letter: their capitals, their spaces, their line breaks."""

from __future__ import annotations

import html

from ..section import printable, safe, short

COMMENT = 260


def quoted(text: object, limit: int = COMMENT) -> str:
    """A rater's words as HTML, cut only where they are very long, and then saying so.

    Only signs that no page can show are replaced; `white-space: pre-wrap` keeps the rest.
    """
    whole = printable(text)
    shown = whole if len(whole) <= limit else short(whole, limit)
    return f'<q class="words">{html.escape(shown)}</q>'


def remark(rater: str, what: str, text: object, limit: int = COMMENT) -> str:
    """`r1, clarity: “…”`, one paragraph."""
    on = f", {what}" if what else ""
    return f"<p class=said><b>{safe(rater)}</b>{safe(on)}: {quoted(text, limit)}</p>"
