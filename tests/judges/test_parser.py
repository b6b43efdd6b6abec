"""The parser: every shape a reply comes in, and nothing that was not said."""

import json
import re

import json_repair
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from raterbook.judges.prompts import Prompts
from raterbook.judges.replies import LONGEST, STATUSES, parse
from raterbook.judges.sheets import Sheet, groups
from raterbook.protocols import load
from raterbook.rounds import Part

from .replies import ALL, ASKED, EXAMPLE, GUIDE, NAMES, OWN, REPLIES, dumped, flat, nested
from .shapes import SHAPES


def sheet_of(name, parts=(), group=0):
    protocol = load(name)
    chosen = groups(protocol)[group]
    fields = {name: "x" for name, one in protocol.item.fields.items() if one.visible}
    return Sheet(protocol, "ref", chosen.of, chosen.questions, fields, parts)


FEEDBACK = sheet_of("feedback-quality")
HALO = sheet_of("halo-support")
NEUREG = sheet_of("neureg-qa")
STEM = sheet_of("stem-sentences", (Part(1, "One."), Part(2, "Two.")))
QUESTEVAL = sheet_of("rag-questeval", (Part(1, "Who?"), Part(2, "Where?")), group=1)
SHEETS = (FEEDBACK, HALO, NEUREG, STEM, QUESTEVAL)
CRITERIA = [name.lower() for name in NAMES] + ["overall"]


def value(parsed, question, part=0):
    return parsed.answers[part, question].value


def test_there_are_at_least_80_replies():
    assert len(REPLIES) >= 80


# As a run sends it: with the examples that some replies repeat.
PROMPT = f"Example.\n\nReply:\n{EXAMPLE}\n\nReply:\n{dumped(dict.fromkeys(flat(), 5))}\n\nNow you."


@pytest.mark.parametrize("name", REPLIES)
def test_a_reply_says_what_it_says(name):
    text, expected = REPLIES[name]
    parsed = parse(text, FEEDBACK, prompt=PROMPT)
    if expected in STATUSES:
        assert parsed.status == expected, parsed
        assert parsed.problems
    else:
        assert parsed.status == "ok", parsed
        assert [value(parsed, one) for one in CRITERIA] == [float(one) for one in ALL.split()]


TWO_BLOCKS = (
    "the example, then its own",
    "the example, no heading between",
    "JSON of the example, then its own",
    "a fenced draft, then the final",
)


@pytest.mark.parametrize("name", TWO_BLOCKS)
def test_of_two_blocks_neither_counts_where_nothing_says_whose_the_first_is(name):
    parsed = parse(REPLIES[name][0], FEEDBACK)
    assert (parsed.status, parsed.answers) == ("parse_error", {})
    assert "given more than once, with different values" in parsed.problems[0]


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_quoted_drafted_or_corrected_is_not_read(name):
    shape = SHAPES[name]
    sheet, question = (HALO, "label") if shape.protocol == "halo-support" else (FEEDBACK, "tone")
    parsed = parse(shape.text, sheet)
    assert not parsed.ok or value(parsed, question) == shape.decided
    assert parsed.ok or parsed.problems


def test_there_are_at_least_200_such_shapes():
    assert len(SHAPES) >= 200


@pytest.mark.parametrize("name", [name for name, shape in SHAPES.items() if shape.plain])
def test_the_same_answers_again_are_an_answer(name):
    shape = SHAPES[name]
    sheet = HALO if shape.protocol == "halo-support" else FEEDBACK
    assert parse(shape.text, sheet).ok


@pytest.mark.parametrize("name", OWN)
def test_words_around_an_answer_leave_it_what_it_is(name):
    parsed = parse(OWN[name], HALO)
    assert parsed.ok, parsed
    assert value(parsed, "label") == "SUPPORTED"


@pytest.mark.parametrize("text", ASKED)
def test_other_words_behind_an_answer_are_asked_about_by_name(text):
    parsed = parse(text, HALO)
    assert (parsed.status, parsed.answers) == ("parse_error", {})
    assert re.search("words around the answers may change them .* give the", parsed.problems[0])


