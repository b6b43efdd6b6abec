"""The protocols that come with raterbook say what their documents ask for."""

import json

import pytest

from raterbook.protocols import ProtocolError, library_path, load, names, parse

CRITERIA = ("correctness", "clarity", "tone", "actionability", "coherence", "emotion")
METRICS = ("relevance", "accuracy", "completeness", "fluency", "kg_alignment")
COLUMNS = {
    "neureg-qa": "qa_id question_type shot_type question answer source_context source_kg model",
    "halo-support": "id question context generated_answer gold_answer auto_label human_label notes",
    "stem-sentences": "question_id question article_id article model response",
    "feedback-quality": "id text domain criteria model",
    "rag-questeval": "id ground_truth generated question model",
    "ai-detection": "id text label prediction model",
}
QUESTIONS = {
    "neureg-qa": "relevance accuracy completeness fluency kg_alignment comment",
    "halo-support": "label notes",
    "stem-sentences": "accuracy severity",
    "feedback-quality": "first_impression correctness clarity tone actionability coherence emotion "
    "overall overall_reason confidence evidence suggestions",
    "rag-questeval": "reference_answer generated_answer match keep",
    "ai-detection": "verdict confidence reason",
}


def test_the_six_protocols_are_listed_by_name():
    assert names() == sorted(QUESTIONS)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_protocol_has_the_columns_and_questions_of_the_contract(name):
    protocol = load(name)
    assert set(COLUMNS[name].split()) <= set(protocol.item.fields)
    asked = {question.id for question in protocol.questions if question.comment_of is None}
    assert asked == set(QUESTIONS[name].split())
    assert protocol.item.fields["model"].show == "hidden"


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_has_a_prompt_and_every_level_and_option_a_description(name):
    for question in load(name).questions:
        assert question.prompt.strip()
        assert all(level.description.strip() and level.name for level in question.levels)
        assert all(option.description.strip() and option.label for option in question.options)
        if question.type == "scale":
            assert [level.value for level in question.levels] == [5, 4, 3, 2, 1]


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_protocol_read_again_from_its_own_text_is_the_same(name):
    protocol = load(name)
    again = parse(protocol.text)
    assert again == protocol
    assert again.hash == protocol.hash == load(library_path(name)).hash


def test_neureg_describes_twenty_five_different_levels():
    levels = [level for id in METRICS for level in load("neureg-qa").question(id).levels]
    assert len({level.description for level in levels}) == 25
    assert {level.name for level in levels} == {"Excellent", "Good", "Fair", "Poor", "Very Poor"}


def test_neureg_says_of_each_score_what_it_judges():
    protocol = load("neureg-qa")
    assert protocol.question("relevance").object == "the question"
    assert {protocol.question(id).object for id in METRICS[1:]} == {"the answer"}
    assert list(protocol.question("kg_alignment").not_applicable) == ["no_kg"]


def test_neureg_reads_the_words_of_the_upstream_files():
    fields = load("neureg-qa").item.fields
    assert "relationship" in fields["question_type"].values["relational"]
    assert "RelQ" in fields["question_type"].values["relational"]
    assert "basic" in fields["shot_type"].values["zero_shot"]
    assert "Accuracy  (1–5)" in load("neureg-qa").question("accuracy").aliases
    assert load("neureg-qa").item.rater[0] == "Evaluator ID"


def test_neureg_defines_types_and_shots_and_never_shows_the_shot_type():
    protocol = load("neureg-qa")
    assert set(protocol.definitions["question_type"]) == {
        *("factual", "relational", "comparative", "inferential")
    }
    assert set(protocol.definitions["shot_type"]) == {"zero_shot", "one_shot", "few_shot"}
    assert protocol.item.fields["shot_type"].show == "hidden"
    assert protocol.item.cluster == "source_context"
    assert protocol.item.fields["source_kg"].show == "triples"


def test_feedback_describes_thirty_levels_and_five_overall_ones_with_three_indicators():
    protocol = load("feedback-quality")
    levels = [level for id in CRITERIA for level in protocol.question(id).levels]
    assert len({level.description for level in levels}) == 30
    overall = protocol.question("overall").levels
    assert [len(level.indicators) for level in overall] == [3, 3, 3, 3, 3]
    assert [level.name for level in overall][2] == "Fair/Adequate"


@pytest.mark.parametrize("id", CRITERIA)
def test_a_feedback_comment_is_required_only_for_scores_of_two_or_less(id):
    from raterbook.protocols import asked, is_required

    protocol = load("feedback-quality")
    comment = protocol.question(f"{id}_comment")
    assert comment.comment_of == id
    ids = [question.id for question in protocol.questions]
    assert ids.index(comment.id) == ids.index(id) + 1
    assert asked(comment, {})
    assert [is_required(comment, {id: score}) for score in (1, 2, 3, 4, 5)] == [
        *(True, True, False, False, False)
    ]
    assert not is_required(comment, {})


def test_feedback_asks_in_the_documents_order_and_confidence_covers_all_scores():
    protocol = load("feedback-quality")
    assert protocol.stages[0] == ("first_impression",)
    assert protocol.stages[1][:2] == ("correctness", "correctness_comment")
    assert protocol.question("confidence").covers == (*CRITERIA, "overall")
    assert protocol.question("overall_reason").required is True
    assert protocol.question("evidence").required is False


@pytest.mark.parametrize(
    ("score", "name"),
    [
        (3.5, "Fair/Adequate"),
        (3.75, "Good"),
        (4.5, "Good"),
        (4.75, "Excellent"),
        (1, "Unacceptable"),
    ],
)
def test_halves_of_the_overall_score_are_called_by_the_lower_level(score, name):
    assert load("feedback-quality").question("overall").level_of(score).name == name


