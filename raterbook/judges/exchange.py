"""One request and its reply over the OpenAI client, read by ourselves.

The client would hand on a web page as a text, and raise a bare JSONDecodeError on broken JSON.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from raterbook.judges.faults import Fault, in_body, of_status
from raterbook.judges.keys import keep_keys_out_of_logs, scrubbed
from raterbook.judges.reply import storable


class Failed(Exception):
    """A request without a usable reply."""

    def __init__(self, fault: Fault):
        super().__init__(fault.message)
        self.fault = fault


class Exchange:
    """Opened and used in one event loop."""

    def __init__(self, base_url: str, key: str | None, timeout: float, where: str):
        openai = client_library()
        keep_keys_out_of_logs()
        self._openai = openai
        self._timeout, self._where = timeout, where
        self._client = openai.AsyncOpenAI(
            api_key=key or "none", base_url=base_url, max_retries=0, timeout=timeout
        )

    async def send(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply's fields, or Failed."""
        openai = self._openai
        try:
            # Not wait_for: in Python 3.11 it can lose a cancellation, and Ctrl-C with it.
            async with asyncio.timeout(self._timeout):
                raw = await self._client.chat.completions.with_raw_response.create(**request)
            content = raw.http_response.content
        except openai.APIStatusError as error:
            headers = dict(error.response.headers)
            body = _body_of(error)
            raise Failed(of_status(error.status_code, body, headers, self._where)) from None
        except (openai.APITimeoutError, TimeoutError):
            raise Failed(Fault("retry", f"no reply within {self._timeout:g} s")) from None
        except openai.APIConnectionError as error:
            raise Failed(Fault("retry", self._unconnected(error))) from None
        except openai.OpenAIError as error:
            raise Failed(Fault("retry", scrubbed(f"{type(error).__name__}: {error}"))) from None
        except ValueError as error:
            raise Failed(Fault("retry", scrubbed(f"the reply cannot be read: {error}"))) from None
        return self._fields(content, raw.headers.get("x-request-id"))

    def _fields(self, content: bytes, request_id: str | None) -> dict[str, Any]:
        body = _decoded(content)
        fault = in_body(body, self._where)
        if fault is not None:
            raise Failed(fault)
        choice = body["choices"][0]
        message = choice["message"]
        usage = body.get("usage") if isinstance(body.get("usage"), dict) else {}
        refusal = message.get("refusal")
        declined = storable(scrubbed(refusal)) if isinstance(refusal, str) and refusal else None
        return {
            "text": storable(_text(message.get("content"))),
            "finish": _word(choice.get("finish_reason")),
            "refusal": declined,
            "served": _word(body.get("model")),
            "tokens_in": _count(usage.get("prompt_tokens")),
            "tokens_out": _count(usage.get("completion_tokens")),
            "request_id": scrubbed(request_id or _word(body.get("id")) or "") or None,
            "sdk": f"openai {self._openai.__version__}",
        }

    def _unconnected(self, error: Exception) -> str:
        cause = error.__cause__ or error
        why = scrubbed(f"{type(cause).__name__}: {cause}")
        if type(cause).__name__ == "ConnectError":
            return f"no connection to {self._where} ({why}): is a server running there?"
        return f"the connection to {self._where} was lost ({why})"

    async def close(self) -> None:
        await self._client.close()


def client_library() -> Any:
    """The OpenAI client, or a ValueError that says how to get it."""
    try:
        import openai
    except ImportError:
        raise ValueError(
            "The client for models behind an address is not installed: "
            "pip install 'raterbook[judge]'"
        ) from None
    return openai


def _body_of(error: Any) -> Any:
    """The whole body: the client keeps only what stands under `error`."""
    try:
        return json.loads(error.response.content)
    except (ValueError, AttributeError):
        return error.body


def _decoded(content: bytes) -> Any:
    text = content.decode("utf-8", errors="replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        if not text.strip():
            raise Failed(Fault("retry", "200 with an empty body")) from None
        if text.lstrip()[:1] in ("{", "["):
            raise Failed(Fault("retry", "200 with broken JSON")) from None
        return text


def _text(content: Any) -> str:
    """A message's text; some servers send it as a list of pieces."""
    if isinstance(content, list):
        pieces = (one.get("text", "") for one in content if isinstance(one, dict))
        return "".join(piece for piece in pieces if isinstance(piece, str))
    return content if isinstance(content, str) else ""


def _word(value: Any) -> str | None:
    return scrubbed(value)[:200] if isinstance(value, str) else None


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_count else None