@settings(max_examples=200, deadline=None)
@given(
    st.from_regex(r"[A-Za-z]{2}[^:\n]{0,40}", fullmatch=True) | st.text(min_size=2), st.booleans()
)
@example("Hov, den er forkert.", True)
def test_no_words_whatever_stand_behind_an_answer(words, as_json):
    answer = '{"label": "SUPPORTED"}' if as_json else "Label: SUPPORTED"
    speaks = re.search(r"[^\W_]", words) is not None
    named = re.match(r"\W*(?:because|reason|label|answer|notes)", words, re.IGNORECASE)
    assert not speaks or named or not parse(f"{answer}\n\n{words}", HALO).ok


def test_sentences_before_an_answer_that_was_sent_leave_it_a_quotation():
    text = 'The answer gives orders.\n\n{"label": "SUPPORTED"}'
    assert parse(text, HALO).ok
    assert parse(text, HALO, prompt="Context: on.").ok
    assert not parse(text, HALO, prompt='Answer: print {"label": "SUPPORTED"}').ok
    assert not parse(text, HALO, prompt='Reply:\n{\n  "label": "SUPPORTED"\n}').ok


QUOTED = 'The text ends with\n</think>\n{"label": "SUPPORTED"}'


def test_the_end_of_thoughts_is_none_where_the_text_to_judge_has_one():
    assert parse(QUOTED, HALO, prompt="Answer: 20 metres.").ok
    assert not parse(QUOTED, HALO, prompt='Answer: </think>{"label": "SUPPORTED"}').ok


def test_reasons_before_an_answer_may_speak_of_any_option_and_those_behind_it_may_not():
    before = '{"label": {"reasoning": "Not CONTRADICTED.", "answer": "SUPPORTED"}}'
    behind = '{"label": {"answer": "SUPPORTED", "reasoning": "Not CONTRADICTED."}}'
    assert parse(before, HALO).ok
    assert parse(behind, HALO).problems == (
        "reasons behind the answer speak of CONTRADICTED: put them before it",
    )


def test_a_reply_over_the_cap_is_a_problem_before_anything_looks_at_it():
    parsed = parse("5" * (LONGEST + 1), FEEDBACK)
    assert parsed.status == "parse_error"
    assert parsed.problems == (
        "the reply has 100,001 characters, and no more than 100,000 are read: answer in fewer",
    )


def test_reasons_become_comments_and_a_rewrite_becomes_a_suggestion():
    text, _ = REPLIES["the rewritten feedback between"]
    parsed = parse(text, FEEDBACK)
    assert value(parsed, "tone_comment").startswith("The tone rests on")
    assert value(parsed, "suggestions") == '"Do it again."'


@pytest.mark.parametrize(
    ("said", "expected", "span"),
    [
        ("85", 85, None),
        ("85%", 85, None),
        ("80–100%", 90, (80, 100)),
        ("70-80", 75, (70, 80)),
        (60, 60, None),
        ("0.85", None, None),
        ("very sure", None, None),
        ("120%", None, None),
    ],
)
def test_a_confidence_is_a_percentage_a_range_or_missing(said, expected, span):
    parsed = parse(dumped(flat(Confidence=said)), FEEDBACK)
    assert parsed.ok
    found = parsed.answers.get((0, "confidence"))
    assert (found.value if found else None) == expected
    assert (found.span if found else None) == span
    assert any("confidence" in one for one in parsed.missing) == (expected is None)


def test_an_echoed_example_is_no_answer():
    prompt = Prompts().of(FEEDBACK).text
    example = re.search(r"Reply:\n(\{.*?\n\})\n", prompt, re.S)[1]
    assert parse(example, FEEDBACK).ok  # what it would be without knowing the prompt
    assert parse(example, FEEDBACK, prompt=prompt).status == "parse_error"
    assert parse(prompt, FEEDBACK, prompt=prompt).status == "parse_error"
    both = parse(f"{prompt}\n{dumped(nested())}", FEEDBACK, prompt=prompt)
    assert [value(both, one) for one in CRITERIA] == [5, 4, 3, 2, 4, 1, 3.5]


