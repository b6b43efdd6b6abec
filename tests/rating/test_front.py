"""The front end: its own tests in Node, and what the joined script promises."""

import ast
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import raterbook
from raterbook.files.items import read_triples
from raterbook.protocols import UNANSWERABLE, Question, holds, load, names
from raterbook.rating import front

HERE = Path(__file__).parent / "front"


def table(name):
    """Cases that both sides must decide alike; front/tables.test.mjs reads the same files."""
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


CASES = table("conditions")
SCALES = {name: Question(id="q", prompt="?", **scale) for name, scale in table("scales").items()}


@pytest.fixture(scope="session")
def node():
    found = shutil.which("node")
    if found is None:
        pytest.skip("THE FRONT END'S OWN TESTS DID NOT RUN: there is no node here.")
    return found


def run(node, script, *words):
    """On one thread and in one process: Node has been seen to hang when it ends its helpers."""
    return subprocess.run(
        [node, "--single-threaded", "--input-type=module", "-e", script, *words],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_the_front_ends_own_tests_pass(node):
    files = sorted(path.as_uri() for path in HERE.glob("*.test.mjs"))
    done = run(node, "".join(f"import {json.dumps(file)};\n" for file in files))
    assert done.returncode == 0, done.stdout[-5000:]
    assert int(re.search(r"^[#ℹ] pass (\d+)", done.stdout, re.M)[1]) > 50  # ℹ since Node 23


@pytest.mark.parametrize("case", CASES, ids=lambda case: json.dumps(case["condition"]))
def test_conditions_mean_the_same_in_the_browser_as_in_the_protocol(case):
    assert holds(case["condition"], case["answers"]) is case["holds"]


@pytest.mark.parametrize("case", table("numbers"), ids=lambda case: repr(list(case.values())))
def test_a_number_is_taken_or_refused_by_the_store_as_it_is_when_it_is_typed(case):
    question = SCALES[case["scale"]]
    if case["value"] is None:
        with pytest.raises(ValueError, match="q"):
            question.check(case["typed"])
    else:
        assert question.check(case["typed"]) == case["value"]


@pytest.mark.parametrize("case", table("sent"), ids=lambda case: repr(list(case.values())))
def test_the_store_takes_what_the_form_sends_for_a_number(case):
    assert SCALES[case["scale"]].check(case["sent"]) == case["value"]


def test_what_means_unanswerable_in_the_form_means_it_in_the_store():
    cases = table("unanswerable")
    question = Question(id="q", prompt="?", type="answer", unanswerable=cases["spellings"])
    for case in cases["cases"]:
        said = question.check(case["typed"]) == UNANSWERABLE
        assert said is case["unanswerable"], case["typed"]


def test_the_sentinel_stands_once_in_each_language():
    code = [path.read_text("utf-8") for path in Path(raterbook.__file__).parent.rglob("*.py")]
    strings = [
        node.value
        for text in code
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert strings.count(UNANSWERABLE) == 1
    assert front.script().count(UNANSWERABLE) == 1


@pytest.mark.parametrize("case", table("triples"), ids=lambda case: case["text"])
def test_triples_are_read_at_opening_as_the_form_shows_them(case):
    triples, others = read_triples(case["text"])
    assert [list(triple) for triple in triples] == case["triples"]
    assert [line.text for line in others] == case["others"]


def test_the_joined_script_is_one_module_with_one_export(node, tmp_path):
    path = tmp_path / "form.mjs"
    path.write_text(front.script(), encoding="utf-8")
    ask = "import(process.argv[1]).then(m => console.log(Object.keys(m), typeof m.default.render))"
    done = run(node, ask, str(path))
    assert done.stdout.split() == ["[", "'default'", "]", "function"], done.stderr


def test_a_script_imports_only_from_those_before_it():
    for place, name in enumerate(front.SCRIPTS):
        text = (front.FRONT / f"{name}.js").read_text(encoding="utf-8")
        imported = re.findall(r'^import .* from "\./(\w+)\.js";$', text, re.M)
        assert len(imported) == len(re.findall(r"^import\b", text, re.M))
        assert set(imported) <= set(front.SCRIPTS[:place]), name


def test_every_file_is_joined_and_none_twice():
    script = front.script()
    for path in front.FRONT.glob("*.js"):
        first = path.read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith("// ")
        assert script.count(first) == 1, path.name


def test_nothing_comes_from_outside_and_nothing_is_parsed_as_markup():
    both = front.script() + front.style()
    mathml = '"http://www.w3.org/1998/Math/MathML"'  # the name of its elements, and no address
    assert both.count(mathml) == 1
    both = both.replace(mathml, "")
    assert not re.search(r"https?:|//[a-z]+\.|@import|url\(", both)
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|Function\(", both
    )
    assert "import " not in re.sub(r"^\s*//.*$", "", front.script(), flags=re.M)


@pytest.mark.parametrize("name", names())
def test_the_front_end_knows_every_kind_of_question_and_field(name):
    page = load(name).for_form()
    assert {field["show"] for field in page["fields"]} <= {"text", "long", "triples"}
    controls = re.findall(
        r"^  (\w+)[:(]", front.script().split("CONTROLS = {")[1].split("};")[0], re.M
    )
    assert {question["control"] for question in page["questions"]} <= set(controls)
    assert {one for stage in page["stages"] for one in stage} == {
        question["id"] for question in page["questions"]
    }
