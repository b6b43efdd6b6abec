"""Items as they come: a file of any format whose columns are called otherwise opens a round."""

import pandas as pd
import pytest

from raterbook import Workspace
from raterbook.cli import main
from raterbook.commands.rounds import Refused, headers
from raterbook.rounds import FileError
from tests.own_items import WRITERS

ROWS = pd.DataFrame(
    [
        {
            "Nr": "h1",
            "Prompt, final": "How long?",
            "Passage": "20 m.",
            "Model output": "20 metres.",
        },
        {"Nr": "h2", "Prompt, final": "Who?", "Passage": "20 m.", "Model output": "A monk."},
    ]
)
MAP = 'id=Nr,question="Prompt, final",context=passage,generated_answer=Model output'
FIELDS = {"id": "Nr", "question": "Prompt, final", "context": "Passage"} | {
    "generated_answer": "Model output"
}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def opened(file, *words):
    return main(["open", "r", "--protocol", "halo-support", "--items", str(file), *words])


@pytest.mark.parametrize("name", WRITERS)
def test_fields_are_found_under_the_files_own_headers_in_every_format(name, here):
    WRITERS[name](ROWS, name)
    assert opened(name) == 2
    assert opened(name, "--map", MAP) == 0
    items = {item.key: dict(item.fields) for item in Workspace(here).round("r").items()}
    assert items["h2"]["generated_answer"] == "A monk."
    assert items["h1"]["question"] == "How long?"
    assert items["h1"]["context"] == "20 m."


def test_the_python_call_has_the_same(here):
    round = Workspace(here).open("r", "halo-support", ROWS, headers=FIELDS)
    assert [item.key for item in round.items()] == ["h1", "h2"]


def test_a_map_may_be_given_piece_by_piece():
    pieces = [
        "id=Nr",
        'question="Prompt, final"',
        "context=Passage , generated_answer=Model output",
    ]
    assert headers(pieces) == FIELDS


def test_a_column_that_had_the_name_before_is_kept_under_another(here, capsys):
    rows = ROWS.assign(context="something else")
    rows.to_csv("items.csv", index=False)
    assert opened("items.csv", "--map", MAP) == 0
    assert "the column context is kept as context_in_file" in capsys.readouterr().out
    (first, _) = Workspace(here).round("r").items()
    assert first.fields["context"] == "20 m."
    assert Workspace(here).round("r").hidden(first.ref)["context_in_file"] == "something else"


@pytest.mark.parametrize(
    ("map", "said"),
    [
        ({"contxt": "Passage"}, "contxt is no field of halo-support: write one of id, model"),
        ({"context": "Pasage"}, "items.csv, row 1: no column Pasage for context. The file has Nr"),
        ({"context": "Passage", "question": "Passage"}, "a column is one field, and a field one"),
    ],
)
def test_a_map_that_leads_nowhere_is_refused(map, said, here):
    ROWS.to_csv("items.csv", index=False)
    with pytest.raises(FileError) as refused:
        Workspace(here).open("r", "halo-support", "items.csv", headers=map)
    assert said in str(refused.value)
    assert Workspace(here).rounds() == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["context"], "write field=Header"),
        (["context="], "write field=Header"),
        (['context="Passage'], "write field=Header"),
        (["context=A,context=B"], "context is named twice"),
    ],
)
def test_a_map_that_cannot_be_read_says_how_to_write_it(words, said):
    with pytest.raises(Refused, match=said):
        headers(words)
