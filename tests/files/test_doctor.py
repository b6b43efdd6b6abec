"""What a file holds and how to go on; the commands that are printed are run as they stand."""

import shlex
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raterbook import Workspace
from raterbook.cli import main
from raterbook.files.columns import draft_of
from raterbook.files.formats import read_table
from raterbook.protocols import names, parse
from raterbook.protocols.kinds import plain
from raterbook.rounds import FileError
from tests.own_items import ROWS, WRITERS

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
GOING = "Go on with:"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def doctor(capsys):
    """doctor(words) gives what is said of a file, and the commands among it."""

    def look(*words):
        capsys.readouterr()
        assert main([*words[:-1], "doctor", words[-1]]) == 0
        said = capsys.readouterr().out
        _, _, going = said.partition(GOING)
        return said, [line.strip() for line in going.strip().splitlines()]

    return look


def run(*commands):
    for command in commands:
        program, *words = shlex.split(command)
        assert program == "raterbook"
        assert main(words) == 0, command


@pytest.mark.parametrize("name", WRITERS)
def test_it_says_what_the_file_holds_and_its_command_opens_a_round(name, here, doctor):
    WRITERS[name](pd.DataFrame(ROWS), name)
    said, commands = doctor(name)
    first = said.splitlines()[0]
    assert first.endswith("4 rows, 7 columns.")
    assert ("UTF-8" in first) == (name.partition(".")[2] in ("csv", "tsv", "jsonl"))
    assert "halo-support" in said.partition("serve:")[2].splitlines()[1]
    assert "--map 'id=Nr,question=Prompt,context=Passage" in commands[0]
    run(*commands)
    assert len(Workspace(here).round("items").items()) == 4


def test_columns_are_counted_and_what_is_odd_is_said(doctor):
    text = "id;text;score\n1;Zoë;3\n2;;4\n2;;4\n"
    Path("odd.csv").write_bytes(text.encode("cp1252"))
    said, _ = doctor("odd.csv")
    assert said.splitlines()[0] == (
        "odd.csv: CSV, CP1252, separated by semicolons; 3 rows, 3 columns."
    )
    assert "read as Windows-1252" in said
    table = {line.split()[0]: line.split()[1:] for line in said.splitlines() if line[:2] == "  "}
    assert table["score"][:3] == ["numbers", "3", "2"]
    assert table["text"][:3] == ["texts", "1", "1"]
    assert "Blank: 2 in text." in said
    assert "Said twice: 1 row the same as another." in said


def test_commas_in_the_header_of_a_file_of_semicolons_are_read_as_text(doctor):
    rows = ["1;What, and why?;a", "2;Where?;b"]
    Path("odd.csv").write_text("\n".join(["id;question, in full;answer", *rows]), "utf-8")
    assert "separated by semicolons; 2 rows, 3 columns." in doctor("odd.csv")[0]
    Path("odd.csv").write_text("id;score, in all;answer\n1;0,5;a\n2;1,5;b\n", "utf-8")
    assert "separated by semicolons; 2 rows, 3 columns." in doctor("odd.csv")[0]
    # The control: semicolons in the texts of a file of commas separate nothing.
    Path("odd.csv").write_text("id,text; or more;,n\n1,a; b,2\n2,c; d; e,3\n", "utf-8")
    assert "separated by commas; 2 rows, 3 columns." in doctor("odd.csv")[0]


def test_a_file_of_commas_whose_rows_differ_in_length_is_still_one(capsys):
    Path("odd.csv").write_text("id,text\n1,a,b\n2,c,d\n", "utf-8")
    assert main(["doctor", "odd.csv"]) == 2
    assert "odd.csv, row 2: 3 cells where the header has 2." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("cells", "kind"),
    [(("0,5", "1,25"), "numbers"), (("0.5", "1"), "numbers"), (("1,200", "3,400"), "texts")],
)
def test_a_decimal_comma_is_a_number_and_three_digits_after_it_can_be_thousands(
    doctor, cells, kind
):
    Path("odd.csv").write_text("id;score\n" + "\n".join(f"{n};{c}" for n, c in enumerate(cells)))
    said, _ = doctor("odd.csv")
    table = {line.split()[0]: line.split()[1:] for line in said.splitlines() if line[:2] == "  "}
    assert table["score"][0] == kind


def test_a_question_made_of_decimal_commas_asks_for_a_number(here):
    rows = [f'p{n},ana,Share,"{n},5"' for n in range(1, 13)]
    Path("votes.csv").write_text("\n".join(["item,rater,question,value", *rows]), "utf-8")
    run("raterbook protocols --new mine --from votes.csv")
    assert "type: percent" in Path("mine.yaml").read_text("utf-8")


