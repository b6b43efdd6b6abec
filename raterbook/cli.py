"""`raterbook …`: which words there are, and what a failure looks like.

Exit status: 0 done; 1 a target missed or undefined, or a round incomplete where that was asked;
2 bad input, with a message that names file, row, value and remedy.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

from . import __version__
from .commands import judges, reports, rounds
from .commands.rounds import Refused
from .rounds import RATER_KINDS


def main(words: Sequence[str] | None = None) -> int:
    given = parser().parse_args(words)
    try:
        return given.run(given) or 0
    except KeyboardInterrupt:
        print("Stopped; what was saved stays saved.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0
    except (ValueError, LookupError, OSError, Refused) as error:
        print(message(error), file=sys.stderr)
        return 2


def message(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    if isinstance(error, KeyError) and error.args:
        return str(error.args[0])
    return str(error) or type(error).__name__


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="raterbook",
        description="Rate model outputs, know how far the raters can be trusted, publish a report.",
    )
    top.add_argument("--version", action="version", version=f"raterbook {__version__}")
    top.add_argument("--workspace", metavar="DIR", help="folder of the workspace (default: here)")
    top.add_argument("--db", metavar="URL", help="database (default: data/raterbook.sqlite in it)")
    top.add_argument("--reports", metavar="DIR", help="where pages go (default: reports/ in it)")
    words = top.add_subparsers(required=True, metavar="COMMAND", title="commands")

    def command(name: str, run: Callable[[Any], int | None], help: str, *arguments: tuple) -> Any:
        sub = words.add_parser(name, help=help, description=help)
        sub.set_defaults(run=run)
        for names, options in arguments:
            sub.add_argument(*names, **options)
        return sub

    round_ = arg("round", metavar="ROUND", help="name of the round")
    file = arg("file", metavar="FILE", help="a file; - is standard input or output")
    # of whoever asks a model
    base_url = arg("--base-url", metavar="URL", help="any address that speaks the OpenAI protocol")
    local = arg("--local", metavar="PATH", help="a Hugging Face model on this machine")
    budget = arg("--budget", type=float, metavar="USD", help="stop before this is spent")
    prices = arg("--prices", metavar="FILE", help="a price table of your own")
    key_env = arg(
        "--key-env", default="OPENAI_API_KEY", metavar="NAME", help="where the key stands"
    )
    fresh = arg("--fresh", action="store_true", help="ask again even where a reply is stored")
    rater = arg("--rater", metavar="NAME", help="the rater's name, if not the model's")

    command(
        "protocols",
        rounds.protocols,
        "list the protocols; show or check one",
        arg("name", nargs="?", metavar="NAME|FILE", help="a protocol's name or its YAML file"),
    )
    command(
        "open",
        rounds.open_round,
        "open a round: one protocol, its items, its raters",
        round_,
        arg("--protocol", required=True, metavar="NAME|FILE"),
        arg("--items", required=True, metavar="FILE"),
        arg("--parts", metavar="FILE", help="sentences or questions already written"),
        arg("--raters", default="", metavar="A,B"),
        arg("--per-item", type=int, metavar="K", help="raters for each item (default: all)"),
        arg("--sample", type=int, metavar="N", help="draw N items"),
        arg("--by", default="", metavar="COLUMNS", help="… in proportion to these columns"),
        arg("--cluster", metavar="COLUMN", help="what intervals treat as one draw"),
        arg("--bare", action="store_true", help="items without texts: only to be analysed"),
        arg("--gold", type=float, metavar="RATE", help="share of gold items mixed in"),
        arg("--training", type=int, metavar="N", help="training items put first"),
        arg("--seed", type=int, default=0, metavar="N"),
    )
    command(
        "import",
        rounds.import_file,
        "take in a file of answers, whole or not at all",
        round_,
        file,
        arg("--rater", metavar="NAME", help="whose answers these are"),
        arg("--kind", choices=RATER_KINDS),
        arg("--replace", action="store_true", help="differing answers become new revisions"),
        arg("--new-raters", action="store_true", help="names like a known one are other people"),
    )
    command(
        "export",
        rounds.export_file,
        "write a round's answers",
        round_,
        file,
        arg(
            "--layout",
            choices=["long", "wide", "source", "parquet", "label-studio", "argilla", "marks"],
            default="long",
        ),
        arg("--pseudonyms", action="store_true", help="instead of the names of people"),
    )
    command(
        "status",
        rounds.status,
        "what is stored, by whom, what is missing",
        arg("round", nargs="?", metavar="ROUND"),
    )
    command(
        "reassign",
        rounds.reassign,
        "move a rater's unfinished items to another",
        round_,
        arg("giver", metavar="FROM"),
        arg("taker", metavar="TO"),
        arg("--why", metavar="TEXT"),
    )
    command(
        "exclude",
        rounds.exclude,
        "leave a rater out of every number",
        round_,
        arg("rater", metavar="RATER"),
        arg("--why", required=True, metavar="TEXT"),
    )
    command(
        "include",
        rounds.include,
        "let an excluded rater count again",
        round_,
        arg("rater", metavar="RATER"),
        arg("--why", metavar="TEXT"),
    )
    command(
        "erase",
        rounds.erase,
        "forget who a rater is; the answers stay",
        arg("rater", metavar="RATER"),
        arg("--why", metavar="TEXT"),
    )
    command(
        "parts",
        rounds.parts,
        "write a round's sentences or questions to a file, or take edited ones in",
        round_,
        file,
        arg("--take", action="store_true", help="take the file in; else write it"),
        arg("--why", metavar="TEXT"),
    )
    command("guide", rounds.guide, "write the annotation guide, .html or .md", round_, file)
    command(
        "codebook", rounds.codebook, "write what every column and value means, .md", round_, file
    )
    command("close", rounds.close, "freeze a round", round_, arg("--why", metavar="TEXT"))
    command("reopen", rounds.reopen, "let a round go on", round_, arg("--why", metavar="TEXT"))
    command(
        "report",
        reports.report,
        "build the page of a round, of several, or of all",
        arg("rounds", nargs="*", metavar="ROUND"),
        arg("--all", action="store_true"),
        arg("--jobs", type=int, default=1, metavar="N"),
        arg("--pdf", action="store_true", help="print each page as well (needs Chromium)"),
        arg("--paper", action="store_true", help="a methods paragraph and a LaTeX table as well"),
        arg(
            "--group",
            action="append",
            default=[],
            metavar="COLUMN",
            help="break the numbers down by this column of the items as well",
        ),
        arg("--compare", nargs=2, metavar=("A", "B"), help="what changed from one to the other"),
        arg("--param", action="append", default=[], metavar="NAME=VALUE"),
    )
    command(
        "check",
        reports.check,
        "targets, for a release gate: exit 1 where one is missed",
        round_,
        arg("--json", action="store_true"),
        arg(
            "--require",
            action="append",
            default=[],
            metavar="NUMBER>=BOUND",
            help="e.g. 'alpha_ordinal:tone>=.67'",
        ),
        arg("--decided", action="store_true", help="the interval must meet the target too"),
        arg("--param", action="append", default=[], metavar="NAME=VALUE"),
    )
    command("backup", rounds.backup, "copy the database, consistently, while raters work", file)
    command(
        "judge",
        judges.judge,
        "let a model answer a round's questions, as one more rater",
        round_,
        arg("--model", required=True, metavar="NAME", help="the model's name"),
        base_url,
        local,
        arg("--constrained", action="store_true", help="hold its replies to the form asked for"),
        rater,
        arg("--replicates", type=int, default=1, metavar="R", help="ask R times (default: once)"),
        budget,
        prices,
        key_env,
        arg("--concurrency", type=int, default=8, metavar="N", help="requests at once"),
        arg("--max-tokens", type=int, metavar="N", help="length limit of one reply"),
        arg("--examples", metavar="FILE", help="worked examples in place of the protocol's"),
        fresh,
        arg("--dry-run", action="store_true", help="show a prompt, tokens and cost; ask nothing"),
        arg("--prompts-out", metavar="FILE", help="write the prompts, to be put by hand"),
        arg("--replies", metavar="FILE", help="take in replies that were pasted"),
    )
    command(
        "questions",
        judges.questions,
        "write RAGQuestEval questions from the references and answer them",
        round_,
        arg("--model", metavar="NAME", help="the model, and the rater's name"),
        base_url,
        local,
        arg("--rules", action="store_true", help="rules instead of a model: an offline baseline"),
        arg("--steps", default="write,check,reference,generated", metavar="A,B"),
        arg("--most", type=int, default=12, metavar="N", help="questions for each reference"),
        arg("--language", default="auto", choices=["auto", "en", "zh"]),
        arg("--prompts", metavar="DIR", help="prompts of your own"),
        budget,
        prices,
        key_env,
        arg("--concurrency", type=int, metavar="N"),
        fresh,
        arg("--cache", metavar="FILE", help="take in a JSON cache of questions and answers"),
        rater,
    )
    command("lab", reports.lab, "JupyterLab on the notebooks of raters and leads")
    return top


def arg(*names: str, **options: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    return names, options
