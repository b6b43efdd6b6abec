"""environment.yml, pyproject.toml and requirements.lock say the same."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from tests.installed import needed, project_in

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCK = (ROOT / "requirements.lock").read_text()
EXTRAS = PROJECT["project"]["optional-dependencies"]
LIGHT = set(EXTRAS) - {"all", "local-models"}
OF_CONDA = ("excel", "lab", "parquet")


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def pins():
    """name → versions in the lock (one for each Python where they differ)."""
    found: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([A-Za-z0-9_.-]+)(?:\[[^]]*\])?==([^\s;]+)", LOCK, re.M):
        found.setdefault(normal(name), []).append(version)
    return found


def asked():
    rows = list(PROJECT["project"]["dependencies"]) + PROJECT["dependency-groups"]["dev"]
    for extra in sorted(LIGHT):
        rows += EXTRAS[extra]
    return [Requirement(row) for row in rows]


def test_conda_installs_the_same_names_and_floors():
    conda = yaml.safe_load((ROOT / "environment.yml").read_text())
    listed = {row for row in conda["dependencies"] if isinstance(row, str)} - {"pip"}
    python = "python" + PROJECT["project"]["requires-python"]
    named = [row for extra in OF_CONDA for row in EXTRAS[extra]]
    assert listed == {*PROJECT["project"]["dependencies"], *named, python}
    assert conda["channels"] == ["conda-forge", "nodefaults"]


@pytest.mark.parametrize("requirement", asked(), ids=str)
def test_the_lock_satisfies_every_range(requirement):
    versions = pins().get(normal(requirement.name))
    assert versions, f"{requirement.name} is not in requirements.lock: run make lock"
    for version in versions:
        assert requirement.specifier.contains(version, prereleases=True)


def test_every_locked_package_has_a_hash_and_the_lock_names_no_host():
    blocks = re.split(r"\n(?=\S)", LOCK.strip())
    assert len(blocks) > 100
    assert all("--hash=sha256:" in block for block in blocks)
    assert "://" not in LOCK


def test_pip_takes_what_conda_hands_to_it(tmp_path):
    """As conda does: the lines in a file beside environment.yml, and pip run there."""
    conda = yaml.safe_load((ROOT / "environment.yml").read_text())
    (lines,) = [row["pip"] for row in conda["dependencies"] if isinstance(row, dict)]
    place = project_in(tmp_path / "project")
    (place / "condaenv.requirements.txt").write_text("\n".join(lines) + "\n")
    # What conda itself has installed by then is here already; nothing is fetched.
    offline = ["--no-index", "--no-build-isolation", "--no-deps", "--target", str(tmp_path / "to")]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "-U", "-r", "condaenv.requirements.txt",
         "--exists-action=b", *offline],
        cwd=place, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "to").glob("raterbook-*.dist-info"))


def test_conda_can_solve_the_environment():
    solver = next(filter(None, map(shutil.which, ("micromamba", "mamba", "conda"))), None)
    if solver is None:
        pytest.skip("ENVIRONMENT.YML WAS NOT SOLVED: there is no micromamba, mamba or conda here")
    done = subprocess.run(
        [solver, "env", "create", "--dry-run", "--yes", "-n", "raterbook-try", "-f",
         str(ROOT / "environment.yml")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_all_is_every_extra_but_torch():
    (row,) = EXTRAS["all"]
    assert Requirement(row).extras == LIGHT


def test_the_core_is_light():
    """Without bytecode, as uv installs it; pip's adds two fifths."""
    found = {normal(name): each for name, each in needed().items()}
    # papermill asks for aiohttp on Python 3.12 and on no other, which makes seven more.
    assert len(found) + 1 <= (86 if sys.version_info[:2] == (3, 12) else 85)
    files = [Path(file.locate()) for each in found.values() for file in each.files or ()]
    sizes = [file.stat().st_size for file in files if file.suffix != ".pyc" and file.exists()]
    assert sum(sizes) <= 600e6


def test_torch_stays_out_of_the_lock():
    assert not {"llguidance", "torch", "transformers"} & set(pins())


def test_the_makefile_installs_the_locked_uv():
    makefile = (ROOT / "Makefile").read_text()
    assert re.search(r"^UV := uv==(\S+)$", makefile, re.M).group(1) in pins()["uv"]
