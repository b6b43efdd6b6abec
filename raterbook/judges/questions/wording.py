"""The prompts: one file per step and language, versioned, and replaceable by files of one's own."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from raterbook.judges.clients.model import Messages
from raterbook.judges.examples import fenced

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
    return parse(path.read_text(encoding="utf-8"), name, path != OWN / name)


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
