"""Measures and targets: that they speak of questions, values and columns which exist."""

from __future__ import annotations

from collections.abc import Iterator

from raterbook.protocols.conditions import leaves
from raterbook.protocols.errors import Path, Problem, dotted, named, one_of, value_problem
from raterbook.protocols.measures import Measure
from raterbook.protocols.questions import Question
from raterbook.protocols.schema import Protocol

# RAGQuestEval sets what a text says beside what the reference says.
SIDES = ("generated_answer", "reference_answer")
GROUPS = ("label", "rater", "raters", "systems", "tokeniser", "level")  # besides item columns


def measure_problems(protocol: Protocol) -> Iterator[Problem]:
    """(path in the file, what is wrong) for every measure and target that cannot be computed."""
    for number, measure in enumerate(protocol.measures):
        yield from _measure(("measures", number), measure, protocol)
    columns = grouping_columns(protocol)
    for number, target in enumerate(protocol.targets):
        path: Path = ("targets", number)
        if target.question is not None:
            ids = [*questions_of(protocol), *recoded(protocol)]
            yield from named((*path, "question"), target.question, ids, "a question")
        computed = [
            measure.statistic
            for measure in protocol.measures
            if target.question is None or target.question in outcome(measure)
        ]
        if target.statistic not in computed:
            where = (*path, "statistic")
            aim = (
                f"{target.statistic!r} of {target.question!r}"
                if target.question
                else repr(target.statistic)
            )
            yield where, f"{dotted(where)} {aim} is not among the measures"
        for column in target.group or ():
            known = [*columns, *GROUPS]
            yield from named((*path, "group", column), column, known, "a grouping column")


def questions_of(protocol: Protocol) -> dict[str, Question]:
    return {question.id: question for question in protocol.questions}


def recoded(protocol: Protocol) -> list[str]:
    """The question ids that measures make by recoding."""
    return [new for measure in protocol.measures for new in measure.recode or ()]


def outcome(measure: Measure) -> tuple[str, ...]:
    """The question ids its numbers are reported under."""
    return tuple(measure.recode) if measure.recode else measure.question or ()


def grouping_columns(protocol: Protocol) -> list[str]:
    item = protocol.item
    columns = [*item.groups, *([item.system] if item.system else [])]
    return list(dict.fromkeys(columns))


def _measure(path: Path, measure: Measure, protocol: Protocol) -> Iterator[Problem]:
    questions = questions_of(protocol)
    if measure.takes == "answers":
        yield from _two_sides(path, measure, questions)
    elif not measure.question:
        yield path, f"{dotted(path)} {measure.statistic} needs a question"
    elif measure.statistic == "adjusted_share" and not _has_criteria(measure, protocol):
        said = "adjusted_share needs the criteria after the overall that raters stated"
        yield path, f"{dotted(path)} {said}: [overall, first criterion, second criterion]"
    if measure.statistic == "severe_any_issue" and (measure.is_ is None or measure.of is None):
        yield path, f"{dotted(path)} (severe_any_issue): a proportion needs 'is' and 'of'"
    if measure.statistic == "missing_severity" and measure.of is None:
        what = "(missing_severity): 'of' says which answers call for a severity"
        yield path, f"{dotted(path)} {what}"
    for number, id in enumerate(measure.question or ()):
        where = (*path, "question", number)
        yield from named(where, id, questions, "a question")
        if id in questions:
            yield from _fits(where, measure, questions[id])
    for key, share in (("is", measure.is_), ("of", measure.of)):
        where = (*path, key)
        pairs = leaves(share)
        if isinstance(share, tuple) and measure.question:
            pairs = iter([(measure.question[0], list(share))])
        for id, expected in pairs:
            yield from named(where, id, questions, "a question")
            for value in expected if id in questions and isinstance(expected, list) else ():
                yield from value_problem(where, questions[id], value)
    yield from _recoding(path, measure, questions)
    columns = grouping_columns(protocol)
    for number, crossed in enumerate(measure.by):
        for column in crossed:
            what = "a column that groups or names systems"
            yield from named((*path, "by", number), column, columns, what)


def _fits(where: Path, measure: Measure, question: Question) -> Iterator[Problem]:
    statistic, what = measure.statistic, f"{dotted(where)} {question.id!r}"
    if question.type == "text":
        yield where, f"{what} is a text; {statistic} cannot count it"
    elif measure.takes == "numbers" and measure.recode:
        yield where, f"{what} is recoded into labels, which have no numbers for {statistic}"
    elif measure.takes == "numbers" and not question.is_numeric:
        yield where, f"{what} has no numbers for {statistic}"
    elif measure.takes == "order" and question.level in (None, "nominal"):
        yield where, f"{what} has no order for {statistic}"


def _has_criteria(measure: Measure, protocol: Protocol) -> bool:
    """Whether it names them, or a computed overall does."""
    return len(measure.question or ()) > 1 or any(
        each.statistic == "overall_computed_mean" for each in protocol.measures
    )


def _two_sides(path: Path, measure: Measure, questions: dict[str, Question]) -> Iterator[Problem]:
    found = [questions[name].type for name in SIDES if name in questions]
    if found != ["answer", "answer"] or measure.question not in (None, SIDES[:1]):
        where = f"{dotted(path)} {measure.statistic}"
        sides = " with those to ".join(map(repr, SIDES))
        yield path, f"{where} compares the answers to {sides}, two questions of type answer"


def _recoding(path: Path, measure: Measure, questions: dict[str, Question]) -> Iterator[Problem]:
    for new, groups in (measure.recode or {}).items():
        where = (*path, "recode", new)
        if new in questions:
            yield where, f"{dotted(where)} is a question already; give the recoded one a new id"
        if measure.question is None or len(measure.question) != 1:
            yield where, f"{dotted(where)} recode needs exactly one question"
            continue
        question = questions.get(measure.question[0])
        seen: set[str] = set()
        for value, old in groups.items():
            if question is not None:
                for each in old:
                    yield from value_problem((*where, value), question, each)
            twice = [str(each) for each in old if str(each) in seen]
            if twice:
                yield (*where, value), f"{dotted((*where, value))}: {one_of(twice)} recoded twice"
            seen.update(str(each) for each in old)
