"""environment.yml, pyproject.toml and requirements.lock say the same."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCK = (ROOT / "requirements.lock").read_text()
LOCKED_EXTRAS = ("judge", "postgres", "scale", "voila", "zh")


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
    for extra in LOCKED_EXTRAS:
        rows += PROJECT["project"]["optional-dependencies"][extra]
    return [Requirement(row) for row in rows]


def test_conda_installs_the_same_names_and_floors():
    conda = yaml.safe_load((ROOT / "environment.yml").read_text())
    listed = {row for row in conda["dependencies"] if isinstance(row, str)} - {"pip"}
    python = "python" + PROJECT["project"]["requires-python"]
    assert listed == set(PROJECT["project"]["dependencies"]) | {python}
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


def test_pip_can_read_what_conda_hands_to_it(tmp_path):
    conda = yaml.safe_load((ROOT / "environment.yml").read_text())
    (lines,) = [row["pip"] for row in conda["dependencies"] if isinstance(row, dict)]
    file = tmp_path / "requirements.txt"
    # The project itself stands elsewhere: what is looked at is whether the options are allowed.
    file.write_text("\n".join(lines).replace("-e .", "pip") + "\n")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", "-r", str(file)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "no such option" not in done.stderr
    assert done.returncode == 0, done.stderr


def test_torch_and_spark_stay_out_of_the_lock():
    assert not {"torch", "transformers", "pyspark"} & set(pins())


def test_the_makefile_installs_the_locked_uv():
    makefile = (ROOT / "Makefile").read_text()
    assert re.search(r"^UV := uv==(\S+)$", makefile, re.M).group(1) in pins()["uv"]
