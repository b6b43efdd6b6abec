"""What decides that an answer is missing is one rule: at every door, and in the browser."""

import json
from pathlib import Path

import pytest

from raterbook.files import import_answers
from raterbook.judges import sheets
from raterbook.judges.replies import parse as parse_reply
from raterbook.protocols import is_missing, parse
from raterbook.rating import sheet as form
from raterbook.rounds import Event

# tests/rating/front/tables.test.mjs puts the same cases to the form's script.
CASES = json.loads((Path(__file__).parent / "front" / "missing.json").read_text("utf-8"))
ITEM = {"id": "i", "text": "A text."}


def protocol(case):
    choice = {"type": "choice", "options": [{"value": v, "description": v} for v in ("yes", "no")]}
    a = {"id": "a", "prompt": "A", "required": False, **choice}
    b = {"id": "b", "prompt": "B", "required": False, "type": "answer"}
    written = {
        "name": "p",
        "title": "T",
        "about": "For tests.",
        "instructions": ["Answer."],
        "item": {
            "key": ["id"],
            "case": "id",
            "fields": {"id": {"label": "Id", "show": "none"}, "text": {"label": "Text"}},
        },
        "questions": [a, b, {"id": "q", "prompt": "Q", **choice, **case["question"]}],
    }
    return parse(json.dumps(written, ensure_ascii=False))


@pytest.mark.parametrize("case", CASES, ids=json.dumps)
def test_what_is_missing_is_missing_at_every_door(case, open_round, tmp_path):
    rules = protocol(case)
    question, status = rules.question("q"), case["status"]
    assert is_missing(question, case["answers"], status) is case["missing"]

    round = open_round(rules, [ITEM], raters=("ana", "ben"))
    (item,) = round.items()
    said = [(name, value, "answered") for name, value in case["answers"].items()]
    if status is not None:
        said.append(("q", "yes" if status in ("answered", "retracted") else None, status))
    for number, (name, value, how) in enumerate(said):
        if how == "retracted":
            round.save("ana", [Event("before", item.ref, name, value, lamport=1)])
            value = None
        event = Event(
            f"e{number}", item.ref, name, value, status=how, reason="why", lamport=number + 2
        )
        (ack,) = round.save("ana", [event])
        assert ack.ok or "asked" in ack.reason, ack.reason

    asked = list(form.slots(rules, item.ref, item.ref, ()))
    left = [slot.question.id for slot in form.untouched(asked, round.current("ana"))]
    untouched = case["missing"] and status != "skipped"  # left open holds nothing back
    assert ("q" in left) is untouched
    missing = {rater["rater"]: rater["missing"] for rater in round.status()["raters"]}
    assert missing["ana"] == case["missing"]
    ack = round.mark("ana", item.ref, "submit", "m1")
    assert (not ack.ok and "“q”" in ack.reason) is untouched

    if status is None:
        cells = [f'"{case["answers"].get(name, "")}"' for name in ("a", "b")]
        if any(len(cell) > 2 for cell in cells):
            file = tmp_path / "b.csv"
            file.write_text(f"id,rater,a,b,q\ni,ben,{','.join(cells)},\n", "utf-8")
            assert ("left as missing: q 1" in str(import_answers(round, file))) is case["missing"]
        reply = {name: {"answer": value} for name, value in case["answers"].items()}
        (of_item,) = sheets.sheets(round, sheets.groups(rules)[-1], {})
        parsed = parse_reply(json.dumps({**reply, "q": None}), of_item)
        assert any("q is missing" in problem for problem in parsed.problems) is case["missing"]
