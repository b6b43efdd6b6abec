"""Questions that depend on another answer, in files."""

import pytest

from raterbook.files import export_answers, import_answers
from raterbook.rounds import Event, FileError

from .rounds import protocol_round

WIDE = "question_id,model,part,rater,accuracy,severity\n"


@pytest.fixture
def stem(tmp_path):
    return protocol_round(tmp_path, "stem-sentences")


def put(folder, text):
    (folder / "a.csv").write_text(text, encoding="utf-8")
    return folder / "a.csv"


def said(stored):
    frame = stored.frame()
    return sorted(map(tuple, frame[["part", "question", "value"]].values.tolist()))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("c1,m1,1,ana,Accurate,severe", "ana gave accurate to accuracy"),
        ("c1,m1,1,ana,cannot_assess,not_severe", "ana gave cannot_assess to accuracy"),
        ("c1,m1,1,ana,,severe", "ana gave no answer to accuracy"),
    ],
)
def test_a_severity_where_none_is_asked_is_refused_by_row(stem, tmp_path, row, told):
    with pytest.raises(FileError) as caught:
        import_answers(stem, put(tmp_path, WIDE + "c1,m1,2,ana,inaccurate,severe\n" + row + "\n"))
    value = row.rsplit(",", 1)[1]
    assert str(caught.value) == (
        f"a.csv, row 3, column severity: {value} answers “severity”, which is asked only if "
        f"Accuracy is inaccurate, unsupported or disputed; {told}. Leave it empty, or correct "
        "accuracy."
    )
    assert stem.frame().empty


def test_what_was_answered_before_counts_as_well(stem, tmp_path):
    head = "item,part,rater,question,value\n"
    import_answers(
        stem, put(tmp_path, head + "c1/m1,1,ana,accuracy,disputed\nc1/m1,2,ana,accuracy,accurate\n")
    )
    assert import_answers(stem, put(tmp_path, head + "c1/m1,1,ana,severity,severe\n")).added == 1
    with pytest.raises(FileError, match=r"row 2, column value: severe answers “severity”"):
        import_answers(stem, put(tmp_path, head + "c1/m1,2,ana,severity,severe\n"))


def test_a_correction_that_closes_a_question_withdraws_its_answer(stem, tmp_path):
    import_answers(stem, put(tmp_path, WIDE + "c1,m1,1,ana,disputed,severe\n"))
    other = put(tmp_path, WIDE + "c1,m1,1,ana,accurate,\n")
    with pytest.raises(FileError, match=r"accurate differs from disputed, which ana gave"):
        import_answers(stem, other)
    summary = import_answers(stem, other, replace=True)
    assert str(summary) == (
        "0 answers added, 0 unchanged, 1 corrected, 1 withdrawn, as a "
        "correction closes their question (ana)"
    )
    assert said(stem) == [(1, "accuracy", "accurate")]
    assert import_answers(stem, other).added == 0


def test_an_answer_that_closes_an_earlier_one_needs_replace_too(tmp_path):
    stored = protocol_round(tmp_path, "rag-questeval")
    head = "item,part,rater,question,value\n"
    import_answers(stored, put(tmp_path, head + "c1/m1,1,ana,match,same\n"))
    later = put(
        tmp_path,
        head + "c1,1,ana,reference_answer,unanswerable\nc1/m1,1,ana,generated_answer,four\n",
    )
    with pytest.raises(
        FileError,
        match=r"ana answered same to “match” about c1/m1 before, which "
        r"would not be asked any more. Use --replace to withdraw",
    ):
        import_answers(stored, later)
    assert import_answers(stored, later, replace=True).withdrawn == 1


def test_another_status_than_answered_is_no_answer_to_it(stem, tmp_path):
    text = (
        "item,part,rater,question,value,status\nc1/m1,1,ana,accuracy,accurate,\n"
        "c1/m1,1,ana,severity,,skipped\n"
    )
    assert import_answers(stem, put(tmp_path, text)).added == 2


def test_a_judgement_of_two_answers_may_rest_on_what_others_answered(tmp_path):
    stored = protocol_round(tmp_path, "rag-questeval")
    text = "item,part,rater,question,value\nc1/m1,1,ana,match,same\n"
    assert import_answers(stored, put(tmp_path, text)).added == 1
    text = (
        "item,part,rater,question,value\nc1,1,ben,reference_answer,unanswerable\n"
        "c1/m1,1,ben,generated_answer,four\nc1/m1,1,ben,match,same\n"
    )
    with pytest.raises(FileError, match=r"row 4, column value: same answers “match”"):
        import_answers(stored, put(tmp_path, text))


def test_an_answer_stored_where_it_is_not_asked_goes_out_and_adds_nothing_when_it_comes_back(
    stem, tmp_path
):
    stem.add_rater("ana")
    stem.save(
        "ana",
        [
            Event(None, "c1/m1", "accuracy", "accurate", 1),
            Event(None, "c1/m1", "severity", "severe", 1),
        ],
    )
    export_answers(stem, tmp_path / "out.csv")
    assert import_answers(stem, tmp_path / "out.csv").added == 0
