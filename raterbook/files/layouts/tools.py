"""Argilla's JSON: labels, ratings and texts of every user, in and out.

Read are records as `dataset.records.to_json` writes them (responses by question), the flattened
ones (`label.responses` beside `label.responses.users`), and those of Argilla 1 (a list of
responses with values). A record is matched to an item by the key columns in its metadata or
fields, else by its id. Drafts and discarded responses are left alone. Written are records with
responses by question, one for each item, case or part with answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from raterbook.files.cells import part, question_names, time
from raterbook.files.items import known_columns
from raterbook.protocols import Protocol, Question
from raterbook.protocols.kinds import plain
from raterbook.rounds.current import Fact
from raterbook.rounds.model import FileError, Given, Problems, listed, shown

Response = tuple[str, str, Any, str]  # question as written, user, value, status


def read_argilla(
    found: list[dict[str, Any]], protocol: Protocol, problems: Problems, kind: str | None
) -> tuple[list[Given], list[str]]:
    """Every submitted response, and what was left alone. Rows are records, counted from 1."""
    names = question_names(protocol)
    given: list[Given] = []
    left = 0
    for row, record in enumerate(found, start=1):
        item = _item(record, protocol)
        if not item:
            problems.add(
                f"the record names no item. Its metadata or fields need "
                f"{listed(protocol.item.key)}.",
                row,
                "metadata",
            )
            continue
        number = _argilla_part(record, row, problems)
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
            elif not user:
                problems.add("a response without a user. Export it with user_id.", row, asked)
            elif value is not None:
                given.append(
                    Given(row, asked, item, question, number_text(value), user, number, kind=kind)
                )
    notes = [f"{problems.source}: {left} drafts and discarded responses were left alone."]
    return given, notes if left else []


def _item(record: Mapping[str, Any], protocol: Protocol) -> str:
    for place in (record.get("metadata"), record.get("fields"), record):
        if isinstance(place, dict) and place is not record and (item := item_of(place, protocol)):
            return item
    flat = {
        name: value
        for name, value in record.items()
        if "." not in name and name != "id" and not isinstance(value, dict | list)
    }
    return item_of(flat, protocol) or str(record.get("external_id") or record.get("id") or "")


def _argilla_part(record: Mapping[str, Any], row: int, problems: Problems) -> int:
    metadata = record.get("metadata")
    cell = metadata.get("part") if isinstance(metadata, dict) else None
    try:
        return part(str(cell)) if cell not in (None, "") else 0
    except ValueError as error:
        problems.add(str(error), row, "part")
        return 0


def _responses(record: Mapping[str, Any], row: int, problems: Problems) -> Iterator[Response]:
    responses = record.get("responses")
    if isinstance(responses, dict):
        for question, given in responses.items():
            answers = given if isinstance(given, list) else [given]
            for each in objects(answers, row, question, problems):
                yield (
                    question,
                    annotator(each.get("user_id")),
                    each.get("value"),
                    str(each.get("status") or "submitted"),
                )
    elif responses is not None:
        for each in objects(responses, row, "responses", problems):
            values = each.get("values") or {}
            if not isinstance(values, dict):
                problems.add(
                    f"{shown(values)} is not an object of values by question. Export it again.",
                    row,
                    "responses",
                )
                continue
            for question, value in values.items():
                yield (
                    question,
                    annotator(each.get("user_id")),
                    value.get("value") if isinstance(value, dict) else value,
                    str(each.get("status") or "submitted"),
                )
    for name, given in record.items():
        if name.endswith(".responses") and isinstance(given, list):
            users = record.get(f"{name}.users") or [""] * len(given)
            statuses = record.get(f"{name}.status") or ["submitted"] * len(given)
            if not (
                isinstance(users, list)
                and isinstance(statuses, list)
                and len(users) == len(statuses) == len(given)
            ):
                problems.add(
                    "responses, users and status are not lists of one length. Export it again.",
                    row,
                    name,
                )
                continue
            for value, user, status in zip(given, users, statuses):
                yield name.removesuffix(".responses"), annotator(user), value, str(status)


def argilla_records(
    facts: Sequence[Fact], data: Mapping[Where, Mapping[str, str]]
) -> list[dict[str, Any]]:
    """People's answers as records with responses; `data` is what each record shows."""
    found: dict[Where, dict[str, list[dict[str, Any]]]] = {}
    for fact in facts:
        responses = found.setdefault((fact.subject, fact.of_case, fact.part), {})
        responses.setdefault(fact.question, []).append(
            {"value": _value(fact), "user_id": fact.rater, "status": "submitted"}
        )
    return [
        {
            "id": str(number),
            "fields": dict(data[where]),
            "metadata": {"item": where[0], **({"part": where[2]} if where[2] else {})},
            "suggestions": {},
            "responses": responses,
            "vectors": {},
        }
        for number, (where, responses) in enumerate(found.items(), start=1)
    ]


