"""Empty cells and rows: missing, and said to be."""

import pytest

from raterbook.files import import_answers

from .rounds import protocol_round


def taken(tmp_path, protocol, text, **how):
    stored = protocol_round(tmp_path, protocol)
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    return str(import_answers(stored, tmp_path / "a.csv", **how)).splitlines()


def test_empty_cells_of_a_wide_file_are_counted_by_question(tmp_path):
    assert taken(
        tmp_path,
        "feedback-quality",
        (
            "id,model,rater,clarity,clarity_comment,tone,suggestions\n"
            "c1,m1,ana,2,,,\nc1,m2,ana,5,,4,\n\nc2,m1,ana,,,,\n"
        ),
    ) == [
        "3 answers added, 0 unchanged (ana)",
        "new rater: ana (person, 3 answers)",
        "a.csv: 1 empty row left out.",
        "a.csv: 1 row without any answer, left as missing.",
        "a.csv: 2 empty cells left as missing: clarity_comment 1, tone 1.",
        "a.csv: 3 more empty cells where an answer may be left out.",
    ]


LONG = "item,part,rater,question,value\n"
TOLD = {
    "a question that is not asked beside the others of its row is not missing": (
        "stem-sentences",
        "question_id,model,part,rater,accuracy,severity\n"
        "c1,m1,1,ana,accurate,\nc1,m1,2,ana,disputed,\n",
        "1 empty cell left as missing: severity 1.",
    ),
    "nor is one in a row of its own": (
        "stem-sentences",
        LONG + "c1/m1,1,ana,accuracy,accurate\nc1/m1,1,ana,severity,\n"
        "c1/m1,2,ana,severity,\nc1/m1,2,ana,accuracy,disputed\n",
        "1 empty cell left as missing: severity 1.",
    ),
    "one that rests on what another file answers may be asked, and is missing": (
        "rag-questeval",
        LONG + "c1/m1,1,ana,generated_answer,four\nc1/m1,1,ana,match,\n",
        "1 empty cell left as missing: match 1.",
    ),
    "empty values of a long file are counted by question": (
        "neureg-qa",
        LONG + "c1/m1,,ana,fluency,4\nc1/m1,,ana,accuracy,\nc1/m2,,ana,accuracy,\n",
        "2 empty cells left as missing: accuracy 2.",
    ),
    "an answer that may be left out is not missing in a long file either": (
        "neureg-qa",
        LONG + "c1/m1,,ana,fluency,4\nc1/m1,,ana,comment,\n",
        "1 empty cell where an answer may be left out.",
    ),
    "rows about cases leave the items' questions to rows of their own": (
        "rag-questeval",
        "id,model,part,rater,keep,reference_answer,generated_answer\n"
        "c1,,1,ana,keep,,\nc1,m1,1,ana,,,four\n",
        "1 empty cell left as missing: reference_answer 1.",
    ),
}


@pytest.mark.parametrize(("protocol", "text", "told"), TOLD.values(), ids=TOLD)
def test_what_stays_open_is_told_once(tmp_path, protocol, text, told):
    _added, _newcomers, *notes = taken(tmp_path, protocol, text)
    assert notes == [f"a.csv: {told}"]


def test_nothing_is_said_of_a_full_file(tmp_path):
    lines = taken(tmp_path, "neureg-qa", "item,rater,question,value\nc1/m1,ana,fluency,4\n")
    assert lines == ["1 answer added, 0 unchanged (ana)", "new rater: ana (person, 1 answer)"]
