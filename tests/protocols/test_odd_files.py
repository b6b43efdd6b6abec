"""Odd protocol files: each is told by file, line, key and remedy, once, and nothing untrue."""

import re

import pytest

from raterbook.cli import main
from raterbook.protocols import ProtocolError, parse

from .test_broken import PAIRWISE, broken

ALPHA = "{statistic: alpha_nominal, question: preference}\n"
LEVEL = "      - {value: 2, name: Clearly, description: It is plain to see.}\n"
OPTION = "      - {value: A, description: The first answer is better.}\n"
WHEN = "when: {preference: [A, B]}"
HEAD, QUESTIONS = PAIRWISE.split("questions:\n")
TAIL = "measures:" + QUESTIONS.split("measures:")[1]


def with_(before, after):
    return broken(before, after)


# name: (the file, its line, the key, and words of the remedy).
ODD = {
    "a misspelt key": (with_("title:", "titel:"), 2, "titel", "did you mean 'title'?"),
    "a misspelt key of a question": (
        with_("prompt: Why?", "promt: Why?"),
        32,
        "questions.2.promt",
        "did you mean 'prompt'?",
    ),
    "a singular for a plural": (
        with_("questions:\n", "question:\n"),
        16,
        "question",
        "did you mean 'questions'?",
    ),
    "a number for a key": (with_("title:", "1: x\ntitle:"), 2, "1", "allowed: name, title"),
    "no questions": (HEAD, 1, "questions", "add “questions: …”"),
    "an empty list of questions": (HEAD + "questions: []\n", 16, "questions", "write what it says"),
    "no item": (with_("item:\n" + HEAD.split("item:\n")[1], ""), 1, "item", "add “item: …”"),
    "an item without content": (
        with_(HEAD.split("item:\n")[1], ""),
        5,
        "item",
        "write what it says",
    ),
    "an empty title": (
        with_("title: Which of two answers is better?", "title:"),
        2,
        "title",
        "write what it says",
    ),
    "a question without a type": (
        with_("    type: text\n", ""),
        31,
        "questions.2.type",
        "add “type: …”",
    ),
    "a mapping for a list": (
        HEAD + "questions:\n  preference: {prompt: x, type: text}\n" + TAIL,
        16,
        "questions",
        "write each entry in a line that begins with -",
    ),
    "a text for a list": (
        with_("groups: [topic]", "groups: topic"),
        8,
        "item.groups",
        "write [topic]",
    ),
    "a list for a text": (with_("case: id", "case: [id]"), 7, "item.case", "write one text"),
    "a list for a mapping": (
        with_("targets:", "definitions: [a]\ntargets:"),
        37,
        "definitions",
        "(key: value)",
    ),
    "a text for a mapping": (
        with_("targets:", "judge: Be strict.\ntargets:"),
        37,
        "judge",
        "(key: value)",
    ),
    "options that are texts": (
        PAIRWISE.replace(OPTION, "      - A\n").replace(
            "      - {value: B, description: The second answer is better.}\n", "      - B\n"
        ),
        21,
        "questions.0.options.0",
        "(key: value)",
    ),
    "stages that are texts": (
        with_("targets:", "stages: [preference, strength, reason]\ntargets:"),
        37,
        "stages.0",
        "write [preference]",
    ),
    "a comment that is a text": (
        with_("type: text", "type: text\n    comment: yes"),
        34,
        "questions.2.comment",
        "(key: value)",
    ),
    "a level twice": (
        with_(LEVEL, LEVEL.replace("2", "1") + LEVEL),
        30,
        "questions.1.levels.1.value",
        "give each its own",
    ),
    "a level off the scale": (
        with_("type: scale", "type: scale\n    min: 1\n    max: 2\n    step: 0.5").replace(
            LEVEL, LEVEL.replace("value: 2", "value: 9")
        ),
        33,
        "questions.1.levels.1.value",
        "change it, or min, max and step",
    ),
    "a level left out": (
        with_("type: scale", "type: scale\n    max: 3"),
        29,
        "questions.1.levels",
        "3: add it",
    ),
    "a level that is a word": (
        with_("value: 2, name", "value: two, name"),
        30,
        "questions.1.levels.1.value",
        "'two' is not a number",
    ),
    "two options spelt alike": (
        with_("value: tie, label: Tie,", "value: a,"),
        23,
        "questions.0.options.2",
        "rename one",
    ),
    "one option": (
        with_("type: text", "type: choice\n    options: [{value: a, description: b}]"),
        34,
        "questions.2.options",
        "at least two options",
    ),
    "a choice without options": (
        with_("type: text", "type: choice"),
        33,
        "questions.2.type",
        "needs at least two options",
    ),
    "a scale without ends": (
        with_("type: text", "type: scale"),
        33,
        "questions.2.type",
        "needs levels, or min and max",
    ),
    "ends the wrong way round": (
        with_("type: text", "type: scale\n    min: 5\n    max: 1"),
        34,
        "questions.2.min",
        "min must be below max",
    ),
    "a step that leads nowhere": (
        with_("type: text", "type: scale\n    min: 1\n    max: 5\n    step: 3"),
        36,
        "questions.2.step",
        "choose one that does",
    ),
    "a key of another type": (
        with_("type: text", "type: text\n    covers: [strength]"),
        34,
        "questions.2.covers",
        "leave it out, or change the type",
    ),
    "an unknown type": (
        with_("type: text", "type: txt"),
        33,
        "questions.2.type",
        "not one of scale, choice",
    ),
    "an unknown level": (
        with_("type: scale", "type: scale\n    level: ordnal"),
        27,
        "questions.1.level",
        "not one of nominal, ordinal",
    ),
    "a condition that is a word": (
        with_(WHEN, "when: preference"),
        27,
        "questions.1.when",
        "write {question: [values]}",
    ),
    "a condition on a value that is none": (
        with_(WHEN, "when: {preference: [C]}"),
        27,
        "questions.1.when",
        "not one of A, B, tie",
    ),
    "a condition on a question that is not there": (
        with_(WHEN, "when: {preferences: [A]}"),
        27,
        "questions.1.when",
        "did you mean 'preference'?",
    ),
    "a measure of a question that is not there": (
        with_(ALPHA, ALPHA.replace("preference", "prefs")),
        35,
        "measures.0.question.0",
        "known: preference, strength, reason",
    ),
    "a share of a question that is not there": (
        with_("proportion_a, question: preference", "proportion_a, question: prefs"),
        36,
        "measures.1.question.0",
        "known: preference, strength, reason",
    ),
    "a statistic that is not there": (
        with_(ALPHA, ALPHA.replace("alpha_nominal", "alpha_nominall")),
        35,
        "measures.0.statistic",
        "did you mean 'alpha_nominal'?",
    ),
    "a grouping that is a mapping": (
        with_("by: topic", "by: {topic: law}"),
        36,
        "measures.1.by",
        "write each entry in a line",
    ),
    "a grouping by a column that is not there": (
        with_("by: topic", "by: tpic"),
        36,
        "measures.1.by.0",
        "did you mean 'topic'?",
    ),
    "a target with two bounds": (
        with_("at_least: 0.6", "at_least: 0.6, at_most: 0.7"),
        38,
        "targets.0.at_most",
        "give one of at_least, at_most",
    ),
    "a target that is a word": (
        with_("at_least: 0.6", "at_least: high"),
        38,
        "targets.0.at_least",
        "is not a number",
    ),
    "a share in per cent": (
        with_("at_least: 0.6", "at_least: 60%"),
        38,
        "targets.0.at_least",
        "a share is written 0.6",
    ),
    "a stage with a misspelt question": (
        with_("targets:", "stages: [[preference, strenth, reason]]\ntargets:"),
        37,
        "stages.0.1",
        "did you mean 'strength'?",
    ),
    "a question in no stage": (
        with_("targets:", "stages: [[preference, strength]]\ntargets:"),
        37,
        "stages",
        "reason is in none of them: add it to one",
    ),
    "a question of parts that are not there": (
        with_("prompt: Why?", "prompt: Why?\n    per: part"),
        33,
        "questions.2.per",
        "the protocol has no parts",
    ),
    "two questions of one id": (
        with_("id: reason", "id: strength"),
        31,
        "questions.2.id",
        "rename one of them",
    ),
    "an id that conditions have": (
        with_("id: reason", "id: and"),
        31,
        "questions.2.id",
        "choose another id",
    ),
    "a confidence in a question that is not there": (
        with_("type: text", "type: percent\n    covers: [strenght]"),
        34,
        "questions.2.covers.0",
        "did you mean 'strength'?",
    ),
    "a field that is shown nowhere": (
        with_("prompt: Why?", "prompt: Why?\n    shows: [answer_c]"),
        33,
        "questions.2.shows.0",
        "did you mean 'answer_b'?",
    ),
    "a meaning of a column that is not there": (
        with_("targets:", "definitions: {tpc: {law: x}}\ntargets:"),
        37,
        "definitions.tpc",
        "did you mean 'topic'?",
    ),
    "a key of another place": (
        with_("case: id", "case: id\n  clustr: topic"),
        8,
        "item.clustr",
        "did you mean 'cluster'?",
    ),
    "a target that nothing measures": (
        with_(
            "statistic: alpha_nominal, question: preference, at_least",
            "statistic: ac1, question: preference, at_least",
        ),
        38,
        "targets.0.statistic",
        "add it there",
    ),
    "a key column that is not there": (
        with_("key: [id]", "key: [pair]"),
        6,
        "item.key.0",
        "known: id, topic",
    ),
    "two columns of one name": (
        with_("model_a: {label", "Answer A: {label"),
        15,
        "item.fields.Answer A",
        "rename one of them",
    ),
    "nothing that raters see": (
        PAIRWISE.replace("show: long", "show: hidden").replace(
            "{label: Topic, required: false}", "{label: Topic, show: none}"
        ),
        9,
        "item.fields",
        "show one text at least",
    ),
    "parts of a field that is not there": (
        with_("questions:\n", "parts: {from: answer}\nquestions:\n"),
        16,
        "parts.from",
        "did you mean 'answer_b'?",
    ),
    "an example without answers": (
        with_("targets:", "examples: [{title: a, fields: {prompt: x}}]\ntargets:"),
        37,
        "examples.0.answers",
        "add “answers: …”",
    ),
    "a key twice": (
        with_("  case: id\n", "  case: id\n  case: id\n"),
        8,
        "item.case",
        "first on line 7",
    ),
    "a newer format": ("format: 7\n" + PAIRWISE, 1, "format 7", "install the newer version"),
    # What is not YAML has no key: the line, and what is most likely meant.
    "a tab": (with_("  key: [id]", "\tkey: [id]"), 6, "", "indent with spaces"),
    "a colon in a text": (with_("prompt: Why?", "prompt: Why: now?"), 32, "", "needs quotes"),
    "a quote that stays open": (with_("prompt: Why?", 'prompt: "Why?'), 32, "", "is never closed"),
    "a backslash in double quotes": (
        with_("prompt: Why?", 'prompt: "C:\\odd"'),
        32,
        "",
        "use single quotes",
    ),
    "two files in one": (PAIRWISE + "---\nname: b\n", 39, "", "one file, one protocol"),
    "an alias": (with_("prompt: Why?", "prompt: *why"), 32, "", "write out what it stands for"),
    "a bracket that stays open": (with_("key: [id]", "key: [id"), 6, "", "is not closed"),
    "a line that is out of line": (
        with_("    prompt: Why?", "   prompt: Why?"),
        32,
        "",
        "more or fewer spaces",
    ),
    "a text that begins with %": (with_("title: Which", "title: % Which"), 2, "", "needs quotes"),
    "a table": ("id,text\n1,Hello\n", 1, "", "a mapping that begins with name:"),
    "a list": ("- name: a\n", 1, "", "a mapping that begins with name:"),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_file_is_told_once_by_line_key_and_remedy(name):
    text, line, key, remedy = ODD[name]
    with pytest.raises(ProtocolError) as refused:
        parse(text, "mine.yaml")
    (problem,) = refused.value.problems
    place = re.escape(f"mine.yaml, line {line}: {key}")
    assert re.match(rf"{place}(\s|:|$)" if key else place, problem), problem
    assert remedy in problem


def test_there_are_more_than_forty_of_them():
    assert len(ODD) >= 50


def test_the_command_ends_with_2_and_says_the_same(tmp_path, capsys):
    for name, (text, line, _, remedy) in ODD.items():
        (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
        assert main(["protocols", str(tmp_path / "mine.yaml")]) == 2, name
        (said,) = capsys.readouterr().err.splitlines()
        assert said.startswith(f"mine.yaml, line {line}: "), name
        assert remedy in said


def test_mended_as_it_says_the_file_is_sound():
    """The control: the file all of these were made from has nothing wrong with it."""
    assert parse(PAIRWISE, "mine.yaml").name == "pairwise"
