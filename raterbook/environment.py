"""What stands around the code: what came along with it, what the environment sets, what is
installed."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

# Notebooks, samples and what a new workspace begins with; in a checkout, links to its folders.
SHIPPED = Path(__file__).parent / "shipped"

_said: set[str] = set()


def setting(name: str) -> str | None:
    """RATERBOOK_`name`, else RATEBOOK_`name`, its name before 0.2, which is told of once.

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


def most(limit: int) -> int:
    """A limit of what is taken in, as many times as the environment asks for."""
    times = setting("LIMITS") or "1"
    if not times.isascii() or not times.isdigit() or not 1 <= int(times[:9]) <= 10_000:
        said = times if times.isprintable() and len(times) <= 60 else ascii(times[:60])
        raise ValueError(f"RATERBOOK_LIMITS is {said}. Set a whole number from 1 to 10000.")
    return limit * int(times)


def raising(many: int, limit: int) -> str:
    """What to set where one knows the file and it has more of something than its limit.

    >>> raising(25_000, 10_000)
    'set RATERBOOK_LIMITS=3 for a file you trust'
    """
    return f"set RATERBOOK_LIMITS={-(-many // limit)} for a file you trust"


class NotInstalled(ValueError):
    """Something only some need is missing; the message has the command that brings it."""


def optional(module: str, extra: str, what: str) -> Any:
    """A module that an extra of the package brings.

    >>> optional("no_such_module", "excel", "An Excel file")
    Traceback (most recent call last):
    ...
    raterbook.environment.NotInstalled: An Excel file needs no_such_module, which is not \
installed: pip install "raterbook[excel]"
    """
    try:
        return import_module(module)
    except ImportError as error:
        absent = error.name in (None, module)
        why = "is not installed" if absent else f"cannot be imported ({error})"
        raise NotInstalled(
            f'{what} needs {module}, which {why}: pip install "raterbook[{extra}]"'
        ) from error
