"""The prompts: one file per step and language, versioned, and replaceable by files of one's own."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raterbook.files.content import OBJECTS, read_text
from raterbook.judges.clients.model import Messages, Reply, storable
from raterbook.judges.prompts import fenced
from raterbook.judges.replies import LONG_JSON, Echo, is_refusal, words_around
from raterbook.judges.replies import LONGEST as MOST_READ
from raterbook.judges.replies.claims import without_thoughts
from raterbook.judges.replies.objects import Found, Several, json_objects, repaired
from raterbook.protocols import Question
from raterbook.protocols.kinds import UNSTORABLE

OWN = Path(__file__).with_name("prompts")
STEPS = ("write", "check", "answer")
_NEEDS = {
    "write": {"reference", "most"},
    "check": {"text", "questions", "numbers"},
    "answer": {"text", "questions", "numbers"},
}
_LABELS = {
    "en": {"write": "Reference", "check": "Reference", "answer": "Text"},
    "zh": {"write": "参考文本", "check": "参考文本", "answer": "文本"},
}
_PLACE = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True)
class Wording:
    """One prompt file. `label` names step, language and version, and own wordings by their hash."""

    step: str
    language: str
    version: str
    system: str
    user: str
    is_own: bool = False

    @property
    def label(self) -> str:
        name = f"{self.step}.{self.language} {self.version}"
        if not self.is_own:
            return name
        return f"{name}, {hashlib.sha256((self.system + self.user).encode()).hexdigest()[:8]}"

    def messages(self, text: str, questions: dict[int, str], most: int = 0) -> Messages:
        """What is sent: one text, fenced, and the questions under their numbers."""
        label = _LABELS[self.language][self.step]
        values = {
            "reference": fenced(label, text),
            "text": fenced(label, text),
            "questions": "\n".join(
                f"{number}. {' '.join(question.split())}" for number, question in questions.items()
            ),
            "numbers": ", ".join(map(str, questions)),
            "most": str(most),
        }
        return [
            {"role": role, "content": _PLACE.sub(lambda found: values[found[1]], content)}
            for role, content in (("system", self.system), ("user", self.user))
        ]


class Wordings:
    """All prompts of a run; those of `folder` stand in for the ones that came with Raterbook."""

    def __init__(self, folder: str | os.PathLike[str] | None = None, language: str = "auto"):
        if language not in ("auto", *LANGUAGES):
            raise ValueError(f"language {language!r}: choose auto, {' or '.join(LANGUAGES)}")
        self._language = language
        place = Path(folder) if folder is not None else None
        if place is not None and not place.is_dir():
            raise ValueError(f"{place} is no folder of prompts: copy {OWN.name}/ and edit that")
        self._files = {
            (step, tongue): _read(step, tongue, place) for step in STEPS for tongue in LANGUAGES
        }

    def of(self, step: str, text: str) -> Wording:
        """In the language of the text, unless one language was asked for."""
        language = language_of(text) if self._language == "auto" else self._language
        return self._files[step, language]

    @property
    def own(self) -> str:
        """The labels of wordings that did not come with Raterbook; empty where there are none."""
        return "; ".join(wording.label for wording in self._files.values() if wording.is_own)


def _read(step: str, language: str, folder: Path | None) -> Wording:
    name = f"{step}.{language}.md"
    given = folder / name if folder is not None else OWN / name
    path = given if given.exists() else OWN / name
    return parse(read_text(path, "prompts", OBJECTS), name, path != OWN / name)


def parse(content: str, name: str, is_own: bool = False) -> Wording:
    """A prompt file: `version: …`, then `# system` and `# user`, each with its text."""
    step, language = name.split(".")[:2]
    found = re.fullmatch(
        r"version: *(?P<version>\S+)\s+# system\n(?P<system>.+)\n# user\n(?P<user>.+)",
        content.strip(),
        re.DOTALL,
    )
    if found is None:
        raise ValueError(f"{name}: begin with “version: 1”, then “# system” and “# user”")
    places = set(_PLACE.findall(found["system"] + found["user"]))
    if places != _NEEDS[step]:
        wanted = ", ".join(f"{{{{{place}}}}}" for place in sorted(_NEEDS[step]))
        raise ValueError(f"{name}: its places must be {wanted}; it has {', '.join(sorted(places))}")
    return Wording(
        step, language, found["version"], found["system"].strip(), found["user"].strip(), is_own
    )


# Which of two languages a text is in; texts in others are treated as English is.


LANGUAGES = ("en", "zh")
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af]")


def language_of(text: str) -> str:
    """zh where Chinese characters outnumber Latin words, else en.

    >>> language_of("大桥全长约55公里。"), language_of("The bridge is 55 km long.")
    ('zh', 'en')
    """
    if _KANA_OR_HANGUL.search(text):
        return "en"
    return "zh" if len(HAN.findall(text)) > len(re.findall("[A-Za-z]+", text)) else "en"


# Replies → questions, answers and decisions, each with a status. Pure, and it never raises.
#
# Answers are told apart by the numbers of their questions, never by their place in a list: a reply
# with a number too many, too few or twice is a mismatch and gives no answers at all.


STATUSES = ("ok", "partial", "refused", "parse_error", "mismatch", "no_questions", "api_error")
LONGEST = 2_000  # characters of a question or an answer


@dataclass(frozen=True)
class Draft:
    """A question as a model wrote it."""

    question: str
    key_info: str = ""


@dataclass(frozen=True)
class Reading:
    """What a reply came to. `partial`: every number is there, and some answers are blank."""

    status: str
    questions: tuple[Draft, ...] = ()
    answers: Mapping[int, str] | None = None
    problem: str = ""

    @property
    def ok(self) -> bool:
        return self.status in ("ok", "partial")


def read_questions(reply: Reply, prompt: str, most: int) -> Reading:
    """The questions of a reply, without blanks and repeats."""
    failed, _, objects = _objects(reply, prompt)
    if failed is not None:
        return failed
    lists = [pairs for one in objects if (pairs := _pairs(one.content)) is not None]
    if any(pairs != lists[0] for pairs in lists):
        return Reading("mismatch", problem="the reply has several lists of questions")
    if not lists:
        return _unread(reply, "no list of questions was found")
    kept: dict[str, Draft] = {}
    for question, key_info in lists[0]:
        plain = " ".join(question.split())[:LONGEST]
        if plain:
            kept.setdefault(plain.casefold(), Draft(plain, " ".join(key_info.split())))
    if not kept:
        return Reading("no_questions", problem="the reply lists no questions")
    return Reading("ok", tuple(kept.values())[:most])


def read_numbered(
    reply: Reply, prompt: str, numbers: Iterable[int], key: str, entry: str
) -> Reading:
    """Answers or decisions by the number of their question; around them stands what may."""
    failed, text, objects = _objects(reply, prompt)
    if failed is not None:
        return failed
    lists = [
        (one, pairs) for one in objects if (pairs := _numbered(one.content, key, entry)) is not None
    ]
    if any(pairs != lists[0][1] for _, pairs in lists):
        return Reading("mismatch", problem=f"the reply has several lists of {entry}s")
    if lists:
        problem = words_around(text, [one for one, _ in lists])
        if problem is not None:
            return Reading("parse_error", problem=problem)
        return _matched(lists[0][1], list(numbers), entry)
    return _unread(reply, f"no {entry}s under numbers were found")


def _matched(pairs: list[tuple[int, str]], numbers: list[int], entry: str) -> Reading:
    found: dict[int, str] = {}
    for number, said in pairs:
        if found.setdefault(number, said) != said:
            return Reading("mismatch", problem=f"number {number} has two {entry}s")
    missing = [number for number in numbers if number not in found]
    strange = [number for number in found if number not in set(numbers)]
    if missing or strange:
        parts = []
        if missing:
            parts.append(f"no {entry} under {', '.join(map(str, missing))}")
        if strange:
            parts.append(f"no question has the number {', '.join(map(str, strange))}")
        return Reading("mismatch", problem="; ".join(parts))
    blank = [number for number in numbers if not found[number].strip()]
    if blank:
        problem = f"the {entry} is blank under {', '.join(map(str, blank))}"
        return Reading("partial", answers=found, problem=problem)
    return Reading("ok", answers=found)


def _objects(reply: Reply, prompt: str) -> tuple[Reading | None, str, list[Found]]:
    """Why there is nothing to read; or the reply's own text and all JSON in it but for echoes."""
    if reply.error:
        return Reading("api_error", problem=reply.error), "", []
    if reply.refusal or reply.finish == "content_filter":
        why = reply.refusal or "stopped by a content filter"
        return Reading("refused", problem=why), "", []
    echo = Echo(prompt)
    if len(reply.text) > MOST_READ:
        why = f"the reply is longer than {MOST_READ:,} letters"
        return Reading("parse_error", problem=why), "", []
    text = without_thoughts(echo.after(reply.text), echo)
    if not text.strip():
        return Reading("parse_error", problem="the reply is empty"), "", []
    objects = json_objects(text)
    found = [one for one in objects if not echo.has(text[one.start : one.end], LONG_JSON)]
    if not objects and not reply.cut:
        mended = repaired(text)
        found = [mended] if mended is not None else []
    return None, text, found


