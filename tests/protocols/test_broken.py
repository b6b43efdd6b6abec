"""Each broken protocol is refused with the file, the line, the key, the value and the remedy."""

from pathlib import Path

import pytest

from raterbook.protocols import ProtocolError, parse

PAIRWISE = Path(__file__).with_name("pairwise.yaml").read_text(encoding="utf-8")
STATISTICS_BEGIN = "mean, median, sd"

BROKEN = {
    "an unknown type": (
        "type: choice",
        "type: chioce",
        "p.yaml, line 19: questions.0.type 'chioce' is not one of scale, choice, "
        "percent, text, answer",
    ),
    "an unknown key": (
        "    type: choice\n    options:",
        "    type: choice\n    optoins:",
        "p.yaml, line 20: questions.0.optoins is not a known key; did you mean "
        "'options'? (allowed: id, "
        "label, prompt, help, object, type, level, of, per, options, levels, min, max, "
        "step, required, "
        "when, shows, covers, not_applicable, unanswerable, consensus, aliases, comment)",
    ),
    "an unknown key at the top": (
        "targets:",
        "goals:",
        "p.yaml, line 37: goals is not a known key (allowed: name, title, about, "
        "instructions, item, "
        "parts, questions, stages, definitions, reading, aid, ask_why, examples, judge, "
        "measures, targets)",
    ),
    "an inner key that only raterbook sets": (
        "type: text",
        "type: text\n    comment_of: strength",
        "questions.2.comment_of is not a known key",
    ),
    "a missing key": (
        "    prompt: Why?\n",
        "",
        "p.yaml, line 31: questions.2.prompt is missing",
    ),
    "an empty text": ("prompt: Why?", "prompt: ''", "p.yaml, line 32: questions.2.prompt is empty"),
    "a mapping where a text belongs": (
        "prompt: Why?",
        "prompt: {en: Why}",
        "p.yaml, line 32: questions.2.prompt must be a text, not a mapping",
    ),
    "a text where a list belongs": (
        "instructions: [Read both answers., Choose the better one., Say why.]",
        "instructions: Read both.",
        "p.yaml, line 4: instructions must be a list, not the text 'Read both.'",
    ),
    "a text where a mapping belongs": (
        "id: {label: Pair, show: none}",
        "id: Pair",
        "p.yaml, line 10: item.fields.id must be a mapping (key: value), not the text 'Pair'",
    ),
    "an unknown way to show a field": (
        "{label: Prompt, show: long}",
        "{label: Prompt, show: big}",
        "p.yaml, line 12: item.fields.prompt.show 'big' is not one of "
        "text, long, markdown, code, formula, triples, none, hidden, after",
    ),
    "a truth that is neither true nor false": (
        "{label: Topic, required: false}",
        "{label: Topic, required: no}",
        "p.yaml, line 11: item.fields.topic.required 'no' is not one of true, false",
    ),
    "a requirement that is none": (
        "prompt: Why?",
        "prompt: Why?\n    required: sometimes",
        "questions.2.required 'sometimes' is not one of true, false, or a condition",
    ),
    "a name with spaces": (
        "name: pairwise",
        "name: Pair wise",
        "p.yaml, line 1: name 'Pair wise': use small letters, digits and -",
    ),
    "a question id with capitals": (
        "id: reason",
        "id: Reason",
        "p.yaml, line 31: questions.2.id 'Reason': use small letters, digits and _",
    ),
    "a question called and": (
        "id: reason",
        "id: and",
        "'and' is a word of conditions; choose another id",
    ),
    "a question id twice": (
        "id: reason",
        "id: strength",
        "questions.2.id 'strength' is the id of another question",
    ),
    "a comment with the id of a question": (
        "type: text",
        "type: text\n    comment: {prompt: More}\n  - {id: reason_comment, prompt: x, type: text}",
        "questions.3.id 'reason_comment' is the id of another question",
    ),
    "a question with the name of a column": (
        "id: reason",
        "id: topic",
        "item.fields.topic has the name of a question; rename one of them",
    ),
    "an unknown key column": (
        "key: [id]",
        "key: [di]",
        "p.yaml, line 6: item.key.0 'di' is not an item field "
        "(known: id, topic, prompt, answer_a, answer_b, model_a)",
    ),
    "an unknown case column": ("case: id", "case: case", "line 7: item.case 'case' is not an item"),
    "an unknown group column": (
        "groups: [topic]",
        "groups: [subject]",
        "line 8: item.groups.0 'subject' is not an item field",
    ),
    "two columns with one header": (
        "{label: Topic, required: false}",
        "{label: Topic, required: false, aliases: [Prompt]}",
        "item.fields.topic.aliases 'Prompt' also means prompt",
    ),
    "answers in a column that raters see": (
        "{label: System of A, show: hidden, required: false}",
        "{label: A, answers: {rater: auto, kind: automatic, question: preference}}",
        "item.fields.model_a holds answers: its show must be hidden, after or none",
    ),
    "an unknown kind of rater": (
        "{label: System of A, show: hidden, required: false}",
        "{label: A, show: hidden, answers: {rater: auto, kind: robot, question: preference}}",
        "answers.kind 'robot' is not one of human, model, automatic, key, adjudicator",
    ),
    "a condition on an unknown question": (
        "when: {preference: [A, B]}",
        "when: {prefernce: [A, B]}",
        "p.yaml, line 27: questions.1.when 'prefernce' is not a question asked before; "
        "did you mean "
        "'preference'? (known: preference)",
    ),
    "a condition on a later question": (
        "when: {preference: [A, B]}",
        "when: {reason: answered}",
        "questions.1.when 'reason' is not a question asked before (known: preference)",
    ),
    "a condition on an unknown value": (
        "when: {preference: [A, B]}",
        "when: {preference: [A, C]}",
        "questions.1.when 'C' is not one of A, B, tie for “preference”",
    ),
    "a condition with an unknown word": (
        "when: {preference: [A, B]}",
        "when: {preference: given}",
        "'given' is not one of answered, answerable, or a list of values",
    ),
    "answerable of a choice": (
        "when: {preference: [A, B]}",
        "when: {preference: answerable}",
        "answerable: 'preference' is not of type answer; write answered",
    ),
    "an and without a list": (
        "when: {preference: [A, B]}",
        "when: {and: {preference: [A]}}",
        "questions.1.when 'and' needs a list of conditions",
    ),
    "a hidden field that is shown": (
        "type: text",
        "type: text\n    shows: [model_a]",
        "questions.2.shows.0 'model_a' is not shown to raters (show: hidden)",
    ),
    "an unknown field that is shown": (
        "type: text",
        "type: text\n    shows: [promt]",
        "questions.2.shows.0 'promt' is not a field; did you mean 'prompt'? (known: topic, prompt, "
        "answer_a, answer_b, part, answer:preference, answer:strength)",
    ),
    "a shown answer that nobody gave": (
        "type: text",
        "type: text\n    shows: ['answer:verdict']",
        "questions.2.shows.0 'verdict' is not a question asked before (known: "
        "preference, strength)",
    ),
    "a case question that shows the item": (
        "type: text",
        "type: text\n    of: case\n    shows: [prompt]",
        "questions.2.shows.0 'prompt' belongs to the item, 'reason' to the case",
    ),
    "a part question without parts": (
        "type: text",
        "type: text\n    per: part",
        "questions.2.per part: the protocol has no parts",
    ),
    "a confidence that covers nothing": (
        "type: text",
        "type: percent\n    covers: [preferense]",
        "questions.2.covers.0 'preferense' is not a question; did you mean 'preference'?",
    ),
    "covers on a text": (
        "type: text",
        "type: text\n    covers: [preference]",
        "'covers' belongs to type percent, not text",
    ),
    "options on a scale": (
        "type: scale",
        "type: scale\n    options: [{value: a, description: a}, {value: b, description: b}]",
        "(strength): 'options' belongs to type choice, not scale",
    ),
    "a level that is no number": (
        "value: 2, name: Clearly",
        "value: two, name: Clearly",
        "p.yaml, line 30: questions.1.levels.1.value 'two' is not a number",
    ),
    "a level twice": (
        "      - {value: 2, name",
        "      - {value: 1, name: Hardly, description: Barely.}\n      - {value: 2, name",
        "(strength): two levels have the same value",
    ),
    "a level nobody described": (
        "type: scale",
        "type: scale\n    max: 3",
        "(strength): no level describes 3",
    ),
    "a level without a description": (
        "name: Clearly, description: It is plain to see.",
        "name: Clearly",
        "questions.1.levels.1.description is missing",
    ),
    "a level off the scale": (
        "type: scale",
        "type: scale\n    min: 2\n    max: 3",
        "(strength): level 1 is not on the scale",
    ),
    "a step that leads nowhere": (
        "type: scale",
        "type: scale\n    step: 0.3",
        "(strength): step 0.3 does not lead from min to max",
    ),
    "a scale of a million values": (
        "type: scale",
        "type: scale\n    max: 1000000",
        "(strength): more than 1000 steps; write step: 0 for any decimal",
    ),
    "two options spelled alike": (
        "{value: tie, label: Tie,",
        "{value: a,",
        "(preference): two options are spelled alike",
    ),
    "an interval level on options": (
        "type: choice",
        "type: choice\n    level: interval",
        "(preference): options have no distances; level is nominal or ordinal",
    ),
    "an unknown statistic": (
        "{statistic: alpha_nominal, question: preference}\n",
        "{statistic: alpha_norminal, question: preference}\n",
        "measures.0.statistic 'alpha_norminal' is not a statistic; did you mean 'alpha_nominal'? "
        f"(known: {STATISTICS_BEGIN}",
    ),
    "a measure of an unknown question": (
        "{statistic: alpha_nominal, question: preference}\n",
        "{statistic: alpha_nominal, question: prefs}\n",
        "measures.0.question.0 'prefs' is not a question",
    ),
    "a measure of no question": (
        "{statistic: alpha_nominal, question: preference}\n",
        "{statistic: alpha_nominal}\n",
        "measures.0 alpha_nominal needs a question",
    ),
    "a mean of options": (
        "{statistic: alpha_nominal, question: preference}\n",
        "{statistic: mean, question: preference}\n",
        "measures.0.question.0 'preference' has no numbers for mean",
    ),
    "an ordinal α of options": (
        "{statistic: alpha_nominal, question: preference}\n",
        "{statistic: alpha_ordinal, question: preference}\n",
        "measures.0.question.0 'preference' has no order for alpha_ordinal",
    ),
    "a measure of a text": (
        "{statistic: alpha_nominal, question: preference}\n",
        "{statistic: alpha_nominal, question: reason}\n",
        "'reason' is a text; alpha_nominal cannot count it",
    ),
    "a proportion of an unknown value": (
        "is: [A], of",
        "is: [a lot], of",
        "measures.1.is 'a lot' is not one of A, B, tie for “preference”",
    ),
    "a proportion without its whole": (
        "is: [A], of: [A, B], by",
        "is: [A], by",
        "(proportion_a): a proportion needs 'is' and 'of'",
    ),
    "a recoding to an old id": (
        "{statistic: alpha_nominal, question: preference}\n",
        "{statistic: alpha_nominal, question: preference, recode: {reason: {some: [A]}}}\n",
        "measures.0.recode.reason is a question already; give the recoded one a new id",
    ),
    "a recoding of one value twice": (
        "{statistic: alpha_nominal, question: preference}\n",
        "{statistic: alpha_nominal, question: preference, recode: {won: {some: [A], any: [A]}}}\n",
        "measures.0.recode.won.any: A recoded twice",
    ),
    "a grouping by an unknown column": (
        "by: topic",
        "by: [model]",
        "measures.1.by.0 'model' is not a column that groups or names systems (known: topic)",
    ),
    "a correction of what is no comparison": (
        "  - {statistic: alpha_nominal, question: preference}",
        "  - {statistic: alpha_nominal, question: preference, correction: holm}",
        "(alpha_nominal): correction is for several comparisons, so only a difference takes one",
    ),
    "a correction nobody knows": (
        "  - {statistic: alpha_nominal, question: preference}",
        "  - {statistic: difference, question: strength, correction: bonferroni}",
        "measures.0.correction 'bonferroni' is not one of holm, benjamini-hochberg, none",
    ),
    "a target nobody measures": (
        "statistic: alpha_nominal, question: preference, at_least",
        "statistic: kappa_fleiss, question: preference, at_least",
        "targets.0.statistic 'kappa_fleiss' of 'preference' is not among the measures",
    ),
    "a target of an unknown question": (
        "question: preference, at_least",
        "question: verdict, at_least",
        "targets.0.question 'verdict' is not a question",
    ),
    "a target without a bound": (
        ", at_least: 0.6",
        "",
        "targets.0 (Agreement): give one of at_least, at_most",
    ),
    "a stage with an unknown question": (
        "targets:",
        "stages: [[preference, strength], [reasons]]\ntargets:",
        "stages.1.0 'reasons' is not a question; did you mean 'reason'?",
    ),
    "a question in no stage": (
        "targets:",
        "stages: [[preference, strength]]\ntargets:",
        "stages: reason is in none of them",
    ),
    "a stage before what it needs": (
        "targets:",
        "stages: [[strength], [preference, reason]]\ntargets:",
        "questions.1 (strength) needs 'preference', which comes in a later stage",
    ),
    "definitions of an unknown field": (
        "targets:",
        "definitions: {topics: {law: The law.}}\ntargets:",
        "definitions.topics 'topics' is not an item field; did you mean 'topic'?",
    ),
    "an example with a wrong answer": (
        "targets:",
        "examples: [{title: One, fields: {prompt: Hi}, answers: {preference: C}}]\ntargets:",
        "examples.0.answers.preference 'C' is not one of A, B, tie",
    ),
    "an example with a hidden field": (
        "targets:",
        "examples: [{title: One, fields: {model_a: m}, answers: {preference: A}}]\ntargets:",
        "examples.0.fields.model_a 'model_a' is not a field raters see",
    ),
    "a key twice": (
        "title: Which of two answers is better?",
        "title: Which?\ntitle: Which of two?",
        "p.yaml, line 3: title stands twice (first on line 2)",
    ),
    "an anchor": (
        "instructions: [",
        "instructions: &all [",
        "p.yaml, line 4: anchor 'all': leave it out",
    ),
    "an alias": (
        "about: Two systems answered the same prompt.",
        "about: *title",
        "line 3: an alias",
    ),
    "a tag": (
        "title: Which of two",
        "title: !!python/name:os.system Which of two",
        "p.yaml, line 2: tag 'tag:yaml.org,2002:python/name:os.system': leave it out",
    ),
    "a second document": ("targets:", "---\ntargets:", "line 37: a second document: one file, one"),
    "a broken flow mapping": (
        "{label: Pair, show: none}",
        "{label: Pair, show: none",
        "not YAML: while parsing a flow mapping",
    ),
}


