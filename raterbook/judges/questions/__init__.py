"""RAGQuestEval: questions written from a reference, answered from it and from a generated text.

    questions(stored, model, base_url=…, …) -> Summary    raterbook questions ROUND --model NAME …
    questions(stored, rules=True)                         the offline baseline
    generate(stored, ask) · answer(stored, ask)           its halves, with any callable
    import_upstream(stored, file, …) -> Imported          the upstream JSON cache
    writers(stored)                                       who wrote which question

Recall, precision and token F1 are computed in `analysis`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import raterbook.judges.questions.rules as baseline
from raterbook.judges.cache import Scribe
from raterbook.judges.clients import model_of
from raterbook.judges.clients.model import Model, Source, Stop
from raterbook.judges.judging import check_name, check_open, known_items, run_until_done, version_of
from raterbook.judges.questions.run import (
    STEPS,
    QuestionRun,
    RulesAnswerer,
    Summary,
    WordedPrompts,
    fields_of,
)
from raterbook.judges.questions.upstream import Imported, import_upstream
from raterbook.judges.questions.wording import Wordings
from raterbook.judges.run import Answerer, ModelAnswerer, Settings
from raterbook.rounds.parts import writers

if TYPE_CHECKING:
    from raterbook.rounds import Round


__all__ = [
    "Imported",
    "Summary",
    "answer",
    "generate",
    "import_upstream",
    "questions",
    "writers",
]

EXPECTED_OUT = 500  # tokens of a usual reply, for budgets


@dataclass(frozen=True)
class QuestionSettings(Settings):
    """How questions are written and answered, and where the model is that does it."""

    version: str | None = None
    steps: Iterable[str] | str = tuple(STEPS)
    most: int = 12  # questions written about one reference
    language: str = "auto"
    prompts: str | os.PathLike[str] | None = None  # a folder with wordings of one's own
    local: str | Path | None = None
    base_url: str | None = None
    temperature: float = 0.0
    max_tokens: int | None = None
    seed: int | None = None
    key_env: str = "OPENAI_API_KEY"

    @property
    def chosen_steps(self) -> tuple[str, ...]:
        """In their order, whatever order they were named in; `answer` stands for both answers."""
        given = self.steps.split(",") if isinstance(self.steps, str) else self.steps
        both = ("reference", "generated")
        named = [each.strip() for each in given]
        wanted = {step for each in named for step in (both if each == "answer" else (each,))}
        unknown = wanted - set(STEPS)
        if unknown or not wanted:
            wrong = ", ".join(sorted(unknown)) or "none given"
            raise ValueError(f"steps: {wrong}; choose among {', '.join(STEPS)}, or answer for both")
        return tuple(step for step in STEPS if step in wanted)


def questions(
    stored: Round,
    model: str | None = None,
    ask: Any = None,
    *,
    rules: bool = False,
    name: str | None = None,
    **how: Any,
) -> Summary:
    """Writes questions about each reference and answers them from both texts; the account of it.

    Who does it: `ask`, any function from messages (or from one text) to a reply's text, an
    Endpoint or a LocalModel; or `model` at an OpenAI-compatible `base_url`; or the model at the
    path `local`; or the offline `rules`, a baseline under its own name. `name` is the rater's,
    else the model's. `how` is what QuestionSettings has.

    `steps`: write (only where a case has no questions yet), check (keep or drop), reference and
    generated (the two answers); leave some out to let people, or another model, do them. No
    request holds both texts. Called again after any interruption, it goes on where it was;
    `fresh` asks again where a reply is stored. `prompts` is a folder with wordings of one's own.
    """
    settings = QuestionSettings(**how)
    steps = settings.chosen_steps
    check_open(stored)
    fields_of(stored.protocol)
    settings = replace(
        settings, items=known_items(stored, settings.items), prices=settings.price_table()
    )
    if settings.most < 1:
        raise ValueError(f"most={settings.most} asks for no questions: use 1 or more")
    answerer: Answerer
    if rules:
        if any(given is not None for given in (model, ask, settings.local, settings.base_url)):
            raise ValueError("rules need no model: leave model, ask, local and base_url out")
        rater = name or baseline.NAME
        if "baseline" not in rater:
            raise ValueError(f"{rater!r}: name a rater made of rules so that it says baseline")
        version, at_once = baseline.VERSION, 500
        check_name(stored, rater, version)
        summary = Summary(stored.name, rater, is_baseline=True)
        scribe = Scribe(stored, rater, version)
        answerer = RulesAnswerer(rater, min(settings.most, baseline.MOST))
    else:
        asked = _model(model, ask, name, settings)
        wordings = Wordings(settings.prompts, settings.language)
        rater, at_once = name or asked.name, 1
        own = f", {wordings.own}" if wordings.own else ""
        version = settings.version or version_of(asked) + own
        summary, scribe = Summary(stored.name, rater), Scribe(stored, rater, version)
        prompts = WordedPrompts(wordings, settings.most)
        answerer = ModelAnswerer(asked, prompts, scribe, summary, settings, EXPECTED_OUT)
        check_name(stored, rater, version)
    run = QuestionRun(stored, answerer, scribe, summary, settings, steps=steps, at_once=at_once)
    with suppress(Stop):  # the summary says why
        run_until_done(run.run())
    return summary


def generate(stored: Round, ask: Any, name: str | None = None, **how: Any) -> Summary:
    """Only the questions: from the references, which are all that is shown. `how` as above."""
    return questions(stored, None, ask, name=name, steps=("write",), **how)


def answer(
    stored: Round,
    ask: Any,
    name: str | None = None,
    of: Iterable[str] | str = ("reference", "generated"),
    **how: Any,
) -> Summary:
    """Only the answers: each from one text, in a request of its own. `how` as above."""
    return questions(stored, None, ask, name=name, steps=of, **how)


def _model(model: str | None, ask: Any, name: str | None, settings: QuestionSettings) -> Model:
    sources = (ask, settings.local, settings.base_url)
    if sum(given is not None for given in sources) > 1:
        raise ValueError("Name one source of replies: ask, local, or base_url.")
    if model is None and ask is None and settings.local is None:
        raise ValueError(
            "Say who writes and answers: a model's name (--model), ask=, local= (--local), or "
            "rules=True (--rules)."
        )
    return model_of(
        Source(
            model if ask is None else ask,
            model or name,
            settings.base_url,
            settings.local,
            key_env=settings.key_env,
            concurrency=settings.concurrency,
            max_tokens=settings.max_tokens,
            temperature=settings.temperature,
            seed=settings.seed,
        )
    )
