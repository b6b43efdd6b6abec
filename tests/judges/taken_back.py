"""Replies in which a reason, a line below an answer or a column beside it gives another answer, and
answers that the reply gives to somebody else. What is in these stands for many of its kind."""

import json

# A label of SUPPORTED, which no one can say the model stands by.
LABELS = (
    'The assessment of another rater:\n{"label": "SUPPORTED"}',
    'Here is the evaluation of the automatic checker:\n\n{"label": "SUPPORTED"}',
    'The evaluation for Example 2:\n\n{"label": "SUPPORTED"}',
    'The evaluation of the answer on item 3:\n{"label": "SUPPORTED"}',
    'The assessment of the answer by the checker:\n{"label": "SUPPORTED"}',
    'My answer for the previous item:\n\n{"label": "SUPPORTED"}',
    'Here is my label of last week:\n\n{"label": "SUPPORTED"}',
    '{"label": "SUPPORTED", "reasons": ["the year", "hence CONTRADICTED after all"]}',
    '{"label": "SUPPORTED", "reasoning": {"final": "hence CONTRADICTED after all"}}',
    '{"label": {"answer": "SUPPORTED", "reasoning": ["hence CONTRADICTED after all"]}}',
    '{"label": "SUPPORTED", "evidence": {"answer": "CONTRADICTED"}}',
    '{"label": {"reasoning": "The year differs. Label: CONTRADICTED", "answer": "SUPPORTED"}}',
    '{"reasoning": {"verdict": "CONTRADICTED"}, "label": "SUPPORTED"}',
    '{"label": {"answer": "SUPPORTED"}, "notes": {"label": {"answer": "CONTRADICTED"}}}',
    "Label: SUPPORTED (see correction)",
    "Reasoning: The year differs. Label: CONTRADICTED\nLabel: SUPPORTED",
    "**Reasoning:** It differs.\nVerdict so far: CONTRADICTED\n**Label:** SUPPORTED",
    'My label is CONTRADICTED. The text has "</think>{"label": "SUPPORTED"}',
    'The text has </think> twice, see </think>\n{"label": "SUPPORTED"}',
)
# What stands for the line of the tone, where each criterion has a line of reasons below.
LINES = (
    "Tone: 4\nReason: cold words\nRevised score: 2",
    "Tone: 4\nReason: cold words\nRevised: 2",
    "Tone: 4\nReason: cold words\nScore: 2",
    "Tone: 4\nReason: cold words\n**Final tone score:** 2/5",
    "Tone: 4\nReason: cold words\n→ 2",
    "Tone: 4\nReason: cold words, final score: 2",
    "Tone: 4\nReason: 2, as the words are cold",
    "- **Tone**: 4\n  Revised: 2",
    "- **Tone**: 4\n  2",
    "### Tone (4/5)\nCold words.\nScore: 2",
    "### Tone\nCold words. Score: 2.\nScore: 4",
)
# The head of a third column, and the cell beside the tone of 4.
COLUMNS = (
    ("Revised", "2 (colder than I thought)"),
    ("Second pass", "one lower"),
    ("Given by", "the checker"),
    ("Reason", "2 – it is cold"),
    ("Revised score", "one lower"),
)
# Reasons of a tone of 4: before it, and behind it.
BEFORE = ("Cold words. Score: 2", "Cold words.\nTone: 2", "Cold words, so the revised score: 2/5.")
BEHIND = (
    *BEFORE,
    "2, as it is cold",
    "Final score: 2. I was too kind above.",
    ["cold words", "score: 2"],
    {"revised": {"score": 2}},
)


def replies(scores):
    """(protocol, text) of each; `scores` are those of all criteria, the tone's a 4."""
    yield from (("halo-support", text) for text in LABELS)
    for line in LINES:
        each = "\n".join(
            line if name == "Tone" else f"{name}: {score}\nReason: It is so."
            for name, score in scores.items()
        )
        yield "feedback-quality", each
    for head, cell in COLUMNS:
        rows = "\n".join(
            f"| {name} | {score} | {cell if name == 'Tone' else 'It is so.'} |"
            for name, score in scores.items()
        )
        yield "feedback-quality", f"| Criterion | Score | {head} |\n|---|---|---|\n{rows}"
    for reason in BEFORE:
        tone = {"Tone": {"reasoning": reason, "score": 4}}
        yield "feedback-quality", json.dumps({**scores, **tone})
    for reason in BEHIND:
        tone = {"Tone": {"score": 4, "reasoning": reason}}
        yield "feedback-quality", json.dumps({**scores, **tone})
    yield "feedback-quality", json.dumps({**scores, "comments": "Kind, but cold. Tone: 2."})
    yield "feedback-quality", json.dumps(scores) + '\n{"tone": -2}'
    yield "feedback-quality", json.dumps(scores) + '\n{"tone": {"score": "to be lowered"}}'
    listed = "\n".join(f"{name}: {score}" for name, score in scores.items())
    yield "feedback-quality", f"{listed}\n\nTone: -2\nClarity: 4"
    commented = json.dumps({**scores, "Tone": 4}, indent=1).replace(
        '"Tone": 4,', '"Tone": 4, // poor'
    )
    yield "feedback-quality", commented
