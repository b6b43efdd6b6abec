"""What a reply costs, by a small table anyone can edit, and a budget that stops a run."""

from __future__ import annotations

import math
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any

from raterbook.files.content import read_json
from raterbook.judges.clients.model import Messages, Model, Reply, Stop
from raterbook.rounds.model import shown

TABLE = Path(__file__).with_name("prices.json")
_WIDE = re.compile("[\u2e80-\U0010ffff]")
_DATED = re.compile(r"(?:-\d{4}-\d{2}-\d{2}|-\d{8}|-latest|@.*)$")

WRITE = 'write {"models": {"NAME": {"input": USD, "output": USD}}}, per million tokens'
OWN = "Give a table of your own (--prices FILE, or prices=)"
Price = tuple[float, float]  # dollars per million tokens in, and out


class Prices:
    """Prices by model; `source` is a file like prices.json, or {model: (input, output)}."""

    def __init__(self, source: str | os.PathLike[str] | Mapping[str, Any] | None = None):
        self._models: dict[str, Price] = {}
        self.source = "the prices given"
        if isinstance(source, Mapping):
            self._take(source)
        else:
            path = Path(source) if source is not None else TABLE
            content = read_json(path, "prices", WRITE)
            try:
                self._take(content["models"])
                when = f" of {content['as_of']}" if content.get("as_of") else ""
                whose = "raterbook's prices" if source is None else f"the prices in {path.name}"
                self.source = f"{whose}{when}"
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{path}: {error}; {WRITE}") from None

    def _take(self, models: Mapping[str, Any]) -> None:
        if not isinstance(models, Mapping):
            raise ValueError(f"{_shown(models)} is no table of models")
        for name, price in models.items():
            low = _numbers(price)
            if len(low) != 2 or not all(math.isfinite(one) and one >= 0 for one in low):
                said = f"{_shown(name)}: {_shown(price)} is no price"
                raise ValueError(f"{said}; two numbers of 0 or more are")
            self._models[name] = (low[0], low[1])

    def of(self, model: str) -> Price | None:
        """The price of a model, also under a dated name or with its provider before it."""
        for name in (model, _DATED.sub("", model), model.rpartition("/")[2]):
            for known in (name, _DATED.sub("", name)):
                if known in self._models:
                    return self._models[known]
        return None

    def cost(self, model: str, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """In dollars; None where price or tokens are not known."""
        price = self.of(model)
        if price is None or tokens_in is None or tokens_out is None:
            return None
        return (tokens_in * price[0] + tokens_out * price[1]) / 1e6


def _numbers(price: Any) -> list[float]:
    """A price's two numbers; none where it is anything else."""
    try:
        pair = (price["input"], price["output"]) if isinstance(price, Mapping) else tuple(price)
        return [float(number) for number in pair[:3]]
    except (KeyError, TypeError, ValueError, OverflowError):
        return []


def _shown(value: Any) -> str:
    """As much of it as a message holds, however deep it is nested."""
    try:
        return shown(value)
    except RecursionError:
        return "a table nested too deeply"


class Budget:
    """Dollars a run may spend. What is under way counts at its estimate, so a stop is in time."""

    def __init__(self, limit: float | None, price: Price | None, model: str, source: str = ""):
        if limit is not None and not limit >= 0:
            raise ValueError(f"a budget of {limit} is no amount: use 0 or more dollars")
        if limit is not None and price is None:
            raise ValueError(
                f"No price is known for {model!r}, so a budget cannot be kept: "
                f"{source} do not name it. {OWN}, or leave the budget out."
            )
        self._limit, self._price = limit, price
        self._spent = self._reserved = 0.0

    def reserve(self, tokens_in: int, tokens_out: int) -> float | None:
        """The estimate set aside for a request, or None where it would go beyond the budget."""
        if self._limit is None or self._price is None:
            return 0.0
        estimate = (tokens_in * self._price[0] + tokens_out * self._price[1]) / 1e6
        if self._spent + self._reserved + estimate > self._limit:
            return None
        self._reserved += estimate
        return estimate

    def settle(self, estimate: float, cost: float | None) -> None:
        """What it really cost, in place of the estimate; unknown costs stay estimates."""
        self._reserved -= estimate
        self._spent += estimate if cost is None else cost


def total(one: float | None, other: float | None) -> float | None:
    """What two replies cost together; unknown only where neither is known."""
    return None if one is None and other is None else (one or 0.0) + (other or 0.0)


def tokens_of(text: str) -> int:
    """A rough count, for estimates only: four Latin characters or one of Chinese to a token."""
    others = 0 if text.isascii() else len(_WIDE.findall(text))
    return math.ceil((len(text) - others) / 4) + others


# A model asked as long as the budget lasts, and the account of what was asked and spent.


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
