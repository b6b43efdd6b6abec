"""Closed classes of English words: what a phrase ends at, and what tells a verb."""

from __future__ import annotations

import re


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
