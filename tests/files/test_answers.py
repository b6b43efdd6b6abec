"""Answers from files: once, whole, and never over each other by mistake."""

import pandas as pd
import pytest

from raterbook import Workspace
from raterbook.files import export_answers, import_answers
from raterbook.files.formats import restored, safe
from raterbook.protocols import names, parse
from raterbook.rounds import Event, FileError, answers
from raterbook.rounds.store import schema

from .rounds import answer_all, protocol_round


@pytest.fixture
def feedback(tmp_path):
    return protocol_round(tmp_path, "feedback-quality")


def put(folder, text, name="a.csv"):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_importing_twice_adds_nothing(feedback, tmp_path):
    file = put(tmp_path, "item,rater,question,value,comment\nc1/m1,ana,clarity,2,Vague.\n")
    assert import_answers(feedback, file).added == 2
    again = import_answers(feedback, file)
    assert (again.added, again.unchanged) == (0, 2)
    assert feedback.frame()["revision"].tolist() == [1]


def test_a_long_file_is_stored_whole_or_not_at_all(feedback, tmp_path, monkeypatch):
    """It goes to the database some thousand rows at a time, in one transaction."""
    rows = [f"c{case}/m{model},ana,clarity,3\n" for case in (1, 2) for model in (1, 2)]
    file = put(tmp_path, "item,rater,question,value\n" + "".join(rows))
    written, write = [], schema.write

    def broken(connection, table, some):
        if table is schema.answer_event:
            if written:
                raise OSError("the disk is gone")
            written.extend(some)
        write(connection, table, some)

    monkeypatch.setattr(answers, "AT_ONCE", 2)
    with monkeypatch.context() as at_fault:
        at_fault.setattr(schema, "write", broken)
        with pytest.raises(OSError, match="the disk is gone"):
            import_answers(feedback, file)
    assert (len(written), len(feedback.frame())) == (2, 0)
    assert import_answers(feedback, file).added == len(feedback.frame()) == len(rows)


def test_another_value_is_refused_and_with_replace_a_revision(feedback, tmp_path):
    head = "item,rater,question,value\n"
    import_answers(feedback, put(tmp_path, head + "c1/m1,ana,clarity,2\n"))
    other = put(tmp_path, head + "c1/m1,ana,clarity,5\nc1/m2,ana,clarity,1\n")
    with pytest.raises(FileError, match=r"5 differs from 2, which ana gave before. Use --replace"):
        import_answers(feedback, other)
    assert len(feedback.frame()) == 1
    summary = import_answers(feedback, other, replace=True)
    assert (summary.added, summary.replaced) == (2, 1)
    frame = feedback.frame()
    assert frame.loc[frame["revision"] == 2, "number"].tolist() == [5.0]


def test_a_comment_is_an_answer_to_the_questions_comment(feedback, tmp_path):
    import_answers(
        feedback, put(tmp_path, "item,rater,question,value,comment\nc1/m1,ana,tone,,Only a word.\n")
    )
    frame = feedback.frame(texts=True)
    assert frame[["question", "value"]].values.tolist() == [["tone_comment", "Only a word."]]


def test_an_answer_can_be_retracted_by_a_file(feedback, tmp_path):
    feedback.add_rater("ana")
    feedback.save("ana", [Event(None, "c1/m1", "tone", 4)])
    file = put(tmp_path, "item,rater,question,value,status\nc1/m1,ana,tone,,retracted\n")
    assert import_answers(feedback, file, replace=True).added == 1
    assert feedback.frame().empty
    assert import_answers(feedback, file).added == 0
    file = put(tmp_path, "item,rater,question,value\nc1/m1,ana,tone,4\n")
    assert import_answers(feedback, file).added == 1
    assert feedback.frame()["revision"].tolist() == [3]


