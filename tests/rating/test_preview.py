"""The form on two made-up items, as a page of its own."""

import json
import re
from pathlib import Path

import pytest

from raterbook.cli import main
from raterbook.protocols import load, names, parse
from raterbook.rating.preview import preview

HOSTILE = """
name: hostile
title: </title><script>alert(1)</script>
about: "</script><script>alert(2)</script>"
instructions: ["<!-- <script>"]
item: {key: [id], case: id, fields: {id: {label: Id, show: none}, text: {label: "</script>"}}}
questions: [{id: tone, prompt: "</script><img src=x onerror=alert(3)>", type: text}]
"""


def told(page):
    (content,) = re.findall(r'<script type="application/json" id="preview">(.*?)</script>', page)
    return json.loads(content)


@pytest.mark.parametrize("name", names())
def test_every_question_and_visible_field_is_on_the_page(name):
    protocol = load(name)
    found = told(preview(protocol))
    asked = {question["id"] for question in found["opening"]["protocol"]["questions"]}
    assert asked == {question.id for question in protocol.questions}
    visible = {name for name, field in protocol.item.fields.items() if field.visible}
    if all(question.shows for question in protocol.questions):
        visible &= {name for question in protocol.questions for name in question.shows}
    first, second = found["items"]
    assert set(first["fields"]) == set(second["fields"]) == visible
    assert all(first["fields"].values())
    assert first["stage"] == len(protocol.stages) - 1


def test_what_raters_must_not_know_is_not_on_the_page():
    page = preview(load("halo-support"))
    assert "auto_label" not in page


def test_the_page_asks_for_nothing_beside_it():
    page = preview(load("neureg-qa"))
    assert re.findall(r'(?:src|href)="[^#]', page) == []
    assert "@import" not in page


def test_hostile_words_stay_words():
    page = preview(parse(HOSTILE))
    assert page.count("<script") == 2
    assert page.count("</script") == 2
    assert "<img" not in page
    assert told(page)["opening"]["protocol"]["questions"][0]["prompt"].startswith("</script>")


def test_the_command_writes_it_beside_the_file_and_opens_it(tmp_path, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    mine = tmp_path / "mine.yaml"
    mine.write_text(load("halo-support").text, encoding="utf-8")
    assert main(["protocols", str(mine), "--preview"]) == 0
    page = tmp_path / "mine.preview.html"
    assert opened == [page.as_uri()]
    assert "on two made-up items" in capsys.readouterr().out
    assert page.read_text(encoding="utf-8") == preview(load(mine))


def test_without_a_browser_it_says_what_to_open(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    assert main(["protocols", "halo-support", "--preview"]) == 0
    assert "There is no browser here: open the file in one." in capsys.readouterr().out
    assert Path("halo-support.preview.html").exists()


def test_a_broken_protocol_has_no_preview(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("name: mine\n", encoding="utf-8")
    assert main(["protocols", "mine.yaml", "--preview", "--no-open"]) == 2
    assert "mine.yaml, line 1: title is missing" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.yaml"]
