"""What the commands of this room print: plain words, and what to do."""

from collections import Counter
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from raterbook.cli import main
from raterbook.protocols import library_path
from raterbook.workspace import Workspace

ITEMS = "id,question,context,generated_answer,auto_label\nh1,q,c,a,SUPPORTED\nh2,q,c,a,\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A round h1 in a folder of its own; one command line gives exit status and what was said."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.csv").write_text(ITEMS, encoding="utf-8")

    def one(*words):
        status = main([*words])
        said = capsys.readouterr()
        return status, (said.err if status else said.out).strip()

    assert one(
        "open", "h1", "--protocol", "halo-support", "--items", "items.csv", "--raters", "ana,ben"
    ) == (0, "h1: 2 items of halo-support.")
    return one


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "a.csv is empty. It needs a first row with the names of the columns."),
        (
            "item,rater,question,valeu\nh1,ana,label,SUPPORTED\n",
            "a.csv, row 1: no column of answers. Column valeu: did you mean value? It needs "
            "item, rater, "
            "question and value, or a column for one of label, notes.",
        ),
        (
            "item,rater,question,value,coment\nh1,ana,label,SUPPORTED,\n",
            "a.csv, row 1, column coment: no such column. Did you mean comment?",
        ),
        (
            "item,rater,question,value,comment\nh1,ana,label,SUPPORTED,hm\n",
            "a.csv, row 2, column comment: “label” takes no comment of its own. Write it in "
            "the column "
            "value of a row of its own, with notes as its question.",
        ),
        (
            "item,rater,question,value\nh1,Ana,label,SUPPORTED\n",
            "a.csv, row 2: Ana would be a new rater, and there is ana. Write ana if they "
            "are one, or add "
            "--new-raters if they are two.",
        ),
    ],
)
def test_a_file_that_cannot_be_taken(run, tmp_path, text, told):
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    assert run("import", "h1", "a.csv") == (2, told)


@pytest.mark.parametrize(
    "text",
    [
        "h1,ana,label,SUPPORTED\nh2,ana,label,SUPPORTED\n",
        "h1,q,c,SUPPORTED,ana,label\n",
    ],
)
def test_answers_without_a_first_row_of_names_are_told_what_it_needs(run, tmp_path, text):
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    first = text.split("\n")[0].replace(",", ", ")
    assert run("import", "h1", "a.csv") == (
        2,
        f"a.csv, row 1: no column id. The file has {first}. Name it in row 1; if it is no row "
        "of names, write one above it with item, rater, question, value.",
    )


def test_a_first_row_that_names_nothing_is_no_row_of_names(run, tmp_path):
    (tmp_path / "a.csv").write_text("h1,ana,SUPPORTED\n", encoding="utf-8")
    assert run("import", "h1", "a.csv") == (
        2,
        "a.csv, row 1: no column of answers. It needs item, rater, question and value, or a "
        "column for one of label, notes. If row 1 is no row of names, write one above it.",
    )


def test_items_without_a_first_row_of_names_are_told_what_it_needs(run, tmp_path):
    (tmp_path / "bare.csv").write_text("h1,q,c,a\n", encoding="utf-8")
    words = ("open", "h2", "--protocol", "halo-support", "--items", "bare.csv")
    assert run(*words) == (
        2,
        "bare.csv, row 1: no columns id, question, context, generated_answer. The file has h1, "
        "q, c, a. Name them in row 1, or say which they are (--map id=HEADER); if it is no row of "
        "names, write one above it with id, question, context, generated_answer.",
    )


def test_a_folder_and_a_file_that_is_not_there_are_named(run):
    assert run("import", "h1", ".") == (2, ". is a folder. Name one file in it.")
    assert run("export", "h1", ".") == (2, ". is a folder. Name a file in it.")
    assert run("guide", "h1", ".")[1].startswith(".: a guide is a page or Markdown")
    assert run("codebook", "h1", ".")[1].startswith(".: a codebook is Markdown")
    assert run("import", "h1", "no.csv") == (
        2,
        "no.csv: there is no such file. Check the name and the folder.",
    )


@pytest.mark.parametrize(
    "words",
    [
        ("exclude", "h1", "eve", "--why", "left"),
        ("include", "h1", "eve"),
        ("reassign", "h1", "ana", "eve"),
    ],
)
def test_somebody_unknown_is_met_with_a_command_and_not_with_a_function(run, words):
    assert run(*words) == (
        2,
        "'eve' is no rater of h1: its raters are ana, ben, auto. Correct the "
        "name; `raterbook import h1 FILE` brings in raters that its file "
        "names.",
    )


