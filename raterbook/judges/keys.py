"""Keys to services: read from the environment when they are used, and shown to nobody."""

from __future__ import annotations

import logging
import os
import re
from urllib.parse import urlsplit

NAMES = ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY",
         "MISTRAL_API_KEY", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "RATERBOOK_API_KEY",
         "RATEBOOK_API_KEY")
HIDDEN = "[key]"
_LOOKS_LIKE_ONE = re.compile(r"\b(?:(?:sk|pk|rk|gsk|hf|xai)[-_]|AIza)[A-Za-z0-9*_.-]{8,}")
_BEARER = re.compile(
    r"(?i)\b((?:authorization:?\s+)?bearer|authorization:?|x-api-key:?)\s+[^\s\"',;]{6,}"
)
_used: set[str] = set()


def key_from_environment(variable: str) -> str | None:
    """The key in this variable, remembered so that it can be kept out of everything."""
    key = os.environ.get(variable, "").strip()
    if not key:
        return None
    _used.add(key)
    return key


def without_keys(text: str) -> str:
    """The text without the keys we know; nothing else is touched."""
    known = {os.environ.get(name, "").strip() for name in NAMES} | _used
    for key in sorted(known, key=len, reverse=True):
        if len(key) >= 6:
            text = text.replace(key, HIDDEN)
    return text


def scrubbed(text: str) -> str:
    """A server's message without any key, whole, in part, or masked by the server.

    >>> scrubbed("Incorrect API key provided: sk-proj-abcd1234********wxyz.")
    'Incorrect API key provided: [key].'
    """
    text = _BEARER.sub(lambda found: f"{found[1]} {HIDDEN}", without_keys(text))
    return _LOOKS_LIKE_ONE.sub(_hide, text)


def _hide(found: re.Match[str]) -> str:
    tail = re.search(r"[.-]+$", found[0])
    return HIDDEN + (tail[0] if tail else "")


class _Filter(logging.Filter):
    """Takes keys out of what a library logs: a server may send one back in a header."""

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        clean = without_keys(said)
        if clean != said:
            record.msg, record.args = clean, ()
        return True


_FILTER = _Filter()


def keep_keys_out_of_logs() -> None:
    """For the loggers of the client and of what it sends with; some come only with a request."""
    names = {f"{core}.{part}" for core in ("httpcore", "httpcore2")
             for part in ("connection", "http11", "http2", "proxy", "socks")}
    for name in names | set(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("openai", "httpx", "httpx2", "httpcore", "httpcore2"):
            logging.getLogger(name).addFilter(_FILTER)  # once, however often it is added


def refuse_keys_in(url: str) -> str:
    """The address, or a ValueError if it carries a secret: it is stored with every reply."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError(f"{scrubbed(url)!r} is no address: write http(s)://host[:port]/v1")
    if "@" in parts.netloc or parts.query:
        where = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        raise ValueError(
            f"{where}: leave name, password and ?… out of the address; "
            "keys come from the environment only"
        )
    return url.rstrip("/")
