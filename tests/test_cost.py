"""What starting loads: of fresh processes. What it costs beside a peer is in `make bench`."""

import subprocess
import sys

ALPHA = """
import sys
import pandas as pd
table = pd.DataFrame({"a": [1, 2, 3, 3], "b": [1, 2, 3, 4], "c": [1, 2, 2, 4]})
table.to_dict()
before = set(sys.modules)
from raterbook import analysis
assert analysis.alpha(table, level="ordinal", scale=[1, 2, 3, 4], interval=None).value is not None
more = {name for name in set(sys.modules) - before if not name.startswith("raterbook.analysis")}
assert "raterbook" in more
print(sorted(more - {"raterbook", "html", "html.entities"}))
"""


HELP = """
import argparse
import sys
argparse.ArgumentParser().format_help()  # what Python itself loads for it
before = set(sys.modules)
from raterbook.cli import main
try:
    main(["--help"])
except SystemExit as ended:
    assert not ended.code
rooms = [name for name in sys.modules if name.startswith("raterbook.")]
heavy = {"pandas", "numpy", "sqlalchemy", "pydantic", "matplotlib", "dataclasses", "concurrent"}
assert not heavy & (set(sys.modules) - before), rooms
"""


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_help_loads_no_room_and_none_of_the_libraries_they_stand_on():
    done = run(HELP)
    assert done.returncode == 0, done.stderr
    assert "commands:" in done.stdout


def test_an_alpha_from_nothing_loads_nothing_beside_pandas_but_its_own_room():
    done = run(ALPHA)
    assert done.returncode == 0, done.stderr
    others = ("pandas", "pyarrow", "numpy")  # which load their own parts as they please
    loaded = [name for name in eval(done.stdout) if not name.startswith(others)]
    assert loaded == []
