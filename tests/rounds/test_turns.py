"""One item at a time is the same as all at once."""

from raterbook.protocols import load
from raterbook.rounds import ItemTable, PartRow, Store

ROWS = [
    {
        "id": case,
        "ground_truth": f"Reference {case}.",
        "generated": f"Text {n} on {case}.",
        "question": "",
        "model": f"hidden-{n}",
    }
    for case in ("c1", "c2", "c3")
    for n in (1, 2)
]
PARTS = [
    PartRow(case, n, f"Question {n} of {case}?", {"key_info": "hidden fact"})
    for case in ("c1", "c2", "c3")
    for n in (1, 2)
]


def test_turns_and_pages_are_the_queue_without_the_reading(place):
    protocol = load("rag-questeval")
    store = Store(place())
    round = store.open("r", protocol, ItemTable.from_records(protocol, ROWS), ["ana"], parts=PARTS)
    cases = {case.key: case.ref for case in round.cases()}
    queue = round.queue("ana")
    found = round.queued("ana")
    assert [turn.ref for turn in found] == [item.ref for item in queue]
    for turn, item in zip(found, queue, strict=True):
        read = round.page(turn)
        assert turn.case == cases[item.case]
        assert (read.fields, read.parts) == (dict(item.fields), item.parts)
        assert "hidden" not in str(read)
    store.dispose()


def test_retired_parts_are_left_out(place):
    protocol = load("rag-questeval")
    store = Store(place())
    round = store.open("r", protocol, ItemTable.from_records(protocol, ROWS), ["ana"], parts=PARTS)
    round.set_parts("c1", [PartRow("c1", None, "Another question?")], "a better one")
    for turn, item in zip(round.queued("ana"), round.queue("ana"), strict=True):
        assert round.page(turn).parts == item.parts
    store.dispose()
