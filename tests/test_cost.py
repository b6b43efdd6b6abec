"""What starting costs: CPU time of fresh processes, against a peer in the same run."""

import os
import subprocess
import sys

ALPHA = """
import pandas as pd
from raterbook import analysis
table = pd.DataFrame({"a": [1, 2, 3, 3], "b": [1, 2, 3, 4], "c": [1, 2, 2, 4]})
assert analysis.alpha(table, level="ordinal", scale=[1, 2, 3, 4], interval=None).value is not None
"""


def cpu_seconds(code):
    before = os.times()
    subprocess.run([sys.executable, "-c", code], check=True)
    after = os.times()
    return (
        after.children_user
        + after.children_system
        - before.children_user
        - (before.children_system)
    )


HELP = """
import sys
from raterbook.cli import main
try:
    main(["--help"])
except SystemExit as ended:
    assert not ended.code
rooms = [name for name in sys.modules if name.startswith("raterbook.")]
assert not {"pandas", "numpy", "sqlalchemy", "pydantic", "matplotlib"} & set(sys.modules), rooms
"""


def test_help_loads_no_room_and_none_of_the_libraries_they_stand_on():
    done = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "commands:" in done.stdout


def test_an_alpha_from_nothing_costs_little_more_than_importing_pandas():
    ours = min(cpu_seconds(ALPHA) for _ in range(5))
    pandas = min(cpu_seconds("import pandas") for _ in range(5))
    assert ours < 1.3 * pandas, f"{ours:.2f} s against {pandas:.2f} s"