def test_a_column_without_a_name_is_called_by_its_place(doctor):
    Path("bare.csv").write_text("id,text,\n1,a,\n2,b,\n", encoding="utf-8")
    assert "Blank: 2 in column 3, which has no name." in doctor("bare.csv")[0]


@pytest.mark.parametrize("name", [n for n in names() if (SAMPLES / n).is_dir()])
def test_the_sample_of_a_protocol_is_recognised_and_opens(name, here, doctor):
    said, (command,) = doctor(str(SAMPLES / name / "items.csv"))
    assert f"  {name} " in said.partition("serve:")[2]
    best = said.partition("serve:")[2].splitlines()[1].split()
    assert best[:2] == [name, "yes"]
    run(command)
    assert Workspace(here).round("items").protocol.name == name


def test_a_few_sentences_that_come_again_are_read_by_raters_and_are_no_groups(here):
    asked = ("Where is my parcel?", "I was charged twice.")
    rows = [
        {"nr": n, "asked": asked[n], "bot": bot, "reply": f"{bot} {n}", "desk": f"d{n}"}
        for n in (0, 1)
        for bot in ("a", "b")
    ]
    draft = draft_of(read_table(pd.DataFrame(rows).astype(str)))
    assert draft.groups == ("desk",)  # the control: few words, which are labels
    (field,) = (each for each in draft.fields if each.name == "asked")
    assert (field.show, field.of) == ("text", "case")


def test_what_is_missing_is_named_for_each_protocol(doctor):
    pd.DataFrame(ROWS)[["Nr", "Model output", "model"]].to_csv("some.csv", index=False)
    said, _ = doctor("some.csv")
    line = next(line for line in said.splitlines() if line.strip().startswith("halo-support"))
    assert "lacks question, context (id from Nr, generated_answer from Model output)" in line


def test_rows_that_cannot_be_items_are_said_with_their_place(doctor):
    rows = [{"id": "1", "text": "a", "model": "m"}, {"id": "1", "text": "b", "model": "m"}]
    pd.DataFrame([*rows, {"id": "2", "text": "c", "model": "m"}]).to_csv("x.csv", index=False)
    said, _ = doctor("x.csv")
    assert (
        "feedback-quality  has the columns, but x.csv, row 3, column id, model: 1/m names" in said
    )


def test_where_no_protocol_fits_the_commands_make_one_and_open_it(here, doctor):
    rows = [
        {"poem no": str(n), "poem": f"Poem {n}, in words.", "poet": "ab"[n % 2]} for n in range(6)
    ]
    pd.DataFrame(rows).to_csv("My poems (1).csv", index=False)
    said, commands = doctor("My poems (1).csv")
    assert " yes" not in said
    assert commands[0] == "raterbook protocols --new my-poems-1 --from 'My poems (1).csv'"
    run(*commands)
    assert len(Workspace(here).round("My-poems-1").items()) == 6


def test_a_protocol_of_ones_own_is_asked_too(here, capsys):
    pd.DataFrame(ROWS).to_csv("outs.csv", index=False)
    run("raterbook protocols --new mine --from outs.csv")
    capsys.readouterr()
    assert main(["doctor", "outs.csv", "--protocol", "mine.yaml"]) == 0
    said = capsys.readouterr().out
    assert said.partition("serve:")[2].split()[:2] == ["mine.yaml", "yes"]
    run(said.partition(GOING)[2].strip())
    assert Workspace(here).round("outs").protocol.name == "mine"


def test_a_name_that_is_taken_is_not_offered_again(here, doctor):
    pd.DataFrame(ROWS).to_csv("outs.csv", index=False)
    for name in ("outs", "outs-2"):
        run(*doctor("outs.csv")[1])
        assert name in Workspace(here).rounds()


ANSWERS = [
    {
        "item": f"h{n}",
        "rater": f"worker {(n + turn) % 6}",
        "question": "label",
        "value": "SUPPORTED",
    }
    for n in range(6)
    for turn in range(2)
]


def test_answers_are_recognised_with_raters_and_how_many_an_item_has(here, doctor):
    pd.DataFrame(ANSWERS).to_csv("answers.csv", index=False)
    said, commands = doctor("answers.csv")
    assert "Answers, in the layout long" in said
    assert "Raters: 6 (worker 0, worker 1" in said
    assert "Items: 6, each with answers of 2." in said
    assert "These protocols ask these questions: halo-support." in said
    assert "--bare" in commands[0]
    assert "--per-item 2" in commands[0]
    run(*commands)
    status = Workspace(here).round("answers").status()
    assert (status["answers"], status["missing"]) == (12, 0)


