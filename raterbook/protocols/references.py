"""Everything in a protocol that names something else in it must name something that is there."""

from __future__ import annotations

from collections.abc import Iterator

from raterbook.protocols.conditions import Condition, leaves
from raterbook.protocols.kinds import plain
from raterbook.protocols.measures import Measure
from raterbook.protocols.problems import (
    Problem,
    Steps,
    dotted,
    named,
    nearest,
    one_of,
    unknown,
    value_problem,
)
from raterbook.protocols.protocol import VISIBLE, Example, Field, Protocol
from raterbook.protocols.questions import Question
from raterbook.protocols.statistics import known_statistic


def problems(protocol: Protocol) -> Iterator[Problem]:
    """(path in the file, what is wrong) for every name that leads nowhere."""
    yield from _columns(protocol)
    yield from _questions(protocol)
    yield from _stages(protocol)
    yield from _texts(protocol)


def _columns(protocol: Protocol) -> Iterator[Problem]:
    item, fields = protocol.item, protocol.item.fields
    ids = [question.id for question in protocol.questions]
    for number, column in enumerate(item.key):
        yield from named(("item", "key", number), column, fields, "an item field")
    for number, column in enumerate(item.groups):
        yield from named(("item", "groups", number), column, fields, "an item field")
    for key in ("case", "cluster", "system"):
        column = getattr(item, key)
        if column is not None:
            yield from named(("item", key), column, fields, "an item field")
    for name, field in fields.items():
        path: Steps = ("item", "fields", name)
        if field.answers is not None:
            where = (*path, "answers", "question")
            yield from named(where, field.answers.question, ids, "a question")
        if field.exchange is not None:
            yield from named((*path, "exchange"), field.exchange, ids, "a question")
        if (field.answers or field.exchange) and field.show in VISIBLE:
            yield path, f"{dotted(path)} holds answers: its show must be hidden, after or none"
        if name in ids and field.exchange != name:
            yield path, f"{dotted(path)} has the name of a question; rename one of them"
    if not any(field.visible for field in fields.values()):
        yield ("item", "fields"), "item.fields: raters would see nothing; show one text at least"
    yield from _spellings(protocol)
    parts = protocol.parts
    if parts is not None and parts.source != "file":
        yield from named(("parts", "from"), parts.source, (*fields, "file"), "an item field")
        source = fields.get(parts.source)
        if parts.of == "case" and source is not None and source.of == "item":
            yield (
                ("parts", "from"),
                f"parts.from {parts.source!r} belongs to the item, not the case",
            )
    if parts is not None and parts.source == "file" and parts.split == "sentences":
        yield ("parts", "split"), "parts.split: parts from a file come already split: write none"


def _spellings(protocol: Protocol) -> Iterator[Problem]:
    """Two columns of a file must not go by the same header, as headers are read."""
    headers: dict[str, str] = {}
    fields = protocol.item.fields
    named: list[tuple[Steps, str, str]] = [((), name, name) for name in fields]
    named += [(("aliases",), name, alias) for name in fields for alias in fields[name].aliases]
    for end, name, word in named:
        other = headers.setdefault(plain(word), name)
        if other != name:
            path: Steps = ("item", "fields", name, *end)
            yield path, f"{dotted(path)} {word!r} also means {other}: rename one of them"
    written = (question for question in protocol.questions if question.comment_of is None)
    for number, question in enumerate(written):
        for alias in (question.id, *question.aliases):
            other = headers.setdefault(plain(alias), question.id)
            if other != question.id:
                path = ("questions", number)
                words = f"({question.id}): {alias!r} also means {other}: rename one of them"
                yield path, f"{dotted(path)} {words}"


def _questions(protocol: Protocol) -> Iterator[Problem]:
    fields, earlier = protocol.item.fields, dict[str, Question]()
    taken: set[str] = set()
    parts = protocol.parts.of if protocol.parts is not None else None
    written = [question for question in protocol.questions if question.comment_of is None]
    everyone = {question.id: question for question in protocol.questions}
    for number, question in enumerate(written):
        path: Steps = ("questions", number)
        for id in (question.id, *([f"{question.id}_comment"] if question.comment else [])):
            if id in taken:
                words = f"{id!r} is the id of another question: rename one of them"
                yield (*path, "id"), f"{dotted(path)}.id {words}"
            taken.add(id)
        if question.per == "part" and protocol.parts is None:
            yield (*path, "per"), f"{dotted(path)}.per part: the protocol has no parts"
        elif question.of == "case" and question.per == "part" and parts == "item":
            yield (*path, "of"), f"{dotted(path)}.of case: its parts belong to the item"
        yield from _condition((*path, "when"), question.when, question, earlier)
        itself = {**earlier, question.id: question}
        yield from _condition((*path, "required"), question.required, question, itself)
        if question.comment is not None:
            where = (*path, "comment", "required")
            yield from _condition(where, question.comment.required, question, itself)
        for place, shown in enumerate(question.shows):
            yield from _shown((*path, "shows", place), shown, question, protocol, earlier, fields)
        for place, covered in enumerate(question.covers):
            where = (*path, "covers", place)
            yield from named(where, covered, everyone, "a question")
            if covered in everyone and not everyone[covered].kind.is_closed:
                words = f"{covered!r} is a {everyone[covered].type} question: name ratings"
                yield where, f"{dotted(where)} {words}"
        earlier[question.id] = question


