"""Replies as models write them: name → (text, expected). Expected are the six scores and the
overall score, as one string, or the status of a reply that makes no answers."""

import json

NAMES = ("Correctness", "Clarity", "Tone", "Actionability", "Coherence", "Emotion")
SCORES = dict(zip(NAMES, (5, 4, 3, 2, 4, 1)))
ALL = "5 4 3 2 4 1 3.5"
WHY = {name: f"The {name.lower()} rests on “the second part”, said 2 times." for name in NAMES}


def lines(pattern, overall="- **Overall Rating**: 3.5", scores=SCORES):
    each = (pattern.format(n=name, s=score) for name, score in scores.items())
    return "\n".join([*each, overall])


def named(*words):
    return lines("{n}: {s}", "Overall: 3.5", dict(zip(NAMES, words)))


def reasons(pattern="- **{n}**: {w}"):
    return "\n".join(pattern.format(n=name, w=why) for name, why in WHY.items())


def flat(**more):
    return {**SCORES, "Overall Rating": 3.5, **more}


def nested(key="score", why="reasoning"):
    content = {name.lower(): {why: WHY[name], key: score} for name, score in SCORES.items()}
    return {**content, "overall": {why: "All in all.", key: 3.5}}


def dumped(content):
    return json.dumps(content, ensure_ascii=False, indent=2)


GUIDE = lines("- **{n}**: {s}")
EXAMPLE = lines("- **{n}**: 5", "- **Overall Rating**: 5", dict.fromkeys(NAMES, 5))
TEMPLATE = "\n".join(f"- **{name}**: score" for name in (*NAMES, "Overall Rating"))

