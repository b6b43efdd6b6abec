"""Hugging Face models on this machine; torch and transformers are imported here and only here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

from raterbook.environment import optional
from raterbook.judges.clients.constrained import Constrained, Open, Tokens, shape_of
from raterbook.judges.clients.model import Messages, Reply, Source, Stop, storable
from raterbook.judges.outcome import is_watched


class LocalModel:
    """A text-generation model by path or id, or one already loaded with its own tokenizer.

    Deterministic unless a temperature is given; only new tokens are decoded. `device` automap
    takes cuda, else mps, else cpu. `constrained` holds every reply to the JSON asked for, whatever
    the model: then all replies can be read, and a weak model's are still what it finds likeliest.
    """

    help = "--local PATH: a Hugging Face model on this machine, by its folder or id"

    @classmethod
    def fits(cls, source: Source) -> bool:
        return source.local is not None

    @classmethod
    def of(cls, source: Source) -> LocalModel:
        _transformers()  # if they are missing, better now than at the first request
        if source.constrained:
            optional("llguidance", "local-models", "A model held to the form asked for")
        limit = {} if source.max_tokens is None else {"max_new_tokens": source.max_tokens}
        return cls(
            source.local,
            name=source.name,
            batch_size=source.concurrency or 4,
            temperature=source.temperature,
            seed=source.seed or 0,
            constrained=source.constrained,
            **limit,
        )

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        model: Any = None,
        tokenizer: Any = None,
        name: str | None = None,
        device: Any = "automap",
        batch_size: int = 4,
        max_new_tokens: int = 1024,
        temperature: float = 0.0,
        seed: int = 0,
        constrained: bool = False,
    ):
        if (path is None) == (model is None):
            raise ValueError("A local model is given by its path or id, or as a loaded model.")
        if model is not None and tokenizer is None:
            raise ValueError("A loaded model needs its own tokenizer: give tokenizer= as well.")
        self.path = str(path) if path is not None else ""
        given = getattr(getattr(model, "config", None), "name_or_path", "") if model else self.path
        # The last part only: a path of this machine is nobody's name.
        self.name = name or Path(str(given or "local-model")).name
        self.concurrency = batch_size
        self.max_new_tokens, self.temperature, self.seed = max_new_tokens, temperature, seed
        self.constrained = constrained
        self._given, self._device = (model, tokenizer), device
        self._pipe: Any = None
        self._tokens: Tokens | None = None
        self._batches = Batches(batch_size, self._answer_all)

    def identity(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "model": self.name,
            "local": True,
            "temperature": self.temperature,
            "max_new_tokens": self.max_new_tokens,
        }
        if self.temperature:
            found["seed"] = self.seed
        if self.constrained:
            found["constrained"] = True
        return found

    async def ask(self, messages: Messages, schema: dict[str, Any], replicate: int) -> Reply:
        return await self._batches.ask((messages, schema, replicate))

    async def close(self) -> None:
        await self._batches.close()

    def _answer_all(self, batch: Sequence[tuple[Messages, dict[str, Any], int]]) -> list[Reply]:
        schemas = [schema for _, schema, _ in batch]
        return self.answer([messages for messages, *_ in batch], schemas, batch[0][2])

    # The model itself

    def answer(
        self,
        conversations: Sequence[Messages],
        schemas: Sequence[dict[str, Any]] = (),
        replicate: int = 1,
    ) -> list[Reply]:
        """Replies to several conversations, as one batch; `schemas` are those of the replies."""
        import torch

        pipe = self._loaded()
        tokenizer = pipe.tokenizer
        texts = [self._prompt(tokenizer, messages) for messages in conversations]
        templated = bool(getattr(tokenizer, "chat_template", None))
        how: dict[str, Any] = {
            "do_sample": bool(self.temperature),
            "max_new_tokens": self.max_new_tokens,
        }
        if self.temperature:
            torch.manual_seed(self.seed + replicate - 1)
            how["temperature"] = self.temperature
        if self.constrained and schemas:
            how |= self._held(schemas, tokenizer)
        sizes = [
            len(tokenizer(text, add_special_tokens=not templated)["input_ids"]) for text in texts
        ]
        found = pipe(
            texts,
            batch_size=len(texts),
            return_tensors=True,
            return_full_text=None,
            add_special_tokens=not templated,
            **how,
        )
        return [
            self._reply(pipe, one[0]["generated_token_ids"], max(sizes), size)
            for one, size in zip(found, sizes)
        ]

    def _held(self, schemas: Sequence[dict[str, Any]], tokenizer: Any) -> dict[str, Any]:
        """What keeps a batch to its schemas; nothing where one has a list of any length."""
        if self._tokens is None:
            self._tokens = Tokens(tokenizer)
        try:
            shapes = [shape_of(schema, self._tokens) for schema in schemas]
        except Open:
            return {}
        held = Constrained(shapes, self._tokens, self.max_new_tokens)
        limit = max(shape.limit(self.max_new_tokens) for shape in shapes)
        return {"logits_processor": [held], "max_new_tokens": limit, "num_beams": 1}

    def _reply(self, pipe: Any, ids: Any, padded: int, size: int) -> Reply:
        new = list(ids)[padded:]
        ends = _ends(pipe)
        stop = next((place for place, one in enumerate(new) if one in ends), None)
        kept = new if stop is None else new[:stop]
        text = pipe.tokenizer.decode(kept, skip_special_tokens=True)
        return Reply(
            storable(text),
            finish="length" if stop is None else "stop",
            served=self.name,
            tokens_in=size,
            tokens_out=len(kept),
            cost=0.0,
            sdk=_versions("transformers", "torch", *["llguidance"] * self.constrained),
        )

    def _prompt(self, tokenizer: Any, messages: Messages) -> str:
        """By the model's own chat template; as plain text where it has none."""
        chat = [dict(message) for message in messages]
        if not getattr(tokenizer, "chat_template", None):
            return "\n\n".join(message["content"] for message in chat) + "\n\n"
        try:
            return tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        except Exception as error:
            if type(error).__name__ != "TemplateError" or chat[0]["role"] != "system":
                raise
        system, first, *rest = chat  # templates without a system role
        merged = {"role": "user", "content": f"{system['content']}\n\n{first['content']}"}
        return tokenizer.apply_chat_template(
            [merged, *rest], tokenize=False, add_generation_prompt=True
        )

    def _loaded(self) -> Any:
        if self._pipe is None:
            transformers = _transformers()
            model, tokenizer = self._given
            device = best_device() if self._device in ("automap", None) else self._device
            if not is_watched():
                transformers.utils.logging.disable_progress_bar()
            try:
                self._pipe = transformers.pipeline(
                    "text-generation",
                    model=model if model is not None else self.path,
                    tokenizer=tokenizer,
                    device=device,
                )
            except (OSError, ValueError) as error:
                why = str(error).strip().splitlines()[0]
                raise Stop(
                    f"The model {self.path or self.name} cannot be loaded ({why}). Give the folder "
                    "of a saved model, or its id at Hugging Face.",
                    sent=False,
                ) from None
            own = self._pipe.tokenizer
            own.padding_side = "left"
            if own.pad_token_id is None:
                own.pad_token = own.eos_token
        return self._pipe


