"""What a probe is: one attack, and what was seen to break."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Probe:
    """One attack in an empty folder. It gives back what broke, in words, or None: it held.

    A control is the same attack on the product with the guard taken away, and must break it:
    else the probe would hold for a reason of its own.
    """

    name: str
    attack: Callable[[Path], str | None]
    fault: str = ""  # the line of the list of faults it comes from, where there is one
