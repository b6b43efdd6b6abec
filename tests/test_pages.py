"""The pages of docs/start and docs/howto do what they say: every block on them is run.

A block with a title is a file. `sh` is run line by line in the page's own folder; a line may end in
`# exit 1`. `text` is what the block above it said. `python` is run there too. `console` needs a
browser, a model or an installation: its commands are only read. The README's are read as well.
"""

import re
import shlex
from pathlib import Path

import pytest

from raterbook.cli import main
from tests.test_docs import ROOT, commands

PAGES = sorted(path for room in ("start", "howto") for path in (ROOT / "docs" / room).glob("*.md"))
BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.S | re.M)
SETUP = re.compile(r"<!-- the round of this page: (.*?) -->")
ITEMS = "id,question,context,generated_answer\nh1,How long?,It is 20 metres long.,20 metres.\n"


def words_of(line):
    return shlex.split(line, comments=True)


def blocks(path):
    return BLOCK.findall(path.read_text(encoding="utf-8"))


def lines_of(*kinds):
    """Every `raterbook …` of the pages and the README, with where it stands."""
    found = [
        (path.name, line)
        for path in PAGES
        for kind, _, text in blocks(path)
        for line in text.splitlines()
        if kind in kinds
    ]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found += [("README.md", line) for line in re.findall(r"^    (raterbook .*)$", readme, re.M)]
    return [(name, line) for name, line in found if line.startswith("raterbook ")]


def run(line, capsys):
    """What a line of a `sh` block printed; its exit status is what the line says it is."""
    words = words_of(line)
    assert words[0] == "raterbook", line
    to = None
    if ">" in words:
        at = words.index(">")
        to, words = Path(words[at + 1]), words[:at]
    status = main(words[1:])
    said = capsys.readouterr()
    wanted = re.search(r"# exit (\d)$", line)
    assert status == (int(wanted[1]) if wanted else 0), f"{line}\n{said.out}{said.err}"
    if to is not None:
        to.write_text(said.out, encoding="utf-8")
    return said.out


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_block_of_a_page_does_what_the_page_says(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("webbrowser.open", lambda *_, **__: False)
    for line in SETUP.findall(path.read_text(encoding="utf-8")):
        Path("items.csv").write_text(ITEMS)
        run(line, capsys)
    names, said = {}, ""
    for kind, title, text in blocks(path):
        if title:
            Path(title).write_text(text, encoding="utf-8")
        elif kind == "sh":
            said = "".join(run(line, capsys) for line in text.splitlines())
        elif kind == "text":
            assert all(line in said for line in text.splitlines()), f"{text}\nsaid: {said}"
        elif kind == "python":
            exec(compile(text, str(path), "exec"), names)
        else:
            assert kind == "console", f"{path.name} has a block of {kind}, which nothing tries"


@pytest.mark.parametrize(("name", "line"), lines_of("console"), ids=str)
def test_a_command_that_is_only_shown_is_one_the_program_takes(name, line):
    words = words_of(line)[1:]
    while words[0].startswith("--"):
        words = words[2:]
    assert words[0] in commands()
    commands()[words[0]].parse_args(words[1:])


def test_the_keys_on_the_raters_page_are_the_keys_of_the_form():
    front = ROOT / "raterbook" / "rating" / "front" / "keys.js"
    form = set(re.findall(r'"([^"]+)"', front.read_text("utf-8").split("];")[0]))
    page = (ROOT / "docs" / "start" / "rater.md").read_text("utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    keys = [key for row in rows for key in re.findall(r"`([^`]+)`", row)]
    assert len(keys) > 8
    assert [key for key in keys if key not in form and key.lower() not in form] == []


def test_a_page_whose_block_is_wrong_fails(tmp_path, monkeypatch, capsys):
    """The control: a text that was not said, and a status that did not come."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match="protocols"):
        run("raterbook protocols    # exit 1", capsys)
    page = tmp_path / "page.md"
    page.write_text("```sh\nraterbook protocols\n```\n\n```text\nno such line\n```\n")
    with pytest.raises(AssertionError, match="no such line"):
        test_every_block_of_a_page_does_what_the_page_says(page, tmp_path, monkeypatch, capsys)