def test_new_raters_can_be_allowed_on_the_command_line(run, tmp_path):
    (tmp_path / "a.csv").write_text("item,rater,question,value\nh1,Ana,label,SUPPORTED\n", "utf-8")
    assert run("import", "h1", "a.csv", "--new-raters") == (
        0,
        "1 answer added, 0 unchanged (Ana)\n"
        "new rater: Ana (person, 1 answer, not to be taken for ana)",
    )


def test_erasing_says_what_it_does_not_reach(run):
    status, said = run("erase", "ana")
    first, second = said.splitlines()
    assert status == 0
    assert first.startswith("ana is forgotten here; the answers stay under R-")
    assert second == (
        "This reaches only this database. Backups, exported files and pages made before still "
        "hold the name ana: delete them, or make them again."
    )


def test_the_status_of_a_round_without_answers_has_no_last_one(run):
    Path("bare.csv").write_text("id,question,context,generated_answer\nh1,q,c,a\n", "utf-8")
    run("open", "h2", "--protocol", "halo-support", "--items", "bare.csv", "--raters", "ana")
    assert run("status", "h2")[1].splitlines()[1:3] == [
        "  1 item in 1 case; 0 answers",
        "  1 required answer missing; 1 assigned item not finished",
    ]
    assert "; 1 answer, the last at 20" in run("status", "h1")[1]


def test_a_closed_round_says_since_when(run, tmp_path):
    (tmp_path / "a.csv").write_text("item,rater,question,value\nh1,ana,label,SUPPORTED\n", "utf-8")
    assert run("close", "h1") == (0, "h1 is closed.")
    status, said = run("import", "h1", "a.csv")
    assert status == 2
    assert "a.csv: h1 was closed on 20" in said
    assert " UTC: `raterbook reopen h1` lets answers in again." in said


STEM = "question_id,question,article_id,article,model,response,role\n" + "".join(
    f"q{n},Why?,a{n % 3},An article.,{model},One claim. Another claim.,{role}\n"
    for n, role in enumerate(["main"] * 8 + ["gold"] * 2 + ["training"] * 2)
    for model in "xy"
)


def test_a_round_opens_with_a_sample_parts_roles_and_so_many_raters_an_item(run):
    Path("stem.csv").write_text(STEM, encoding="utf-8")
    Path("parts.csv").write_text("item,part,text\nq0/x,1,All of it.\n", encoding="utf-8")
    status, said = run(
        "open",
        "s1",
        "--protocol",
        "stem-sentences",
        "--items",
        "stem.csv",
        "--raters",
        "a1,b1,c1",
        "--per-item",
        "2",
        "--sample",
        "12",
        "--by",
        "model",
        "--cluster",
        "question_id",
        "--gold",
        "0.5",
        "--training",
        "1",
        "--seed",
        "4",
    )
    assert (status, said) == (0, "s1: 20 items of stem-sentences.")
    stored = Workspace().round("s1")
    roles = Counter(item.role for item in stored.items())
    assert roles == {"main": 12, "gold": 4, "training": 4}
    assert {item.cluster for item in stored.items()} >= {"q8", "q9"}
    for rater in ("a1", "b1", "c1"):
        queue = [item.role for item in stored.queue(rater)]
        assert queue[0] == "training"
        assert Counter(queue)["training"] == 1
        assert Counter(queue)["main"] == 8
    assert (stored.seed, stored.per_item) == (4, 2)
    assert '"by": ["model"]' in stored.options
    assert (
        run(
            "open",
            "s2",
            "--protocol",
            "stem-sentences",
            "--items",
            "stem.csv",
            "--parts",
            "parts.csv",
        )[0]
        == 0
    )
    bare = ("open", "s3", "--protocol", "stem-sentences", "--items", "stem.csv", "--bare")
    assert run(*bare)[0] == 0
    assert [len(item.parts) for item in Workspace().round("s2").items()[:2]] == [1, 0]
    assert all(not item.parts for item in Workspace().round("s3").items())


def test_every_layout_is_written_and_people_can_go_by_pseudonyms(run, tmp_path):
    Path("a.csv").write_text("item,rater,question,value\nh1,ana,label,SUPPORTED\n", "utf-8")
    run("import", "h1", "a.csv")
    for layout, file in [
        ("long", "o.csv"),
        ("wide", "w.csv"),
        ("source", "s.csv"),
        ("parquet", "o.parquet"),
        ("label-studio", "ls.json"),
        ("argilla", "ar.json"),
    ]:
        status, said = run("export", "h1", file, "--layout", layout, "--pseudonyms")
        assert status == 0, said
        assert b"ana" not in Path(file).read_bytes(), layout
    assert "answers of auto" in run("export", "h1", "ls.json", "--layout", "label-studio")[1]