def broken(before: str, after: str) -> str:
    """The sound protocol with one passage replaced; the passage must be there, and only once."""
    assert PAIRWISE.count(before) == 1, f"{before!r} stands {PAIRWISE.count(before)} times"
    return PAIRWISE.replace(before, after)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_protocol_is_refused_by_name_line_and_remedy(name):
    before, after, message = BROKEN[name]
    with pytest.raises(ProtocolError) as error:
        parse(broken(before, after), "p.yaml")
    assert message in str(error.value)
    assert str(error.value).startswith("p.yaml, line ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "p.yaml: the file is empty"),
        ("# nothing\n", "p.yaml: the file is empty"),
        ("- a\n- b\n", "p.yaml, line 1: a protocol is a mapping that begins with name:"),
        ("a: [" + "[" * 200 + "]" * 201, "p.yaml, line 1: nested deeper than 30 levels"),
        ("name: \x00", "p.yaml: not YAML"),
        ("? [a]\n: b\n", "a key must be a text"),
        ("a: " + "x" * 1_000_001, "p.yaml: larger than 300,000 bytes"),
    ],
)
def test_what_is_no_protocol_at_all_is_refused(text, message):
    with pytest.raises(ProtocolError) as error:
        parse(text, "p.yaml")
    assert message in str(error.value)


