"""The bytes of a file and the text in them: how much is read, and in which encoding."""

from __future__ import annotations

import codecs
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from raterbook.environment import most
from raterbook.protocols.kinds import UNSTORABLE
from raterbook.protocols.problems import printable
from raterbook.rounds.items import Decoded
from raterbook.rounds.model import FileError, shown
from raterbook.rounds.store.backup import whole_file

# What is larger is refused while it is read. RATERBOOK_LIMITS=4 makes all of it four times as much.

LARGEST = 2 * 1024**3  # bytes of a file
LONGEST = 16 * 1024**2  # one line or one cell
MOST_ROWS = 4_000_000
MOST_COLUMNS = 2_000
MOST_CELLS = 80_000_000
UNPACKED = 512 * 1024**2  # bytes of a packed file (Excel, Parquet) when unpacked
OBJECTS = 2 * 1024**2  # bytes of JSON that is no table: prices, questions of another program
DEEPEST = 50  # lists in lists
MEMBERS = 10_000  # files in a packed file

# A small file says little: so much whatever its size, and so much for each of its bytes. The
# densest files that rounds made have 1.5 rows and 20 cells a byte, and unpack to 16 times.
ROWS = (500_000, 4)
CELLS = (1_000_000, 40)
TEXT = (16 * 1024**2, 100)
MARKUP = (200_000, 8)  # tags in a packed file
GIVEN = (100_000, 40)  # items that new raters of a file are asked, and so many for each answer
RATERS = (10_000, 10)  # new raters of a file, and one more for each so many answers
ITEMS = (10_000, 50)  # items of a file, and one more for each so many characters

RAISE = "raise the limits (RATERBOOK_LIMITS=2 doubles them)"

CHUNK = 1024**2
MARKS = (  # the longer mark first: UTF-32's begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
BINARY = (
    b"PK\x03\x04",
    b"PAR1",
    b"\x89PNG",
    b"%PDF",
    b"\xd0\xcf\x11\xe0",
    b"SQLite format 3\x00",
    b"\x1f\x8b",
    b"\xff\xd8\xff",
    b"\x7fELF",
)
# What Western texts have above ASCII; anything else is not guessed at.
WESTERN = re.compile(
    r"[À-ÖØ-öø-ÿŒœŠšŽžŸ‘’“”‚„–—…•€£¥§©®°±²³¼½¾×÷«»¡¿ºª·´¨\u00a0™µ¢†‡‰‹›ˆ˜¶¬¦¹¸\u00ad¤ƒ]"
)

# A sign inside a word, as Polish or Czech texts show when they are read as Western ones.
INSIDE = re.compile(r"(?<=[^\W\d_])[£³¹²¿¼¾½¥¡¢¦¬](?=[^\W\d_])|£(?=[^\W\d_])")


class Tally:
    """What was read of a file so far. What is too much, whole or for its size, is refused there."""

    def __init__(self, name: str, size: int):
        self.name = name
        self.rows = self.cells = self.text = 0
        self.most_rows = self._least(MOST_ROWS, ROWS, size)
        self.most_cells = self._least(MOST_CELLS, CELLS, size)
        self.most_text = self._least(UNPACKED, TEXT, size)
        self.most_tags = self._least(UNPACKED, MARKUP, size)

    @staticmethod
    def _least(limit: int, small: tuple[int, int], size: int) -> int:
        return most(min(limit, small[0] + small[1] * size))

    def add(self, cells: int, text: int = 0, rows: int = 1) -> None:
        """One more row of so many cells, with so much text in them."""
        self.rows += rows
        self.cells += cells
        self.text += text
        if self.rows > self.most_rows or self.cells > self.most_cells or self.text > self.most_text:
            self.stop()

    def stop(self) -> None:
        """Refuse what is too much of."""
        for what, number, limit in (
            ("rows", self.rows, self.most_rows),
            ("cells", self.cells, self.most_cells),
            ("characters in its cells", self.text, self.most_text),
        ):
            if number > limit:
                self.refuse(what, limit)

    def columns(self, number: int, row: int = 1) -> None:
        if number > most(MOST_COLUMNS):
            raise FileError(
                f"{self.name}, row {row} has {number:,} columns; {most(MOST_COLUMNS):,} is the "
                f"most. Keep the columns that are needed, or {RAISE}."
            )

    def refuse(self, what: str, limit: int) -> NoReturn:
        raise FileError(
            f"{self.name} has more than {limit:,} {what}, the most that is read of a file of its "
            f"size. Split it, or {RAISE}."
        )


def label(path: str | Path) -> str:
    """The name of a file in messages: never a whole path."""
    return "standard input" if str(path) == "-" else shown(Path(path).name or path)


def read_bytes(path: str | Path, lines: bool = True) -> bytes:
    """A file's bytes, or standard input's for "-"; what is too large is refused while reading."""
    name = label(path)
    if str(path) == "-":
        return _drain(sys.stdin.buffer, name, lines)
    try:
        with open(path, "rb") as stream:
            refuse_large(os.fstat(stream.fileno()).st_size, name, LARGEST if lines else UNPACKED)
            return _drain(stream, name, lines)
    except FileNotFoundError:
        raise FileError(f"{name}: there is no such file. Check the name and the folder.") from None
    except IsADirectoryError:
        raise FileError(f"{name} is a folder. Name one file in it.") from None
    except FileError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"{name} cannot be read: {reason}. Check the name and the file.") from None


