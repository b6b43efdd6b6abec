"""Every key a protocol file may have: for editors as a JSON Schema, for people as a page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from raterbook.protocols.kinds import TYPES
from raterbook.protocols.library import FORMAT, library_path
from raterbook.protocols.measures import Measure, Target
from raterbook.protocols.protocol import (
    AnswerColumn,
    Example,
    Field,
    ItemSpec,
    JudgeText,
    PartsSpec,
    Protocol,
)
from raterbook.protocols.questions import Comment, Level, Option, Question
from raterbook.protocols.schema import Written

SCHEMA_FILE = "protocol.schema.json"  # shipped beside this, and written beside a new protocol
FORMAT_KEY = f"{FORMAT}, where it is said at all; a newer one is refused"


def schema_text() -> str:
    """The JSON Schema as it stands in its file."""
    return json.dumps(schema(), ensure_ascii=False, indent=1) + "\n"


@cache
def shipped() -> str:
    """The file that comes with raterbook; tests hold it to the code."""
    return library_path().with_name(SCHEMA_FILE).read_text(encoding="utf-8")


def schema() -> dict[str, Any]:
    """What an editor needs for completion and for what it shows over a key.

    It knows the keys and the kinds of their values. That names lead somewhere, and what belongs to
    which type of question, is for `raterbook protocols FILE` to check.
    """
    made = Protocol.model_json_schema()
    whole: dict[str, Any] = _plain({"$schema": "http://json-schema.org/draft-07/schema#", **made})
    whole["title"] = "A protocol of Raterbook"
    for kind in TABLES.values():  # without what only raterbook sets
        mapping = whole if kind is Protocol else whole["$defs"][kind.__name__]
        mapping["properties"] = {key: mapping["properties"][key] for key in kind.written()}
    whole["properties"]["format"] = {"enum": [FORMAT, str(FORMAT)], "description": FORMAT_KEY}
    question = whole["$defs"]["Question"]
    question["allOf"] = [
        {
            # A misspelt type is said once, of the type.
            "if": {"required": [key], "properties": {"type": {"enum": list(TYPES)}}},
            "then": {
                "properties": {"type": {"enum": [n for n, k in TYPES.items() if key in k.keys]}}
            },
        }
        for key in dict.fromkeys(key for kind in TYPES.values() for key in kind.keys)
    ]
    return whole


def _plain(node: Any, named: bool = False) -> Any:
    """Without titles made from names, and without null, which a protocol never says.

    `named` is a mapping whose keys are an author's: there `title` is a key like any other.
    """
    if isinstance(node, list):
        return [_plain(each) for each in node]
    if not isinstance(node, dict):
        return node
    if named:
        return {key: _plain(each) for key, each in node.items()}
    kept = {
        key: _plain(each, key in ("properties", "$defs"))
        for key, each in node.items()
        if key != "title" and not (key == "default" and each in (None, [], ""))
    }
    if "anyOf" in kept:
        kinds = [each for each in kept.pop("anyOf") if each != {"type": "null"}]
        kept |= kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    if "$ref" in kept and len(kept) > 1:  # what stands beside a reference is not read
        kept["allOf"] = [{"$ref": kept.pop("$ref")}]
    return kept


# The page: docs/protocol.md.


ABOUT = """\
# Every key of a protocol file

A protocol is one YAML file; form, judge, import, guide and report follow from it.
`raterbook protocols --new NAME` writes one from a few questions or from the columns of an items
file, `raterbook protocols halo-support --yaml > mine.yaml` copies one that exists, and
`raterbook protocols mine.yaml` checks yours; `--preview` opens its form on two made-up items. An
unknown key is an error that names the keys there are. Values are read as they look: `no` is the
word no. Keys in **bold** must be there.

An editor with a YAML language server completes keys and says what each means, where the file begins
with `# yaml-language-server: $schema=protocol.schema.json`; `raterbook protocols --schema` prints
that schema.

A **condition** is `{accuracy: [inaccurate, disputed]}`: the question has one of these values.
Several entries must all hold; `{and: […]}` and `{or: […]}` join conditions. `{label: answered}`
holds where there is an answer at all, `{reference_answer: answerable}` where it is not
<Unanswerable>.

A target is met by the estimate, and decided where its interval says the same.
"""
TABLES: dict[str, type[Written]] = {
    "The file": Protocol,
    "`item`": ItemSpec,
    "A field of `item` or `parts`": Field,
    "`answers` of a field": AnswerColumn,
    "`parts`": PartsSpec,
    "A question": Question,
    "An option of a choice": Option,
    "A level of a scale": Level,
    "`comment` of a question": Comment,
    "`measures`": Measure,
    "`targets`": Target,
    "`examples`": Example,
    "`judge`": JudgeText,
}


def page() -> str:
    """docs/protocol.md, from the words that stand beside each key."""
    return "\n".join([ABOUT, *(line for title in TABLES for line in _table(title))]).rstrip() + "\n"


def _table(title: str) -> Iterator[str]:
    kind = TABLES[title]
    words = _plain(kind.model_json_schema())["properties"]
    must = [field.alias or name for name, field in kind.model_fields.items() if field.is_required()]
    lead = (kind.__doc__ or "").partition("\n\n")[0]
    yield from (f"## {title}", "", lead, "", "| key | what it says |", "|---|---|")
    for key in kind.written():
        said = words[key]["description"]
        choice = [each for each in words[key].get("enum", ()) if isinstance(each, str)]
        if any(each not in said for each in choice if each not in ("true", "false")):
            said += f" ({', '.join(choice)})"
        yield f"| {f'**`{key}`**' if key in must else f'`{key}`'} | {said} |"
    if kind is Protocol:
        yield f"| `format` | {FORMAT_KEY} |"
    yield ""
