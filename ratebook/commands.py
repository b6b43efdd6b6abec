"""What each word of the command line does: a few lines over the workspace."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

from .workspace import Round, Workspace


class Refused(RuntimeError):
    """A request that cannot be carried out; the message says why and what to do."""


def workspace(given: Namespace) -> Workspace:
    return Workspace(given.workspace or ".", db=given.db, reports=given.reports)


def chosen(given: Namespace) -> Round:
    return workspace(given).round(given.round)


def names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def protocols(given: Namespace) -> None:
    from .protocols import load, show
    from .protocols import names as listed

    if given.name:
        print(show(load(given.name)))
        return
    for name in listed():
        print(f"{name:18} {load(name).title}")


def open_round(given: Namespace) -> None:
    opened = workspace(given).open(
        given.round,
        given.protocol,
        given.items,
        parts=given.parts,
        raters=names(given.raters),
        per_item=given.per_item,
        sample=given.sample,
        by=names(given.by),
        cluster=given.cluster,
        bare=given.bare,
        seed=given.seed,
    )
    found = len(opened.stored.items())
    print(f"{given.round}: {found:,} items of {opened.protocol.name}.")
    for line in opened.notes:
        print(line)


def import_file(given: Namespace) -> None:
    print(chosen(given).add(given.file, rater=given.rater, kind=given.kind, replace=given.replace))


def export_file(given: Namespace) -> None:
    said = chosen(given).export(given.file, layout=given.layout)
    if said and given.file != "-":
        print(said)


def status(given: Namespace) -> None:
    from .standing import standing

    place = workspace(given)
    print(
        "\n\n".join(
            standing(place.round(name).status())
            for name in ([given.round] if given.round else place.rounds())
        )
        or f"{place.path} has no rounds yet: open one with `ratebook open`."
    )


def reassign(given: Namespace) -> None:
    moved = chosen(given).stored.reassign(given.giver, given.taker, given.why)
    print(f"{given.round}: {len(moved):,} items moved from {given.giver} to {given.taker}.")


def exclude(given: Namespace) -> None:
    chosen(given).stored.exclude(given.rater, given.why)
    print(f"{given.round}: {given.rater} no longer counts: {given.why}")


def close(given: Namespace) -> None:
    chosen(given).close(given.why)
    print(f"{given.round} is closed.")


def reopen(given: Namespace) -> None:
    chosen(given).reopen(given.why)
    print(f"{given.round} is open.")


def report(given: Namespace) -> int:
    from .reporting import ReportError

    if not given.rounds and not given.all:
        raise Refused("Name a round, or give --all.")
    place = workspace(given)
    wanted = place.rounds() if given.all else given.rounds
    try:
        place.report(*wanted, jobs=given.jobs, **parameters(given.param))
    except ReportError as error:
        raise Refused(str(error)) from error
    for name in wanted:
        print(place.reports / name / "index.html")
    print(f"All rounds: {place.reports / 'index.html'}")
    return 0


def parameters(pairs: list[str]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name:
            raise Refused(f"--param {pair!r}: write it as name=value, for example seed=3.")
        found[name] = value
    return found


REQUIRED = re.compile(
    r"(?P<name>[a-z0-9_]+)(:(?P<question>[a-z0-9_]+))?(?P<sign>>=|<=)(?P<bound>.+)"
)


def check(given: Namespace) -> int:
    from types import SimpleNamespace

    from .reporting.targets import verdicts

    numbers = chosen(given).numbers(**parameters(given.param))
    asked = []
    for text in given.require:
        match = REQUIRED.fullmatch(text.replace(" ", ""))
        try:
            bound = float(match["bound"]) if match else None
        except ValueError:
            bound = None
        if match is None or bound is None:
            raise Refused(f"--require {text!r}: write it as 'alpha_ordinal:tone>=.67'.")
        asked.append(
            SimpleNamespace(
                name=text,
                statistic=match["name"],
                question=match["question"],
                group=None,
                at_least=bound if match["sign"] == ">=" else None,
                at_most=bound if match["sign"] == "<=" else None,
            )
        )
    further = verdicts(asked, numbers.rows)
    unknown = {target.name for target in asked} - {found["name"] for found in further}
    if unknown:
        available = sorted({row["statistic"] for row in numbers.rows})
        raise Refused(
            f"{given.round} has no number for {', '.join(sorted(unknown))}. "
            f"It has {', '.join(available)}."
        )
    targets = further if asked else numbers.targets
    passed = all(
        target["met"] and (not given.decided or target["verdict"] == "met") for target in targets
    )
    if given.json:
        print(json.dumps({"round": given.round, "passed": passed, "targets": targets}, indent=1))
    else:
        from .reporting.sections.verdict import sentence

        for target in targets:
            print(sentence(target))
        if not targets:
            print(f"{given.round}: {numbers.protocol} sets no targets; use --require.")
    return 0 if passed else 1


def backup(given: Namespace) -> None:
    print(f"Copied to {workspace(given).backup(given.file)}.")


def judge(given: Namespace) -> int:
    from . import judges

    stored = chosen(given).stored
    how = {"replicates": given.replicates, "budget": given.budget}
    if given.dry_run:
        print(judges.dry_run(stored, given.model, replicates=given.replicates))
    elif given.prompts_out:
        written = judges.write_prompts(stored, given.prompts_out)
        print(f"{given.prompts_out}: {written:,} prompts.")
    elif given.replies:
        print(judges.take_replies(stored, given.replies, name=given.model))
    elif given.local:
        print(judges.judge_local(stored, given.local, name=given.model, **how))
    else:
        run = judges.judge_endpoint(
            stored, given.model, given.base_url, concurrency=given.concurrency, **how
        )
        print(run)
    return 0


def questions(given: Namespace) -> int:
    from .judges import questeval

    stored = chosen(given).stored
    if given.cache:
        print(questeval.import_upstream(stored, given.cache, rater=given.rater or given.model))
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
        concurrency=given.concurrency,
    )
    print(done)
    return 0 if done.complete else 1


def lab(given: Namespace) -> int:
    place = workspace(given)
    notebooks = Path(__file__).parents[1] / "notebooks"
    environment = os.environ | {"RATEBOOK_WORKSPACE": str(place.path.resolve())}
    return subprocess.call(
        [sys.executable, "-m", "jupyterlab", f"--notebook-dir={notebooks}"], env=environment
    )
