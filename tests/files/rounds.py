"""Small rounds of the library's protocols, for the tests of this room."""

from pathlib import Path

from raterbook.protocols import asked, load
from raterbook.rounds import Event, ItemTable, PartRow, Store

TEXTS = {
    "source_kg": "1. esfa → funds → colleges\n2. colleges -> teach -> learners",
    "response": "The model wins. It uses 0.5 of the data.",
    "question_type": "relational",
    "shot_type": "zero_shot",
    "auto_label": "SUPPORTED",
    "human_label": "",
    "notes": "",
}


def protocol_round(folder: Path, name: str, round: str = "r", models=("m1", "m2")):
    """Two cases by two models, with parts where the protocol has them from a file."""
    protocol = load(name)
    spec = protocol.item
    rows = []
    for case in ("c1", "c2"):
        for model in models:
            row = {field: TEXTS.get(field, f"{field} of {case}") for field in spec.fields}
            row.update({spec.case: case, "model": model})
            rows.append(row)
    parts = None
    if protocol.parts and protocol.parts.source == "file":
        parts = [
            PartRow(case, number, f"Question {number}?")
            for case in ("c1", "c2")
            for number in (1, 2)
        ]
    items = ItemTable.from_records(protocol, rows)
    return Store(folder / f"{round}.sqlite").open(round, protocol, items, parts=parts)


def answer_all(stored, raters=("ana", "ben")) -> int:
    """Every question that is asked about everything, by everybody, with values that vary."""
    items = stored.items()
    count = 0
    for number, rater in enumerate(raters):
        stored.add_rater(rater)
        events = []
        said: dict = {}
        for question in stored.protocol.questions:
            subjects = stored.cases() if question.of == "case" else items
            for place, subject in enumerate(subjects):
                parts = [part.number for part in subject.parts] if question.per == "part" else [0]
                for part in parts:
                    turn = number + place + part + len(question.id)
                    values = question.values or {"percent": [50, 99], "scale": [3.25, 4.5]}.get(
                        question.type, [f"text {turn}", "=1+1", "two\r\nlines"]
                    )
                    value = values[turn % len(values)]
                    about = said.setdefault(
                        (subject.ref, part),
                        dict(said.get((getattr(subject, "case", None), part), {})),
                    )
                    if not asked(question, about):
                        continue
                    about[question.id] = value
                    if question.of == "case":
                        said[subject.key, part] = about
                    events.append(Event(None, subject.key, question.id, value, part))
        acks = stored.save(rater, events)
        assert all(ack.ok for ack in acks), [ack for ack in acks if not ack.ok][:3]
        count += len(events)
    return count
