"""What a rater, a lead and an outsider may try by SQL, whatever the form would let them.

Each attack is refused, or finds nothing. Beside it stands the guard that holds it off: with that
taken away the same attack goes through, so that it would not be harmless for a reason of its own.
"""

from dataclasses import dataclass

R = "raterbook"


@dataclass(frozen=True)
class Attack:
    """`sql` may name numbers of the study in braces; `guard` takes away what holds it off."""

    who: str
    name: str
    sql: str
    guard: str = ""


def unlocked(*tables):
    """Without row-level security."""
    return "; ".join(f"ALTER TABLE {R}.{each} DISABLE ROW LEVEL SECURITY" for each in tables)


def granted(what, to="ana"):
    return f"GRANT {what} TO {to}"


def added(rater="{ana}", round="{r1}", subject="{fresh_ana}", question="{overall}", **more):
    """One answer of the scale without steps; further columns by name."""
    columns = {
        "event_id": "'forged'",
        "round_id": round,
        "rater_id": rater,
        "subject_id": subject,
        "part": "0",
        "question_id": question,
        "replicate": "1",
        "status": "'answered'",
        "number": "2.5",
        "lamport": "9",
        "server_time": "0",
        **more,
    }
    values = ", ".join(columns.values())
    return f"INSERT INTO {R}.answer_event ({', '.join(columns)}) VALUES ({values})"


def marked(kind, rater="{ana}", round="{r1}", subject="{fresh_ana}"):
    return (
        f"INSERT INTO {R}.mark_event (event_id, round_id, rater_id, subject_id, kind, lamport,"
        f" server_time) VALUES ('forged', {round}, {rater}, {subject}, '{kind}', 9, 0)"
    )


CHOSEN = {"number": "NULL", "value_id": "{right}"}
BENS = f"SELECT * FROM {R}.answer_event WHERE rater_id = {{ben}}"
ALL = granted(f"ALL ON ALL TABLES IN SCHEMA {R}")
SPOKEN = unlocked("answer_event")
NEVER = f"DROP TRIGGER answer_event_no_change ON {R}.answer_event; GRANT ALL ON {R}.answer_event"