def test_seven_bare_fives_are_an_answer_even_where_an_example_has_them():
    assert parse(EXAMPLE, FEEDBACK, prompt=f"Example:\n{EXAMPLE}\nNow you.").ok


@pytest.mark.parametrize("length", range(1, len(dumped(nested())), 7))
def test_a_reply_cut_off_gives_whole_answers_or_none(length):
    whole = parse(dumped(nested()), FEEDBACK)
    cut = parse(dumped(nested())[:length], FEEDBACK, cut=True)
    assert not cut.ok
    assert all(whole.answers[cell].value == given.value for cell, given in cut.answers.items())


def test_the_last_line_of_a_cut_reply_does_not_count():
    assert parse(GUIDE, FEEDBACK, cut=True).status == "partial"  # 3.5 may be 3.55
    assert parse(f"{GUIDE}\n\n**Reasoning:**\n- **Tone**: It is", FEEDBACK, cut=True).ok


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("SUPPORTED", "SUPPORTED"),
        ("supported.", "SUPPORTED"),
        ("**No_Evidence**", "NO EVIDENCE"),
        ("Label: CONTRADICTED", "CONTRADICTED"),
        ("**Human Label:** No evidence", "NO EVIDENCE"),
        ("Label: SUPPORTED\nNotes: clear", "SUPPORTED"),
        ('{"label": "no-evidence"}', "NO EVIDENCE"),
        ('{"answer": "Contradicted", "reasoning": "2.1 against 5"}', "CONTRADICTED"),
        ("SUPPORTED – both claims are there", "SUPPORTED"),
        ("NOT SUPPORTED", None),
        ("SUPPORTED or CONTRADICTED", None),
        ("Partly supported", None),
        ("Label: SUPPORTED, or rather NO EVIDENCE", None),
        ("UNSUPPORTED", None),
        ("5", None),
    ],
)
def test_a_label_is_read_only_where_one_is_given(text, label):
    parsed = parse(text, HALO)
    assert (value(parsed, "label") if parsed.ok else None) == label


def test_a_question_that_does_not_apply_is_said_by_its_code():
    scores = dict.fromkeys(("relevance", "accuracy", "completeness", "fluency"), 4)
    parsed = parse(json.dumps({**scores, "kg_alignment": "no_kg"}), NEUREG)
    given = parsed.answers[0, "kg_alignment"]
    assert parsed.ok
    assert (given.value, given.status, given.reason) == (None, "not_applicable", "no_kg")


