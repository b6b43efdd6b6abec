"""What is asked: protocols, read from YAML."""

from raterbook.protocols.conditions import UNANSWERABLE, holds
from raterbook.protocols.errors import ProtocolError
from raterbook.protocols.library import library_path, load, names, parse
from raterbook.protocols.measures import STATISTICS, Measure, Target
from raterbook.protocols.questions import Level, Option, Question, asked, is_required
from raterbook.protocols.schema import (
    AnswerColumn,
    Example,
    Field,
    ItemSpec,
    JudgeText,
    PartsSpec,
    Protocol,
)
from raterbook.protocols.show import check, overview, show

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