READING = [
    ("another rater's answers", BENS, SPOKEN),
    ("another rater's answers by the view", BENS.replace(R, "rating"), SPOKEN),
    ("that there are any", BENS.replace("*", "1") + " LIMIT 1", SPOKEN),
    (
        "how many there are",
        f"SELECT count(*) FROM {R}.answer_event WHERE rater_id = {{ben}} HAVING count(*) > 0",
        SPOKEN,
    ),
    ("the view of current answers", f"SELECT * FROM {R}.current_answer", ALL),
    ("another rater's marks", BENS.replace("answer_", "mark_"), unlocked("mark_event")),
    (
        "every hidden value",
        f"SELECT * FROM {R}.hidden_value",
        unlocked("hidden_value"),
    ),
    (
        "the expected answer before submitting",
        "SELECT value FROM rating.hidden_value WHERE name = 'gold' AND subject_id = {fresh_ana}",
        unlocked("hidden_value"),
    ),
    (
        "the model's name",
        f"SELECT value FROM {R}.hidden_value WHERE name = 'model'",
        unlocked("hidden_value"),
    ),
    (
        "an item somebody else was given",
        f"SELECT * FROM {R}.shown_value WHERE subject_id = {{fresh_ben}}",
        unlocked("shown_value"),
    ),
    (
        "what a later step shows",
        "SELECT value FROM rating.shown_value WHERE subject_id = {fresh_ana} AND name = 'text'",
        unlocked("shown_value"),
    ),
    (
        "the parts of a later step",
        "SELECT text FROM rating.part WHERE id = {part_ana} AND text <> ''",
        f"UPDATE {R}.rule SET whole = '{{{{}}}}', pieces = '{{{{}}}}'",
    ),
    (
        "the parts of another's item",
        f"SELECT number FROM {R}.part WHERE id = {{part_ben}}",
        unlocked("part"),
    ),
    ("the texts of parts", f"SELECT text FROM {R}.part", granted(f"SELECT ON {R}.part")),
    ("another's part by its function", f"SELECT 1 WHERE {R}.part_text({{part_ben}}) <> ''", ""),
    (
        "keys, which name the model",
        f"SELECT key FROM {R}.subject",
        granted(f"SELECT ON {R}.subject"),
    ),
    (
        "roles, which name the gold",
        f"SELECT role FROM {R}.subject",
        granted(f"SELECT ON {R}.subject"),
    ),
    ("a whole row", f"SELECT s FROM {R}.subject s", granted(f"SELECT ON {R}.subject")),
    ("the round's secret", f"SELECT secret FROM {R}.round", granted(f"SELECT ON {R}.round")),
    ("the round's seed", f"SELECT seed FROM {R}.round", granted(f"SELECT ON {R}.round")),
    ("the round's sample", f"SELECT options FROM {R}.round", granted(f"SELECT ON {R}.round")),
    ("a round of others", f"SELECT 1 FROM {R}.round WHERE id = {{bens}}", unlocked("round")),
    (
        "the workspace's secret",
        f"SELECT secret FROM {R}.workspace",
        granted(f"SELECT ON {R}.workspace"),
    ),
    (
        "the items file",
        f"SELECT detail FROM {R}.round_event",
        granted(f"SELECT ON {R}.round_event"),
    ),
    (
        "who came when",
        f"SELECT rater_id FROM {R}.round_event",
        granted(f"SELECT ON {R}.round_event"),
    ),
    (
        "why it was closed",
        f"SELECT reason FROM {R}.round_event",
        granted(f"SELECT ON {R}.round_event"),
    ),
    (
        "who else rates",
        f"SELECT name FROM {R}.identity WHERE rater_id = {{ben}}",
        unlocked("identity"),
    ),
    (
        "another's pseudonym",
        f"SELECT pseudonym FROM {R}.rater WHERE id = {{ben}}",
        unlocked("rater"),
    ),
    (
        "who was erased",
        f"SELECT 1 FROM {R}.erasure WHERE rater_id <> {{ana}}",
        unlocked("erasure"),
    ),
    (
        "who has what",
        f"SELECT 1 FROM {R}.plan_event WHERE rater_id = {{ben}}",
        unlocked("plan_event"),
    ),
    (
        "who is in a round",
        f"SELECT 1 FROM {R}.round_rater WHERE rater_id = {{ben}}",
        unlocked("round_rater"),
    ),
    ("what models replied", f"SELECT * FROM {R}.reply", ALL + "; " + unlocked("reply")),
    ("the logins", f"SELECT * FROM {R}.login", ALL + "; " + unlocked("login")),
    ("the rules of steps", f"SELECT * FROM {R}.rule", ALL + "; " + unlocked("rule")),
    ("answers by COPY", f"COPY ({BENS}) TO STDOUT", SPOKEN),
    ("hidden values by COPY", f"COPY {R}.hidden_value TO STDOUT", unlocked("hidden_value")),
    ("a prepared statement", f"PREPARE p AS {BENS}; EXECUTE p", SPOKEN),
    ("a cursor", f"BEGIN; DECLARE c CURSOR FOR {BENS}; FETCH ALL FROM c", SPOKEN),
    (
        "an error that tells by dividing",
        BENS + " AND 1 / (rater_id - {ben}) = 0",
        SPOKEN,
    ),
    (
        "an error that tells by casting",
        f"SELECT 1 FROM {R}.hidden_value WHERE CAST(value AS integer) > 0",
        unlocked("hidden_value"),
    ),
    (
        "a function of one's own that tells what passes",
        "CREATE FUNCTION pg_temp.tell(bigint) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS"
        " $$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$",
        "GRANT TEMP ON DATABASE {database} TO ana",
    ),
    (
        "XML of a query",
        f"SELECT 1 WHERE query_to_xml('{BENS}', true, false, '')::text LIKE '%<row>%'",
        "",  # a server may be built without XML
    ),
    (
        "JSON of rows",
        f"SELECT json_agg(a) FROM {R}.answer_event a WHERE rater_id = {{ben}} HAVING count(*) > 0",
        SPOKEN,
    ),
    (
        "a block of code",
        f"DO $$ BEGIN IF NOT EXISTS ({BENS}) THEN RAISE insufficient_privilege; END IF; END $$",
        SPOKEN,
    ),
    ("row security off", f"SET row_security = off; SELECT * FROM {R}.answer_event", SPOKEN),
    (
        "statistics of columns",
        f"SELECT 1 FROM pg_stats WHERE schemaname = '{R}' AND tablename = 'hidden_value'",
        f"{unlocked('hidden_value')}; ANALYZE {R}.hidden_value",
    ),
    (
        "sequences",
        f"SELECT last_value FROM {R}.answer_event_seq_seq",
        granted(f"ALL ON ALL SEQUENCES IN SCHEMA {R}"),
    ),
    (
        "passwords in the catalogue",
        "SELECT rolpassword FROM pg_authid",
        "GRANT SELECT ON pg_authid TO ana",
    ),
    (
        "what others ask the server",
        "SELECT 1 FROM pg_stat_activity WHERE usename <> session_user"
        " AND query <> '<insufficient privilege>'",
        "",
    ),
    (
        "a file of the server",
        "SELECT pg_read_file('PG_VERSION')",
        "GRANT pg_read_server_files TO ana; GRANT EXECUTE ON FUNCTION pg_read_file(text) TO ana",
    ),
    (
        "the server's folder",
        "SELECT pg_ls_dir('.')",
        "GRANT EXECUTE ON FUNCTION pg_ls_dir(text) TO ana",
    ),
    (
        "a copy to a program",
        "COPY (SELECT 1) TO PROGRAM 'cat'",
        "GRANT pg_execute_server_program TO ana",
    ),
    ("a copy to a file", "COPY (SELECT 1) TO '/dev/null'", "GRANT pg_write_server_files TO ana"),
    (
        "whether an item is answered",
        f"SELECT {R}.is_answered({{told_ben}})",
        granted(f"EXECUTE ON FUNCTION {R}.is_answered"),
    ),
]

