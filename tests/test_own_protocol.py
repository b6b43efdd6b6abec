"""From a file with columns of one's own to a finished page, by commands alone."""

import json
import random
import shlex
from pathlib import Path

import pandas as pd
import pytest

from raterbook import Workspace
from raterbook.cli import main

ENGINES = ("north", "south")
ASKED = """--ask 'Is the meaning kept? = yes, partly, no' --ask 'How well does it read? = 1-5'
--ask 'How sure are you? = percent' --ask 'What is wrong with it? = text'"""


def translations():
    return [
        {
            "Ticket": f"T{n:03}",
            "Source sentence": f"Satz {n}, der übersetzt wird.",
            "Machine translation": f"Sentence {n}, as {engine} has it.",
            "Engine": engine,
            "Language": "de" if n % 2 else "fr",
            "Length": str(20 + n),
        }
        for n in range(1, 16)
        for engine in ENGINES
    ]


def ratings():
    """As three people fill a sheet that has the questions for headers."""
    rng = random.Random(1)
    return [
        {
            "Ticket": row["Ticket"],
            "Engine": row["Engine"],
            "Rater": who,
            "Meaning kept": rng.choice(["Yes", "partly", "No"])
            if row["Engine"] == "north"
            else "Yes",
            "Well read": str(rng.randint(2, 5)),
        }
        for row in translations()
        for who in ("ana", "ben", "eve")
    ]


@pytest.fixture
def type_in(tmp_path, monkeypatch, capsys):
    """type_in(line) runs what stands in a line, and gives what it says."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("webbrowser.open", lambda address: True)

    def type_in(line):
        program, *words = shlex.split(line)
        assert program == "raterbook"
        assert main(words) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    return type_in


def going_on(said):
    """The commands that `doctor` ends in."""
    return [line.strip() for line in said.partition("Go on with:")[2].strip().splitlines()]


def test_a_newcomer_goes_from_an_excel_sheet_to_a_page(type_in, tmp_path):
    pd.DataFrame(translations()).to_excel("translations.xlsx", index=False)
    new, opening = going_on(type_in("raterbook doctor translations.xlsx"))
    type_in(f"{new} {ASKED}")
    mine = Path("translations.yaml")
    words = mine.read_text(encoding="utf-8")
    mine.write_text(words.replace("The answer is “partly”.", "A part is lost."), encoding="utf-8")
    assert "translations is sound (4 questions" in type_in("raterbook protocols translations.yaml")
    type_in("raterbook protocols translations.yaml --preview")
    assert "A part is lost." in Path("translations.preview.html").read_text(encoding="utf-8")

    type_in(f"{opening} --raters ana,ben,eve")
    pd.DataFrame(ratings()).to_csv("ratings.csv", index=False)
    (taking,) = going_on(type_in("raterbook doctor ratings.csv"))
    assert "180 answers added" in type_in(taking)
    type_in("raterbook judge translations --model scripted")
    type_in("raterbook guide translations guide.html")
    assert "complete" in type_in("raterbook status translations")
    type_in("raterbook check translations --require 'mean:well_read>=2'")

    type_in("raterbook report translations")
    page = (tmp_path / "reports" / "translations" / "index.html").read_text(encoding="utf-8")
    assert "south is ahead of north: “yes” answers to Meaning kept in" in page
    numbers = json.loads(
        (tmp_path / "reports" / "translations" / "numbers.json").read_text("utf-8")
    )
    found = {(row["statistic"], row["question"]) for row in numbers["numbers"]}
    assert {("difference", "well_read"), ("alpha_nominal", "meaning_kept")} <= found
    assert Workspace(tmp_path).round("translations").protocol.item.key == ("Ticket", "Engine")


def test_raters_see_what_they_are_to_judge_and_not_who_made_it(type_in, tmp_path):
    pd.DataFrame(translations()).to_csv("translations.csv", index=False)
    for command in going_on(type_in("raterbook doctor translations.csv")):
        type_in(command)
    round = Workspace(tmp_path).round("translations")
    round.add_rater("ana")
    (first, *_) = round.queue("ana")
    assert set(first.fields) == {"Source sentence", "Machine translation"}
    assert {item.groups["Language"] for item in round.items()} == {"de", "fr"}
