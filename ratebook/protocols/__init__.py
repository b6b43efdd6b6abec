"""What is asked: protocols, read from YAML."""

from ratebook.protocols.conditions import UNANSWERABLE, holds
from ratebook.protocols.errors import ProtocolError
from ratebook.protocols.library import library_path, load, names, parse
from ratebook.protocols.measures import STATISTICS, Measure, Target
from ratebook.protocols.questions import Level, Option, Question, asked, is_required
from ratebook.protocols.schema import (
    AnswerColumn,
    Example,
    Field,
    ItemSpec,
    JudgeText,
    PartsSpec,
    Protocol,
)
from ratebook.protocols.show import check, overview, show

__all__ = [
    "STATISTICS",
    "UNANSWERABLE",
    "AnswerColumn",
    "Example",
    "Field",
    "ItemSpec",
    "JudgeText",
    "Level",
    "Measure",
    "Option",
    "PartsSpec",
    "Protocol",
    "ProtocolError",
    "Question",
    "Target",
    "asked",
    "check",
    "holds",
    "is_required",
    "library_path",
    "load",
    "names",
    "overview",
    "parse",
    "show",
]
