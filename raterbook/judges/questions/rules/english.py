"""English questions: the statement itself, with the asking words where the answer stood."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from raterbook.judges.questions.rules.spans import (
    LONGEST_SENTENCE,
    WINDOW,
    Span,
    apart,
    before,
    sentence_bounds,
    word_before,
)

LONGEST = 34  # words of a question
SHORTEST = 5


def english_questions(text: str) -> Iterator[tuple[str, Span]]:
    """Question and answer for every span whose statement can be understood by itself."""
    spans = english_spans(text)
    for start, end in sentence_bounds(text):
        if end - start > LONGEST_SENTENCE:
            continue
        for span in spans:
            if start <= span.replaced and span.end <= end:
                question = _question(text, start, end, span)
                if question is not None:
                    yield question, span


def _question(text: str, start: int, end: int, span: Span) -> str | None:
    start, end = _segment(text, start, end, span)
    end = _shortened(text, start, end, span)
    before, after = _statement_first(text[start : span.replaced], text[span.end : end])
    first = (re.findall(r"[\w’'-]+", before + span.asks) or [""])[0].lower()
    if first in PRONOUNS and before.strip():
        return None
    if re.search(r"\b(?:it|he|she|they|him|them)\b", f"{before} {after}"):
        return None
    if after[:2] in ("’s", "'s") or before.endswith(("-", "“")):
        return None
    follows = (re.findall(r"^ ([a-z]+)", after) or [""])[0]
    if not before.strip() and (follows in PREPOSITIONS or not has_verb(after[:60])):
        return None
    asks = "who" if span.asks == "whom" and not before.strip() else span.asks
    said = f"{before}{asks}{after}".strip().strip(".;:, ")
    said = re.sub(r"\s+", " ", said)
    words = len(said.split())
    if not SHORTEST <= words <= LONGEST or not has_verb(f"{before} {after}"):
        return None
    return f"{said[:1].upper()}{said[1:]}?"


def _statement_first(before: str, after: str) -> tuple[str, str]:
    """“In …, a cone rose” as “A cone rose in …”: English asks in that order."""
    opening = re.fullmatch(r"(?P<word>On|In|At|By|Since|From|Over) ", before)
    if opening is None or not after.strip(" ,"):
        return before, after
    return f"{after.strip(' ,.')} {opening['word'].lower()} ", ""


def _segment(text: str, start: int, end: int, span: Span) -> tuple[int, int]:
    """The part of the sentence between semicolons and colons that holds the span."""
    for found in re.finditer(r"[;:] ", text[start:end]):
        place = start + found.end()
        if place <= span.replaced and has_verb(text[place:end]):
            start = place
        elif start + found.start() >= span.end:
            return start, start + found.start()
    return start, end


def _shortened(text: str, start: int, end: int, span: Span) -> int:
    """Where the clause of the span ends, if what stands before is a statement already."""
    for found in re.finditer(r",(?= )", text[span.end : end]):
        place = span.end + found.start()
        if has_verb(text[start : span.replaced]) and place - start > 20:
            return place
    return end


# Dates, figures, names and noun phrases in English, by their looks.


_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = re.compile(
    rf"\b(?:\d{{1,2}} {_MONTH}(?: \d{{4}})?|{_MONTH} \d{{1,2}}(?:, \d{{4}})?(?![\d,])"
    rf"|{_MONTH} \d{{4}}|\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,4}} BC)\b"
)
_YEAR = re.compile(
    r"\b(?:in|of|by|to|since|until|after|from|before|between|and) (?P<year>1\d{3}|20\d{2})"
    r"(?![\w-]|[,.]?\d)",
    re.IGNORECASE,
)
_SMALL = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
    "seventeen|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
    "(?:-(?:one|two|three|four|five|six|seven|eight|nine))?"
)
_NUMBER = (
    rf"(?:(?<![\w.,/])(?:minus )?\d+(?:,\d{{3}})*(?:\.\d+)?(?![\d/])"
    rf"|\b(?:{_SMALL}|{_SMALL.title()}))"
    r"(?: (?:hundred|thousand|million|billion|trillion))?"
)
_FRACTION = re.compile(rf"\b(?:{_SMALL}) (?:thirds|quarters|fifths|tenths)\b", re.IGNORECASE)
_FIGURE = re.compile(
    rf"(?P<number>{_NUMBER})(?P<share> per cent\b| percent\b|\s?%)?"
    r"(?P<noun>(?: [a-z-]+){1,2})?"
)
_CAPITAL = r"[A-ZÀ-Þ][\w’-]*(?:'(?!s\b)\w+)?"
_NAME = re.compile(
    rf"{_CAPITAL}(?:(?: of(?: the)?)? {_CAPITAL}| \d{{1,2}}(?![\d,.]\d)(?= [a-z]|[.,;]))*"
)
_ARTICLE = re.compile(r"\b(?:[Tt]he|[Aa]n?|[Ii]ts|[Tt]heir) (?P<more>[a-z-]+ )?$")
_LEANING = (
    "that",
    "who",
    "which",
    "other",
    "north",
    "south",
    "northern",
    "southern",
    "eastern",
    "western",
    "central",
    "ancient",
)
_PHRASE = re.compile(r"\b(?P<article>[Tt]he|[Aa]n?) (?P<words>[a-z][a-z-]*(?: [a-z][a-z-]*){0,4})")
_APPROXIMATE = ("About", "Over", "In", "Some", "Nearly", "Almost", "Around", "Roughly")
_PLURAL = re.compile(r"(?:\w{2,}[^s\W]s|people|men|women|children|kelvin|yen|kroner|Celsius)$")


@lru_cache(maxsize=256)
def english_spans(text: str) -> tuple[Span, ...]:
    """What can be asked for, none overlapping another, in order."""
    starts = {start for start, _ in sentence_bounds(text)}
    return apart([*_dates(text), *_figures(text), *_names(text, starts), *_phrases(text)])


def _dates(text: str) -> Iterator[Span]:
    for found in _DATE.finditer(text):
        if re.search(r"\d (?:to|and|or) $", before(text, found.start())):
            continue  # “5 to 9 December”: half of a range
        month_only = re.fullmatch(rf"{_MONTH} \d{{4}}", found[0])
        asks = "what month" if month_only else "what year" if "BC" in found[0] else "what date"
        yield Span("date", found.start(), found.end(), found[0], asks)
    for found in _YEAR.finditer(text):
        yield Span("date", found.start("year"), found.end("year"), found["year"], "what year")


def _figures(text: str) -> Iterator[Span]:
    for found in _FRACTION.finditer(text):
        yield Span("figure", found.start(), found.end(), found[0], "what share")
    for found in _FIGURE.finditer(text):
        start, end = found.start(), found.end("number")
        if found["share"]:
            end = found.end("share")
            yield Span("figure", start, end, text[start:end], "what percentage")
            continue
        last = word_before(text, start)
        is_year = re.fullmatch(r"(?:1\d{3}|20\d{2})", found["number"])
        if last.lower() in ("the", "a", "an"):
            continue
        if last[:1].isupper() and found[0][0].isdigit() and last not in _APPROXIMATE:
            continue  # “Voyager 2”
        if is_year or re.search(r"^,? (?:or|to|and) \d", text[end : end + 8]):
            continue
        noun = _counted(found["noun"] or "")
        if noun:
            end += len(noun)
            yield Span("figure", start, end, text[start:end], f"how many{noun}", noun.split()[-1])
        elif found[0][0].isdigit():
            yield Span("figure", start, end, text[start:end], "what number")


def _counted(words: str) -> str:
    """The words up to the first plural, with their spaces; empty where there is none."""
    taken = ""
    for word in words.split():
        if word in FUNCTION:
            break
        taken += f" {word}"
        if _PLURAL.search(word):
            return taken
    return ""


def _names(text: str, starts: set[int]) -> Iterator[Span]:
    for found in _NAME.finditer(text):
        start, name = found.start(), found[0].removesuffix("’s")
        first, _, rest = name.partition(" ")
        if start in starts and first.lower() in FUNCTION:
            if not rest or not rest[0].isupper():
                continue
            start, name = start + len(first) + 1, rest
            first = name.split()[0]
        if start in starts and not rest and not name.isupper():
            continue
        if re.fullmatch(_MONTH, first) or len(name) < 3 or text[start - 1 : start] in ("-", "’"):
            continue
        if not _stands_alone(text, start, start + len(name), rest):
            continue
        yield _named(text, start, name)


def _stands_alone(text: str, start: int, end: int, rest: str) -> bool:
    """Not part of a longer phrase: “the Danish island”, “the expanded canal”, “Sadler’s Wells”."""
    last = word_before(text, start)
    article = _ARTICLE.search(before(text, start))
    after = re.match(r" ([a-z-]+)", text[end : end + WINDOW])
    if last in _LEANING or last.endswith(("’s", "'s")):
        return False
    if article and article["more"] and article["more"].strip() not in ROLES:
        return False
    noun = after is not None and after[1] not in FUNCTION and not has_verb(after[1])
    adjective = noun and after is not None and (article or after[1].endswith("s"))
    return bool(rest or not adjective)


def _named(text: str, start: int, name: str) -> Span:
    last, from_ = word_before(text, start), start
    if last in ("the", "The"):
        from_ = start - 4
        last = word_before(text, from_)
    lead, asks = before(text, from_), "what"
    words = [word.lower() for word in name.split()]
    role = re.search(r"(?:\b(?:[Tt]he|[Aa]n?) )(?P<role>(?:[\w-]+ ){1,2})$", lead)
    if last.lower() in ROLES:
        if role and not FUNCTION & set(role["role"].split()):
            asks, from_ = f"which {role['role'].strip()}", from_ - len(lead) + role.start()
        else:
            asks, from_ = f"which {last}", text.rindex(last, 0, from_)
    elif words[0] in TITLES or words[0] in FORENAMES:
        asks = "who" if from_ == 0 or text[from_ - 2 : from_ - 1] in ".,;" else "whom"
    elif ORGANISATIONS.search(name):
        asks = "which organisation"
    elif last.lower() in PLACES or re.search(r"\bbetween \S+(?: \S+)? and $", lead):
        asks = "which place"
    return Span("name", start, start + len(name), name, asks, from_=from_)


def _phrases(text: str) -> Iterator[Span]:
    """An article and what follows, up to a function word, a full stop or a comma."""
    for found in _PHRASE.finditer(text):
        words: list[str] = []
        for word in found["words"].split():
            if word in FUNCTION:
                break
            words.append(word)
        end = found.start("words") + len(" ".join(words))
        after = text[end : end + 2]
        whole = len(words) < len(found["words"].split()) or re.match(r"[.,;]", after)
        if not whole or not 2 <= len(words) <= 4 or re.match(r" of\b|[’']s\b", text[end : end + 4]):
            continue
        if any(has_verb(word) for word in words[1:]) or re.search(_SMALL, " ".join(words)):
            continue
        body = text[found.start("words") : end]
        yield Span("phrase", found.start("words"), end, body, "what", from_=found.start())


# Closed classes of English words: what a phrase ends at, and what tells a verb.


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PREPOSITIONS = _words(
    """
    about above across after against along among around as at before behind below beneath beside
    between beyond by down during for from in inside into like near of off on onto out over past
    since through throughout to toward towards under until up upon via with within without
    """
)
FUNCTION = PREPOSITIONS | _words(
    """
    and or but nor so yet if than that which who whom whose when where while because although
    though whether not no only also then there here is are was were be been being am has have
    had do does did can could may might must shall should will would it its he him his she her
    they them their this these those we our you your i the a an some any each every all both
    either neither such same other another more most less least very too just about roughly
    nearly almost probably later ago still however instead
    """
)
PRONOUNS = _words(
    """
    it its he his she her they their them this these those that there others another both each
    such some most all one we our you your i what who which where when while after before since
    although instead however then later behind
    """
)
VERBS = _words(
    """
    is are was were be been has have had can could may might must will would should came comes
    became becomes rose rises fell falls ran runs went goes took takes gave gives found finds
    made makes put puts led leads lies lay holds held stood stands won wins struck flew flies
    began begins died dies cost costs cut paid pays lent built builds met meets said says saw
    sees left lost kept keeps set sold brought grew drew wrote spent carries carried lets bears
    bore lit feed feeds spread broke sank sent shows lives reached stretches passes bends bent
    get got belongs consists contains hangs admits admit recover covers works keep reach contain
    """
)
ROLES = _words(
    """
    engineer architect astronomer president king queen emperor painter writer author poet
    composer chemist physicist biologist scientist doctor professor captain minister director
    cook pilot explorer founder inventor mathematician policeman surgeon company agency ship
    volcano river lake city town village province state county island moon planet spacecraft
    telescope bank hospital museum university band club airline system newspaper magazine strait
    """
)
TITLES = _words("sir dame king queen president dr mr mrs ms pope emperor professor")
FORENAMES = _words(
    """
    albert alexander ali ana andrew anna anne antonio arthur carl carlos charles charlotte david
    donald edward elizabeth emma ernst francis françois frank george giovanni hans harold helen
    henry howard hugh isaac ivan jack jacques james jan jane jean jean-françois john jørn jose
    joseph karl kate laura leo louis louise luis maria marie mark martin mary max michael michel
    naomi nikola norman paul peter pierre ralph richard robert roger rosa samuel sarah simon
    sofia stephen susan thomas tim victor vincent walter william
    """
)
ORGANISATIONS = re.compile(
    r"\b(?:Company|Organi[sz]ation|Assembly|Bank|Museum|Hospital|Academy|University|Institute|"
    r"Agency|Corporation|Association|Society|Committee|Ministry|Party|Council|Inc|Ltd)\b"
)
PLACES = _words("in at near to from between across")
_ENDING = re.compile(r"(?:ing|edly|ed|ies|es|s|ly)$")


def stem(word: str) -> str:
    """A word without its ending, roughly: enough to find “opening” by “opened”.

    >>> stem("opened"), stem("opening"), stem("opens")
    ('open', 'open', 'open')
    """
    low = word.casefold().removesuffix("’s").removesuffix("'s")
    if len(low) <= 3 or not low.isalpha():
        return low
    cut = _ENDING.sub("", low)
    return (cut if len(cut) >= 3 else low)[:7]


def has_verb(text: str) -> bool:
    """Whether a word looks like a finite verb; a guess by ending and a short list."""
    words = re.findall(r"[A-Za-zÀ-ÿ’'-]+", text)
    return any(word.lower() in VERBS or re.fullmatch(r"[a-z]{2,}ed", word) for word in words)
