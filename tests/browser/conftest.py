"""One JupyterLab and one Chromium for all tests here; each test has a folder and a page."""

import csv
import os
from pathlib import Path

import pytest

from raterbook.protocols import Protocol, load
from raterbook.rating import Form
from raterbook.rounds import ItemTable, PartRow, Round, Store
from tests.browser.bare import BareDesk
from tests.browser.desk import Desk, write_notebook
from tests.browser.hub import NO_HUB
from tests.browser.lab import Lab

CHROMIUM = Path("/usr/bin/chromium")
SAMPLES = Path(__file__).parents[2] / "data" / "samples"
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if here in Path(item.path).parents:
            item.add_marker(pytest.mark.browser)


WITHOUT_SAMPLE = {
    "ai-detection": [
        {
            "id": f"t{n}",
            "label": "human",
            "prediction": prediction,
            "model": "detector-1",
            "text": f"we wrote 14.{n} ml but it might of been more, see the smudge on p. {n}",
        }
        for n, prediction in enumerate(["ai", "human", "ai"], start=1)
    ],
}
MISSING = f"THE BROWSER TESTS DID NOT RUN: there is no {CHROMIUM}; install Debian's chromium."


def pytest_terminal_summary(terminalreporter):
    if not CHROMIUM.exists() and not os.environ.get("CI"):
        terminalreporter.write_line(MISSING, red=True, bold=True)
    skipped = {report.longrepr[-1] for report in terminalreporter.stats.get("skipped", ())}
    for said in sorted(each for each in skipped if NO_HUB in each):
        terminalreporter.write_line(said, red=True, bold=True)


@pytest.fixture(scope="session")
def chromium():
    if CHROMIUM.exists():
        return CHROMIUM
    if os.environ.get("CI"):
        pytest.fail(MISSING)
    pytest.skip(MISSING)


@pytest.fixture(scope="session")
def lab(chromium, tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab")).start()
    yield lab
    lab.stop()


@pytest.fixture
def lab_without_subshells(lab):
    """As many are: while a cell runs, nothing that the form sends is taken."""
    plugin = "@jupyterlab/apputils-extension:kernels-settings"
    lab.change_setting(plugin, '{"commsOverSubshells": "disabled"}')
    yield lab
    lab.change_setting(plugin, "{}")


@pytest.fixture(scope="session")
def context(chromium, playwright, tmp_path_factory):
    context = playwright.chromium.launch_persistent_context(
        tmp_path_factory.mktemp("browser"),
        executable_path=str(chromium),
        headless=True,
        args=ARGUMENTS,
        viewport={"width": 1400, "height": 900},
        accept_downloads=True,
    )
    yield context
    context.close()


@pytest.fixture
def folder(lab, request):
    folder = lab.folder / "".join(c if c.isalnum() else "-" for c in request.node.name)
    folder.mkdir()
    return folder


@pytest.fixture
def sit_down(lab, context, folder):
    """sit_down(protocol, rows) opens a round and a notebook with its form, and gives the desk."""
    desks = []

    def sit_down(protocol, rows=None, parts=None, rater="ana", run=True, name="round-01", **plan):
        open_round(folder, protocol, rows, parts, (rater,), name, **plan)
        desk = Desk(lab, context.new_page(), write_notebook(folder, name, rater))
        desks.append(desk)
        return desk.open(run=run)

    yield sit_down
    for desk in desks:
        desk.page.close(run_before_unload=False)
    lab.end_kernels()
    assert [error for desk in desks for error in desk.errors] == []


@pytest.fixture
def bare_desk(context, tmp_path):
    """bare_desk(protocol, rows) gives the same desk without Lab around it."""
    desks = []

    def bare_desk(
        protocol, rows=None, parts=None, rater="ana", theme="light", size=(1280, 800), **plan
    ):
        round = open_round(tmp_path, protocol, rows, parts, **{"raters": (rater,), **plan})
        page = context.new_page()
        page.set_viewport_size({"width": size[0], "height": size[1]})
        database = tmp_path / "data" / "raterbook.sqlite"
        desks.append(BareDesk(page, Form(round, rater), database, theme))
        return desks[-1].open()

    yield bare_desk
    for desk in desks:
        desk.page.evaluate("localStorage.clear()")
        desk.page.close(run_before_unload=False)
        desk.widget.close()
    assert [error for desk in desks for error in desk.errors] == []


@pytest.fixture
def come(hub, chromium, playwright):
    """come(name) logs in in a browser of one's own, and waits for what the server shows first."""
    browser = playwright.chromium.launch(executable_path=str(chromium), args=ARGUMENTS)

    def come(name, lands=True):
        page = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
        hub.log_in(page, name)
        if lands:
            hub.landed(page, name)
        return page

    yield come
    browser.close()


@pytest.fixture
def stem(bare_desk):
    return bare_desk("stem-sentences", 3)


def open_round(
    folder,
    protocol: str | Protocol,
    rows=None,
    parts=None,
    raters=("ana",),
    name="round-01",
    **plan,
) -> Round:
    """A round in the folder's workspace: of the sample's first rows, or of the rows given."""
    asked = protocol if isinstance(protocol, Protocol) else load(protocol)
    if rows is None or isinstance(rows, int):
        rows, parts = sample_rows(asked, rows or 3)
    table = ItemTable.from_records(asked, rows)
    pieces = [PartRow(*part) for part in parts] if parts else None
    store = Store(folder / "data" / "raterbook.sqlite")
    return store.open(name, asked, table, raters=raters, parts=pieces, **plan)


def sample_rows(protocol: Protocol, count: int):
    if protocol.name in WITHOUT_SAMPLE:
        return WITHOUT_SAMPLE[protocol.name][:count], None
    folder = SAMPLES / protocol.name
    rows = read(folder / "items.csv")[:count]
    if not (folder / "parts.csv").exists():
        return rows, None
    of_case = protocol.parts is not None and protocol.parts.of == "case"
    known = {protocol.case_of(row) if of_case else protocol.key(row) for row in rows}
    parts = [
        (row["item"], int(row["part"]), row["text"], {"key_info": row.get("key_info") or ""})
        for row in read(folder / "parts.csv")
        if row["item"] in known
    ]
    return rows, parts


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
