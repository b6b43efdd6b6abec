"""One number of a round: what it is of, how sure, and where it is found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from raterbook.analysis.estimate import Estimate, How
from raterbook.protocols.comparisons import facts

Pair = tuple[str, str]


class PairName(str):
    """`a − b`, as rows and files have it, with its two systems: names may hold a minus too."""

    names: Pair

    def __new__(cls, first: str, second: str) -> PairName:
        written = super().__new__(cls, f"{first} − {second}")
        written.names = (first, second)
        return written

    def __getnewargs__(self) -> Pair:  # type: ignore[override]
        return self.names  # what copies and other processes make it of

    @property
    def turned(self) -> PairName:
        """The same two the other way round."""
        return PairName(self.names[1], self.names[0])


ROW = (
    *("question", "group", "statistic", "estimate", "low", "high", "low_like", "high_like"),
    *("raters", "n_items", "n_raters", "n_ratings", "method", "p", "p_holm"),
    *("p_corrected", "correction", "reason"),
    *("aggregate", "warnings"),
)
LEADING = (None, "macro")  # the readings that a page leads with


@dataclass(frozen=True)
class Number:
    """One number. Question, group, statistic and reading are its address; `pair` the two systems.

    `low` and `high` speak of these raters, `low_like` and `high_like` of raters like these.
    """

    statistic: str
    question: str | None = None
    group: Mapping[str, Any] | None = None
    pair: Pair | None = None
    aggregate: str | None = None
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    low_like: float | None = None
    high_like: float | None = None
    raters: Any = None
    n_items: int | None = None
    n_raters: int | None = None
    n_ratings: int | None = None
    method: How | None = None
    p: float | None = None
    p_holm: float | None = None
    p_corrected: float | None = None
    correction: str | None = None
    reason: str | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, statistic: str, found: Estimate, **what: Any) -> Number:
        """An estimate as a number; `what` is what the estimate does not say."""
        return cls(
            statistic,
            estimate=found.value,
            low=found.low,
            high=found.high,
            low_like=found.low_like,
            high_like=found.high_like,
            n_raters=found.n_raters,
            n_ratings=found.n_ratings,
            method=found.method or None,
            reason=found.reason,
            warnings=tuple(found.warnings),
            **what,
        )

    @property
    def is_comparison(self) -> bool:
        """Two systems over the whole round, in the reading the page leads with."""
        return self.pair is not None and not self.group and self.aggregate in LEADING

    def within(self, ends: tuple[float, float] | None) -> Number:
        """An interval that reaches beyond the scale ends where the scale does, and says so.

        It covers as often as before: no true value lies in what is cut off. The warning speaks of
        the ends that pages print, those of these raters.
        """
        if ends is None:
            return self
        cut = {
            name: min(max(end, ends[0]), ends[1])
            for name in ("low", "high", "low_like", "high_like")
            if (end := getattr(self, name)) is not None and not ends[0] <= end <= ends[1]
        }
        said = ("cut_at_scale",) if {"low", "high"} & set(cut) else ()
        return replace(self, **cut, warnings=(*self.warnings, *said))

    def row(self) -> dict[str, Any]:
        """As it stands in numbers.json, where a pair is one text."""
        group = dict(self.group or {})
        if self.pair is not None:
            group["systems"] = PairName(*self.pair)
        plain = {name: getattr(self, name) for name in ROW}
        return {**plain, "group": group or None, "warnings": list(self.warnings)}


def row_of(
    rows: Iterable[Mapping[str, Any]],
    statistic: str,
    question: str | None = None,
    group: Mapping[str, Any] | None = None,
) -> dict[str, Any] | None:
    """The row of one number; `question` None takes the row whatever it is asked of."""
    for row in rows:
        if (
            row["statistic"] == statistic
            and (question is None or row["question"] == question)
            and (row["group"] or None) == (group or None)
            and row["aggregate"] in LEADING
        ):
            return dict(row)
    return None


def is_comparison(row: Mapping[str, Any]) -> bool:
    """The same of a row."""
    return (
        facts(row["statistic"]).is_difference
        and set(row["group"] or ()) == {"systems"}
        and row["aggregate"] in LEADING
    )


def excludes_zero(row: Mapping[str, Any]) -> bool:
    return row["low"] is not None and (row["low"] > 0 or row["high"] < 0)


def is_shown(row: Mapping[str, Any], coverage: float) -> bool:
    """Whether the difference stands, corrected for how many were looked at."""
    p = row["p_corrected"]
    return excludes_zero(row) and (p is None or p < 1 - coverage)


def statistic_of(address: str) -> tuple[str, str]:
    """The statistic of an address, and what stands behind it, which may hold any sign."""
    found = re.match(r"(\w*):?(.*)", address, re.S)
    assert found is not None  # matches every text
    return found[1], found[2]


def address(row: Mapping[str, Any]) -> str:
    """`recall:generated_answer[aggregate=macro, model=atlas-2]`: this number and no other."""
    text = str(row["statistic"]) + (f":{row['question']}" if row["question"] else "")
    inside = ", ".join(places(row))
    return f"{text}[{inside}]" if inside else text


def places(row: Mapping[str, Any]) -> list[str]:
    """`aggregate=macro`, `model=atlas-2`: the reading and the group, each as one word."""
    found = {"aggregate": row["aggregate"]} if row["aggregate"] else {}
    return [f"{name}={value}" for name, value in {**found, **(row["group"] or {})}.items()]


# Where raters hardly ever differ, no interval covers as often as it says.
UNTRUSTED = "too_few_disagreements"


def is_carried(row: Mapping[str, Any], judge: Callable[[float], object]) -> bool:
    """Whether what is judged of the estimate holds of its whole interval, which can be trusted."""
    if row["low"] is None or is_untrusted(row):
        return False
    return judge(row["low"]) == judge(row["estimate"]) == judge(row["high"])


def is_untrusted(row: Mapping[str, Any]) -> bool:
    """Whether nothing may be decided by the interval of this number, or of this target."""
    return UNTRUSTED in (row.get("warnings") or ())


# Numbers as a person reads them.


def percent(value: float) -> str:
    """Whole per cent; one decimal near the ends, and never a 0 or 100 that is none."""
    shown = 100 * value
    if 0 < shown < 0.05:
        return "<0.1"
    if 99.95 < shown < 100:
        return ">99.9"
    near_end = 0 < shown < 3 or 97 < shown < 100
    return minus(f"{shown:.1f}" if near_end else f"{shown:.0f}")


def from_to(low: str, high: str, to: str = "–") -> str:
    """Both ends of an interval; a dash before “>99.9” would be an arrow.

    >>> from_to("64", "80"), from_to("99.7", ">99.9")
    ('64–80', '99.7 to >99.9')
    """
    return f"{low}{' to ' if {'<', '>'} & {low[0], high[0]} else to}{high}"


def minus(text: str) -> str:
    """A true minus sign, and no negative zero."""
    if text.startswith("-") and not text.strip("-0."):
        return text[1:]
    return text.replace("-", "−")
