"""The JSON of annotation tools, in and out: Label Studio's tasks and Argilla's records.

A record is matched to an item by the key columns among its fields. ByRecord is one record for each
item, case or part with answers, with what people answered; each shows what raters see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import raterbook.files.table as table
from raterbook.files.layouts.layout import TYPED, Carried, Incoming, Layout, Outgoing, carries
from raterbook.files.names import item_of, question_names
from raterbook.files.table import Records, Table, text_of
from raterbook.protocols import Protocol, Question
from raterbook.protocols.kinds import plain
from raterbook.rounds.current import Fact
from raterbook.rounds.model import Given, Problems, listed, shown

ByRecord = dict[tuple[str, bool, int], dict[str, list[Fact]]]  # item or case and part → by whom …


def _records(given: Incoming) -> list[dict[str, Any]]:
    assert isinstance(given.file, Records)
    return given.file.records


def _objects(value: Any, row: int, where: str, problems: Problems) -> list[dict[str, Any]]:
    """A list of objects, as tools write it; anything else is a problem, and nothing is nothing."""
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        return value
    problems.add(f"{shown(value)} is not a list of objects. Export it again.", row, where)
    return []


def _annotator(who: Any) -> str:
    if isinstance(who, dict):
        who = who.get("email") or who.get("username") or who.get("id")
    return str(who).strip() if isinstance(who, str | int) else ""


def _part(data: Any, row: int, problems: Problems) -> int:
    cell = data.get("part") if isinstance(data, dict) else None
    try:
        return 0 if cell in (None, "") else table.part(str(cell))
    except ValueError as error:
        problems.add(str(error), row, "part")
        return 0


def _people(fact: Fact) -> bool:
    return fact.kind == "human"


def _grouped(out: Outgoing, by: str) -> ByRecord:
    """People's answers by what they are about, and then by a field of theirs."""
    found: ByRecord = {}
    for fact in out.facts:
        if _people(fact) and fact.status == "answered":
            about = found.setdefault((fact.subject, fact.of_case, fact.part), {})
            about.setdefault(getattr(fact, by), []).append(fact)
    return found


def _shown(out: Outgoing) -> dict[tuple[str, bool, int], dict[str, str]]:
    """What raters see of each item, case and part."""
    found: dict[tuple[str, bool, int], dict[str, str]] = {}
    for of_case, subjects in ((False, out.round.items()), (True, out.round.cases())):
        for each in subjects:
            found[each.key, of_case, 0] = dict(each.fields)
            for part in each.parts:
                found[each.key, of_case, part.number] = {**each.fields, "part_text": part.text}
    return found


def _written(
    layout: Layout, out: Outgoing, records: list[dict[str, Any]], found: ByRecord
) -> tuple[bytes, int]:
    answers = sum(len(facts) for by in found.values() for facts in by.values())
    return layout.encoded(out, Records(out.name, records)), answers


# Label Studio: choices, ratings, numbers and texts of every annotator. The names of the controls
# are the ids (or aliases) of the questions. Annotators are named by their e-mail address, else by
# number. ByRecord is one annotation per person.


KINDS = ("choices", "rating", "number", "textarea")


def is_label_studio(file: Table | Records, protocol: Protocol) -> bool:
    return isinstance(file, Records) and any(
        "annotations" in record or "completions" in record for record in file.records
    )


def read_label_studio(given: Incoming) -> tuple[list[Given], list[str]]:
    """Every annotation's answers, and what was left alone. Rows are tasks, counted from 1."""
    protocol, problems = given.protocol, given.problems
    names = question_names(protocol)
    found: list[Given] = []
    cancelled = predicted = 0
    for row, task in enumerate(_records(given), start=1):
        data = task.get("data")
        data = data if isinstance(data, dict) else {}
        item = item_of(data, protocol)
        if not item:
            words = f"the task's data name no item. They need {listed(protocol.item.key)}."
            problems.add(words, row, "data")
            continue
        predictions = task.get("predictions")
        predicted += len(predictions) if isinstance(predictions, list) else 0
        number = _part(data, row, problems)
        which = "annotations" if task.get("annotations") else "completions"
        for annotation in _objects(task.get(which), row, which, problems):
            if annotation.get("was_cancelled"):
                cancelled += 1
                continue
            who = _annotator(annotation.get("completed_by"))
            if not who:
                problems.add(
                    "an annotation without an annotator. Export it with completed_by, a "
                    "name or a number.",
                    row,
                    "completed_by",
                )
                continue
            at = _time(annotation, row, problems)
            for result in _objects(annotation.get("result"), row, "result", problems):
                control = str(result.get("from_name", ""))
                question = names.get(plain(control))
                if question is None:
                    problems.add(
                        f"{shown(control)} is no question of {protocol.name}. Name the control "
                        f"after one of {listed(each.id for each in protocol.questions)}.",
                        row,
                        "from_name",
                    )
                    continue
                value = _value(result, control, row, problems)
                if value is not None:
                    answer = Given(row, question, item, question, value, given.rater or who, number)
                    answer.at, answer.kind = at, given.kind
                    found.append(answer)
    notes = []
    if cancelled:
        notes.append(f"{problems.source}: {cancelled} cancelled annotations were left alone.")
    if predicted:
        notes.append(
            f"{problems.source}: {predicted} predictions were left alone; import models' "
            "answers as a file of their own."
        )
    return found, notes


