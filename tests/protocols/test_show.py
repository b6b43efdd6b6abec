"""A protocol as text on a terminal."""

import pytest

from raterbook.cli import main
from raterbook.protocols import (
    TYPES,
    ProtocolError,
    check,
    library_path,
    load,
    names,
    overview,
    show,
)


@pytest.mark.parametrize("name", names())
def test_the_text_names_every_question_level_column_and_measure(name):
    protocol = load(name)
    text = show(protocol)
    words = " ".join(text.split())
    for question in protocol.questions:
        assert f": {question.id}\n" in text
        assert " ".join(question.prompt.split()) in words
        for entry in (*question.levels, *question.options):
            assert " ".join(entry.description.split()) in words
    assert all(f"  {column}: " in text for column in protocol.item.fields)
    assert all(measure.statistic in text for measure in protocol.measures)
    assert max(len(line) for line in text.splitlines()) <= 100


def test_the_text_says_when_a_question_is_asked():
    assert "asked when accuracy is inaccurate, unsupported or disputed" in " ".join(
        show(load("stem-sentences")).split()
    )
    assert "required when tone is 1 or 2" in show(load("feedback-quality"))


def test_the_list_has_a_line_for_each_protocol():
    lines = overview(load(name) for name in names()).splitlines()
    assert [line.split()[0] for line in lines] == names()


def test_a_sound_file_is_called_sound_and_a_broken_one_refused(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(library_path("halo-support").read_text(encoding="utf-8"), encoding="utf-8")
    assert "halo-support is sound (2 questions, 15 measures, 3 targets" in check(path)
    path.write_text("name: mine\n", encoding="utf-8")
    with pytest.raises(ProtocolError, match=r"mine\.yaml, line 1: title is missing"):
        check(path)


def test_a_protocol_is_printed_as_the_file_it_is(capsys):
    assert main(["protocols", "halo-support", "--yaml"]) == 0
    assert capsys.readouterr().out.strip() == load("halo-support").text.strip()


def test_what_there_is_to_choose_from_is_listed_with_a_line_on_each(capsys):
    assert main(["list", "types"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == list(TYPES)
    assert "one of a few options" in listed[list(TYPES).index("choice")].lower()
    assert main(["list"]) == 0
    every = capsys.readouterr().out
    assert all(f"\n  {name}" in every for name in (*TYPES, "long", "label-studio"))
