"""The annotation guide: all that raters need, nothing they must not know, everything escaped."""

from html.parser import HTMLParser

import pytest

from raterbook.files.handbook import guide, write_guide
from raterbook.protocols import load, names, parse

from .rounds import protocol_round

HOSTILE = parse(
    """
name: hostile
title: "<script>alert(1)</script> & *bold* | pipe"
about: "[link](javascript:x) `code` <b>"
instructions: ["1. not a list", "- nor this"]
item: {key: [id], case: id, fields: {id: {label: "<i>"}, secret: {label: Secret, show: hidden}}}
questions:
  - id: q
    prompt: "# not a heading"
    type: choice
    options: [{value: "a|b", description: "<img src=x onerror=y>"}, {value: c, description: d}]
""",
    source="hostile.yaml",
)


class Words(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.open, self.text = set(), [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(html):
    words = Words()
    words.feed(html)
    assert words.open == []
    return words


@pytest.mark.parametrize("name", names())
def test_every_prompt_option_level_and_instruction_is_in_the_guide(name):
    protocol = load(name)
    text = "".join(read(guide(protocol, "html")).text)
    for question in protocol.questions:
        assert question.prompt in text
        for described in (*question.options, *question.levels):
            assert described.description in text
    for step in (*protocol.instructions, *protocol.aid):
        assert step in text


@pytest.mark.parametrize("name", names())
def test_nothing_hidden_is_in_the_guide(name):
    protocol = load(name)
    text = guide(protocol, "markdown")
    hidden = [field.label for field in protocol.item.fields.values() if field.show == "hidden"]
    section = text.split("## What you see")[1].split("##")[0]
    assert not [label for label in hidden if f"- {label}\n" in section]


def test_texts_of_a_protocol_cannot_become_markup():
    words = read(guide(HOSTILE, "html"))
    assert not {"script", "img", "b", "i"} & words.tags
    assert "<script>alert(1)</script> & *bold* | pipe" in words.text
    markdown = guide(HOSTILE, "markdown")
    assert r"\<script\>alert(1)\</script\> \& \*bold\* \| pipe" in markdown
    assert r"| a\|b | \<img src=x onerror=y\> |" in markdown
    assert r"1. 1\. not a list" in markdown
    assert "\n# not" not in markdown
    assert r"\[link\](javascript:x)" in markdown


def test_conditions_are_said_in_words():
    text = guide(load("stem-sentences"), "markdown")
    assert "Asked, and required, only if Accuracy is inaccurate, unsupported or disputed." in text


def test_the_guide_of_a_round_is_written_as_html_or_markdown(tmp_path):
    stored = protocol_round(tmp_path, "halo-support", "round-03")
    page = write_guide(stored, tmp_path / "guide.html").read_text(encoding="utf-8")
    assert "Annotation guide of the round round-03." in page
    assert "http" not in page.replace("http-equiv", "")
    assert write_guide(stored, tmp_path / "guide.md").read_text(encoding="utf-8").startswith("# ")
    with pytest.raises(ValueError, match=r"guide.pdf: a guide is a page or Markdown"):
        write_guide(stored, tmp_path / "guide.pdf")


def test_worked_examples_speak_in_labels_and_give_reasons_only_where_there_are_any():
    stem = guide(load("stem-sentences"), "markdown")
    assert "| Question | Answer |\n| --- | --- |\n| Accuracy | Inaccurate |\n| Severity |" in stem
    assert "Why |" not in stem
    feedback = guide(load("feedback-quality"), "markdown")
    assert "| Actionability | 2 (Poor) | Both pieces of advice" in feedback
    assert "Comment: “read a bit more around the topic” says" in feedback
    assert "Actionability: comment |" not in feedback


def test_answers_about_cases_and_answers_that_do_not_apply_are_explained_for_files():
    questeval = guide(load("rag-questeval"), "markdown")
    assert "keep and reference_answer are answered once for all texts about one id" in questeval
    assert r"| generated_answer | a text, or \<Unanswerable\> |" in questeval
    assert "write not_applicable in a column status" in guide(load("neureg-qa"), "markdown")
