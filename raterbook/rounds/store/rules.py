"""What a rater's login may see by now, and say: a rule for each field, parts, submitting, answers.

A rule has the questions of the steps before that always have to be answered, of the whole and of
each part; and as `resting` those that rest on other answers, with the condition they are asked on
and the one they are required on. The functions hold both against what the rater last said.
Of a question the rule has, in the same place, what an answer to it is: nothing that could not be
answered comes into the table, whatever program sends it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, text

from raterbook.protocols.conditions import UNANSWERABLE, WORDS
from raterbook.protocols.protocol import fields_until, parts_until

if TYPE_CHECKING:
    from raterbook.protocols import Protocol
    from raterbook.rounds.snapshot import StoredQuestion, StoredQuestions

SCHEMA = "raterbook"


class Function(NamedTuple):
    """What a query gives; or, where it writes, what is done.

    In PL/pgSQL, which keeps the plan of a query for the session: in SQL it is made at every call.
    """

    given: str
    gives: str
    query: str
    writes: bool = False

    @property
    def body(self) -> str:
        if self.writes:
            return self.query
        rows = self.gives.startswith("SETOF ")
        done = f"RETURN QUERY {self.query}" if rows else f"RETURN ({self.query})"
        return f"#variable_conflict use_column\nBEGIN {done}; END"


TABLE = (
    f"CREATE TABLE {SCHEMA}.rule (protocol_hash text NOT NULL"
    f" REFERENCES {SCHEMA}.protocol (hash), kind text NOT NULL, name text NOT NULL,"
    " whole bigint[] NOT NULL, pieces bigint[] NOT NULL, resting jsonb NOT NULL,"
    " PRIMARY KEY (protocol_hash, kind, name))"
)

_ABOUT = "(item, (SELECT s.case_id FROM subject s WHERE s.id = item))"
_PIECES = (
    f"SELECT p.number FROM part p WHERE p.subject_id IN {_ABOUT}"
    " AND NOT EXISTS (SELECT FROM part_retired t WHERE t.part_id = p.id)"
)


def _said(question: str, part: str) -> str:
    """SQL: whether it stands answered or put aside."""
    return (
        "COALESCE((SELECT a.status <> 'retracted' FROM answer_event a WHERE a.rater_id = me()"
        f" AND a.question_id = {question} AND a.part = {part} AND a.replicate = 1"
        f" AND a.subject_id IN {_ABOUT} ORDER BY a.lamport DESC, a.seq DESC LIMIT 1), false)"
    )


FUNCTIONS = {
    "has_done": Function(
        "item bigint, whole bigint[], pieces bigint[], resting jsonb",
        "boolean",
        f"SELECT NOT EXISTS (SELECT FROM unnest(whole) q WHERE NOT {_said('q', '0')})"
        f" AND NOT EXISTS (SELECT FROM unnest(pieces) q, ({_PIECES}) p"
        f" WHERE NOT {_said('q', 'p.number')})"
        " AND (resting = '[]' OR NOT EXISTS (SELECT FROM jsonb_array_elements(resting) r,"
        " LATERAL (SELECT 0::bigint AS number WHERE NOT (r->>'part')::boolean"
        f" UNION ALL SELECT number FROM ({_PIECES}) every WHERE (r->>'part')::boolean) p"
        f" WHERE NOT {_said('''(r->>'question')::bigint''', 'p.number')}"
        " AND holds(r->'when', answers_of(item, p.number))"
        " AND holds(r->'required', answers_of(item, p.number))))",
    ),
    "answers_of": Function(
        "item bigint, piece bigint",
        "jsonb",
        "SELECT COALESCE(jsonb_object_agg(e.question_id::text, jsonb_strip_nulls("
        "jsonb_build_object('id', e.value_id, 'number', e.number, 'text', e.text))), '{}')"
        " FROM (SELECT DISTINCT ON (a.question_id) a.question_id, a.status, a.value_id, a.number,"
        " a.text FROM answer_event a WHERE a.rater_id = me() AND a.part IN (0, piece)"
        f" AND a.replicate = 1 AND a.subject_id IN {_ABOUT}"
        " ORDER BY a.question_id, a.part DESC, a.lamport DESC, a.seq DESC) e"
        " WHERE e.status = 'answered'",
    ),
    "holds": Function(
        "given jsonb, said jsonb",
        "boolean",
        "SELECT CASE WHEN jsonb_typeof(given) = 'boolean' THEN given::boolean"
        " WHEN given->'all' IS NOT NULL THEN NOT EXISTS"
        " (SELECT FROM jsonb_array_elements(given->'all') each WHERE NOT holds(each, said))"
        " WHEN given->'any' IS NOT NULL THEN EXISTS"
        " (SELECT FROM jsonb_array_elements(given->'any') each WHERE holds(each, said))"
        " WHEN said->(given->>'of') IS NULL THEN false"
        " WHEN given->'in' IS NOT NULL THEN EXISTS"
        " (SELECT FROM jsonb_array_elements(given->'in') each WHERE each = said->(given->>'of'))"
        " ELSE NOT EXISTS"
        " (SELECT FROM jsonb_array_elements(given->'but') each WHERE each = said->(given->>'of'))"
        " END",
    ),
    "is_answer": Function(
        "put bigint, item bigint, piece bigint, said text, chosen bigint, amount double precision,"
        " words text",
        "boolean",
        "SELECT COALESCE((SELECT said = 'retracted' OR (said <> 'answered'"
        " OR CASE u.resting->>'value' WHEN 'id' THEN chosen IS NOT NULL"
        " WHEN 'text' THEN words IS NOT NULL"  # NaN lies above every number
        " ELSE amount BETWEEN (u.resting->>'min')::float8 AND (u.resting->>'max')::float8 END)"
        " AND CASE WHEN (u.resting->>'part')::boolean THEN item IN (SELECT my_subjects())"
        f" AND piece IN ({_PIECES}) ELSE piece = 0 END"
        " FROM question q JOIN rule u ON u.protocol_hash = q.protocol_hash AND u.kind = 'answer'"
        " AND u.name = q.name WHERE q.id = put), false)",
    ),
    "has_come": Function(
        "about bigint, what text, named text",
        "boolean",
        "SELECT COALESCE((SELECT CASE WHEN cardinality(u.whole) + cardinality(u.pieces) = 0"
        " AND u.resting = '[]' THEN true"
        " WHEN s.kind = 'item' THEN has_done(s.id, u.whole, u.pieces, u.resting)"
        " ELSE EXISTS (SELECT FROM subject i WHERE i.case_id = s.id AND i.id IN"
        " (SELECT my_subjects()) AND has_done(i.id, u.whole, u.pieces, u.resting)) END"
        " FROM subject s JOIN round r ON r.id = s.round_id JOIN rule u"
        " ON u.protocol_hash = r.protocol_hash AND u.kind = what AND u.name = named"
        " WHERE s.id = about AND s.id IN (SELECT my_subjects())), false)",
    ),
}


_RULE = text(
    f"INSERT INTO {SCHEMA}.rule (protocol_hash, kind, name, whole, pieces, resting)"
    " VALUES (:hash, :kind, :name, :whole, :pieces, CAST(:resting AS jsonb)) ON CONFLICT DO NOTHING"
)


def write_rules(connection: Connection, protocol: Protocol) -> None:
    """Beside a protocol that was just stored."""
    from raterbook.rounds.snapshot import questions  # which reads by way of this room

    known = questions(connection, protocol, protocol.hash)
    rows: list[dict[str, Any]] = []
    for kind, name, stage in _opens(protocol):
        before = [protocol.question(one) for names in protocol.stages[:stage] for one in names]
        always = [each for each in before if each.required is True and each.when is None]
        asked = {
            per: sorted(known[one.id].id for one in always if (one.per == "part") is per)
            for per in (False, True)
        }
        resting = [
            {
                "question": known[one.id].id,
                "part": one.per == "part",
                "when": _told(one.when, known),
                "required": _told(one.required, known),
            }
            for one in before
            if one not in always and one.required is not False
        ]
        rows.append(
            {"hash": protocol.hash, "kind": kind, "name": name, "resting": json.dumps(resting)}
            | {"whole": asked[False], "pieces": asked[True]}
        )
    rows += [
        {"hash": protocol.hash, "kind": "answer", "name": one.id, "whole": [], "pieces": []}
        | {"resting": json.dumps(_takes(known[one.id]))}
        for one in protocol.questions
    ]
    connection.execute(_RULE, rows)


def _takes(asked: StoredQuestion) -> dict[str, Any]:
    """What an answer is, as `is_answer` reads it on the server."""
    question = asked.question
    value = "id" if asked.allowed else "number" if question.is_numeric else "text"
    ends = {"min": question.min, "max": question.max} if value == "number" else {}
    return {"value": value, "part": question.per == "part", **ends}


def _told(condition: Mapping[str, Any] | bool | None, known: StoredQuestions) -> Any:
    """A condition as `holds` reads it on the server, answers as they are stored."""
    if condition is None or isinstance(condition, bool):
        return condition is not False
    found: list[Any] = []
    for key, expected in condition.items():
        if key in ("and", "or"):
            parts = [_told(part, known) for part in expected]
            found.append({"all" if key == "and" else "any": parts})
            continue
        of: dict[str, Any] = {"of": str(known[key].id)}
        if expected in WORDS:
            found.append(of | {"but": [{"text": UNANSWERABLE}] * (expected == "answerable")})
        else:
            found.append(of | {"in": [_stored(known[key], value) for value in expected]})
    return {"all": found}


def _stored(asked: StoredQuestion, value: Any) -> dict[str, Any]:
    """A value as `answers_of` gives it."""
    kept = zip(("id", "number", "text"), asked.encode(asked.question.check(value)), strict=True)
    return {name: one for name, one in kept if one is not None}


def _opens(protocol: Protocol) -> Iterator[tuple[str, str, int]]:
    """What may be seen, by kind and name, and the stages that are to be through before."""
    every = range(len(protocol.stages))
    for name, field in protocol.item.fields.items():
        if field.held:
            yield "after", name, len(protocol.stages)
        elif field.visible:
            yield "shown", name, _first(name in fields_until(protocol, n) for n in every)
    if protocol.parts is not None:
        yield "part", "", _first(parts_until(protocol, n) for n in every)
    yield "submit", "", len(protocol.stages)


def _first(seen: Iterable[bool]) -> int:
    """The first stage that shows it; what no stage shows, none before the last."""
    found = [*seen]
    return found.index(True) if True in found else len(found)
