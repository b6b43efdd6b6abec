"""RAGQuestEval: questions written from a reference, answered from it and from a generated text.

    questions(stored, model, base_url=…, …) -> Summary    raterbook questions ROUND --model NAME …
    questions(stored, rules=True)                         the offline baseline
    generate(stored, ask) · answer(stored, ask)           its halves, with any callable
    import_upstream(stored, file, …) -> Imported          the upstream JSON cache

Recall, precision and token F1 are computed in `analysis`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raterbook.judges.questeval.record import failures, writers
    from raterbook.judges.questeval.summary import Summary
    from raterbook.judges.questeval.upstream import Imported, import_upstream
    from raterbook.judges.questeval.whole import answer, generate, questions

_ROOMS = {
    "answer": "whole", "generate": "whole", "questions": "whole", "Summary": "summary",
    "Imported": "upstream", "import_upstream": "upstream",
    "failures": "record", "writers": "record",
}

__all__ = [
    "Imported",
    "Summary",
    "answer",
    "failures",
    "generate",
    "import_upstream",
    "questions",
    "writers",
]


def __getattr__(name: str) -> Any:
    # Loaded when used: importing the package costs nothing.
    if name in _ROOMS:
        import importlib

        return getattr(importlib.import_module(f"{__name__}.{_ROOMS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