def test_halo_keeps_the_automatic_label_and_the_gold_answer_from_raters():
    fields = load("halo-support").item.fields
    assert fields["auto_label"].show == "hidden"
    assert fields["gold_answer"].show == "after"
    answers = fields["auto_label"].answers
    assert (answers.rater, answers.kind, answers.question) == ("auto", "automatic", "label")
    assert fields["human_label"].exchange == "label"
    assert list(fields)[:8] == COLUMNS["halo-support"].split()


def test_halo_has_three_definitions_with_examples_a_decision_aid_and_its_targets():
    protocol = load("halo-support")
    options = protocol.question("label").options
    assert [option.value for option in options] == ["SUPPORTED", "CONTRADICTED", "NO EVIDENCE"]
    assert all(option.examples for option in options)
    assert len(protocol.aid) == 4
    targets = {target.statistic: target.at_least for target in protocol.targets}
    assert targets == {"percent_match": 0.85, "kappa_human_auto": 0.7, "kappa_raters": 0.7}


def test_stem_asks_for_severity_only_where_there_is_an_issue():
    from raterbook.protocols import asked, is_required

    severity = load("stem-sentences").question("severity")
    values = load("stem-sentences").question("accuracy").values
    asking = {value: asked(severity, {"accuracy": value}) for value in values}
    assert asking == {
        "accurate": False,
        "disputed": True,
        "unsupported": True,
        "inaccurate": True,
        "cannot_assess": False,
    }
    assert all(is_required(severity, {"accuracy": value}) == asking[value] for value in values)
    assert not asked(severity, {})


def test_stem_counts_as_its_document_does():
    measures = [measure.to_dict() for measure in load("stem-sentences").measures]
    by_name = {measure["statistic"]: measure for measure in measures}
    counted = ["accurate", "disputed", "unsupported", "inaccurate"]
    assert by_name["proportion_severely_inaccurate"] == {
        "statistic": "proportion_severely_inaccurate",
        "question": ["accuracy"],
        "is": {"accuracy": ["inaccurate"], "severity": ["severe"]},
        "of": counted,
        "by": [["model"]],
    }
    assert by_name["proportion_excluded"]["of"] == [*counted, "cannot_assess"]
    recoded = [measure["recode"] for measure in measures if "recode" in measure]
    assert recoded[0] == {
        "accuracy_issue": {
            "accurate": ["accurate"],
            "issue": ["disputed", "unsupported", "inaccurate"],
        }
    }


def test_questeval_answers_each_text_without_the_other():
    protocol = load("rag-questeval")
    reference, generated = (
        protocol.question("reference_answer"),
        protocol.question("generated_answer"),
    )
    assert (reference.of, reference.shows) == ("case", ("part", "ground_truth"))
    assert (generated.of, generated.shows) == ("item", ("part", "generated"))
    assert reference.consensus == "precedence"
    assert protocol.question("keep").of == "case"
    assert protocol.parts.of == "case"
    assert protocol.parts.fields["key_info"].show == "hidden"


def test_questeval_asks_for_a_match_only_where_both_texts_answered():
    from raterbook.protocols import asked

    match = load("rag-questeval").question("match")
    assert match.shows == ("part", "answer:reference_answer", "answer:generated_answer")
    both = {"reference_answer": "Xi'an", "generated_answer": "Xi'an city"}
    assert asked(match, both)
    assert not asked(match, {**both, "generated_answer": "<Unanswerable>"})
    assert not asked(match, {"reference_answer": "Xi'an"})


def test_detection_shows_label_and_prediction():
    fields = load("ai-detection").item.fields
    assert fields["label"].visible
    assert fields["prediction"].visible
    assert load("ai-detection").question("verdict").values == ("correct", "incorrect", "unsure")
    assert load("ai-detection").question("confidence").covers == ("verdict",)


def test_an_unknown_name_is_told_the_known_ones():
    with pytest.raises(ProtocolError) as error:
        load("halo-suport")
    assert str(error.value) == (
        "no protocol is called 'halo-suport'; did you mean 'halo-support'? (there are "
        "ai-detection, "
        "feedback-quality, halo-support, neureg-qa, rag-questeval, stem-sentences; or "
        "give the path "
        "of a YAML file)"
    )


def test_a_file_that_is_not_there_or_not_utf8_is_named(tmp_path):
    with pytest.raises(ProtocolError, match=r"nowhere\.yaml: No such file"):
        load(tmp_path / "nowhere.yaml")
    latin = tmp_path / "latin.yaml"
    latin.write_bytes(b"name: a\ntitle: caf\xe9\n")
    with pytest.raises(ProtocolError) as error:
        load(latin)
    assert str(error.value) == "latin.yaml, line 2: not UTF-8; save it as UTF-8"
    marked = tmp_path / "marked.yaml"
    marked.write_bytes(b"\xef\xbb\xbf" + library_path("halo-support").read_bytes())
    assert load(marked).hash == load("halo-support").hash


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_form_is_told_nothing_a_rater_must_not_know(name):
    protocol = load(name)
    content = json.loads(json.dumps(protocol.for_form()))
    sent = {field["name"] for field in content["fields"]}
    assert sent == {id for id, field in protocol.item.fields.items() if field.visible}
    keys = set(_words(content))
    for id, field in protocol.item.fields.items():
        if field.show in ("hidden", "after") and id not in QUESTIONS[name].split():
            assert id not in keys
    assert not {"measures", "targets", "judge", "text", "hash"} & set(content)


def _words(content):
    """Every key and every value that is a text, of nested JSON."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield key
            yield from _words(value)
    elif isinstance(content, list):
        for value in content:
            yield from _words(value)
    elif isinstance(content, str):
        yield content