def _value(fact: Fact) -> str | int:
    """Ratings are whole numbers from 0 to 10; other numbers go out as texts."""
    if isinstance(fact.value, int) and 0 <= fact.value <= 10 and not fact.percent:
        return fact.value
    return fact.text


# Label Studio's JSON: choices, ratings, numbers and texts of every annotator, in and out.
#
# A task is matched to an item by the key columns in its data. The names of the controls are the
# ids (or aliases) of the questions. Annotators are named by their e-mail address, else by number.
# Written is one task for each item, case or part with answers, and one annotation per person.


Where = tuple[str, bool, int]  # an item or a case, and its part
KINDS = ("choices", "rating", "number", "textarea")


def labelstudio_records(text: str, name: str) -> list[dict[str, Any]]:
    """The records of a JSON export: a list of objects."""
    try:
        found = json.loads(text)
    except RecursionError:
        raise FileError(f"{name} is nested too deeply. Export it again.") from None
    except ValueError as error:
        raise FileError(f"{name} is not JSON: {error}. Export it again.") from None
    if isinstance(found, dict):
        found = found.get("records") or found.get("tasks") or [found]
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise FileError(
            f"{name} is not a list of records. Use the JSON export of Label Studio or "
            "Argilla, or .jsonl for one object per line."
        )
    if not found:
        raise FileError(f"{name} has no records. Export the annotated ones.")
    return found


def looks_like(found: list[dict[str, Any]]) -> bool:
    """Whether the records are Label Studio's tasks."""
    return any("annotations" in record or "completions" in record for record in found)


def read_labelstudio(
    tasks: list[dict[str, Any]], protocol: Protocol, problems: Problems, kind: str | None
) -> tuple[list[Given], list[str]]:
    """Every annotation's answers, and what was left alone. Rows are tasks, counted from 1."""
    names = question_names(protocol)
    found: list[Given] = []
    cancelled = predicted = 0
    for row, task in enumerate(tasks, start=1):
        data = task.get("data")
        data = data if isinstance(data, dict) else {}
        item = item_of(data, protocol)
        if not item:
            problems.add(
                f"the task's data name no item. They need {listed(protocol.item.key)}.", row, "data"
            )
            continue
        predictions = task.get("predictions")
        predicted += len(predictions) if isinstance(predictions, list) else 0
        number = _part(data, row, problems)
        which = "annotations" if task.get("annotations") else "completions"
        for annotation in objects(task.get(which), row, which, problems):
            if annotation.get("was_cancelled"):
                cancelled += 1
                continue
            who = annotator(annotation.get("completed_by"))
            if not who:
                problems.add(
                    "an annotation without an annotator. Export it with completed_by, a "
                    "name or a number.",
                    row,
                    "completed_by",
                )
                continue
            at = _time(annotation, row, problems)
            for result in objects(annotation.get("result"), row, "result", problems):
                given = _answer(result, names, row, protocol, problems)
                if given is None:
                    continue
                question, value = given
                found.append(
                    Given(
                        row,
                        question,
                        item,
                        question,
                        value,
                        who,
                        number,
                        kind=kind,
                        at=at,
                    )
                )
    notes = []
    if cancelled:
        notes.append(f"{problems.source}: {cancelled} cancelled annotations were left alone.")
    if predicted:
        notes.append(
            f"{problems.source}: {predicted} predictions were left alone; import models' "
            "answers as a file of their own."
        )
    return found, notes


