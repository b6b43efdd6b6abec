"""One answer from several people: adjudicated, else a strict majority, else none."""

from collections import Counter
from collections.abc import Sequence

from raterbook.protocols import Question
from raterbook.rounds.exchange.facts import Fact

PRECEDENCE = ("adjudicator", "human", "model")


def consensus(question: Question, facts: Sequence[Fact]) -> str:
    """The answer that stands for all of them to one question about one thing; empty for none.

    Only the first replicate counts, and only what was answered. Adjudicators settle it by a strict
    majority of their own; where they tie, nothing was adjudicated.
    """
    told = [fact for fact in facts if fact.status == "answered" and fact.replicate == 1]
    kinds = PRECEDENCE if question.consensus == "precedence" else PRECEDENCE[:2]
    for kind in kinds:
        votes = Counter(fact.text for fact in told if fact.kind == kind)
        if votes:
            text, count = votes.most_common(1)[0]
            if 2 * count > votes.total():
                return text
            if kind != "adjudicator":
                break
    return ""
