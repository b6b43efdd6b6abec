"""Writing and answering questions, from a script, a notebook or the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raterbook.judges.clients import model_of
from raterbook.judges.clients.model import Model, Source
from raterbook.judges.judging import check_name, check_open, known_items, run_until_done, version_of
from raterbook.judges.money import Prices
from raterbook.judges.questions import rules as baseline
from raterbook.judges.questions.asking import Asker, ModelHand, RulesHand, fields_of
from raterbook.judges.questions.replies import STEPS, Summary
from raterbook.judges.questions.run import Run
from raterbook.judges.questions.wording import Wordings

if TYPE_CHECKING:
    from raterbook.rounds import StoredRound


MOST = 12  # questions written about one reference


def questions(
    stored: StoredRound,
    model: str | None = None,
    ask: Any = None,
    *,
    local: str | Path | None = None,
    base_url: str | None = None,
    rules: bool = False,
    name: str | None = None,
    version: str | None = None,
    steps: Iterable[str] | str = STEPS,
    most: int = MOST,
    language: str = "auto",
    prompts: str | os.PathLike[str] | None = None,
    items: Iterable[str] | None = None,
    budget: float | None = None,
    prices: Any = None,
    concurrency: int | None = None,
    temperature: float = 0.0,
    max_tokens: int | None = None,
    seed: int | None = None,
    key_env: str = "OPENAI_API_KEY",
    fresh: bool = False,
    progress: bool | None = None,
) -> Summary:
    """Writes questions about each reference and answers them from both texts; the account of it.

    Who does it: `ask`, any function from messages (or from one text) to a reply's text, an
    Endpoint or a LocalModel; or `model` at an OpenAI-compatible `base_url`; or the model at the
    path `local`; or the offline `rules`, a baseline under its own name. `name` is the rater's,
    else the model's.

    `steps`: write (only where a case has no questions yet), check (keep or drop), reference and
    generated (the two answers); leave some out to let people, or another model, do them. No
    request holds both texts. Called again after any interruption, it goes on where it was;
    `fresh` asks again where a reply is stored. `prompts` is a folder with wordings of one's own.
    """
    chosen = _steps(steps)
    check_open(stored)
    fields_of(stored.protocol)
    wanted = known_items(stored, items)
    if most < 1:
        raise ValueError(f"most={most} asks for no questions: use 1 or more")
    if rules:
        if any(given is not None for given in (model, ask, local, base_url)):
            raise ValueError("rules need no model: leave model, ask, local and base_url out")
        return _by_rules(stored, name, chosen, most, wanted, fresh, progress)
    asked = _model(
        model,
        ask,
        local,
        base_url,
        name,
        concurrency,
        temperature=temperature,
        max_tokens=max_tokens,
        seed=seed,
        key_env=key_env,
    )
    wordings = Wordings(prompts, language)
    rater = name or asked.name
    summary = Summary(stored.name, rater)
    table = prices if isinstance(prices, Prices) else Prices(prices)
    asker = Asker(stored, asked, summary, budget=budget, prices=table, fresh=fresh)
    said = version or version_of(asked) + (f", {wordings.own}" if wordings.own else "")
    check_name(stored, rater, said)
    run = Run(
        stored,
        ModelHand(asker, wordings),
        summary,
        version=said,
        asker=asker,
        most=most,
        items=wanted,
        fresh=fresh,
        progress=progress,
    )
    return run_until_done(run.run(chosen))


def generate(stored: StoredRound, ask: Any, name: str | None = None, **how: Any) -> Summary:
    """Only the questions: from the references, which are all that is shown. `how` as above."""
    return questions(stored, None, ask, name=name, steps=("write",), **how)


def answer(
    stored: StoredRound,
    ask: Any,
    name: str | None = None,
    of: Iterable[str] | str = ("reference", "generated"),
    **how: Any,
) -> Summary:
    """Only the answers: each from one text, in a request of its own. `how` as above."""
    return questions(stored, None, ask, name=name, steps=of, **how)


def _by_rules(
    stored: StoredRound,
    name: str | None,
    steps: tuple[str, ...],
    most: int,
    items: list[str] | None,
    fresh: bool,
    progress: bool | None,
) -> Summary:
    rater = name or baseline.NAME
    if "baseline" not in rater:
        raise ValueError(f"{rater!r}: name a rater made of rules so that it says baseline")
    summary = Summary(stored.name, rater, is_baseline=True)
    check_name(stored, rater, baseline.VERSION)
    run = Run(
        stored,
        RulesHand(),
        summary,
        version=baseline.VERSION,
        most=min(most, baseline.MOST),
        items=items,
        fresh=fresh,
        progress=progress,
    )
    return run_until_done(run.run(steps))


def _steps(given: Iterable[str] | str) -> tuple[str, ...]:
    """In their order, whatever order they were named in; `answer` stands for both answers."""
    named = [each.strip() for each in given.split(",")] if isinstance(given, str) else list(given)
    wanted = {step for each in named for step in (STEPS[2:] if each == "answer" else (each,))}
    unknown = wanted - set(STEPS)
    if unknown or not wanted:
        wrong = ", ".join(sorted(unknown)) or "none given"
        raise ValueError(f"steps: {wrong}; choose among {', '.join(STEPS)}, or answer for both")
    return tuple(step for step in STEPS if step in wanted)


def _model(
    model: str | None,
    ask: Any,
    local: str | Path | None,
    base_url: str | None,
    name: str | None,
    concurrency: int | None,
    **parameters: Any,
) -> Model:
    if sum(given is not None for given in (ask, local, base_url)) > 1:
        raise ValueError("Name one source of replies: ask, local, or base_url.")
    if ask is None and local is None and model is None:
        raise ValueError(
            "Say who writes and answers: a model's name (--model), ask=, local= (--local), or "
            "rules=True (--rules)."
        )
    chosen = model if ask is None else ask
    return model_of(
        Source(chosen, model or name, base_url, local, concurrency=concurrency, **parameters)
    )