def test_guide_codebook_parts_and_backup_say_where_they_wrote(run):
    Path("stem.csv").write_text(STEM, encoding="utf-8")
    run("open", "s1", "--protocol", "stem-sentences", "--items", "stem.csv", "--raters", "a1,b1")
    assert run("guide", "s1", "guide.html") == (0, "guide.html")
    assert run("codebook", "s1", "book.md") == (0, "book.md")
    assert run("parts", "s1", "parts.csv") == (0, "parts.csv: 48 parts.")
    assert run("parts", "s1", "parts.csv", "--take")[0] == 0
    assert run("backup", "copy.sqlite") == (0, "Copied to copy.sqlite.")
    assert run("reassign", "s1", "a1", "b1", "--why", "ill") == (
        0,
        "s1: 0 items moved from a1 to b1.\n24 items (q10/x, q10/y, q11/y, q11/x, q7/y and 19 "
        "more) b1 had already: nobody is asked about them in place of a1 now.",
    )
    assert run("exclude", "s1", "a1", "--why", "ill") == (0, "s1: a1 no longer counts: ill")
    assert run("include", "s1", "a1") == (0, "s1: a1 counts again.")
    assert run("protocols")[1].startswith("ai-detection")
    assert run("protocols", "halo-support")[1].startswith("halo-support: Is the answer supported")
    Path("mine.yaml").write_text(library_path("halo-support").read_text("utf-8"), "utf-8")
    assert run("protocols", "mine.yaml")[1].startswith("mine.yaml: halo-support is sound (2 quest")


def test_an_import_from_standard_input(run, monkeypatch):
    text = b"item,rater,question,value\nh1,ana,label,SUPPORTED\n"
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text)))
    assert run("import", "h1", "-")[1].startswith("1 answer added")


def test_the_bare_command_says_what_there_is_and_how_to_begin(run):
    status, said = run()
    assert status == 2
    assert "commands:" in said
    assert "Begin with `raterbook demo`" in said


def test_a_rehearsal_says_that_nothing_was_stored(run, tmp_path):
    (tmp_path / "a.csv").write_text("item,rater,question,value\nh1,ana,label,SUPPORTED\n")
    said = run("import", "h1", "a.csv", "--dry-run")[1]
    assert said.endswith("Nothing was stored: the same without --dry-run does it.")
    assert Workspace(tmp_path).round("h1").status()["answers"] == 1  # the label of the items


def test_looking_at_what_is_not_there_makes_nothing(run, tmp_path):
    assert run("--db", "other/x.sqlite", "status")[0] == 0
    assert run("--db", "other/x.sqlite", "status", "h1") == (
        2,
        "There is no round 'h1', and no database other/x.sqlite yet: open a round first, or name "
        "the workspace it is in (--workspace DIR before the command, RATERBOOK_WORKSPACE for "
        "notebooks).",
    )
    for words in (("verify",), ("backup", "copy.sqlite"), ("erase", "ana")):
        code, said = run("--workspace", "other", *words)
        assert (code, said[:26]) == (2, "There is no database other")
    assert run("--workspace", "other", "status") == (
        0,
        "other has no rounds yet: open one with `raterbook open`.",
    )
    assert Workspace(".").nothing.startswith("This folder has no rounds yet: open one")
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("command", ["new", "demo"])
def test_a_file_in_place_of_a_folder_is_told_before_any_work(run, tmp_path, command):
    told = "items.csv is a file: name a folder, a new one or one of yours."
    assert run(command, "items.csv") == (2, told)
    assert run("--workspace", "items.csv", "status") == (
        2,
        "items.csv is a file: name the folder of a workspace.",
    )


def test_a_round_without_people_is_told_how_to_bring_them_in(run):
    run("open", "h2", "--protocol", "halo-support", "--items", "items.csv")
    assert "(raterbook assign h2 --raters A,B)" in run("status", "h2")[1]
    assert run("assign", "h2", "--raters", "cem,dan")[0] == 0


def test_the_samples_of_a_checkout_are_shown_from_inside_it_alone(tmp_path, monkeypatch):
    from raterbook import workspace

    checkout, elsewhere = tmp_path / "checkout", tmp_path / "elsewhere"
    samples = checkout / "raterbook" / "shipped" / "samples" / "workspace"
    for folder in (samples / "data", checkout / "notebooks", elsewhere):
        folder.mkdir(parents=True)
    (samples / "data" / "raterbook.sqlite").touch()
    monkeypatch.setattr(workspace, "SHIPPED", checkout / "raterbook" / "shipped")
    monkeypatch.delenv("RATERBOOK_WORKSPACE", raising=False)
    monkeypatch.chdir(checkout / "notebooks")
    assert workspace.find_workspace() == samples
    monkeypatch.chdir(elsewhere)
    assert workspace.find_workspace() == elsewhere
