"""Raterbook as others have it: a wheel in an environment that holds what its metadata ask for.

What it stands on is linked from the environment of the tests, so nothing is fetched.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def needs_locked(name: str, why: str) -> None:
    """What differs with a package's version is looked at with the lock's own."""
    installed = distribution(name).version
    if f"\n{name}=={installed}" not in (ROOT / "requirements.lock").read_text():
        pytest.skip(f"{why} IS NOT LOOKED AT: {name} {installed} is not the lock's")


def needed(*extras: str) -> dict[str, Distribution]:
    """The distributions that the project with these extras brings, as installed here."""
    found: dict[str, Distribution] = {}
    options = PROJECT["optional-dependencies"]
    wanted = asked(PROJECT["dependencies"])
    for extra in extras:
        wanted += asked(options[extra])
    done: set[str] = set()
    while wanted:
        each = wanted.pop()
        if str(each) in done:
            continue
        done.add(str(each))
        if each.name == "raterbook":
            wanted += [row for extra in each.extras for row in asked(options[extra])]
            continue
        found[each.name.lower()] = distribution(each.name)
        wanted += asked(found[each.name.lower()].requires or (), *each.extras)
    return found


def asked(rows: Iterable[str], *extras: str) -> list[Requirement]:
    """The requirements that hold on this machine, with these extras."""
    return [
        row
        for row in map(Requirement, rows)
        if row.marker is None or any(row.marker.evaluate({"extra": one}) for one in ("", *extras))
    ]


def project_in(folder: Path) -> Path:
    """The files a wheel is made of, away from whatever an earlier build left in the checkout."""
    leftovers = shutil.ignore_patterns("*.pyc", "__pycache__", "workspace.part")
    shutil.copytree(ROOT / "raterbook", folder / "raterbook", symlinks=True, ignore=leftovers)
    shutil.copytree(ROOT / "analysis", folder / "analysis", ignore=leftovers)
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    shutil.copytree(
        ROOT / "data/samples", folder / "data/samples", ignore=shutil.ignore_patterns("workspace*")
    )
    for name in ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"):
        shutil.copy(ROOT / name, folder)
    return folder


def pip(*words: object, cwd: Path | None = None) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, words)]
    subprocess.run(command, check=True, capture_output=True, text=True, cwd=cwd)


def wheel_in(folder: Path) -> Path:
    source = project_in(folder / "source")
    offline = ("--no-deps", "--no-index", "--no-build-isolation")
    pip("wheel", *offline, "-w", folder, source)
    (found,) = folder.glob("*.whl")
    return found


class Installed:
    """An environment of its own with the wheel, and the commands run in it."""

    def __init__(self, folder: Path, wheel: Path, *extras: str):
        self.folder, self.site = folder, Path()
        venv.create(folder, symlinks=os.name != "nt")
        self.site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
        here = Path(sysconfig.get_path("purelib"))
        for each in needed(*extras).values():
            tops = {file.parts[0] for file in each.files or () if file.parts[0] != ".."}
            for top in tops - {"__pycache__"}:
                if (here / top).exists() and not (self.site / top).exists():
                    (self.site / top).symlink_to(here / top)
        if "lab" in extras or "all" in extras:
            for name in ("share/jupyter", "etc/jupyter"):
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).symlink_to(Path(sys.prefix) / name)
        pip("--python", self.python, "install", "--no-deps", "--no-index", wheel)

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def command(self) -> Path:
        return self.folder / "bin" / "raterbook"

    def run(self, *words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
        return self.start(self.command, *words, cwd=cwd)

    def start(self, *words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            list(map(str, words)), cwd=cwd, env=environment(), capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    def files(self) -> dict[str, tuple[int, int]]:
        """What lies in the package: sizes and times, to see that nothing was written there."""
        return {
            str(path.relative_to(self.site)): (path.stat().st_size, path.stat().st_mtime_ns)
            for path in sorted((self.site / "raterbook").rglob("*"))
        }


def environment() -> dict[str, str]:
    """Without what would lead out of the environment, and as a read-only one: no bytecode."""
    own = {"PYTHONDONTWRITEBYTECODE": "1"}
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return kept | own
