"""The rule-based baseline on the sample's references, English and Chinese."""

import csv

import pytest

from raterbook.analysis.text import token_f1
from raterbook.judges.questions import questions, rules, writers
from raterbook.judges.questions.rules.chinese import chinese_spans
from raterbook.judges.questions.rules.english import english_spans
from raterbook.judges.questions.wording import language_of

UNANSWERABLE = "<Unanswerable>"


@pytest.fixture(scope="module")
def written():
    from pathlib import Path

    path = Path(__file__).parents[3] / "data" / "samples" / "rag-questeval" / "items.csv"
    with path.open(newline="", encoding="utf-8") as lines:
        references = {row["id"]: row["ground_truth"] for row in csv.DictReader(lines)}
    return {id: (text, rules.write(text)) for id, text in references.items()}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_passage_has_at_least_three_answerable_questions_on_average(written, language):
    counts = [
        sum(rules.answer(one.question, text) != UNANSWERABLE for one in found)
        for text, found in written.values()
        if language_of(text) == language
    ]
    assert len(counts) == (27 if language == "en" else 9)
    assert sum(counts) / len(counts) >= 3
    assert min(counts) >= 1


def test_every_question_has_its_answer_in_the_text_and_not_in_itself(written):
    for text, found in written.values():
        for one in found:
            assert one.key_info in text
            assert rules.answer(one.question, text) == one.key_info
            assert one.question.rstrip("?？") not in text
            assert one.question.endswith(("?", "？"))


def test_no_question_of_a_passage_stands_twice(written):
    for _, found in written.values():
        assert len({one.question for one in found}) == len(found) <= rules.MOST


def test_dates_figures_names_and_phrases_are_all_asked_for(written):
    assert {one.kind for _, found in written.values() for one in found} == {
        "date",
        "figure",
        "name",
        "phrase",
    }


def test_the_figures_in_the_documentation_are_those_of_the_sample(written, root):
    page = " ".join((root / "docs" / "questeval.md").read_text(encoding="utf-8").split())
    counts = [len(found) for _, found in written.values()]
    mean = sum(counts) / len(counts)
    said = f"{len(counts)} references: {sum(counts)} questions, {mean:.1f} per passage"
    assert f"{said}, {min(counts)} at least" in page


def test_how_well_the_answerer_does_is_what_the_documentation_says(root):
    folder = root / "data" / "samples" / "rag-questeval"

    def rows(name):
        with (folder / name).open(newline="", encoding="utf-8") as lines:
            return list(csv.DictReader(lines))

    asked = {(row["item"], row["part"]): row["text"] for row in rows("parts.csv")}
    texts = {}
    for row in rows("items.csv"):
        texts |= {row["id"]: row["ground_truth"], f"{row['id']}/{row['model']}": row["generated"]}
    scores, unanswerable = {}, []
    for row in rows("truth.csv"):
        item, which = row["item"], row["question"]
        if which not in ("reference_answer", "generated_answer"):
            continue
        text = texts[item]
        said = rules.answer(asked[item.split("/")[0], row["part"]], text)
        if row["value"] != UNANSWERABLE:
            f1 = 0.0 if said == UNANSWERABLE else token_f1(row["value"], said)
            scores.setdefault((which, language_of(text)), []).append(f1)
        elif which == "generated_answer":
            unanswerable.append(said == UNANSWERABLE)
    page = " ".join((root / "docs" / "questeval.md").read_text(encoding="utf-8").split())
    assert f"the sample's {len(asked)} questions" in page
    mean = {key: f"{sum(found) / len(found):.2f}"[1:] for key, found in scores.items()}
    for which, words in (
        ("reference_answer", "{} in English and {} in Chinese from the references"),
        ("generated_answer", "{} and {} from the generated texts"),
    ):
        assert words.format(mean[which, "en"], mean[which, "zh"]) in page
    said = f"{sum(unanswerable)} of the {len(unanswerable)} unanswerable ones unanswerable"
    assert said in page


def test_english_pieces_are_found_by_kind():
    text = "In 1927 Anna Berg paid 5.25 million dollars to the Bank of Oslo for a steel bridge."
    found = {span.kind: span.text for span in english_spans(text)}
    assert found["date"] == "1927"
    assert found["figure"] == "5.25 million dollars"
    assert found["phrase"] == "steel bridge"
    assert {s.text for s in english_spans(text) if s.kind == "name"} == {
        "Anna Berg",
        "Bank of Oslo",
    }


def test_chinese_pieces_are_found_by_kind():
    text = "大桥由李冰主持修建，2018年10月24日通车，全长约55公里，列入《世界遗产名录》。"
    found = {span.text: span.kind for span in chinese_spans(text)}
    assert found == {
        "李冰": "name",
        "2018年10月24日": "date",
        "55公里": "figure",
        "《世界遗产名录》": "name",
    }


def test_the_answerer_takes_questions_that_people_wrote():
    text = "The vault opened on 26 February 2008. It has room for 4.5 million samples."
    assert rules.answer("When did the vault open?", text) == "26 February 2008"
    assert rules.answer("How many samples is there room for?", text) == "4.5 million samples"
    assert rules.answer("大桥何时通车？", "大桥于2018年10月24日正式通车。") == "2018年10月24日"


def test_the_answerer_says_so_where_the_text_speaks_of_something_else():
    text = "The vault opened on 26 February 2008."
    assert rules.answer("How many rivers does Norway have?", text) == UNANSWERABLE
    assert rules.answer("Who won the gold medal in rowing?", text) == UNANSWERABLE
    assert rules.answer("谁发现了青蒿素？", "大桥于2018年10月24日正式通车。") == UNANSWERABLE


@pytest.mark.parametrize(
    "text", ["", "   ", "?", "a", "\n\n", "。", "🙂" * 50, "x" * 5000, "1 " * 999, "The A. " * 500]
)
def test_odd_texts_give_no_questions_and_no_error(text):
    assert rules.write(text) == []
    assert rules.answer("When did it open?", text) == UNANSWERABLE
    assert rules.answer(text, "It opened in 1927.") == UNANSWERABLE


def test_a_round_by_rules_is_labelled_as_a_baseline_everywhere(opened):
    stored = opened(
        ("s1", "The old canal opened on 26 June 2016.", {"m": "The canal opened on 26 June 2016."})
    )
    done = questions(stored, rules=True)
    assert "baseline" in str(done)
    assert done.is_baseline
    assert [(one.name, one.kind) for one in stored.raters()] == [("baseline-rules-1", "model")]
    assert "rules 1" in stored.raters()[0].version
    assert all(by.startswith("baseline-rules-1 (rules 1") for by in writers(stored).values())
    frame = stored.frame()
    assert set(frame["rater"]) == {"baseline-rules-1"}
    assert set(frame["question"]) == {"keep", "reference_answer", "generated_answer"}


def test_rules_cannot_take_a_name_that_hides_them(opened):
    stored = opened(("s1", "It opened in 1927.", {"m": "x"}))
    with pytest.raises(ValueError, match="so that it says baseline"):
        questions(stored, rules=True, name="gpt-4o")
    with pytest.raises(ValueError, match="rules need no model"):
        questions(stored, "gpt-4o", rules=True)
