"""Protocols by name or from a file."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import ValidationError

from raterbook.protocols.derived import measure_problems
from raterbook.protocols.errors import ProtocolError, did_you_mean, one_of, translate
from raterbook.protocols.normal import normal
from raterbook.protocols.reading import LARGEST, read
from raterbook.protocols.references import problems
from raterbook.protocols.schema import Protocol, content_hash

_LIBRARY = Path(__file__).parent / "library"


def library_path(name: str | None = None) -> Path:
    """The file of a protocol that comes with raterbook, or the folder they are in."""
    return _LIBRARY / f"{name}.yaml" if name else _LIBRARY


def names() -> list[str]:
    """The protocols that come with raterbook."""
    return sorted(path.stem for path in _LIBRARY.glob("*.yaml"))


def load(name_or_path: str | os.PathLike[str]) -> Protocol:
    """A protocol by its name, or from a YAML file."""
    given = os.fspath(name_or_path)
    if given in names():
        return _from_file(library_path(given))
    path = Path(given)
    if path.suffix in (".yaml", ".yml") or path.is_file():
        return _from_file(path)
    raise ProtocolError(
        f"no protocol is called {given!r}{did_you_mean(given, names())} "
        f"(there are {one_of(names())}; or give the path of a YAML file)"
    )


def parse(text: str, source: str = "protocol.yaml", *, stored: bool = False) -> Protocol:
    """The protocol a YAML text describes, or a ProtocolError that lists what is wrong with it.

    A `stored` one was checked when its round was opened: what has been learnt of measures since
    then must not lock up its answers.
    """
    written = read(text, source)
    try:
        protocol = Protocol.model_validate(written.data)
    except ValidationError as error:
        raise written.error(translate(error)) from None
    found = [*problems(protocol), *(() if stored else measure_problems(protocol))]
    if found:
        raise written.error(found)
    protocol = normal(protocol)
    return protocol.model_copy(update={"text": text, "hash": content_hash(protocol)})


def _from_file(path: Path) -> Protocol:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise ProtocolError(f"{path}: {error.strerror or error}") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if len(content) <= LARGEST:
            line = content[: error.start].count(b"\n") + 1
            raise ProtocolError(f"{path.name}, line {line}: not UTF-8; save it as UTF-8") from None
        text = content.decode("latin-1")  # too large anyway: let the reader say so
    return parse(text, source=path.name)
