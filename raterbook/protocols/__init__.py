"""What is asked: protocols, read from YAML."""

from raterbook.protocols.conditions import UNANSWERABLE, holds, is_unanswerable
from raterbook.protocols.handbook import check, overview, show
from raterbook.protocols.kinds import TYPES
from raterbook.protocols.library import library_path, load, names, parse
from raterbook.protocols.measures import Measure, Target
from raterbook.protocols.problems import ProtocolError
from raterbook.protocols.protocol import (
    AnswerColumn,
    Example,
    Field,
    ItemSpec,
    JudgeText,
    PartsSpec,
    Protocol,
)
from raterbook.protocols.questions import (
    Level,
    Option,
    Question,
    asked,
    is_missing,
    is_required,
)
from raterbook.protocols.statistics import STATISTICS

__all__ = [
    "STATISTICS",
    "TYPES",
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
    "is_missing",
    "is_required",
    "is_unanswerable",
    "library_path",
    "load",
    "names",
    "overview",
    "parse",
    "show",
]
