"""Empty cells and rows: missing, and said to be."""

from ratebook.rounds.exchange import import_answers

from .rounds import protocol_round


def taken(tmp_path, protocol, text, **how):
    stored = protocol_round(tmp_path, protocol)
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    return str(import_answers(stored, tmp_path / "a.csv", **how)).splitlines()


def test_empty_cells_of_a_wide_file_are_counted_by_question(tmp_path):
    assert taken(tmp_path, "feedback-quality", (
        "id,model,rater,clarity,clarity_comment,tone,suggestions\n"
        "c1,m1,ana,2,,,\nc1,m2,ana,5,,4,\n\nc2,m1,ana,,,,\n"
    )) == [
        "3 answers added, 0 unchanged (ana)",
        "new rater: ana (3 answers)",
        "a.csv: 1 empty row left out.",
        "a.csv: 1 row without any answer, left as missing.",
        "a.csv: 2 empty cells left as missing: clarity_comment 1, tone 1.",
        "a.csv: 3 more empty cells where an answer may be left out.",
    ]


def test_a_question_that_is_not_asked_is_not_missing(tmp_path):
    lines = taken(tmp_path, "stem-sentences", (
        "question_id,model,part,rater,accuracy,severity\n"
        "c1,m1,1,ana,accurate,\nc1,m1,2,ana,disputed,\n"
    ))
    assert lines[-1] == "a.csv: 1 empty cell left as missing: severity 1."


def test_empty_values_of_a_long_file_are_counted(tmp_path):
    lines = taken(tmp_path, "neureg-qa", (
        "item,rater,question,value\nc1/m1,ana,fluency,4\nc1/m1,ana,accuracy,\nc1/m2,ana,accuracy,\n"
    ))
    assert lines[-1] == "a.csv: 2 empty cells left as missing: accuracy 2."


def test_rows_about_cases_leave_the_items_questions_to_rows_of_their_own(tmp_path):
    lines = taken(tmp_path, "rag-questeval", (
        "id,model,part,rater,keep,reference_answer,generated_answer\n"
        "c1,,1,ana,keep,,\nc1,m1,1,ana,,,four\n"
    ))
    assert lines[-1] == "a.csv: 1 empty cell left as missing: reference_answer 1."


def test_nothing_is_said_of_a_full_file(tmp_path):
    lines = taken(tmp_path, "neureg-qa", "item,rater,question,value\nc1/m1,ana,fluency,4\n")
    assert lines == ["1 answer added, 0 unchanged (ana)", "new rater: ana (1 answer)"]
