"""Which block of answers is a reply's own; whatever else it holds is data: quoted, drafted, echoed.

Blocks are never ranked by their place. They agree, or the reply is asked for again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from raterbook.judges.replies.interpret import (
    VALUE_KEYS,
    Vocabulary,
    name_of,
    without_attribute,
)
from raterbook.judges.replies.values import ParsedAnswer, names, read_value
from raterbook.judges.sheets import Cell, Sheet, is_closed
from raterbook.protocols import Question
from raterbook.protocols.kinds import fold
from raterbook.protocols.questions import Option

if TYPE_CHECKING:
    from raterbook.judges.replies import Echo, Parsed

QUOTED = (
    "the answers stand only where something is quoted, drafted or supposed: give your own, and "
    "nothing else"
)
TAKEN_BACK = (
    "words behind the answers take them back, or may: give the final ones, and nothing behind them"
)


@dataclass(frozen=True)
class Claim:
    """One block of answers, where its values stand, and whether they are held out as another's."""

    parsed: Parsed
    start: int
    end: int
    quoted: bool = False


Said = tuple[Cell, Question, str]  # a value in words, for this cell


def outside(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with these spans blank, so that all else stands where it stood."""
    pieces, position = [], 0
    for start, end in spans:
        blank = "\n" + " " * (end - start - 2) + "\n" if end - start > 1 else " "
        pieces += [text[position:start], blank]
        position = end
    return "".join([*pieces, text[position:]])


def speaks_outside(text: str) -> bool:
    """Whether anything but headings and marks stands outside the lines of a quotation."""
    lines = (line.strip() for line in text.splitlines())
    return any(line and line[0] != ">" and not line.endswith(":") for line in lines)


def contradictions(claims: list[Claim], said: list[Said], sheet: Sheet) -> list[str]:
    """The questions with two answers, in what counts: scores, labels, answers, percentages."""
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


_FINAL = re.compile(
    r"\W*(?:my |the )?(?:final|corrected|revised)"
    r"(?: (?:answers?|output|ratings?|scores?|reply|evaluation|version))?\W*",
    re.IGNORECASE,
)
LONG_EXAMPLE = 60  # characters of an example, if nothing but another block follows it
MANY = 3  # answers of one block; fewer may be alike by chance


def standing(claims: list[Claim], own: str, echo: Echo) -> list[Claim]:
    """Without a draft before what the reply itself calls final, and an example before its own.

    Both need the prompt, so that what is quoted from it is known, and a last block of many answers
    behind which nothing comes.
    """
    last = claims[-1] if claims else None
    if last is None or len(claims) < 2 or not echo.known or own[last.end :].strip(" \n`"):
        return claims
    if not last.parsed.ok or last.quoted or len(last.parsed.answers) < MANY:
        return claims
    if echo.has(own[last.start : last.end], 1):
        return claims
    before = own[claims[-2].end : last.start]
    if claims[-2].parsed.shape == last.parsed.shape and _FINAL.fullmatch(_without_fence(before)):
        return [last]
    first = claims[0]
    leads = len(claims) == 2 and not own[: first.start].strip()
    if not leads or re.search(r"\w\W+\w", before) is not None:
        return claims
    return [last] if echo.has(own[first.start : first.end], LONG_EXAMPLE) else claims


def _without_fence(text: str) -> str:
    """What stands between two blocks, without the words that open and close a fence."""
    return re.sub(r"```[a-zA-Z]{0,20}", "", text) if len(text) < NEAR else text


# Words by which a reply holds answers out as another's, or takes them back. They are looked for in
# the line before, and behind; that costs at worst one more request.


_HELD_OUT = re.compile(
    r"\b(?:says?|said|saying|contains?|containing|reads|reading|quot\w+|stat(?:es|ed|ing)|writes|wrote"
    r"|mentions|asserts|claim(?:ed|ing)|(?:ends?|starts?|begins?) with|example"
    r"|e\.g|for instance|such as|hypothetical\w*|suppos\w+|imagin\w+|draft\w*|tempt\w*|at first"
    r"|first (?:thought|impression|guess|idea|version|attempt)|initial\w*|previous\w*|earlier"
    r"|if (?:it|the|this|that|they|one|there)|(?<!\bi )(?:would|could|might)\b|unlike|rather than"
    r"|instead of|is not|isn't|not this|never|wrong\w*|somebody|someone|reader|colleague|reviewer"
    r"|falsch\w*|wäre|faux|fausse|serait|incorrect[ao]|sería|errad[ao]|seria|sbagliat[ao]|sarebbe"
    r"|неверн\w*|annotator|student|people|others|every(?:body|one)|any(?:body|one)|nobody|critics?|expert|"
    r"inject\w+|instruct\w*|tells"
    r"|told|demands|orders|ignor\w+|disregard\w*|pretend\w*|formats?|templates?|schema"
    r"|inside|within|embedded|planted)\b|\bclaims(?: that)?\W*$"
    r"|错误|不正确|誤り|틀린"
    r"|\b(?:in|from|of) the (?:\w+ )?(?:text|answer|context|article|response|passage|prompt)\W*$",
    re.IGNORECASE,
)
_INTRODUCES = re.compile(
    r"(?:\b(?:sure|ok|okay|so|thus|therefore|hence|here|is|are|it|my|the|a|an|final|overall|own|as|json"
    r"|answers?|outputs?|results?|ratings?|scores?|labels?|verdict|reply|response|evaluation"
    r"|assessment|judge?ment|decision|i|rate|give|choose|this|that|format|object|in|of|for|item|part"
    r"|sentence|\d+)\b\W*)*",
    re.IGNORECASE,
)
_WITHDRAWS = re.compile(
    r"\b(?:correction|on (?:further )?reflection|on second thoughts?|thinking again|scratch that"
    r"|strike that|i (?:now |must |should |would |will |want to |have to |need to |hereby ){0,3}"
    r"(?:change|revise|correct|retract|withdraw|amend|take (?:it |this |that )?back|reconsider)"
    r"|i['’](?:ll|d) (?:now )?(?:change|revise|correct|retract|withdraw|amend|reconsider)"
    r"|changed my mind|let me (?:correct|revise|reconsider|change|redo|fix|rethink|re-?evaluate)"
    r"|(?:my|the) (?:final|revised|corrected|updated|actual|real|new|true) (?:answer|label|rating"
    r"|score|verdict|judge?ment|decision)s?\b|hold on|i meant|i was wrong|my mistake|i misread"
    r"|apologi[sz]e|apologies|(?:that|this|i) (?:was|am|is) mistaken"
    r"|i (?:reject|disagree with) (?:it|this|that)|i (?:would|do|will) not (?:give|choose)"
    r"|can(?:not|'t) be my|judge (?:it|this) differently|copied from"
    r"|disregard|ignore (?:that|this|it|the above|the previous|my)|(?:now )?withdrawn"
    r"|(?:from|according to|copied from|as in) the (?:generated |given |original )?(?:text|answer"
    r"|response|article|prompt)\)"
    r"|(?:ignore|disregard|discard|delete|forget|skip|drop) (?:\w+ ){0,3}(?:json|above|answer|block"
    r"|object|output|label|scores?|ratings?|reply|line)\b"
    r"|(?:that|this|it|which|above|json) (?:is|was)(?: \w+)? "
    r"(?:to (?:show|illustrate|demonstrate|test)|a (?:placeholder|guess|sketch|test))"
    r"|i (?:can(?:not|'t)|could not|couldn't) (?:judge|tell|say|decide|determine|answer|rate)"
    r"|i(?:['’]m| am| was) (?:wrong|mistaken|in error)"
    r"|(?:that|this|it) would (?:be|have been|hold)\b"
    r"|(?:that|this|it) (?:only )?(?:holds|applies|stands) only\b"
    r"|(?:the )?above (?:is|was|are|were) (?:wrong|not|only|just|an?|the|what|from|quoted)\b"
    r"|(?:that|this|it) (?:is|was) (?:not my|not what|what the|what it|only what|only an?|just an?"
    r"|only the|just the|wrong|quoted|from the|the text|a quot|a trap|an inj)|not my (?:own )?"
    r"(?:answer|rating|label|judge?ment|verdict|score)|make (?:it|that) an?\b|should (?:really "
    r"|actually |rather |instead |in fact ){0,2}(?:have been|be|read)\W{1,3}(?:an? )?"
    r"(?-i:\d|[A-Z]{2}))|(?:^|[.!?…—\n])[^\w\n]{0,5}(?:no,? )?(?:wait|no)\b[,.!…:—– -]",
    re.IGNORECASE,
)
# The same in other languages: words of correcting and taking back, whatever stands around them.
_ELSEWHERE = re.compile(
    r"\b(?:korrektur|korrigiere|nehme (?:das|es|dies) zurück|geirrt|(?:das|dies|es) stimmt nicht"
    r"|(?:das|dies) war falsch|ignorieren|je (?:corrige|retire|me (?:suis trompé|rétracte))"
    r"|erratum|ignorez|c[’']est faux|me equivoqué|corrijo|corrección|me retracto|lo retiro"
    r"|me enganei|correção|retiro o que|mi correggo|ho sbagliato|correzione|mi sbaglio|ritiro"
    r"|poprawka|cofam|pomyliłem|pomyłka|düzeltme|geri alıyorum|yanıldım|correctie|ik neem dat terug"
    r"|исправлени[ея]|исправляю|ошиб(?:ся|лась)|беру (?:свои )?слова|отменяю|неверно|виправлення"
    r"|rättelse|rättar|jag hade fel|rettelse)\b"
    r"|更正|纠正|收回|搞错|弄错|有误|不对|訂正|取り消|撤回|間違|정정|철회|취소|تصحيح|أخطأت|أسحب|सुधार|ग़लत",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:here(?:['’]s| is| are)|my|i)\b.{0,30}?\b(?:evaluations?|ratings?|rate|scores?|answers?"
    r"|judge?ments?|assessments?|verdicts?|labels?|decisions?|output|json|reply|response)\b",
    re.IGNORECASE,
)
_FENCE = re.compile(r"```[a-zA-Z]{0,20}$")
_SHUT_FENCE = re.compile(r"^\s*```[ \t]*\n")
_TAG = re.compile(r"[<\[]([a-zA-Z ]{1,20})[>\]]$")
_OPEN = re.compile(  # a line that goes on in the block below it
    r"\b(?:contains?|says?|said|reads|states|writes|wrote|claims|(?:ends|starts) with|quotes?)\W*$",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(r"[\s`]*(?:\^|<-|←|↑|\(quoted)")
NEAR = 160  # characters before a block that may introduce it


def is_quoted(text: str, start: int, end: int) -> bool:
    """Whether a block stands within a sentence, or behind words that hold it out as another's."""
    if is_held_out(text, start) or _POINTS_BACK.match(text[end : end + NEAR]):
        return True
    line = text.rfind("\n", max(0, start - NEAR), start) + 1
    if text[line:start].rstrip(" `").endswith("~~"):
        return True
    if text[line:start].lstrip()[:1] == ">" and speaks_outside(outside(text, [(line, end)])):
        return True
    near = _SHUT_FENCE.sub("", text[end : end + NEAR])
    behind = near.split("\n", 1)[0].lstrip(" \t`*_/#(\"'“”")
    return behind[:1].islower() or (behind[:1] in (",", "–", "—", "-") and behind[1:2] == " ")


def is_held_out(text: str, start: int) -> bool:
    """Whether the words before a block, on its line or introducing it, say whose it is."""
    line = text.rfind("\n", max(0, start - 2 * NEAR), start) + 1
    before = text[max(line, start - NEAR) : start].strip(" \t`*_>#-\"'“”")
    if before:
        return _HELD_OUT.search(before) is not None or not _INTRODUCES.fullmatch(before)
    above = text[max(0, start - NEAR) : line].rstrip()
    above = _FENCE.sub("", above).rstrip("*_ \n").rsplit("\n", 1)[-1]
    tag = _TAG.search(above)
    if tag is not None:
        return _INTRODUCES.fullmatch(tag[1]) is None
    if not above.endswith((":", "：", "…", "...")):
        return _OPEN.search(above) is not None
    clause = re.split(r"[.!?,;]\s", above)[-1]
    own = _OWN.search(clause)
    return _HELD_OUT.search(clause[: own.end()] if own is not None else clause) is not None


def taken_back(behind: str, claim: Claim, sheet: Sheet) -> bool:
    """Whether the words after a block change its answers.

    Behind JSON any other option's name does, unless it is denied. Behind Markdown reasons go on,
    and another's name changes the answer where it stands alone or as a label.
    """
    if _WITHDRAWS.search(behind) is not None or _ELSEWHERE.search(behind) is not None:
        return True
    if claim.parsed.shape != "markdown" and _turns(behind, claim):
        return True
    chosen = {(name, given.value) for (_, name), given in claim.parsed.answers.items()}
    options = [(one.id, option) for one in sheet.questions for option in one.options or ()]
    others = [option for name, option in options if (name, option.value) not in chosen]
    if len(options) - len(others) != 1:
        return False
    own = next(option for _, option in options if option not in others)
    if any(names(own, denied[0]) for denied in _DENIED.finditer(behind)):
        return True
    found = any(names(option, behind) for option in others)
    affirmed = _DENIED.sub(" ", behind)
    if not found or claim.parsed.shape == "markdown":
        written = any(
            len(o.value) > 3 and o.value.isupper() and o.value in affirmed for o in others
        )
        return found and (written or any(_stands_alone(option, behind) for option in others))
    return any(names(option, affirmed) for option in others)


def _turns(behind: str, claim: Claim) -> bool:
    """Whether words behind JSON may change it: all may but a farewell, reasons that are called so,
    the answer said again, and plain English that doubts, denies and sets apart nothing."""
    if behind.lstrip(" `\n").startswith("~~"):
        return True
    said = [str(given.value) for given in claim.parsed.answers.values() if given.value is not None]
    for sentence in _ENDS.split(_MARKS.sub(" ", behind)):
        if _REASONS.match(sentence) is not None:
            return False
        if _FAREWELL.match(sentence) or any(value in sentence for value in said):
            continue
        plain = _ENGLISH.search(sentence) is not None and _DOUBTS.search(sentence) is None
        if not plain and _LETTERS.search(sentence) is not None:
            return True
    return False


_MARKS = re.compile(  # tags, ends of turns, fences
    r"</?[A-Za-z_]{1,16}>|<\|\w{1,16}\|>|\[/?[A-Z_]{1,16}\]|```\w{0,12}"
)
_ENDS = re.compile(r"[.!?。！？\n]+")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_REASONS = re.compile(
    r"\W*(?:the |my |brief |short )?(?:reasons?|reasoning|explanation|rationale"
    r"|justification|evidence"
    r"|begründung|erklärung|explication|justificación"
    r"|motivazione|理由|说明|解释|説明|обоснование)\W{0,4}(?:[:：]|$)",
    re.IGNORECASE,
)
_ENGLISH = re.compile(r"\b(?:the|is|are|this|that|which|because|it|it's|here's)\b", re.I)
_STEMS = r"""
    not? nor none never neither nothing nobody without but however although though yet unless
    except instead rather actually really otherwise still only just wait hmm+ oops sorry if when
    whether perhaps maybe possibly probably likely may might could would should must ought cannot
    wrong\w* false\w* fail\w* incorrect\w* invalid\w* mis\w+ err\w* void null contra\w+ oppos\w+
    reverse\w* invert\w* opposite other another second again final\w* now later then chang\w+
    correct(?:ed|ion|ing|ions) revis\w+ updat\w+ replac\w+ retract\w* withdr\w+ amend\w* edit\w*
    switch\w* swap\w* overr\w+ adjust\w* lower\w* higher rais\w+ reduc\w+ increas\w+ ignor\w+
    disregard\w* discard\w* delet\w+ forget skip\w* drop\w* cancel\w* strike scrap\w* undo\w*
    unsure uncertain\w* unclear unable doubt\w* guess\w* hypothe\w+ example\w* sampl\w+ draft\w*
    test\w* placeholder\w* template\w* format\w* illustrat\w+ demonstrat\w+ quot\w+
    cop(?:y|ied|ies) paste\w* taken suppos\w+ imagin\w+ pretend\w* jok\w+ kidding trick\w* trap\w*
    inject\w* attack\w* above below previous\w* earlier former\w* json object block output
    label\w* scores? ratings? verdict\w* reply response you your user\w* assistant system people
    some\w* every\w* anyone belong\w* part\sof produc\w+ checker\w* disagree\w* silent lack\w*
    refut\w* odds absen\w+ missing inconsisten\w* conflict\w* den(?:y|ies|ied) unsupported unlike
    differ\w* incompatib\w+ expert\w* critic\w* reviewer\w* annotator\w* reader\w* student\w*
    colleague\w*
"""
# Words that doubt, deny, set apart or speak of the answer itself; and a sentence on “this”.
_DOUBTS = re.compile(
    r"^\W*(?:this|that|it|these|those) (?:is|was|are|were|com|cam|stand|appear)\w*\b"
    r"(?! (?:because|clear|consistent|evident|due|since|in line))|n't\b|\b(?:"
    + "|".join(_STEMS.split())
    + r")\b",
    re.IGNORECASE,
)
_FAREWELL = re.compile(
    r"\W*(?:i hope|hope|thanks?|thank you|let me know|please let|feel free|done|end of|best|regards"
    r"|that(?:['’]s| is) (?:all|it)|this is my|that is my)\b",
    re.IGNORECASE,
)


_DENIED = re.compile(
    r"(?:\b(?:not|never|nothing|none|neither|nor|without|no)|n['’]t) (?:\w{1,20} ){0,2}\w+", re.I
)


def _stands_alone(option: Option, text: str) -> bool:
    spelled = "|".join(re.escape(name) for name in {option.value, option.label} if name)
    alone = r"^[^\w\n]{0,8}(?:[^\W\d][\w ()]{0,24}[:：=→]|actually|rather|really|in fact)?"
    named = r"\b(?:label|answer|verdict|rating|judge?ment|decision)\b\W{1,4}"
    return bool(
        re.search(rf"{alone}\W{{0,4}}(?:{spelled})\W{{0,4}}$", text, re.I | re.M)
        or re.search(rf"{named}(?:{spelled})\b", text, re.I)
    )


_SENTENCE = re.compile(
    r"(?:^|(?<=[.!?;:\n]))[^\w\n]{0,8}(?P<name>[^\W\d_][\w -]{0,60}?) (?:is|are|was|becomes"
    r"|changes to|must be|should (?:really |actually |rather |instead )?(?:have been|be)) "
    r"(?P<value>[^\n.;]{1,60})"
)


def sentences(text: str, words: Vocabulary) -> list[Said]:
    """“The label is SUPPORTED.”: answers given in sentences, to hold against the others."""
    found: list[Said] = []
    for sentence in _SENTENCE.finditer(text):
        name = fold(sentence["name"])
        question = words.find(name)
        if question is None and without_attribute(name) in VALUE_KEYS:
            question = words.only
        if question is not None:
            found.append(((0, question.id), question, sentence["value"].strip()))
    return found


_THOUGHTS = ("think", "thinking", "thought", "thoughts", "reasoning", "analysis", "scratchpad")


def without_thoughts(text: str) -> str:
    """What follows the thoughts a reply opens with; nothing, if they never end."""
    start = text.lstrip()
    for name in _THOUGHTS:
        if start[: len(name) + 2].lower() == f"<{name}>":
            place = start.lower().find(f"</{name}>")
            return start[place + len(name) + 3 :] if place >= 0 else ""
    return text
