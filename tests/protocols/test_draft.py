"""A new protocol without a blank page: from questions, from columns, and never over another."""

import io
import json
from pathlib import Path

import jsonschema
import pandas as pd
import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from raterbook import Workspace
from raterbook.cli import main
from raterbook.protocols import ProtocolError, keys, load, names, parse
from raterbook.protocols.draft import DraftQuestion, ProtocolDraft, flow, written
from tests.own_items import ROWS, WRITERS

ASK = ("--ask", "Is it right? = yes, no", "--ask", "How clear is it? = 1-5")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return tmp_path


def new(*words):
    return main(["protocols", "--new", *words])


def test_a_protocol_from_questions_is_sound_and_says_what_each_key_is_for(capsys):
    assert new("mine", "--title", "Right and clear", *ASK) == 0
    mine = load("mine.yaml")
    assert [(each.id, each.type) for each in mine.questions] == [
        ("right", "choice"),
        ("clear", "scale"),
    ]
    assert mine.question("right").values == ("yes", "no")
    assert mine.question("clear").ends == (1, 5)
    assert mine.title == "Right and clear"
    text = Path("mine.yaml").read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=protocol.schema.json\n")
    assert text.count("  # ") > 10
    assert "raterbook protocols mine.yaml --preview" in capsys.readouterr().out


def test_editors_find_the_schema_beside_the_new_file_and_mark_nothing():
    assert new("mine", *ASK) == 0
    schema = json.loads(Path("protocol.schema.json").read_text(encoding="utf-8"))
    assert schema == keys.schema()
    content = yaml.safe_load(Path("mine.yaml").read_text(encoding="utf-8"))
    assert list(jsonschema.Draft7Validator(schema).iter_errors(content)) == []


def test_a_file_that_is_there_stays_as_it_is(capsys):
    Path("mine.yaml").write_text("mine", encoding="utf-8")
    Path("protocol.schema.json").write_text("{}", encoding="utf-8")
    assert new("mine", *ASK) == 2
    assert "mine.yaml is there already and stays as it is" in capsys.readouterr().err
    assert Path("mine.yaml").read_text(encoding="utf-8") == "mine"
    assert new("other", *ASK) == 0
    assert Path("protocol.schema.json").read_text(encoding="utf-8") == "{}"


@pytest.mark.parametrize("name", WRITERS)
def test_a_protocol_from_the_columns_of_any_file_opens_a_round_of_it(name, tmp_path):
    WRITERS[name](pd.DataFrame(ROWS), name)
    assert new("mine", "--from", name, *ASK) == 0
    assert main(["open", "r", "--protocol", "mine.yaml", "--items", name, "--raters", "ana"]) == 0
    round = Workspace(tmp_path).round("r")
    (first, *_), protocol = round.queue("ana"), round.protocol
    assert len(round.items()) == 4
    assert protocol.item.key == ("Nr", "model")
    assert protocol.item.groups == ("domain",)
    assert set(first.fields) == {"Prompt", "Passage", "Model output"}  # no model, no gold, no label
    assert protocol.item.fields["gold"].show == "after"
    assert protocol.item.fields["Passage"].of == "case"


def test_columns_alone_will_do():
    assert new("mine", "--columns", "nr, poem, model", "--ask", "Is it good? = 0-10") == 0
    assert load("mine.yaml").item.key == ("nr", "model")
    assert load("mine.yaml").question("good").ends == (0, 10)


def test_without_any_question_there_is_one_to_begin_with():
    assert new("mine") == 0
    assert [each.prompt for each in load("mine.yaml").questions] == ["How good is it?"]


def test_on_a_terminal_it_asks(monkeypatch, capsys):
    said = iter(["Poems", "nr, poem", "Is it good? = yes", "Is it good? = yes, no", ""])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda prompt: next(said))
    assert new("poems") == 0
    assert "'yes' is neither a scale nor two answers" in capsys.readouterr().out
    poems = load("poems.yaml")
    assert (poems.title, list(poems.item.fields)) == ("Poems", ["nr", "poem"])
    assert [each.values for each in poems.questions] == [("yes", "no")]


def test_a_question_never_has_the_name_of_a_column_or_of_another():
    columns = ("--columns", "id,clarity,text")
    ask = ("--ask", "clarity: How clear? = 1-5", "--ask", "clarity: And now? = 1-5")
    assert new("mine", *columns, *ask) == 0
    assert [each.id for each in load("mine.yaml").questions] == ["clarity_rating", "clarity_3"]


def test_a_name_with_a_capital_is_the_name_of_the_question_all_the_same(capsys):
    assert new("mine", "--ask", "Helpfulness: How helpful is it? = 1-5") == 0
    assert load("mine.yaml").question("helpfulness").prompt == "How helpful is it?"
    assert "protocol.schema.json lets editors complete its keys" in capsys.readouterr().out


