"""`raterbook lab`, installed from the wheel: the form opens and keeps what was rated.

The folder holds a package `analysis` of somebody's own, where the notebook's kernel starts too.
"""

from tests.browser.desk import Desk, write_notebook
from tests.browser.lab import Lab
from tests.installed import ROOT, Installed, wheel_in

ITEMS = ROOT / "tests" / "worked" / "halo-support" / "items.csv"
OWN = "raise SystemExit('this analysis belongs to somebody else')\n"


def test_lab_from_the_wheel_takes_an_answer(context, tmp_path):
    installed = Installed(tmp_path / "venv", wheel_in(tmp_path / "wheel"), "all")
    folder = tmp_path / "own"
    for place in (folder, folder / "notebooks"):
        (place / "analysis").mkdir(parents=True)
        (place / "analysis" / "__init__.py").write_text(OWN)
    opened = installed.run(
        *("open", "r", "--protocol", "halo-support", "--items", ITEMS, "--raters", "h1"), cwd=folder
    )
    assert opened.returncode == 0, opened.stderr
    before = installed.files()
    lab = Lab(folder / "notebooks", [installed.command, "lab"], folder).start()
    page = context.new_page()
    try:
        notebook = write_notebook(folder / "notebooks", "r", "h1", name="mine.ipynb")
        desk = Desk(lab, page, notebook).open()
        desk.press("2").wait_for_state("saved")
        desk.picture("lab-from-the-wheel")
        assert desk.errors == []
    finally:
        page.close(run_before_unload=False)
        lab.end_kernels()
        lab.stop()
    answers = installed.run("export", "r", "-", cwd=folder).stdout
    assert "h1,label,CONTRADICTED" in answers
    assert (folder / "notebooks" / "rate.ipynb").exists()
    assert (folder / "notebooks" / "analysis" / "__init__.py").read_text() == OWN
    assert installed.files() == before
