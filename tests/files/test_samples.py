"""The samples have the sizes their page gives, and every answer in them can be taken."""

import csv
from pathlib import Path

import pytest

from raterbook.files import import_answers, read_items, read_parts
from raterbook.protocols import load
from raterbook.rounds import Store

SAMPLES = Path(__file__).parents[2] / "data" / "samples"


@pytest.mark.parametrize(
    ("protocol", "cases", "systems", "raters"),
    [
        ("neureg-qa", 36, 2, 5),
        ("feedback-quality", 36, 2, 4),
        ("rag-questeval", 36, 2, 2),
        ("halo-support", 100, 1, 3),
        ("stem-sentences", 12, 2, 3),
    ],
)
def test_a_sample_is_whole(tmp_path, protocol, cases, systems, raters):
    folder = SAMPLES / protocol
    asked = load(protocol)
    items = read_items(folder / "items.csv", asked)
    parts = folder / "parts.csv"
    pieces = read_parts(parts, asked, items) if parts.exists() else None
    with (folder / "ratings.csv").open(newline="", encoding="utf-8") as lines:
        said = list(csv.DictReader(lines))
    names = sorted({row["rater"] for row in said})
    stored = Store(tmp_path / "r.sqlite").open("r", asked, items, raters=names, parts=pieces)
    assert (len(stored.cases()), len(stored.items())) == (cases, cases * systems)
    assert len(names) == raters
    assert import_answers(stored, folder / "ratings.csv").unchanged == 0
    assert stored.status()["events"] >= len(said)
