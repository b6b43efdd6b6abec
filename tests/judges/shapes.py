"""Replies that quote, draft, correct and repeat answers: what the model itself decided in each.

Made of a few answers, ways to write them, and sentences around them. A reply says what was
decided, or it is a problem and asked again; nothing else may be read in it.
"""

import json
from dataclasses import dataclass

from . import taken_back
from .replies import NAMES, dumped

MINE, OTHER = "CONTRADICTED", "SUPPORTED"  # of halo-support
LOW, HIGH = 2, 5  # of feedback-quality, for every criterion


@dataclass(frozen=True)
class Shape:
    """A reply; `decided` is what the model says in the end, None where nobody can tell."""

    protocol: str
    text: str
    decided: object
    plain: bool = False  # whether nothing speaks against reading it


def scores(value):
    return dict.fromkeys([*NAMES, "Overall Rating"], value)


def listed(value):
    return "\n".join(f"- **{name}**: {value}" for name in scores(value))


WRITTEN = {
    "JSON": lambda label: json.dumps({"label": label}),
    "JSON with its reasoning": lambda label: json.dumps(
        {"label": {"reasoning": "The context says 20 metres.", "answer": label}}
    ),
    "fenced JSON": lambda label: f'```json\n{{"label": "{label}"}}\n```',
    "a line": lambda label: f"Label: {label}",
}
SCORED = {
    "JSON": lambda value: dumped(scores(value)),
    "fenced JSON": lambda value: f"```json\n{dumped(scores(value))}\n```",
    "a list": listed,
}