def test_answers_to_a_round_that_is_there_go_into_it(here, doctor):
    items = [
        {"id": f"h{n}", "question": "q", "context": "c", "generated_answer": "a"} for n in range(6)
    ]
    Workspace(here).open("live", "halo-support", pd.DataFrame(items))
    pd.DataFrame(ANSWERS).to_csv("answers.csv", index=False)
    said, commands = doctor("answers.csv")
    assert "The round live asks these questions about these items." in said
    assert commands == ["raterbook import live answers.csv"]
    run(*commands)
    assert Workspace(here).round("live").status()["answers"] == 12


def test_answers_to_questions_nobody_knows_become_a_protocol_and_a_round(here, doctor):
    rows = [
        {"item": f"p{n}", "annotator": who, "question": question, "value": value}
        for n in range(4)
        for who in ("ana", "ben")
        for question, value in (("Rhyme", str(1 + n % 4)), ("Kind", "ode" if n % 2 else "song"))
    ]
    pd.DataFrame(rows).to_csv("votes.csv", index=False)
    said, commands = doctor("votes.csv")
    assert "No protocol known here asks these questions" in said
    run(*commands)
    round = Workspace(here).round("votes")
    assert [(each.id, each.type) for each in round.protocol.questions] == [
        ("rhyme", "scale"),
        ("kind", "choice"),
    ]
    assert round.status()["answers"] == 16


def test_answers_by_raters_that_no_protocol_knows_are_not_taken_for_items(here, capsys):
    tickets = [{"Ticket No": f"T{n}", "Reply": f"Reply {n}"} for n in range(3)]
    pd.DataFrame(tickets).to_csv("tickets.csv", index=False)
    rows = [
        {"Ticket No": one["Ticket No"], "Annotator": who, "Helpful": "yes", "Mood": 3}
        for one in tickets
        for who in ("ana", "ben")
    ]
    pd.DataFrame(rows).to_csv("scores.csv", index=False)
    assert main(["doctor", "scores.csv"]) == 0
    said = capsys.readouterr().out
    assert "Answers, a row for each item and rater, as its column Annotator says" in said
    assert "raterbook doctor scores.csv --protocol NAME.yaml" in said
    run("raterbook protocols --new mine --from tickets.csv --ask 'helpful: Is it? = yes, no'")
    capsys.readouterr()
    assert main(["doctor", "scores.csv", "--protocol", "mine.yaml"]) == 0
    said = capsys.readouterr().out
    assert "Questions: Helpful.\nNot read, as no question: Mood." in said


def test_a_wide_file_of_answers_is_recognised(here, doctor):
    rows = [
        {"id": f"f{n}", "rater": who, "tone": 3, "clarity": 4}
        for n in range(3)
        for who in ("a", "b")
    ]
    pd.DataFrame(rows).to_csv("wide.csv", index=False)
    said, commands = doctor("wide.csv")
    assert "Answers, in the layout wide" in said
    assert "Questions: tone, clarity." in said
    run(*commands)
    assert Workspace(here).round("wide").status()["answers"] == 12


@pytest.mark.parametrize("layout", ["label-studio", "argilla"])
def test_a_tools_export_is_read_as_far_as_a_protocol_knows_its_questions(layout, here, doctor):
    items = [
        {"id": f"h{n}", "question": "q", "context": "c", "generated_answer": "a"} for n in range(6)
    ]
    round = Workspace(here).open("live", "halo-support", pd.DataFrame(items))
    round.add(pd.DataFrame(ANSWERS))
    round.export("tool.json", layout=layout)
    said, commands = doctor("tool.json")
    assert f"Answers, in the layout {layout}" in said
    assert "Raters: 6 (" in said
    assert "Items: 6, each with answers of 2." in said
    assert commands == ["raterbook import live tool.json"]
    run(*commands)


def test_records_nobody_annotated_say_that_there_is_nothing_in_them(doctor):
    text = '[{"id": 1, "data": {"id": "h1"}, "annotations": []}]'
    Path("ls.json").write_text(text, encoding="utf-8")
    said, commands = doctor("ls.json")
    assert "No protocol known here finds its questions and items in it." in said
    assert commands == []


def test_answers_are_known_by_the_questions_of_a_round_that_is_there(here, doctor):
    pd.DataFrame(ROWS).to_csv("outs.csv", index=False)
    run("raterbook protocols --new mine --from outs.csv --ask 'Is it right? = yes, no'")
    run("raterbook open live --protocol mine.yaml --items outs.csv")
    answers = [
        {"Nr": row["Nr"], "model": row["model"], "Rater": who, "Right": "Yes"}
        for row in ROWS
        for who in ("ana", "ben")
    ]
    pd.DataFrame(answers).to_excel("answers.xlsx", index=False)
    said, commands = doctor("answers.xlsx")
    assert "Items: 4, each with answers of 2." in said
    run(*commands)
    assert Workspace(here).round("live").status()["complete"]


