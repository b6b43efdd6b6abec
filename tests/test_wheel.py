"""The wheel is the whole product: in an empty environment and folder every command works."""

import json
import os
import pickle
import subprocess
import sys
import tarfile
import zipfile

import pytest

from tests.installed import ROOT, Installed, pip, wheel_in

WORKED = ROOT / "tests" / "worked" / "halo-support"
OWN = "raise SystemExit('this analysis belongs to somebody else')\n"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return wheel_in(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def core(wheel, tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("core") / "venv", wheel)


@pytest.fixture(scope="module")
def whole(wheel, tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("all") / "venv", wheel, "all")


@pytest.fixture(scope="module")
def opened(core, tmp_path_factory):
    """A folder with a round, and two files whose kinds need an extra."""
    folder = tmp_path_factory.mktemp("opened")
    (folder / "items.csv").write_bytes((WORKED / "items.csv").read_bytes())
    for name in ("items.xlsx", "items.parquet"):
        (folder / name).write_bytes(b"PK")
    said(core.run("open", "r", "--protocol", "halo-support", "--items", "items.csv", cwd=folder))
    return folder


@pytest.fixture
def beside(tmp_path):
    """A folder where somebody has modules of their own under names that are ours."""
    for name in ("analysis", "notebooks", "samples"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(OWN)
    return tmp_path


def said(done):
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def walk(installed, folder):
    """A round from its file to its page; what each command said."""
    for name in ("items.csv", "answers.csv"):
        (folder / name).write_bytes((WORKED / name).read_bytes())
    words = "open r --protocol halo-support --items items.csv --raters h1"
    assert "10 items of halo-support" in said(installed.run(*words.split(), cwd=folder))
    assert "10 answers added" in said(installed.run("import", "r", "answers.csv", cwd=folder))
    assert "complete" in said(installed.run("status", "r", cwd=folder))
    assert "reports/r/index.html" in said(installed.run("report", "r", cwd=folder))
    assert (folder / "reports" / "r" / "index.html").stat().st_size > 20_000
    done = installed.run("check", "r", "--require", "percent_match>=1%", cwd=folder)
    assert "Passed: 1 of 1 target met" in said(done)


def test_the_wheel_holds_one_package_with_all_that_comes_along(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"raterbook"}
    shipped = {name.removeprefix("raterbook/shipped/") for name in names if "/shipped/" in name}
    asked = {f"notebooks/{path.name}" for path in (ROOT / "notebooks").glob("*.ipynb")}
    asked |= {f"samples/{path.relative_to(ROOT / 'data' / 'samples')}" for path in SAMPLES}
    assert asked <= shipped
    kept = {f"raterbook/{path}" for path in tracked("raterbook")}
    kept |= {f"raterbook/analysis/{path}" for path in tracked("analysis")}
    links = ("raterbook/analysis", "raterbook/shipped/notebooks", "raterbook/shipped/samples")
    assert kept - set(links) <= set(names)


SAMPLES = sorted((ROOT / "data" / "samples").glob("*-*/*.csv"))


def tracked(folder):
    """Its files as git knows them; without git, as in the source archive, all there are."""
    words = ["git", "ls-files", "-z", "."]
    done = subprocess.run(words, cwd=ROOT / folder, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("this is no checkout")
    return [name for name in done.stdout.split("\0") if name]


def test_the_source_archive_holds_every_file_and_makes_the_same_wheel(wheel, tmp_path):
    source = tmp_path / "source"
    for name in tracked("."):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_symlink():
            (source / name).symlink_to(os.readlink(ROOT / name))
        elif (ROOT / name).exists():
            (source / name).write_bytes((ROOT / name).read_bytes())
    build = "import sys; from setuptools import build_meta as b; print(b.build_sdist(sys.argv[1]))"
    subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)], cwd=source, check=True, capture_output=True
    )
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
        packed.extractall(tmp_path / "unpacked", filter="data")
    assert {name for name in tracked(".") if (ROOT / name).exists()} <= names
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    offline = ("--no-deps", "--no-index", "--no-build-isolation")
    pip("wheel", *offline, "-w", tmp_path, unpacked)
    (again,) = tmp_path.glob("*.whl")
    assert zipfile.ZipFile(again).namelist() == zipfile.ZipFile(wheel).namelist()


def test_from_the_core_alone_a_round_goes_from_its_file_to_its_page(core, tmp_path):
    assert not (core.site / "pyarrow").exists()
    assert not (core.site / "jupyterlab").exists()
    before = core.files()
    walk(core, tmp_path)
    assert core.files() == before  # as from a place where nothing can be written


