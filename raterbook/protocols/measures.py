"""What a study lead wants computed, by name, and the values a release must reach."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from raterbook.protocols.conditions import read_condition
from raterbook.protocols.schema import Number, OneOrMore, Text, Written
from raterbook.protocols.statistics import Takes, known_statistic


def _share(raw: Any) -> Any:
    """`is` and `of`: values of the measure's question, or {question: [values]} for several."""
    if isinstance(raw, list) and raw:
        return tuple(raw)
    if isinstance(raw, dict):
        return read_condition(raw)
    raise ValueError(f"{raw!r} is neither a list of values nor {{question: [values]}}")


def _groupings(raw: Any) -> Any:
    """`by`: columns, each alone, or lists of columns that are crossed."""
    entries = [raw] if isinstance(raw, str) else raw
    return [[entry] if isinstance(entry, str) else entry for entry in entries]


Share = Annotated[Any, BeforeValidator(_share)]
Groupings = Annotated[tuple[tuple[Text, ...], ...], BeforeValidator(_groupings)]


class Measure(Written):
    """One statistic of some questions, whole and by groups."""

    statistic: Text
    question: OneOrMore | None = None
    is_: Share | None = Field(default=None, alias="is")
    of: Share | None = None
    recode: dict[str, dict[str, tuple[Any, ...]]] | None = None
    by: Groupings = ()
    correction: Literal["holm", "benjamini-hochberg", "none"] | None = None  # of a difference
    label: str | None = None

    @field_validator("statistic")
    @classmethod
    def _known(cls, name: str) -> str:
        return known_statistic(name).name

    @model_validator(mode="after")
    def _whole(self) -> Measure:
        listed = isinstance(self.is_, tuple) or isinstance(self.of, tuple)
        if listed and len(self.question or ()) != 1:
            raise ValueError(f"({self.statistic}): a list of values needs exactly one question")
        statistic = known_statistic(self.statistic)
        if statistic.is_proportion and (self.is_ is None or self.of is None):
            raise ValueError(f"({self.statistic}): a proportion needs 'is' and 'of'")
        if self.correction is not None and not statistic.is_difference:
            raise ValueError(
                f"({self.statistic}): correction is for several comparisons, so only a difference "
                "takes one"
            )
        if self.recode is not None and len(self.recode) != 1:
            raise ValueError(
                f"({self.statistic}): recode makes one question, {{new_id: {{value: [old]}}}}"
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

    name: Text
    statistic: Text
    question: str | None = None
    at_least: Number | None = None
    at_most: Number | None = None
    group: dict[str, Text] | None = None

    @field_validator("statistic")
    @classmethod
    def _known(cls, name: str) -> str:
        return known_statistic(name).name

    @model_validator(mode="after")
    def _one_bound(self) -> Target:
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError(f"({self.name}): give one of at_least, at_most")
        return self
