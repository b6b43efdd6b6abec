"""Few-shot examples from elsewhere, in place of the protocol's own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from raterbook.protocols import Example, Protocol

Examples = Sequence[Example | dict[str, Any]] | str | os.PathLike[str] | None


def read_examples(given: Examples, protocol: Protocol) -> tuple[Example, ...] | None:
    """None leaves the protocol's own; a file is YAML or JSON, or a gen_ai.json."""
    if given is None:
        return None
    source = "examples"
    if isinstance(given, str | os.PathLike):
        source = str(given)
        given = _from_file(Path(given), protocol)
    found = []
    for number, entry in enumerate(given, start=1):
        where = f"{source}, example {number}"
        example = entry if isinstance(entry, Example) else _made(entry, number, where)
        _check(example, protocol, where)
        found.append(example)
    return tuple(found)


def _from_file(path: Path, protocol: Protocol) -> Sequence[Any]:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"{path}: there is no such file of examples") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path.name}: not UTF-8; save it as UTF-8") from None
    except RecursionError:
        raise ValueError(f"{path.name}: nested too deeply; write a list of examples (title, "
                         "fields, answers)") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(f"{path}: neither YAML nor JSON: {str(error).splitlines()[0]}") from None
    if isinstance(content, dict) and "examples" in content:
        content = content["examples"]
    if isinstance(content, dict):
        from raterbook.judges.gen_ai import examples_in

        return examples_in(content, protocol, str(path))
    if not isinstance(content, list):
        raise ValueError(f"{path}: a list of examples is expected (title, fields, answers)")
    return content


def _made(entry: Any, number: int, where: str) -> Example:
    if not isinstance(entry, dict):
        raise ValueError(f"{where}: a mapping with title, fields and answers is expected")
    try:
        return Example(**{"title": f"Example {number}", **entry})
    except ValidationError as error:
        first = error.errors()[0]
        what = ".".join(map(str, first["loc"]))
        raise ValueError(f"{where}: {what}: {first['msg']}; write title, fields and answers, the "
                         "last two as mappings") from None


def _check(example: Example, protocol: Protocol, where: str) -> None:
    """Every answer of an example is one the protocol allows."""
    for question, value in example.answers.items():
        try:
            if value is not None:
                protocol.question(question).check(value)
        except KeyError as error:
            raise ValueError(f"{where}: {error.args[0]}") from None
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
