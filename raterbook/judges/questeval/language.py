"""Which of two languages a text is in; texts in others are treated as English is."""

from __future__ import annotations

import re

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
