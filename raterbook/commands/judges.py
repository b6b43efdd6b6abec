"""Models: as raters, and as writers of questions."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from . import ROUND, arg, command
from .rounds import Refused, chosen

if TYPE_CHECKING:
    from ..judges import JudgeRun
    from ..rounds import Round


# Of whoever asks a model.
BASE_URL = arg("--base-url", metavar="URL", help="any address that speaks the OpenAI protocol")
LOCAL = arg("--local", metavar="PATH", help="a Hugging Face model on this machine")
BUDGET = arg("--budget", type=float, metavar="USD", help="stop before this is spent")
PRICES = arg("--prices", metavar="FILE", help="a price table of your own")
KEY_ENV = arg("--key-env", default="OPENAI_API_KEY", metavar="NAME", help="where the key stands")
FRESH = arg("--fresh", action="store_true", help="ask again even where a reply is stored")
NAME = arg("--rater", metavar="NAME", help="the rater's name, if not the model's")


def models() -> str:
    """Who can be asked, for the help of the commands that ask."""
    from ..judges.clients import CLIENTS

    lines = (f"  {name:10}{client.help}" for name, client in CLIENTS.items())
    return "\n".join(["models that can be asked:", *lines])


@command(
    "let a model answer a round's questions, as one more rater",
    ROUND,
    arg("--model", required=True, metavar="NAME", help="the model's name"),
    BASE_URL,
    LOCAL,
    arg("--constrained", action="store_true", help="hold its replies to the form asked for"),
    NAME,
    arg("--replicates", type=int, default=1, metavar="R", help="ask R times (default: once)"),
    BUDGET,
    PRICES,
    KEY_ENV,
    arg("--concurrency", type=int, metavar="N", help="requests at once"),
    arg("--max-tokens", type=int, metavar="N", help="length limit of one reply"),
    arg("--examples", metavar="FILE", help="worked examples in place of the protocol's"),
    FRESH,
    arg("--dry-run", action="store_true", help="show a prompt, tokens and cost; ask nothing"),
    arg("--prompts-out", metavar="FILE", help="write the prompts, to be put by hand"),
    arg("--replies", metavar="FILE", help="take in replies that were pasted"),
    more=models,
)
def judge(given: Namespace) -> int:
    from .. import judges

    _check(given)
    stored = chosen(given)
    rater = given.rater or given.model
    if given.dry_run:
        how = {"replicates": given.replicates, "prices": given.prices}
        print(judges.dry_run(stored, given.model, examples=given.examples, **how))
        return 0
    if given.prompts_out:
        written = judges.write_prompts(
            stored, given.prompts_out, name=rater, examples=given.examples
        )
        if given.prompts_out != "-":
            print(_next(given, written))
        return 0
    if given.replies:
        print(judges.take_replies(stored, given.replies, name=rater, examples=given.examples))
        return 0
    try:
        run = _asked(given, stored, rater)
    except KeyboardInterrupt:
        print("Stopped. What was answered is stored: the same again goes on.", file=sys.stderr)
        return 130
    print(run)
    if any(one.status != "ok" and one.reply.cut for one in run.outcomes):
        print("Replies were cut off at their length limit: --max-tokens allows longer ones.")
    if run.stopped:
        print("The same with a larger --budget goes on.")
    elif not run.complete:
        print("The same again asks what is left.")
    return 0 if run.complete else 1


def _asked(given: Namespace, stored: Round, rater: str) -> JudgeRun:
    from .. import judges
    from ..judges.clients import model_of
    from ..judges.clients.model import Source

    source = Source(
        None if given.local else given.model,
        rater,
        given.base_url,
        given.local,
        given.constrained,
        given.key_env,
        given.concurrency,
        given.max_tokens,
    )
    return judges.judge(
        stored,
        model_of(source),
        rater,
        replicates=given.replicates,
        budget=given.budget,
        prices=given.prices,
        examples=given.examples,
        fresh=given.fresh,
    )


def _check(given: Namespace) -> None:
    from ..judges.judging import check_replicates

    modes = {
        "--dry-run": given.dry_run,
        "--prompts-out": given.prompts_out,
        "--replies": given.replies,
    }
    wanted = [name for name, value in modes.items() if value]
    check_replicates(given.replicates)
    if len(wanted) > 1:
        raise Refused(f"{' and '.join(wanted)} are one at a time: leave all but one out.")
    if given.local and given.base_url:
        raise Refused("--local is a model on this machine and --base-url one elsewhere: give one.")
    if given.constrained and not given.local:
        raise Refused("--constrained is for models on this machine: give --local PATH as well.")


def _next(given: Namespace, written: int) -> str:
    if not written:
        return f"{given.prompts_out}: nothing is left to ask of {given.rater or given.model}."
    rater = f" --rater {given.rater}" if given.rater else ""
    return (
        f"{given.prompts_out}: {written:,} prompts. Put the replies into a file, a line each as "
        '{"id": …, "reply": …} or under === id === lines, and hand it in:\n'
        f"  raterbook judge {given.round} --model {given.model}{rater} --replies FILE"
    )


@command(
    "write RAGQuestEval questions from the references and answer them",
    ROUND,
    arg("--model", metavar="NAME", help="the model, and the rater's name"),
    BASE_URL,
    LOCAL,
    arg("--rules", action="store_true", help="rules instead of a model: an offline baseline"),
    arg("--steps", default="write,check,reference,generated", metavar="A,B"),
    arg("--most", type=int, default=12, metavar="N", help="questions for each reference"),
    arg("--language", default="auto", choices=["auto", "en", "zh"]),
    arg("--prompts", metavar="DIR", help="prompts of your own"),
    BUDGET,
    PRICES,
    KEY_ENV,
    arg("--concurrency", type=int, metavar="N"),
    FRESH,
    arg("--cache", metavar="FILE", help="take in a JSON cache of questions and answers"),
    NAME,
)
def questions(given: Namespace) -> int:
    from ..judges import questions as questeval

    stored = chosen(given)
    if given.cache:
        rater = {"rater": given.rater} if given.rater else {}
        print(questeval.import_upstream(stored, given.cache, version=given.model, **rater))
        return 0
    done = questeval.questions(
        stored,
        model=given.model,
        local=given.local,
        base_url=given.base_url,
        rules=given.rules,
        steps=given.steps,
        most=given.most,
        language=given.language,
        prompts=given.prompts,
        budget=given.budget,
        prices=given.prices,
        key_env=given.key_env,
        concurrency=given.concurrency,
        fresh=given.fresh,
        name=given.rater,
    )
    print(done)
    return 0 if done.complete else 1
