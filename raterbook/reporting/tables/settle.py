"""What would settle an undecided target: more items, or nothing within reason."""

from __future__ import annotations

import math
from typing import Any

OUT_OF_REACH = 20  # times the items of this round


def items_needed(target: dict[str, Any], n_items: int) -> int | None:
    """Items at which the interval would leave out the target, if the estimate stays as it is.

    Half-widths shrink with the root of the number of items. None where the estimate is the
    target, or so near that more than twenty rounds like this one would be needed.
    """
    value, low, high, bound = target["value"], target["low"], target["high"], target["target"]
    if value is None or low is None or high is None or value == bound:
        return None
    half = (value - low) if value > bound else (high - value)
    needed = n_items * (half / abs(value - bound)) ** 2
    return None if needed > OUT_OF_REACH * n_items else round_up(max(needed, n_items + 1))


def round_up(number: float) -> int:
    """Two leading figures, upwards: 137 items is a precision nobody has.

    >>> round_up(137), round_up(12.2), round_up(1501)
    (140, 13, 1600)
    """
    step = 10 ** max(0, math.floor(math.log10(number)) - 1)
    # Rounded first: 400.0000001 is 400.
    return int(math.ceil(round(number / step, 6)) * step)
