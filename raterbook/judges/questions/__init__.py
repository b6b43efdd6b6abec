"""RAGQuestEval: questions written from a reference, answered from it and from a generated text.

    questions(stored, model, base_url=…, …) -> Summary    raterbook questions ROUND --model NAME …
    questions(stored, rules=True)                         the offline baseline
    generate(stored, ask) · answer(stored, ask)           its halves, with any callable
    import_upstream(stored, file, …) -> Imported          the upstream JSON cache

Recall, precision and token F1 are computed in `analysis`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raterbook.judges.questions.replies import Summary
    from raterbook.judges.questions.run import failures, writers
    from raterbook.judges.questions.upstream import Imported, import_upstream
    from raterbook.judges.questions.whole import answer, generate, questions


_ROOMS = {
    "answer": "whole",
    "generate": "whole",
    "questions": "whole",
    "Summary": "replies",
    "Imported": "upstream",
    "import_upstream": "upstream",
    "failures": "run",
    "writers": "run",
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
