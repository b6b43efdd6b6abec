"""Argilla's JSON: labels, ratings and texts of every user, in and out.

Read are records as `dataset.records.to_json` writes them (responses by question), the flattened
ones (`label.responses` beside `label.responses.users`), and those of Argilla 1 (a list of
responses with values). A record is matched to an item by the key columns in its metadata or
fields, else by its id. Drafts and discarded responses are left alone. Written are records with
responses by question, one for each item, case or part with answers.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from raterbook.protocols import Protocol
from raterbook.rounds.exchange.facts import Fact
from raterbook.rounds.exchange.given import Given, part, question_names
from raterbook.rounds.exchange.headers import plain
from raterbook.rounds.exchange.labelstudio import Where, annotator, item_of, number_text, objects
from raterbook.rounds.exchange.problems import Problems, listed, shown

Response = tuple[str, str, Any, str]  # question as written, user, value, status


def read(
    found: list[dict[str, Any]], protocol: Protocol, problems: Problems, kind: str | None
) -> tuple[list[Given], list[str]]:
    """Every submitted response, and what was left alone. Rows are records, counted from 1."""
    names = question_names(protocol)
    given: list[Given] = []
    left = 0
    for row, record in enumerate(found, start=1):
        item = _item(record, protocol)
        if not item:
            problems.add(f"the record names no item. Its metadata or fields need "
                         f"{listed(protocol.item.key)}.", row, "metadata")
            continue
        number = _part(record, row, problems)
        for asked, user, value, status in _responses(record, row, problems):
            if status in ("draft", "discarded"):
                left += 1
                continue
            question = names.get(plain(asked))
            if question is None:
                problems.add(f"{shown(asked)} is no question of {protocol.name}. Use one of "
                             f"{listed(each.id for each in protocol.questions)}.", row, "responses")
            elif isinstance(value, list | dict):
                problems.add(f"{shown(value)} is not one label, one rating or one text. "
                             "Only these can be read.", row, asked)
            elif not user:
                problems.add("a response without a user. Export it with user_id.", row, asked)
            elif value is not None:
                given.append(Given(row, asked, item, question, number_text(value), user, number,
                                   kind=kind))
    notes = [f"{problems.source}: {left} drafts and discarded responses were left alone."]
    return given, notes if left else []


def _item(record: Mapping[str, Any], protocol: Protocol) -> str:
    for place in (record.get("metadata"), record.get("fields"), record):
        if isinstance(place, dict) and place is not record and (item := item_of(place, protocol)):
            return item
    flat = {name: value for name, value in record.items() if "." not in name and name != "id"
            and not isinstance(value, dict | list)}
    return item_of(flat, protocol) or str(record.get("external_id") or record.get("id") or "")


def _part(record: Mapping[str, Any], row: int, problems: Problems) -> int:
    metadata = record.get("metadata")
    cell = metadata.get("part") if isinstance(metadata, dict) else None
    try:
        return part(str(cell)) if cell not in (None, "") else 0
    except ValueError as error:
        problems.add(str(error), row, "part")
        return 0


def _responses(
    record: Mapping[str, Any], row: int, problems: Problems
) -> Iterator[Response]:
    responses = record.get("responses")
    if isinstance(responses, dict):
        for question, given in responses.items():
            answers = given if isinstance(given, list) else [given]
            for each in objects(answers, row, question, problems):
                yield (question, annotator(each.get("user_id")), each.get("value"),
                       str(each.get("status") or "submitted"))
    elif responses is not None:
        for each in objects(responses, row, "responses", problems):
            values = each.get("values") or {}
            if not isinstance(values, dict):
                problems.add(f"{shown(values)} is not an object of values by question. Export it "
                             "again.", row, "responses")
                continue
            for question, value in values.items():
                yield (question, annotator(each.get("user_id")),
                       value.get("value") if isinstance(value, dict) else value,
                       str(each.get("status") or "submitted"))
    for name, given in record.items():
        if name.endswith(".responses") and isinstance(given, list):
            users = record.get(f"{name}.users") or [""] * len(given)
            statuses = record.get(f"{name}.status") or ["submitted"] * len(given)
            if not (isinstance(users, list) and isinstance(statuses, list)
                    and len(users) == len(statuses) == len(given)):
                problems.add("responses, users and status are not lists of one length. Export it "
                             "again.", row, name)
                continue
            for value, user, status in zip(given, users, statuses):
                yield name.removesuffix(".responses"), annotator(user), value, str(status)


def records(
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