def _condition(
    path: Steps, condition: Condition | bool | None, question: Question, known: dict[str, Question]
) -> Iterator[Problem]:
    for id, expected in leaves(condition):
        if id not in known:
            words = unknown(id, known, "a question asked before")
            yield path, f"{dotted(path)} {words}"
            continue
        other = known[id]
        if other.of == "item" and question.of == "case":
            yield path, f"{dotted(path)} {id!r} belongs to the item, {question.id!r} to the case"
        if other.per == "part" and question.per == "whole":
            yield path, f"{dotted(path)} {id!r} is asked of each part, {question.id!r} of the whole"
        if expected == "answerable" and not other.kind.has_unanswerable:
            yield path, f"{dotted(path)} answerable: {id!r} is not of type answer; write answered"
        for value in expected if isinstance(expected, list) else ():
            yield from value_problem(path, other, value)


def _shown(
    path: Steps,
    shown: str,
    question: Question,
    protocol: Protocol,
    earlier: dict[str, Question],
    fields: dict[str, Field],
) -> Iterator[Problem]:
    if shown == "part":
        if question.per != "part":
            yield path, f"{dotted(path)} 'part': {question.id!r} is asked of the whole"
        return
    if shown.startswith("answer:"):
        id = shown.removeprefix("answer:")
        yield from named(path, id, earlier, "a question asked before")
        if id in earlier and question.of == "case" and earlier[id].of == "item":
            yield path, f"{dotted(path)} {id!r} belongs to the item, {question.id!r} to the case"
        return
    visible = [name for name, field in fields.items() if field.visible]
    if shown in fields and shown not in visible:
        yield path, f"{dotted(path)} {shown!r} is not shown to raters (show: {fields[shown].show})"
    elif shown not in fields:
        known = [*visible, "part", *(f"answer:{id}" for id in earlier)]
        yield path, f"{dotted(path)} {unknown(shown, known, 'a field')}"
    elif question.of == "case" and fields[shown].of == "item":
        yield path, f"{dotted(path)} {shown!r} belongs to the item, {question.id!r} to the case"


def _stages(protocol: Protocol) -> Iterator[Problem]:
    ids = [question.id for question in protocol.questions if question.comment_of is None]
    placed: dict[str, int] = {}
    for number, stage in enumerate(protocol.stages):
        for place, id in enumerate(stage):
            path: Steps = ("stages", number, place)
            yield from named(path, id, ids, "a question")
            if id in placed:
                yield (
                    path,
                    f"{dotted(path)} {id!r} is in stage {placed[id] + 1} already: leave one out",
                )
            placed.setdefault(id, number)
    meant = {nearest(id, ids) for id in placed if id not in ids}
    missing = [id for id in ids if id not in placed and id not in meant]
    if protocol.stages and missing:
        yield ("stages",), f"stages: {', '.join(missing)} is in none of them: add it to one"
    for number, id in enumerate(ids):
        question = protocol.question(id)
        needed = [name for name, _ in leaves(question.when)]
        needed += [name[7:] for name in question.shows if name.startswith("answer:")]
        for other in needed:
            if placed.get(other, 0) > placed.get(id, len(protocol.stages)):
                path = ("questions", number)
                yield path, f"{dotted(path)} ({id}) needs {other!r}, which comes in a later stage"


def _texts(protocol: Protocol) -> Iterator[Problem]:
    fields = protocol.item.fields
    for name, entries in protocol.definitions.items():
        yield from named(("definitions", name), name, fields, "an item field")
        values = fields[name].values if name in fields else {}
        for value in entries if values else ():
            where = ("definitions", name, value)
            yield from named(where, value, values, f"a value of {name}")
    for number, example in enumerate(protocol.examples):
        yield from _example(("examples", number), example, protocol)
    for number, example in enumerate(protocol.judge.examples if protocol.judge else ()):
        yield from _example(("judge", "examples", number), example, protocol)


