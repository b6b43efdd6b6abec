"""Models as raters of a round, from a script, a notebook or the command line."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import raterbook.judges.cache as cache
from raterbook.judges.cache import Scribe
from raterbook.judges.clients import model_of
from raterbook.judges.clients.model import Messages, Model, Reply, Source, Stop
from raterbook.judges.outcome import JudgeRun, Outcome
from raterbook.judges.prompts import VERSION, Prompts, read_examples
from raterbook.judges.run import ModelAnswerer, Runner, Settings
from raterbook.protocols import Example
from raterbook.protocols.problems import printable
from raterbook.rounds.answers import MOST_REPLICATES
from raterbook.rounds.model import listed

if TYPE_CHECKING:
    from raterbook.rounds import Round


T = TypeVar("T")
P = ParamSpec("P")


class JudgeStopped(ValueError):
    """The run cannot go on; what was answered is stored. `run` is the account of it."""

    def __init__(self, message: str, run: JudgeRun):
        super().__init__(message)
        self.run = run


async def judge_async(
    stored: Round,
    model: Any,
    name: str | None = None,
    *,
    version: str | None = None,
    **how: Any,
) -> JudgeRun:
    """Lets a model answer the round's questions, as one more rater; returns the account of it.

    `model` is a function from messages (or from one text, if its parameter is called `prompt` or
    `text`) to the reply's text, an Endpoint, a LocalModel, or a name: “scripted” is the stand-in
    that comes with Raterbook, any other a model at OPENAI_BASE_URL. `how` is what Settings has:
    replicates, items, examples (a list, a file, or () for none), budget, prices, concurrency,
    fresh, progress. Called again after any interruption, it goes on where it was.

    `judge(…)` waits until it is done; `await judge_async(…)` is for code in an event loop.
    """
    settings = Settings(**how)
    check_replicates(settings.replicates)
    asked = model_of(Source(model, name, concurrency=settings.concurrency))
    rater = name or asked.name
    check_open(stored)
    shots = read_examples(settings.examples, stored.protocol)
    settings = replace(
        settings, items=known_items(stored, settings.items), prices=settings.price_table()
    )
    known_as = version or version_of(asked, shots)
    check_name(stored, rater, known_as)
    run, scribe = JudgeRun(stored.name, rater), Scribe(stored, rater, known_as)
    prompts = Prompts(shots, exact=bool(asked.identity().get("constrained")))
    answerer = ModelAnswerer(asked, prompts, scribe, run, settings)
    cache.remember_run(stored, rater, asked.identity(), shots, settings.replicates)
    try:
        return await Runner(stored, answerer, scribe, run, settings).run()
    except Stop as stop:
        said = f"{stop} {run.progress()}. Once that is put right, run the same again: it goes on"
        raise JudgeStopped(printable(f"{said} where it stopped."), run) from None


def waited_for(work: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The same with the same arguments, as a plain function that returns when all is done."""

    @functools.wraps(work)
    def done(*given: P.args, **named: P.kwargs) -> T:
        return run_until_done(work(*given, **named))

    return done


judge = waited_for(judge_async)


def version_of(model: Model, examples: Sequence[Example] | None = None) -> str:
    """What the answers depend on, in a line: model, parameters, wording, examples."""
    identity = model.identity()
    parts = [str(identity["model"])]
    parts += [
        f"{key} {value}" for key, value in identity.items() if key != "model" and value is not None
    ]
    parts.append(f"prompts {VERSION}")
    if examples is not None:
        text = "".join(example.model_dump_json() for example in examples)
        parts.append(f"examples {hashlib.sha256(text.encode()).hexdigest()[:8]}")
    return ", ".join(parts)


def check_name(stored: Round, rater: str, version: str) -> None:
    """One name is one rater: other settings than those it answered with make another one."""
    for known in stored.store.raters():
        if known.name == rater and (known.kind, known.version) != ("model", version):
            if known.kind == "model":
                was, now = _apart(known.version or "a model without a version", version)
                said = f"{rater} has answered here with {was}; now it would be {now}"
            else:
                said = f"{rater} is known here as {known.kind}, not as a model"
            raise ValueError(
                f"{said}. One name is one rater: give this one another, --rater {rater}-2, or "
                f"name={rater + '-2'!r}."
            )


def _apart(one: str, other: str) -> tuple[str, str]:
    """What the one says and the other does not, both ways."""
    ours, theirs = one.split(", "), other.split(", ")
    more = [part for part in ours if part not in theirs]
    less = [part for part in theirs if part not in ours]
    return ", ".join(more) or "fewer settings", ", ".join(less) or "fewer settings"


def check_replicates(replicates: int) -> None:
    if not 1 <= replicates <= MOST_REPLICATES:
        raise ValueError(
            f"{replicates} replicates is not a number of replicates: use 1 or more, "
            f"at most {MOST_REPLICATES:,}"
        )


