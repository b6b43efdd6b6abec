"""docs/jupyterhub-teams.md, done: each rater has a login of the database, a server and an account.

An account for each needs root, and a Python that every account may start; without them the servers
share one, and what accounts keep apart is not tried.
"""

import csv
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.browser.hub import NO_HUB, Hub, python_with_hub, titled
from tests.server import Cluster, required

pytestmark = pytest.mark.long
PAGE = "jupyterhub-teams.md"
RATERS = ("ana", "ben", "cem")
SENTENCES = 16
DATABASE = "secure_one"  # where a login needs its password
# What the page leaves to the machine's own accounts, by number, as there are none to make here.
ACCOUNTS = """
import os
from jupyterhub.spawner import SimpleLocalProcessSpawner

class OwnAccount(SimpleLocalProcessSpawner):
    def make_preexec_fn(self, name):
        number = 64001 + sorted(c.Authenticator.allowed_users).index(name)
        home = Path(self.home_dir)

        def settle():
            home.mkdir(parents=True, exist_ok=True)
            os.chown(home, number, number)
            home.chmod(0o700)
            os.setgroups([])
            os.setgid(number)
            os.setuid(number)
            os.chdir(home)

        return settle

c.JupyterHub.spawner_class = OwnAccount
"""
SHARED = (
    f"{NO_HUB} with an account for each: that needs root, and in RATERBOOK_HUB_PYTHON a Python in "
    "folders that every account may walk through."
)
# What a program finds that looks wherever an address could stand; each login but the own one.
LOOK = """
import json, os, re
from pathlib import Path

def told(path):
    try:
        return re.findall(r"postgresql://([a-z]+):", path.read_bytes().decode("utf-8", "replace"))
    except OSError:
        return []

def look(hub):
    places = {
        "processes": Path("/proc").glob("[0-9]*/environ"),
        "hub": [path for path in Path(hub).rglob("*") if path.is_file()],
    }
    return {
        name: sorted({login for path in paths for login in told(path)})
        for name, paths in places.items()
    }
"""
_ROWS = """() => [...document.querySelectorAll(".rb-lead table tr")].slice(1)
  .map(row => [...row.cells].slice(0, 5).map(cell => cell.textContent.trim()).join(" "))"""
# What a rater's own notebook can try of the workspace.
TRY = """
import psycopg
from raterbook import Workspace

def tried(what):
    try:
        return str(what())
    except Exception as error:
        return f"{type(error).__name__}: {error}"

address = os.environ["RATERBOOK_DB"]
round = Workspace().round("round-01")

def sql(statement, place=address):
    with psycopg.connect(place) as connection:
        done = connection.execute(statement)
        return done.fetchall() if done.description else done.statusmessage

found = {
    "everybody": tried(lambda: [one.name for one in round.raters()]),
    "form": tried(lambda: round.form("ben")),
    "answers": tried(lambda: sql("SELECT DISTINCT written_by FROM raterbook.answer_event")),
    "changed": tried(lambda: sql("DELETE FROM raterbook.answer_event")),
    "login": tried(lambda: sql("SELECT 1", address.replace("//ana:", "//ben:"))),
    "looked": look(HUB),
}
Path("found.json.part").write_text(json.dumps(found))
os.rename("found.json.part", Path.home() / "found.json")
"""


def own_accounts() -> bool:
    python = Path(python_with_hub()).resolve()
    open_ = all(folder.stat().st_mode & 0o001 for folder in python.parents)
    return open_ and os.geteuid() == 0


@pytest.fixture(scope="module")
def server(chromium):
    python_with_hub()
    required()
    made = Cluster(flushes=True)
    yield made
    made.remove()


