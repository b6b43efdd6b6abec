"""Numbers that must not move unless a commit names them.

`NAME.json` here is numbers.json of each sample as `make report` writes it, `rounds/NAME.json` that
of five made-up rounds, and `rounds/NAME.txt` what their pages say. `make golden` writes them anew
and prints what moved.
"""

import difflib
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SAMPLES = tuple(sorted(path.stem for path in HERE.glob("*.json")))
CLOSE = 1e-10


def kept(name: str) -> dict[str, Any]:
    """The pinned numbers of a sample or a made-up round."""
    sample = HERE / f"{name}.json"
    path = sample if sample.exists() else HERE / "rounds" / f"{name}.json"
    return json.loads(path.read_text("utf-8"))


def moved(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Each row, target and check that differs, with what it was and what it is now."""
    found = []
    for what, address in (("numbers", row_of), ("targets", name_of), ("checks", number_of)):
        old, new = ({address(one): one for one in side[what]} for side in (before, after))
        for side in (before, after):
            if len({address(one) for one in side[what]}) < len(side[what]):
                found.append(f"{what}: two entries have one address")
        columns = [{name for one in side.values() for name in one} for side in (old, new)]
        found += [f"{what}: {name}: a column less" for name in sorted(columns[0] - columns[1])]
        found += [f"{what}: {name}: a column more" for name in sorted(columns[1] - columns[0])]
        found += [f"{name}: gone" for name in old if name not in new]
        found += [f"{name}: new" for name in new if name not in old]
        for name in old:
            if name in new:
                apart = list(differences(old[name], new[name]))
                found += [f"{name}: " + ", ".join(apart)] * bool(apart)
    rest = [{k: v for k, v in side.items() if k not in PARTS} for side in (before, after)]
    return found + list(differences(*rest))


PARTS = ("numbers", "targets", "checks")


def reworded(before: str, after: str) -> list[str]:
    """The lines of a page that went (-) and came (+)."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for name in [*old, *(name for name in new if name not in old)]:
        a, b = old.get(name), new.get(name)
        if not same(a, b):
            yield f"{name} {a!r} → {b!r}"


def same(a: Any, b: Any) -> bool:
    """Equal; floats to ten digits, so that another processor's last bit is no difference."""
    if isinstance(a, float | int) and isinstance(b, float | int) and bool not in (type(a), type(b)):
        return a == b or math.isclose(a, b, rel_tol=CLOSE, abs_tol=CLOSE)
    return type(a) is type(b) and a == b


def row_of(row: dict[str, Any]) -> str:
    """statistic:question {group} reading, and of whom where that is not everybody."""
    who = row["raters"] if isinstance(row["raters"], list) else row["raters"] or ""
    parts = (row["question"], row["group"], row["aggregate"], who)
    return " ".join(
        [row["statistic"], *(part if isinstance(part, str) else written(part) for part in parts)]
    ).rstrip()


def written(part: Any) -> str:
    return json.dumps(part, ensure_ascii=False, sort_keys=True) if part else ""


def name_of(target: dict[str, Any]) -> str:
    return f"target {target['name']}"


def number_of(check: dict[str, Any]) -> str:
    return f"check {check['number']}"
