"""The library's protocols, out and in again by every layout that takes them."""

import pandas as pd
import pytest

from raterbook.files import export_answers, import_answers
from raterbook.protocols import names

from .rounds import answer_all, protocol_round
from .test_roundtrip import SAID, said


@pytest.mark.parametrize("layout", ["long", "wide", "parquet"])
@pytest.mark.parametrize("name", names())
def test_a_protocol_of_the_library_comes_back(tmp_path, name, layout):
    first = protocol_round(tmp_path, name, "first")
    answer_all(first)
    file = tmp_path / ("out.parquet" if layout == "parquet" else "out.csv")
    export_answers(first, file, layout)
    second = protocol_round(tmp_path, name, "second")
    import_answers(second, file)
    assert import_answers(second, file).added == 0
    assert len(said(first, SAID))
    pd.testing.assert_frame_equal(said(first, SAID), said(second, SAID))


def test_neureg_writes_the_evaluators_header_of_its_document(tmp_path):
    stored = protocol_round(tmp_path, "neureg-qa", models=("",))
    answer_all(stored, ["Ev_1"])
    export_answers(stored, tmp_path / "out.csv", "wide")
    header = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header == (
        "QA_ID,Question_Type,Shot_Type,Question,Answer,Relevance (1–5),Accuracy  (1–5),"
        "Completeness  (1–5),Fluency  (1–5),KG Alignment  (1–5),Evaluator ID,Comments"
    )


def test_neureg_reads_the_evaluators_file_with_its_blank_rows(tmp_path):
    stored = protocol_round(tmp_path, "neureg-qa", models=("",))
    file = tmp_path / "Ev_1.csv"
    file.write_text(
        "QA_ID,Question_Type,Shot_Type,Question,Answer,Relevance (1–5),Accuracy  (1–5),"
        "Completeness  (1–5),Fluency  (1–5),KG Alignment  (1–5),Evaluator ID,Comments\n"
        "c1,Relational,Zero-Shot,q,a,5,4,3,2,1,Ev_1,good\n"
        "c2,Relational,Zero-Shot,q,a,5,,3,2,1,Ev_1,\n"
        + ",,,,,,,,,,Ev_1,\n" * 3
        + ",,,,,,,,,,,\n" * 40,
        encoding="utf-8",
    )
    summary = import_answers(stored, file)
    assert (summary.added, summary.raters) == (10, ("Ev_1",))
    assert summary.notes == (
        "Ev_1.csv: 40 empty rows left out.",
        "Ev_1.csv: 3 rows without an item and without answers left out.",
        "Ev_1.csv: 1 empty cell left as missing: accuracy 1.",
        "Ev_1.csv: 1 more empty cell where an answer may be left out.",
    )
    frame = stored.frame(texts=True)
    comments = frame.loc[frame["question"] == "comment", "value"]
    assert comments.tolist() == ["good"]


def test_stem_rows_carry_their_sentence_and_its_two_answers(tmp_path):
    stored = protocol_round(tmp_path, "stem-sentences")
    file = tmp_path / "ratings.csv"
    file.write_text(
        "question_id,model,part,rater,Q1,Q2\nc1,m1,1,ana,Accurate,\n"
        "c1,m1,2,ana,INACCURATE,Not Severe\n",
        encoding="utf-8",
    )
    assert import_answers(stored, file).added == 3
    assert sorted(stored.frame()["value"]) == ["accurate", "inaccurate", "not_severe"]


def test_a_case_is_answered_in_a_row_of_its_own(tmp_path):
    stored = protocol_round(tmp_path, "rag-questeval")
    file = tmp_path / "answers.csv"
    file.write_text(
        "item,part,rater,question,value\nc1,1,ana,reference_answer,42\n"
        "c1/m1,1,ana,generated_answer,unanswerable\nc1/m2,1,ana,keep,keep\n",
        encoding="utf-8",
    )
    assert import_answers(stored, file).added == 3
    frame = stored.frame()
    assert frame.loc[frame["question"] == "generated_answer", "value"].tolist() == [
        "<Unanswerable>"
    ]
    assert frame.loc[frame["question"] == "keep", "item"].isna().all()
