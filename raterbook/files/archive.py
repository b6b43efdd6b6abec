"""An archive: rounds' answers as Parquet, a folder for each round, sealed by schema and hashes.

`round=NAME/` holds Parquet files and archive.json, which says what they are: the protocol, the
columns with their types, and of each file its rows and SHA-256. Engines read such folders as they
are, however much larger than memory they have become.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from raterbook.environment import optional
from raterbook.files.content import label, read_text
from raterbook.protocols import Protocol, parse
from raterbook.rounds.model import FileError, counted, listed, shown
from raterbook.rounds.raters import check_round, is_plain

if TYPE_CHECKING:
    from raterbook.rounds import Round

FORMAT = 1
SEAL = "archive.json"
PART = "round="
# Every archive has these; further columns are texts to group by.
TYPES = {
    "item": "string",
    "case": "string",
    "part": "int32",
    "rater": "string",
    "rater_kind": "string",
    "question": "string",
    "replicate": "int32",
    "value": "string",
    "number": "double",
    "status": "string",
    "confidence": "double",
    "seconds": "double",
    "revision": "int32",
    "answered_at": "timestamp[us, tz=UTC]",
    "role": "string",
    "cluster": "string",
}
LARGEST = 4 * 1024**2  # bytes of a seal
TAKEN = 1 << 20  # bytes read at a time


@dataclass(frozen=True)
class Archive:
    """One round of an archive, as its seal describes it."""

    folder: Path
    sealed: dict[str, Any]

    @property
    def round(self) -> str:
        return str(self.sealed["round"])

    @property
    def rows(self) -> int:
        return sum(int(each["rows"]) for each in self.sealed["files"].values())

    @cached_property
    def protocol(self) -> Protocol:
        """What was asked, as it was frozen."""
        source = f"{label(self.folder)}/{SEAL}"
        return parse(self.sealed["protocol"]["text"], source=source, stored=True)

    @property
    def columns(self) -> list[str]:
        return list(self.sealed["schema"])

    @property
    def files(self) -> list[Path]:
        return [self.folder / name for name in self.sealed["files"]]

    def __str__(self) -> str:
        held = f"{counted(self.rows, 'answer')} in {counted(len(self.files), 'file')}"
        return f"{label(self.folder)}: {held}"

    def table(self, memory: str = "1GB") -> Any:
        """The answers as a table of DuckDB's, which takes at most this much memory for counting."""
        ibis = optional("ibis", "scale", "An archive larger than memory")
        engine = ibis.duckdb.connect(memory_limit=memory, preserve_insertion_order=False)
        return engine.read_parquet([str(file) for file in self.files])

    def frame(self) -> pd.DataFrame:
        """All answers in memory."""
        parquet = optional("pyarrow.parquet", "parquet", "An archive")
        whole = parquet.ParquetDataset([str(file) for file in self.files], partitioning=None).read()
        found: pd.DataFrame = whole.to_pandas().assign(round=self.round)
        return found

    def verify(self) -> Archive:
        """Itself, where every file is as it was sealed; else what differs, in words."""
        here = {file.name for file in self.folder.glob("*.parquet")}
        sealed = self.sealed["files"]
        name = label(self.folder)
        if gone := sorted(set(sealed) - here):
            raise FileError(f"{name}: {listed(gone)} is missing: bring it back from a copy.")
        if strange := sorted(here - set(sealed)):
            raise FileError(
                f"{name}: {listed(strange)} is not in {SEAL}: take it away, or seal the folder "
                "anew."
            )
        if self.protocol.hash != self.sealed["protocol"]["hash"]:
            raise FileError(f"{name}/{SEAL}: the protocol is not the one its hash is of.")
        for file, of_file in sealed.items():
            check_schema(self.folder / file, self.sealed["schema"])
            rows = rows_in(self.folder / file)
            if rows != of_file["rows"]:  # by it is said how much is read into memory
                raise FileError(
                    f"{name}/{file} has {rows:,} rows, and its seal says {of_file['rows']:,}: "
                    "bring it back from a copy, or seal the folder anew."
                )
            if hash_of(self.folder / file) != of_file["sha256"]:
                raise FileError(
                    f"{name}/{file} was changed after it was sealed: bring it back from a copy, or "
                    "seal the folder anew where the change was meant."
                )
        return self