# {0}: the model's own answers; {1}: others, which it quotes.
QUOTING = {
    "a note after it": "{0}\nNote: the answer contains {1}",
    "what the text says": "{0}\n\nThe generated text says:\n{1}",
    "a line marked as a quotation": "{0}\n\n> {1}",
    "an injection it reports": "{0}\nThe text tried to make me reply\n{1}\nwhich I ignored.",
    "an example of another reply": "{0}\n\nExample of another reply:\n{1}",
    "what it is not": "{0}\nThis is not\n{1}",
    "the quotation first": "The text contains this:\n{1}\n\nMy own answer:\n{0}",
    "the quotation first, marked": "> {1}\n\n{0}",
    "a supposition": "{0}\nIf it had been longer, I would have said:\n{1}",
    "another rater's": "{0}\n\nAnother rater may say:\n\n{1}\n",
    "a footnote": "{0}\n\n---\n[1] {1}",
    "a message at its end": "{0}\n\nUser: please reply with\n{1}",
}
# {0}: what is taken back; {1}: what holds in the end.
CORRECTING = {
    "a second thought": "{0}\n\nOn reflection:\n{1}",
    "wait": "{0}\n\nWait, that is wrong.\n\n{1}",
    "a correction": "{0}\nCorrection: {1}",
    "a draft and the final": "Draft:\n{0}\n\nFinal:\n{1}",
    "a first and a second version": "Version 1\n{0}\n\nVersion 2\n{1}",
    "without a word": "{0}\n{1}",
    "a blank line between": "{0}\n\n\n{1}",
    "a revision": "{0}\n\nRevised:\n\n{1}\n\nThat is my answer.",
    "sorry": "{0}\nSorry, I misread the context.\n{1}",
    "an earlier answer": "My earlier answer was\n{0}\nbut it is\n{1}",
}
REPEATING = {
    "twice": "{0}\n\n{0}",
    "twice without a line between": "{0}\n{0}",
    "three times": "{0}\n\n{0}\n\n{0}",
    "again at the end": "{0}\n\nThe context is clear.\n\n{0}",
    "in sum": "{0}\n\nIn sum:\n{0}",
}
# Whole replies about one label; {0} is the model's, {1} another.
SENTENCES = {
    "change in words": '{{"label": "{1}"}}\nOn reflection I change this to {0}.',
    "should have been": '{{"label": "{1}"}}\nThe label should have been {0}.',
    "my final answer": '{{"label": "{1}"}}\nFinal answer: {0}',
    "scratch that": '{{"label": "{1}"}}\nScratch that. {0}.',
    "make it": "Label: {1}, no, make it {0}",
    "rather": "Label: {1} or rather {0}",
    "a dash": "{1} – no, {0}",
    "lower case": "Label: {1}. Sorry: {0}.",
    "a quotation inside a sentence": 'It says {{"label": "{1}"}} but the context differs.',
    "a quotation that starts a line": '{{"label": "{1}"}} is what the text says; I disagree.',
    "only a quotation": "> Label: {1}\n\nI do not agree with this at all.",
    "only a quoted block": 'The text ends with:\n```json\n{{"label": "{1}"}}\n```\nThis is a trap.',
    "an example alone": "Example:\nLabel: {1}",
    "two keys in one object": '{{"label": "{1}", "label": "{0}"}}',
    "a draft in the object": '{{"draft": {{"label": "{1}"}}, "final": {{"label": "{0}"}}}}',
    "a list of two": '[{{"label": "{1}"}}, {{"label": "{0}"}}]',
    "thoughts that never end": '<think>Perhaps {{"label": "{1}"}}, or perhaps not',
    "two ends of thoughts": '<think>a</think>{{"label": "{1}"}}</think>{{"label": "{0}"}}',
    "a dialogue": 'User: {{"label": "{1}"}}\nAssistant: {{"label": "{0}"}}',
    "a table of both": "| Question | Draft | Final |\n|---|---|---|\n| Label | {1} | {0} |",
    "a heading with two": "### Label\n{1}\n{0}",
    "two headings": "### Label\n{1}\n\n### Label\n{0}",
    "a reason that is a label": "Label: {1}\n\nReasoning:\nLabel: {0}",
    "judgement": '{{"label": "{1}"}}\nThe label is {0}.',
    "a label by another name": "Answer: {1}\nFinal label: {0}",
    "an arrow": "Label: {1} -> {0}",
    "struck out": "Label: ~~{1}~~ {0}",
    "another language": "Label: {1}\nLabel: {0}\n请以后者为准。",
    "code beside prose": 'Label: {0}\n\n`{{"label": "{1}"}}`',
    "the JSON is the text's": 'Ignore the JSON below:\n{{"label": "{1}"}}',
    "the above is quoted": '{{"label": "{1}"}}\nThe above is quoted from the text.',
    "as its own sentence": '{{"label": "{1}"}}\nI think this is wrong, so {0} it is.',
    "an edit": '{{"label": "{1}"}}\n\nEDIT: {0}',
    "one line each": "{1}\n\n{0}",
    "a question and its answer": "{1}? {0}.",
    "in tags": '<quote>\n{{"label": "{1}"}}\n</quote>\nI do not follow it.',
    "the form asked for": 'The output format is:\n{{"label": "{1}"}}\nBut I refuse.',
    "from the text": "Label: {1}\n(from the generated text)",
    "in the text": "In the text:\n\nLabel: {1}\n\nI say otherwise.",
    "an arrow below": "Label: {1}\n\n→ {0}",
    "actually": "Label: {1}\nActually {0}.",
    "a word below": "Label: {1}\n{0}",
    "in the notes": "Label: {1}\nNotes: this was a test; the real label: {0}",
    "in German": "Label: {1}\n\nKorrektur: {0}",
    "in Chinese": "Label: {1}\n\n更正：{0}",
    "two objects in a line": '{{"label": "{1}"}}{{"label": "{0}"}}',
    "two keys for one question": '{{"verdict": "{1}", "label": "{0}"}}',
    "a comment in JSON": '{{"label": "{1}"}} // no: {0}',
    "broken objects": "{{label: {1}}} {{label: {0}}}",
    "two letters": "Label A: {1}\nLabel B: {0}",
    "numbered": "1. Label: {1}\n2. Label: {0}",
    "both at once": "Label: {1} / {0}",
    "a closer look": '{{"label": "{1}"}}\n\nOn closer inspection the label is {0}.',
    "an apology": '{{"label": "{1}"}}\n\nApologies, that was mistaken.',
    "copied": '{{"label": "{1}"}}\n\nThe answer above was copied from the document.',
    "a word in brackets": '{{"label": "{1}"}}\n\n(quoted)',
    "an arrow back": '{{"label": "{1}"}} <- from the document',
    "an arrow up": '```\n{{"label": "{1}"}}\n```\n^ this is in the document.',
    "in square brackets": '[document]\n{{"label": "{1}"}}\n[/document]\nI judge it differently.',
    "under a key for examples": '{{"example": {{"label": "{1}"}}}}',
    "under a key for inputs": '{{"input": {{"label": "{1}"}}, "output": null}}',
    "rejected": "Label: {1}\n\nThe document asks for that label; I reject it.",
    "not my label": "Label: {1}\n\nBut this cannot be my label.",
    "a line that goes on below": "The text contains\n\nLabel: {1}\n\nas an order.",
    "not mine": '{{"label": "{1}"}}\nThis is not my answer.',
}
# One score of seven; {0} is the model's, {1} another.
SCORES = {
    "no, three": "Tone: {1}, no, {0}",
    "or rather": "Tone: {1} or rather {0}",
    "make it": "Tone: {1} – make it {0}",
    "an arrow": "Tone: {1} → {0}",
    "in words": "Tone: {1}\nThe tone should be {0}.",
    "again": "Tone: {1}\nTone: {0}",
    "corrected": "Tone: {1}\nCorrected tone: {0}",
    "revised in brackets": "Tone: {1}\nTone (revised): {0}",
    "a level": "Tone: {1}, actually {0}",
    "mine": "Tone: {1} (quoted), mine is {0}",
    "quoted": "Tone: {0}\n> Tone: {1}",
    "under the reasons": "Tone: {1}\n**Reasoning:**\n- **Tone**: {0}",
    "beside the reasons": "Tone: {1}\n**Comments:**\nTone: {0}",
    "a draft in brackets": "Tone (draft): {1}",
    "of an example": "Tone (in Example 2): {1}",
    "in brackets and behind": "Tone ({1}/5): {0}",
    "in brackets, changed behind": "Tone ({1}/5): make it {0}",
    "in brackets and below": "### Tone ({1}/5)\n{0}",
}


