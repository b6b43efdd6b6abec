"""Names in a report's parameters, held against the round before any kernel starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..rounds.model import RATER_KINDS
from ..rounds.people import public_name
from .parameters import Parameters

# Raters are compared with these, which never count themselves.
HELPERS = tuple(kind for kind in RATER_KINDS if kind not in ("human", "model"))

if TYPE_CHECKING:
    from ..rounds import StoredRound


def check_names(stored: StoredRound, parameters: Parameters) -> None:
    """Names that the round does not have are refused, with those it has."""
    if parameters.raters is not None:
        raters = stored.raters()
        away = {each.name: each.excluded for each in raters if each.excluded is not None}
        names = people(stored, parameters.pseudonyms)
        helpers = {each.name: each.kind for each in raters if each.kind in HELPERS}
        for name in parameters.raters:
            if name in helpers and len(helpers) < len(raters):
                raise ValueError(
                    f"parameter raters: {name} is of the kind {helpers[name]}; raters are compared "
                    "with it, so it is never one of those who count. Leave the name out."
                )
            if name in away:
                raise ValueError(
                    f"parameter raters: {name} is excluded from {stored.name} ({away[name]}). "
                    f"Let the answers count again with `raterbook include {stored.name} {name}`, "
                    "or leave the name out."
                )
        check("raters", parameters.raters, names, stored.name)
    questions = [question.id for question in stored.protocol.questions]
    check("questions", parameters.questions or (), questions, stored.name)
    if parameters.groups:
        check("groups", parameters.groups, columns(stored), stored.name)


def check(what: str, given: Sequence[str], known: Sequence[str], where: str) -> None:
    for name in given:
        if name not in known:
            raise ValueError(
                f"parameter {what}: {where} has no {name!r}. "
                f"Choose from {', '.join(known) or 'nothing: there are none'}."
            )


def people(stored: StoredRound, pseudonyms: bool) -> list[str]:
    """Everybody whose answers may count, under the names the report uses."""
    here = [each for each in stored.raters() if each.excluded is None]
    rating = [each for each in here if each.kind not in HELPERS]
    return [public(each, pseudonyms) for each in rating or here]


def public(rater: Any, pseudonyms: bool) -> str:
    """A person's pseudonym where it is asked for, as in the frame."""
    return public_name(rater, pseudonyms)


def columns(stored: StoredRound) -> list[str]:
    """Every column the items of the round have."""
    with stored.store.read() as connection:
        seen = stored.look(connection)
        inside = stored.inside(connection)
        return sorted({name for each in seen.subjects for name in inside.of(each)})
