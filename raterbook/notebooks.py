"""What the notebooks begin with: the round they are about, by a name that has to be given."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .protocols.problems import hint
from .rounds import RoundError
from .rounds.model import counted
from .workspace import Workspace, WorkspaceRound

if TYPE_CHECKING:
    from .panels.lead import LeadPanel

INJECTED = "# Parameters\n"  # what papermill writes above the parameters it was given


def panel(round_name: str | None) -> LeadPanel:
    """The lead's panel, at this round; where none is named it begins with a new one."""
    refuse_unknown(_cells_run())
    return Workspace().panel(round_name)


def chosen(round_name: str | None, now: bool = True) -> WorkspaceRound:
    """The round of this name. A parameter the notebook does not have stops it here: papermill only
    warns, and the notebook would speak of something else than was asked for. So does a round that
    people still rate in, unless it is to be looked at `now`."""
    refuse_unknown(_cells_run())
    workspace = Workspace()
    if not round_name:
        known = ", ".join(workspace.rounds()) or "none yet"
        raise RoundError(
            f"No round is named: set round_name in the parameters to one of {workspace.path}'s "
            f"rounds ({known}); for papermill that is -p round_name NAME."
        )
    found = workspace.round(round_name)
    if not now:
        refuse_early(found)
    return found


def refuse_early(round: WorkspaceRound) -> None:
    """Who looks at agreement while people rate, and stops where it looks well, finds what is not
    there. Declared looks have their own refusal; where nobody submits items nobody rates here."""
    if round.state != "open" or round.looks() is not None:
        return
    found = round.status()
    if found["unfinished"] and any(each["submitted"] for each in found["raters"]):
        raise RoundError(
            f"People still rate in {round.name}: {counted(found['unfinished'], 'assigned item')} "
            "not finished. Agreement stays hidden until the round is closed, or has come to a look "
            "it declared: who looks again and again, and stops where it looks well, sees agreement "
            "that is not there. To look all the same, set now = True in the parameters; for "
            "papermill that is -p now True."
        )


def refuse_unknown(cells: Sequence[str]) -> None:
    """Of the sources run so far, the one before papermill's has the parameters there are."""
    places = [place for place, source in enumerate(cells) if source.startswith(INJECTED)]
    if not places or not places[-1]:
        return
    known, given = _assigned(cells[places[-1] - 1]), _assigned(cells[places[-1]])
    unknown = [name for name in given if name not in known]
    if not unknown:
        return
    raise RoundError(
        f"This notebook has no parameter {', '.join(unknown)}; it has {', '.join(known)}."
        + hint(unknown[0], known, 0.4)
    )


def _assigned(source: str) -> list[str]:
    return [
        target.id
        for line in ast.parse(source).body
        if isinstance(line, ast.Assign)
        for target in line.targets
        if isinstance(target, ast.Name)
    ]


def _cells_run() -> Sequence[str]:
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return ()
    shell = get_ipython()
    return () if shell is None else tuple(shell.user_ns.get("In", ()))