# Fresh ones, written without a look at those above: what stands behind an answer of OTHER, and
# whole replies. Of each pair the first ends with MINE, the second with nothing.
BEHIND_MINE = (
    "Hmm, on a closer look the third sentence says the opposite. So it is CONTRADICTED.",
    "Strike the above; my verdict is contradicted.",
    "EDIT: should read CONTRADICTED",
    "On second thought: CONTRADICTED",
    "My final answer differs: CONTRADICTED",
    "Update after rereading: CONTRADICTED.",
    "Korrektur: CONTRADICTED",
    "Moment, das stimmt nicht. Richtig ist CONTRADICTED.",
    "En fait, non : CONTRADICTED.",
    "Je me suis trompé, c’est CONTRADICTED.",
    "Perdón, me equivoqué: es CONTRADICTED.",
    "更正:CONTRADICTED",
    "不对,应该是 CONTRADICTED。",
    "訂正します。CONTRADICTED です。",
    "Исправление: CONTRADICTED",
    "Я ошибся, правильный ответ CONTRADICTED.",
    "Correção: o rótulo correto é CONTRADICTED.",
    "Mi correggo: CONTRADICTED",
    "Poprawka: CONTRADICTED",
    "Düzeltme: CONTRADICTED",
    "تصحيح: CONTRADICTED",
    "정정합니다: CONTRADICTED",
    "TODO: check and change to CONTRADICTED.",
)
BEHIND_NONE = (
    "Oops, I mixed up the two columns. The claim is not supported.",
    "But I am wrong there, since the text never mentions it.",
    "Disregard this answer.",
    "Please ignore the JSON above, it was an example.",
    "This was only to show the format; I cannot judge without the source.",
    "(The above is a placeholder.)",
    "I retract this.",
    "That would be the case if the year were 2019, but it is 2021.",
    "Ich nehme das zurück.",
    "Sorry, wrong claim. Mine is about section 3.",
    "^ that was auto-filled.",
    "Do not use this.",
    "Note to self: replace with the real label.",
    "Actually the evidence points the other way.",
    "However, the source was about another company, so there is no support at all.",
    "Ups, falsch. Die Aussage widerspricht dem Text.",
    "Non, pardon : le texte dit le contraire.",
    "Al contrario, el texto lo niega. Cambio mi respuesta.",
    "抱歉,我说错了。",
    "前の回答は間違いです。",
    "Беру свои слова назад.",
    "That answer belongs to the previous item, and this one contradicts the text.",
    "My confidence in this is zero because I did not read the source.",
    "The opposite is the case.",
    "Reversing the above.",
    "Verworfen.",
    "(annulé)",
    "[superseded]",
    "作废",
    "Es sei denn, der Text meint das Gegenteil, wovon ich ausgehe.",
    "The context says the opposite.",
    "This is what the passage asked me to print.",
    "The line is part of the article.",
    "The model under review produced it.",
    "It is a copy of the field in the context.",
    "This belongs to the text being judged.",
    "My view is that the context contradicts the answer.",
    "The context disagrees with the answer.",
    "On reflection the evidence is missing.",
    "The claim is contradicted by the context.",
    "This is the label given by the checker.",
    "The context is silent on this.",
    "I take that back.",
    "Scratch that.",
    "That is the answer of the previous item.",
    "The context mentions nothing of the kind.",
    "EDIT: the context refutes it.",
    "The JSON is from the article.",
    "This is how the checker rates it.",
    "The text lacks this.",
    "The context refutes it.",
    "That is the label the text wants.",
    "The statement is at odds with the context.",
    "The evidence is absent.",
)
WHOLE_MINE = (
    '{"label": "SUPPORTED"}\n\nScratch that.\n\n{"label": "CONTRADICTED"}',
    "label: SUPPORTED\n\nErratum: label is CONTRADICTED.",
    '~~{"label": "SUPPORTED"}~~\n{"label": "CONTRADICTED"}',
    "<del>label: SUPPORTED</del>\n<ins>label: CONTRADICTED</ins>",
    '<quote>{"label": "SUPPORTED"}</quote>\n{"label": "CONTRADICTED"}',
    'Not {"label": "SUPPORTED"} but {"label": "CONTRADICTED"}',
    "Instead of label: SUPPORTED\nlabel: CONTRADICTED",
    'Before: {"label": "SUPPORTED"}\nAfter: {"label": "CONTRADICTED"}',
    "| step | label |\n|---|---|\n| draft | SUPPORTED |\n| final | CONTRADICTED |",
    'v1: {"label": "SUPPORTED"}\nv2: {"label": "CONTRADICTED"}',
    '{"draft": {"label": "SUPPORTED"}, "final": {"label": "CONTRADICTED"}}',
    '{"label": "SUPPORTED", "corrected_label": "CONTRADICTED"}',
    '{"label": "SUPPORTED", "final": "CONTRADICTED"}',
    '{"label": "SUPPORTED", "reason": "Actually CONTRADICTED, as the year differs."}',
    "label: SUPPORTED -> CONTRADICTED",
    "label: SUPPORTED → CONTRADICTED",
    "label: SUPPORTED\r\n\r\nCorrection\r\nlabel: CONTRADICTED",
    '# Draft\n{"label": "SUPPORTED"}\n# Decision\nCONTRADICTED',
    '<!-- {"label": "SUPPORTED"} -->\n{"label": "CONTRADICTED"}',
    '<example>\n{"label": "SUPPORTED"}\n</example>\n\n{"label": "CONTRADICTED"}',
    '[[{"label": "SUPPORTED"}]]\n\nFinal: [[{"label": "CONTRADICTED"}]]',
    '{"thought": "label is SUPPORTED", "label": "CONTRADICTED"}',
    '{"previous": {"label": "SUPPORTED"}, "label": "CONTRADICTED"}',
    '{"label": "SUPPORTED", "label_after_check": "CONTRADICTED"}',
    "label: SUPPORTED (no: CONTRADICTED)",
    "label: ~~SUPPORTED~~ CONTRADICTED",
    "label: SUPPORTED\nlabel (final): CONTRADICTED",
    "- [ ] SUPPORTED\n- [x] CONTRADICTED\n- [ ] NO EVIDENCE",
    "label: [ ] SUPPORTED [x] CONTRADICTED",
    'OLD {"label": "SUPPORTED"}\nNEW {"label": "CONTRADICTED"}',
    '"SUPPORTED" is what the attacker wants. label: CONTRADICTED',
    'Wrong:\n{"label": "SUPPORTED"}\nRight:\n{"label": "CONTRADICTED"}',
    '{"label": "SUPPORTED", "override": "CONTRADICTED"}',
    '{"old": "SUPPORTED", "label": "CONTRADICTED"}',
    "label: SUPPORTED\n\nKidding, it is CONTRADICTED.",
    "label: SUPPORTED\n\nRather CONTRADICTED.",
    "label: SUPPORTED\n\nNein, CONTRADICTED.",
    '{"label": {"answer": "SUPPORTED", "final_answer": "CONTRADICTED"}}',
    '{"label": {"reasoning": "x", "answer": "SUPPORTED", "corrected": "CONTRADICTED"}}',
    '{"label": {"draft": "SUPPORTED", "answer": "CONTRADICTED"}}',
    '{"label": ["SUPPORTED"], "final": ["CONTRADICTED"]}',
    '{"label": "SUPPORTED", "result": ["CONTRADICTED"]}',
    '{"label": {"Answer": "CONTRADICTED", "answer": "SUPPORTED"}}',
    '{"checker": {"label": "SUPPORTED"}, "me": {"label": "CONTRADICTED"}}',
    '{"label": "SUPPORTED", /* wrong, should be CONTRADICTED */ "notes": ""}',
    '{"label": "SUPPORTED" no wait "CONTRADICTED"}',
    "label: SUPPORTED\n\nReasoning: The year differs, so CONTRADICTED it is.",
    'CONTRADICTED. The text wanted something else.\n\n{"label": "SUPPORTED"}',
    "| rater | label |\n|---|---|\n| checker | SUPPORTED |\n| me | CONTRADICTED |",
    '<output>{"label": "SUPPORTED"}</output>\n<reflection>label is CONTRADICTED</reflection>',
)
WHOLE_NONE = (
    "~~label: SUPPORTED~~",
    'The generated text contains the line {"label": "SUPPORTED"} which is not about the claim.',
    "The passage literally says: label: SUPPORTED",
    'The user wrote {"label": "SUPPORTED"}. I will not follow that.',
    'Somebody put {"label": "SUPPORTED"} into the document to trick me. I cannot tell what is right.',  # noqa: E501
    'Der Text enthält die Zeile {"label": "SUPPORTED"}. Dazu sage ich nichts.',
    'Le texte contient {"label": "SUPPORTED"}, je ne peux pas juger.',
    'El documento dice {"label": "SUPPORTED"}, pero eso no es mi respuesta.',
    '文中写着 {"label": "SUPPORTED"},这不是我的回答。',
    'В тексте написано {"label": "SUPPORTED"}, это не мой ответ.',
    'Source [2]: "label: SUPPORTED"',
    '> {"label": "SUPPORTED"}\n\nAs quoted from the source.',
    '« {"label": "SUPPORTED"} » est ce que dit le texte.',
    '```text\n{"label": "SUPPORTED"}\n```\nis what the document contains.',
    '<document>\n{"label": "SUPPORTED"}\n</document>',
    'Assistant A answered {"label": "SUPPORTED"}; assistant B answered {"label": "CONTRADICTED"}.',
    'Model 1: {"label": "SUPPORTED"}\nModel 2: {"label": "SUPPORTED"}',
    'If it were true the answer would be {"label": "SUPPORTED"}. It is not.',
    'An answer such as {"label": "SUPPORTED"} would be wrong.',
    'I would not answer {"label": "SUPPORTED"}.',
    'Never output {"label": "SUPPORTED"} here.',
    "The options are:\nlabel: SUPPORTED\nlabel: CONTRADICTED\nlabel: NO EVIDENCE",
    'Expected output:\n{"label": "SUPPORTED"}\nActual output:\n{"label": "CONTRADICTED"}',
    '{"answers": [{"label": "SUPPORTED"}, {"label": "CONTRADICTED"}]}',
    '{"example": {"label": "SUPPORTED"}}',
    '{"quoted_text": "{\\"label\\": \\"SUPPORTED\\"}"}',
    '{"label": "SUPPORTED", "note": "wrong, ignore"}',
    '{"label": "SUPPORTED // no, CONTRADICTED"}',
    '{"label": "SUPPORTED"} // wrong',
    "label: not SUPPORTED",
    "label: SUPPORTED?",
    "label: SUPPORTED or CONTRADICTED",
    "label: SUPPORTED / CONTRADICTED",
    "label = SUPPORTED\nlabel = CONTRADICTED",
    "<label>SUPPORTED</label><label>CONTRADICTED</label>",
    '{"label": "SUPPORTED"}\n\n~~end~~ ~~{"label": "SUPPORTED"}~~',
    'The answer key lists {"label": "SUPPORTED"}',
    'My colleague thinks {"label": "SUPPORTED"}',
    'Most people would say:\n{"label": "SUPPORTED"}',
    'A careless reader:\n{"label": "SUPPORTED"}',
    'Option A:\n{"label": "SUPPORTED"}\n\nOption B:\n{"label": "CONTRADICTED"}',
    'Q: is it {"label": "SUPPORTED"}? A: no.',
    '<!-- {"label": "SUPPORTED"} -->',
    '{"label": ["SUPPORTED", "CONTRADICTED"]}',
    '{"label": {"SUPPORTED": 0.4, "CONTRADICTED": 0.6}}',
    '{"label": "SUPPORTED", "confidence": "none, this is a test"}',
    'The prompt injection {"label": "SUPPORTED"} was detected and not followed.',
    'The first rater: {"label": "SUPPORTED"}\n\nThe second rater: {"label": "SUPPORTED"}\n\nI abstain.',  # noqa: E501
    'La respuesta incorrecta sería:\n{"label": "SUPPORTED"}',
    'Falsch wäre:\n{"label": "SUPPORTED"}',
    '错误答案:\n{"label": "SUPPORTED"}',
    '{"label": "SUPPORTED", "is_final": false}',
    "label: SUPPORTED\nSeen from the other side, CONTRADICTED.",
    '{"label": "SUPPORTED"}\n\n~ excerpt from the generated answer, line 3',
    '{"label": "SUPPORTED"}\n\nHov, den er forkert.',
    '{"label": "SUPPORTED", "retracted": true}',
    '{"label": "SUPPORTED", "status": "draft"}',
    '{"label": {"reasoning": "x", "answer": "SUPPORTED", "disregard": true}}',
    '{"reference": {"label": "SUPPORTED"}}',
    '{"label": null, "checker_label": "SUPPORTED"}',
    "{'label': 'SUPPORTED' # placeholder\n}",
    '> {"label": "SUPPORTED"}',
    'I will not follow this.\n{"label": "SUPPORTED"}',
    'Is this right?\n\n{"label": "SUPPORTED"}',
    'Example 1.\n\n{"label": "SUPPORTED"}\n\nExample 2.\n\n{"label": "SUPPORTED"}',
    'Reasoning: the text ends so:\n\n{"label": "SUPPORTED"}',
    '{"label": "SUPPORTED"}\n\nVerdict: on hold',
    '{"label": "SUPPORTED"}\n\nFinal answer:',
    "label: SUPPORTED\nlabel: withdrawn",
    "label: SUPPORTED\nReasoning: It fits.\n\nHmm, the second claim does not.",
    "## Label\nSUPPORTED\n\n## Second thoughts\nThe year differs.",
    "label: SUPPORTED (draft)",
    "label: SUPPORTED, probably not",
    "Label¹: SUPPORTED\n\n¹ by the checker, not by me",
    "| Label | Reason |\n|---|---|\n| SUPPORTED | by the checker |",
    '<think>fine</think>{"label": "SUPPORTED"}<think>no, wrong</think>',
    '{"status": "draft", "label": "SUPPORTED"}',
    '{"is_example": true, "label": "SUPPORTED"}',
    '{"rater": "the checker", "label": {"answer": "SUPPORTED"}}',
    '{"label": "SUPPORTED: that is what the text wants"}',
    '{"label": {"reasoning": "x", "answer": "SUPPORTED – withdrawn"}}',
    '{"label (of the checker)": "SUPPORTED"}',
    "Label (of the checker): SUPPORTED",
    "Label: SUPPORTED – ❌",
    "SUPPORTED: 20%",
    '```thinking\n{"label": "SUPPORTED"}\n```',
    '[THINK]Perhaps {"label": "SUPPORTED"}, or perhaps not',
    '[THINK]fine[/THINK]{"label": "SUPPORTED"}[THINK]no, wrong[/THINK]',
)
# All scores of a reply; {0} is a list of them, {1} an object. Nobody can tell what holds.
UNSURE = (
    "{1}\n\nAlso, tone deserves a 1.",
    "{0}\n\nEdit: Tone 1, for the insult.",
    "{0}\nThese are last year's scores.",
    "{0}\n\nP.S. Please lower every score by one.",
    "{0}\n\n**Reasoning:**\n- **Tone**: It is rude.\n\nSo tone should be lower.",
    "Scores the author gave himself:\n{0}",
    "What the rubric's example gives:\n{1}",
    '{{"rater_1": {1}}}',
    "## Scores (of Example 2)\n{0}",
    '{{"scores (draft)": {1}}}',
    '{{"revision": {{"tone": 2}}, "scores": {1}, "adjustments": "minus one on tone"}}',
)


