"""The JSON schemas of the three replies, in the strict form that servers compile once."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def _listed(key: str, entry: dict[str, Schema]) -> Schema:
    return _closed({key: {"type": "array", "items": _closed(entry)}})


def _closed(properties: dict[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "integer"}

SCHEMAS: dict[str, Schema] = {
    "write": _listed("questions", {"key_info": _TEXT, "question": _TEXT}),
    "check": _listed("decisions", {"number": _NUMBER, "decision": {"enum": ["keep", "drop"]}}),
    "answer": _listed("answers", {"number": _NUMBER, "answer": _TEXT}),
}
