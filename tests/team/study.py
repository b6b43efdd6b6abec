"""A small study on a server: two raters, a lead, somebody from outside, and one who left."""

from raterbook.protocols import parse
from raterbook.rounds import Event, ItemTable, Store
from raterbook.rounds.store import policies, team
from tests.rounds.conftest import SMALL, records

# The text of an item is shown in the second step alone, after its tone was judged by the question.
STAGED = (
    SMALL.replace("name: small", "name: staged")
    .replace(
        "    prompt: How is its tone?\n", "    prompt: How is its tone?\n    shows: [question]\n"
    )
    .replace(
        "    comment: {prompt:",
        "    required: true\n    comment: {prompt:",
    )
    + "stages: [[tone], [label, why_not, overall, sure, correct, reference]]\n"
)
LOGINS = {"ana": "rater", "ben": "rater", "old": "rater", "lea": "lead"}


def build(address):
    """round r1: ana and ben, one rater an item; closed: everybody; bens: ben alone."""
    store = Store(address)
    protocol = parse(STAGED, source="staged.yaml")
    plain = parse(SMALL, source="small.yaml")
    items = ItemTable.from_records(protocol, records(cases=4), source="items.csv")
    first = store.open("r1", protocol, items, raters=["ana", "ben", "old"], per_item=1, seed=5)
    closed = store.open("closed", plain, items, raters=["ana", "ben"], seed=1)
    foreign = store.open("bens", plain, items, raters=["ben"], seed=2)
    for number, (round, who) in enumerate(
        [(first, "ana"), (first, "ben"), (closed, "ben"), (foreign, "ben")]
    ):
        for item in round.queue(who)[1:]:  # the first of each stays untouched
            round.save(who, [Event(f"{who}-{number}-{item.ref}", item.ref, "tone", 2)])
            round.mark(who, item.ref, "flag", f"{who}-{number}-{item.ref}", "odd, says " + who)
    store.replies.put("k", "a reply that raters must not read")
    closed.close("done, say the leads")
    store.erase("old")  # its login is made anew below
    store.dispose()


def with_team(cluster):
    """The name of a database of its own with the study and its logins; who may connect to it is
    no part of a copy, and is said anew."""
    name = cluster.like("study", lambda address: (build(address), admit(Store(address))))
    statements = [next(policies.rights(name))]
    statements += [f'GRANT CONNECT ON DATABASE "{name}" TO {login}' for login in LOGINS]
    cluster.sql("; ".join(statements), name)
    return name


def admit(store):
    """A login each; old's is removed again."""
    team.init(store)
    for name, role in LOGINS.items():
        team.add(store, name if name != "old" else "older", role, login=name)
    team.remove(store, "old")
    with store.write() as connection:
        connection.exec_driver_sql(
            "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'out') THEN"
            " CREATE ROLE out LOGIN; END IF; END $$"
        )
    store.dispose()


def numbers(cluster, name):
    """What an attacker would have to guess: all of it given."""
    with cluster.connect(name) as connection:

        def one(query):
            return connection.execute(query).fetchone()[0]

        return _numbers(one) | {"database": name}


def _numbers(one):
    r = "raterbook"
    found = {
        who: one(f"SELECT rater_id FROM {r}.identity WHERE name = '{who}'")
        for who in ("ana", "ben")
    }
    for round in ("r1", "closed", "bens"):
        found[round] = one(f"SELECT id FROM {r}.round WHERE name = '{round}'")
    for who in ("ana", "ben"):
        mine = (
            f"FROM {r}.plan_event p WHERE p.round_id = {found['r1']} AND p.rater_id = {found[who]}"
        )
        found[f"fresh_{who}"] = one(f"SELECT subject_id {mine} ORDER BY position LIMIT 1")
        found[f"told_{who}"] = one(f"SELECT subject_id {mine} ORDER BY position DESC LIMIT 1")
    for round in ("closed", "bens"):
        found[f"item_{round}"] = one(
            f"SELECT min(id) FROM {r}.subject WHERE kind = 'item' AND round_id = {found[round]}"
        )
    hash = f"(SELECT protocol_hash FROM {r}.round WHERE id = {found['r1']})"
    found["tone"] = one(
        f"SELECT id FROM {r}.question WHERE name = 'tone' AND protocol_hash = {hash}"
    )
    found["value"] = one(f"SELECT max(id) FROM {r}.allowed WHERE question_id = {found['tone']}")
    found["correct"] = one(
        f"SELECT id FROM {r}.question WHERE name = 'correct' AND protocol_hash = {hash}"
    )
    found["right"] = one(f"SELECT min(id) FROM {r}.allowed WHERE question_id = {found['correct']}")
    found["overall"] = one(
        f"SELECT id FROM {r}.question WHERE name = 'overall' AND protocol_hash = {hash}"
    )
    found["other_overall"] = one(
        f"SELECT id FROM {r}.question WHERE name = 'overall' AND protocol_hash <> {hash}"
    )
    found["part_ben"] = one(f"SELECT min(id) FROM {r}.part WHERE subject_id = {found['fresh_ben']}")
    found["part_ana"] = one(f"SELECT min(id) FROM {r}.part WHERE subject_id = {found['fresh_ana']}")
    found["event_ben"] = one(
        f"SELECT min(event_id) FROM {r}.answer_event WHERE rater_id = {found['ben']}"
    )
    return found
