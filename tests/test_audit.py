"""What is known against the packages in requirements.lock: the gate asks, and holds.

pip-audit asks PyPI's advisories about every version in the lock, and installs nothing of it. An
index that mirrors PyPI may have no page of a version; then the project's own page is asked, which
carries the advisories of its newest. One loud line names what nobody could be asked about.
"""

import json
import os
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
AUDIT = "pip-audit==2.10.1"
LOUD = "NOT AUDITED OF requirements.lock"

# Advisory → why it does not concern us; each goes when the version rises.
ACCEPTED: dict[str, str] = {}

gate = pytest.mark.skipif(not os.environ.get("CI"), reason="the gate asks: CI=true, or .ci/run")


def page_of(name):
    """The project's page on the index; nothing where it cannot be had."""
    from pip._internal.models.index import PyPI  # it knows where projects' pages are

    try:
        with urllib.request.urlopen(f"{PyPI.pypi_url}/{name}/json", timeout=60) as answer:
            return json.load(answer)
    except (OSError, ValueError):
        return {}


def of_the_newest(name, version, page):
    """A package as pip-audit tells it, from its project's page, if `version` is the newest."""
    if page.get("info", {}).get("version") != version:
        return {"name": name, "version": version, "skip_reason": "no advisories of this version"}
    found = [{**each, "fix_versions": each["fixed_in"]} for each in page["vulnerabilities"]]
    return {"name": name, "version": version, "vulns": found}


def known(packages):
    """Each advisory against a package, as a line; and each package nobody was asked about."""
    return [
        f"{each['name']} {each['version']}: {found['id']}, mended in {found['fix_versions']}"
        for each in packages
        for found in each.get("vulns", ())
        if found["id"] not in ACCEPTED
    ], [f"{each['name']} {each['version']}" for each in packages if "skip_reason" in each]


def locked():
    """(name, version) of each line of the lock; a name may stand twice, for two Pythons."""
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    words = [line.split()[0] for line in lines if "==" in line and not line.startswith(" ")]
    return [tuple(word.split("==")) for word in words]


@pytest.fixture(scope="module")
def audited():
    words = ["-r", "requirements.lock", "--require-hashes", "--no-deps", "--disable-pip"]
    try:
        done = subprocess.run(
            [Path(sys.executable).with_name("uv"), "tool", "run", "--from", AUDIT, "pip-audit",
             *words, "--vulnerability-service", "pypi", "--format", "json",
             "--progress-spinner", "off"],
            cwd=ROOT, capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip
        told = {each["name"]: each for each in json.loads(done.stdout)["dependencies"]}
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        told = {}
    packages = locked()
    left = [one for one in packages if "vulns" not in told.get(one[0], {})]
    with ThreadPoolExecutor(8) as at_once:
        pages = list(at_once.map(page_of, [name for name, _ in left]))
    instead = {one: of_the_newest(*one, page) for one, page in zip(left, pages)}
    found = [instead.get(one) or told[one[0]] for one in packages]
    if not any("vulns" in each for each in found):
        pytest.skip(f"{LOUD}: all {len(found)} packages, as no index could be asked")
    return known(found)


@gate
def test_nothing_is_known_against_the_packages_of_the_lock(audited):
    assert audited[0] == []


@gate
def test_every_package_of_the_lock_was_asked_about(audited):
    if audited[1]:
        pytest.skip(f"{LOUD}: {len(audited[1])} of {len(locked())}: {', '.join(audited[1])}")


VULNERABLE = {
    "name": "jinja2",
    "version": "2.10",
    "vulns": [{"id": "PYSEC-2019-217", "fix_versions": ["2.10.1"]}],
}
CLEAN = {"name": "tqdm", "version": "4.70.1", "vulns": []}
UNASKED = {"name": "xarray", "version": "2026.1.0", "skip_reason": "Dependency not found on PyPI"}


def test_an_advisory_is_a_finding_and_a_package_nobody_was_asked_about_is_no_clean_one():
    assert known([CLEAN]) == ([], [])
    assert known([CLEAN, VULNERABLE])[0] == ["jinja2 2.10: PYSEC-2019-217, mended in ['2.10.1']"]
    assert known([CLEAN, UNASKED]) == ([], ["xarray 2026.1.0"])


def test_a_projects_page_speaks_for_its_newest_version_alone():
    advisory = {"id": "PYSEC-2019-217", "fixed_in": ["2.10.1"]}
    page = {"info": {"version": "2.10"}, "vulnerabilities": [advisory]}
    found = known([of_the_newest("jinja2", "2.10", page)])
    assert found == (["jinja2 2.10: PYSEC-2019-217, mended in ['2.10.1']"], [])
    assert known([of_the_newest("jinja2", "2.9", page)]) == ([], ["jinja2 2.9"])
    assert known([of_the_newest("jinja2", "2.10", {})]) == ([], ["jinja2 2.10"])


def test_the_lock_names_each_version_once():
    assert {"jupyterlab", "pandas", "statsmodels"} <= {name for name, _ in locked()}
    assert len(set(locked())) == len(locked()) > 200
