"""Reports, release gates, and the notebooks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .place import Refused, chosen, pairs, workspace


def report(given: Namespace) -> int:
    from ..reporting import ReportError, build, compare
    from ..reporting.parameters import checked

    place = workspace(given)
    parameters = parameters_of(given)
    if not given.compare and not given.rounds and not given.all:
        raise Refused("Name a round, or give --all.")
    wanted = place.rounds() if given.all else given.rounds
    try:
        if given.compare:
            first, second = given.compare
            print(compare(place, first, second, parameters))
            return 0
        build(place, wanted, given.jobs, parameters, pdf=given.pdf, paper=given.paper)
    except ReportError as error:
        raise Refused(str(error)) from error
    for name in wanted:
        print(place.reports / name / "index.html")
        if (place.reports / name / "paper.tex").exists():
            print(place.reports / name / "paper.tex")
        if other := checked(name, parameters).other():
            print(
                f"  made with other than the usual parameters ({', '.join(other)}), as the page "
                "says; --reports DIR keeps such a page apart."
            )
    print(f"All rounds: {place.reports / 'index.html'}")
    return 0


def parameters_of(given: Namespace) -> dict[str, Any]:
    """`--param NAME=VALUE`, and `--group COLUMN` as the plain way to say the parameter groups."""
    found: dict[str, Any] = dict(pairs(given.param))
    if given.group:
        if "groups" in found:
            raise Refused("--group and --param groups= say the same thing: give one of them.")
        found["groups"] = list(dict.fromkeys(given.group))
    return found


def check(given: Namespace) -> int:
    from ..reporting.targets import verdict
    from .requiring import required

    numbers = chosen(given).numbers(**pairs(given.param))
    asked = [required(text, given.round, numbers.rows) for text in given.require]
    further = [verdict(target, row) for target, row in asked]
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
        print(outcome(targets, passed, given.decided))
    return 0 if passed else 1


def outcome(targets: Sequence[Mapping[str, Any]], passed: bool, decided: bool) -> str:
    """The gate's verdict in a line, with how many targets it hangs on."""
    met = sum(bool(target["met"]) for target in targets)
    sure = sum(target["verdict"] == "met" for target in targets)
    beyond = f", {sure} by the whole interval" if decided else ""
    targets_met = f"{met} of {len(targets)} target{'s' * (len(targets) != 1)} met{beyond}"
    return f"{'Passed' if passed else 'Not passed'}: {targets_met}."


def lab(given: Namespace) -> int:
    place = workspace(given)
    notebooks = Path(__file__).parents[2] / "notebooks"
    environment = os.environ | {"RATERBOOK_WORKSPACE": str(place.path.resolve())}
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", f"--notebook-dir={notebooks}"], env=environment
    )
    # Whoever ends this command ends JupyterLab with it; Ctrl+C in a terminal reaches both already.
    ended = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue  # JupyterLab asks whether it is meant
    finally:
        signal.signal(signal.SIGTERM, ended)
