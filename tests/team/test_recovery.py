"""The server goes away midway: what was acknowledged is there, and all go on by themselves."""

import threading
import time

import pytest

from raterbook.protocols import parse
from raterbook.rounds import Event, ItemTable, RoundError, Store
from raterbook.rounds.store import postgres, team
from tests.rounds.conftest import SMALL, records
from tests.server import Cluster, required


@pytest.fixture
def durable():
    """A server of this test's own, which flushes what it acknowledges."""
    required()
    made = Cluster(flushes=True)
    yield made
    made.remove()


def opened(cluster, raters):
    """A round on a server in which everybody has a login of their own."""
    owner = Store(cluster.empty("study"))
    protocol = parse(SMALL, source="small.yaml")
    items = ItemTable.from_records(protocol, records(), source="items.csv")
    owner.open("r1", protocol, items, raters=raters)
    team.init(owner)
    for name in raters:
        team.add(owner, name, "rater")
    return owner


class Writer(threading.Thread):
    """One rater who answers again and again; it keeps the ids that were acknowledged."""

    def __init__(self, cluster, name, count):
        super().__init__(daemon=True, name=name)
        self.address, self.count = cluster.address("study", name), count
        self.acknowledged, self.failed = [], []

    def run(self):
        round = Store(self.address).round("r1")
        refs = [item.ref for item in round.queue(self.name)]
        for number in range(self.count):
            event = Event(
                f"{self.name}-{number}", refs[number % len(refs)], "overall", 1 + number % 5
            )
            try:
                (ack,) = round.save(self.name, [event])
            except Exception as error:
                self.failed.append(error)
                continue
            if ack.ok:
                self.acknowledged.append(event.event_id)


def interrupted(cluster, people, each, mode="immediate"):
    """What each was told, and what is stored, when the server ended midway and came back."""
    names = [f"rater{number:02d}" for number in range(people)]
    owner = opened(cluster, names)
    owner.dispose()
    writers = [Writer(cluster, name, each) for name in names]
    for writer in writers:
        writer.start()
    half = people * each // 2
    until(lambda: sum(len(writer.acknowledged) for writer in writers) >= half)
    cluster.stop(mode)
    time.sleep(0.5)
    cluster.start()
    for writer in writers:
        writer.join(240)
        assert not writer.is_alive()
    stored = cluster.sql("SELECT event_id FROM raterbook.answer_event", "study")
    return writers, [id for (id,) in stored if id.startswith("rater")]


def until(happened, patience=240):
    deadline = time.monotonic() + patience
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("mode", ["immediate", "fast"])
def test_a_restart_loses_nothing_and_everybody_goes_on(durable, mode):
    writers, stored = interrupted(durable, 4, 30, mode)
    assert [writer.failed for writer in writers] == [[]] * 4
    assert sorted(stored) == sorted(id for writer in writers for id in writer.acknowledged)
    assert len(stored) == len(set(stored)) == 4 * 30


@pytest.mark.long
def test_thirty_two_raters_and_a_restart(durable):
    writers, stored = interrupted(durable, 32, 100)
    assert [writer.failed for writer in writers] == [[]] * 32
    assert set(stored) >= {id for writer in writers for id in writer.acknowledged}
    assert len(stored) == len(set(stored)) == 32 * 100


def test_control_who_does_not_try_again_is_told_that_the_server_is_away(durable, monkeypatch):
    monkeypatch.setattr(postgres, "WAITS", ())
    round = opened(durable, ["ana"]).round("r1")
    ref = round.queue("ana")[0].ref
    durable.stop()
    with pytest.raises(RoundError, match=r"cannot be reached .* what was acknowledged is safe"):
        round.save("ana", [Event("e", ref, "overall", 2)])
    durable.start()
    assert round.save("ana", [Event("e", ref, "overall", 2)])[0].ok