WRITING = [
    ("an answer as another", added(rater="{ben}", subject="{fresh_ben}"), SPOKEN),
    (
        "an answer as another by the view",
        added(rater="{ben}", subject="{fresh_ben}").replace(R, "rating"),
        SPOKEN,
    ),
    ("an answer as nobody", added(rater="999999"), ""),
    ("an answer about another's item", added(subject="{fresh_ben}"), SPOKEN),
    ("an answer about no item", added(subject="999999"), ""),
    (
        "an answer in a closed round",
        added(round="{closed}", subject="{item_closed}", question="{other_overall}"),
        SPOKEN,
    ),
    (
        "an answer in another's round",
        added(round="{bens}", subject="{item_bens}", question="{other_overall}"),
        SPOKEN,
    ),
    ("an answer to another protocol's question", added(question="{other_overall}"), SPOKEN),
    ("an answer about an item of another round", added(subject="{item_closed}"), SPOKEN),
    ("a number of one's own choice", added(seq="7777777"), granted(f"INSERT ON {R}.answer_event")),
    ("a login as its writer", added(written_by="'ben'"), granted(f"INSERT ON {R}.answer_event")),
    # what is no answer: one of these kept a lead from a page, a copy or the history of all
    ("a number off the scale", added(number="77"), SPOKEN),
    ("an infinite number", added(number="'Infinity'"), SPOKEN),
    ("a number that is none", added(number="'NaN'"), SPOKEN),
    ("a text for a number", added(number="NULL", text="'5'"), SPOKEN),
    ("a number for a choice", added(question="{tone}"), SPOKEN),
    ("a text for a choice", added(question="{tone}", number="NULL", text="'2'"), SPOKEN),
    ("an answer about a part of a whole", added(part="7"), SPOKEN),
    ("a part that is not there", added(question="{correct}", **CHOSEN, part="999"), SPOKEN),
    ("a second replicate", added(replicate="2"), SPOKEN),
    ("seconds that are no number", added(seconds="'NaN'"), SPOKEN),
    ("a time without end", added(client_time="9223372036854775807"), SPOKEN),
    ("a count at the end of counting", added(lamport="9223372036854775807"), SPOKEN),
    ("an id that draws", added(event_id="E'\\x1b[2J'"), SPOKEN),
    ("a mark nobody knows", marked("x"), unlocked("mark_event")),
    (
        "a mark at the end of counting",
        marked("flag").replace("9, 0)", "9223372036854775807, 0)"),
        unlocked("mark_event"),
    ),
    (
        "an event's id known to others",
        added(rater="{ben}", event_id="'{event_ben}'") + " ON CONFLICT DO NOTHING",
        SPOKEN,
    ),
    (
        "an answer in place of another",
        added() + " ON CONFLICT (seq) DO UPDATE SET number = 1",
        f"{NEVER} TO ana",
    ),
    (
        "what was just stored for another",
        added(rater="{ben}", subject="{fresh_ben}") + " RETURNING seq",
        SPOKEN,
    ),
    ("answers by COPY", f"COPY {R}.answer_event (event_id) FROM STDIN", ""),
    (
        "a mark as another",
        marked("flag", rater="{ben}", subject="{fresh_ben}"),
        unlocked("mark_event"),
    ),
    (
        "a mark in a closed round",
        marked("flag", round="{closed}", subject="{item_closed}"),
        unlocked("mark_event"),
    ),
    ("a submission of nothing", marked("submit"), unlocked("mark_event")),
    (
        "changing an answer",
        f"UPDATE {R}.answer_event SET number = 1",
        granted(f"UPDATE ON {R}.answer_event")
        + f"; DROP TRIGGER answer_event_no_change ON {R}.answer_event; CREATE POLICY gone ON"
        f" {R}.answer_event USING (true)",
    ),
    ("changing by the view", "UPDATE rating.answer_event SET number = 1", ""),
    (
        "removing an answer",
        f"DELETE FROM {R}.answer_event",
        granted(f"DELETE ON {R}.answer_event")
        + f"; DROP TRIGGER answer_event_no_change ON {R}.answer_event; {SPOKEN}",
    ),
    (
        "removing one that is not there",
        f"DELETE FROM {R}.answer_event WHERE seq = 999999",
        "",
    ),
    (
        "emptying the table",
        f"TRUNCATE {R}.answer_event",
        granted(f"TRUNCATE ON {R}.answer_event")
        + f"; DROP TRIGGER answer_event_no_change ON {R}.answer_event",
    ),
    (
        "merging",
        f"MERGE INTO {R}.answer_event a USING (SELECT 1) b ON true WHEN MATCHED THEN DELETE",
        granted(f"DELETE ON {R}.answer_event")
        + f"; DROP TRIGGER answer_event_no_change ON {R}.answer_event; {SPOKEN}",
    ),
    (
        "holding rows",
        f"SELECT * FROM {R}.answer_event FOR UPDATE",
        granted(f"UPDATE ON {R}.answer_event") + "; " + SPOKEN,
    ),
    (
        "holding the table",
        f"BEGIN; LOCK TABLE {R}.answer_event IN ACCESS EXCLUSIVE MODE",
        granted(f"TRUNCATE ON {R}.answer_event"),
    ),
    (
        "opening the round again",
        f"INSERT INTO {R}.round_event (round_id, action, detail, at)"
        " VALUES ({closed}, 'reopen', '{{}}', 0)",
        granted(f"INSERT ON {R}.round_event") + "; " + unlocked("round_event"),
    ),
    (
        "an item for oneself",
        f"INSERT INTO {R}.plan_event (round_id, rater_id, subject_id, action,"
        " position, at) VALUES ({r1}, {ana}, {fresh_ben}, 'assign', 99, 0)",
        granted(f"INSERT ON {R}.plan_event") + "; " + unlocked("plan_event"),
    ),
    ("a name", f"INSERT INTO {R}.identity VALUES (1, 'x')", ""),
    (
        "becoming a lead",
        f"UPDATE {R}.login SET role = 'lead', rater_id = NULL",
        granted(f"SELECT, UPDATE ON {R}.login") + "; " + unlocked("login"),
    ),
    (
        "opening a later step",
        f"UPDATE {R}.rule SET whole = '{{{{}}}}'",
        granted(f"SELECT, UPDATE ON {R}.rule") + "; " + unlocked("rule"),
    ),
    (
        "taking a number",
        f"SELECT nextval('{R}.answer_event_seq_seq')",
        granted(f"ALL ON ALL SEQUENCES IN SCHEMA {R}"),
    ),
    (
        "setting the numbers",
        f"SELECT setval('{R}.answer_event_seq_seq', 77777)",
        granted(f"ALL ON ALL SEQUENCES IN SCHEMA {R}"),
    ),
]