REPLIES = {
    # Markdown
    "the guide's own format": (GUIDE, ALL),
    "with its reasoning": (f"{GUIDE}\n\n**Reasoning:**\n\n{reasons()}", ALL),
    "reasoning first": (f"**Reasoning:**\n\n{reasons()}\n\n**Output:**\n\n{GUIDE}", ALL),
    "reasoning as a heading": (f"## Scores\n{GUIDE}\n\n## Reasoning\n{reasons()}", ALL),
    "justifications": (f"{GUIDE}\n\n### Justification\n{reasons()}", ALL),
    "out of five": (lines("- **{n}**: {s}/5", "- **Overall Rating**: 3.5/5"), ALL),
    "out of five, in words": (lines("{n}: {s} out of 5", "Overall Rating: 3.5 out of 5"), ALL),
    "colon within the bold": (lines("- **{n}:** {s}", "- **Overall Rating:** 3.5"), ALL),
    "all in bold": (lines("**{n}: {s}**", "**Overall Rating: 3.5**"), ALL),
    "scores in bold": (lines("{n}: **{s}**", "Overall Rating: **3.5**"), ALL),
    "no bullets": (lines("{n}: {s}", "Overall Rating: 3.5"), ALL),
    "stars for bullets": (lines("* {n}: {s}", "* Overall Rating: 3.5"), ALL),
    "numbered": (
        "\n".join(f"{i}. **{n}**: {s}" for i, (n, s) in enumerate(SCORES.items(), 1))
        + "\n7. **Overall Rating**: 3.5",
        ALL,
    ),
    "dashes": (lines("{n} – {s}", "Overall Rating – 3.5"), ALL),
    "hyphens": (lines("{n} - {s}", "Overall Rating - 3.5"), ALL),
    "equals signs": (lines("{n} = {s}", "Overall = 3.5"), ALL),
    "a word after the score": (lines("- **{n}**: {s} (see below)"), ALL),
    "a reason after the score": (lines("- **{n}**: {s} – it says “the second part”"), ALL),
    "a reason after a comma": (lines("{n}: {s}, because it says so", "Overall: 3.5"), ALL),
    "names with their gloss": (
        GUIDE.replace("**Correctness**", "**Correctness (Accuracy & Helpfulness)**"),
        ALL,
    ),
    "names with their scale": (lines("- **{n} (1–5)**: {s}"), ALL),
    "scores in brackets": (
        lines("1. **{n} ({s}/5):** It says so.", "**Overall Rating (3.5/5):** All in all."),
        ALL,
    ),
    "headings with scores in brackets": (
        lines("### {n} ({s}/5)\nIt says so.\n", "### Overall Rating (3.5/5)\nAll in all."),
        ALL,
    ),
    "a reason with figures": (lines("- **{n}**: {s} – p = 0.025 with 24 plants"), ALL),
    "lower case": (lines("- {n}: {s}", "- overall rating: 3.5").lower(), ALL),
    "upper case": (lines("- {n}: {s}", "- overall rating: 3.5").upper(), ALL),
    "“score” after the name": (lines("{n} Score: {s}", "Overall Score: 3.5"), ALL),
    "level names": (named("Excellent", "Good", "Average", "Poor", "Good", "Unacceptable"), ALL),
    "level names with numbers": (
        named("Excellent (5)", "Good (4)", "Fair (3)", "Poor (2)", "Good (4)", "Unacceptable (1)"),
        ALL,
    ),
    "numbers with level names": (
        named(
            "5 (Excellent)", "4 (Good)", "3 (Adequate)", "2 (Poor)", "4 - Good", "1 (Unacceptable)"
        ),
        ALL,
    ),
    "a table": (
        "| Criterion | Score |\n|---|---|\n" + lines("| {n} | {s} |", "| Overall Rating | 3.5 |"),
        ALL,
    ),
    "a table with reasons": (
        "| Criterion | Score | Reason |\n|:--|--:|---|\n"
        + lines("| **{n}** | {s} | It says so. |", "| Overall | 3.5 | – |"),
        ALL,
    ),
    "a table with a column for each": (
        f"| {' | '.join((*NAMES, 'Overall'))} |\n|{'---|' * 7}\n| {ALL.replace(' ', ' | ')} |",
        ALL,
    ),
    "headings": (lines("### {n}\n{s}", "### Overall Rating\n3.5"), ALL),
    "headings, then Score": (
        lines("### {n}\nScore: {s}\nReasoning: It says so, 2 times.", "### Overall\nScore: 3.5"),
        ALL,
    ),
    "headings with bold scores": (
        lines("**{n}**\n- Score: **{s}**", "**Overall**\n- Score: 3.5"),
        ALL,
    ),
    "headings, reason first": (
        lines("#### {n}\nJustification: So it is.\nScore: {s}/5", "#### Overall\nScore: 3.5/5"),
        ALL,
    ),
    "headings, a sentence, then Score": (
        lines("### {n}\nIt says so.\n\n**Score: {s}**\n", "### Overall\nAll in all.\nScore: 3.5"),
        ALL,
    ),
    "reasons that try another score": (
        lines("{n}: {s}\nReason: At first a 2. Initial score: 2. But it warms up.", "Overall: 3.5"),
        ALL,
    ),
    "the rewritten feedback between": (
        f'{GUIDE}\n\n**Feedback:**\n"Do it again."\n\n**Reasoning:**\n{reasons()}',
        ALL,
    ),
    "an opening sentence": (f"Here is my evaluation of the feedback.\n\n{GUIDE}", ALL),
    "a closing sentence": (f"{GUIDE}\n\nLet me know if you need more.", ALL),
    "Windows line ends": (GUIDE.replace("\n", "\r\n"), ALL),
    "blank lines between": (GUIDE.replace("\n", "\n\n\n"), ALL),
    "in a quotation": ("\n".join(f"> {line}" for line in GUIDE.splitlines()), ALL),
    "in a fence": (f"```markdown\n{GUIDE}\n```", ALL),
    "the example, then its own": (f"{EXAMPLE}\n\n**Output:**\n\n{GUIDE}", ALL),
    "the example, no heading between": (f"{EXAMPLE}\n{GUIDE}", ALL),
    "the template, then its own": (f"{TEMPLATE}\n\n{GUIDE}", ALL),
    "its own, then the template": (f"{GUIDE}\n\n{TEMPLATE}", ALL),
    "another order": ("\n".join(reversed(GUIDE.splitlines())), ALL),
    # JSON
    "flat JSON": (dumped(flat()), ALL),
    "flat JSON in one line": (json.dumps(flat()), ALL),
    "JSON as asked for": (dumped(nested()), ALL),
    "“rating” for “score”": (dumped(nested("rating", "justification")), ALL),
    "“value” and “comment”": (dumped(nested("value", "comment")), ALL),
    "strings for numbers": (dumped({k: str(v) for k, v in flat().items()}), ALL),
    "strings out of five": (dumped({k: f"{v}/5" for k, v in flat().items()}), ALL),
    "floats for whole numbers": (dumped({k: float(v) for k, v in flat().items()}), ALL),
    "reasoning with the same keys": (dumped(flat(Reasoning=WHY)), ALL),
    "reasoning before": (dumped({"Reasoning": WHY, **flat()}), ALL),
    "the same keys twice in one object": (dumped(flat())[:-2] + "," + dumped(WHY)[1:], ALL),
    "nested ratings": (dumped({"Criterion_Ratings": SCORES, "Overall_Rating": 3.5}), ALL),
    "nested twice": (dumped({"evaluation": {"scores": SCORES, "overall": {"score": 3.5}}}), ALL),
    "a list of criteria": (
        dumped(
            {
                "ratings": [
                    *({"criterion": n, "score": s, "reason": WHY[n]} for n, s in SCORES.items()),
                    {"criterion": "Overall Rating", "score": 3.5},
                ]
            }
        ),
        ALL,
    ),
    "a list at the top": (
        dumped(
            [
                *({"name": n, "rating": s} for n, s in SCORES.items()),
                {"name": "Overall", "rating": 3.5},
            ]
        ),
        ALL,
    ),
    "ids for names": (dumped({**{n.lower(): s for n, s in SCORES.items()}, "overall": 3.5}), ALL),
    "fenced JSON": (f"```json\n{dumped(flat())}\n```", ALL),
    "fenced without a language": (f"```\n{dumped(nested())}\n```", ALL),
    "of the feedback that was made": (
        f"Here's the evaluation of the AI-generated feedback:\n\n{dumped(flat())}",
        ALL,
    ),
    "of the feedback on a subject": (
        f"Here is my evaluation of the student's feedback on deltas in Egypt:\n\n{dumped(flat())}",
        ALL,
    ),
    "a courtesy behind": (f"{dumped(flat())}\n\nLet me know if you would like more detail.", ALL),
    "words around JSON": (f"Sure, here it is:\n{dumped(flat())}\nI hope this helps.", ALL),
    "thoughts before JSON": (
        f"<think>Clarity may be 2 or 3 {{hm}}.</think>\n{dumped(flat())}",
        ALL,
    ),
    "JSON of the example, then its own": (
        f"{dumped(dict.fromkeys(flat(), 5))}\n\n{dumped(flat())}",
        ALL,
    ),
    "a fenced draft, then the final": (
        f"```json\n{dumped(dict.fromkeys(flat(), 2))}\n```\nFinal:\n```json\n{dumped(flat())}\n```",
        ALL,
    ),
    "a byte order mark": ("\ufeff" + dumped(flat()), ALL),
    "confidence and suggestions": (
        dumped(flat(Confidence="80–100%", Suggestions="Name a chapter.")),
        ALL,
    ),
    # JSON with slips, repaired
    "a comma too many": (dumped(flat()).replace("3.5\n", "3.5,\n"), ALL),
    "single quotes": (dumped(flat()).replace('"', "'"), ALL),
    "keys without quotes": (
        "{" + ", ".join(f"{n}: {s}" for n, s in SCORES.items()) + ", overall: 3.5}",
        ALL,
    ),
    "comments in JSON": (dumped(flat()).replace("5,", "5, // excellent", 1), ALL),
    "a missing comma": (dumped(flat()).replace("5,", "5", 1), ALL),
    # No answers
    "nothing": ("", "parse_error"),
    "blanks": (" \n\n", "parse_error"),
    "prose": ("This feedback is quite good and I would give it a high mark.", "parse_error"),
    "prose with numbers": ("Of 5 points I would give 4 for clarity, 3 for tone.", "parse_error"),
    "the template alone": (TEMPLATE, "parse_error"),
    "a refusal": ("I'm sorry, but I can't help with that.", "refused"),
    "a refusal with a typographic quote": ("I’m unable to evaluate this feedback.", "refused"),
    "as a language model": ("As an AI language model I have no opinions.", "refused"),
    "one score only": ("Overall Rating: 4", "partial"),
    "JSON without scores": (dumped({"Reasoning": WHY}), "parse_error"),
    "scores of null": (dumped(dict.fromkeys(flat())), "parse_error"),
    "empty objects": (dumped({name: {} for name in flat()}), "parse_error"),
    "true for a score": (dumped(dict.fromkeys(flat(), True)), "parse_error"),
    "a six": (GUIDE.replace("Correctness**: 5", "Correctness**: 6"), "partial"),
    "a zero": (dumped(flat(Clarity=0)), "partial"),
    "minus one": (dumped(flat(Clarity=-1)), "partial"),
    "half a point": (GUIDE.replace("Tone**: 3", "Tone**: 3.5"), "partial"),
    "on another scale": (GUIDE.replace("Tone**: 3", "Tone**: 8/10"), "partial"),
    "a range": (GUIDE.replace("Tone**: 3", "Tone**: 3-4"), "partial"),
    "either or": (GUIDE.replace("Tone**: 3", "Tone**: 3 or 4"), "partial"),
    "a percentage": (GUIDE.replace("Tone**: 3", "Tone**: 60%"), "partial"),
    "number and name at odds": (GUIDE.replace("Tone**: 3", "Tone**: 3 (Excellent)"), "partial"),
    "a criterion left out": (GUIDE.replace("- **Tone**: 3\n", ""), "partial"),
    "no overall score": ("\n".join(GUIDE.splitlines()[:-1]), "partial"),
    "not applicable": (GUIDE.replace("Tone**: 3", "Tone**: N/A"), "partial"),
    "one key with two scores": (
        '{"Correctness": 5, "Correctness": 2, '
        + dumped(flat())[1:].replace('"Correctness": 5,', ""),
        "partial",
    ),
    "infinity": (dumped(flat()).replace("3.5", "Infinity"), "partial"),
    "a huge number": (dumped(flat()).replace("3.5", "9" * 400), "partial"),
    "JSON that never ends": (dumped(flat())[:60], "partial"),
}

