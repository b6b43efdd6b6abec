"""What comes in and goes out: items, parts and answers, as files."""

from __future__ import annotations

from raterbook.files.exporting import Exported, export_answers
from raterbook.files.formats import read_file
from raterbook.files.handbook import guide, write_codebook, write_guide
from raterbook.files.importing import ImportSummary, import_answers
from raterbook.files.items import ItemFile, read_items
from raterbook.files.parts import Edited, export_parts, import_parts, read_parts
from raterbook.rounds.model import FileError

__all__ = [
    "Edited",
    "Exported",
    "FileError",
    "ImportSummary",
    "ItemFile",
    "export_answers",
    "export_parts",
    "guide",
    "import_answers",
    "import_parts",
    "read_file",
    "read_items",
    "read_parts",
    "write_codebook",
    "write_guide",
]
