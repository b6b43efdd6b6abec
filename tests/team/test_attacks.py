"""Every attack is refused or finds nothing; without its guard it goes through."""

import psycopg
import pytest

from tests.team.attacks import ATTACKS, added, marked
from tests.team.study import numbers, with_team

REFUSALS = {"42501", "42P01", "42809", "0A000", "P0001", "2BP01", "428C9"}
pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def study(cluster):
    name = with_team(cluster)
    return cluster, name, numbers(cluster, name)


def tried(connection, attack, known):
    """What came of it: what it found or did; None is nothing."""
    for statement in split(attack.sql.format(**known)):
        if statement.startswith("COPY") and "STDIN" not in statement and "'" not in statement:
            with connection.cursor().copy(statement) as copy:
                return b"".join(map(bytes, copy)) or None
        done = connection.execute(statement)
    if done.description is not None:
        return done.fetchall() or None
    command = done.statusmessage or ""
    return None if command.endswith(" 0") and "INSERT" not in command else command


def split(sql):
    return [sql] if "$$" in sql else [one.strip() for one in sql.split("; ")]


def what_came(connection, attack, known):
    """A refusal is nothing; any other error tells something."""
    try:
        return tried(connection, attack, known)
    except psycopg.Error as error:
        return None if error.sqlstate in REFUSALS else f"{error.sqlstate}: {error}"


def named(attack):
    return f"{attack.who}: {attack.name}"


@pytest.mark.parametrize("attack", ATTACKS, ids=named)
def test_it_is_refused_or_finds_nothing(study, attack):
    cluster, database, known = study
    if attack.who == "out":  # who may not even connect is let in first
        cluster.sql(f'GRANT CONNECT ON DATABASE "{database}" TO out')
    with cluster.connect(database, attack.who) as connection:
        connection.execute("SET lock_timeout = '5s'")
        assert what_came(connection, attack, known) is None


@pytest.mark.parametrize("attack", [each for each in ATTACKS if each.guard], ids=named)
def test_control_without_its_guard_it_goes_through(study, attack):
    cluster, database, known = study
    with cluster.connect(database) as connection:
        connection.execute("BEGIN")  # the guard is away inside this transaction alone
        connection.execute(attack.guard.format(**known))
        connection.execute(f"SET SESSION AUTHORIZATION {attack.who}")
        assert what_came(connection, attack, known) is not None
        connection.execute("ROLLBACK")


def test_nobody_from_outside_connects(study):
    cluster, database, _ = study
    cluster.sql(f'REVOKE CONNECT ON DATABASE "{database}" FROM out')
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        cluster.connect(database, "out")


PAIRS = {
    "about another's item, or about none": (
        added(subject="{fresh_ben}"),
        added(subject="999999"),
    ),
    "as another rater, or as nobody": (added(rater="{ben}"), added(rater="999999")),
    "with an id another has used, or nobody": (
        added(rater="{ben}", event_id="'{event_ben}'"),
        added(rater="{ben}", event_id="'never'"),
    ),
    "in another's round, or in none": (added(round="{bens}"), added(round="999999")),
    "a mark on another's item, or on none": (
        marked("flag", subject="{fresh_ben}"),
        marked("flag", subject="999999"),
    ),
    "prepared, about another's item, or about none": (
        "PREPARE p AS " + added(subject="{fresh_ben}") + "; EXECUTE p",
        "PREPARE p AS " + added(subject="999999") + "; EXECUTE p",
    ),
    "removing what is there, or what is not": (
        "DELETE FROM raterbook.answer_event WHERE rater_id = {ben}",
        "DELETE FROM raterbook.answer_event WHERE rater_id = 999999",
    ),
}


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_a_refusal_reads_the_same_whether_the_row_exists_or_not(study, pair):
    cluster, database, known = study
    said = []
    for statement in PAIRS[pair]:
        with cluster.connect(database, "ana") as connection, pytest.raises(psycopg.Error) as why:
            connection.execute(statement.format(**known))
        said.append((why.value.sqlstate, str(why.value)))
    assert said[0] == said[1]


ASKED = {
    "a part": ("part_text({part_ben})", "part_text(999999)"),
    "a round": ("scope_of({bens})", "scope_of(999999)"),
    "an item": ("may_answer({r1}, {told_ben}, {overall})", "may_answer({r1}, 999999, {overall})"),
    "an answer": (
        "is_answer({correct}, {told_ben}, 1, 'answered', 1, NULL, NULL)",
        "is_answer({correct}, 999999, 1, 'answered', 1, NULL, NULL)",
    ),
    "a submission": ("may_submit({r1}, {told_ben}, 'flag')", "may_submit({r1}, 999999, 'flag')"),
    "a field": ("is_shown({told_ben}, 0, 'question')", "is_shown(999999, 0, 'question')"),
    "what is held back": ("is_let_out({told_ben}, 'gold')", "is_let_out(999999, 'gold')"),
}


@pytest.mark.parametrize("what", ASKED, ids=str)
def test_a_function_answers_the_same_whether_the_row_exists_or_not(study, what):
    cluster, database, known = study
    found = []
    with cluster.connect(database, "ana") as connection:
        for call in ASKED[what]:
            found += connection.execute(f"SELECT raterbook.{call}".format(**known)).fetchall()
    assert found[0] == found[1]
    with cluster.connect(database, "ben") as connection:  # the control: to whom it belongs
        call = ASKED[what][0].format(**known)
        if what != "what is held back":  # nobody has submitted
            assert connection.execute(f"SELECT raterbook.{call}").fetchall()[0] != found[0]


def test_a_forged_time_becomes_the_servers(study):
    cluster, database, known = study
    with cluster.connect(database, "ana") as connection:
        connection.execute("SET raterbook.times = 'kept'")
        connection.execute(added(event_id="'early'").format(**known))
    ((age,),) = cluster.sql(
        "SELECT abs(extract(epoch FROM now()) - server_time / 1e6) FROM raterbook.answer_event"
        " WHERE event_id = 'early'",
        database,
    )
    assert age < 60


def test_a_notification_tells_the_round_and_nothing_else(study):
    cluster, database, known = study
    with cluster.connect(database, "ana") as listener, cluster.connect(database, "ben") as writer:
        listener.execute("LISTEN raterbook")
        answer = added(rater="{ben}", subject="{fresh_ben}", event_id="'loud'")
        writer.execute(answer.format(**known))
        (heard,) = listener.notifies(timeout=5, stop_after=1)
    assert heard.payload == str(known["r1"])
