"""What the environment sets, under this project's name and under the one it had before."""

from __future__ import annotations

import os
import sys

_said: set[str] = set()


def setting(name: str) -> str | None:
    """RATERBOOK_`name`, else RATEBOOK_`name`, which still works and is told of once.

    >>> os.environ["RATERBOOK_EXAMPLE"] = "here"
    >>> setting("EXAMPLE")
    'here'
    """
    now, before = f"RATERBOOK_{name}", f"RATEBOOK_{name}"
    found = os.environ.get(now)
    if found or not (found := os.environ.get(before)):
        return found or None
    if before not in _said:
        _said.add(before)
        print(f"{before} is read as {now}, its name since 0.2: set that one.", file=sys.stderr)
    return found