BECOMING = [
    ("taking the leads' role", "SET ROLE raterbook_lead", "GRANT raterbook_lead TO ana"),
    ("taking the owner's role", "SET ROLE owner", "GRANT owner TO ana"),
    ("being another for the session", "SET SESSION AUTHORIZATION ben", ""),
    (
        "giving oneself a role",
        "GRANT raterbook_lead TO ana",
        "GRANT raterbook_lead TO ana WITH ADMIN OPTION",
    ),
    ("another role and another's answers", f"SET ROLE raterbook_rater; {BENS}", SPOKEN),
    ("all rights", "ALTER ROLE ana SUPERUSER", ""),
    ("passing policies by", "ALTER ROLE ana BYPASSRLS", ""),
    ("taking the policies off", unlocked("answer_event"), ""),
    ("dropping a policy", f"DROP POLICY own ON {R}.answer_event", ""),
    ("a policy of one's own", f"CREATE POLICY mine ON {R}.answer_event USING (true)", ""),
    ("switching triggers off", f"ALTER TABLE {R}.answer_event DISABLE TRIGGER ALL", ""),
    ("being a replica, which fires none", "SET session_replication_role = replica", ""),
    (
        "a function in the leads' schema",
        f"CREATE FUNCTION {R}.me() RETURNS bigint LANGUAGE sql AS 'SELECT 1'",
        "",
    ),
    (
        "a table that stands before ours",
        "CREATE TEMP TABLE login (login text)",
        "GRANT TEMP ON DATABASE {database} TO ana",
    ),
    ("a table in public", "CREATE TABLE public.notes (x int)", "GRANT ALL ON SCHEMA public TO ana"),
    ("a schema", "CREATE SCHEMA mine", "GRANT CREATE ON DATABASE {database} TO ana"),
    (
        "ending another's session",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'owner'",
        "",
    ),
]

