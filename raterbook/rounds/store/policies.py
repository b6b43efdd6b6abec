"""Who sees and adds what on PostgreSQL: triggers, functions, policies, and what raters look at.

A login is a lead, a rater or nobody (`login`). Every policy asks who opened the session
(`session_user`), so that taking another role changes nothing. A rater has the right to columns
that tell nothing, and sees rows of their own; the schema `rating` has views of the same names as
the tables, in which keys, roles, seeds and secrets are put out of sight, so that the form asks
there as it asks anywhere. What a later step shows, and what is shown once an item is submitted,
opens by the rules of rules.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from raterbook.rounds.model import LARGEST, LATEST, LONGEST_ID, LONGEST_TIME, MARKS
from raterbook.rounds.store import chain, rules, schema
from raterbook.rounds.store.rules import Function

SCHEMA = rules.SCHEMA
MASKED = "rating"
LEADS, RATERS = "raterbook_lead", "raterbook_rater"
CHANNEL = "raterbook"
TIMES = ("server_time", "at", "added_at", "created_at")
SPOKEN = ("answer_event", "mark_event")  # what raters add to
TOLD = (*SPOKEN, "round_event", "plan_event")  # what a lead who looks on is told of


_MINE = "rater_id = me()"
_GIVEN = "SELECT subject_id FROM plan_event WHERE rater_id = me() AND action = 'assign'"
_BY_SOMEBODY = (
    "SELECT FROM answer_event a JOIN rater r ON r.id = a.rater_id AND r.kind <> 'automatic'"
)

# They look with the owner's rights and tell the session of its own alone.
FUNCTIONS = {
    "me": Function(
        "",
        "bigint",
        "SELECT l.rater_id FROM login l WHERE l.login = session_user AND l.active"
        " AND l.role = 'rater' AND NOT EXISTS"
        " (SELECT FROM erasure e WHERE e.rater_id = l.rater_id)",
    ),
    "leads": Function(
        "",
        "boolean",
        "SELECT EXISTS (SELECT FROM login l WHERE l.login = session_user AND l.active"
        " AND l.role = 'lead')",
    ),
    "my_rounds": Function("", "SETOF bigint", f"SELECT round_id FROM round_rater WHERE {_MINE}"),
    "my_protocols": Function(
        "",
        "SETOF text",
        "SELECT protocol_hash FROM round WHERE id IN (SELECT my_rounds())",
    ),
    "my_subjects": Function(
        "",
        "SETOF bigint",
        f"{_GIVEN} UNION SELECT s.case_id FROM subject s WHERE s.case_id IS NOT NULL"
        f" AND s.id IN ({_GIVEN})",
    ),
    "is_open": Function(
        "asked bigint",
        "boolean",
        "SELECT e.action <> 'close' FROM round_event e WHERE e.round_id = asked"
        " AND e.action IN ('open', 'close', 'reopen') ORDER BY e.seq DESC LIMIT 1",
    ),
    "was_given": Function(
        "asked bigint, about bigint",
        "boolean",
        "SELECT EXISTS (SELECT FROM plan_event p WHERE p.rater_id = me() AND p.round_id = asked"
        " AND p.action = 'assign' AND (p.subject_id = about OR p.subject_id IN"
        " (SELECT s.id FROM subject s WHERE s.case_id = about)))",
    ),
    "may_answer": Function(
        "asked bigint, about bigint, put bigint",
        "boolean",
        "SELECT COALESCE(is_open(asked) AND was_given(asked, about) AND EXISTS"
        " (SELECT FROM question q JOIN round r ON r.protocol_hash = q.protocol_hash"
        " WHERE q.id = put AND r.id = asked), false)",
    ),
    "may_submit": Function(
        "asked bigint, about bigint, what text",
        "boolean",
        "SELECT COALESCE(is_open(asked) AND was_given(asked, about)"
        " AND (what <> 'submit' OR has_come(about, 'submit', '')), false)",
    ),
    "is_shown": Function(
        "about bigint, piece bigint, named text",
        "boolean",
        "SELECT CASE WHEN piece > 0 THEN has_come(about, 'part', '')"
        " ELSE has_come(about, 'shown', named) END",
    ),
    "is_let_out": Function(
        "about bigint, named text",
        "boolean",
        "SELECT has_come(about, 'after', named) AND EXISTS (SELECT FROM mark_event m"
        " WHERE m.rater_id = me() AND m.kind = 'submit' AND (m.subject_id = about OR"
        " m.subject_id IN (SELECT s.id FROM subject s WHERE s.case_id = about)))",
    ),
    "part_text": Function(
        "asked bigint",
        "text",
        "SELECT CASE WHEN has_come(p.subject_id, 'part', '') THEN p.text ELSE '' END"
        " FROM part p WHERE p.id = asked AND p.subject_id IN (SELECT my_subjects())",
    ),
    "scope_of": Function(
        "asked bigint",
        "text",
        "SELECT encode(sha256(convert_to('form ' || r.secret, 'UTF8')), 'hex') FROM round r"
        " WHERE r.id = asked AND r.id IN (SELECT my_rounds())",
    ),
    "is_answered": Function(
        "about bigint",
        "boolean",
        f"SELECT EXISTS ({_BY_SOMEBODY} WHERE a.subject_id = about) OR EXISTS"
        f" ({_BY_SOMEBODY} JOIN subject s ON s.id = a.subject_id WHERE s.case_id = about)",
    ),
    **rules.FUNCTIONS,
    chain.FUNCTION: Function(chain.GIVEN, "void", chain.SERVER_BODY, writes=True),
}
_ASKED_BY_RATERS = (
    *("me", "leads", "my_rounds", "my_protocols", "my_subjects", "may_answer", "may_submit"),
    *("is_shown", "is_let_out", "is_answer", "part_text", "scope_of", chain.FUNCTION),
)

TRIGGERS = {
    "refuse_change": "BEGIN RAISE EXCEPTION '%', TG_TABLE_NAME ||"
    " ': what is stored is never changed'; END",
    "refuse_frozen": "DECLARE about bigint; BEGIN"
    " IF TG_OP = 'INSERT' THEN about := NEW.subject_id; ELSE about := OLD.subject_id; END IF;"
    " IF is_answered(about) THEN RAISE EXCEPTION '%', CASE WHEN TG_TABLE_NAME = 'part' THEN"
    " 'parts are frozen since the first answer' ELSE TG_TABLE_NAME ||"
    " ': frozen since its first answer' END; END IF;"
    " IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END",
    "refuse_retiring": "BEGIN IF is_answered((SELECT p.subject_id FROM part p"
    " WHERE p.id = NEW.part_id)) THEN RAISE EXCEPTION"
    " 'parts are frozen since the first answer'; END IF; RETURN NEW; END",
    "tell": f"BEGIN PERFORM pg_notify('{CHANNEL}', NEW.round_id::text); RETURN NULL; END",
} | {
    # The owner alone may keep the times of what was stored elsewhere before.
    f"stamp_{column}": "BEGIN IF current_setting('raterbook.times', true) IS DISTINCT FROM 'kept'"
    " OR session_user <> (SELECT tableowner FROM pg_tables WHERE schemaname = TG_TABLE_SCHEMA"
    f" AND tablename = TG_TABLE_NAME) THEN NEW.{column} :="
    " (extract(epoch FROM now()) * 1000000)::bigint; END IF; RETURN NEW; END"
    for column in TIMES
}

# Beside the tables of schema.py.
_OWN = (
    f"CREATE TABLE {SCHEMA}.login (login text PRIMARY KEY,"
    " role text NOT NULL CHECK (role IN ('lead', 'rater')),"
    f" rater_id bigint REFERENCES {SCHEMA}.rater (id), active boolean NOT NULL,"
    " added_at bigint NOT NULL, CHECK ((role = 'rater') = (rater_id IS NOT NULL)))",
    rules.TABLE,
    f"CREATE INDEX plan_event_given ON {SCHEMA}.plan_event (rater_id, subject_id)",
    *(
        f"ALTER TABLE {SCHEMA}.{table} ADD COLUMN written_by text NOT NULL DEFAULT session_user"
        for table in SPOKEN
    ),
)
OWN_TABLES = ("login", "rule")

# What a rater reads of each table, and which rows.
READ = {
    "workspace": ("id, schema_version, created_at", "(SELECT me()) IS NOT NULL"),
    "protocol": ("hash, name, text, added_at", "hash IN (SELECT my_protocols())"),
    "question": (
        "id, protocol_hash, name, type, position",
        "protocol_hash IN (SELECT my_protocols())",
    ),
    "allowed": (
        "id, question_id, position, value, number",
        f"question_id IN (SELECT q.id FROM {SCHEMA}.question q)",
    ),
    "round": ("id, name, protocol_hash, bare, created_at", "id IN (SELECT my_rounds())"),
    "round_event": (
        # Who came is not told, but that somebody came: items may have been given out anew.
        "seq, round_id, action, at",
        "round_id IN (SELECT my_rounds())"
        " AND (rater_id IS NULL OR rater_id = (SELECT me()) OR action = 'add_rater')",
    ),
    "subject": ("id, round_id, kind, ref, case_id, added_at", "id IN (SELECT my_subjects())"),
    "part": (
        "id, subject_id, number, position, added_at",
        "subject_id IN (SELECT my_subjects())",
    ),
    "part_retired": ("part_id, at", f"part_id IN (SELECT p.id FROM {SCHEMA}.part p)"),
    "shown_value": (
        "subject_id, part, name, value",
        "subject_id IN (SELECT my_subjects()) AND is_shown(subject_id, part, name)",
    ),
    "hidden_value": (
        "subject_id, part, name, value",
        "part = 0 AND subject_id IN (SELECT my_subjects()) AND is_let_out(subject_id, name)",
    ),
    "rater": ("id, kind, version, pseudonym, added_at", "id = (SELECT me())"),
    "identity": ("rater_id, name", "rater_id = (SELECT me())"),
    "erasure": ("rater_id, at", "rater_id = (SELECT me())"),
    "round_rater": ("round_id, rater_id, added_at", "rater_id = (SELECT me())"),
    "plan_event": (
        "seq, round_id, rater_id, subject_id, action, position, at",
        "rater_id = (SELECT me())",
    ),
    "answer_event": ("*", "rater_id = (SELECT me())"),
    "mark_event": ("*", "rater_id = (SELECT me())"),
}
# What every sender can count to, times that can be, ids that can be sent back.
_PLAIN = (
    f"lamport < {LARGEST} AND COALESCE(client_time, 0) BETWEEN 0 AND {LATEST}"
    f" AND length(event_id) BETWEEN 1 AND {LONGEST_ID} AND event_id !~ '[[:cntrl:]]'"
)
ADD = {
    "answer_event": "rater_id = (SELECT me()) AND may_answer(round_id, subject_id, question_id)"
    " AND is_answer(question_id, subject_id, part, status, value_id, number, text)"
    f" AND replicate = 1 AND COALESCE(seconds, 0) BETWEEN 0 AND {LONGEST_TIME} AND {_PLAIN}",
    "mark_event": "rater_id = (SELECT me()) AND may_submit(round_id, subject_id, kind)"
    f" AND kind IN ({', '.join(map(repr, MARKS))}) AND {_PLAIN}",
}

# What stands in a rater's view in place of what the rater must not know.
_PUT_OUT = {
    ("workspace", "secret"): "''::text",
    ("round", "seed"): "0::bigint",
    ("round", "secret"): "scope_of(id)",
    ("round", "options"): "'{}'::text",
    ("round_event", "rater_id"): "CASE WHEN action IN ('exclude', 'include') THEN me() END",
    ("round_event", "detail"): "'{\"per_item\": null}'::text",
    ("subject", "key"): "ref",
    ("subject", "role"): "'main'::text",
    ("subject", "batch"): "0::bigint",
    ("part", "text"): "part_text(id)",
}
_KINDS = {"per_item": "bigint", "source_row": "bigint", "probability": "double precision"}

CURRENT_ANSWER = schema.CURRENT_ANSWER.replace(
    "CREATE VIEW current_answer AS",
    f"CREATE VIEW {SCHEMA}.current_answer WITH (security_invoker) AS",
).partition("COALESCE(allowed.value")[0] + (
    "COALESCE(allowed.value, e.text, CASE WHEN e.number IS NULL THEN NULL"
    " WHEN e.number = trunc(e.number) THEN CAST(CAST(e.number AS bigint) AS text)"
    # By its shortest digits, and without an exponent.
    " ELSE CAST(CAST(CAST(e.number AS text) AS numeric) AS text)"
    " || CASE WHEN question.type = 'percent' AND e.number BETWEEN 0 AND 1 THEN chr(37) ELSE ''"
    " END END) AS value,\n      " + schema.CURRENT_ANSWER.partition("END END) AS value,")[2]
)


def before_tables() -> Iterator[str]:
    yield f"CREATE SCHEMA {SCHEMA}"
    yield f"CREATE SCHEMA {MASKED}"
    yield f"SET LOCAL search_path TO {SCHEMA}"


def after_tables() -> Iterator[str]:
    yield from _OWN
    for name, each in FUNCTIONS.items():
        yield (
            f"CREATE FUNCTION {SCHEMA}.{name}({each.given}) RETURNS {each.gives}"
            f" LANGUAGE plpgsql {'VOLATILE' if each.writes else 'STABLE'}"
            f" SECURITY DEFINER SET search_path = {SCHEMA}, pg_temp AS $${each.body}$$"
        )
    for name, body in TRIGGERS.items():
        yield (
            f"CREATE FUNCTION {SCHEMA}.{name}() RETURNS trigger LANGUAGE plpgsql"
            f" SET search_path = {SCHEMA}, pg_temp AS $${body.replace('%', '%%')}$$"
        )
    yield f"REVOKE ALL ON ALL FUNCTIONS IN SCHEMA {SCHEMA} FROM PUBLIC"
    for table, name, when, function in each_trigger():
        yield (
            f"CREATE TRIGGER {name} {when.format(table=f'{SCHEMA}.{table}')}"
            f" EXECUTE FUNCTION {SCHEMA}.{function}()"
        )
    for table in (*schema.metadata.tables, *OWN_TABLES):
        yield f"ALTER TABLE {SCHEMA}.{table} ENABLE ROW LEVEL SECURITY"
    for table, name, words in each_policy():
        yield f"CREATE POLICY {name} ON {SCHEMA}.{table} {words}"
    yield CURRENT_ANSWER
    for table in READ:
        yield view_of(table)


def each_trigger() -> Iterator[tuple[str, str, str, str]]:
    """Of each: its table, its name, when, and the function."""
    never, each = "BEFORE {what} ON {{table}} FOR EACH STATEMENT", " FOR EACH ROW"
    for table in schema.metadata.tables.values():
        name = table.name
        if name in schema.UNTIL_ANSWERED:
            yield (
                name,
                f"{name}_frozen",
                "BEFORE INSERT OR UPDATE OR DELETE ON {table}" + each,
                "refuse_frozen",
            )
            yield name, f"{name}_no_truncate", never.format(what="TRUNCATE"), "refuse_change"
        elif name not in schema.ERASABLE:
            what = "DELETE OR TRUNCATE" + " OR UPDATE" * (name not in schema.MIGRATED)
            yield name, f"{name}_no_change", never.format(what=what), "refuse_change"
        for column in TIMES:
            if column in table.c and name not in schema.MIGRATED:
                when = "BEFORE INSERT ON {table}" + each
                yield name, f"{name}_stamp", when, f"stamp_{column}"
    yield "part", "part_frozen", "BEFORE INSERT ON {table}" + each, "refuse_frozen"
    retiring = "BEFORE INSERT ON {table}" + each
    yield "part_retired", "part_retired_frozen", retiring, "refuse_retiring"
    for name in TOLD:
        yield name, f"{name}_tell", "AFTER INSERT ON {table}" + each, "tell"


def each_policy() -> Iterator[tuple[str, str, str]]:
    """Of each: its table, its name, what it says."""
    for table in (*schema.metadata.tables, *OWN_TABLES):
        yield table, "lead", "USING ((SELECT leads())) WITH CHECK ((SELECT leads()))"
    for table, (_, rows) in READ.items():
        yield table, "own", f"FOR SELECT USING ({rows})"
    for table, rows in ADD.items():
        yield table, "add_own", f"FOR INSERT WITH CHECK ({rows})"


def view_of(table: str) -> str:
    columns, _ = READ[table]
    read = {name.strip() for name in columns.split(",")}
    shown = []
    for column in schema.metadata.tables[table].c:
        if column.name in read or columns == "*":
            shown.append(f'"{column.name}"')
            continue
        nothing = f"NULL::{_KINDS.get(column.name, 'text')}"
        shown.append(f"{_PUT_OUT.get((table, column.name), nothing)} AS {column.name}")
    return (
        f"CREATE VIEW {MASKED}.{table} WITH (security_invoker, security_barrier) AS"
        f" SELECT {', '.join(shown)} FROM {SCHEMA}.{table}"
    )


# Rights: given once by `team init`, to two roles that nobody logs in as.


def rights(database: str) -> Iterator[str]:
    yield f"REVOKE ALL ON DATABASE {quoted(database)} FROM PUBLIC"
    yield f"GRANT USAGE ON SCHEMA {SCHEMA} TO {LEADS}, {RATERS}"
    yield f"GRANT USAGE ON SCHEMA {MASKED} TO {RATERS}"
    yield f"GRANT SELECT ON ALL TABLES IN SCHEMA {SCHEMA} TO {LEADS}"
    yield f"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {SCHEMA} TO {LEADS}"
    for table in schema.metadata.tables.values():
        if table.name in SPOKEN:
            yield f"GRANT INSERT ({_written(table.name)}) ON {SCHEMA}.{table.name} TO {LEADS}"
        elif table.name not in ("workspace", "link"):
            yield f"GRANT INSERT ON {SCHEMA}.{table.name} TO {LEADS}"
    yield f"GRANT INSERT ON {SCHEMA}.rule TO {LEADS}"
    for name in schema.UNTIL_ANSWERED:
        yield f"GRANT UPDATE, DELETE ON {SCHEMA}.{name} TO {LEADS}"
    yield f"GRANT DELETE ON {SCHEMA}.identity TO {LEADS}"
    yield f"GRANT SELECT ON ALL TABLES IN SCHEMA {MASKED} TO {RATERS}"
    for name in _ASKED_BY_RATERS:
        yield f"GRANT EXECUTE ON FUNCTION {SCHEMA}.{name} TO {RATERS}"
    for name, (columns, _) in READ.items():
        which = "" if columns == "*" else f" ({columns})"
        yield f"GRANT SELECT{which} ON {SCHEMA}.{name} TO {RATERS}"
    for name in ADD:
        for place in (SCHEMA, MASKED):
            yield f"GRANT INSERT ({_written(name)}) ON {place}.{name} TO {RATERS}"


def _written(table: str) -> str:
    """All but its number, which the server gives."""
    return ", ".join(
        f'"{each.name}"' for each in schema.metadata.tables[table].c if each.name != "seq"
    )


def quoted(name: str) -> str:
    """A name as SQL has it, whatever is in it.

    >>> quoted('ana"; DROP TABLE x')
    '"ana""; DROP TABLE x"'
    """
    return '"' + name.replace('"', '""') + '"'


# Whether all of it is there: compared with what the database says of itself.


def shape() -> Iterator[tuple[str, str, str]]:
    for name, each in FUNCTIONS.items():
        yield "function", name, each.body
    for name, body in TRIGGERS.items():
        yield "function", name, body
    for table, name, _, function in each_trigger():
        yield "trigger", f"{table}.{name}", f"O {function}"
    for table, name, _ in each_policy():
        yield "policy", f"{table}.{name}", ""
    for table in (*schema.metadata.tables, *OWN_TABLES):
        yield "row security of", table, "true"


SHAPE = f"""
SELECT 'function', proname::text, prosrc FROM pg_proc WHERE pronamespace = '{SCHEMA}'::regnamespace
UNION ALL SELECT 'trigger', c.relname || '.' || t.tgname, t.tgenabled::text || ' ' || p.proname
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
WHERE c.relnamespace = '{SCHEMA}'::regnamespace AND NOT t.tgisinternal
UNION ALL SELECT 'policy', c.relname || '.' || l.polname, ''
FROM pg_policy l JOIN pg_class c ON c.oid = l.polrelid
WHERE c.relnamespace = '{SCHEMA}'::regnamespace
UNION ALL SELECT 'row security of', relname::text, relrowsecurity::text FROM pg_class
WHERE relnamespace = '{SCHEMA}'::regnamespace AND relkind = 'r'
"""
