"""Three raters, each with a login of their own, rate on while their server is started again."""

import pytest

from raterbook.protocols import load
from raterbook.rounds import ItemTable, Store
from raterbook.rounds.store import team
from tests.browser.desk import Desk, write_notebook
from tests.server import Cluster, required

RATERS = ("una", "dos", "tre")
SENTENCES = 8
KEY = "1"  # accurate


@pytest.fixture
def server(chromium):
    required()
    made = Cluster(flushes=True)
    yield made
    made.remove()


@pytest.fixture
def desks(server, lab, context, folder):
    """A form each, in a notebook that knows nothing but its rater's own address."""
    protocol = load("stem-sentences")
    response = " ".join(f"It says so in paragraph {n} of it." for n in range(1, SENTENCES + 1))
    row = {"question_id": "q1", "question": "What does it say?", "article_id": "a1",
           "article": "It says one thing.", "model": "m1", "response": response}  # fmt: skip
    store = Store(server.empty("study"))
    store.open("r1", protocol, ItemTable.from_records(protocol, [row]), raters=RATERS)
    team.init(store)
    found = []
    for rater in RATERS:
        team.add(store, rater, "rater")
        own = server.address("study", rater)
        setting = f"os.environ['RATERBOOK_DB'] = {own!r}"
        book = write_notebook(folder, "r1", rater, f"{rater}.ipynb", before_all=setting)
        desk = Desk(lab, context.new_page(), book)
        found.append(desk)
        desk.open()
    store.dispose()
    yield found
    for desk in found:
        desk.page.close(run_before_unload=False)
    lab.end_kernels()
    assert [error for desk in found for error in desk.errors] == []


def test_three_forms_lose_nothing_to_a_restart_and_go_on_by_themselves(server, desks):
    for desk in desks:
        desk.press(KEY, KEY, KEY).wait_for_state("saved")
    server.stop("immediate")
    for desk in desks:
        desk.press(KEY, KEY)
    server.start()
    for desk in desks:
        desk.wait_for_state("saved", timeout=60_000)
        desk.press(KEY).wait_for_state("saved", timeout=60_000)
    stored = server.sql(
        "SELECT i.name, count(*), count(DISTINCT a.part) FROM raterbook.answer_event a"
        " JOIN raterbook.identity i USING (rater_id) WHERE a.written_by = i.name GROUP BY 1",
        "study",
    )
    assert sorted(stored) == sorted((rater, 6, 6) for rater in RATERS)
