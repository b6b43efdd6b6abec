"""Label Studio's JSON: choices, ratings, numbers and texts of every annotator, in and out.

A task is matched to an item by the key columns in its data. The names of the controls are the
ids (or aliases) of the questions. Annotators are named by their e-mail address, else by number.
Written is one task for each item, case or part with answers, and one annotation per person.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from raterbook.protocols import Protocol, Question
from raterbook.rounds.exchange.facts import Fact
from raterbook.rounds.exchange.given import Given, part, question_names, time
from raterbook.rounds.exchange.headers import plain
from raterbook.rounds.exchange.items import known_columns
from raterbook.rounds.exchange.problems import FileError, Problems, listed, shown

Where = tuple[str, bool, int]  # an item or a case, and its part
KINDS = ("choices", "rating", "number", "textarea")


def records(text: str, name: str) -> list[dict[str, Any]]:
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
        raise FileError(f"{name} is not a list of records. Use the JSON export of Label Studio or "
                        "Argilla, or .jsonl for one object per line.")
    if not found:
        raise FileError(f"{name} has no records. Export the annotated ones.")
    return found


def looks_like(found: list[dict[str, Any]]) -> bool:
    """Whether the records are Label Studio's tasks."""
    return any("annotations" in record or "completions" in record for record in found)


def read(
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
            problems.add(f"the task's data name no item. They need {listed(protocol.item.key)}.",
                         row, "data")
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
                problems.add("an annotation without an annotator. Export it with completed_by, a "
                             "name or a number.", row, "completed_by")
                continue
            at = _time(annotation, row, problems)
            for result in objects(annotation.get("result"), row, "result", problems):
                given = _answer(result, names, row, protocol, problems)
                if given is None:
                    continue
                question, value = given
                found.append(Given(
                    row, question, item, question, value, who, number, kind=kind, at=at,
                ))
    notes = []
    if cancelled:
        notes.append(f"{problems.source}: {cancelled} cancelled annotations were left alone.")
    if predicted:
        notes.append(f"{problems.source}: {predicted} predictions were left alone; import models' "
                     "answers as a file of their own.")
    return found, notes


def objects(
    value: Any, row: int, where: str, problems: Problems
) -> list[dict[str, Any]]:
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
    spellings = {plain(word): name for name, words in known_columns(protocol).items()
                 for word in (name, *words)}
    fields = {spellings[plain(name)]: str(value).strip() for name, value in data.items()
              if plain(name) in spellings and value is not None}
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
    result: Mapping[str, Any], names: Mapping[str, str], row: int, protocol: Protocol,
    problems: Problems,
) -> tuple[str, str] | None:
    control, kind = str(result.get("from_name", "")), result.get("type")
    question = names.get(plain(control))
    if question is None:
        problems.add(f"{shown(control)} is no question of {protocol.name}. Name the control after "
                     f"one of {listed(each.id for each in protocol.questions)}.", row, "from_name")
        return None
    if kind not in KINDS:
        problems.add(f"{shown(kind)} results cannot be read. Use {listed(KINDS)}.", row, control)
        return None
    value = result.get("value") or {}
    if not isinstance(value, dict):
        problems.add(f"{shown(value)} is not the object that {kind} have as their value. Export it "
                     "again.", row, control)
        return None
    value = value.get("text" if kind == "textarea" else kind)
    if isinstance(value, list) and kind == "textarea":
        value = "\n".join(map(str, value))
    if isinstance(value, list):
        if len(value) != 1:
            problems.add(f"{len(value)} choices ({listed(value)}) where one is asked for. "
                         "Keep one.", row, control)
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
        written.append({
            "id": number,
            "data": {**data[where], "item": where[0], "part": where[2] or None},
            "annotations": [
                {
                    "completed_by": {"id": people[rater], "email": rater},
                    "was_cancelled": False,
                    "updated_at": max(fact.answered_at or "" for fact in mine),
                    "result": [_result(protocol.question(fact.question), fact) for fact in mine],
                }
                for rater, mine in by_rater.items()
            ],
            "predictions": [],
        })
    return written


def _result(question: Question, fact: Fact) -> dict[str, Any]:
    """One answer under the control of its question; stars for whole scores from 1."""
    low = question.min if question.type == "scale" else None
    kind = {"choice": "choices", "text": "textarea", "answer": "textarea"}.get(question.type)
    if kind is None:
        kind = "rating" if low is not None and low >= 1 and question.step == 1 else "number"
    value = {"choices": {"choices": [fact.value]}, "textarea": {"text": [fact.value]}}.get(
        kind, {kind: fact.value}
    )
    return {"from_name": question.id, "to_name": "text", "type": kind, "value": value}