def test_a_folder_analysis_of_ones_own_is_in_nobodys_way(whole, beside):
    walk(whole, beside)
    words = ("judge", "r", "--model", "scripted")
    assert "Generated answer" in said(whole.run(*words, "--dry-run", cwd=beside))
    assert "10 of 10 asked of scripted, 10 ok" in said(whole.run(*words, cwd=beside))
    assert "h1" in said(whole.run("status", "r", cwd=beside))
    module = whole.start(whole.python, "-m", "raterbook", "check", "r", cwd=beside)
    assert "targets met" in module.stdout, module.stderr


def test_a_folder_analysis_of_ones_own_was_in_the_way_of_the_name_without_the_package(
    whole, beside
):
    """The control: what is imported by that name is theirs."""
    done = whole.start(whole.python, "-c", "import analysis", cwd=beside)
    assert "belongs to somebody else" in done.stderr
    done = whole.start(whole.python, "-c", "import analysis", cwd=ROOT.parent)
    assert "No module named 'analysis'" in done.stderr


def test_a_demo_is_a_workspace_with_six_rounds_and_their_pages(core, beside):
    before = core.files()
    out = said(core.run("demo", "demo", "--no-open", cwd=beside))
    assert "demo/reports/index.html" in out
    pages = sorted(path.parent.name for path in (beside / "demo").glob("reports/*/index.html"))
    assert [line.split()[0] for line in out.split("Look at:")[1].splitlines()[1:-1]] == pages
    assert len(pages) == 6
    assert core.files() == before
    again = core.run("demo", "notebooks", "--no-open", cwd=beside)
    assert again.returncode == 2
    assert "notebooks holds other files: name a folder that is new or empty" in again.stderr
    assert (beside / "notebooks" / "__init__.py").read_text() == OWN


def test_a_new_workspace_has_its_folders_and_overwrites_nothing(core, tmp_path):
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "README.md").write_text("mine")
    out = said(core.run("new", "w", cwd=tmp_path))
    assert "w/README.md\n" not in out
    assert (tmp_path / "w" / "README.md").read_text() == "mine"
    assert sorted(path.name for path in (tmp_path / "w").iterdir()) == [
        ".gitignore", "README.md", "analysis", "data", "environment.yml", "notebooks", "reports",
    ]  # fmt: skip
    assert {path.name for path in (tmp_path / "w/notebooks").iterdir()} == {
        path.name for path in (ROOT / "notebooks").glob("*.ipynb")
    }
    assert "nothing was written" in said(core.run("new", "w", cwd=tmp_path))


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ("lab", "lab"),
        ("judge r --model some-model", "judge"),
        ("judge r --model m --local somewhere", "local-models"),
        ("open s --protocol halo-support --items items.xlsx", "excel"),
        ("export r out.xlsx", "excel"),
        ("open s --protocol halo-support --items items.parquet", "parquet"),
        ("export r out.parquet", "parquet"),
        ("archive r out", "parquet"),
        ("report r --dask tcp://127.0.0.1:9", "scale"),
    ],
)
def test_what_is_not_installed_is_named_with_the_command_that_brings_it(core, opened, words, extra):
    done = core.run(*words.split(), cwd=opened)
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith(
        f'which is not installed: pip install "raterbook[{extra}]"'
    )
    assert not list(opened.glob("out.*"))


def test_in_a_checkout_analysis_is_the_same_by_both_names():
    import analysis.coefficients.alpha
    import raterbook.analysis.coefficients.alpha as ours
    from analysis import Interval, older

    assert analysis.coefficients.alpha is ours
    assert older is __import__("raterbook.analysis.older", fromlist=["x"])
    assert pickle.loads(pickle.dumps(Interval())) == Interval()
    assert Interval.__module__ == "raterbook.analysis.intervals"


@pytest.mark.long
def test_pip_installs_it_from_the_registry_and_it_works(wheel, tmp_path):
    """The one true installation: everything the metadata ask for is fetched."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    real = Installed.__new__(Installed)
    real.folder = tmp_path / "venv"
    pip("--python", real.python, "install", f"raterbook[all] @ {wheel.as_uri()}")
    (tmp_path / "work").mkdir()
    walk(real, tmp_path / "work")
    listed = real.start(real.python, "-m", "pip", "list", "--format=json", cwd=tmp_path)
    assert {"jupyterlab", "openpyxl", "pyarrow"} <= {
        row["name"] for row in json.loads(said(listed))
    }
