"""The next round, planned from this one: sentences, widths, hours, and what is refused."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from analysis import alpha
from raterbook.cli import main
from raterbook.numbers.compute import ratings_of
from raterbook.numbers.planning import next_round
from tests.reporting.rounds import crowd, opened, records


@pytest.fixture
def stored(tmp_path):
    answers = [
        (who, f"i{at:03d}", "accuracy", 1 + (at + (at % shift == 0)) % 5)
        for who, shift in (("ana", 5), ("ben", 7), ("cai", 4))
        for at in range(48)
    ]
    return opened(tmp_path, "neureg-qa", records("neureg-qa", 48), answers)


def test_at_its_own_size_the_plan_is_the_rounds_own_interval(stored):
    frame = next_round(stored, items=[48], raters=[3]).frame().set_index("statistic")
    found = alpha(ratings_of(stored, "accuracy").drop(columns="cluster"), "ordinal",
                  scale=[1, 2, 3, 4, 5])  # fmt: skip
    assert frame.loc["alpha_ordinal", "width"] == pytest.approx(found.high - found.low)


def test_the_sentence_says_what_takes_it_to_the_width_wanted(stored):
    plan = next_round(stored, raters=[3], within=0.1)
    said = plan.sentences[0]
    pilot = plan.numbers[0].pilot
    assert said.startswith(f"alpha_ordinal of accuracy is {pilot.value:.2f} within about ±")
    assert "on 48 items by 3 raters each; within ±0.1 takes about " in said
    assert said.endswith(" items with 3 raters.")


def test_a_round_whose_raters_share_the_items_counts_raters_of_an_item(tmp_path):
    plan = next_round(crowd(tmp_path, raters=20, items=60))
    assert {each.pilot.n_raters for each in plan.numbers} == {3}
    assert plan.frame()["width_like"].isna().all()


def test_the_command_prints_sentences_and_widths(stored, capsys):
    words = ["--db", str(stored.store.path), "plan", "by-hand", "--items", "48,96"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert all(said in printed for said in written["sentences"])
    assert {row["items"] for row in written["widths"]} == {48, 96}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--items", "many"], "--items 'many': 'many' is no whole number."),
        (["--raters", "1"], "raters 1: give whole numbers from 2 to 1,000,000"),
        (["--within", "5"], "within 5.0: give a half-width between 0 and 1, such as .05"),
    ],
)
def test_what_cannot_be_planned_is_refused_with_the_remedy(stored, capsys, words, said):
    assert main(["--db", str(stored.store.path), "plan", "by-hand", *words]) == 2
    assert said in capsys.readouterr().err


def test_an_empty_round_is_no_pilot(tmp_path):
    with pytest.raises(ValueError, match="nobody has answered yet; a pilot of 30 items would do"):
        next_round(opened(tmp_path, "neureg-qa", records("neureg-qa", 3)))


def test_the_notebook_prints_the_sentences_and_draws_the_curves(stored, tmp_path):
    notebook = Path(__file__).parents[2] / "notebooks" / "plan.ipynb"
    done = subprocess.run(
        [sys.executable, "-m", "papermill", "--no-progress-bar", str(notebook), "out.ipynb",
         "-p", "round_name", "by-hand"],
        cwd=tmp_path, env=os.environ | {"RATERBOOK_DB": str(stored.store.path)},
        capture_output=True, check=False, timeout=300, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    cells = json.loads((tmp_path / "out.ipynb").read_text(encoding="utf-8"))["cells"]
    outputs = {cell["id"]: json.dumps(cell.get("outputs"), ensure_ascii=False) for cell in cells}
    assert next_round(stored).sentences[0] in outputs["plan"]
    assert "image/png" in outputs["curves"]
    assert not any("stderr" in output for output in outputs.values())