def best_device() -> str:
    """cuda, else mps, else cpu."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    backend = getattr(torch.backends, "mps", None)
    return "mps" if backend is not None and backend.is_available() else "cpu"


def _transformers() -> Any:
    optional("torch", "local-models", "A model on this machine")
    return optional("transformers", "local-models", "A model on this machine")


def _versions(*packages: str) -> str:
    return ", ".join(f"{package} {version(package)}" for package in packages)


def _ends(pipe: Any) -> set[int]:
    """Tokens after which nothing of the reply follows."""
    found: set[int] = set()
    for one in (
        pipe.model.generation_config.eos_token_id,
        pipe.tokenizer.eos_token_id,
        pipe.tokenizer.pad_token_id,
    ):
        found.update(one if isinstance(one, list | tuple) else [] if one is None else [one])
    return found


# Requests that come together are answered together: batches for a model on this machine.


ON_THEIR_WAY = 0.01  # seconds to wait for the others of a batch


class Batches:
    """Collects requests and hands them to `answer` in a thread, `size` at a time.

    `answer` takes requests of one replicate, the last thing of each: those wait for their like.
    """

    def __init__(self, size: int, answer: Callable[[Sequence[Any]], list[Reply]]):
        if size < 1:
            raise ValueError(f"a batch of {size} is no batch: use 1 or more")
        self._size, self._answer = size, answer
        self._waiting: list[tuple[Any, asyncio.Future[Reply]]] = []
        self._work: asyncio.Task[None] | None = None
        self._thread: ThreadPoolExecutor | None = None

    async def ask(self, request: Any) -> Reply:
        place: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, place))
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._empty())
        return await place

    async def _empty(self) -> None:
        await asyncio.sleep(ON_THEIR_WAY)
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="raterbook-local")
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch = self._next()
            requests = [request for request, _ in batch]
            try:
                replies = await loop.run_in_executor(self._thread, self._answer, requests)
            except Stop as stop:
                for _, place in batch:
                    if not place.done():
                        place.set_exception(stop)
                continue
            except Exception as error:
                replies = [Reply(error=f"{type(error).__name__}: {error}")] * len(batch)
            for (_, place), reply in zip(batch, replies):
                if not place.done():
                    place.set_result(reply)

    def _next(self) -> list[tuple[Any, asyncio.Future[Reply]]]:
        replicate = self._waiting[0][0][-1]
        like = [one for one in self._waiting if one[0][-1] == replicate][: self._size]
        self._waiting = [one for one in self._waiting if not any(one is other for other in like)]
        return like

    async def close(self) -> None:
        if self._work is not None and not self._work.done():
            self._work.cancel()
        if self._thread is not None:
            self._thread.shutdown(wait=True)
            self._thread = None