def refuse_large(size: int, name: str, limit: int | None = None) -> None:
    largest = most(limit or LARGEST)
    if size > largest:
        raise FileError(f"{name} is larger than {largest // 1024**2:,} MB. Split it, or {RAISE}.")


def read_text(path: Path, what: str, limit: int | None = None) -> str:
    """A file of UTF-8 that is no table; `what` it should hold is said where it is not there."""
    pieces: list[bytes] = []
    try:
        with path.open("rb") as stream:
            while piece := stream.read(CHUNK):  # as much as there is, not as much as there may be
                pieces.append(piece)
                refuse_large((len(pieces) - 1) * CHUNK + len(piece), label(path), limit)
    except FileNotFoundError:
        raise FileError(f"{path}: there is no such file of {what}") from None
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    data = b"".join(pieces)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise FileError(f"{path}: not UTF-8; save it as UTF-8") from None


def read_json(path: Path, what: str, remedy: str, **how: Any) -> Any:
    """What such a file holds as JSON; the `remedy` says how it is written."""
    text = read_text(path, what, OBJECTS)
    try:
        return json.loads(text, **how)
    except RecursionError:
        said = f"{path}: nested too deeply"
    except json.JSONDecodeError as error:
        said = f"{path}, line {error.lineno}, column {error.colno}: not JSON ({error.msg})"
    except ValueError as error:
        said = f"{path}: not JSON ({error})"
    raise FileError(f"{said}; {remedy}")


def _drain(stream: BinaryIO, name: str, lines: bool) -> bytes:
    pieces: list[bytes] = []
    total = line = 0
    longest = most(LONGEST)
    while piece := stream.read(CHUNK):
        total += len(piece)
        refuse_large(total, name, LARGEST if lines else UNPACKED)
        if lines:
            last = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
            line = line + len(piece) if last < 0 else len(piece) - last - 1
            if line > longest:
                raise FileError(
                    f"{name} has a line of more than {longest // 1024**2} MB. "
                    "This is not a table of texts, or its line ends are lost: save it again."
                )
        pieces.append(piece)
    if not total:
        raise FileError(f"{name} is empty. It needs a first row with the names of the columns.")
    return b"".join(pieces)


def put(data: bytes, file: str | Path) -> None:
    """The whole file at once: who reads it never sees half of it."""
    if str(file) == "-":
        if sys.stdout.isatty():  # somebody looks at it; in a pipe it is the file to the letter
            data = printable(data.decode(errors="replace")).encode()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    path = Path(file)
    if path.is_dir():
        raise FileError(f"{label(file)} is a folder. Name a file in it.")
    try:
        with whole_file(path) as stream:
            stream.write(data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        if not path.parent.is_dir():
            reason = f"there is no folder {shown(path.parent)}"
        raise FileError(
            f"{label(file)} cannot be written: {reason}. Choose a file in a folder that exists."
        ) from None


def decode(data: bytes, name: str, encoding: str | None = None) -> Decoded:
    """The text of a file: UTF-8, marked UTF-16 or UTF-32, plain Western, or as named."""
    if encoding is not None:
        return _named(data, name, encoding)
    for mark, marked in MARKS:
        if data.startswith(mark):
            return Decoded(_strict(data[len(mark) :], marked, name), marked, mark)
    if b"\x00" in data:
        position = data.index(b"\x00")
        row = data.count(b"\n", 0, position) + 1
        raise FileError(
            f"{name}, line {row}: a NUL byte. This is not a text file, or it is UTF-16 "
            "without its mark: save it as UTF-8."
        )
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        return _western(data, name, error)


def _named(data: bytes, name: str, encoding: str) -> Decoded:
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise FileError(
            f"{name}: no encoding is called {encoding!r}. "
            "Use utf-8, utf-16, cp1252, shift_jis, gb18030 or another of Python's."
        ) from None
    mark = b"".join(mark for mark, marked in MARKS if data.startswith(mark) and marked in encoding)
    return Decoded(_strict(data[len(mark) :], encoding, name), encoding, mark)


def _strict(data: bytes, encoding: str, name: str) -> str:
    try:
        text = data.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        start = getattr(error, "start", 0)
        row = data.count(b"\n", 0, start) + 1
        raise FileError(
            f"{name}, line {row}: not {encoding.upper()} as it says. Save the file as UTF-8."
        ) from None
    if (found := UNSTORABLE.search(text)) is not None:
        row = text.count("\n", 0, found.start()) + 1
        if found[0] == "\x00":
            raise FileError(f"{name}, line {row}: a NUL character. Remove it.")
        raise FileError(
            f"{name}, line {row}: half a character (a lone surrogate). Write the whole one."
        )
    return text


def _western(data: bytes, name: str, error: UnicodeDecodeError) -> Decoded:
    """Windows-1252, where everything above ASCII in it is what Western texts have."""
    row = data.count(b"\n", 0, error.start) + 1
    refusal = FileError(
        f"{name}, line {row}: byte {data[error.start]:#04x} is not UTF-8, and the encoding cannot "
        "be told. Save the file as UTF-8; in Python, encoding= names another."
    )
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        raise refusal from None
    high = [character for character in text if character > "\x7f"]
    words = re.findall(r"[^\x00-\x7f]{3,}", text)
    foreign = words or INSIDE.search(text) or not all(map(WESTERN.match, high))
    if foreign or len(high) > 0.15 * len(text):
        raise refusal
    return Decoded(text, "cp1252", b"", f"{name} is not UTF-8; it was read as Windows-1252.")