def test_of_two_answers_one_share_is_measured():
    assert new("mine", "--ask", "right: Is it? = yes, no", "--ask", "kind: Which? = a, b, c") == 0
    found = [each.statistic for each in load("mine.yaml").measures]
    shares = [name for name in found if name.startswith("proportion_")]
    assert shares == ["proportion_yes", "proportion_a", "proportion_b", "proportion_c"]


def test_a_question_of_small_words_alone_keeps_them_for_its_name():
    assert new("mine", "--ask", "Why? = text", "--ask", "How is it? = 1-5") == 0
    assert [each.id for each in load("mine.yaml").questions] == ["why", "how_is"]


def test_the_line_on_sentences_asks_about_each_once_it_is_no_comment():
    assert new("mine", "--columns", "nr, source, summary", "--ask", "Is it right? = yes, no") == 0
    text = Path("mine.yaml").read_text(encoding="utf-8")
    text = text.replace("# parts:", "parts:").replace("type: choice", "type: choice\n    per: part")
    mine = parse(text)
    assert (mine.parts.source, mine.parts.split) == ("source", "sentences")
    assert mine.question("right").per == "part"


def test_a_confidence_speaks_of_the_answers_before_it():
    assert new("mine", *ASK, "--ask", "How sure are you? = percent", "--ask", "Why? = text") == 0
    assert load("mine.yaml").question("sure").covers == ("right", "clear")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mine", "--ask", "= yes, no"), "asks nothing: write it as “Is it right? = yes, no”"),
        (("mine", "--ask", "Good? = 5-1"), "5-1 is no scale of whole steps"),
        (("mine", "--ask", "Good? = 1-5000"), "1-5000 is no scale of whole steps"),
        (("mine", "--ask", "Good? = yes, YES"), "is neither a scale nor two answers"),
        (("mine", "--ask", "part: Good? = 1-5"), "'part' is a word of conditions"),
        (("Mine", *ASK), "'Mine': use small letters, digits and -"),
        (("halo-support", *ASK), "halo-support is a protocol that comes with raterbook"),
        (("nowhere/mine.yaml", *ASK), "there is no folder nowhere: make it first"),
        (("mine", "--columns", "id,ID", *ASK), "name each column of the items file once"),
        (("mine", "--columns", "id,model", *ASK), "no column is left for raters to read"),
        (("mine", "--columns", "id", "--from", "x.csv"), "give one of them"),
        (("mine", "--from", "no.csv"), "no.csv: there is no such file"),
        (("mine", "--yaml"), "--yaml and --new are one at a time"),
    ],
)
def test_what_cannot_become_a_protocol_is_refused_and_nothing_is_written(words, said, capsys):
    assert new(*words) == 2
    assert said in capsys.readouterr().err
    assert list(Path().rglob("*")) == []


def test_options_of_a_new_protocol_are_not_dropped_in_silence(capsys):
    assert main(["protocols", *ASK]) == 2
    assert "give --new NAME" in capsys.readouterr().err


def test_a_file_whose_rows_nothing_names_is_told_what_it_needs(capsys):
    Path("x.csv").write_text("text,score\nsame,1\nsame,1\n", encoding="utf-8")
    assert new("mine", "--from", "x.csv") == 2
    assert "x.csv: no column names its rows, each differently. Add a column id" in (
        capsys.readouterr().err
    )


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30)


@given(TEXTS)
def test_any_text_stands_in_the_file_as_itself(text):
    for line in (f"a: {written(text)}", f"a: [{flow(text)}]", f"{written(text)}: {{b: c}}"):
        read = yaml.load(line, Loader=yaml.BaseLoader)
        assert read in ({"a": text}, {"a": [text]}, {text: {"b": "c"}})


@given(title=TEXTS, options=st.lists(TEXTS, min_size=2, max_size=4))
def test_a_draft_of_any_words_that_can_be_answers_is_sound(title, options):
    try:
        question = DraftQuestion.read(f"Which? = {', '.join(options)}")
    except ProtocolError:
        assume(False)
    draft = ProtocolDraft("mine", title=title.strip(), questions=(question,))
    assert parse(draft.text()).question(question.id).type == question.type


def test_the_schema_is_printed(capsys):
    assert main(["protocols", "--schema"]) == 0
    assert capsys.readouterr().out == keys.schema_text()


@pytest.mark.parametrize("name", names())
def test_a_protocol_of_the_library_is_a_file_to_start_from(name, capsys):
    assert main(["protocols", name, "--yaml"]) == 0
    Path("copy.yaml").write_text(capsys.readouterr().out, encoding="utf-8")
    assert load("copy.yaml").hash == load(name).hash
