"""A team's logins: made, handed over, looked at and taken away; raters work, and see their own."""

import queue
import random
import stat
import threading

import pytest

from raterbook.cli import run
from raterbook.protocols import parse
from raterbook.rating.sitting import Sitting
from raterbook.rounds import Event, ItemTable, PartRow, RoundError, Store
from raterbook.rounds.store.team import status
from raterbook.workspace import Workspace
from tests.rounds.conftest import SMALL, records
from tests.team.study import LOGINS, with_team


@pytest.fixture
def study(cluster):
    name = with_team(cluster)
    yield name, lambda login: Store(cluster.address(name, login))
    cluster.sql(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def owner(cluster):
    """`raterbook` on an empty database whose logins need their passwords."""
    if not cluster.sql("SELECT 1 FROM pg_database WHERE datname = 'secure_one'"):
        cluster.empty("secure_one")
    address = cluster.address("secure_one")
    yield lambda *words: run(["--db", address, *words])
    cluster.sql("DROP DATABASE secure_one WITH (FORCE)")


def test_a_login_is_handed_over_in_a_file_and_works_with_its_password_alone(
    owner, tmp_path, capsys, cluster
):
    file = tmp_path / "cem.txt"
    assert owner("team", "init") == 0
    assert owner("team", "add", "cem", "--to", str(file)) == 0
    said = capsys.readouterr()
    address = file.read_text().strip()
    password = address.partition("cem:")[2].partition("@")[0]
    assert len(password) > 20
    assert password not in said.out + said.err
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert password not in cluster.said()
    assert Store(address).rounds() == []
    with pytest.raises(RoundError, match="password authentication failed") as refused:
        Store(address.replace(password, "guessed"))
    assert "guessed" not in str(refused.value)


def test_a_login_is_added_once_and_removed(owner, tmp_path, capsys, cluster):
    owner("team", "init")
    owner("team", "add", "Dora Maar", "--login", "dora", "--to", str(tmp_path / "dora.txt"))
    store = Store((tmp_path / "dora.txt").read_text().strip())
    assert store.rounds() == []
    assert owner("team", "remove", "dora") == 0
    with pytest.raises(RoundError):
        store.rounds()
    capsys.readouterr()
    owner("team", "status")
    assert "dora                 rater  removed  Dora Maar, 0 answers" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("team", "add", "Ana", "--to", "x.txt"), "is no name of a login"),
        (("team", "add", "ana"), "Say where the address with its password is to be written"),
        (("team", "add"), "Say who: raterbook team add NAME"),
        (("team", "add", "owner", "--to", "x.txt"), "owner may do everything on this server"),
        (("team", "remove", "nobody"), "'nobody' has no part in postgresql://owner@/secure_one"),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_no_file(
    owner, tmp_path, capsys, monkeypatch, words, said
):
    monkeypatch.chdir(tmp_path)
    owner("team", "init")
    assert owner(*words) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_has_no_logins(tmp_path, capsys):
    assert run(["--db", str(tmp_path / "r.sqlite"), "team", "status"]) == 2
    assert "is a file, which has no logins" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("ALTER POLICY own ON {t}answer_event USING (true)", "policy answer_event.own"),
        ("ALTER POLICY add_own ON {t}mark_event WITH CHECK (true)", "policy mark_event.add_own"),
        ("ALTER POLICY lead ON {t}rater TO raterbook_rater", "policy rater.lead"),
        (
            "DROP TRIGGER part_frozen ON {t}part; CREATE TRIGGER part_frozen BEFORE INSERT ON"
            " {t}part FOR EACH ROW WHEN (false) EXECUTE FUNCTION {t}refuse_frozen()",
            "trigger part.part_frozen",
        ),
        ("ALTER VIEW rating.identity SET (security_invoker = off)", "view identity"),
        ("CREATE VIEW {t}all_answers AS SELECT * FROM {t}answer_event", "view all_answers"),
    ],
)
def test_a_guard_that_says_something_else_under_its_name_is_seen_by_the_owner(
    study, capsys, cluster, change, said
):
    name, _ = study
    cluster.sql(change.format(t="raterbook."), name)
    assert run(["--db", cluster.address(name), "team", "status"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.endswith(" says something else")] == [
        f"  {said} says something else"
    ]


def test_guards_as_they_were_made_are_said_to_be_so_and_stay(study, capsys, cluster):
    name, _ = study
    for _ in range(2):
        assert run(["--db", cluster.address(name), "team", "status"]) == 0
        assert "views are as Raterbook makes them." in capsys.readouterr().out


def test_a_lead_is_told_that_guards_are_looked_at_by_the_owner(study, capsys, cluster):
    name, _ = study
    assert run(["--db", cluster.address(name, "lea"), "team", "status"]) == 0
    assert "The owner alone sees whether" in capsys.readouterr().out


def test_a_lead_makes_no_logins(study, capsys, cluster):
    name, _ = study
    assert run(["--db", cluster.address(name, "lea"), "team", "init"]) == 2
    assert "by who made the workspace's tables" in capsys.readouterr().err


def test_who_is_no_member_is_told_so(study, cluster):
    name, _ = study
    cluster.sql(f'GRANT CONNECT ON DATABASE "{name}" TO out')
    with pytest.raises(RoundError, match="this login has no part in the workspace"):
        Store(cluster.address(name, "out"))


def test_a_rater_who_left_is_told_so(study):
    _, store = study
    with pytest.raises(RoundError, match="no part in the workspace, or none any more"):
        store("old")


def test_a_rater_sees_their_own_rounds_and_items_under_opaque_names(study):
    _, store = study
    mine = store("ana")
    assert mine.rounds() == ["r1", "closed"]
    round = mine.round("r1")
    assert [each.name for each in round.raters()] == ["ana"]
    assert {item.key for item in round.queue("ana")} == {item.ref for item in round.queue("ana")}
    others = store("lea").round("r1")
    assert len(round.queue("ana")) == len(others.queue("ana")) < len(others.items())


def test_another_rater_is_unknown_to_a_rater_as_nobody_is(study):
    _, store = study
    round = store("ana").round("r1")
    said = []
    for name in ("ben", "eve"):
        with pytest.raises(RoundError) as refused:
            round.save(name, [Event("e", "x", "tone", 1)])
        said.append(str(refused.value).replace(name, "NAME"))
    assert said[0] == said[1]


def answered(round, ref, *steps):
    """The answers to an item, each a question, a value and a part."""
    for question, value, part in steps:
        event = Event(f"{ref}-{question}-{part}", ref, question, value, part=part)
        (ack,) = round.save("ana", [event])
        assert ack.ok, ack.reason


TONE = ("tone", 2, 0)
PARTS = (("correct", "right", 1), ("correct", "right", 2))


def test_a_later_step_opens_when_the_one_before_is_answered(study):
    _, store = study
    round = store("ana").round("r1")
    turn = round.queued("ana")[0]
    before = round.page(turn)
    answered(round, turn.ref, TONE)
    after = round.page(turn)
    assert (set(before.fields), [part.text for part in before.parts]) == ({"question"}, ["", ""])
    assert "text" in after.fields
    assert all(part.text for part in after.parts)


# The text is shown after a step in which a comment and a reason rest on what was answered.
RESTING = (
    SMALL.replace("name: small", "name: resting")
    .replace("    prompt: How is its tone?\n", "    prompt: How?\n    shows: [question]\n")
    .replace("    prompt: Which?\n", "    prompt: Which?\n    shows: [question]\n")
    .replace("    prompt: Why not?\n", "    prompt: Why not?\n    shows: [question]\n")
    .replace("    prompt: How sure?\n", "    prompt: How sure?\n    shows: [question]\n")
    .replace("    covers: [tone, label]\n    required: false\n",
             "    covers: [tone, label]\n    required: {or: [{label: answered}, {overall: [5]}]}\n")
    .replace("    prompt: Overall?\n", "    prompt: Overall?\n    shows: [question]\n")
    + "stages: [[tone, label, why_not, overall, sure], [correct, reference]]\n"
)  # fmt: skip
SAYINGS = [
    *(("tone", value) for value in (1, 2, 3)),
    *(("label", value) for value in ("yes", "no")),
    *(("overall", value) for value in (2, 4.5, 5)),
    ("tone_comment", "Curt."),
    ("why_not", "It is not there."),
    ("sure", "50%"),
    *((name, None) for name in ("tone", "label", "overall", "tone_comment", "why_not", "sure")),
]


def test_a_step_that_rests_on_answers_opens_on_the_server_as_it_does_in_the_form(study, tmp_path):
    _, store = study
    protocol = parse(RESTING, source="resting.yaml")
    items = ItemTable.from_records(protocol, records(cases=15), source="items.csv")
    for where in (store("lea"), Store(tmp_path / "x.sqlite")):
        where.open("resting", protocol, items, raters=["ana"], seed=1)
    there, here = store("ana").round("resting"), Store(tmp_path / "x.sqlite").round("resting")
    form = Sitting(Workspace(tmp_path, db=tmp_path / "x.sqlite").round("resting"), "ana")
    form.open()
    rng, opened = random.Random(4), []
    for position, (turn, same) in enumerate(zip(there.queued("ana"), here.queued("ana")), 1):
        for step in range(7):
            question, value = rng.choice(SAYINGS)
            said = {"value": value} if value is not None else {"status": "retracted"}
            for round, ref in ((there, turn.ref), (here, same.ref)):
                round.save("ana", [Event(f"{position}-{step}", ref, question, **said)])
            withheld = form.item({"position": position})["item"]["withheld"]
            assert ("text" in there.page(turn).fields) == (not withheld), (position, step)
            opened.append(not withheld)
    assert 30 < sum(opened) < len(opened) - 30


def test_what_is_shown_afterwards_opens_with_the_submission_of_its_item_alone(study):
    _, store = study
    round = store("ana").round("r1")
    first, second = (item.ref for item in round.queue("ana")[:2])
    answered(round, first, TONE, *PARTS)
    assert round.hidden(first) == {}
    assert round.mark("ana", first, "submit", "m").ok
    assert set(round.after("ana", first)) == {"gold"}
    assert round.hidden(second) == {}


def test_the_form_of_a_rater_works_on_the_rater_s_own_login(study, cluster):
    name, store = study
    place = Workspace("nowhere", db=cluster.address(name, "ana"))
    sitting = Sitting(place.round("r1"), "ana")
    assert sitting.open()["about"] == {"round": "r1", "rater": "ana"}
    ref = sitting.item({"position": 1})["item"]["ref"]
    assert sitting.item({"position": 1})["item"]["withheld"]
    for number, (question, value, part) in enumerate((TONE, *PARTS)):
        answer = {"question": question, "value": value, "part": part, "lamport": number + 1}
        said = sitting.save([{"event_id": f"f{number}", "subject": ref} | answer])
        assert said["acks"] == [{"event_id": f"f{number}", "ok": True, "reason": None}]
    submission = {"event_id": "s", "mark": "submit", "subject": ref, "lamport": 9}
    assert sitting.save([submission])["acks"][0]["ok"]
    (led,) = (each for each in store("lea").round("r1").standings()[0] if each.rater == "ana")
    assert led.complete == 1


def test_a_lead_closes_and_a_rater_s_answer_is_refused_with_the_reason(study):
    _, store = study
    mine, theirs = store("ana").round("r1"), store("lea").round("r1")
    ref = mine.queue("ana")[0].ref
    theirs.close("enough")
    (ack,) = mine.save("ana", [Event("late", ref, "tone", 1)])
    assert "was closed on" in ack.reason


def test_a_lead_s_numbers_are_those_of_the_owner(study):
    _, store = study
    led, owned = (store(login).round("r1") for login in ("lea", "owner"))
    assert led.data_hash() == owned.data_hash()
    assert len(led.frame()) > 0


def test_whose_answers_another_login_stored_is_counted(study):
    _, store = study
    before = {each.login: each for each in status(store("owner"))}["ana"]
    round = store("ana").round("r1")
    answered(round, round.queue("ana")[0].ref, TONE)
    after = {each.login: each for each in status(store("owner"))}["ana"]
    assert before.by_others == before.answers
    assert (after.answers, after.by_others) == (before.answers + 1, before.by_others)


def test_every_login_of_the_study_is_listed(study, cluster):
    _, store = study
    assert {each.login: each.role for each in status(store("owner"))} == LOGINS


def test_who_follows_a_round_hears_of_it_and_of_no_other(study):
    _, store = study
    led, heard = store("lea"), queue.Queue()
    end = led.follow(led.round("r1"), lambda: heard.put("r1"))
    heard.get(timeout=10)  # it listens
    other = store("owner").round("bens")
    other.save("ben", [Event("else", other.queue("ben")[0].ref, "overall", 2)])
    round = store("ana").round("r1")
    answered(round, round.queue("ana")[0].ref, TONE)
    assert heard.get(timeout=10) == "r1"
    assert heard.empty()
    end()


def test_a_lead_s_panel_looks_again_by_itself(study, cluster, monkeypatch):
    monkeypatch.setattr("raterbook.panels.controls.PAUSE", 0.0)
    name, store = study
    panel = Workspace("nowhere", db=cluster.address(name, "lea")).round("r1").panel()
    before, changed = panel.progress.value, threading.Event()
    panel.progress.observe(lambda change: changed.set(), "value")
    round = store("ana").round("r1")
    answered(round, round.queue("ana")[0].ref, TONE)
    assert changed.wait(10)
    assert panel.progress.value != before


def test_a_lead_does_by_their_own_login_all_that_a_lead_does(study, tmp_path):
    _, store = study
    led = store("lea")
    protocol = parse(SMALL, source="small.yaml")
    items = ItemTable.from_records(protocol, records(cases=2), source="items.csv")
    round = led.open("new", protocol, items, raters=["ana", "ben"], seed=3)
    assert round.add_items(ItemTable.from_records(protocol, records(cases=3))) == ["q2/a", "q2/b"]
    round.set_parts("q0/a", [PartRow("q0/a", None, "One.")], "split anew")
    assert round.add_rater("dia").name == "dia"
    round.assign(per_item=2, why="fewer")
    assert round.reassign("ana", "dia").moved is not None
    first = round.queue("ben")[0]
    (ack,) = round.save("ben", [Event("on-paper", first.ref, "overall", 2)])
    assert ack.ok
    round.exclude("ben", "left")
    round.include("ben")
    round.reveal("ben", "all shown")
    led.replies.put("k", "a reply")
    led.erase("dia", "asked for it")
    round.close("done")
    assert [entry["action"] for entry in round.log()] == LED
    led.backup(tmp_path / "copy.sqlite")
    assert Store(tmp_path / "copy.sqlite").round("new").data_hash() == round.data_hash()


LED = [
    "open",
    "add_items",
    "set_parts",
    "add_rater",
    "assign",
    "reassign",
    "exclude",
    "include",
    "reveal",
    "erase",
    "close",
]


def test_items_given_out_because_somebody_came_are_seen_without_a_new_start(study):
    _, store = study
    led = store("lea")
    protocol = parse(SMALL, source="small.yaml")
    items = ItemTable.from_records(protocol, records(cases=2), source="items.csv")
    round = led.open("pair", protocol, items, raters=["ana"], per_item=2)
    mine = store("ana").round("pair")
    assert mine.queue("ana") == []
    round.add_rater("ben")
    assert len(mine.queue("ana")) == 4
    assert [entry["rater"] for entry in mine.log()] == [None, None]


@pytest.mark.parametrize(
    "words",
    [
        ("report", "r1"),
        ("export", "r1", "out.csv"),
        ("archive", "r1", "out"),
        ("check", "r1"),
        ("import", "r1", "answers.csv"),
        ("close", "r1"),
        ("open", "r2", "--protocol", "halo-support", "--items", "items.csv"),
    ],
)
def test_what_needs_all_of_a_round_sends_a_rater_to_a_lead(
    study, cluster, words, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert run(["--db", cluster.address(study[0], "ana"), *words]) == 2
    assert "let a lead do it" in capsys.readouterr().err


def test_a_rater_s_own_sheet_and_status_are_a_rater_s_to_make(study, cluster, tmp_path, capsys):
    ours = ["--db", cluster.address(study[0], "ana")]
    assert run([*ours, "status", "r1"]) == 0
    assert "ben" not in capsys.readouterr().out
    assert run([*ours, "codebook", "r1", str(tmp_path / "codebook.md")]) == 0


def test_a_round_that_a_rater_closes_in_python_stays_open_and_a_lead_is_named(study):
    with pytest.raises(RoundError, match="let a lead do all else"):
        study[1]("ana").round("r1").close()
    assert study[1]("lea").round("r1").state == "open"


def test_a_rater_without_a_round_is_told_who_gives_one(owner, tmp_path, capsys):
    owner("team", "init")
    owner("team", "add", "eve", "--to", str(tmp_path / "eve.txt"))
    capsys.readouterr()
    assert run(["--db", (tmp_path / "eve.txt").read_text().strip(), "status"]) == 0
    assert "this rater has no part in a round yet: a lead gives one" in capsys.readouterr().out


def test_who_has_a_login_alone_is_not_taken_for_somebody_of_another_round(owner, tmp_path, capsys):
    owner("team", "init")
    owner("team", "add", "fay", "--to", str(tmp_path / "fay.txt"))
    items = tmp_path / "items.csv"
    items.write_text("id,question,context,generated_answer\nh1,Why?,So.,So.\n")
    how = ("--protocol", "halo-support", "--items", str(items), "--raters", "fay")
    assert owner("open", "one", *how) == 0
    assert "known from other rounds" not in capsys.readouterr().out
    assert owner("open", "two", *how) == 0
    assert "fay is known from other rounds" in capsys.readouterr().out
