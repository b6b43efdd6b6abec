"""What a study lead wants computed, by name, and the values a release must reach."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from raterbook.protocols.conditions import read_condition
from raterbook.protocols.schema import KeyProblem, Number, OneOrMore, Text, Written
from raterbook.protocols.statistics import PROPORTION, STATISTICS, Takes, known_statistic

ADJUSTED = 0.5


def is_adjusted(stated: Any, computed: Any) -> Any:
    """Whether a stated overall is so far off its criteria's mean that it was adjusted, not rounded.

    Thirds and tenths do not come out exactly, so the edge gets a hair's breadth; of arrays each.

    >>> is_adjusted(4.1, 3.6), is_adjusted(4.0, 3.6)
    (True, False)
    """
    return abs(stated - computed) >= ADJUSTED - 1e-9


def _share(raw: Any) -> Any:
    """`is` and `of`: values of the measure's question, or {question: [values]} for several."""
    if isinstance(raw, list) and raw:
        return tuple(raw)
    if isinstance(raw, dict):
        return read_condition(raw)
    raise ValueError(f"{raw!r} is neither a list of values nor {{question: [values]}}")


def _groupings(raw: Any) -> Any:
    """`by`: columns, each alone, or lists of columns that are crossed."""
    if not raw or not isinstance(raw, str | list):
        return raw
    entries = [raw] if isinstance(raw, str) else raw
    return [[entry] if isinstance(entry, str) else entry for entry in entries]


Share = Annotated[
    Any, BeforeValidator(_share), WithJsonSchema({"type": ["array", "object"], "minItems": 1})
]
Groupings = Annotated[
    tuple[tuple[Text, ...], ...],
    BeforeValidator(_groupings),
    WithJsonSchema({"type": ["array", "string"], "items": {"type": ["string", "array"]}}),
]
StatisticName = Annotated[
    Text,
    AfterValidator(lambda name: known_statistic(name).name),
    WithJsonSchema(
        {"anyOf": [{"enum": list(STATISTICS)}, {"type": "string", "pattern": f"^{PROPORTION}."}]}
    ),
]


class Measure(Written):
    """One statistic of some questions, whole and by groups."""

    statistic: StatisticName = Field(
        description="`raterbook list statistics` has them; any `proportion_…` may be named"
    )
    question: OneOrMore | None = Field(default=None, description="the id of one, or a list")
    is_: Share | None = Field(
        default=None,
        alias="is",
        description="of a share: the values counted; `{question: [values]}` for several questions",
    )
    of: Share | None = Field(default=None, description="of a share: the values it is a share of")
    recode: dict[str, dict[str, tuple[Any, ...]]] | None = Field(
        default=None, description="makes one question of another: `{new_id: {value: [old values]}}`"
    )
    by: Groupings = Field(
        default=(), description="columns to group by; a list of columns in the list is crossed"
    )
    correction: Literal["holm", "benjamini-hochberg", "none"] | None = Field(
        default=None, description="of a difference: holm unless said"
    )
    label: str | None = Field(default=None, description="what the number is called")

    @model_validator(mode="after")
    def _whole(self) -> Measure:
        listed = isinstance(self.is_, tuple) or isinstance(self.of, tuple)
        if listed and len(self.question or ()) != 1:
            where = "is" if isinstance(self.is_, tuple) else "of"
            raise KeyProblem(
                f"({self.statistic}): a list of values needs exactly one question; for several "
                "write {question: [values]}",
                where,
            )
        statistic = known_statistic(self.statistic)
        if statistic.is_proportion and (self.is_ is None or self.of is None):
            raise KeyProblem(f"({self.statistic}): a proportion needs 'is' and 'of'", "statistic")
        if self.correction is not None and not statistic.is_difference:
            raise KeyProblem(
                f"({self.statistic}): correction is for several comparisons, so only a difference "
                "takes one: leave it out",
                "correction",
            )
        if self.recode is not None and len(self.recode) != 1:
            raise KeyProblem(
                f"({self.statistic}): recode makes one question, {{new_id: {{value: [old]}}}}",
                "recode",
            )
        return self

    @property
    def takes(self) -> Takes:
        """What it needs of its questions' values."""
        return known_statistic(self.statistic).values(self.is_ is not None or self.of is not None)

    def to_dict(self) -> dict[str, Any]:
        """What was written, as plain lists and mappings; `by` is always a list of lists."""
        written: dict[str, Any] = {"statistic": self.statistic}
        if self.question is not None:
            written["question"] = list(self.question)
        for key, share in (("is", self.is_), ("of", self.of)):
            if share is not None:
                written[key] = list(share) if isinstance(share, tuple) else dict(share)
        if self.recode is not None:
            written["recode"] = {
                new: {value: list(old) for value, old in groups.items()}
                for new, groups in self.recode.items()
            }
        if self.by:
            written["by"] = [list(columns) for columns in self.by]
        if self.correction:
            written["correction"] = self.correction
        if self.label:
            written["label"] = self.label
        return written


class Target(Written):
    """A value that a statistic should reach, or not exceed."""

    name: Text = Field(description="what the target is called")
    statistic: StatisticName = Field(description="that of one of the measures")
    question: str | None = Field(default=None, description="the id, where the measure has several")
    at_least: Number | None = Field(default=None, description="the lowest value that meets it")
    at_most: Number | None = Field(default=None, description="the highest; give one of the two")
    group: dict[str, Text] | None = Field(
        default=None, description="one group, as `{model: birch}`"
    )

    @model_validator(mode="after")
    def _one_bound(self) -> Target:
        if (self.at_least is None) == (self.at_most is None):
            where = ["at_most"] if self.at_most is not None else []
            raise KeyProblem(f"({self.name}): give one of at_least, at_most", *where)
        return self
