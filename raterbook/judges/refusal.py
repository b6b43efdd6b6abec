"""Whether a reply without answers declines to give any."""

from __future__ import annotations

import re

_DECLINES = re.compile(
    r"\b(?:i(?:'m| am)\s+(?:very |so |really )?(?:sorry|unable|not able|not comfortable)"
    r"|i\s+(?:can(?:'t|not| not)|won't|will not|must decline|am not going to|refuse)\b"
    r"|(?:can(?:'t|not))\s+(?:assist|help|comply|fulfil)"
    r"|as an ai\b|against my (?:guidelines|policy|policies|principles)"
    r"|not appropriate for me|decline to)"
    r"|^\s*(?:sorry|抱歉|对不起|很抱歉|我无法|我不能|申し訳|es tut mir leid|désolée?|lo siento)",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """
    >>> is_refusal("I'm sorry, but I can’t help with rating this.")
    True
    >>> is_refusal("Correctness: 6")
    False
    """
    return bool(_DECLINES.search(text[:600].replace("’", "'")))