@pytest.fixture(scope="module")
def hub(server):
    """The page's commands and configuration, in a folder that other accounts may walk through."""
    folder = Path(tempfile.mkdtemp(prefix="rbhub-"))
    folder.chmod(0o755)
    response = " ".join(f"It says so in paragraph {n} of it." for n in range(1, SENTENCES + 1))
    row = {"question_id": "q1", "question": "What does it say?", "article_id": "a1",
           "article": "It says one thing.", "model": "m1", "response": response}  # fmt: skip
    with (folder / "items.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, row)
        table.writeheader()
        table.writerow(row)
    server.empty(DATABASE)
    script = titled(PAGE, "logins.sh")
    assert "postgresql://owner@db.example.org/study" in script
    script = script.replace(
        "postgresql://owner@db.example.org/study", f"'{server.address(DATABASE)}'"
    )
    python = Path(python_with_hub())
    words = f'raterbook() {{ "{python}" -m raterbook "$@"; }}\nset -e\n{script}'
    subprocess.run(["sh", "-c", words], cwd=folder, check=True)
    hub = Hub(folder, PAGE, ACCOUNTS if own_accounts() else "")
    yield hub
    hub.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def sit_down(hub, come):
    """sit_down(name): logged in, at the form, and nothing of it broke in the end."""
    desks = []

    def sit_down(name):
        place = hub.folder / "people" / name / "study" / "notebooks" / f"rate-{name}.ipynb"
        desks.append(hub.desk(come(name), place))
        return desks[-1].run()

    yield sit_down
    assert [error for desk in desks for error in desk.errors] == []


def rows_of(page, wanted):
    """Whether the lead's table comes to say so within half a minute."""
    for _ in range(150):
        if (rows := page.evaluate(_ROWS)) == wanted:
            return True
        page.wait_for_timeout(200)
    pytest.fail(f"{rows}, not {wanted}")


def stored(server):
    """How many answers each has, of those that the own login stored."""
    return dict(
        server.sql(
            "SELECT i.name, count(DISTINCT (a.part, a.question_id)) FROM raterbook.answer_event a"
            " JOIN raterbook.identity i USING (rater_id) WHERE a.written_by = i.name GROUP BY 1",
            DATABASE,
        )
    )


def test_three_raters_rate_under_logins_of_their_own_and_the_leads_panel_follows(
    hub, server, come, sit_down
):
    page = come("lea")
    lead = hub.desk(page, hub.folder)
    page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.locator(".rb-lead select").first.wait_for(timeout=60_000)
    page.locator(".rb-lead select").first.select_option("round-01")
    before = stored(server)
    assert rows_of(page, [f"{name} human 1 0 {int(name in before)}" for name in RATERS])

    desks = {name: sit_down(name) for name in RATERS}
    for number, desk in enumerate(desks.values(), start=1):
        desk.press(*["1"] * number)
    for desk in desks.values():
        desk.wait_for_state("saved", 30_000)
    gained = {name: count - before.get(name, 0) for name, count in stored(server).items()}
    assert gained == {"ana": 1, "ben": 2, "cem": 3}

    # The one item given to each is begun: nobody pressed anything in the lead's page.
    assert rows_of(page, [f"{name} human 1 0 1" for name in RATERS])
    assert lead.errors == []


def while_away(desk):
    """Two answers that nobody takes."""
    desk.page.locator(".jp-Dialog", has_text="not running").get_by_text("Dismiss").click()
    desk.form.locator(".rb-bar").click()
    desk.press("1", "1").wait_for_state("silent", 30_000)


def test_a_server_that_is_stopped_and_started_loses_nothing_and_holds_nobody_else_up(
    hub, server, sit_down
):
    ana, ben = sit_down("ana"), sit_down("ben")
    before = stored(server)
    ana.press("1", "1").wait_for_state("saved", 30_000)
    hub.end_server("ana")
    while_away(ana)
    ben.press("1", "1", "1").wait_for_state("saved", 30_000)
    assert stored(server)["ana"] == before.get("ana", 0) + 2

    ana.page.goto(f"{hub.url}/hub/spawn/ana")
    hub.landed(ana.page, "ana")
    ana.ready()
    ana.run().wait_for_state("saved", 30_000)
    assert stored(server)["ana"] == before.get("ana", 0) + 4
    assert stored(server)["ben"] == before.get("ben", 0) + 3


def test_a_hub_that_is_stopped_and_started_loses_nothing(hub, server, sit_down):
    ana = sit_down("ana")
    before = stored(server)
    ana.press("1").wait_for_state("saved", 30_000)
    hub.stop()
    while_away(ana)
    assert stored(server)["ana"] == before.get("ana", 0) + 1
    hub.start()
    hub.log_in(ana.page, "ana")
    hub.landed(ana.page, "ana")
    ana.ready()
    ana.run().wait_for_state("saved", 30_000)
    assert stored(server)["ana"] == before.get("ana", 0) + 3


@pytest.fixture
def found(hub, sit_down):
    """What ana finds from a notebook of her own, while ben and cem are logged in."""
    for name in ("ben", "cem"):
        sit_down(name).press("1").wait_for_state("saved", 30_000)
    ana = sit_down("ana")
    ana.press("1").wait_for_state("saved", 30_000)
    ana.execute(f"{LOOK}\nHUB = {str(hub.folder)!r}\n{TRY}")
    file = hub.folder / "people" / "ana" / "found.json"
    for _ in range(300):
        if file.exists():
            return json.loads(file.read_text())
        ana.page.wait_for_timeout(100)
    raise AssertionError("the notebook did not come to an end")


def test_a_raters_notebook_reads_no_other_answers_and_cannot_become_another(hub, found):
    assert found["everybody"] == "['ana']"
    assert found["answers"] == "[('ana',)]"
    assert found["form"].startswith("RoundError")
    assert "permission denied" in found["changed"]
    assert "password authentication failed" in found["login"]
    if not own_accounts():
        pytest.skip(SHARED)
    assert found["looked"] == {"processes": ["ana"], "hub": []}


def test_control_under_the_account_of_the_hub_every_address_is_found(hub, come):
    names = {}
    exec(LOOK, names)
    for name in RATERS:
        come(name)
    looked = names["look"](hub.folder)
    assert set(RATERS) <= set(looked["processes"]) & set(looked["hub"])


def test_a_raters_server_is_closed_to_other_raters_and_to_the_lead(hub, come):
    come("ben")
    for name in ("ana", "lea"):
        answer = come(name).goto(f"{hub.url}/user/ben/lab")
        assert answer.status in (403, 404), name


def test_what_a_server_writes_is_closed_to_other_accounts(hub, come):
    come("ana")
    study = hub.folder / "people" / "ana" / "study"
    assert [path for path in (study, *study.rglob("*")) if path.stat().st_mode & 0o077] == []


def test_who_has_no_login_of_the_database_does_not_come_in(come):
    page = come("eve", lands=False)
    page.wait_for_load_state()
    assert "/hub/login" in page.url
