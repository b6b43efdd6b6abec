"""Raters over the whole workspace: one identity each, which can be forgotten."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy.engine import Row

from raterbook.protocols.conditions import normalized
from raterbook.rounds.model import PEOPLE, RATER_KINDS, Rater, RoundError, listed, shown
from raterbook.rounds.store import log, schema

_EVERYBODY = (
    select(
        schema.rater.c.id,
        func.coalesce(schema.identity.c.name, schema.rater.c.pseudonym).label("name"),
        schema.rater.c.kind,
        schema.rater.c.version,
        schema.rater.c.pseudonym,
        schema.erasure.c.at.label("erased_at"),
    )
    .outerjoin(schema.identity, schema.identity.c.rater_id == schema.rater.c.id)
    .outerjoin(schema.erasure, schema.erasure.c.rater_id == schema.rater.c.id)
    .order_by(schema.rater.c.id)
)


def of_round(connection: Connection, round_id: int) -> list[Row[Any]]:
    """Everybody with a part in this round, in the order they came to the workspace."""
    mine = schema.round_rater
    query = _EVERYBODY.join(mine, mine.c.rater_id == schema.rater.c.id)
    return list(connection.execute(query.where(mine.c.round_id == round_id)))


def as_rater(row: Any, excluded: str | None = None) -> Rater:
    return Rater(
        row.name,
        row.kind,
        row.version,
        excluded,
        row.pseudonym,
        row.erased_at is not None,
    )


def public_name(row: Row[Any] | Rater, pseudonyms: bool) -> str:
    """A person's pseudonym where it is asked for; models and keys are no secret."""
    return str(row.pseudonym if pseudonyms and row.kind in PEOPLE else row.name)


def known_from_rounds(connection: Connection) -> set[str]:
    """The names of everybody with a part in some round: a login alone is none."""
    mine = schema.round_rater
    query = _EVERYBODY.join(mine, mine.c.rater_id == schema.rater.c.id)
    return {str(row.name) for row in connection.execute(query)}


def everybody(connection: Connection) -> list[Rater]:
    """With a part in a round, or with a login here."""
    return [as_rater(row) for row in connection.execute(_EVERYBODY)]


def find(connection: Connection, name: str) -> Row[Any] | None:
    """By name, or by pseudonym."""
    for column in (schema.identity.c.name, schema.rater.c.pseudonym):
        found: list[Row[Any]] = list(connection.execute(_EVERYBODY.where(column == name)))
        if found:
            return found[0]
    return None


class Named(NamedTuple):
    """A rater as somebody names one; of a new one no kind is a person."""

    name: str
    kind: str | None = None
    version: str | None = None


def known(connection: Connection) -> dict[str, Row[Any]]:
    """Everybody of the workspace, by name and by pseudonym."""
    rows: list[Row[Any]] = list(connection.execute(_EVERYBODY))
    return {str(row.pseudonym): row for row in rows} | {str(row.name): row for row in rows}


def fitting(there: Mapping[str, Row[Any]], who: Named) -> int | None:
    """The rater's number, None where it is new. A name stays with one kind and one version."""
    name, kind, version = who
    check_rater(name)
    if kind is not None and kind not in RATER_KINDS:
        raise RoundError(f"{kind!r} is no kind of rater: choose {', '.join(RATER_KINDS)}.")
    row = there.get(name)
    if row is None:
        return None
    if row.erased_at is not None:
        raise RoundError(f"{name} was erased and cannot come back: give the rater another name.")
    for what, old, new in (("kind", row.kind, kind), ("version", row.version, version)):
        if new is not None and new != old:
            raise RoundError(
                f"Rater {name} is known here with {what} {old or 'not given'}, not {new}: one "
                f"name is one rater over all rounds, so use another name, such as {name}-2."
            )
    return int(row.id)


def ensure(connection: Connection, named: Iterable[Named], now: int) -> list[int]:
    """Their numbers; who is new is made, all of them at once: files name thousands."""
    there = known(connection)
    secret = connection.scalar(select(schema.workspace.c.secret)) or ""
    last = connection.scalar(select(func.max(schema.rater.c.id))) or 0
    taken, made = {*there}, dict[str, int]()
    raters, names, numbers = [], [], []
    for who in named:
        number = fitting(there, who) or made.get(who.name)
        if number is None:
            number = made[who.name] = last + len(made) + 1
            alias = pseudonym(secret, number, taken.__contains__)
            taken |= {alias, who.name}
            raters.append(
                {
                    "id": number,
                    "kind": who.kind or "human",
                    "version": who.version,
                    "added_at": now,
                    "pseudonym": alias,
                }
            )
            names.append({"rater_id": number, "name": who.name})
        numbers.append(number)
    schema.write(connection, schema.rater, raters)
    schema.write(connection, schema.identity, names)
    return numbers