def objects(value: Any, row: int, where: str, problems: Problems) -> list[dict[str, Any]]:
    """A list of objects, as tools write it; anything else is a problem, and nothing is nothing."""
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        return value
    problems.add(f"{shown(value)} is not a list of objects. Export it again.", row, where)
    return []


def _time(annotation: Mapping[str, Any], row: int, problems: Problems) -> str | None:
    which = "updated_at" if annotation.get("updated_at") else "created_at"
    told = annotation.get(which)
    try:
        return None if told is None else time(str(told))
    except ValueError as error:
        problems.add(f"{error}.", row, which)
        return None


def item_of(data: Mapping[str, Any], protocol: Protocol) -> str:
    """The key of the item that these fields belong to; empty if they name none."""
    if data.get("item"):
        return str(data["item"])
    spellings = {
        plain(word): name
        for name, words in known_columns(protocol).items()
        for word in (name, *words)
    }
    fields = {
        spellings[plain(name)]: str(value).strip()
        for name, value in data.items()
        if plain(name) in spellings and value is not None
    }
    return protocol.key(fields) if fields.get(protocol.item.key[0]) else ""


def annotator(who: Any) -> str:
    if isinstance(who, dict):
        who = who.get("email") or who.get("username") or who.get("id")
    return str(who).strip() if isinstance(who, str | int) else ""


def _part(data: Mapping[str, Any], row: int, problems: Problems) -> int:
    try:
        return part(str(data["part"])) if data.get("part") not in (None, "") else 0
    except ValueError as error:
        problems.add(str(error), row, "part")
        return 0


def _answer(
    result: Mapping[str, Any],
    names: Mapping[str, str],
    row: int,
    protocol: Protocol,
    problems: Problems,
) -> tuple[str, str] | None:
    control, kind = str(result.get("from_name", "")), result.get("type")
    question = names.get(plain(control))
    if question is None:
        problems.add(
            f"{shown(control)} is no question of {protocol.name}. Name the control after "
            f"one of {listed(each.id for each in protocol.questions)}.",
            row,
            "from_name",
        )
        return None
    if kind not in KINDS:
        problems.add(f"{shown(kind)} results cannot be read. Use {listed(KINDS)}.", row, control)
        return None
    value = result.get("value") or {}
    if not isinstance(value, dict):
        problems.add(
            f"{shown(value)} is not the object that {kind} have as their value. Export it again.",
            row,
            control,
        )
        return None
    value = value.get("text" if kind == "textarea" else kind)
    if isinstance(value, list) and kind == "textarea":
        value = "\n".join(map(str, value))
    if isinstance(value, list):
        if len(value) != 1:
            problems.add(
                f"{len(value)} choices ({listed(value)}) where one is asked for. Keep one.",
                row,
                control,
            )
            return None
        value = value[0]
    return None if value is None else (question, number_text(value))


def number_text(value: Any) -> str:
    """4 for 4.0, as files have it."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def tasks(
    protocol: Protocol, facts: Sequence[Fact], data: Mapping[Where, Mapping[str, str]]
) -> list[dict[str, Any]]:
    """People's answers as tasks with annotations; `data` is what each task shows."""
    found: dict[Where, dict[str, list[Fact]]] = {}
    for fact in facts:
        where = (fact.subject, fact.of_case, fact.part)
        found.setdefault(where, {}).setdefault(fact.rater, []).append(fact)
    people = {name: number for number, name in enumerate(dict.fromkeys(f.rater for f in facts), 1)}
    written = []
    for number, (where, by_rater) in enumerate(found.items(), start=1):
        written.append(
            {
                "id": number,
                "data": {**data[where], "item": where[0], "part": where[2] or None},
                "annotations": [
                    {
                        "completed_by": {"id": people[rater], "email": rater},
                        "was_cancelled": False,
                        "updated_at": max(fact.answered_at or "" for fact in mine),
                        "result": [
                            _result(protocol.question(fact.question), fact) for fact in mine
                        ],
                    }
                    for rater, mine in by_rater.items()
                ],
                "predictions": [],
            }
        )
    return written


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