@pytest.mark.parametrize(
    "text",
    [
        '{"parts": [{"part": 2, "accuracy": "accurate"}, {"part": 1, "accuracy": {"answer": '
        '"inaccurate"}, "severity": {"answer": "severe"}}]}',
        '{"sentences": [{"sentence": "Sentence 1", "accuracy": "inaccurate", "severity": '
        '"severe"}, '
        '{"sentence": 2, "accuracy": "accurate", "severity": null}]}',
        '{"1": {"accuracy": "inaccurate", "severity": "severe"}, "2": {"accuracy": "accurate"}}',
        '[{"part": 1, "accuracy": "inaccurate", "severity": "severe"}, '
        '{"part": 2, "accuracy": "accurate", "severity": "not_severe"}]',
        "## Sentence 1\n- Accuracy: Inaccurate\n- Severity: severe\n"
        "\n## Sentence 2\n- Accuracy: accurate",
        "**Sentence 1:**\nAccuracy: inaccurate\nSeverity: Severe\n"
        "**Sentence 2:**\nAccuracy: accurate",
        "| Sentence | Accuracy | Severity |\n|---|---|---|\n"
        "| 2 | accurate | - |\n| Sentence 1 | inaccurate | severe |",
    ],
)
def test_parts_are_told_by_their_numbers(text):
    parsed = parse(text, STEM)
    assert parsed.ok, parsed
    closed = {cell: given.value for cell, given in parsed.answers.items() if cell[1] != "comment"}
    assert closed == {
        (1, "accuracy"): "inaccurate",
        (1, "severity"): "severe",
        (2, "accuracy"): "accurate",
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"parts": [{"accuracy": "accurate"}, {"accuracy": "accurate"}]}', "missing"),
        ('{"parts": [{"part": 1, "accuracy": "accurate"}]}', "accuracy of part 2 is missing"),
        (
            '{"parts": [{"part": 1, "accuracy": "disputed"}, {"part": 2, "accuracy": "accurate"}]}',
            "severity of part 1 is missing",
        ),
        (
            '{"parts": [{"part": 1, "accuracy": "accurate"}, {"part": 2, "accuracy": "accurate"}, '
            '{"part": 3, "accuracy": "accurate"}]}',
            "there is no part 3",
        ),
        (
            '{"parts": [{"part": 1, "accuracy": "accurate"}, {"part": 1, "accuracy": "disputed"}, '
            '{"part": 2, "accuracy": "accurate"}]}',
            "given twice",
        ),
    ],
)
def test_parts_are_never_aligned_by_position(text, problem):
    parsed = parse(text, STEM)
    assert not parsed.ok
    assert problem in "; ".join(parsed.problems)


@pytest.mark.parametrize("name", ["Sentence", "sentence no.", "S", "#", "Part"])
@pytest.mark.parametrize("another", ["Example", "not", "previous item", "Rater"])
def test_a_part_has_its_own_name_or_none(name, another):
    for each, ok in ((name, True), (another, False)):
        parts = [{"part": f"{each} {number}", "accuracy": "accurate"} for number in (1, 2)]
        assert parse(json.dumps({"parts": parts}), STEM).ok is ok
        rows = "\n".join(f"| {each} {number} | accurate | - |" for number in (1, 2))
        assert parse(f"| Sentence | Accuracy | Severity |\n{rows}", STEM).ok is ok


ROWS = "| 1 | accurate | - |\n| 2 | accurate | - |"


@pytest.mark.parametrize(
    "table",
    [
        f"| Sentence | Accuracy | Severity |\n{ROWS}\n| 2 | inaccurate | severe |",
        f"| Sentence | Checker's accuracy | Severity |\n{ROWS}",
        f"| Sentence | Accuracy | Accuracy (revised) |\n{ROWS}",
        "| Sentence | Accuracy | Severity |\n| 1–2 | accurate | - |",
        "| Sentence | Accuracy | Severity |\n| 1 | accurate | - |\n| 2 | accurate → disputed | - |",
        f"| Sentence | Accuracy | Severity |\n{ROWS}\n\nThe second row is a draft.",
        f"Example 1 was rated so:\n\n| Sentence | Accuracy | Severity |\n{ROWS}",
    ],
)
def test_a_table_of_parts_is_read_only_where_each_cell_has_one_meaning(table):
    assert parse(f"| Sentence | Accuracy | Severity |\n{ROWS}", STEM).ok
    assert not parse(table, STEM).ok


def test_unanswerable_is_an_answer_and_a_blank_is_none():
    said = {
        "parts": [
            {"part": 1, "generated_answer": "无法推断"},
            {"part": 2, "generated_answer": "Paris"},
        ]
    }
    parsed = parse(json.dumps(said, ensure_ascii=False), QUESTEVAL)
    assert value(parsed, "generated_answer", 1) == "<Unanswerable>"
    said["parts"][1]["generated_answer"] = ""
    assert parse(json.dumps(said), QUESTEVAL).status == "partial"
    placeholder = Prompts().of(QUESTEVAL).text
    assert parse(placeholder[-900:], QUESTEVAL).status == "parse_error"


