"""A type of question nobody has seen before: its class, its line, and a control of the form."""

import json
import re
import shutil
import subprocess

import jsonschema
import pytest

from raterbook import Workspace
from raterbook.files.handbook import codebook, guide
from raterbook.judges.sheets import question_schema
from raterbook.protocols import TYPES, ProtocolError, parse, show
from raterbook.protocols.kinds import QuestionType
from raterbook.rating.front import FRONT
from raterbook.rounds import Event

PROTOCOL = """
name: school
title: Marks as in school
about: For tests.
instructions: [Read, then give a mark.]
item: {key: [id], case: id, fields: {id: {label: Id, show: none}, text: {label: Essay}}}
questions:
  - {id: mark, prompt: Which mark?, type: letter, object: the essay}
  - {id: retake, prompt: Which mark after a second try?, type: letter, when: {mark: [c]}}
measures:
  - {statistic: percent_agreement, question: mark}
  - {statistic: alpha_ordinal, question: mark}
  - {statistic: alpha_nominal, question: mark}
"""


class LetterType(QuestionType):
    """A mark from A, the best, to C."""

    name = "letter"
    control = "letters"
    measurement = "ordinal"

    def values(self, question):
        return ("C", "B", "A")

    def check(self, question, value):
        letter = str(value).strip().upper()
        if letter not in ("A", "B", "C"):
            raise ValueError(f"{value!r} is no mark: “{question.id}” takes A, B or C")
        return letter


@pytest.fixture
def protocol(monkeypatch):
    monkeypatch.setitem(TYPES, "letter", LetterType())
    return parse(PROTOCOL)


@pytest.fixture
def round(protocol, tmp_path):
    (tmp_path / "school.yaml").write_text(PROTOCOL, "utf-8")
    (tmp_path / "items.csv").write_text("id,text\n1,One\n2,Two\n3,Three\n", "utf-8")
    workspace = Workspace(tmp_path)
    round = workspace.open(
        "r", tmp_path / "school.yaml", tmp_path / "items.csv", raters=["ana", "ben"]
    )
    for item in round.queue("ana"):
        (ack,) = round.save("ana", [Event(item.ref, item.ref, "mark", "b")])
        assert ack.ok, ack.reason
    (tmp_path / "ben.csv").write_text("id,rater,mark\n1,ben,b\n2,ben,B\n3,ben,A\n", "utf-8")
    round.add(tmp_path / "ben.csv")
    return round


def test_without_its_line_a_protocol_that_has_it_is_refused():
    with pytest.raises(ProtocolError, match="type 'letter' is not one of scale, choice, percent"):
        parse(PROTOCOL)


def test_it_is_rated_and_imported_and_what_is_none_is_refused(round, tmp_path):
    answers = round.answers().astype({"value": str})
    found = answers.groupby("rater", observed=True)["value"].agg(list)
    assert {rater: sorted(map(str, values)) for rater, values in found.items()} == {
        "ana": ["B", "B", "B"],
        "ben": ["A", "B", "B"],
    }
    ref = round.queue("ana")[0].ref
    (ack,) = round.save("ana", [Event("x", ref, "mark", "D", lamport=9)])
    assert (ack.ok, "takes A, B or C" in ack.reason) == (False, True)
    (tmp_path / "bad.csv").write_text("id,rater,mark\n1,cem,D\n", "utf-8")
    with pytest.raises(ValueError, match="takes A, B or C"):
        round.add(tmp_path / "bad.csv")
    for layout, file in (("wide", "w.csv"), ("long", "l.csv"), ("label-studio", "l.json")):
        round.export(tmp_path / file, layout)
        assert "A" in (tmp_path / file).read_text("utf-8")


def test_it_decides_what_is_asked_next(round):
    ref = round.queue("ana")[0].ref
    before = {rater["rater"]: rater["missing"] for rater in round.status()["raters"]}
    round.save("ana", [Event("c", ref, "mark", "C", lamport=9)])
    after = {rater["rater"]: rater["missing"] for rater in round.status()["raters"]}
    assert (before["ana"], after["ana"]) == (0, 1)


def test_a_model_is_told_of_it_and_its_replies_are_read(round):
    schema = question_schema(round.protocol.question("mark"))
    jsonschema.validate({"reasoning": "Neat.", "answer": "A"}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"reasoning": "Neat.", "answer": "D"}, schema)
    seen = []

    def model(messages):
        seen.append(json.dumps(messages))
        return '{"mark": {"reasoning": "Neat.", "answer": "a"}, "retake": null}'

    round.judge(model, name="stand-in")
    assert all("<one of C | B | A>" in prompt for prompt in seen)
    answers = round.answers()
    assert answers.loc[answers["rater"] == "stand-in", "value"].astype(str).tolist() == ["A"] * 3


def test_it_is_counted(round):
    found = {
        row["statistic"]: row["estimate"]
        for row in round.numbers().rows
        if not row["group"] and row["question"] == "mark"
    }
    assert found["percent_agreement"] == pytest.approx(2 / 3)
    # B B, B B, B A: neither level of measurement sees more than chance in so few.
    assert found["alpha_nominal"] == pytest.approx(0)
    assert found["alpha_ordinal"] == pytest.approx(0)


def test_it_is_worded_wherever_a_protocol_is(protocol, round):
    assert "[letter, ordinal; required]" in show(protocol)
    assert "type letter (ordinal)" in codebook(round)
    assert "| mark | C, B, A |" in guide(protocol)
    assert "Judge the essay." in guide(protocol)


def test_the_form_draws_it_by_the_control_it_names(protocol):
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node here")
    (asked, _) = protocol.for_form()["questions"]
    assert (asked["control"], asked["values"]) == ("letters", ["C", "B", "A"])
    script = f"""
    import {{ CONTROLS, Questions, inWords }} from {json.dumps((FRONT / "questions.js").as_uri())};
    CONTROLS.letters = (question, value) => question.values.concat(value);
    const question = {json.dumps(asked)};
    const drawn = Questions.prototype.control.call({{ act: {{}} }}, {{ question }}, "A", "id");
    console.log(drawn.join(), inWords(question, {{ status: "answered", value: "A" }}));
    """
    done = subprocess.run(
        [node, "--single-threaded", "--input-type=module", "-e", script],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert re.fullmatch(r"C,B,A,A A\n", done.stdout), done.stderr
