"""What a failed request means: try again, ask more simply, give this one up, or stop the run."""

from __future__ import annotations

import email.utils
import logging
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from raterbook.protocols.kinds import UNSTORABLE

QUOTA = (
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "quota_exhausted",
    "credit balance is too low",
    "insufficient credits",
    "exceeded your current quota",
)
ENDING = "it ends in /v1 with most servers"
PASSING = (408, 409, 425)


@dataclass(frozen=True)
class Fault:
    """`what` is retry, busy (too many requests), refit, declined, give_up or stop."""

    what: str
    message: str
    wait: float | None = None  # seconds the server asked for
    unsupported: str | None = None  # the parameter to leave out


def of_status(status: int, body: Any, headers: Mapping[str, str], where: str) -> Fault:
    """The meaning of an HTTP status with its body."""
    said = scrubbed(said_in(body))
    message = f"{status}: {said}" if said else f"{status}"
    code = " ".join(str(part) for part in _codes(body)).lower()
    if status == 402 or (status in (400, 403, 429) and _is_quota(code, said)):
        return Fault("stop", f"{where}: the quota or credit is used up ({message}).")
    if status == 401:
        return Fault("stop", f"{where} did not accept the key ({message}).")
    if "content_filter" in code or "content management policy" in said or "flagged" in said:
        return Fault("declined", message)
    if status == 403:
        return Fault("stop", f"{where} does not allow this ({message}).")
    if status == 404:
        return Fault(
            "stop",
            f"{where} knows no such model or address ({message}). Check the model's name "
            f"and the address; {ENDING}.",
        )
    if 300 <= status < 400:
        return Fault("give_up", f"{message} {_elsewhere(headers, where)}")
    if status == 429:
        return Fault("busy", message, wait_asked(headers))
    if status in (400, 415, 422, 501):
        return Fault("refit", message, unsupported=unsupported(f"{code} {said}"))
    if status in PASSING or status >= 500:
        return Fault("retry", message, wait_asked(headers))
    return Fault("give_up", message)


def in_body(body: Any, where: str) -> Fault | None:
    """An error that came with status 200; None where the body is a completion."""
    if not isinstance(body, dict):
        said = f"200 with {_kind(body)} in place of a completion"
        return Fault("retry", f"{said}: check the address, {ENDING}")
    error = body.get("error")
    if error:
        code = error.get("code") if isinstance(error, dict) else None
        status = code if isinstance(code, int) and 400 <= code < 600 else 500
        return of_status(status, body, {}, where)
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return Fault("retry", "200 without a choice in it")
    if not isinstance(choices[0].get("message"), dict):
        return Fault("retry", "200 without a message in it")
    return None


def unsupported(message: str) -> str | None:
    """Which parameter a server objects to."""
    words = message.lower()
    if re.search(
        r"response_format|json_schema|json_object|json mode|structured output|guided_json"
        r"|grammar",
        words,
    ):
        return "response_format"
    if "max_completion_tokens" in words or ("max_tokens" in words and "support" in words):
        return "max_tokens"
    for name in ("temperature", "seed"):
        if name in words and re.search(r"support|unknown|unrecogni|not permitted|extra", words):
            return name
    return None


def wait_asked(headers: Mapping[str, str]) -> float | None:
    """Seconds, from retry-after-ms, or Retry-After as a number or a date."""
    lower = {name.lower(): value for name, value in headers.items()}
    try:
        return _seconds(float(lower["retry-after-ms"][:40]) / 1000)
    except (KeyError, ValueError):
        pass
    given = lower.get("retry-after", "").strip()[:40]
    try:
        seconds = float(given)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(given).timestamp() - time.time()
        except (ValueError, TypeError, IndexError, OverflowError, OSError):
            return None
    return _seconds(seconds)


def _seconds(number: float) -> float | None:
    """A wait; none where the number is infinite or no number, and never one that is over."""
    return max(0.0, number) if number == number and number < float("inf") else None


def _elsewhere(headers: Mapping[str, str], where: str) -> str:
    """That a server points to another address, and which."""
    lower = {name.lower(): value for name, value in headers.items()}
    target = scrubbed(lower.get("location", "")[:200])
    to = f" to {target}" if target else ""
    return (
        f"{where} sends on{to}, and no request follows there: give that address itself "
        "if it is the right one"
    )


READ = 4_000  # characters of a body that are looked at for the server's words


def said_in(body: Any) -> str:
    """The server's own words, at most a line or two of them."""
    if isinstance(body, dict):
        error = body.get("error", body)
        text = error.get("message", "") if isinstance(error, dict) else error
        return " ".join(_written(text or error).split())[:300]
    return " ".join(re.sub(r"<[^<>]*>", " ", _written(body or "")).split())[:120]


def _written(value: Any) -> str:
    """A body's part as text, as much as anybody reads; what is nested too deeply has none."""
    if isinstance(value, str):
        return value[:READ]
    try:
        return str(value)[:READ]
    except RecursionError:
        return "an error nested too deeply to be shown"


def _codes(body: Any) -> list[Any]:
    error = body.get("error", body) if isinstance(body, dict) else None
    names = ("code", "type", "param")
    found = [error.get(name) for name in names] if isinstance(error, dict) else []
    return [one[:READ] if isinstance(one, str) else one for one in found if _is_word(one)]


def _is_word(value: Any) -> bool:
    return isinstance(value, str | int)


def _is_quota(code: str, said: str) -> bool:
    words = f"{code} {said.lower()}"
    return any(one in words for one in QUOTA)


def _kind(body: Any) -> str:
    if isinstance(body, str):
        return "a web page" if "<" in body[:200] else "something else than JSON"
    return f"a JSON {type(body).__name__}"


# Keys to services: read from the environment when they are used, and shown to nobody.


NAMES = (
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "ANTHROPIC_API_KEY",
    "MISTRAL_API_KEY",
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "RATERBOOK_API_KEY",
    "RATEBOOK_API_KEY",
)
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
    text = _BEARER.sub(lambda found: f"{found[1]} {HIDDEN}", whole(without_keys(text)))
    return _LOOKS_LIKE_ONE.sub(_hide, text)


def _hide(found: re.Match[str]) -> str:
    return HIDDEN + found[0][len(found[0].rstrip(".-")) :]


def whole(text: str) -> str:
    """The text without half characters, which no file can hold."""
    return UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


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
    names = {
        f"{core}.{part}"
        for core in ("httpcore", "httpcore2")
        for part in ("connection", "http11", "http2", "proxy", "socks")
    }
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