def _unread(reply: Reply, problem: str) -> Reading:
    if is_refusal(reply.text):
        return Reading("refused", problem="the model declined to answer")
    if reply.cut:
        problem = "the reply was cut off at its length limit"
    return Reading("parse_error", problem=problem)


def _pairs(content: Any) -> list[tuple[str, str]] | None:
    """(question, key_info): as asked for, or as two lists; key_info only where it is certain."""
    if isinstance(content, dict):
        listed = content.get("questions", content.get("question"))
        infos = content.get("key_info")
    else:
        listed, infos = content, None
    if not isinstance(listed, list):
        return None
    aligned = isinstance(infos, list) and len(infos) == len(listed)
    found = []
    for place, one in enumerate(listed):
        info = infos[place] if aligned and isinstance(infos, list) else ""
        text = one
        if isinstance(one, dict):
            text, info = one.get("question"), one.get("key_info", info)
        if not isinstance(text, str):
            return None
        found.append((text, info if isinstance(info, str) else ""))
    return found


def _numbered(content: Any, key: str, entry: str) -> list[tuple[int, str]] | None:
    if isinstance(content, dict) and key in content:
        content = content[key]
    pairs: list[tuple[Any, Any]]
    if isinstance(content, dict):
        pairs = list(content.items())
    elif isinstance(content, list) and all(isinstance(one, dict) for one in content):
        pairs = [(one.get("number"), one.get(entry)) for one in content if isinstance(one, dict)]
    else:
        return None
    found: list[tuple[int, str]] = []
    for number, said in pairs:
        for each in said.values if isinstance(said, Several) else (said,):
            if isinstance(each, dict):
                each = each.get(entry)
            place = _number(number)
            if place is None:
                return None
            found.append((place, _text(each)[:LONGEST]))
    return found


def _number(value: Any) -> int | None:
    if isinstance(value, str) and value.strip().rstrip(".").isascii():
        value = value.strip().rstrip(".")
        return int(value) if value.isdigit() and len(value) < 9 else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Any) -> str:
    if value is None or isinstance(value, dict | list | Several):
        return ""
    return str(value)


def normal(question: Question, said: str) -> str:
    """The answer as it is stored: as a judge's reply is read."""
    return str(question.check(" ".join(storable(said).split())))


def clean(text: str) -> str:
    """Without the characters that no file can hold."""
    return UNSTORABLE.sub("", text)