def _time(annotation: Mapping[str, Any], row: int, problems: Problems) -> str | None:
    which = "updated_at" if annotation.get("updated_at") else "created_at"
    at = annotation.get(which)
    try:
        return None if at is None else table.time(str(at))
    except ValueError as error:
        problems.add(f"{error}.", row, which)
        return None


def _value(result: Mapping[str, Any], control: str, row: int, problems: Problems) -> str | None:
    """The one value of a result as a cell has it."""
    kind, value = result.get("type"), result.get("value") or {}
    if kind not in KINDS:
        problems.add(f"{shown(kind)} results cannot be read. Use {listed(KINDS)}.", row, control)
        return None
    if not isinstance(value, dict):
        words = f"{shown(value)} is not the object that {kind} have as their value."
        problems.add(f"{words} Export it again.", row, control)
        return None
    value = value.get("text" if kind == "textarea" else kind)
    if isinstance(value, list) and kind == "textarea":
        value = "\n".join(map(str, value))
    if isinstance(value, list):
        if len(value) != 1:
            words = f"{len(value)} choices ({listed(value)}) where one is asked for. Keep one."
            problems.add(words, row, control)
            return None
        value = value[0]
    return None if value is None else text_of(value)


def write_label_studio(out: Outgoing) -> tuple[bytes, int]:
    seen, found = _shown(out), _grouped(out, "rater")
    raters = [rater for by_rater in found.values() for rater in by_rater]
    people = {name: number for number, name in enumerate(dict.fromkeys(raters), start=1)}
    tasks = [
        {
            "id": number,
            "data": {**seen[where], "item": where[0], "part": where[2] or None},
            "annotations": [
                {
                    "completed_by": {"id": people[rater], "email": rater},
                    "was_cancelled": False,
                    "updated_at": max(fact.answered_at or "" for fact in facts),
                    "result": [
                        _result(out.round.protocol.question(fact.question), fact) for fact in facts
                    ],
                }
                for rater, facts in by_rater.items()
            ],
            "predictions": [],
        }
        for number, (where, by_rater) in enumerate(found.items(), start=1)
    ]
    return _written(LABEL_STUDIO, out, tasks, found)


def _result(question: Question, fact: Fact) -> dict[str, Any]:
    """One answer under the control of its question; stars for whole scores from 1."""
    low = question.min if question.is_score else None
    kind = "choices" if question.is_label else "textarea"
    if question.is_numeric:
        kind = "rating" if low is not None and low >= 1 and question.step == 1 else "number"
    value = {"choices": {"choices": [fact.value]}, "textarea": {"text": [fact.value]}}.get(
        kind, {kind: fact.value}
    )
    return {"from_name": question.id, "to_name": "text", "type": kind, "value": value}


# Argilla: labels, ratings and texts of every user. Read are records as `dataset.records.to_json`
# writes them (responses by question), the flattened ones (`label.responses` beside
# `label.responses.users`), and those of Argilla 1 (a list of responses with values). The item is
# named in the metadata or fields, else by the record's id. Drafts and discarded responses are left
# alone. ByRecord are records with responses by question.


Response = tuple[str, str, Any, str]  # question as written, user, value, status


def is_argilla(file: Table | Records, protocol: Protocol) -> bool:
    """Every other JSON file: that its records have responses is checked while reading."""
    return isinstance(file, Records) and not is_label_studio(file, protocol)