def _example(path: Steps, example: Example, protocol: Protocol) -> Iterator[Problem]:
    visible = [name for name, field in protocol.item.fields.items() if field.visible]
    questions = {question.id: question for question in protocol.questions}
    for name in example.fields:
        yield from named((*path, "fields", name), name, visible, "a field raters see")
    for id, value in example.answers.items():
        where = (*path, "answers", id)
        yield from named(where, id, questions, "a question")
        if id in questions:
            yield from value_problem(where, questions[id], value)
    for id in example.reasons:
        yield from named((*path, "reasons", id), id, questions, "a question")


# Measures and targets: that they speak of questions, values and columns which exist.


# RAGQuestEval sets what a text says beside what the reference says.
SIDES = ("generated_answer", "reference_answer")
GROUPS = ("label", "rater", "raters", "systems", "tokeniser", "level")  # besides item columns


def measure_problems(protocol: Protocol) -> Iterator[Problem]:
    """(path in the file, what is wrong) for every measure and target that cannot be computed."""
    unsound: set[str] = set()  # what a target is held to may be one of these, mended
    for number, measure in enumerate(protocol.measures):
        for problem in _measure(("measures", number), measure, protocol):
            unsound.add(measure.statistic)
            yield problem
    columns = grouping_columns(protocol)
    for number, target in enumerate(protocol.targets):
        path: Steps = ("targets", number)
        ids = [*questions_of(protocol), *recoded(protocol)]
        if target.question is not None:
            yield from named((*path, "question"), target.question, ids, "a question")
        computed = [
            measure.statistic
            for measure in protocol.measures
            if target.question is None or target.question in outcome(measure)
        ]
        asked = target.question is None or target.question in ids
        if target.statistic not in computed and asked and target.statistic not in unsound:
            where = (*path, "statistic")
            aim = (
                f"{target.statistic!r} of {target.question!r}"
                if target.question
                else repr(target.statistic)
            )
            yield where, f"{dotted(where)} {aim} is not among the measures: add it there"
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


def _measure(path: Steps, measure: Measure, protocol: Protocol) -> Iterator[Problem]:
    questions, statistic = questions_of(protocol), known_statistic(measure.statistic)
    if measure.takes == "answers":
        yield from _two_sides(path, measure, questions)
    elif not measure.question:
        yield path, f"{dotted(path)} {measure.statistic} needs a question"
    elif statistic.asks == "first" and not _has_criteria(measure, protocol):
        said = f"{measure.statistic} needs the criteria after the overall that raters stated"
        yield path, f"{dotted(path)} {said}: [overall, first criterion, second criterion]"
    written = {"is": measure.is_, "of": measure.of}
    if any(written[key] is None for key in statistic.needs):
        said = "a proportion needs 'is' and 'of'"
        if "is" not in statistic.needs:
            said = "'of' says which answers call for a severity"
        yield path, f"{dotted(path)} ({measure.statistic}): {said}"
    for number, id in enumerate(measure.question or ()):
        where = (*path, "question", number)
        yield from named(where, id, questions, "a question")
        if id in questions:
            yield from _fits(where, measure, questions[id])
    for key, share in (("is", measure.is_), ("of", measure.of)):
        where = (*path, key)
        pairs = leaves(share)
        if isinstance(share, tuple) and measure.question:
            if measure.question[0] not in questions:
                continue  # said of the question
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


def _fits(where: Steps, measure: Measure, question: Question) -> Iterator[Problem]:
    statistic, what = measure.statistic, f"{dotted(where)} {question.id!r}"
    if question.is_text:
        yield where, f"{what} is a text; {statistic} cannot count it"
    elif measure.takes == "numbers" and measure.recode:
        yield where, f"{what} is recoded into labels, which have no numbers for {statistic}"
    elif measure.takes == "numbers" and not question.is_numeric:
        yield where, f"{what} has no numbers for {statistic}"
    elif measure.takes == "order" and question.level in (None, "nominal"):
        yield where, f"{what} has no order for {statistic}"


def _has_criteria(measure: Measure, protocol: Protocol) -> bool:
    """Whether it names them, or a computed overall does."""
    computed = known_statistic(measure.statistic).of
    return len(measure.question or ()) > 1 or any(
        each.statistic in computed for each in protocol.measures
    )


def _two_sides(path: Steps, measure: Measure, questions: dict[str, Question]) -> Iterator[Problem]:
    found = [questions[name].kind.has_unanswerable for name in SIDES if name in questions]
    if found != [True, True] or measure.question not in (None, SIDES[:1]):
        where = f"{dotted(path)} {measure.statistic}"
        sides = " with those to ".join(map(repr, SIDES))
        yield path, f"{where} compares the answers to {sides}, two questions of type answer"


def _recoding(path: Steps, measure: Measure, questions: dict[str, Question]) -> Iterator[Problem]:
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
