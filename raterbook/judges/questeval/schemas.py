"""The JSON schemas of the three replies, in the strict form that servers compile once."""

from __future__ import annotations

from raterbook.judges.schema import Schema, closed


def _listed(key: str, entry: dict[str, Schema]) -> Schema:
    return closed({key: {"type": "array", "items": closed(entry)}})


_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "integer"}

SCHEMAS: dict[str, Schema] = {
    "write": _listed("questions", {"key_info": _TEXT, "question": _TEXT}),
    "check": _listed("decisions", {"number": _NUMBER, "decision": {"enum": ["keep", "drop"]}}),
    "answer": _listed("answers", {"number": _NUMBER, "answer": _TEXT}),
}
