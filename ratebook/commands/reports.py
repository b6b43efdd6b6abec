"""Reports, release gates, and the notebooks."""

from __future__ import annotations

import difflib
import json
import os
import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from .place import Refused, chosen, pairs, workspace


def report(given: Namespace) -> int:
    from ..reporting import ReportError, build, compare

    place = workspace(given)
    if not given.compare and not given.rounds and not given.all:
        raise Refused("Name a round, or give --all.")
    wanted = place.rounds() if given.all else given.rounds
    try:
        if given.compare:
            first, second = given.compare
            print(compare(place, first, second, pairs(given.param)))
            return 0
        build(place, wanted, given.jobs, pairs(given.param), pdf=given.pdf, paper=given.paper)
    except ReportError as error:
        raise Refused(str(error)) from error
    for name in wanted:
        print(place.reports / name / "index.html")
    print(f"All rounds: {place.reports / 'index.html'}")
    return 0


REQUIRED = re.compile(
    r"(?P<name>[a-z0-9_]+)(:(?P<question>[a-z0-9_]+))?(?P<sign>>=|<=)(?P<bound>.+)"
)


def wanted(text: str, round: str, rows: list[dict[str, Any]]) -> SimpleNamespace:
    """One `--require`, as a target; it must name one number of the round."""
    match = REQUIRED.fullmatch(text.replace(" ", ""))
    try:
        bound = float(match["bound"]) if match else None
    except ValueError:
        bound = None
    if match is None or bound is None:
        raise Refused(f"--require {text!r}: write it as 'alpha_ordinal:tone>=.67'.")
    statistic, question = match["name"], match["question"]
    of_it = [row for row in rows if row["statistic"] == statistic and not row["group"]]
    if not of_it:
        every = sorted({row["statistic"] for row in rows})
        near = difflib.get_close_matches(statistic, every, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise Refused(f"{round} has no number {statistic!r}: it has {', '.join(every)}.{hint}")
    questions = list(dict.fromkeys(row["question"] for row in of_it))
    several = [name for name in questions if name]
    if (question is None and len(questions) > 1) or (question and question not in questions):
        what = "is asked of several questions" if question is None else f"not of {question!r}"
        raise Refused(
            f"--require {text!r}: {statistic} of {round} {what}: name one of "
            f"{', '.join(several)}, as in {statistic}:{several[0] if several else 'question'}."
        )
    return SimpleNamespace(
        name=text,
        statistic=statistic,
        question=question,
        group=None,
        at_least=bound if match["sign"] == ">=" else None,
        at_most=bound if match["sign"] == "<=" else None,
    )


def check(given: Namespace) -> int:
    from ..reporting.targets import verdicts

    numbers = chosen(given).numbers(**pairs(given.param))
    asked = [wanted(text, given.round, numbers.rows) for text in given.require]
    further = verdicts(asked, numbers.rows)
    if not asked and not numbers.targets:
        # A gate that asks nothing would always be open.
        raise Refused(f"{given.round}: {numbers.protocol} sets no targets; name some: --require.")
    targets = further if asked else numbers.targets
    passed = all(
        target["met"] and (not given.decided or target["verdict"] == "met") for target in targets
    )
    if given.json:
        print(json.dumps({"round": given.round, "passed": passed, "targets": targets}, indent=1))
    else:
        from ..reporting.sections.verdict import sentence

        for target in targets:
            print(sentence(target))
    return 0 if passed else 1


def lab(given: Namespace) -> int:
    place = workspace(given)
    notebooks = Path(__file__).parents[2] / "notebooks"
    environment = os.environ | {"RATEBOOK_WORKSPACE": str(place.path.resolve())}
    return subprocess.call(
        [sys.executable, "-m", "jupyterlab", f"--notebook-dir={notebooks}"], env=environment
    )