def read_argilla(given: Incoming) -> tuple[list[Given], list[str]]:
    """Every submitted response, and what was left alone. Rows are records, counted from 1."""
    protocol, problems = given.protocol, given.problems
    names = question_names(protocol)
    found: list[Given] = []
    left = 0
    for row, record in enumerate(_records(given), start=1):
        item = _item(record, protocol)
        if not item:
            problems.add(
                f"the record names no item. Its metadata or fields need "
                f"{listed(protocol.item.key)}.",
                row,
                "metadata",
            )
            continue
        number = _part(record.get("metadata"), row, problems)
        for asked, user, value, status in _responses(record, row, problems):
            if status in ("draft", "discarded"):
                left += 1
                continue
            question = names.get(plain(asked))
            if question is None:
                problems.add(
                    f"{shown(asked)} is no question of {protocol.name}. Use one of "
                    f"{listed(each.id for each in protocol.questions)}.",
                    row,
                    "responses",
                )
            elif isinstance(value, list | dict):
                problems.add(
                    f"{shown(value)} is not one label, one rating or one text. "
                    "Only these can be read.",
                    row,
                    asked,
                )
            elif status != "submitted":
                words = f"{shown(status)} is no status of a response. Use submitted, draft or "
                problems.add(f"{words}discarded.", row, asked)
            elif not user:
                problems.add("a response without a user. Export it with user_id.", row, asked)
            elif value is not None:
                who, text = given.rater or user, text_of(value)
                found.append(Given(row, asked, item, question, text, who, number, kind=given.kind))
    notes = [f"{problems.source}: {left} drafts and discarded responses were left alone."]
    return found, notes if left else []


def _item(record: Mapping[str, Any], protocol: Protocol) -> str:
    for place in (record.get("metadata"), record.get("fields")):
        if isinstance(place, dict) and (item := item_of(place, protocol)):
            return item
    flat = {
        name: value
        for name, value in record.items()
        if "." not in name and name != "id" and not isinstance(value, dict | list)
    }
    return item_of(flat, protocol) or str(record.get("external_id") or record.get("id") or "")


def _responses(record: Mapping[str, Any], row: int, problems: Problems) -> Iterator[Response]:
    responses = record.get("responses")
    if isinstance(responses, dict):
        for question, given in responses.items():
            answers = given if isinstance(given, list) else [given]
            for each in _objects(answers, row, question, problems):
                status = str(each.get("status") or "submitted")
                yield question, _annotator(each.get("user_id")), each.get("value"), status
    elif responses is not None:
        for each in _objects(responses, row, "responses", problems):
            values = each.get("values") or {}
            if not isinstance(values, dict):
                words = f"{shown(values)} is not an object of values by question."
                problems.add(f"{words} Export it again.", row, "responses")
                continue
            user = _annotator(each.get("user_id"))
            status = str(each.get("status") or "submitted")
            for question, value in values.items():
                inner = value.get("value") if isinstance(value, dict) else value
                yield question, user, inner, status
    for name, given in record.items():
        if name.endswith(".responses") and isinstance(given, list):
            users = record.get(f"{name}.users") or [""] * len(given)
            statuses = record.get(f"{name}.status") or ["submitted"] * len(given)
            lists = isinstance(users, list) and isinstance(statuses, list)
            if not (lists and len(users) == len(statuses) == len(given)):
                words = "responses, users and status are not lists of one length."
                problems.add(f"{words} Export it again.", row, name)
                continue
            for value, who, status in zip(given, users, statuses):
                yield name.removesuffix(".responses"), _annotator(who), value, str(status)


def write_argilla(out: Outgoing) -> tuple[bytes, int]:
    seen, found = _shown(out), _grouped(out, "question")
    records = [
        {
            "id": str(number),
            "fields": seen[where],
            "metadata": {"item": where[0], **({"part": where[2]} if where[2] else {})},
            "suggestions": {},
            "responses": {
                question: [
                    {"value": _rating(fact), "user_id": fact.rater, "status": "submitted"}
                    for fact in facts
                ]
                for question, facts in by_question.items()
            },
            "vectors": {},
        }
        for number, (where, by_question) in enumerate(found.items(), start=1)
    ]
    return _written(ARGILLA, out, records, found)


def _rating(fact: Fact) -> str | int:
    """Ratings are whole numbers from 0 to 10; other numbers go out as texts."""
    if isinstance(fact.value, int) and 0 <= fact.value <= 10 and not fact.percent:
        return fact.value
    return fact.text


def _carries(*refused: str) -> dict[str, Carried]:
    return carries(
        named=(
            "answers by other raters",
            "automatic raters that came later",
            "skipped",
            "not applicable",
            "reasons",
            "confidence",
            "versions of raters",
            "seconds",
            "earlier revisions",
            "when each answer was given",
        ),
        refused=("several replicates", *refused),
        no=("answered_at", *TYPED),
    )


LABEL_STUDIO = Layout(
    "label-studio",
    "Label Studio's tasks, with what people answered",
    ("records",),
    write_label_studio,
    _carries("percentages between 0 and 1"),
    is_label_studio,
    read_label_studio,
    _people,
)
ARGILLA = Layout(
    "argilla",
    "Argilla's records, with what people answered",
    ("records",),
    write_argilla,
    _carries(),
    is_argilla,
    read_argilla,
    _people,
)