def test_the_rater_can_be_named_beside_the_file(feedback, tmp_path):
    file = put(tmp_path, "id,model,clarity,Overall Rating\nc1,m1,4,3.5\n")
    with pytest.raises(FileError, match=r"no column says who answered"):
        import_answers(feedback, file)
    summary = import_answers(feedback, file, rater="Llama-3.3-70B", kind="model")
    assert summary.raters == ("Llama-3.3-70B",)
    assert set(feedback.frame()["rater_kind"]) == {"model"}
    named = put(tmp_path, "item,rater,question,value\nc1/m1,ana,tone,4\n")
    with pytest.raises(FileError, match=r"names its raters itself .ana.. Leave --rater ben out"):
        import_answers(feedback, named, rater="ben")


def test_a_closed_round_takes_nothing(feedback, tmp_path):
    feedback.close()
    file = put(tmp_path, "item,rater,question,value\nc1/m1,ana,tone,4\n")
    with pytest.raises(FileError, match=r"a.csv: r was closed on .*`raterbook reopen r`"):
        import_answers(feedback, file)
    assert feedback.raters() == []


def test_a_question_misspelt_in_a_header_is_not_ignored(feedback, tmp_path):
    file = put(tmp_path, "id,model,rater,clarity,actionabilty\nc1,m1,ana,4,3\n")
    with pytest.raises(
        FileError,
        match=r"column actionabilty: no such column. "
        "Did you mean actionability?",
    ):
        import_answers(feedback, file)


HEADED = """\
name: replies
title: Replies
about: Rate them.
instructions: [Read.]
item: {key: [id], case: id, fields: {id: {label: Id, show: none}, text: {label: Text}}}
questions:
  - {id: tone, prompt: Is the tone right?, type: scale, min: 1, max: 5}
  - {id: why, prompt: Tone, type: text, required: false}
  - {id: first, prompt: "And now?", type: text, required: false}
  - {id: second, prompt: "And now?", type: text, required: false}
"""


def headed(folder):
    items = pd.DataFrame({"id": ["a", "b"], "text": ["A text.", "Another."]})
    return Workspace(folder).open("r", parse(HEADED), items)


def test_a_column_headed_by_the_whole_question_is_its_answers(tmp_path):
    round = headed(tmp_path)
    file = put(tmp_path, "id,rater,is the tone right?\na,ana,4\nb,ana,5\n")
    assert import_answers(round, file).added == 2
    long = put(tmp_path, "item,rater,question,value\na,ben,Is the tone right?,3\n", "long.csv")
    assert import_answers(round, long).added == 1
    assert set(round.frame()["question"]) == {"tone"}


def test_a_prompt_that_could_mean_two_questions_names_none(tmp_path):
    """Of one the name, or asked by two."""
    round = headed(tmp_path)
    file = put(tmp_path, "id,rater,Tone,And now?\na,ana,4,x\n")
    assert import_answers(round, file).notes == ("a.csv: not read, as no question: And now?.",)
    assert round.frame()["question"].tolist() == ["tone"]


def test_columns_of_one_rater_each_are_told_what_rows_are_needed(tmp_path):
    file = put(tmp_path, "id,ana tone,ben tone\na,4,5\n")
    with pytest.raises(FileError, match="ana tone, ben tone name a rater beside a question: write"):
        import_answers(headed(tmp_path), file)
    control = put(tmp_path, "id,ana,ben\na,4,5\n")
    with pytest.raises(FileError, match=r"no column of answers\. It needs item"):
        import_answers(Workspace(tmp_path).round("r"), control)


def test_a_column_that_is_no_question_is_named_in_the_summary(feedback, tmp_path):
    file = put(tmp_path, "id,model,rater,clarity,Total\nc1,m1,ana,4,4\n")
    assert import_answers(feedback, file).notes == ("a.csv: not read, as no question: Total.",)


