"""Which workspace and round a command speaks of, and how it refuses."""

from __future__ import annotations

from argparse import Namespace

from ..workspace import Round, Workspace


class Refused(RuntimeError):
    """A request that cannot be carried out; the message says why and what to do."""


def workspace(given: Namespace) -> Workspace:
    return Workspace(given.workspace or ".", db=given.db, reports=given.reports)


def chosen(given: Namespace) -> Round:
    return workspace(given).round(given.round)


def names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def pairs(words: list[str]) -> dict[str, str]:
    """`--param name=value`, several times."""
    found = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise Refused(f"--param {word!r}: write it as name=value, for example seed=3.")
        found[name] = value
    return found
