"""Flags, their reasons and marked evidence leave the form: in a frame, a file and on the page."""

import json
import re

from raterbook.cli import main
from raterbook.files import export_answers
from raterbook.rating import Form
from raterbook.rounds import Event
from raterbook.workspace import Workspace
from tests.reporting.rounds import page_of

QUOTE = {"field": "context", "start": 0, "end": 7, "quote": "Tower 1"}
TWICE = {"field": "context", "start": 11, "end": 15, "quote": "10 m"}


def marked(halo):
    """Ana flags s1 and marks two stretches, one of them taken back; she cannot judge s2."""
    Form(halo, "ana")
    s1, s2 = [item.ref for item in sorted(halo.items(), key=lambda item: item.key)][:2]
    for count, (kind, reason) in enumerate(
        [
            ("flag", "Cut off."),
            ("note", json.dumps({"evidence": QUOTE})),
            ("note", json.dumps({"evidence": TWICE})),
            ("note", json.dumps({"evidence": TWICE, "taken_back": True})),
            ("note", "not evidence"),
        ]
    ):
        assert halo.mark("ana", s1, kind, f"m{count}", reason=reason).ok
    assert halo.mark("ana", s2, "flag", "m8").ok
    assert halo.mark("ana", s2, "unflag", "m9").ok
    answers = [
        Event("a1", s1, "label", "SUPPORTED"),
        Event("a2", s2, "label", None, status="skipped", reason="It is in Welsh."),
    ]
    assert all(ack.ok for ack in halo.save("ana", answers))


def test_what_raters_marked_is_a_frame(halo):
    marked(halo)
    frame = Workspace(db=str(halo.store.path)).round(halo.name).flags()
    told = frame[["rater", "mark", "reason", "field", "quote"]].fillna("")
    assert told.values.tolist() == [
        ["ana", "flag", "Cut off.", "", ""],
        ["ana", "evidence", "", "context", "Tower 1"],
    ]
    assert frame["item"].str.startswith("s1").all()


def test_what_raters_marked_is_a_file_without_their_names_where_that_is_asked(halo, tmp_path):
    marked(halo)
    said = export_answers(halo, tmp_path / "marks.csv", "marks", pseudonyms=True)
    assert str(said) == "marks.csv: 2 marks, layout marks"
    head, flag, evidence = (tmp_path / "marks.csv").read_text().splitlines()
    assert head == "item,rater,mark,reason,field,start,end,quote"
    assert re.fullmatch(r"s1[^,]*,R-[^,]+,flag,Cut off\.,,,,", flag)
    assert re.fullmatch(r"s1[^,]*,R-[^,]+,evidence,,context,0,7,Tower 1", evidence)


def test_the_page_lists_what_was_flagged_and_left_open_with_the_reasons(halo):
    marked(halo)
    page = page_of(halo)
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "Raters flagged 1 item" in text
    assert "Cut off." in text
    assert "Raters left 1 answer open" in text
    assert "Flags and evidence are in an export with --layout marks." in text
    assert "It is in Welsh." in text
    assert "1 stretch of text as evidence" in text


def test_a_page_without_marks_says_nothing_of_them(halo):
    halo.save("ana", [Event("a1", halo.items()[0].ref, "label", "SUPPORTED")])
    page = page_of(halo)
    assert "flagged" not in page
    assert "left open" not in page


def test_an_answer_after_the_expected_one_was_seen_is_on_the_page_in_the_file_and_in_status(
    halo, tmp_path, capsys
):
    ref = next(item.ref for item in halo.items() if item.key.startswith("s1"))
    halo.save("ana", [Event("a1", ref, "label", "CONTRADICTED", lamport=1)])
    for count, mark in enumerate(("submit", "reveal", "unsubmit"), start=2):
        assert halo.mark("ana", ref, mark, f"m{count}", lamport=count).ok
    halo.save("ana", [Event("a5", ref, "label", "SUPPORTED", lamport=5)])
    text = " ".join(re.sub(r"<[^>]+>", " ", page_of(halo)).split())
    assert "Answers given or changed after the rater had seen what is shown afterwards" in text
    assert "ana, s1/hidden-model-1: Label" in text
    export_answers(halo, tmp_path / "marks.csv", "marks")
    assert ",after_reveal,label," in (tmp_path / "marks.csv").read_text()
    assert main(["--db", str(halo.store.path), "status"]) == 0
    said = capsys.readouterr().out
    assert "answered after a reveal by ana, s1/hidden-model-1: label" in said
