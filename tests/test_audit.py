"""What is known against the packages in requirements.lock: the gate asks, and holds.

pip-audit asks PyPI's advisories about every version in the lock, and installs nothing of it. Where
they cannot be asked (no network, an index without advisories) one loud line says so.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
AUDIT = "pip-audit==2.10.1"
LOUD = "THE PACKAGES OF requirements.lock WERE NOT AUDITED"

# Advisory → why it does not concern us; each goes when the version rises.
ACCEPTED: dict[str, str] = {}


class Unasked(Exception):
    """The advisories could not be asked."""


def known(answer):
    """Each advisory against a package, as a line; Unasked where none could be asked about."""
    try:
        packages = json.loads(answer)["dependencies"]
    except (ValueError, KeyError, TypeError):
        raise Unasked(answer.strip()[-200:] or "no answer") from None
    asked = [each for each in packages if "skip_reason" not in each]
    if not asked:
        raise Unasked(packages[0]["skip_reason"] if packages else "an empty answer")
    return [
        f"{each['name']} {each['version']}: {found['id']}, mended in {found['fix_versions']}"
        for each in asked
        for found in each["vulns"]
        if found["id"] not in ACCEPTED
    ] + [f"{each['name']}: not asked about" for each in packages if "skip_reason" in each]


@pytest.mark.skipif(not os.environ.get("CI"), reason="the gate asks: CI=true, or .ci/run")
def test_nothing_is_known_against_the_packages_of_the_lock():
    words = ["-r", "requirements.lock", "--require-hashes", "--no-deps", "--disable-pip"]
    try:
        done = subprocess.run(
            [Path(sys.executable).with_name("uv"), "tool", "run", "--from", AUDIT, "pip-audit",
             *words, "--vulnerability-service", "pypi", "--format", "json",
             "--progress-spinner", "off"],
            cwd=ROOT, capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip
        found = known(done.stdout or done.stderr)
    except (Unasked, subprocess.TimeoutExpired) as error:
        pytest.skip(f"{LOUD}: {error}")
    assert found == []


def test_an_advisory_is_a_finding_and_an_index_without_advisories_is_no_clean_answer():
    vulnerable = {
        "name": "jinja2",
        "version": "2.10",
        "vulns": [{"id": "PYSEC-2019-217", "fix_versions": ["2.10.1"]}],
    }
    clean = {"name": "tqdm", "version": "4.70.1", "vulns": []}
    unasked = {"name": "xarray", "skip_reason": "Dependency not found on PyPI"}

    def answer(*packages):
        return json.dumps({"dependencies": packages, "fixes": []})

    assert known(answer(clean)) == []
    assert known(answer(clean, vulnerable)) == ["jinja2 2.10: PYSEC-2019-217, mended in ['2.10.1']"]
    assert known(answer(clean, unasked)) == ["xarray: not asked about"]
    for nothing in (answer(unasked), answer(), "no network", ""):
        with pytest.raises(Unasked):
            known(nothing)
