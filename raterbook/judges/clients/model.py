"""A model's reply, and what is expected of a model: that it can be asked."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from raterbook.judges.clients.faults import scrubbed, whole, without_keys

Messages = Sequence[dict[str, str]]


def storable(text: str) -> str:
    """A reply as it can be stored: without the keys we know, and without half characters."""
    return whole(without_keys(text))


@dataclass(frozen=True)
class Reply:
    """What came back. `error` is set, and the text empty, where nothing did."""

    text: str = ""
    finish: str | None = None  # the server's reason for ending: stop, length, content_filter
    refusal: str | None = None  # what a server's own refusal field says
    error: str | None = None
    served: str | None = None  # the model that answered, by the server's account
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None  # in US dollars; None where no price is known
    retries: int = 0
    request_id: str | None = None
    seconds: float | None = None
    form: str | None = None  # of the request: schema, object or text
    sdk: str | None = None
    again: int | None = None  # how often the same request was answered otherwise before
    at: str | None = field(default=None, compare=False)  # when it was stored
    cached: bool = field(default=False, compare=False)

    @property
    def cut(self) -> bool:
        return self.finish == "length"

    def detail(self) -> dict[str, Any]:
        """Everything but the text, as it is stored beside it."""
        return {
            name: value
            for name, value in asdict(self).items()
            if name not in ("text", "cached", "at") and value is not None
        }

    @classmethod
    def stored(cls, text: str, detail: dict[str, Any]) -> Reply:
        known = {name: detail[name] for name in cls.__dataclass_fields__ if name in detail}
        return cls(**{**known, "text": text, "cached": True})


class Stop(Exception):
    """No further request can succeed: a wrong key, an exhausted quota, an unknown model.

    `sent` is false where not even this one left the machine.
    """

    def __init__(self, message: str = "", *, sent: bool = True):
        super().__init__(message)
        self.sent = sent


class Model(Protocol):
    """What `judge` needs: a name, how many requests at once, what the reply depends on."""

    @property
    def name(self) -> str: ...

    @property
    def concurrency(self) -> int: ...

    def identity(self) -> dict[str, Any]:
        """What a reply depends on, beside messages, schema and replicate."""

    async def ask(self, messages: Messages, schema: dict[str, Any], replicate: int) -> Reply:
        """One reply. Failures are replies with an error; Stop where going on is pointless."""

    async def close(self) -> None:
        """Give back connections; called in the event loop that asked."""


@dataclass(frozen=True)
class Source:
    """Which model is to be asked, and how, in the words of the command line.

    What is None is left to the client.
    """

    model: Any = None  # a name, a function, or a model that can be asked as it is
    name: str | None = None  # the rater's
    base_url: str | None = None
    local: str | Path | None = None  # the path or id of a model on this machine
    constrained: bool = False
    key_env: str = "OPENAI_API_KEY"
    concurrency: int | None = None
    max_tokens: int | None = None
    temperature: float = 0.0
    seed: int | None = None

    @property
    def is_name(self) -> bool:
        """Whether nothing but a name says which model it is."""
        return isinstance(self.model, str) and self.local is None and self.base_url is None


class Client(Protocol):
    """A kind of model, as it stands in the registry: by its class."""

    help: str  # a line for people who choose one

    @classmethod
    def fits(cls, source: Source) -> bool:
        """Whether this client can ask that model."""

    @classmethod
    def of(cls, source: Source) -> Model:
        """The model, ready to be asked; ValueError where something it needs is missing."""


class FunctionModel:
    """A model that is a function of the messages, or of one text, returning a text."""

    help = "in scripts and notebooks: any function from messages, or from one text, to a text"

    @classmethod
    def fits(cls, source: Source) -> bool:
        return callable(source.model)

    @classmethod
    def of(cls, source: Source) -> Model:
        name = source.name or getattr(source.model, "name", "") or "model"
        return cls(source.model, name, source.concurrency or 1)

    def __init__(self, function: Callable[..., Any], name: str, concurrency: int = 1):
        self.name = name
        self.concurrency = concurrency
        self._function = function
        self._wants_text = _takes_text(function)

    def identity(self) -> dict[str, Any]:
        return {"model": self.name}

    async def ask(self, messages: Messages, schema: dict[str, Any], replicate: int) -> Reply:
        given: Any = [dict(message) for message in messages]
        if self._wants_text:
            given = "\n\n".join(message["content"] for message in messages)
        try:
            if inspect.iscoroutinefunction(self._function):
                found = await self._function(given)
            else:
                found = await asyncio.to_thread(self._function, given)
                if inspect.isawaitable(found):
                    found = await found
        except Stop:
            raise
        except Exception as error:
            return Reply(error=scrubbed(f"{type(error).__name__}: {error}"))
        if isinstance(found, Reply):
            return found
        if not isinstance(found, str):
            kind = type(found).__name__
            return Reply(error=f"the function returned {kind}; it must return the reply's text")
        return Reply(storable(found))

    async def close(self) -> None:
        pass


def _takes_text(function: Callable[..., Any]) -> bool:
    """Functions whose parameter is called prompt or text, or annotated as str, get one text."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    if not parameters:
        return False
    return parameters[0].name in ("prompt", "text") or parameters[0].annotation in (str, "str")