def test_a_parquet_file_keeps_types_hash_and_schema(feedback, tmp_path):
    import pyarrow.parquet as pq

    answer_all(feedback)
    export_answers(feedback, tmp_path / "a.parquet", "parquet")
    schema = pq.read_schema(tmp_path / "a.parquet")
    told = {
        key.decode(): value.decode()
        for key, value in schema.metadata.items()
        if key.startswith(b"ratebook:")
    }
    assert told == {
        "ratebook:layout": "long",
        "ratebook:round": "r",
        "ratebook:protocol": "feedback-quality",
        "ratebook:protocol_hash": feedback.protocol_hash,
        "ratebook:data_hash": feedback.data_hash(),
    }
    assert str(schema.field("number").type) == "double"
    assert str(schema.field("part").type) == "int32"
    assert str(schema.field("answered_at").type) == "timestamp[us, tz=UTC]"
    frame = pd.read_parquet(tmp_path / "a.parquet")
    assert frame["number"].notna().sum() == (feedback.frame()["number"].notna()).sum()


def test_a_parquet_file_of_another_protocol_is_refused(feedback, tmp_path):
    answer_all(feedback)
    export_answers(feedback, tmp_path / "a.parquet", "parquet")
    other = protocol_round(tmp_path, "halo-support", "halo")
    with pytest.raises(FileError, match=r"holds answers to feedback-quality, and halo asks halo"):
        import_answers(other, tmp_path / "a.parquet")


def test_an_export_to_a_folder_that_is_not_there_leaves_nothing(feedback, tmp_path):
    with pytest.raises(FileError, match=r"out.csv cannot be written: there is no folder .*nowhere"):
        export_answers(feedback, tmp_path / "nowhere" / "out.csv")
    with pytest.raises(FileError, match=r"broad is no layout. Use one of long, wide, source, parq"):
        export_answers(feedback, tmp_path / "out.csv", "broad")
    assert not list(tmp_path.glob("*out.csv*"))


def test_an_export_to_a_dash_is_standard_output(feedback, capfdbinary):
    answer_all(feedback, ["ana"])
    summary = export_answers(feedback, "-")
    out = capfdbinary.readouterr().out
    assert out.startswith(b"item,part,rater,question,value")
    assert out.count(b"ana") == summary.answers


