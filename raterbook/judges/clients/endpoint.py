"""Commercial and self-hosted models: anything that speaks the OpenAI protocol."""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
import zlib
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

from raterbook.environment import optional
from raterbook.judges.clients.faults import (
    Fault,
    in_body,
    keep_keys_out_of_logs,
    key_from_environment,
    of_status,
    refuse_keys_in,
    scrubbed,
)
from raterbook.judges.clients.model import Messages, Reply, Source, Stop, storable
from raterbook.judges.clients.pace import Pace

# One request and its reply, read by ourselves: the client would hand on a web page as a text,
# and raise a bare JSONDecodeError on broken JSON.


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
            api_key=key or "none",
            base_url=base_url,
            max_retries=0,
            timeout=timeout,
            http_client=sender(openai, timeout),
            default_headers=_unsent(openai, base_url, key or "none"),
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
            headers, body = dict(error.response.headers), _body_of(error)
            raise Failed(of_status(error.status_code, body, headers, self._where)) from None
        except Oversized as error:
            raise Failed(Fault("give_up", str(error))) from None
        except (openai.APITimeoutError, TimeoutError):
            raise Failed(Fault("retry", f"no reply within {self._timeout:g} s")) from None
        except openai.APIConnectionError as error:
            raise Failed(Fault("retry", self._unconnected(error))) from None
        except openai.OpenAIError as error:
            raise Failed(Fault("retry", scrubbed(f"{type(error).__name__}: {error}"))) from None
        except Exception as error:  # whatever a server sends, the run goes on
            why = scrubbed(f"{type(error).__name__}: {error}"[:SHOWN])
            raise Failed(Fault("retry", f"the reply cannot be read: {why}")) from None
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
            "request_id": _word(request_id or body.get("id")) or None,
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
    """The OpenAI client, or an error that says how to get it."""
    return optional("openai", "judge", "A model behind an address")


# How a request goes out and its body comes in, whichever library carries it.

LARGEST = 4 * 2**20  # bytes of one body, unpacked; a reply of 100,000 tokens has a tenth of it
SHOWN = 300  # characters of an error
_ORGANISATION = ("OpenAI-Organization", "OpenAI-Project")


class Oversized(Exception):
    """A body that is larger than any reply, or packed in a way nobody asked for."""


def _unsent(openai: Any, base_url: str, key: str) -> dict[str, Any]:
    """Headers of an account there, and of OPENAI_CUSTOM_HEADERS, which the client would send to
    every server: unset for all but the one they are for."""
    if urlsplit(base_url).hostname == urlsplit(OPENAI).hostname:
        return {}
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    named = [line.partition(":")[0].strip() for line in lines if ":" in line]
    own = {"authorization": f"Bearer {key}"}
    return {name: own.get(name.lower(), openai.Omit()) for name in (*_ORGANISATION, *named)}


def sender(openai: Any, timeout: float) -> Any:
    """What the client sends with: no redirect is followed, no body is read without end, and each
    connection it made is closed with it, also one that a cancelled request left behind."""

    class Sender(openai.DefaultAsyncHttpxClient):
        def __init__(self, **how: Any):
            super().__init__(**how)
            self._made: list[Any] = []

        async def send(self, request: Any, **how: Any) -> Any:
            request.headers["accept-encoding"] = "gzip, deflate"
            request.extensions = {**request.extensions, "trace": self._note}
            whole = {**how, "stream": True, "follow_redirects": False}
            response = await super().send(request, **whole)
            try:
                packed = response.headers.get("content-encoding", "").strip().lower()
                content = await unpacked(response.aiter_raw(), packed)
            finally:
                await response.aclose()
            headers = [
                (name, value)
                for name, value in response.headers.multi_items()
                if name.lower() not in ("content-encoding", "content-length", "transfer-encoding")
            ]
            return type(response)(
                response.status_code, headers=headers, content=content, request=request
            )

        async def _note(self, event: str, told: dict[str, Any]) -> None:
            if event == "connection.connect_tcp.complete":
                there = [one for one in self._made if one.get_extra_info("socket").fileno() >= 0]
                self._made = [*there, told["return_value"]]

        async def aclose(self) -> None:
            try:
                await super().aclose()
            finally:
                while self._made:
                    await self._made.pop().aclose()

    return Sender(timeout=timeout, follow_redirects=False)