def check_open(stored: Round) -> None:
    if stored.bare:
        raise ValueError(
            f"{stored.name} was opened without its texts (--bare), so there is nothing to judge: "
            "open a round with them."
        )
    if stored.state == "closed":
        raise ValueError(f"{stored.name} is closed: `raterbook reopen {stored.name}` first.")


def known_items(stored: Round, items: Iterable[str] | None) -> list[str] | None:
    """The named items, or those of the named cases; names the round lacks are refused."""
    if items is None:
        return None
    wanted = [items] if isinstance(items, str) else list(items)
    known = {name for item in stored.items() for name in (item.key, item.ref, item.case)}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        some = (item.key for item in stored.items())
        raise ValueError(
            f"{stored.name} has no item {listed(map(repr, unknown), 5)}; its items are "
            f"{listed(map(repr, some), 5)}."
        )
    return wanted


def run_until_done(work: Coroutine[Any, Any, T]) -> T:
    """Runs to the end, also where an event loop is running already, as in a notebook.

    There it runs in a thread with a loop of its own; interrupting the cell interrupts it.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    found: list[T] = []
    failed: list[BaseException] = []
    loop = asyncio.new_event_loop()
    task = loop.create_task(work)

    def inside() -> None:
        asyncio.set_event_loop(loop)
        try:
            found.append(loop.run_until_complete(task))
        except BaseException as error:
            failed.append(error)
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    thread = threading.Thread(target=inside, name="raterbook-judge-loop")
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.2)
    except KeyboardInterrupt:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
        raise
    if failed:
        raise failed[0]
    return found[0]


# Where a model's answers come from: the reply behind each, and what is known about it.


@dataclass(frozen=True)
class Remembered:
    """A model as an earlier run knew it; it cannot be asked."""

    settings: dict[str, Any]
    concurrency: int = 8

    @property
    def name(self) -> str:
        return str(self.settings["model"])

    def identity(self) -> dict[str, Any]:
        return self.settings

    async def ask(self, messages: Messages, schema: dict[str, Any], replicate: int) -> Reply:
        raise RuntimeError("a stored run is read, not asked")

    async def close(self) -> None:
        pass


def account(stored: Round, name: str) -> JudgeRun:
    """The last run of the judge `name`, read again from its stored replies; nothing is asked.

    `account(…).frame()` has the reply of every sheet with model served, prompt hash, tokens,
    cost, retries, request id and time; `failures()` those that gave no answers, and why.
    """
    known = cache.run_of(stored, name)
    if known is None:
        models = [rater.name for rater in stored.raters() if rater.kind == "model"]
        raise ValueError(
            f"{stored.name} has no replies of {name!r}; its models are "
            f"{', '.join(models) or 'none yet'}."
        )
    examples = known["examples"]
    shots = None if examples is None else tuple(Example(**one) for one in examples)
    asked = Remembered(known["identity"])
    settings = Settings(known["replicates"], prices={}, progress=False)
    run, scribe = JudgeRun(stored.name, name), Scribe(stored, name)
    prompts = Prompts(shots, exact=bool(asked.identity().get("constrained")))
    answerer = ModelAnswerer(asked, prompts, scribe, run, settings)
    answerer.ask = False
    return run_until_done(Runner(stored, answerer, scribe, run, settings, saves=False).run())


def asked_otherwise(now: Round, before: Round, name: str) -> tuple[list[str], int]:
    """What differs in how the model was asked in two rounds, and how many replies are no new ones.

    Nothing is known of a model whose answers came in by file.
    """
    if cache.run_of(now, name) is None or cache.run_of(before, name) is None:
        return [], 0
    later, earlier = account(now, name), account(before, name)
    said = []
    facts: dict[str, Callable[[Outcome], Any]] = {
        "prompt": lambda one: one.prompt.hash[:12],
        "model served": lambda one: one.reply.served,
    }
    for what, of in facts.items():
        sides = [sorted({str(of(one)) for one in run.outcomes}) for run in (later, earlier)]
        if sides[0] != sides[1]:
            said.append(
                f"{name}: the {what} is another one now: {', '.join(sides[0])}; in {before.name} "
                f"{', '.join(sides[1])}."
            )
    opened = next(entry["at"] for entry in now.log() if entry["action"] == "open")
    old = sum(one.reply.at is not None and str(one.reply.at) < opened for one in later.outcomes)
    if old:
        said.append(
            f"{name}: {old:,} of {len(later.outcomes):,} replies are older than {now.name}: the "
            f"model was not asked again. `raterbook judge {now.name} --fresh` asks it."
        )
    return said, old


def spent_per_item(stored: Round) -> dict[str, float]:
    """By model, what its stored replies cost by item; only of those whose every cost is known."""
    found = {}
    for rater in stored.raters():
        if rater.kind != "model" or cache.run_of(stored, rater.name) is None:
            continue
        outcomes = account(stored, rater.name).outcomes
        costs = [one.reply.cost for one in outcomes]
        items = {one.subject for one in outcomes}
        if items and None not in costs:
            found[rater.name] = sum(cost for cost in costs if cost is not None) / len(items)
    return found
