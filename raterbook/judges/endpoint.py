"""Commercial and self-hosted models: anything that speaks the OpenAI protocol."""

from __future__ import annotations

import asyncio
import os
import random
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from raterbook.judges.exchange import Exchange, Failed, client_library
from raterbook.judges.faults import Fault
from raterbook.judges.keys import key_from_environment, refuse_keys_in
from raterbook.judges.outcome import JudgeRun
from raterbook.judges.pace import Pace
from raterbook.judges.reply import Messages, Reply, Stop

if TYPE_CHECKING:
    from raterbook.rounds import StoredRound

OPENAI = "https://api.openai.com/v1"
FORMS = ("schema", "object", "text")
GIVE_UP_AFTER = 10  # requests in a row that nobody answered


class Endpoint:
    """A model behind an address. The key comes from the environment variable `key_env`.

    A failed request is tried again up to `tries` times; “too many requests” does not count as a
    failure until `longest_wait` seconds have gone by. `timeout` is for one whole reply.
    """

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
            "model": self.name, "base_url": self.base_url, "temperature": self.temperature,
            "max_tokens": self.max_tokens, "seed": self.seed,
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
                return Reply(**{**reply, "retries": retries, "seconds": seconds,
                                "form": FORMS[form]})
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
        if fault.wait is not None:
            if fault.wait > self.longest_wait:
                raise Stop(
                    f"{self.where} asks to wait {fault.wait:.0f} s ({fault.message}): "
                    "run again after that."
                )
            self._pace.pause(fault.wait)
            await asyncio.sleep(fault.wait)
            return
        longest = min(30.0, self.backoff * 2 ** (failures - 1))
        await asyncio.sleep(longest * random.uniform(0.5, 1.0))

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


def judge_endpoint(
    stored: StoredRound,
    model: str,
    base_url: str | None = None,
    *,
    name: str | None = None,
    key_env: str = "OPENAI_API_KEY",
    temperature: float | None = 0.0,
    max_tokens: int = 4096,
    seed: int | None = None,
    concurrency: int = 8,
    timeout: float = 180.0,
    **how: Any,
) -> JudgeRun:
    """`judge` with a model behind an address; `how` is what `judge` takes."""
    from raterbook.judges.judging import judge

    endpoint = Endpoint(
        model, base_url, key_env=key_env, temperature=temperature, max_tokens=max_tokens,
        seed=seed, concurrency=concurrency, timeout=timeout,
    )
    return judge(stored, endpoint, name or model, **how)