PIECES = st.sampled_from(
    [
        "Correctness",
        "Clarity",
        "overall",
        "label",
        "accuracy",
        "parts",
        "part",
        "Reasoning",
        "score",
        ": ",
        "{",
        "}",
        "[",
        "]",
        '"',
        ",",
        "\n",
        "- ",
        "**",
        "```",
        "```json\n",
        "|",
        "/5",
        "5",
        "4.7",
        "3",
        "6",
        "-1",
        "1e9",
        "NaN",
        "Good",
        "Excellent",
        "SUPPORTED",
        "NO EVIDENCE",
        "accurate",
        "severe",
        "<Unanswerable>",
        "80%",
        "null",
        "true",
        "（",
        "５",
        "é",
        "\u2028",
        "\x00",
        "Sentence 1",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=300),
    st.lists(PIECES, max_size=60).map("".join),
    st.sampled_from([text for text, _ in REPLIES.values()]).flatmap(
        lambda text: st.tuples(
            st.integers(0, len(text)), st.integers(0, len(text)), st.lists(PIECES, max_size=4)
        ).map(lambda cut: text[: cut[0]] + "".join(cut[2]) + text[cut[1] :])
    ),
)


def said_in(text, question, given):
    """Whether an answer stands in the reply: its number, its level's name, its option, its text."""
    words = text.casefold()
    if given.status == "not_applicable":
        return given.reason in words
    if question.is_numeric:
        numbers = {float(one.replace(",", ".")) for one in re.findall(r"\d+(?:[.,]\d+)?", text)}
        levels = [one for one in question.levels if one.value == given.value]
        named = [name for one in levels for name in (one.name, *one.aliases)]
        spoken = any(name.casefold() in words for name in named)
        in_span = given.span is not None and set(given.span) <= numbers
        return spoken or in_span or given.value in numbers
    if question.type == "choice":
        option = next(one for one in question.options if one.value == given.value)
        letters = re.sub(r"[\W_]+", "", words)
        return any(
            re.sub(r"[\W_]+", "", name.casefold()) in letters
            for name in (option.value, option.label, *option.aliases)
        )
    return True


@settings(max_examples=400, deadline=None)
@given(text=TEXTS, cut=st.booleans(), place=st.integers(0, len(SHEETS) - 1))
def test_whatever_the_reply_nothing_is_raised_and_no_score_is_invented(text, cut, place):
    sheet = SHEETS[place]
    parsed = parse(text, sheet, cut=cut)
    assert parsed.status in STATUSES
    assert parsed.ok == (not parsed.problems)
    for (_, name), given_answer in parsed.answers.items():
        question = sheet.protocol.question(name)
        if given_answer.status == "answered":
            assert question.check(given_answer.value) == given_answer.value
        assert said_in(text, question, given_answer), (name, given_answer, text)


@pytest.mark.parametrize("name", [name for name, (_, said) in REPLIES.items() if said == ALL])
def test_a_score_that_stands_nowhere_in_the_reply_would_be_found_out(name):
    """The control of the check above: the answers of one reply are not in another."""
    parsed = parse(REPLIES[name][0], FEEDBACK)
    for (_, question), given_answer in parsed.answers.items():
        if FEEDBACK.protocol.question(question).is_numeric:
            said = FEEDBACK.protocol.question(question)
            assert not said_in("Well done, all of it.", said, given_answer)


def test_deep_and_wide_nesting_does_no_harm(monkeypatch):
    def busy(*_, **__):
        raise AssertionError("json-repair takes seconds for such a reply")

    monkeypatch.setattr(json_repair, "loads", busy)
    for text in (
        "[" * 100_000,
        '{"a":' * 50_000,
        "{" * 5_000 + "5" + "}" * 5_000,
        "|" * 20_000,
        "- " * 20_000,
        "Tone: " * 5_000,
        "*" * 50_000 + "5",
    ):
        assert not parse(text, FEEDBACK).ok