def test_a_closed_round_is_not_offered(here, doctor):
    items = [
        {"id": f"h{n}", "question": "q", "context": "c", "generated_answer": "a"} for n in range(6)
    ]
    Workspace(here).open("live", "halo-support", pd.DataFrame(items)).close()
    pd.DataFrame(ANSWERS).to_csv("answers.csv", index=False)
    _, commands = doctor("answers.csv")
    assert commands[0].startswith("raterbook open answers ")


def test_looking_makes_no_workspace(here, doctor):
    pd.DataFrame(ROWS).to_csv("outs.csv", index=False)
    doctor("outs.csv")
    assert [path.name for path in here.iterdir()] == ["outs.csv"]


def test_the_commands_name_the_workspace_that_was_named(here, doctor):
    pd.DataFrame(ROWS).to_csv("outs.csv", index=False)
    _, (command,) = doctor("--workspace", "my study", "outs.csv")
    assert command.startswith("raterbook --workspace 'my study' open outs ")
    run(command)
    assert Workspace(here / "my study").rounds() == ["outs"]


def test_a_file_without_rows_has_nothing_to_go_on_with(doctor):
    Path("none.csv").write_text("id,text\n", encoding="utf-8")
    said, commands = doctor("none.csv")
    assert "0 rows, 2 columns" in said
    assert "No rows under the header" in said
    assert commands == []


def test_rows_that_no_protocol_could_take_are_said_before_one_is_made(doctor):
    Path("x.csv").write_text("nr,poem,role\n1,Rain,boss\n2,Snow,main\n", encoding="utf-8")
    said, commands = doctor("x.csv")
    assert "x.csv, row 2, column role: boss is no role" in said
    assert commands == []


def test_a_protocol_is_sent_to_where_protocols_are_checked(capsys):
    Path("mine.yaml").write_text("name: mine\n", encoding="utf-8")
    assert main(["doctor", "mine.yaml"]) == 2
    assert "`raterbook protocols mine.yaml` checks it" in capsys.readouterr().err


def test_a_protocol_made_from_answers_says_who_knows_the_next_command(here, capsys):
    rows = [{"item": "p1", "rater": "ana", "question": "Rhyme", "value": "3"}]
    pd.DataFrame(rows).to_csv("votes.csv", index=False)
    run("raterbook protocols --new mine --from votes.csv")
    said = capsys.readouterr().out
    assert "raterbook doctor votes.csv --protocol mine.yaml" in said
    run("raterbook doctor votes.csv --protocol mine.yaml")
    for command in capsys.readouterr().out.partition(GOING)[2].strip().splitlines():
        run(command.strip())
    assert Workspace(here).round("votes").status()["answers"] == 1


def test_a_file_that_cannot_be_read_is_refused_as_everywhere(capsys):
    assert main(["doctor", "no.csv"]) == 2
    assert capsys.readouterr().err == (
        "no.csv: there is no such file. Check the name and the folder.\n"
    )


def test_a_header_that_would_write_to_the_terminal_stands_in_no_command(doctor):
    rows = [{**row, "Pass\x1b[31mage": row["Passage"]} for row in ROWS]
    pd.DataFrame(rows).drop(columns="Passage").to_csv("bad.csv", index=False)
    said, _ = doctor("bad.csv")
    assert "\x1b" not in said
    assert "lacks context" in said


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
CELLS = st.sampled_from(["", "a", "b", "1", "2.5", "yes", "long " * 60, "line\nline", "=1+1", "é"])


@settings(max_examples=60, deadline=None)
@given(
    headers=st.lists(WORDS, min_size=1, max_size=5, unique_by=plain),
    cells=st.lists(st.lists(CELLS, min_size=5, max_size=5), min_size=1, max_size=6),
)
def test_a_protocol_made_from_any_columns_opens_a_round_of_them_or_says_why(headers, cells):
    frame = pd.DataFrame([row[: len(headers)] for row in cells], columns=headers)
    frame.insert(0, "nr", [str(number) for number in range(len(cells))])
    try:
        table = read_table(frame)
        draft = replace(draft_of(table), name="mine")
    except FileError as refused:
        assert str(refused).startswith("table")  # noqa: PT017
        return
    protocol = parse(draft.text())
    with TemporaryDirectory() as folder:
        round = Workspace(folder).open("r", protocol, table, raters=["ana"])
        assert len(round.queue("ana")) == len(table.rows)
        round.store.dispose()
