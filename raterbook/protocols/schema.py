"""The small types a protocol file is made of: a mapping without unknown keys, texts, numbers."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from raterbook.protocols.conditions import WORDS, Condition, read_condition

_NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d{1,15})?", re.ASCII)


class KeyProblem(ValueError):
    """What is wrong with a mapping as a whole, and which of its keys to look at."""

    def __init__(self, message: str, *path: str | int):
        super().__init__(message)
        self.path = path


class Written(BaseModel):
    """A mapping of the file: frozen, every key known."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def written(cls) -> list[str]:
        """The keys an author may write, in order."""
        return [
            field.alias or name for name, field in cls.model_fields.items() if not field.exclude
        ]

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        if isinstance(data, dict):
            allowed = cls.written()
            unknown = [key for key in data if key not in allowed]
            if unknown:
                raise PydanticCustomError(
                    "unknown_key", "unknown key", {"unknown": unknown, "allowed": allowed}
                )
        return data


def number(raw: Any) -> int | float:
    """A plain decimal number; whole ones become integers.

    >>> number("4"), number("4.0"), number(" 4.5 ")
    (4, 4, 4.5)
    """
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise ValueError(f"{raw!r} is not a number")
    text = str(raw).strip()
    if not _NUMBER.fullmatch(text):
        share = text.removesuffix("%").strip()
        is_share = text.endswith("%") and _NUMBER.fullmatch(share)
        remedy = f": a share is written {float(share) / 100:g}" if is_share else ""
        raise ValueError(f"{raw!r} is not a number{remedy}")
    value = float(text)
    return int(value) if value.is_integer() else value


def _truth(raw: Any) -> Any:
    if raw in ("true", True):
        return True
    if raw in ("false", False):
        return False
    raise ValueError(f"{raw!r} is not one of true, false")


def _requirement(raw: Any) -> Any:
    if isinstance(raw, dict):
        return read_condition(raw)
    try:
        return _truth(raw)
    except ValueError:
        raise ValueError(f"{raw!r} is not one of true, false, or a condition") from None


def _listed(raw: Any) -> Any:
    return [raw] if isinstance(raw, str) and raw else raw


# What an editor may see: `no` and 12 are texts here, and it takes them for other things.
_TEXT = {"type": ["string", "number", "boolean"], "minLength": 1}
_NUMBERS = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^\s*[+-]?\d"}]}
_TRUTHS = {"enum": [True, False, "true", "false"]}
_CONDITION = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {"anyOf": [{"enum": [*WORDS]}, {"type": "array", "minItems": 1}]},
}

Text = Annotated[str, Field(min_length=1), WithJsonSchema(_TEXT)]
Number = Annotated[int | float, BeforeValidator(number), WithJsonSchema(_NUMBERS)]
Truth = Annotated[bool, BeforeValidator(_truth), WithJsonSchema(_TRUTHS)]
When = Annotated[Condition, BeforeValidator(read_condition), WithJsonSchema(_CONDITION)]
Requirement = Annotated[
    Any, BeforeValidator(_requirement), WithJsonSchema({"anyOf": [_TRUTHS, _CONDITION]})
]
OneOrMore = Annotated[
    tuple[Text, ...],
    BeforeValidator(_listed),
    Field(min_length=1),
    WithJsonSchema({"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]}),
]