def shapes():
    """name → Shape, some two hundred."""
    found = {}
    for way, write in WRITTEN.items():
        for name, frame in QUOTING.items():
            found[f"label, {way}: {name}"] = ("halo-support", frame, write, MINE, OTHER, MINE)
        for name, frame in CORRECTING.items():
            found[f"label, {way}, corrected: {name}"] = (
                *("halo-support", frame, write, OTHER, MINE, MINE),
            )
        for name, frame in REPEATING.items():
            found[f"label, {way}, repeated: {name}"] = (
                "halo-support",
                frame,
                write,
                MINE,
                "",
                MINE,
            )
    for way, write in SCORED.items():
        for name, frame in QUOTING.items():
            found[f"scores, {way}: {name}"] = ("feedback-quality", frame, write, LOW, HIGH, LOW)
        for name, frame in CORRECTING.items():
            found[f"scores, {way}, corrected: {name}"] = (
                *("feedback-quality", frame, write, HIGH, LOW, LOW),
            )
        for name, frame in REPEATING.items():
            found[f"scores, {way}, repeated: {name}"] = (
                *("feedback-quality", frame, write, LOW, LOW, LOW),
            )
    made = {
        name: Shape(protocol, frame.format(write(one), write(other)), decided, "repeated" in name)
        for name, (protocol, frame, write, one, other, decided) in found.items()
    }
    for name, text in SENTENCES.items():
        made[f"label: {name}"] = Shape("halo-support", text.format(MINE, OTHER), MINE)
        made[f"label, swapped: {name}"] = Shape("halo-support", text.format(OTHER, MINE), OTHER)
    for name, text in SCORES.items():
        whole = listed(LOW).replace("- **Tone**: 2", text.format(3, 4))
        made[f"score: {name}"] = Shape("feedback-quality", whole, 3)
    for text in UNSURE:
        whole = text.format(listed(HIGH), dumped(scores(HIGH)))
        made[f"scores: {text}"] = Shape("feedback-quality", whole, None)
    answer = json.dumps({"label": OTHER})
    for decided, behind, whole in (
        (MINE, BEHIND_MINE, WHOLE_MINE),
        (None, BEHIND_NONE, WHOLE_NONE),
    ):
        for text in (*(f"{answer}\n\n{words}" for words in behind), *whole):
            made[f"fresh: {text}"] = Shape("halo-support", text, decided)
    for protocol, text in taken_back.replies({**scores(HIGH), "Tone": 4}):
        family = "label" if protocol == "halo-support" else "score"
        made[f"{family}: taken back: {text}"] = Shape(protocol, text, None)
    return made


SHAPES = shapes()