async def unpacked(pieces: AsyncIterator[bytes], packed: str) -> bytes:
    """The body as it was before packing; Oversized as soon as it is larger than LARGEST."""
    if packed not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise Oversized(f"the reply is packed as {packed[:20]!r}, which nobody asked for")
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32) if packed not in ("", "identity") else None
    found = bytearray()
    async for piece in pieces:
        room = LARGEST - len(found) + 1
        if unpacker is None:
            found += piece[:room]
        else:
            try:
                found += unpacker.decompress(piece, room)
            except zlib.error as error:
                raise ValueError(f"{packed} that cannot be unpacked ({error})") from None
        if len(found) > LARGEST:
            raise Oversized(f"the reply is larger than {LARGEST // 2**20} MB, and was not read")
    return bytes(found)


def _body_of(error: Any) -> Any:
    """The whole body: the client keeps only what stands under `error`."""
    text = error.response.content.decode("utf-8", errors="replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


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
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return value if is_count else None


# The address as a model: which form of constraint it takes, when it is given up, what a fault says.

OPENAI = "https://api.openai.com/v1"
FORMS = ("schema", "object", "text")
GIVE_UP_AFTER = 10  # requests in a row that nobody answered
LEAST_WAIT = 0.02  # seconds before the same is asked again, doubled each time


class Endpoint:
    """A model behind an address. The key comes from the environment variable `key_env`.

    A failed request is tried again up to `tries` times; “too many requests” does not count as a
    failure until `longest_wait` seconds have gone by. `timeout` is for one whole reply.
    """

    help = "--base-url URL: any address that speaks the OpenAI protocol, and its NAME there"

    @classmethod
    def fits(cls, source: Source) -> bool:
        return isinstance(source.model, str) and source.local is None

    @classmethod
    def of(cls, source: Source) -> Endpoint:
        limit = {} if source.max_tokens is None else {"max_tokens": source.max_tokens}
        return cls(
            source.model,
            source.base_url,
            key_env=source.key_env,
            temperature=source.temperature,
            seed=source.seed,
            concurrency=source.concurrency or 8,
            **limit,
        )

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        key_env: str = "OPENAI_API_KEY",
        temperature: float | None = 0.0,
        max_tokens: int = 4096,
        seed: int | None = None,
        concurrency: int = 8,
        timeout: float = 180.0,
        tries: int = 6,
        backoff: float = 0.5,
        longest_wait: float = 600.0,
    ):
        self.name = model
        self.concurrency = concurrency
        self.base_url = refuse_keys_in(base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI)
        client_library()  # if it is missing, better now than at the first request
        self.key_env = key_env
        self.temperature, self.max_tokens, self.seed = temperature, max_tokens, seed
        self.timeout, self.tries = timeout, tries
        self.backoff, self.longest_wait = backoff, longest_wait
        self.form = 0  # place on the ladder of FORMS, remembered for the run
        self.left_out: set[str] = set()  # parameters the server does not take
        self._proven = False
        self._unanswered = 0
        self._pace = Pace(concurrency)
        self._exchange: Exchange | None = None

    @property
    def where(self) -> str:
        return urlsplit(self.base_url).netloc

    def identity(self) -> dict[str, Any]:
        return {
            "model": self.name,
            "base_url": self.base_url,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
        }

    async def ask(self, messages: Messages, schema: dict[str, Any], replicate: int) -> Reply:
        began, failures, retries, form = time.monotonic(), 0, 0, self.form
        while True:
            form = max(form, self.form)
            try:
                async with self._pace.turn() as turn:
                    started = time.monotonic()
                    request = self._request(messages, schema, replicate, form)
                    reply = await self._open().send(request)
            except Failed as failed:
                fault = failed.fault
            else:
                self._worked(form)
                seconds = round(time.monotonic() - started, 3)
                return Reply(
                    **{**reply, "retries": retries, "seconds": seconds, "form": FORMS[form]}
                )
            retries += 1
            if fault.what == "stop":
                raise Stop(self._explained(fault))
            if fault.what == "declined":
                return Reply(refusal=fault.message, retries=retries - 1)
            if fault.what == "refit":
                step = self._refit(fault, form)
                if step is None:
                    return Reply(error=fault.message, retries=retries - 1)
                form = step
                continue
            waited = time.monotonic() - began
            if fault.what == "busy":
                self._pace.too_many(turn)
            failures += fault.what == "retry"
            lost = fault.what == "give_up" or failures >= self.tries
            if lost or (fault.what == "busy" and waited > self.longest_wait):
                return self._given_up(fault, retries - 1)
            await self._wait(fault, max(failures, min(retries, 6)))

    def _request(
        self, messages: Messages, schema: dict[str, Any], replicate: int, form: int
    ) -> dict[str, Any]:
        request: dict[str, Any] = {"model": self.name, "messages": list(messages)}
        limit = "max_completion_tokens" if "max_tokens" in self.left_out else "max_tokens"
        request[limit] = self.max_tokens
        if self.temperature is not None and "temperature" not in self.left_out:
            request["temperature"] = self.temperature
        if self.seed is not None and "seed" not in self.left_out:
            request["seed"] = self.seed + replicate - 1
        if FORMS[form] == "schema":
            described = {"name": "reply", "strict": True, "schema": schema}
            request["response_format"] = {"type": "json_schema", "json_schema": described}
        elif FORMS[form] == "object":
            request["response_format"] = {"type": "json_object"}
        return request

    def _refit(self, fault: Fault, form: int) -> int | None:
        """The rung to try next after a request was refused as it stands; None gives it up."""
        if fault.unsupported in ("max_tokens", "temperature", "seed"):
            if fault.unsupported in self.left_out:
                return None
            self.left_out.add(fault.unsupported)
            return form
        if form + 1 == len(FORMS):
            return None
        if fault.unsupported == "response_format":
            self.form = max(self.form, form + 1)
            return form + 1
        # Refused without a word about the format: worth a try only while nothing has worked yet.
        return None if self._proven else form + 1

    def _worked(self, form: int) -> None:
        self.form, self._proven, self._unanswered = max(form, self.form), True, 0
        self._pace.went_well()

    def _given_up(self, fault: Fault, retries: int) -> Reply:
        self._unanswered += 1
        if self._unanswered >= GIVE_UP_AFTER:
            raise Stop(
                f"{self.where}: {self._unanswered} requests in a row came to nothing, the last "
                f"with “{fault.message}”. Check the address and the server."
            )
        return Reply(error=fault.message, retries=retries)

    async def _wait(self, fault: Fault, failures: int) -> None:
        """As long as the server asks for, and never less than a wait of our own."""
        longest = min(30.0, max(LEAST_WAIT, self.backoff) * 2 ** (failures - 1))
        own = longest * random.uniform(0.5, 1.0)  # noqa: S311  (no secret)
        if fault.wait is None:
            await asyncio.sleep(own)
            return
        if fault.wait > self.longest_wait:
            raise Stop(
                f"{self.where} asks to wait {fault.wait:.0f} s ({fault.message}): "
                "run again after that."
            )
        wait = max(own, fault.wait)
        self._pace.pause(wait)
        await asyncio.sleep(wait)

    def _explained(self, fault: Fault) -> str:
        if "key" in fault.message and key_from_environment(self.key_env) is None:
            return f"{fault.message} The environment variable {self.key_env} is not set: set it."
        if "did not accept the key" in fault.message:
            return f"{fault.message} It was read from the environment variable {self.key_env}."
        return fault.message

    def _open(self) -> Exchange:
        if self._exchange is None:
            key = key_from_environment(self.key_env)
            if key is None and self.base_url == OPENAI:
                raise Stop(
                    f"{self.where} needs a key, and the environment variable {self.key_env} is "
                    "not set. Set it, or give the address of another server (--base-url, or "
                    "base_url=).",
                    sent=False,
                )
            self._exchange = Exchange(self.base_url, key, self.timeout, self.where)
        return self._exchange

    async def close(self) -> None:
        if self._exchange is not None:
            exchange, self._exchange = self._exchange, None
            await exchange.close()
