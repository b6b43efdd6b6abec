"""One answer from several people: adjudicated, else a strict majority, else none."""

from collections import Counter
from collections.abc import Sequence

from ratebook.protocols import Question
from ratebook.rounds.exchange.facts import Fact

PRECEDENCE = ("adjudicator", "human", "model")


def consensus(question: Question, facts: Sequence[Fact]) -> str:
    """The answer that stands for all of them to one question about one thing; empty for none.

    Only the first replicate counts, and only what was answered.
    """
    told = [fact for fact in facts if fact.status == "answered" and fact.replicate == 1]
    judged = [fact for fact in told if fact.kind == "adjudicator"]
    if judged:
        return judged[-1].text
    for kind in PRECEDENCE[1:] if question.consensus == "precedence" else ("human",):
        votes = Counter(fact.text for fact in told if fact.kind == kind)
        if votes:
            text, count = votes.most_common(1)[0]
            return text if 2 * count > votes.total() else ""
    return ""
