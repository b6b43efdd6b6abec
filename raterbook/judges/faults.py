"""What a failed request means: try again, ask more simply, give this one up, or stop the run."""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from raterbook.judges.keys import scrubbed

QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active",
         "quota_exhausted", "credit balance is too low", "insufficient credits",
         "exceeded your current quota")
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
            "stop", f"{where} knows no such model or address ({message}). Check the model's name "
            f"and the address; {ENDING}.",
        )
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
    if re.search(r"response_format|json_schema|json_object|json mode|structured output|guided_json"
                 r"|grammar", words):
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
        return max(0.0, float(lower["retry-after-ms"]) / 1000)
    except (KeyError, ValueError):
        pass
    given = lower.get("retry-after", "").strip()
    try:
        seconds = float(given)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(given).timestamp() - time.time()
        except (ValueError, TypeError, IndexError):
            return None
    return max(0.0, seconds) if seconds == seconds and seconds < float("inf") else None


def said_in(body: Any) -> str:
    """The server's own words, at most a line or two of them."""
    if isinstance(body, dict):
        error = body.get("error", body)
        text = error.get("message", "") if isinstance(error, dict) else error
        return " ".join(str(text or error).split())[:300]
    return " ".join(re.sub(r"<[^>]*>", " ", str(body or "")).split())[:120]


def _codes(body: Any) -> list[Any]:
    error = body.get("error", body) if isinstance(body, dict) else None
    names = ("code", "type", "param")
    return [error.get(name) for name in names] if isinstance(error, dict) else []


def _is_quota(code: str, said: str) -> bool:
    words = f"{code} {said.lower()}"
    return any(one in words for one in QUOTA)


def _kind(body: Any) -> str:
    if isinstance(body, str):
        return "a web page" if "<" in body[:200] else "something else than JSON"
    return f"a JSON {type(body).__name__}"
