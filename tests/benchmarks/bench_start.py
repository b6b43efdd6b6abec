"""What starting costs: CPU time of fresh processes, as ratios to a bare Python and to pandas."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from raterbook.samples import build
from tests.benchmarks.bench_analysis import children, judge

TIMES = 15
MAIN = """
import contextlib, io
from raterbook.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main({words!r})
"""


def command(*words: str) -> float:
    return children(MAIN.format(words=list(words)), TIMES)


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / "samples"
        build(place, ["halo-sample"])
        bare, pandas = children("pass", TIMES), children("import pandas", TIMES)
        there = ("--workspace", str(place))
        promises = [
            ("raterbook --help, in bare starts", "<=", 3, command("--help") / bare),
            (
                "import raterbook.analysis, in imports of pandas",
                "<=",
                1.1,
                children("import raterbook.analysis", TIMES) / pandas,
            ),
            (
                "raterbook status, in imports of pandas",
                "<=",
                3,
                command(*there, "status", "halo-sample") / pandas,
            ),
            (
                "raterbook check, in imports of pandas",
                "<=",
                6,
                command(*there, "check", "halo-sample") / pandas,
            ),
        ]
    print(f"a bare start {1e3 * bare:.1f} ms, import pandas {1e3 * pandas:.0f} ms of CPU")
    return 1 if judge(promises) else 0


if __name__ == "__main__":
    sys.exit(main())
