"""Asking once more: the model's own reply, what was wrong with it, and the same form again."""

from __future__ import annotations

from raterbook.judges.parsing import Parsed
from raterbook.judges.reply import Messages

SHOWN = 8  # problems named; one is usually enough to see what went wrong
KEPT = 4_000  # characters of the reply that are sent back


def question_again(messages: Messages, reply: str, parsed: Parsed) -> list[dict[str, str]]:
    """The conversation so far with the parser's complaint at its end."""
    problems = list(parsed.problems[:SHOWN])
    if len(parsed.problems) > SHOWN:
        problems.append(f"and {len(parsed.problems) - SHOWN} more")
    listed = "\n".join(f"- {problem}" for problem in problems)
    return [
        *messages,
        {"role": "assistant", "content": reply[:KEPT] or "(nothing)"},
        {
            "role": "user",
            "content": (
                f"That reply could not be used:\n{listed}\n\n"
                "Reply again, complete, with one JSON object in the format asked for and "
                "nothing else."
            ),
        },
    ]
