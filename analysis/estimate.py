"""A number with everything a reader needs to judge it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any

from analysis.reasons import REASONS, WARNINGS, sentence


@dataclass(frozen=True)
class Estimate:
    """One statistic, its intervals, its counts, or the reason why there is none.

    `low, high` speak of these raters, as do `se` and `df`; `low_like, high_like` of raters like
    these, and are absent below three raters. `n_units` were used, `n_dropped` had ratings that
    could not be used.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    low_like: float | None = None
    high_like: float | None = None
    se: float | None = None
    df: float | None = None
    statistic: str = ""
    coverage: float = 0.95
    method: str = ""
    n_units: int = 0
    n_dropped: int = 0
    n_raters: int = 0
    n_ratings: int = 0
    raters: tuple[Any, ...] = ()
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    seed: int | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.reason is not None and self.reason not in REASONS:
            raise ValueError(f"unknown reason {self.reason!r}: see analysis/reasons.py")
        unknown = [code for code in self.warnings if code not in WARNINGS]
        if unknown:
            raise ValueError(f"unknown warning {unknown[0]!r}: see analysis/reasons.py")

    def __float__(self) -> float:
        return float("nan") if self.value is None else float(self.value)

    @property
    def n_items(self) -> int:
        """The units, by the name that rows and pages use."""
        return self.n_units

    @property
    def scope(self) -> tuple[str, ...]:
        """What the intervals at hand speak of, in words."""
        said = []
        if self.low is not None:
            said.append("these raters")
        if self.low_like is not None:
            said.append("raters like these")
        return tuple(said)

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values, at full precision."""
        fields = asdict(self)
        fields["raters"] = list(self.raters)
        fields["warnings"] = list(self.warnings)
        fields["beside"] = dict(self.beside)
        fields["scope"] = list(self.scope)
        return fields

    def notes(self) -> list[str]:
        """The reason and the warnings as sentences."""
        codes = [self.reason] if self.reason else []
        said = [sentence(code) for code in [*codes, *self.warnings]]
        return [*said, *([self.beside["sentence"]] if self.beside.get("sentence") else [])]

    def __repr__(self) -> str:
        name = self.statistic or "estimate"
        if self.value is None:
            return f"<{name}: none, {self.reason}>"
        percent = f"{self.coverage * 100:g} %"
        parts = [f"{name}: {self.value:.4f}"]
        if self.low is not None and self.high is not None:
            parts.append(f"{percent} {self.low:.4f} to {self.high:.4f} for these raters")
        if self.low_like is not None and self.high_like is not None:
            parts.append(f"{self.low_like:.4f} to {self.high_like:.4f} for raters like these")
        parts.append(f"{self.n_units} units, {self.n_raters} raters, {self.n_ratings} ratings")
        return f"<{'; '.join([*parts, *self.warnings])}>"

    def _repr_html_(self) -> str:
        def span(low: float | None, high: float | None) -> str:
            return "–" if low is None or high is None else f"{low:.3f} to {high:.3f}"

        value = "none" if self.value is None else f"{self.value:.3f}"
        rows = [
            (self.statistic or "estimate", value),
            ("these raters", span(self.low, self.high)),
            ("raters like these", span(self.low_like, self.high_like)),
            ("counts", f"{self.n_units} units, {self.n_raters} raters, {self.n_ratings} ratings"),
            ("method", self.method or "–"),
        ]
        body = "".join(
            f"<tr><th scope='row'>{escape(name)}</th><td>{escape(said)}</td></tr>"
            for name, said in rows
        )
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes())
        return f"<table>{body}</table>{notes}"
