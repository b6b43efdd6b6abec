"""A model asked as long as the budget lasts, and the account of what was asked and spent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

from raterbook.judges.prices import Budget, Prices, tokens_of
from raterbook.judges.reply import Messages, Model, Reply, Stop


@dataclass
class Account(ABC):
    """How a model's run goes, and what it costs."""

    round: str
    rater: str
    total: int = 0  # texts or sheets to handle
    _: KW_ONLY
    requests: int = 0  # sent to the model, repeats after a failure not counted
    spent: float = 0.0
    unpriced: int = 0  # replies whose cost is not known
    prices: str = ""  # whose prices, and of when
    priced: bool = False  # whether the model has one
    stopped: str | None = None  # why the run ended early

    @property
    @abstractmethod
    def failed(self) -> int:
        """How many texts or sheets have no answer."""

    def cost(self) -> str:
        """What was spent, by whose prices; “unknown” where it is, never nothing."""
        if not self.spent and not self.unpriced:
            return "nothing spent"
        said = [f"{self.spent:.4f} USD by {self.prices}"] if self.spent else []
        if self.unpriced and not self.priced:
            said.append(f"price unknown: {self.prices} do not name the model")
        elif self.unpriced:
            said.append(f"cost of {self.unpriced} replies unknown: no token counts came with them")
        return ", ".join(said)


class Budgeted:
    """One model in one run; `expected` is how many tokens a usual reply has."""

    def __init__(
        self, model: Model, run: Account, prices: Prices, limit: float | None, expected: int
    ):
        self.model, self.run = model, run
        self.failure: Stop | None = None
        self._prices, self._expected = prices, expected
        price = prices.of(model.name)
        run.prices, run.priced = prices.source, price is not None
        self._budget = Budget(limit, price, model.name, prices.source)

    async def ask(self, messages: Messages, schema: dict[str, Any], replicate: int) -> Reply | None:
        """The reply with its cost; None once the run has stopped, and the account says why."""
        written = sum(tokens_of(message["content"]) for message in messages)
        estimate = self._budget.reserve(written, self._expected)
        if estimate is None:
            self._stop("the budget is used up")
            return None
        self.run.requests += 1
        reply: Reply | None = None
        try:
            reply = await self.model.ask(messages, schema, replicate)
        except Stop as stop:
            self.failure = self.failure or stop
            self.run.requests -= not stop.sent
            self._stop(str(stop))
        finally:
            if reply is not None and reply.cost is None:
                cost = self._prices.cost(self.model.name, reply.tokens_in, reply.tokens_out)
                reply = replace(reply, cost=cost)
            self._settle(estimate, reply)
        return reply

    def _settle(self, estimate: float, reply: Reply | None) -> None:
        answered = reply is not None and not reply.error
        cost = reply.cost if reply is not None and answered else 0.0
        self._budget.settle(estimate, cost)
        if answered:
            self.run.spent += cost or 0.0
            self.run.unpriced += cost is None

    def _stop(self, why: str) -> None:
        self.run.stopped = self.run.stopped or why
