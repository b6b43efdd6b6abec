"""A team on a server: who has a login, as a lead or as a rater."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from . import arg, command
from .rounds import Refused, workspace

if TYPE_CHECKING:
    from ..rounds import Store

STEPS = ("init", "add", "remove", "status")


@command(
    "logins of a workspace on a PostgreSQL server: init, add, remove, status",
    arg("step", choices=STEPS, metavar="STEP", help="one of %(choices)s"),
    arg("name", nargs="?", metavar="NAME", help="of the rater or lead; to remove: of the login"),
    arg("--lead", action="store_true", help="a lead, who sees everything; else a rater"),
    arg("--login", metavar="LOGIN", help="name of the login (default: NAME)"),
    arg("--to", metavar="FILE", help="new file for the address with its password, for hand-over"),
)
def team(given: Namespace) -> int:
    """One login each: the database itself keeps raters apart."""
    needs = given.step in ("add", "remove")
    if needs and not given.name:
        raise Refused(f"Say who: raterbook team {given.step} NAME.")
    if given.name and not needs:
        raise Refused(f"`raterbook team {given.step}` takes no name.")
    store = workspace(given).store
    if given.step == "init":
        from ..rounds.store.team import init

        init(store)
        print(f"{store.path} is ready for a team: `raterbook team add NAME --to FILE` adds one.")
    elif given.step == "add":
        _add(store, given)
    elif given.step == "remove":
        from ..rounds.store.team import remove

        remove(store, given.name)
        print(f"{given.name} sees and adds nothing any more; what was answered stays.")
    else:
        return _status(store)
    return 0


def _add(store: Store, given: Namespace) -> None:
    from pathlib import Path

    from ..rounds.store.team import add, hand_over, server_of

    server_of(store)
    if not given.to:
        raise Refused(
            "Say where the address with its password is to be written: --to FILE, a new file; it "
            "is shown nowhere else."
        )
    file = Path(given.to)
    with hand_over(file) as write:
        login, address = add(store, given.name, "lead" if given.lead else "rater", given.login)
        if address is not None:
            write(address)
    part = "a lead" if given.lead else "a rater"
    if address is None:
        print(f"{login} is {part} here; the server knew the login, and its password stays.")
    else:
        print(f"{login} is {part} here; {file} has the address with its password: hand it over.")


def _status(store: Store) -> int:
    from ..rounds.model import counted
    from ..rounds.store.team import guards, status

    found, wrong = status(store), guards(store)
    print(f"{store.path}: {counted(len(found), 'login')}")
    for each in found:
        state = "active" if each.active else "removed"
        words = f"  {each.login:<20} {each.role:<6} {state:<8}"
        if each.rater is not None:
            words += f" {each.rater}, {counted(each.answers, 'answer')}"
        if each.by_others:
            words += f", {each.by_others:,} of them stored by another login"
        print(words.rstrip())
    if wrong is None:
        print("The owner alone sees whether policies, triggers and views say what they should.")
    elif wrong:
        print(
            "The guards are not as Raterbook makes them. Somebody with the owner's rights changed "
            "them, and logins may have seen or added what is not theirs: keep this database, and "
            "put the last copy in its place (`raterbook copy FROM TO`)."
        )
        for guard in wrong:
            print(f"  {guard} says something else")
    else:
        print("Policies, triggers and views are as Raterbook makes them.")
    return int(bool(wrong))
