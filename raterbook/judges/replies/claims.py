"""Which block of answers is a reply's own; whatever else it holds is data: quoted, drafted, echoed.

A reply is read where it is its answers, the same ones again included. Around them may stand what is
on a short list: thoughts in a tag it opens with, an introduction, reasons that are called so, a
farewell, and whole sentences that lead to an answer which ends the reply. With any other word
before or behind, and with answers that differ, it is asked for again, and JSON alone is asked for.

So no list says which words take an answer back, and blocks are not ranked by their place. Promised:
what is quoted, drafted or corrected around an answer, in whatever language, is not read for it.
Not promised: that reasons agree with their answer. They are data, whatever they say, and the answer
decides; only where they give it another value under its name (“Score: 2”, reasons.py), or come
after it and spell another option as the protocol does (“CONTRADICTED”), is the reply asked for
again. Nor what a text says that was asked for beside it: notes may name what was nearly chosen, and
a person's label is not changed by them either. Nor that sentences which end before an answer do not
give it to somebody else, unless what was sent has the same block: then it may be a quotation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from raterbook.judges.replies.interpret import Said, name_of
from raterbook.judges.replies.objects import words_of
from raterbook.judges.replies.values import ParsedAnswer, read_value
from raterbook.judges.replies.vocabulary import WHOLE
from raterbook.judges.sheets import Cell, Sheet, is_closed

if TYPE_CHECKING:
    from raterbook.judges.replies import Echo, Parsed
    from raterbook.judges.replies.markdown import Blocks


@dataclass(frozen=True)
class Claim:
    """One block of answers, where it stands, and the reasons in it that come after their answer."""

    parsed: Parsed
    start: int
    end: int
    behind: list[str] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    unread: frozenset[Cell] = frozenset()  # what it gives a value that is no answer


def contradictions(claims: list[Claim], around: list[Said], sheet: Sheet) -> list[str]:
    """The questions with two answers, in what counts: scores, labels, answers, percentages."""
    said = [*around, *(one for claim in claims for one in claim.said)]
    if len(claims) < 2 and not said:
        return []
    first: dict[Cell, ParsedAnswer] = {}
    found: dict[Cell, None] = {}
    for claim in claims:
        for (part, name), given in claim.parsed.answers.items():
            question = sheet.protocol.question(name)
            if is_closed(question) or question.is_numeric:
                known = first.setdefault((part, name), given)
                if not _same(known, given):
                    found[part, name] = None
    found.update(dict.fromkeys(cell for one in claims for cell in one.unread if cell in first))
    for cell, question, text in said:
        if cell in first:
            try:
                given = read_value(question, text)
            except (ValueError, TypeError, OverflowError):
                continue
            if not _same(first[cell], given):
                found[cell] = None
    return [f"{name_of(cell)} is given more than once, with different values" for cell in found]


def _same(one: ParsedAnswer, other: ParsedAnswer) -> bool:
    return (one.status, one.value, one.reason) == (other.status, other.value, other.reason)


def spelled(texts: Iterable[str], parsed: Parsed, sheet: Sheet) -> list[str]:
    """The options that texts spell as a code, and that nothing was answered with.

    Codes are in capitals, as no prose is; of options called “accurate” nothing is known here.
    """
    chosen = {given.value for given in parsed.answers.values()}
    options = [option.value for question in sheet.questions for option in question.options]
    codes = [one for one in options if len(one) > 3 and one.isupper() and one not in chosen]
    text = "\n".join(texts) if codes else ""
    return [code for code in codes if re.search(rf"\b{re.escape(code)}\b", text)]


_SENTENCES = re.compile(r"\**[^\W\d_].*[.。]")
_COLON = re.compile("[:：]")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")


def strangers(around: Blocks, claims: list[Claim], own: str, echo: Echo, sheet: Sheet) -> list[str]:
    """The lines that may make a block another's, or take it back: all that belong to no answer.

    But for those between the same answers, and for whole sentences that lead to the one answer,
    which ends the reply: the reasons of a model that thinks aloud. The last has no colon, none
    spells another option, JSON stands apart from them, and nothing sent has the same block.
    """
    first, last = claims[0], claims[-1]
    before = [(start, line) for start, line in around.loose if start < first.start]
    behind = [line for start, line in around.loose if start >= last.start]
    lines = [line for _, line in before]
    if behind or around.behind or first is not last or not before:
        return [*lines, *behind]
    if first.parsed.shape != "markdown" and not _BLANK_LINE.search(own, before[-1][0], first.start):
        return lines
    whole = all(map(_SENTENCES.fullmatch, lines)) and not _COLON.search(lines[-1])
    sent = echo.has(own[first.start : first.end], 1)
    return [] if whole and not sent and not spelled(lines, first.parsed, sheet) else lines


# A fence that says what is in it by another name than a format's is no fence of answers.
FENCE = re.compile(r"`{3,}(?:json\w?|ya?ml|markdown|md|te?xt|plaintext)?", re.IGNORECASE)
LONG_EXAMPLE = 60  # characters of an example, if nothing but another block follows it
MANY = 3  # answers of one block; fewer may be alike by chance
NEAR = 160  # characters between two blocks, where one follows the other


def standing(claims: list[Claim], own: str, echo: Echo) -> list[Claim]:
    """Without a draft before what the reply itself calls final, and an example before its own.

    Both need the prompt, so that what is quoted from it is known, and a last block of many answers
    behind which nothing comes.
    """
    last = claims[-1] if claims else None
    if last is None or len(claims) < 2 or not echo.known or own[last.end :].strip(" \n`"):
        return claims
    if not last.parsed.ok or len(last.parsed.answers) < MANY:
        return claims
    if echo.has(own[last.start : last.end], 1):
        return claims
    before = own[claims[-2].end : last.start]
    lead = FENCE.sub("", before).strip() if len(before) < NEAR else ""
    if claims[-2].parsed.shape == last.parsed.shape and "final" in lead.casefold():
        return [last] if introduces(lead) else claims
    first = claims[0]
    leads = len(claims) == 2 and not own[: first.start].strip()
    if not leads or re.search(r"\w\W+\w", before) is not None:
        return claims
    return [last] if echo.has(own[first.start : first.end], LONG_EXAMPLE) else claims


# The words that may stand around answers: they lead to them, or away from them, and say nothing.


_CALLED = (
    rf"(?:(?:own|final|overall|complete|requested|json) )*(?:{'|'.join(sorted(WHOLE))}|final)s?"
)
_INTRODUCES = re.compile(
    r"(?:(?:sure|ok|okay|certainly|of course)[,.!: ]*)?"
    r"(?:(?:so|thus|therefore|hence|in sum|in summary|based on the \w{1,20})\b[,: ]*)?"
    r"(?:(?:here(?:['’]s| is| are| it is| they are)?|this is|below is|i (?:rate|give|choose))\b ?)?"
    rf"(?:(?:my {_CALLED}|the (?:evaluation|assessment))"
    r"(?: (?:for|of)(?P<of>(?: [\w'’-]{1,20}){1,8}))?"
    rf"|(?:(?:the|an?) )?{_CALLED})?"
    r"(?: (?:object|format))?(?: in json)?(?: (?:is|are))?(?: as follows| below)?[ :：.…!]*",
    re.IGNORECASE,
)
_TAKES_LEAVE = re.compile(
    r"(?:(?:i )?hope (?:this|that|it) helps|thanks|thank you|done|best regards"
    rf"|that(?:['’]s| is) all|(?:this|that) is my {_CALLED}"
    r"|(?:please )?(?:let me know if|feel free to ask)(?: (?:you|there|is|are|have|need|want|any|me"
    r"|would|like|anything|else|more|further|other|questions?|details?|information|help))+)[ .!]*",
    re.IGNORECASE,
)
_TAGS = re.compile(
    rf"</?{_CALLED}>|<\|(?:im_end|eot_id|return|end\w{{0,12}})\|>|</s>", re.IGNORECASE
)
_ENDS = re.compile(r"(?<=[.!]) ")
_MARKS = " \t*_#`"
LONGEST_LINE = 200  # characters; nothing longer introduces anything


_TOPIC = re.compile(r" (?:on|about|regarding) ", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_JUDGED = frozenset(
    {
        *("a", "the", "this", "that", "these", "your", "its", "each", "all", "both", "six", "s"),
        *("of", "for", "by", "to", "in", "with", "against", "and", "whether", "is"),
        *("following", "given", "provided", "submitted", "generated", "ai", "supports"),
        *("text", "texts", "draft", "item", "student", "essay", "work", "response", "criteria"),
    }
)


def introduces(line: str, subject: AbstractSet[str] = frozenset()) -> bool:
    """Whether a line leads to answers and says nothing else.

    They may be called those “of the feedback on deltas”, by words of the `subject` that is judged
    and what it is about: those of somebody else, or of another text, are not the reply's.

    >>> [introduces(line) for line in ("Here is my evaluation:", "The text says:", "My draft:")]
    [True, False, False]
    >>> [introduces(f"The evaluation of the {whom}:") for whom in ("text", "previous text")]
    [True, False]
    """
    found = _INTRODUCES.fullmatch(line.strip(_MARKS)) if len(line) <= LONGEST_LINE else None
    if found is None:
        return False
    judged, *topic = _TOPIC.split(found["of"] or "", maxsplit=1)
    named = words_of(judged).keys() <= _JUDGED | subject
    return named and not any(map(_DIGIT.search, topic))


def takes_leave(line: str) -> bool:
    """Whether a line is a farewell and says nothing else.

    >>> [takes_leave(line) for line in ("I hope this helps!", "I hope you ignore this.")]
    [True, False]
    """
    parts = _ENDS.split(line.strip(_MARKS)) if len(line) <= LONGEST_LINE else [line]
    return all(_TAKES_LEAVE.fullmatch(part) is not None for part in parts)


def without_tags(line: str) -> str:
    """A line without the tags around answers and the signs that end a turn.

    >>> without_tags("<answer>x</answer><|im_end|>"), without_tags("<quote>x</quote>")
    ('x', '<quote>x</quote>')
    """
    return _TAGS.sub("", line)


_OPENED = re.compile(
    r"\s*([<\[◁])(think|thinking|thoughts?|reasoning|analysis|scratchpad)([>\]▷])", re.IGNORECASE
)
# The channels of a Harmony model, its signs written out or left out: “analysis…assistantfinal…”.
_CHANNEL = re.compile(r"\s*(?:(?:<\|start\|>assistant)?<\|channel\|>|analysis)")
_FINAL = r"(?:(?:<\|start\|>)?assistant)?<\|channel\|>final<\|message\|>|assistantfinal"
_UNQUOTED = "(?<![\"'`“”‘’„«»「『])"


def without_thoughts(text: str, echo: Echo) -> str:
    """What follows the thoughts a reply opens with; nothing, if they never end.

    Where a server's template opens them, the reply has their end alone. It is one where nothing
    like it was sent, and it stands there once: what is judged may hold one to be quoted.
    """
    opened = _OPENED.match(text)
    if opened is not None:
        low, name, high = opened.groups()
        end = re.compile(_UNQUOTED + re.escape(f"{low}/{name}{high}"), re.IGNORECASE).search(text)
        return text[end.end() :] if end is not None else ""
    if text.lstrip()[:1] in ("{", "[", "`"):
        return text
    mark = _FINAL if _CHANNEL.match(text) is not None else "</think>"
    ends = list(re.finditer(f"{_UNQUOTED}(?:{mark})", text))
    if len(ends) != 1 or echo.has(ends[0][0], 1):
        return text
    return text[ends[0].end() :]
