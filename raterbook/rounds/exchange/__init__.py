"""What comes in and goes out: items, parts and answers, as files."""

from raterbook.rounds.exchange.guide import guide, write_guide
from raterbook.rounds.exchange.incoming import import_answers
from raterbook.rounds.exchange.items import ItemFile, read_items
from raterbook.rounds.exchange.outgoing import Exported, export_answers
from raterbook.rounds.exchange.part_edits import Edited, export_parts, import_parts
from raterbook.rounds.exchange.parts import read_parts
from raterbook.rounds.exchange.problems import FileError
from raterbook.rounds.exchange.taking import Summary

__all__ = [
    "Edited",
    "Exported",
    "FileError",
    "ItemFile",
    "Summary",
    "export_answers",
    "export_parts",
    "guide",
    "import_answers",
    "import_parts",
    "read_items",
    "read_parts",
    "write_guide",
]
