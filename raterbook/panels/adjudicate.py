"""The adjudicator's panel: what is in dispute, one by one, and the votes of a calibration.

Everything is drawn into widgets of its own, as text; what is done goes through `Round.save` and
`Round.reveal`.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from raterbook.numbers.disputes import (
    BY,
    Dispute,
    Disputes,
    disputes,
    is_settled,
    undecided,
    votes,
)
from raterbook.numbers.targets import refuse_hidden
from raterbook.panels.controls import Drawn, Notice, tick
from raterbook.protocols import Question
from raterbook.rating.form import refuse
from raterbook.reporting.html import bullets, heading, paragraph
from raterbook.reporting.sections.disputes import Cards, agenda, how_far, vote_table
from raterbook.reporting.words import capital, count, listing, scale_names
from raterbook.rounds import Answer, Event, Round, RoundError
from raterbook.rounds.consensus import ADJUDICATOR
from raterbook.widgets import LISTED, PANEL, ROWS, Keyboard, close, row, show

WIDE, FITTING = {"width": "99%"}, {"width": "auto"}
Cell = tuple[str, int, str]  # the ref of an item or case, a part or 0, a question


class Adjudication(widgets.Tab):
    """`Adjudication(round, "uma")`: what raters differ on, for uma to decide, with her reasons.

    What was decided is an answer of hers; the raters' own stay. Opened again it goes on where it
    stopped.
    """

    def __init__(self, round: Round, adjudicator: str | None):
        refuse(round, adjudicator, (ADJUDICATOR,))
        refuse_hidden(round)  # who sees what is in dispute sees how far raters agree
        assert adjudicator
        self.decide = DecisionPanel(round, adjudicator)
        self.calibrate = CalibrationPanel(round, adjudicator)
        super().__init__([self.decide, self.calibrate], titles=("Decide", "Calibrate"))
        self.add_class("rb-adjudicate").add_class(PANEL)
        self.observe(lambda _: self.children[self.selected_index or 0].refresh(), "selected_index")


class DecisionPanel(widgets.VBox):
    """One dispute at a time, ties and the widest first, with the answers side by side."""

    def __init__(self, round: Round, adjudicator: str):
        self.round, self.adjudicator, self.shown = round, adjudicator, Cards(round)
        self.here: Cell | None = None  # the dispute that is shown
        self.filling = False
        self.refs = {case.key: case.ref for case in round.cases()}
        self.refs_of_items = {key: item.ref for key, item in self.shown.items.items()}
        self.named = {ref: key for key, ref in (*self.refs.items(), *self.refs_of_items.items())}
        self.first = 0  # of the disputes that the list has
        # What stood before each step, to undo it: of what was decided, and of what that closed.
        self.steps: list[dict[Cell, Answer | None]] = []
        asked = [q for q in round.protocol.questions if is_settled(q)]
        ways = [(capital(words), name) for name, words in BY.items()]
        self.by = widgets.Dropdown(
            options=ways, description="In dispute", layout={"width": "44rem", "max_width": "99%"}
        )
        self.beyond = widgets.BoundedFloatText(
            value=1, min=0, max=100, step=1, description="Levels", tooltip="Further apart than"
        )
        every = [("All questions", ""), *((q.label, q.id) for q in asked)]
        self.question = widgets.Dropdown(options=every, description="Question")
        self.names = tick("Raters’ names")
        self.head, self.page, self.said = Drawn(), Drawn(), Notice()
        self.chosen = widgets.Dropdown(
            options=[], description="Dispute", layout=widgets.Layout(width="40em", max_width="99%")
        )
        self.place = widgets.BoundedIntText(
            min=1, max=1, description="Go to", layout=widgets.Layout(width="12em")
        )
        self.choice: Any = widgets.RadioButtons(options=[])
        self.choices = widgets.VBox([self.choice])
        self.why = widgets.Textarea(
            description="Reason",
            placeholder="Why: it is reported beside the decision",
            layout=widgets.Layout(width="99%", height="6em"),
            style={"description_width": "4em"},
            continuous_update=False,  # sent whole before a click is
        )
        self.buttons = {
            name: widgets.Button(description=words, layout=FITTING)
            for name, words in {
                "decide": "Decide",
                "leave": "Leave open",
                "back": "Take back",
                "undo": "Undo",
                "earlier": "Previous",
                "later": "Next",
                "agenda": "Write an agenda",
            }.items()
        }
        self.buttons["decide"].button_style = "primary"
        moving = (self.buttons[name] for name in ("earlier", "later", "agenda"))
        moves = row(self.chosen, self.place, *moving)
        deciding = row(*(self.buttons[name] for name in ("decide", "leave", "back")))
        # What is there while there is a dispute: shown and hidden, never made anew, so that a
        # button that was pressed keeps the keyboard.
        self.of_one = [moves, self.page, self.choices, self.why, deciding]
        # The decision stands beside the answers where there is room, else below them.
        beside = widgets.VBox(
            [self.choices, self.why, row(deciding, self.buttons["undo"]), self.said],
            layout={"flex": "1 1 17em", "min_width": "0", "max_width": "36rem"},
        )
        at = self.page.layout
        at.flex, at.min_width, at.max_width, at.margin = "3 1 32em", "0", "56rem", "2px 1em 2px 2px"
        whole = widgets.HBox([self.page, beside], layout={**ROWS, "align_items": "flex-start"})
        super().__init__(
            [
                self.by,
                row(self.question, self.beyond, self.names),
                self.head,
                moves,
                whole,
                Keyboard(),
            ]
        )
        for name, do in {
            "decide": self._decide,
            "leave": self._leave,
            "back": self._take_back,
            "undo": self._undo,
            "earlier": lambda: self._step(-1),
            "later": lambda: self._step(1),
            "agenda": self._agenda,
        }.items():
            self.buttons[name].on_click(self._safely(do))
        for each in (self.by, self.beyond, self.question):
            each.observe(lambda _: self.refresh(), "value")
        self.names.observe(lambda _: self.draw(), "value")
        self.chosen.observe(self._pointed, "value")
        self.place.observe(self._gone_to, "value")
        self.refresh()

    # What is there

    def refresh(self) -> None:
        """What is in dispute now; the one that was shown stays, else the first that is open."""
        self._count()
        self.show(self._still(self.here))

    def _count(self) -> None:
        show(self.beyond, self.by.value == "spread")
        questions = [self.question.value] if self.question.value else []
        self.every = Disputes(self.round, questions, self.by.value, self.beyond.value)
        self.waiting = unfinished(self.round)
        self._listed()

    def _still(self, *wanted: Cell | None) -> Cell | None:
        """The first of these that is in dispute, else the first dispute that is open."""
        cells = [self.cell(one) for one in self.found]
        left = [self.cell(one) for one in undecided(self.found) if not self.is_mine(one)]
        return next((cell for cell in wanted if cell in cells), next(iter(left or cells), None))

    def _listed(self) -> None:
        self.found = [one for one in self.every.found if one.disputed]
        self.mine = self.round.current(self.adjudicator)

    def _changed(self) -> None:
        """What was just said is in the list, which is not drawn yet: what is drawn twice takes away
        what somebody quick has chosen in the first. All is counted anew only where somebody else
        has answered meanwhile, or where it is not in the list that is shown."""
        before, now = self.mine, self.round.current(self.adjudicator)
        if self.every.is_behind(self.adjudicator) or not all(
            self.every.settle((cell[2], self.named[cell[0]], cell[1]), self.adjudicator, held)
            for cell, held in differing(now, before).items()
        ):
            self._count()
        else:
            self._listed()

    def show(self, cell: Cell | None) -> None:
        """This one; the list of those around it says how each stands."""
        self.here = cell
        at = next((n for n, one in enumerate(self.found) if self.cell(one) == cell), None)
        if at is not None and not self.first <= at < self.first + LISTED:
            self.first = at - LISTED // 2
        self.first = max(0, min(self.first, len(self.found) - LISTED))
        around = self.found[self.first : self.first + LISTED]
        lines = [(self._line(n, one), n) for n, one in enumerate(around, start=self.first + 1)]
        self.filling = True
        self.chosen.options = lines
        self.chosen.index = None if at is None else at - self.first
        self.place.max = max(1, len(self.found))
        self.place.value = 1 if at is None else at + 1
        show(self.place, len(self.found) > LISTED)
        self.filling = False
        self._picked()

    def cell(self, one: Dispute) -> Cell:
        refs = self.refs if one.item is None else self.refs_of_items
        return refs[one.subject], one.part, one.question

    def is_mine(self, one: Dispute) -> bool:
        return self.cell(one) in self.mine

    def _line(self, place: int, one: Dispute) -> str:
        """Nothing in it names the item: that can tell whose output it is."""
        question = self.round.protocol.question(one.question)
        state = "decided" if one.decision else "left open" if one.left else "open"
        return f"{place} · {question.label} · {how_far(question, one)} · {state}"

    def _current(self) -> Dispute | None:
        return next((one for one in self.found if self.cell(one) == self.here), None)

    def _pointed(self, _: Any) -> None:
        if not self.filling and self.chosen.index is not None:
            self.show(self.cell(self.found[self.first + self.chosen.index]))

    def _gone_to(self, _: Any) -> None:
        if not self.filling and self.place.value <= len(self.found):
            self.show(self.cell(self.found[self.place.value - 1]))

    # What is shown

    def _picked(self) -> None:
        """The controls for this dispute, with what was decided of it before."""
        one, before = self._current(), self.choice
        self.said.draw()
        if one is not None:
            question = self.round.protocol.question(one.question)
            held = self.mine.get(self.cell(one))
            self.choice = control(question, None if held is None else held.value)
            self.why.value = "" if held is None else held.reason or ""
        self.draw()
        if before is not self.choice:
            self.choices.children = [self.choice]
            close(before)

    def draw(self) -> None:
        one = self._current()
        left = undecided(self.found)
        said = f"{capital(count(len(self.found), 'question'))} in dispute: "
        said += f"{len(self.found) - len(left):,} settled, {len(left):,} open."
        lines = [paragraph(said)]
        if self.waiting:
            told = f"Not finished: {self.waiting}. What is in dispute may change."
            lines.append(paragraph(told))
        if self.found and not left:
            lines.append(paragraph("Nothing is left to decide."))
        self.head.draw(*lines)
        self.buttons["undo"].disabled = not self.steps
        self.buttons["back"].disabled = one is None or not self.is_mine(one)
        for each in self.of_one:
            show(each, one is not None)
        if one is None:
            return
        place = self.found.index(one) + 1
        title = f"{place} of {len(self.found)}. {self.round.protocol.question(one.question).label}"
        self.page.draw(self.shown.card(one, title, self.names.value))

    def tell(self, text: str) -> None:
        self.said.draw(paragraph(text))

    # What is done

    def _safely(self, do: Callable[[], None]) -> Callable[[Any], None]:
        """What the store refuses is said, and what was written stays in the panel."""

        def done(_: Any) -> None:
            try:
                do()
            except RoundError as refused:
                self.tell(str(refused))

        return done

    def _decide(self) -> None:
        one = self._current()
        if one is None:
            return
        if self.choice.value in (None, ""):
            raise RoundError("Nothing was stored: choose an answer first.")
        chosen = str(self.choice.value)
        said = scale_names(self.round.protocol.question(one.question)).get(chosen, chosen)
        self._say(one, f"decided: {said}.", value=self.choice.value)

    def _leave(self) -> None:
        one = self._current()
        if one is not None:
            self._say(one, "left open.", status="skipped")

    def _say(self, one: Dispute, done: str, **answer: Any) -> None:
        why = self.why.value.strip()
        if not why:
            raise RoundError("Nothing was stored: write why, it is reported beside the decision.")
        cell, place = self.cell(one), self.found.index(one) + 1
        before = self.mine
        self._store(cell, reason=why, **answer)
        self._go_on(one)
        self._did(cell, before)
        self.tell(f"Dispute {place} of {len(self.found)} is {done}")

    def _take_back(self) -> None:
        one = self._current()
        if one is None or not self.is_mine(one):
            return
        cell, before = self.cell(one), self.mine
        self._store(cell, status="retracted")
        self._changed()
        self._did(cell, before)
        self.show(self._still(cell))
        self.tell("Taken back: it is open again.")

    def _did(self, cell: Cell, before: Mapping[Cell, Answer]) -> None:
        """A step to undo, what was decided first: what it closed can only come back after it."""
        self.steps.append({cell: before.get(cell)} | differing(before, self.mine))
        self.buttons["undo"].disabled = False

    def _undo(self) -> None:
        """What stood before the last step stands again, as a new answer: nothing is erased."""
        if not self.steps:
            return
        cell, *_ = self.steps[-1]
        for each, before in self.steps[-1].items():
            if before is None:
                self._store(each, status="retracted")
            else:
                value = before.value if before.status == "answered" else None
                self._store(each, value=value, status=before.status, reason=before.reason)
        self.steps.pop()
        self._changed()
        self.show(self._still(cell, self.here))
        self.tell("The last step is undone.")

    def _store(self, cell: Cell, **answer: Any) -> None:
        subject, number, question = cell
        event = Event(uuid.uuid4().hex, subject, question, part=number, **answer)
        (ack,) = self.round.save(self.adjudicator, [event])
        if not ack.ok:
            raise RoundError(f"Nothing was stored: {ack.reason}.")

    def _go_on(self, one: Dispute) -> None:
        """To the next that is open, from here on and around."""
        cell = self.cell(one)
        self._changed()
        cells = [self.cell(each) for each in self.found]
        here = cells.index(cell) if cell in cells else -1
        left = {self.cell(each) for each in undecided(self.found)} - set(self.mine)
        for place in (*range(here + 1, len(cells)), *range(here + 1)):
            if cells[place] in left:
                self.show(cells[place])
                return
        self.show(cell if cell in cells else next(iter(cells), None))

    def _step(self, way: int) -> None:
        one = self._current()
        if one is not None:
            place = (self.found.index(one) + way) % len(self.found)
            self.show(self.cell(self.found[place]))

    def _agenda(self) -> None:
        file = Path(f"{self.round.name}-agenda.html")
        agenda(self.round, self.found, file, self.names.value)
        self.tell(f"Written beside this notebook: {file}.")


def differing(now: Mapping[Cell, Answer], other: Mapping[Cell, Answer]) -> dict[Cell, Any]:
    """What stands now, of all that stands otherwise in the other; None where nothing does."""
    return {cell: now.get(cell) for cell in {**now, **other} if now.get(cell) != other.get(cell)}


def control(question: Question, value: Any) -> Any:
    """Where an answer is chosen, none to begin with: a list, or a field for a number."""
    if question.values:
        names = scale_names(question)
        options = [(names.get(str(each), str(each)), each) for each in question.values]
        return widgets.RadioButtons(
            options=options, value=value, description="Decision", layout=WIDE
        )
    low, high = question.ends
    text = "" if value is None else f"{value:g}"  # a slider would begin with an answer
    return widgets.Text(text, description="Decision", placeholder=f"{low:g} to {high:g}")


def unfinished(round: Round) -> str:
    """“ben (3 items)”: people who have items left."""
    people, _ = round.standings()
    left = [
        f"{one.rater} ({count(one.items - one.complete, 'item')})"
        for one in people
        if one.kind == "human" and one.planned and one.items > one.complete and not one.excluded
    ]
    return listing(left)


# CalibrationPanel: a blind vote, what was said, the discussion, and the vote after it.


class CalibrationPanel(widgets.VBox):
    """Votes in a round: everybody rates alone, the answers are revealed and discussed, and who
    thinks otherwise then corrects the answer in the form."""

    def __init__(self, round: Round, adjudicator: str):
        self.round, self.adjudicator, self.shown = round, adjudicator, Cards(round)
        self.page, self.said = Drawn(), Notice()
        self.drawn = LISTED  # of the questions to discuss
        self.names = tick("Raters’ names", True)
        self.ready = tick("Everybody has voted; a reveal cannot be undone")
        self.reveal = widgets.Button(description="Reveal the answers", layout=FITTING)
        self.again = widgets.Button(description="Look again", layout=FITTING)
        self.reveal.disabled = True
        self.more = widgets.Button(description="Show more", layout=FITTING)
        show(self.more, False)
        super().__init__(
            [
                row(self.again, self.names),
                row(self.reveal, self.ready),
                self.said,
                self.page,
                self.more,
            ]
        )
        self.ready.observe(self._is_ready, "value")
        self.names.observe(lambda _: self.refresh(), "value")
        self.reveal.on_click(lambda _: self._reveal())
        self.again.on_click(lambda _: self.refresh())
        self.more.on_click(lambda _: self._further())

    def _further(self) -> None:
        self.drawn += LISTED
        self.refresh()

    def _is_ready(self, _: Any) -> None:
        self.reveal.disabled = not self.ready.value

    def _reveal(self) -> None:
        if not self.ready.value:
            return
        try:
            self.round.reveal(self.adjudicator)
        except RoundError as refused:
            self.said.draw(paragraph(str(refused)))
            return
        self.said.draw()
        self.ready.value = False
        self.refresh()

    def refresh(self) -> None:
        """Before the first reveal how many have voted, and nothing of what they said."""
        found = votes(self.round)
        waiting = unfinished(self.round)
        told = f"Not finished: {waiting}." if waiting else "Everybody has finished."
        if not found:
            blind = "A blind vote: what anybody said, and how far they agree, is shown to nobody "
            blind += f"before it is revealed. {told}"
            self.page.draw(paragraph(blind))
            return
        steps = [
            "Discuss the questions below. Who thinks otherwise now corrects it in the form.",
            "Look again, or reveal the next vote, and compare α with the vote before.",
        ]
        every = [one for one in disputes(self.round, by="any") if one.disputed]
        cards = [
            self.shown.card(
                one,
                f"{place}. {self.round.protocol.question(one.question).label}",
                self.names.value,
                decided=False,
            )
            for place, one in enumerate(every[: self.drawn], start=1)
        ]
        show(self.more, len(every) > self.drawn)
        if len(every) > self.drawn:
            cards.append(paragraph(f"{self.drawn:,} of {len(every):,} are shown.", "soft"))
        self.page.draw(
            heading(f"{count(len(found) - 1, 'vote')} revealed"),
            vote_table(self.round.protocol, found),
            bullets(steps),
            *cards,
        )
