"""Writes the golden numbers anew and prints each row that moved: a commit names them.

python -m tests.golden.renew [NAME …]       (make golden)
"""

import importlib.util
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ratebook import Workspace
from tests.golden import HERE, SAMPLES, kept, moved, rounds

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
                found = rounds.built(name, Path(folder) / name).numbers()
                path = HERE / "rounds" / f"{name}.json"
            else:
                samples = samples or built(Path(folder) / "samples")
                found, path = samples.round(name).numbers(), HERE / f"{name}.json"
            before = kept(name) if path.exists() else None
            path.write_text(found.to_json(), encoding="utf-8")
            lines = ["written for the first time"] if before is None else moved(before, kept(name))
            for line in lines or ["nothing moved"]:
                print(f"{name}: {line}", flush=True)


def built(folder: Path) -> Workspace:
    """The sample rounds, from data/samples."""
    source = ROOT / "data" / "samples" / "build.py"
    specification = importlib.util.spec_from_file_location("samples_build", source)
    if specification is None or specification.loader is None:
        raise SystemExit(f"{source} cannot be read.")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    module.main(folder)
    return Workspace(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
