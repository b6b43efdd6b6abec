"""Writes the golden numbers anew and prints each row, and each line of a page, that moved.

A commit names them.

python -m tests.golden.renew [NAME …]       (make golden)
"""

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from raterbook import Workspace
from raterbook.samples import build
from tests.golden import HERE, SAMPLES, moved, reworded, rounds
from tests.golden.pages import text_of

ROOT = Path(__file__).parents[2]


def main(names: Sequence[str]) -> None:
    unknown = set(names) - {*SAMPLES, *rounds.NAMES}
    if unknown:
        known = ", ".join([*SAMPLES, *rounds.NAMES])
        raise SystemExit(f"No golden numbers of {', '.join(sorted(unknown))}: choose {known}.")
    with tempfile.TemporaryDirectory() as folder:
        samples = None
        for name in names or [*SAMPLES, *rounds.NAMES]:
            if name in rounds.NAMES:
                report = rounds.built(name, Path(folder) / name).read()
                found, path = report.numbers, HERE / "rounds" / f"{name}.json"
                lines = pinned(path.with_suffix(".txt"), text_of(report), reworded)
            else:
                samples = samples or built(Path(folder) / "samples")
                found, path, lines = samples.round(name).numbers(), HERE / f"{name}.json", []
            lines = [*pinned(path, found.to_json(), rows_moved), *lines]
            for line in lines or ["nothing moved"]:
                print(f"{name}: {line}", flush=True)


def pinned(path: Path, text: str, compared: Callable[[str, str], list[str]]) -> list[str]:
    """What differs from the file that is there; it is written where something does."""
    if not path.exists():
        path.write_text(text, encoding="utf-8")
        return [f"{path.name} is new"]
    lines = compared(path.read_text("utf-8"), text)
    if lines:  # another last bit alone leaves the file as it is
        path.write_text(text, encoding="utf-8")
    return lines


def rows_moved(before: str, after: str) -> list[str]:
    return moved(json.loads(before), json.loads(after))


def built(folder: Path) -> Workspace:
    """The sample rounds, from data/samples."""
    build(folder)
    return Workspace(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
