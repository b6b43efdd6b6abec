"""Reports, release gates, and the notebooks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace

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


def check(given: Namespace) -> int:
    from ..reporting.targets import verdicts

    numbers = chosen(given).numbers(**pairs(given.param))
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
        from ..reporting.sections.verdict import sentence

        for target in targets:
            print(sentence(target))
        if not targets:
            print(f"{given.round}: {numbers.protocol} sets no targets; use --require.")
    return 0 if passed else 1


def lab(given: Namespace) -> int:
    place = workspace(given)
    notebooks = Path(__file__).parents[2] / "notebooks"
    environment = os.environ | {"RATEBOOK_WORKSPACE": str(place.path.resolve())}
    return subprocess.call(
        [sys.executable, "-m", "jupyterlab", f"--notebook-dir={notebooks}"], env=environment
    )
