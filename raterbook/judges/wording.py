"""Conditions, scales and values in words, for prompts and for telling a model what was wrong."""

from __future__ import annotations

from raterbook.protocols import Question

WHOLE = {True: "a whole number", False: "a number, decimals allowed"}


def value_key(question: Question) -> str:
    """Under which key a reply states its answer, beside its reasoning."""
    return "score" if question.type == "scale" else "answer"


def listed(words: list[str], last: str = "or") -> str:
    """
    >>> listed(["a", "b", "c"])
    'a, b or c'
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def placeholder(question: Question) -> str:
    """What stands in the output format where the answer goes; no value of the question itself."""
    if question.type == "scale":
        kind = WHOLE[question.step == 1]
        words = f"{kind} from {question.min} to {question.max}"
    elif question.type == "choice":
        words = "one of " + " | ".join(option.value for option in question.options)
    elif question.type == "percent":
        words = "a number from 0 to 100"
    elif question.type == "answer":
        words = "the answer, or <Unanswerable>"
    else:
        words = "text" if question.required is not False else "text, may be empty"
    codes = [f'"{code}"' for code in question.not_applicable]
    if codes:
        words += f", or {listed(codes)}"
    return f"<{words}>"


def is_closed(question: Question) -> bool:
    """Questions whose answer makes a reply complete; texts and confidence may be missing."""
    return question.type in ("scale", "choice", "answer")


def reason_target(question: Question, questions: tuple[Question, ...]) -> str | None:
    """The text question a reasoning belongs to: the question's comment, or `<id>_reason`."""
    for other in questions:
        if other.comment_of == question.id:
            return other.id
    for other in questions:
        if other.type == "text" and other.id == f"{question.id}_reason":
            return other.id
    return None


def written(questions: tuple[Question, ...]) -> list[Question]:
    """The questions a reply has a key for; comments and reasons come with their question."""
    covered = {reason_target(one, questions) for one in questions if is_closed(one)}
    return [question for question in questions if question.id not in covered]
