"""A history's links are the same on a server as in a file, and go along when it moves."""

import shutil

import pytest

from raterbook.rounds import Event, ItemTable, PartRow, Store
from raterbook.rounds.store.backup import copy_workspace
from tests.server import with_schema

from .conftest import records


@pytest.fixture
def server(cluster):
    address = cluster.address(cluster.like("made", with_schema))
    store = Store(address)
    yield store
    store.dispose()


def owner(cluster, store, *statements):
    """What only the owner of the database can do, with the guards of its tables down."""
    with cluster.connect(store.server.url.database) as connection:
        connection.execute("SET search_path TO raterbook")
        connection.execute("SET session_replication_role = replica")
        for each in statements:
            connection.execute(each)


def go_on(store, protocol):
    """One of everything that is written, with signs, decimals and texts of several bytes."""
    round = store.open(
        "round-03", protocol, ItemTable.from_records(protocol, records()), raters=["dana"]
    )
    given = [{**each, "gold": "Ä; ’x’ 字"} for each in records()]
    round.add_items(ItemTable.from_records(protocol, given, source="new.csv"), replace=True)
    round.set_parts("q1/a", [PartRow("q1/a", None, "Eins – 一."), PartRow("q1/a", None, "Two.")])
    said = Event("s1", "q0/a", "overall", 4.25, seconds=0.1, confidence=33.3)
    assert round.save("dana", [said, Event("s2", "q0/a", "tone", 2)])[0].ok
    assert round.save(
        "dana", [Event("s3", "q0/b", "label", "no"), Event("s4", "q0/b", "why_not", "“字”")]
    )[0].ok
    round.mark("dana", "q0/b", "flag", "m1", reason="; 7:")
    store.replies.put("k", "reply €")
    store.erase("dana", "asked")
    round.close()


def test_a_server_links_as_a_file_does(kept, server, protocol, tmp_path):
    file = Store(shutil.copyfile(kept, tmp_path / "raterbook.sqlite"))
    before = file.head()
    copy_workspace(file, server)
    assert server.head() == before
    go_on(server, protocol)
    history = server.history()  # made again from the texts as a file writes them
    assert history.findings == ()
    assert history.head.links > before.links + 30
    assert server.recorded(before.digits, before.links).fits
    file.dispose()


def test_a_copy_back_from_a_server_has_the_same_links(server, protocol, tmp_path):
    go_on(server, protocol)
    back = Store(server.backup(tmp_path / "back.sqlite"))
    assert back.head() == server.head()
    assert back.history().findings == ()
    assert server.parting(back.path).said.startswith("both have the same")
    back.dispose()


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE answer_event SET value_id = value_id + 1 WHERE event_id = 's2'", "was changed"),
        ("DELETE FROM answer_event WHERE event_id = 's2'", "was removed"),
        ("UPDATE shown_value SET value = 'x' WHERE name = 'text'", "values"),
        (
            "INSERT INTO reply (key, text, detail, at) VALUES ('x', 'y', '{}', 1)",
            "inserted by other means",
        ),
    ],
)
def test_what_the_owner_changes_by_hand_is_told(statement, said, server, protocol, cluster):
    go_on(server, protocol)
    assert server.history().findings == ()
    owner(cluster, server, statement)
    assert said in " ".join(one.said for one in server.history().findings)