def erase(connection: Connection, name: str, why: str | None, now: int) -> str:
    """Remove the name and what was said of the person; answers stay under the pseudonym."""
    row = find(connection, name)
    if row is None:
        known = listed((rater.name for rater in everybody(connection)), 10) or "nobody"
        raise RoundError(f"There is no rater {name!r} to erase; known: {known}.")
    if row.erased_at is None:
        connection.execute(delete(schema.identity).where(schema.identity.c.rater_id == row.id))
        connection.execute(insert(schema.erasure).values(rater_id=row.id, reason=why, at=now))
        mine = schema.round_rater
        rounds = select(mine.c.round_id).where(mine.c.rater_id == row.id)
        for round_id in connection.scalars(rounds).all():
            log.add(connection, round_id, "erase", now, rater_id=row.id)
    return str(row.pseudonym)


ACCENTS = frozenset(map(chr, range(0x300, 0x370)))
SHORTEST = 4  # names of fewer letters often differ in one


def refuse_one_spelt_twice(names: Iterable[str], others: Iterable[str]) -> None:
    """Where a round is opened: “ana” beside “Ana” of this list, or of another round."""
    known = {folded(name): name for name in others}
    for name in names:
        twin = known.setdefault(folded(name), name)
        if twin != name and name not in known.values():
            raise RoundError(
                f"{shown(name)} and {shown(twin)} are spelt like one rater. Write {shown(twin)} if "
                "they are one; if they are two, give one of them another name."
            )


def folded(name: str) -> str:
    """A name without case, Latin accents, width, spaces and dashes.

    >>> folded("Ana-Maria Ruíz") == folded("ana maria ruiz")
    True
    """
    apart = normalized(name, "NFKD").casefold()
    # Signs that combine are letters of their own in other scripts.
    kept = (
        c
        for c in apart
        if c.isalnum()
        or (unicodedata.combining(c) and c not in ACCENTS)
        or unicodedata.category(c) == "Mc"
    )
    return "".join(kept) or name


# Letters that draw nothing, beside the signs that Unicode itself calls formats or spaces.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")


def look(name: str) -> str:
    """What is seen of a name on a page: any spaces as one, and nothing of what draws nothing.

    >>> look("gpt\u00a04\u200b") == look("gpt 4")
    True
    """
    if name.isascii() and name.isprintable():
        return " ".join(name.split())
    seen = ""
    for sign in normalized(name, "NFC"):
        kind = unicodedata.category(sign)
        if sign.isspace() or kind[0] == "Z":
            seen += " "
        elif kind in ("Cc", "Cs"):
            seen += "\ufffd"  # as pages show it
        elif kind != "Cf" and sign not in _BLANK and not "\ufe00" <= sign <= "\ufe0f":
            seen += sign
    return " ".join(seen.split())


def lookalike(names: Iterable[str], others: Iterable[str] = ()) -> tuple[str, str] | None:
    """The first of the names that nobody could tell from another one, and that other."""
    there = dict.fromkeys(others)
    known: dict[str, str] = {}
    for name in there:
        known.setdefault(look(name), name)
    for name in names:
        if (twin := known.setdefault(look(name), name)) != name and name not in there:
            return name, twin
    return None


def spelt(name: str) -> str:
    """A name with what cannot be seen of it written out: `'ana\\u3164'`."""
    plain = " ".join(name.split(" ")) == look(name)
    return repr(name) if plain else ascii(name)


def looks_known(connection: Connection, names: Iterable[str]) -> tuple[str, str] | None:
    """The first of the names that looks like another rater's, and what to do about it."""
    twins = lookalike(names, [one.name for one in everybody(connection)])
    if twins is None:
        return None
    one, other = map(spelt, twins)
    return twins[0], (
        f"{one} looks like {other} to everybody who reads a page: write {other} if they are one "
        "rater, else give one of them another name."
    )


def refuse_known_look(connection: Connection, names: Iterable[str]) -> None:
    if (twin := looks_known(connection, names)) is not None:
        raise RoundError(twin[1])