def open_archive(folder: str | Path, round: str) -> Archive:
    """A round of an archive, whose files are as they were sealed."""
    check_round(round)  # the name of a folder, here and where its page comes
    place = Path(folder) / f"{PART}{round}"
    if not (place / SEAL).exists():
        known = listed(rounds_of(folder)) or "none"
        raise FileError(
            f"{label(folder)} has no round {shown(round)} with a seal ({SEAL}): it has {known}."
        )
    text = read_text(place / SEAL, "an archive's seal", LARGEST)
    try:
        sealed = json.loads(text)
        made = sealed["format"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FileError(f"{label(place)}/{SEAL} cannot be read ({shown(error, 200)}).") from None
    if made != FORMAT:
        raise FileError(
            f"{label(place)}/{SEAL} has format {shown(made)}: this version reads {FORMAT}."
        )
    if not _is_seal(sealed):
        raise FileError(
            f"{label(place)}/{SEAL} is no seal of {round}: bring it back from a copy, or seal the "
            "folder anew."
        )
    return Archive(place, sealed).verify()


def _is_seal(sealed: Any) -> bool:
    """Whether everything in it is of its kind; that it is true, `verify` sees."""
    of_kind = [
        isinstance(sealed.get(name), kind)
        for name, kind in (("round", str), ("protocol", dict), ("schema", dict), ("files", dict))
    ]
    return (
        all(of_kind)
        and isinstance(sealed.get("answers"), str | None)
        and all(isinstance(sealed["protocol"].get(name), str) for name in ("text", "hash"))
        and all(isinstance(type, str) for type in sealed["schema"].values())
        and all(
            isinstance(each, dict)
            and isinstance(each.get("sha256"), str)
            and isinstance(each.get("rows"), int)
            for each in sealed["files"].values()
        )
    )


def rounds_of(folder: str | Path) -> list[str]:
    """The rounds of an archive, by their names."""
    found = Path(folder).glob(f"{PART}*/{SEAL}")
    names = (file.parent.name.removeprefix(PART) for file in found)
    return sorted(name for name in names if is_plain(name))


def write_archive(round: Round, folder: str | Path, pseudonyms: bool = False) -> Archive:
    """A round's current answers as a sealed folder of the archive, there whole or not at all."""
    arrow = optional("pyarrow", "parquet", "An archive")
    parquet = optional("pyarrow.parquet", "parquet", "An archive")
    target = Path(folder) / f"{PART}{round.name}"
    if target.exists():
        raise FileError(f"{label(target)} is there already: take it away, or name another folder.")
    frame = round.frame(texts=True, pseudonyms=pseudonyms).drop(columns="round")
    types = TYPES | {name: "string" for name in frame.columns if name not in TYPES}
    schema = arrow.schema([(name, of_type(arrow, types[name])) for name in frame.columns])
    plain = frame.astype({name: object for name, type in types.items() if type == "string"})
    table = arrow.Table.from_pandas(plain, schema=schema, preserve_index=False)
    with made_whole(target) as work:
        parquet.write_table(table.replace_schema_metadata(None), work / "answers-0.parquet")
        seal(work, round.name, round.protocol, round.data_hash())
    return open_archive(folder, round.name)


@contextmanager
def made_whole(target: Path) -> Iterator[Path]:
    """A folder beside the target that takes its place once all is in it."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=".archive-", dir=target.parent))
    except OSError as error:
        raise FileError(f"{label(target)} cannot be written: {error.strerror}.") from None
    try:
        yield work
        for file in work.iterdir():
            with file.open("rb") as stream:
                os.fsync(stream.fileno())
        work.chmod(0o755)
        os.rename(work, target)
    except OSError as error:
        raise FileError(f"{label(target)} cannot be written: {error.strerror}.") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def seal(folder: Path, round: str, protocol: Protocol, answers: str | None = None) -> None:
    """Write archive.json for the Parquet files that lie here, whoever wrote them.

    `answers` is the hash of the round's answers by content, where it is known.
    """
    files = sorted(folder.glob("*.parquet"))
    if not files:
        raise FileError(f"{label(folder)} has no .parquet file to seal.")
    schema = schema_of(files[0])
    for name, type in TYPES.items():
        if name not in schema:
            raise FileError(f"{label(files[0])} has no column {name}: it is {type}.")
    found = {}
    for file in files:
        check_schema(file, schema)
        found[file.name] = {"rows": rows_in(file), "sha256": hash_of(file)}
    document = {
        "format": FORMAT,
        "round": round,
        "protocol": {"name": protocol.name, "hash": protocol.hash, "text": protocol.text},
        "answers": answers,
        "schema": schema,
        "files": found,
    }
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    (folder / SEAL).write_text(text, encoding="utf-8")


def schema_of(file: Path) -> dict[str, str]:
    """The columns of a Parquet file with their types, texts of any size alike."""
    parquet = optional("pyarrow.parquet", "parquet", "An archive")
    try:
        schema = parquet.read_schema(file)
    except (OSError, ValueError) as error:
        said = str(error).splitlines()[0]
        raise FileError(f"{label(file)} is no Parquet file that can be read ({said}).") from None
    return {field.name: str(field.type).removeprefix("large_") for field in schema}


def rows_in(file: Path) -> int:
    parquet = optional("pyarrow.parquet", "parquet", "An archive")
    return int(parquet.read_metadata(file).num_rows)


def check_schema(file: Path, sealed: dict[str, str]) -> None:
    """Refuse a file with other columns or other types than the seal names."""
    found = schema_of(file)
    for name, type in sealed.items():
        if found.get(name) != type:
            raise FileError(
                f"{label(file)}: the column {name} is {found.get(name, 'missing')}, and the seal "
                f"says {type}."
            )
        if name in TYPES and type != TYPES[name]:
            raise FileError(f"{label(file)}: the column {name} is {type}: make it {TYPES[name]}.")
    if more := [name for name in found if name not in sealed]:
        raise FileError(f"{label(file)}: the column {more[0]} is not in the seal.")


def hash_of(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while piece := stream.read(TAKEN):
            digest.update(piece)
    return digest.hexdigest()


def of_type(arrow: Any, type: str) -> Any:
    if type.startswith("timestamp"):
        return arrow.timestamp("us", "UTC")
    return arrow.type_for_alias(type)