# One label, and around it words that leave it what it is.
OWN = {
    "a closing word": '{"label":"SUPPORTED"}\nI hope this helps.',
    "a fence and a closing word": 'My label:\n```json\n{"label":"SUPPORTED"}\n```\nThank you.',
    "reasons before": 'The context says 20 metres, the answer too.\n\n{"label":"SUPPORTED"}',
    "an introduction": 'Based on the context, my label is:\n\n{"label": "SUPPORTED"}',
    "the same line": 'Answer: {"label": "SUPPORTED"}',
    "a denial in its reasons": "**Label:** SUPPORTED\n\n**Reasoning:** Nothing is contradicted.",
    "a denial after JSON": '{"label":"SUPPORTED"}\n\nReasoning: it is not contradicted.',
    "a denial before": "The context does not say that it is contradicted.\n\nLabel: SUPPORTED",
    "thoughts": '<think>\n{"label":"CONTRADICTED"}? No.\n</think>\n\n{"label": "SUPPORTED"}',
    "steps": 'Step 1: a claim.\nTherefore:\n\n```json\n{"label": "SUPPORTED"}\n```',
    "the label again in its reasons": "Label: SUPPORTED\nExplanation: It is supported.",
    "a sentence before": "The answer is supported by the context.\nLabel: SUPPORTED",
    "a heading": "### Label\nSUPPORTED\n\n### Reasoning\nIt says 20 metres.",
    "a final answer": "Final answer: SUPPORTED",
    "of the text": 'Here is my label for the answer of the text:\n{"label": "SUPPORTED"}',
    "of a draft": 'Here is my evaluation of the draft:\n{"label": "SUPPORTED"}',
    "an introduction of its own": 'Here is my evaluation:\n\n{"label": "SUPPORTED"}',
    "reasons in bold": '{"label": "SUPPORTED"}\n\n**Reasoning:** the context is clear.',
    "a hope": '{"label": "SUPPORTED"}\n\nHope this helps!',
    "because": '{"label": "SUPPORTED"}\n\nBecause the context explicitly mentions the town.',
    "an explanation that denies": '{"label": "SUPPORTED"}\n\nExplanation: Nothing contradicts it.',
    "short thoughts": '<think>maybe CONTRADICTED</think>{"label": "SUPPORTED"}',
    "a look first": 'In the context the bridge is 20 metres long.\n\n{"label": "SUPPORTED"}',
    "a dash": '{"label": "SUPPORTED"}\n\nJustification - the context has the town as the builder.',
    "thoughts that a template opens": 'It has 20 metres.\n</think>\n\n{"label": "SUPPORTED"}',
    "tags": '<answer>\n{"label": "SUPPORTED"}\n</answer><|im_end|>',
    "a comma too many": '{"label": {"reasoning": "so", "answer": "SUPPORTED"},}',
    "steps, and an introduction": "Step 1: a year.\n\nStep 2: the same.\n\nFinal answer: SUPPORTED",
    "an analysis": "**Analysis:**\n\nIt claims a year. It is there.\n\n**Label:** SUPPORTED",
    "thoughts in the object": '{"thought": "NO EVIDENCE? It is there.", "label": "SUPPORTED"}',
    "a doubt in its reasons": '{"label": {"reasoning": "NO EVIDENCE? No.", "answer": "SUPPORTED"}}',
    "a doubt in its notes": '{"label": {"answer": "SUPPORTED"}, "notes": "nearly NO EVIDENCE"}',
    "the end of thoughts, quoted": '{"label": {"reasoning": "</think> is", "answer": "SUPPORTED"}}',
    "a confidence": '{"label": "SUPPORTED", "confidence": 0.9}',
    "claims before JSON": '**Claim 1:** 20 metres.\n- It is there.\n\n{"label": "SUPPORTED"}',
    "thoughts in square brackets": '[THINK]{"label": "NO EVIDENCE"}?[/THINK]{"label": "SUPPORTED"}',
    "channels": "<|channel|>analysis<|message|>CONTRADICTED? No.<|end|><|start|>assistant"
    '<|channel|>final<|message|>{"label": "SUPPORTED"}<|return|>',
    "channels without their signs": 'analysisIt is there.assistantfinal{"label": "SUPPORTED"}',
    "the end of thoughts in a line": 'Is it there? Yes.</think>{"label": "SUPPORTED"}',
    "a label of a claim": '{"label": {"reasoning": "Claim 1: SUPPORTED.", "answer": "SUPPORTED"}}',
    "reasons by claim": '{"reasoning": {"claim 1": "It is there."}, "label": "SUPPORTED"}',
    "a list of reasons": '{"label": {"reasoning": ["It is there."], "answer": "SUPPORTED"}}',
    "a tag around it": "<reasoning>It is there.</reasoning>\n<answer>SUPPORTED</answer>",
    "sentences and JSON": 'The answer has 1862. So has the context.\n\n{"label": "SUPPORTED"}',
}
# Words that may be reasons, or the opposite: nothing but what they mean could tell.
ASKED = (
    '{"label": "SUPPORTED"}\n\nThe context supports the statement.',
    '{"label": "SUPPORTED"}\n\nBoth texts give 20 metres, which is the length.',
    '{"label": "SUPPORTED"}\n\nThe answer agrees: the context has 20 metres.',
    '{"label": "SUPPORTED"}\n\n- The context gives it.\n- The answer repeats it.',
)
