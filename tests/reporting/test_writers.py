"""Who wrote a round's questions, by name."""

from raterbook.protocols import load
from raterbook.reporting.sections.recall import rater_names
from raterbook.rounds import ItemTable, PartRow, Store


def test_a_writer_whose_name_ends_in_brackets_keeps_it(tmp_path):
    protocol = load("rag-questeval")
    items = ItemTable.from_records(
        protocol, [{"id": "c", "ground_truth": "x", "generated": "y", "model": "m"}]
    )
    parts = [
        PartRow("c", number, f"Question {number}?", {"written_by": by})
        for number, by in enumerate(("gpt-5 (June) (write en 1)", "gpt-5 (write en 1)", "ana"), 1)
    ]
    stored = Store(tmp_path / "r.sqlite").open("r", protocol, items, parts=parts)
    assert list(rater_names(stored)) == ["gpt-5 (June)", "gpt-5", "ana"]
