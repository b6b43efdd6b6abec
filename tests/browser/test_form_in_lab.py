"""An item of each protocol, rated to submission by keys alone, in a real JupyterLab."""

import pytest

from raterbook.protocols import UNANSWERABLE, names
from raterbook.rounds import Store

# question: (keys, the value they mean), or several of these for the parts in turn; “=text” is
# written into the open text.
SCRIPTS = {
    "ai-detection": {
        "verdict": ("2", "incorrect"),
        "confidence": ("7 5 Enter", 75),
        "reason": ("=“might of been”", "“might of been”"),
    },
    "halo-support": {"label": ("2", "CONTRADICTED")},
    "neureg-qa": {
        "relevance": ("5", 5),
        "accuracy": ("4", 4),
        "completeness": ("3", 3),
        "fluency": ("5", 5),
        "kg_alignment": ("2", 2),
    },
    "feedback-quality": {
        "first_impression": ("=Warm, and to the point.", "Warm, and to the point."),
        "correctness": ("4", 4),
        "clarity": ("5", 5),
        "tone": ("2", 2),
        "tone_comment": ("=It talks down.", "It talks down."),  # asked because of the 2
        "actionability": ("4", 4),
        "coherence": ("4", 4),
        "emotion": ("3", 3),
        "overall": (". 3 . 7 5 Enter", 3.75),
        "overall_reason": ("=Useful but cold.", "Useful but cold."),
        "confidence": ("8 5 Enter", 85),
    },
    "stem-sentences": {
        "accuracy": [("1", "accurate"), ("4", "inaccurate"), ("5", "cannot_assess")],
        "severity": ("2", "not_severe"),
    },
    "rag-questeval": {
        "keep": ("1", "keep"),
        "reference_answer": [("=26 June 2016", "26 June 2016"), ("0", UNANSWERABLE)],
        "generated_answer": [("0", UNANSWERABLE), ("=14,000", "14,000"), ("=two", "two")],
        "match": ("3", "different"),
    },
}


def rate(desk, script):
    """Answers whatever opens, until nothing more does; (question, part) → value."""
    given = {}
    while desk.there_is_a_question():
        question, part = desk.at()
        assert (question, part) not in given, f"{question} {part} came again"
        line = script[question]
        keys, given[question, part] = line[part % len(line)] if isinstance(line, list) else line
        if keys.startswith("="):
            desk.press("Enter").write(keys[1:]).press("Control+Enter")
        else:
            desk.press(*keys.split())
    return given


@pytest.mark.parametrize("protocol", names())
def test_an_item_is_rated_to_submission_by_keys_and_found_in_the_store(protocol, sit_down):
    desk = sit_down(protocol, 2)
    desk.picture(f"{protocol}-begin")
    given = rate(desk, SCRIPTS[protocol])
    desk.picture(f"{protocol}-complete")
    desk.press("Control+Enter")
    if protocol == "halo-support":  # something was held back, so the rater is asked to go on
        desk.form.get_by_text("This item is submitted.").wait_for()
        desk.press("Enter")
    desk.wait_for_position(2).wait_for_state("saved")
    stored = Store(desk.database).round("round-01")
    answers = {
        (question, part): answer.value
        for (_, part, question), answer in stored.current("ana").items()
    }
    assert answers == given
    assert [mark.submitted for mark in stored.marks("ana").values()] == [True]
