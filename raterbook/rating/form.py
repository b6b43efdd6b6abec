"""The form raters work in: a widget that passes answers to the store and items to the browser."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anywidget
from IPython.display import HTML, display

import raterbook.rating.front as front
from raterbook.protocols.problems import hint
from raterbook.rating.sitting import Sitting
from raterbook.rounds import Round, RoundError
from raterbook.rounds.model import PEOPLE, shown

MOST = 1_000  # events in a message, of which front/outbox.js sends 200; others wait meanwhile
GONE = (
    "The rating form. Run this cell and those above it again (menu Run, Run All Cells) to go on "
    "where you stopped; what was saved is kept."
)


class Form(anywidget.AnyWidget):
    """One rater's form for one round; show it by making it the last line of a cell.

    Nothing of the round is in the widget's state: items go to the browser one at a time, as
    messages, and only what the protocol lets this rater see.
    """

    _esm = front.script()
    _css = front.style()

    def __init__(self, round: Round, rater: str | None):
        refuse(round, rater)
        assert rater
        self._sitting = Sitting(round, rater)
        # Messages may come on other threads than the notebook's, and on several.
        self._turn = threading.Lock()
        super().__init__()
        self.on_msg(self._heard)

    def __repr__(self) -> str:
        """What stands in a saved notebook where the form was, once its kernel is gone."""
        return GONE

    def _repr_mimebundle_(self, **how: Any) -> Any:
        # Lab says no more than “model not found” of a form whose kernel is gone. This line stands
        # before it, and the form's own style hides it for as long as there is a form.
        display(HTML(f'<p class="rb-gone">{GONE}</p>'))
        return super()._repr_mimebundle_(**how)

    def add_unsaved(self, file: str | os.PathLike[str]) -> str:
        """Stores what a rater downloaded as unsaved; says how much of it was new to the store."""
        content = json.loads(Path(file).read_text(encoding="utf-8"))
        meant = (content.get("round"), content.get("rater"))
        if meant != self._sitting.named:
            raise RoundError(
                f"{file} holds answers of {meant[1]} in {meant[0]}: open that rater's form."
            )
        with self._turn:
            acks = self._sitting.save(content["answers"])["acks"]
        bad = [ack["reason"] for ack in acks if not ack["ok"]]
        said = f"{len(acks) - len(bad)} answers are in the store"
        return f"{said}, {len(bad)} were refused: {'; '.join(bad)}" if bad else f"{said}."

    def _heard(self, _: Any, content: Any, __: Any) -> None:
        answer = self.answer(content)
        if answer is not None:
            self.send(answer)

    def answer(self, content: Any) -> dict[str, Any] | None:
        """What to say to a message of the browser; None to what is none of ours."""
        if not isinstance(content, dict):
            return None
        tab = content.get("tab")
        to = tab if isinstance(tab, str) and tab.isprintable() else None
        with self._turn:
            try:
                return {**self._said(content), "to": to}
            except RoundError as problem:
                text = str(problem)
            except Exception as problem:  # the rater hears of it, and the form goes on
                text = f"The form cannot answer this ({type(problem).__name__}): reload the page."
        # No acknowledgement: what was sent stays in the browser and comes again.
        kind = "trouble" if content.get("kind") == "save" else "say"
        return {"kind": kind, "text": text, "to": to}

    def _said(self, content: dict[str, Any]) -> dict[str, Any]:
        kind = content.get("kind")
        if kind == "open":
            return self._sitting.open()
        if kind == "item":
            return self._sitting.item(content)
        if kind == "items":
            return self._sitting.items()
        if kind == "save":
            events = content.get("events")
            if not isinstance(events, list) or len(events) > MOST:
                raise RoundError(
                    f"What was to be saved is no list of up to {MOST:,} answers: reload the page."
                )
            return self._sitting.save(events)
        said = repr(shown(kind)) if isinstance(kind, str) else f"of {type(kind).__name__}"
        raise RoundError(f"The form does not know the message {said}: reload the page.")


def refuse(round: Round, rater: str | None, kinds: Sequence[str] = PEOPLE) -> None:
    """What cannot be rated, or settled where the kind is an adjudicator's, is refused here, with
    the remedy, and not in the browser."""
    if round.bare:
        raise RoundError(
            f"{round.name} was opened bare, without the texts: it can be analysed, not rated. "
            "Open a round of its items without --bare to rate them."
        )
    noun, more = ("rater", "") if kinds == PEOPLE else (kinds[0], f", kind={kinds[0]!r}")
    one = f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
    known = {each.name: each for each in round.raters()}
    if rater not in known:
        people = [each.name for each in known.values() if each.kind in kinds]
        names = ", ".join(people) or "nobody yet"
        if not rater:
            said = f"No {noun} is named: set {noun} to your name as {round.name} has it ({names})."
            new = f" Add one: {_adding(round, 'NAME', more)}." if more and not people else ""
            raise RoundError(said + new)
        raise RoundError(
            f"{rater!r} is not {one} of {round.name} ({noun}s: {names}).{hint(rater, people)} "
            f"Somebody new is added once with {_adding(round, rater, more)}."
        )
    if known[rater].kind not in kinds:
        use = "the form is for people" if kinds == PEOPLE else f"{one} has a name of their own"
        raise RoundError(f"{rater!r} is {known[rater].kind}: {use}.")
    if known[rater].excluded is not None:
        raise RoundError(f"{rater!r} was excluded from {round.name}: {known[rater].excluded}")


def _adding(round: Round, name: str, more: str) -> str:
    return f"Workspace().round({round.name!r}).add_rater({name!r}{more})"