def is_slip(one: str, other: str) -> bool:
    """Whether a letter was left out, doubled or swapped; numbered names are different names.

    >>> is_slip("carla", "calra"), is_slip("carl", "carla"), is_slip("rater1", "rater2")
    (True, True, False)
    >>> is_slip("rater-a", "rater-b"), is_slip("ben", "bern")
    (False, False)
    """
    a, b = sorted((folded(one), folded(other)), key=len)
    if len(a) < SHORTEST or a == b or len(b) - len(a) > 1:
        return False
    if [c for c in a if not c.isalpha()] != [c for c in b if not c.isalpha()]:
        return False
    first = next((i for i, pair in enumerate(zip(a, b)) if pair[0] != pair[1]), len(a))
    if len(a) < len(b):
        return a[first:] == b[first + 1 :]
    swapped = a[first + 1 : first + 2] + a[first]
    return b[first:] == swapped + a[first + 2 :] or (
        first < len(a) - 1 and a[first + 1 :] == b[first + 1 :]  # the last letter tells a from b
    )


def traces(name: str) -> set[int]:
    """What a name shares with every name that it is a slip of: a hash of it whole, and with each
    of its letters left out. So one name in thousands is found without looking at each.

    >>> bool(traces("carla") & traces("calra")), bool(traces("rater1") & traces("rater2"))
    (True, False)
    """
    if len(name) > LONGEST:  # none that a rater may have: it is no slip of one
        return {hash(name)}
    word = folded(name)
    rest = "".join(c for c in word if not c.isalpha())
    shorter = {word[:n] + word[n + 1 :] for n, c in enumerate(word) if c.isalpha()}
    return {hash((rest, each)) for each in (word, *shorter)}


def join(connection: Connection, round_id: int, named: Iterable[Named], now: int) -> list[int]:
    """These raters have a part in the round; who has one already is left as is.

    Whoever brings new ones asks before whether any of them `looks_known`.
    """
    table = schema.round_rater
    here = set(connection.scalars(select(table.c.rater_id).where(table.c.round_id == round_id)))
    numbers = dict.fromkeys(ensure(connection, named, now))
    added = [number for number in numbers if number not in here]
    rows = [{"round_id": round_id, "rater_id": number, "added_at": now} for number in added]
    schema.write(connection, table, rows)
    return added


# Which names rounds and raters may have, and how opaque names and pseudonyms are made.


LONGEST = 128  # letters of a rater's name
_ROUND = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_DEVICE = re.compile(r"(?i:con|prn|aux|nul|(?:com|lpt)[0-9])")  # no folder of Windows can have it
_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"  # none that look alike


def is_plain(name: object) -> bool:
    """Whether it can be a folder's name, as every round's is."""
    return isinstance(name, str) and _ROUND.fullmatch(name) is not None


def check_round(name: str) -> None:
    """Round names become folders, so they are plain."""
    if not is_plain(name):
        raise RoundError(
            f"{name!r} is not a round name: use 1 to 64 letters, digits, - and _, beginning with "
            "a letter or a digit, as in round-03."
        )


def check_new_round(name: str, others: Iterable[str]) -> None:
    """A new round's folder can be made on every system, and is nobody else's on any."""
    check_round(name)
    if _DEVICE.fullmatch(name):
        raise RoundError(
            f"{name!r} is the name of a device on Windows, and the round's page needs a folder of "
            f"that name: choose another, such as round-{name}."
        )
    for other in others:
        if other == name:
            raise RoundError(f"There is a round {name!r} here already: choose another name.")
        if other.casefold() == name.casefold():
            raise RoundError(
                f"There is a round {other!r} here, and {name!r} would share its folder where "
                "capitals make no difference: choose another name."
            )


def check_rater(name: str) -> None:
    """Rater names never become paths, so all that can be read is allowed."""
    if not isinstance(name, str) or not 1 <= len(name) <= LONGEST:
        raise RoundError(f"{name!r} is not a rater name: use 1 to {LONGEST} characters.")
    if not name.isprintable() or name != name.strip():
        raise RoundError(
            f"{name!r} is not a rater name: use printable characters, and no spaces at the ends."
        )
    if not look(name):
        raise RoundError(f"{name!a} is not a rater name: nothing of it can be seen.")


def opaque_ref(secret: str, kind: str, key: str) -> str:
    """A name for an item or a case that tells nothing of its key to who lacks the round's secret.

    >>> opaque_ref("00", "item", "q1/model-a")
    'ce892dd22578aa8b'
    """
    return sha256(f"{secret}\x1f{kind}\x1f{key}".encode()).hexdigest()[:16]


def pseudonym(secret: str, number: int, taken: Callable[[str], object]) -> str:
    """A stable name for the n-th rater. Not made from the name, so guessing names confirms none."""
    digest = int.from_bytes(sha256(f"{secret}\x1frater\x1f{number}".encode()).digest(), "big")
    letters = ""
    while len(letters) < 4 or taken(f"R-{letters}"):
        digest, place = divmod(digest, len(_ALPHABET))
        letters += _ALPHABET[place]
    return f"R-{letters}"