def test_all_problems_are_told_at_once_each_with_its_line():
    text = broken("type: choice", "type: chioce").replace("name: Clearly", "nam: Clearly")
    with pytest.raises(ProtocolError) as error:
        parse(text, "p.yaml")
    assert len(error.value.problems) == 2
    assert [line.split(":")[0] for line in str(error.value).splitlines()] == [
        "p.yaml, line 19",
        "p.yaml, line 30",
    ]


def test_twenty_problems_are_shown_and_the_rest_counted():
    options = "".join(f"      - {{value: v{n}}}\n" for n in range(30))
    start = PAIRWISE.index("      - {value: A")
    end = PAIRWISE.index("  - id: strength")
    with pytest.raises(ProtocolError) as error:
        parse(PAIRWISE[:start] + options + PAIRWISE[end:], "p.yaml")
    lines = str(error.value).splitlines()
    assert len(lines) == 21
    assert lines[-1] == "and 10 more"
    assert len(error.value.problems) == 30


@pytest.mark.parametrize(
    "option",
    [
        "{value: a}",
        "{value: a, descripton: x}",
        "{description: x}",
        "{value: [a], description: x}",
        "5",
    ],
)
def test_a_wrong_first_option_is_the_only_thing_that_is_wrong(option):
    text = broken("    options:\n", f"    options:\n      - {option}\n")
    with pytest.raises(ProtocolError) as error:
        parse(text, "p.yaml")
    (said,) = str(error.value).splitlines()
    assert ".options.0" in said
