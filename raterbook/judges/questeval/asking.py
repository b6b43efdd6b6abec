"""Asking a model: from the store where the reply is there, within the budget, once again if bad."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from raterbook.judges import cache
from raterbook.judges.budgeted import Budgeted
from raterbook.judges.parsing import Parsed
from raterbook.judges.prices import Prices, total
from raterbook.judges.questeval.replies import Outcome
from raterbook.judges.questeval.schemas import SCHEMAS
from raterbook.judges.questeval.summary import Summary
from raterbook.judges.questeval.wording import Wording
from raterbook.judges.reask import question_again
from raterbook.judges.reply import Messages, Model, Reply

if TYPE_CHECKING:
    from raterbook.rounds import StoredRound

EXPECTED_OUT = 500  # tokens of a usual reply, for budgets
Read = Callable[[Reply, str], Outcome]


class Stopped(Exception):
    """The run ends here; the summary says why."""


class Asker:
    """One model in one run. The store is used from one thread of its own."""

    def __init__(
        self,
        stored: StoredRound,
        model: Model,
        summary: Summary,
        *,
        budget: float | None = None,
        prices: Prices | None = None,
        fresh: bool = False,
    ):
        self.model = model
        self._stored, self._fresh = stored, fresh
        self._asked = Budgeted(model, summary, prices or Prices(), budget, EXPECTED_OUT)
        self._store = ThreadPoolExecutor(1, thread_name_prefix="raterbook-questions")

    async def ask(
        self, wording: Wording, messages: Messages, read: Read
    ) -> tuple[Outcome, Reply, str]:
        """What the model says, read; asked once more, with the complaint, where that fails."""
        prompt = "\n\n".join(message["content"] for message in messages)
        key, reply = await self._reply(wording, messages)
        outcome = read(reply, prompt)
        if outcome.status in ("parse_error", "mismatch", "partial") and not reply.error:
            complaint = Parsed("parse_error", problems=(outcome.problem,))
            again = question_again(messages, reply.text, complaint)
            second_key, second = await self._reply(wording, again)
            better = read(second, prompt)
            retries, cost = reply.retries + second.retries + 1, total(reply.cost, second.cost)
            if better.ok and (better.status == "ok" or not outcome.ok):
                return better, replace(second, retries=retries, cost=cost), second_key
            reply = replace(reply, retries=retries, cost=cost)
        return outcome, reply, key

    async def _reply(self, wording: Wording, messages: Messages) -> tuple[str, Reply]:
        identity = self.model.identity()
        schema = SCHEMAS[wording.step]
        named = {**identity, "prompt": wording.label}
        key = cache.reply_key(named, messages, schema, 1)
        if not self._fresh:
            found = await self.in_store(cache.cached, self._stored, key)
            if found is not None:
                return key, found
        reply = await self._asked.ask(messages, schema, 1)
        if reply is None:
            raise Stopped
        await self.in_store(
            cache.keep, self._stored, key, reply, prompt=wording.label, asked=identity
        )
        return key, reply

    async def in_store(self, action: Callable[..., Any], *given: Any, **more: Any) -> Any:
        """In the store's thread; an interruption waits until the write is over."""
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(self._store, lambda: action(*given, **more))
        return await asyncio.shield(work)

    async def close(self) -> None:
        await self.model.close()
        self._store.shutdown(wait=True)
