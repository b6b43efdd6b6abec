"""Values in conditions, measures and examples in the form answers are stored in: "2" is 2."""

from __future__ import annotations

from typing import Any

from raterbook.protocols.conditions import rewritten
from raterbook.protocols.measures import Measure
from raterbook.protocols.questions import Question
from raterbook.protocols.schema import Example, Protocol


def normal(protocol: Protocol) -> Protocol:
    """The protocol with every value checked and typed; to be called when all names are known."""
    by_id = {question.id: question for question in protocol.questions}

    def values(id: str, listed: Any) -> list[Any]:
        return [by_id[id].check(value) for value in listed]

    def question(one: Question) -> Question:
        update: dict[str, Any] = {}
        if one.when is not None:
            update["when"] = rewritten(one.when, values)
        if isinstance(one.required, dict):
            update["required"] = rewritten(one.required, values)
        return one.model_copy(update=update) if update else one

    def share(raw: Any, measure: Measure) -> Any:
        if isinstance(raw, tuple) and measure.question:
            return tuple(values(measure.question[0], raw))
        return rewritten(raw, values)

    def measure(one: Measure) -> Measure:
        update: dict[str, Any] = {}
        if one.is_ is not None:
            update["is_"] = share(one.is_, one)
        if one.of is not None:
            update["of"] = share(one.of, one)
        if one.recode and one.question:
            asked = one.question[0]
            update["recode"] = {
                new: {value: tuple(values(asked, old)) for value, old in groups.items()}
                for new, groups in one.recode.items()
            }
        return one.model_copy(update=update) if update else one

    def example(one: Example) -> Example:
        answers = {id: by_id[id].check(value) for id, value in one.answers.items()}
        return one.model_copy(update={"answers": answers})

    update: dict[str, Any] = {
        "questions": tuple(question(one) for one in protocol.questions),
        "measures": tuple(measure(one) for one in protocol.measures),
        "examples": tuple(example(one) for one in protocol.examples),
        "stages": _stages(protocol),
    }
    if protocol.judge is not None:
        told = tuple(example(one) for one in protocol.judge.examples)
        update["judge"] = protocol.judge.model_copy(update={"examples": told})
    return protocol.model_copy(update=update)


def _stages(protocol: Protocol) -> tuple[tuple[str, ...], ...]:
    """The stages, each comment behind its question; one stage where none is told."""
    written = tuple(one.id for one in protocol.questions if one.comment_of is None)
    comments = {one.comment_of: one.id for one in protocol.questions if one.comment_of}
    return tuple(
        tuple(each for id in stage for each in (id, comments.get(id)) if each)
        for stage in protocol.stages or (written,)
    )
