"""RAGQuestEval: questions written from a reference, answered from it and from a generated text.

    questions(stored, model, base_url=…, …) -> Summary    raterbook questions ROUND --model NAME …
    questions(stored, rules=True)                         the offline baseline
    generate(stored, ask) · answer(stored, ask)           its halves, with any callable
    import_upstream(stored, file, …) -> Imported          the upstream JSON cache
    writers(stored)                                       who wrote which question

Recall, precision and token F1 are computed in `analysis`.
"""

from raterbook.judges.questions.run import Summary
from raterbook.judges.questions.upstream import Imported, import_upstream
from raterbook.judges.questions.writing import answer, generate, questions, writers

__all__ = [
    "Imported",
    "Summary",
    "answer",
    "generate",
    "import_upstream",
    "questions",
    "writers",
]
