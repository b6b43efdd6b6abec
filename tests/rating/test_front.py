"""The front end: its own tests in Node, and what the joined script promises."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ratebook.protocols import holds, load, names
from ratebook.rating import front

HERE = Path(__file__).parent / "front"
CASES = json.loads((HERE / "conditions.json").read_text(encoding="utf-8"))


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
    assert int(re.search(r"^# pass (\d+)", done.stdout, re.M)[1]) > 50


@pytest.mark.parametrize("case", CASES, ids=lambda case: json.dumps(case["condition"]))
def test_conditions_mean_the_same_in_the_browser_as_in_the_protocol(case):
    assert holds(case["condition"], case["answers"]) is case["holds"]


def test_the_joined_script_is_one_module_with_one_export(node, tmp_path):
    path = tmp_path / "form.mjs"
    path.write_text(front.script(), encoding="utf-8")
    ask = "import(process.argv[1]).then(m => console.log(Object.keys(m), typeof m.default.render))"
    done = run(node, ask, str(path))
    assert done.stdout.split() == ["[", "'default'", "]", "function"], done.stderr


def test_every_file_is_joined_and_none_twice():
    script = front.script()
    for path in front.FRONT.glob("*.js"):
        first = path.read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith("// ")
        assert script.count(first) == 1, path.name


def test_nothing_comes_from_outside_and_nothing_is_parsed_as_markup():
    both = front.script() + front.style()
    assert not re.search(r"https?:|//[a-z]+\.|@import|url\(", both)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|Function\(",
                         both)
    assert "import " not in re.sub(r"^\s*//.*$", "", front.script(), flags=re.M)


@pytest.mark.parametrize("name", names())
def test_the_front_end_knows_every_kind_of_question_and_field(name):
    page = load(name).for_form()
    assert {field["show"] for field in page["fields"]} <= {"text", "long", "triples"}
    kinds = {question["type"] for question in page["questions"]}
    assert kinds <= {"scale", "choice", "percent", "text", "answer"}
    assert {one for stage in page["stages"] for one in stage} == {
        question["id"] for question in page["questions"]
    }
