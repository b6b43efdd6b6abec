"""Which values are answers, how they are kept, and what is said of those that are none."""

import pytest

from raterbook.protocols import UNANSWERABLE, load

LABEL = load("halo-support").question("label")
CLARITY = load("feedback-quality").question("clarity")
OVERALL = load("feedback-quality").question("overall")
CONFIDENCE = load("feedback-quality").question("confidence")
REFERENCE = load("rag-questeval").question("reference_answer")
NOTES = load("halo-support").question("notes")


@pytest.mark.parametrize(
    ("question", "given", "kept"),
    [
        (CLARITY, "4", 4),
        (CLARITY, 4.0, 4),
        (CLARITY, " 4.0 ", 4),
        (CLARITY, "Good", 4),
        (CLARITY, "fair/adequate", 3),
        (CLARITY, "Average", 3),
        (OVERALL, "4.25", 4.25),
        (OVERALL, 5, 5),
        (CONFIDENCE, "85", 85),
        (CONFIDENCE, "85%", 85),
        (CONFIDENCE, "85 %", 85),
        (CONFIDENCE, "0.5%", 0.5),
        (CONFIDENCE, 0, 0),
        (CONFIDENCE, 1, 1),
        (LABEL, "NO EVIDENCE", "NO EVIDENCE"),
        (LABEL, "no_evidence", "NO EVIDENCE"),
        (LABEL, " No  Evidence ", "NO EVIDENCE"),
        (LABEL, "supported", "SUPPORTED"),
        (LABEL, "CONTRADICTED ", "CONTRADICTED"),
        (REFERENCE, "陕西西安市", "陕西西安市"),
        (REFERENCE, "无法推断。", UNANSWERABLE),
        (REFERENCE, "<unanswerable>", UNANSWERABLE),
        (REFERENCE, " Cannot be determined. ", UNANSWERABLE),
        (NOTES, " nan ", " nan "),
    ],
)
def test_an_answer_is_kept_in_one_form(question, given, kept):
    found = question.check(given)
    assert found == kept
    assert type(found) is type(kept)


@pytest.mark.parametrize(
    ("question", "given", "message"),
    [
        (CLARITY, 6, "6 is outside 1–5 for “clarity”"),
        (CLARITY, "0", "0 is outside 1–5 for “clarity”"),
        (CLARITY, "4.5", "4.5 is not a whole number, and “clarity” takes 1, 2, 3, 4, 5"),
        (CLARITY, "four", "'four' is not a number, and “clarity” takes 1, 2, 3, 4, 5"),
        (CLARITY, True, "True is not a number, and “clarity” takes 1, 2, 3, 4, 5"),
        (CLARITY, float("nan"), "nan is not a number, and “clarity” takes 1, 2, 3, 4, 5"),
        (CLARITY, "1e0", "'1e0' is not a number, and “clarity” takes 1, 2, 3, 4, 5"),
        (CLARITY, "5/5", "'5/5' is not a number, and “clarity” takes 1, 2, 3, 4, 5"),
        (OVERALL, "5.01", "5.01 is outside 1–5 for “overall”"),
        (CONFIDENCE, 101, "101 is outside 0–100 for “confidence”"),
        (
            CONFIDENCE,
            0.85,
            "0.85 for “confidence”: percentages are written 0–100; write 85 or 0.85%",
        ),
        (CONFIDENCE, "80–100%", "'80–100%' is not a number, and “confidence” takes 0–100"),
        (
            LABEL,
            "MAYBE",
            "'MAYBE' is not one of SUPPORTED, CONTRADICTED, NO EVIDENCE for “label”",
        ),
        (
            LABEL,
            "NOT ENOUGH INFO",
            "'NOT ENOUGH INFO' is not one of SUPPORTED, CONTRADICTED, NO EVIDENCE for “label”",
        ),
        (LABEL, "  ", "an empty value is no answer to “label”"),
        (REFERENCE, "", "an empty value is no answer to “reference_answer”"),
        (REFERENCE, None, "an empty value is no answer to “reference_answer”"),
        (NOTES, 3, "3 is not a text, and “notes” takes texts"),
    ],
)
def test_what_is_no_answer_is_refused_with_the_reason(question, given, message):
    with pytest.raises(ValueError) as error:
        question.check(given)
    assert str(error.value) == message


def test_values_are_listed_where_they_can_be():
    assert CLARITY.values == (1, 2, 3, 4, 5)
    assert OVERALL.values is None
    assert CONFIDENCE.values is None
    assert LABEL.values == ("SUPPORTED", "CONTRADICTED", "NO EVIDENCE")
    assert CLARITY.is_numeric
    assert CONFIDENCE.is_numeric
    assert not LABEL.is_numeric