@pytest.mark.parametrize(
    ("cell", "out"),
    [
        ("=1", "'=1"),
        ("+x", "'+x"),
        ("-x", "'-x"),
        ("@x", "'@x"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("'=1", "''=1"),
        ("＝1", "'＝1"),
        ("-1.5", "-1.5"),
        ("+3", "+3"),
        ("'tis", "'tis"),
        ("", ""),
        ("-", "'-"),
        ("-1+2", "'-1+2"),
        ("x=1", "x=1"),
    ],
)
def test_a_cell_like_a_formula_is_made_safe_and_comes_back(cell, out):
    assert safe(cell) == out
    assert restored(out) == cell


def test_a_person_who_began_in_a_file_goes_on_in_the_form(feedback, tmp_path):
    import_answers(feedback, put(tmp_path, "item,rater,question,value\nc1/m1,ana,tone,4\n"))
    keys = sorted(item.key for item in feedback.queue("ana"))
    assert keys == ["c1/m1", "c1/m2", "c2/m1", "c2/m2"]
    assert [answer.value for answer in feedback.current("ana").values()] == [4]


def test_the_frame_itself_can_be_taken_in(tmp_path):
    first = protocol_round(tmp_path, "rag-questeval", "first")
    answer_all(first)
    second = protocol_round(tmp_path, "rag-questeval", "second")
    first.frame(texts=True).to_csv(tmp_path / "frame.csv", index=False)
    assert import_answers(second, tmp_path / "frame.csv").added == len(first.frame(texts=True))
    assert import_answers(second, first.frame(texts=True)).added == 0


@pytest.mark.parametrize(
    ("column", "cell", "told"),
    [
        (
            "value",
            "4,5",
            "'4,5' is not a number, and “overall” takes 1–5. Decimals have a point: write 4.5.",
        ),
        (
            "value",
            "1,234",
            "'1,234' is not a number, and “overall” takes 1–5. Use a number from 1 to 5.",
        ),
        (
            "value",
            "8,5",
            "'8,5' is not a number, and “overall” takes 1–5. Use a number from 1 to 5.",
        ),
        ("confidence", "85,5", "85,5 is no confidence. Decimals have a point: write 85.5."),
        ("confidence", "185,5", "185,5 is no confidence. Use a number from 0 to 100."),
        ("seconds", "3,5", "3,5 is no number of seconds. Decimals have a point: write 3.5."),
    ],
)
def test_a_decimal_comma_is_told_to_be_a_point_where_that_makes_it_right(
    tmp_path, column, cell, told
):
    stored = protocol_round(tmp_path, "feedback-quality")
    cells = {"value": "4", "confidence": "", "seconds": "", column: f'"{cell}"'}
    file = put(
        tmp_path,
        "item,rater,question,value,confidence,seconds\nc1/m1,ana,overall,"
        + ",".join(cells.values())
        + "\n",
    )
    with pytest.raises(FileError) as caught:
        import_answers(stored, file)
    assert str(caught.value) == f"a.csv, row 2, column {column}: {told}"


def test_a_decimal_comma_in_a_column_of_whole_scores_is_told_which_there_are(tmp_path):
    stored = protocol_round(tmp_path, "feedback-quality")
    file = put(tmp_path, "id;model;rater;clarity;tone\nc1;m1;ana;4,5;4,0\n")
    with pytest.raises(FileError) as caught:
        import_answers(stored, file)
    assert str(caught.value).splitlines() == [
        "a.csv, row 2, column clarity: '4,5' is not a number, and “clarity” takes 1, 2, 3, 4, 5. "
        "Use one of 1, 2, 3, 4, 5.",
        "a.csv, row 2, column tone: '4,0' is not a number, and “tone” takes 1, 2, 3, 4, 5. "
        "Decimals have a point: write 4.0.",
    ]


def test_key_columns_name_the_item_of_a_long_file(tmp_path):
    stored = protocol_round(tmp_path, "stem-sentences")
    file = put(
        tmp_path, "question_id,model,part,rater,question,value\nc1,m2,1,ana,accuracy,accurate\n"
    )
    assert import_answers(stored, file).added == 1
    assert stored.frame()["item"].tolist() == ["c1/m2"]


@pytest.mark.parametrize("name", names())
def test_every_question_that_takes_a_text_has_a_column_in_the_wide_layout(tmp_path, name):
    stored = protocol_round(tmp_path, name)
    spec = stored.protocol.item
    texts = [question for question in stored.protocol.questions if question.type == "text"]
    columns = [*spec.key, "part", "rater", *(question.id for question in texts)]
    rows = [",".join(columns)]
    for part in ("", "1"):
        told = ["Why." if (question.per == "part") == bool(part) else "" for question in texts]
        if any(told):
            rows.append(",".join(["c1", "m1", part, "ana", *told]))
    if not texts:
        assert name == "rag-questeval"
        return
    assert import_answers(stored, put(tmp_path, "\n".join(rows) + "\n")).added == len(texts)


@pytest.mark.parametrize(
    ("name", "question", "way"),
    [
        (
            "neureg-qa",
            "relevance",
            "“relevance” takes no comment of its own. Write it in the column "
            "value of a row of its own, with comment as its question.",
        ),
        (
            "stem-sentences",
            "severity",
            "“severity” takes no comment of its own. Comment on accuracy.",
        ),
        ("rag-questeval", "match", "rag-questeval takes no comments. Leave the column out."),
    ],
)
def test_a_comment_that_has_no_place_is_told_where_to_go(tmp_path, name, question, way):
    stored = protocol_round(tmp_path, name)
    part = "" if name == "neureg-qa" else "1"
    head = "item,part,rater,question,value,comment\n"
    file = put(tmp_path, head + f"c1/m1,{part},ana,{question},,Why\n")
    with pytest.raises(FileError) as caught:
        import_answers(stored, file)
    assert str(caught.value) == f"a.csv, row 2, column comment: {way}"