OF_LEADS = [
    ("changing an answer", f"UPDATE {R}.answer_event SET number = 1"),
    ("removing an answer", f"DELETE FROM {R}.answer_event"),
    ("emptying the answers", f"TRUNCATE {R}.answer_event"),
    ("changing a mark", f"UPDATE {R}.mark_event SET kind = 'unflag'"),
    ("changing the log", f"UPDATE {R}.round_event SET at = 0"),
    ("removing from the log", f"DELETE FROM {R}.round_event"),
    ("changing the plan", f"DELETE FROM {R}.plan_event"),
    ("another protocol", f"UPDATE {R}.protocol SET text = ''"),
    ("an answer another seems to have written", added(written_by="'ana'")),
    ("an answer's place in the order", added(seq="1")),
    ("switching triggers off", f"ALTER TABLE {R}.answer_event DISABLE TRIGGER ALL"),
    ("a login", f"INSERT INTO {R}.login VALUES ('out', 'lead', NULL, true, 0)"),
    ("another's login", f"UPDATE {R}.login SET active = false"),
    (
        "an answered item's values",
        f"UPDATE {R}.hidden_value SET value = 'x' WHERE subject_id = {{told_ben}}",
    ),
    ("removing a table", f"DROP TABLE {R}.reply"),
]

OF_OUTSIDERS = [
    ("answers", f"SELECT 1 FROM {R}.answer_event"),
    ("the raters' view", "SELECT 1 FROM rating.answer_event"),
    ("a function", f"SELECT {R}.me()"),
    ("adding", added()),
]

ATTACKS = [
    *(
        Attack("ana", name, *rest)
        for table in (READING, WRITING, BECOMING)
        for name, *rest in table
    ),
    *(
        Attack("lea", name, sql, f"{NEVER} TO lea" if "answer_event SET" in sql else "")
        for name, sql in OF_LEADS
    ),
    *(Attack("out", name, sql) for name, sql in OF_OUTSIDERS),
    Attack(
        "old",
        "answers after leaving",
        f"SELECT 1 FROM {R}.answer_event WHERE rater_id = raterbook.me()",
        "",
    ),
    Attack(
        "old",
        "anything after leaving",
        "SELECT * FROM rating.round",
        f"UPDATE {R}.login SET active = true WHERE login = 'old'; INSERT INTO {R}.round_rater"
        f" SELECT {{r1}}, rater_id, 0 FROM {R}.login WHERE login = 'old'",
    ),
    Attack("old", "an answer after leaving", added(rater="(SELECT raterbook.me())"), ""),
]
