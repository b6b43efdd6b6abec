"""The lead's panel: a new round, or one that runs, with all that is done to it until its page.

Every button is a call of Workspace or Round, as the command line makes it. While a round is open
nothing here says how far raters agree, but at looks it declared: whoever looks again and again
stops where it looks well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import floor
from pathlib import Path
from typing import Any

import ipywidgets as widgets
from markupsafe import Markup

from raterbook.files import write_guide
from raterbook.files.formats import endings
from raterbook.panels.controls import (
    BESIDE,
    Drawn,
    DroppedFile,
    Notice,
    box,
    button,
    following,
    refusal,
    tick,
)
from raterbook.panels.handout import PlanPanel, link
from raterbook.panels.opening import OpeningPanel
from raterbook.reporting.folder import slug
from raterbook.reporting.html import bullets, fold, heading, paragraph, part, table
from raterbook.reporting.kernel import WATCHER
from raterbook.reporting.shown import MOST, said
from raterbook.reporting.words import capital
from raterbook.rounds import RATER_KINDS, RoundError
from raterbook.rounds.model import PLANNED, FileError, counted, listed
from raterbook.widgets import LISTED, PANEL, Keyboard, close, row, show

SHOWN = ("rater", "kind", "assigned", "complete", "begun", "missing", "flagged")
HEAD = ("Rater", "Kind", "Assigned", "Complete", "Begun", "Missing", "Flagged", "Pace", "Time left")
HIDDEN = (
    "Agreement stays hidden until the round is closed: who looks again and again, and stops where "
    "it looks well, sees agreement that is not there. To see it all the same: now = True in "
    "explore.ipynb, or raterbook report on the command line."
)


class LeadPanel(widgets.VBox):
    """A workspace: choose one of its rounds, or open a new one."""

    def __init__(self, workspace: Any, round_name: str | None = None):
        self._workspace = workspace
        self.panel: Any = None
        self.chosen = box(widgets.Dropdown, "Round")
        self.place, self.keyboard = Drawn(), Keyboard()
        super().__init__()
        self.chosen.observe(self._choose, "value")
        self._list(round_name or "")
        self.add_class("rb-lead").add_class(PANEL)

    def _list(self, name: str) -> None:
        known = self._workspace.rounds()
        if name and name not in known:
            self._workspace.round(name)  # says which there are
        with self.hold_trait_notifications():
            self.chosen.options = [("a new round", ""), *((each, each) for each in known)]
        self.chosen.value = name
        self._choose()

    def _choose(self, _: Any = None) -> None:
        name = self.chosen.value
        if self.panel is not None and getattr(self.panel, "round_name", "") == name:
            return
        before = self.panel
        if name:
            self.panel = RoundPanel(self._workspace.round(name))
        else:
            self.panel = OpeningPanel(self._workspace, self._opened)
        if name or not self._workspace.rounds():
            self.place.draw(paragraph(f"Workspace {self._workspace.path}", "soft"))
        else:
            self.place.value = self._workspace._repr_html_()
        self.children = [self.chosen, self.place, self.panel, self.keyboard]
        if before is not None:
            close(before)

    def _opened(self, round: Any, lines: Sequence[str]) -> None:
        self._list(round.name)
        self.panel.notice.say(lines)


class RoundPanel(widgets.VBox):
    """A round on its way: who is how far, and what a lead can do about it."""

    def __init__(self, round: Any):
        self._round = round
        self.round_name: str = round.name
        self.notice = Notice()
        self.head, self.progress = Drawn(), Drawn()
        pages = {
            "Progress": self._of_progress(),
            "Raters": self._of_raters(),
            "Hand out": self._of_handouts(),
            "Take in a file": self._of_files(),
            "Close and report": self._of_page(),
        }
        self.tabs = widgets.Tab(list(pages.values()), titles=list(pages))
        super().__init__([self.head, self.notice, self.tabs, Keyboard()])
        self.refresh()
        self.add_class("rb-lead").add_class(PANEL)
        if round.store.server is not None:  # which tells when something comes
            following(self)

    def look(self) -> Any:
        """How far everybody is by now."""
        found = self._round.status()
        self.head.draw(
            heading(found.head()), paragraph(found.size()), paragraph(capital(found.missing()))
        )
        self.progress.draw(*progress(found, durations(self._round)))
        return found

    def refresh(self) -> None:
        """As the round stands now; raters and others change it meanwhile."""
        found = self.look()
        going = found["state"] == "open"
        people = [one for one in found["raters"] if one["kind"] in PLANNED]
        names = [one["rater"] for one in found["raters"]]
        out = [one["rater"] for one in found["raters"] if one["excluded"]]
        self._choices(self.giver, [one["rater"] for one in people])
        self._choices(self.taker, [one["rater"] for one in people if not one["excluded"]])
        self._choices(self.leaving, [name for name in names if name not in out])
        self._choices(self.returning, out)
        self._choices(self.receiver, [one["rater"] for one in people if not one["excluded"]])
        show(self._including, bool(out))
        for one in (self._adding, self._reassigning, self.plan, self._taking):
            show(one, going)
        for one in self._only_open:
            show(one, not going)
        show(self.closing, going)
        show(self.reopening, not going)
        seen = self._may_be_seen()
        until = [*found.looks(), HIDDEN if not found.looks() else ""] if going else []
        self.hidden.draw(*(paragraph(line, "soft") for line in until if line))
        show(self.building, seen)
        if not seen:
            self.page.draw()
        show(self.page, seen)

    def _may_be_seen(self) -> bool:
        """Whether the round is closed, or has come to a look it declared."""
        looks = self._round.looks()
        if looks is None:
            return bool(self._round.state == "closed")
        return not looks.hidden

    @staticmethod
    def _choices(one: Any, names: Iterable[str]) -> None:
        """Renewed choices keep what was chosen, where it is still there."""
        kept, options = one.value, [("choose", ""), *((name, name) for name in names)]
        one.options = options
        one.value = kept if (kept, kept) in options else ""

    def _button(self, words: str, act: Any, **how: Any) -> Any:
        def done() -> Sequence[str]:
            lines: Sequence[str] = act()
            self.refresh()
            return lines

        return button(words, self.notice, done, **how)

    # Progress

    def _of_progress(self) -> Any:
        self.looking = self._button("Look again", list)
        return widgets.VBox([self.progress, row(self.looking)])

    # Raters

    def _of_raters(self) -> Any:
        self.newcomer = box(widgets.Text, "A new rater", placeholder="name")
        self.adding = self._button("Add", self._add)
        self.giver, self.taker = (
            box(widgets.Dropdown, "Move from"),
            box(widgets.Dropdown, "to", **BESIDE),
        )
        self.reason = box(widgets.Text, "because", placeholder="stands in the log")
        self.reassigning = self._button("Move what is unfinished", self._reassign)
        self.leaving = box(widgets.Dropdown, "Leave out")
        self.why = box(widgets.Text, "because", placeholder="stands on the page")
        self.excluding = self._button("Leave out of every number", self._exclude)
        self.returning = box(widgets.Dropdown, "Count again")
        self.since = box(widgets.Text, "because", placeholder="stands in the log")
        self.including = self._button("Let count again", self._include)
        self._adding = row(self.newcomer, self.adding)
        self._reassigning = widgets.VBox(
            [row(self.giver, self.taker), row(self.reason, self.reassigning)]
        )
        self._including = widgets.VBox([row(self.returning), row(self.since, self.including)])
        self.plan = PlanPanel(self._round, self._button)
        excluding = widgets.VBox([row(self.leaving), row(self.why, self.excluding)])
        groups = [self._adding, self._reassigning, self.plan, excluding, self._including]
        return widgets.VBox([group.add_class("rb-group") for group in groups])

    def _add(self) -> list[str]:
        name = self.newcomer.value.strip()
        already = "already " if name in {one.name for one in self._round.raters()} else ""
        rater = self._round.add_rater(name)
        items = len(self._round.queued(rater.name))
        self.newcomer.value = ""
        if items:
            return [
                f"{name} is {already}a rater of {self.round_name}, with {counted(items, 'item')}."
            ]
        full = " Every item has its raters: move unfinished ones." if self._round.items() else ""
        return [f"{name} is {already}a rater of {self.round_name}, without items.{full}"]

    def _reassign(self) -> list[str]:
        giver, taker = self._named(self.giver), self._named(self.taker)
        done = self._round.reassign(giver, taker, self.reason.value.strip() or None)
        self.reason.value = ""
        lines = [f"{counted(len(done.moved), 'item')} moved from {giver} to {taker}."]
        if done.doubled:
            which = f"{counted(len(done.doubled), 'item')} ({listed(done.doubled, 5)})"
            stays = f"they stay with {giver}, or an item would lose a rater" if done.kept else ""
            other = f"; {done.other} could take them" if stays and done.other else ""
            said = stays or f"nobody is asked about them in place of {giver} now"
            lines.append(f"{which} {taker} had already: {said}{other}.")
        return lines

    def _exclude(self) -> list[str]:
        name, why = self._named(self.leaving), self.why.value.strip()
        self._round.exclude(name, why)
        self.why.value = ""
        return [f"{name} no longer counts: {why}"]

    def _include(self) -> list[str]:
        name = self._named(self.returning)
        self._round.include(name, self.since.value.strip() or None)
        self.since.value = ""
        return [f"{name} counts again."]

    @staticmethod
    def _named(one: Any) -> str:
        if not one.value:
            raise RoundError(f"Choose whom first, under “{one.description}”.")
        return str(one.value)

    # What is handed out

    def _of_handouts(self) -> Any:
        self.receiver = box(widgets.Dropdown, "For")
        self.handed = Drawn()
        self.notebooks = self._button("Notebook to rate in", self._hand_notebooks)
        self.sheets = self._button("Sheet to fill in", self._hand_sheets)
        self.guide = self._button("Guide for raters", self._hand_guide)
        about = Drawn()
        about.draw(
            paragraph(
                "A notebook opens the form for one rater. A sheet is an Excel file of the rater's "
                "items, for somebody without Jupyter; it comes back under “Take in a file”. With "
                "nobody chosen everybody gets one. Notebooks and sheets that are there stay as "
                "they are.", "soft"
            )
        )  # fmt: skip
        return widgets.VBox(
            [about, self.receiver, row(self.notebooks, self.sheets, self.guide), self.handed]
        )

    def _receivers(self) -> list[str]:
        if self.receiver.value:
            return [self.receiver.value]
        names = [value for _, value in self.receiver.options if value]
        if not names:
            raise RoundError(f"{self.round_name} has no people yet: add a rater first.")
        return names

    def _hand(self, files: Iterable[tuple[str, Path]]) -> list[str]:
        given = list(files)
        place = Path(self._round.workspace.path)
        shown = [(who, str(f.relative_to(place)), link(f)) for who, f in given[:LISTED]]
        pieces = [part("handed", shown)]
        if (rest := len(given) - LISTED) > 0:
            pieces.append(paragraph(f"{rest:,} further files lie beside these.", "soft"))
        self.handed.draw(*pieces)
        return [f"{counted(len(given), 'file')} to hand out."]

    def _hand_notebooks(self) -> list[str]:
        return self._hand((name, self._round.notebook(name)) for name in self._receivers())

    def _hand_sheets(self) -> list[str]:
        def sheet(name: str) -> Path:
            file = self._folder() / f"sheet-{slug(name)}.xlsx"
            return file if file.exists() else self._round.sheet(name, file)

        named = self._receivers()
        busy = [n for n in named if n == self.receiver.value or self._round.queued(n)]
        return self._hand((name, sheet(name)) for name in busy)

    def _hand_guide(self) -> list[str]:
        file = write_guide(self._round, self._folder() / "guide.html")
        return self._hand([("everybody", file)])

    def _folder(self) -> Path:
        folder = Path(self._round.workspace.path) / "handouts" / self.round_name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    # Files of answers

    def _of_files(self) -> Any:
        formats = endings("texts", "values", "records")
        self.answers = DroppedFile(
            "Drop a file of answers here, or choose it.", formats, self.notice
        )
        self.rater = box(
            widgets.Text, "Answers of", placeholder="where the file does not say whose"
        )
        self.kind = box(
            widgets.Dropdown,
            "who are",
            **BESIDE,
            options=[("as the file says", ""), *((k, k) for k in RATER_KINDS)],
        )
        self.replace = tick("differing answers are corrections")
        self.new_raters = tick("names like a known one are other people")
        self.rehearsed = Drawn()
        self.taking = self._button("Take it in", self._take, button_style="primary")
        for one in (self.answers, self.rater, self.kind, self.replace, self.new_raters):
            one.observe(self._rehearse, "path" if one is self.answers else "value")
        show(self.taking, False)
        self._taking = widgets.VBox(
            [self.answers, row(self.rater, self.kind), row(self.replace, self.new_raters),
             self.rehearsed, row(self.taking)]
        )  # fmt: skip
        closed = Drawn()
        closed.draw(paragraph("The round is closed: nothing comes in. Reopen it first."))
        self._only_open = [closed]
        return widgets.VBox([self._taking, closed])

    def _how(self) -> dict[str, Any]:
        return {
            "rater": self.rater.value.strip() or None,
            "kind": self.kind.value or None,
            "replace": self.replace.value,
            "new_raters": self.new_raters.value,
        }

    def _rehearse(self, _: Any = None) -> None:
        """What taking the file in would do; only what is sound can be taken in."""
        show(self.taking, False)
        self.rehearsed.draw()
        if not self.answers.path:
            return
        try:
            would = self._round.rehearse(self.answers.path, **self._how())
        except Exception as error:  # whatever it was, people read a sentence
            self.rehearsed.draw(*refusal(error))
            return
        first, *rest = str(would).splitlines()
        self.rehearsed.draw(
            paragraph(f"Taken in, it would be: {first}. Nothing is stored yet."), bullets(rest)
        )
        show(self.taking, True)

    def _take(self) -> list[str]:
        if not self.answers.path:
            raise FileError("Drop a file first.")
        summary = self._round.add(self.answers.path, **self._how())
        self.answers.forget()
        return str(summary).splitlines()

    # The end

    def _of_page(self) -> Any:
        self.ending = box(widgets.Text, "because", placeholder="stands in the log")
        self.closing = self._button("Close the round", self._close)
        self.reopening = self._button("Reopen it", self._reopen)
        self.hidden, self.page = Drawn(), Drawn()
        self.bar = widgets.IntProgress(
            min=0, max=1, layout=widgets.Layout(width="24em", display="none")
        )
        self.making = self._button("Build the page", self._build, button_style="primary")
        self.building = row(self.making, self.bar)
        return widgets.VBox(
            [row(self.ending, self.closing, self.reopening), self.hidden, self.building, self.page]
        )

    def _close(self) -> list[str]:
        self._round.close(self.ending.value.strip() or None)
        self.ending.value = ""
        return [f"{self.round_name} is closed: nothing comes in, and its page can be built."]

    def _reopen(self) -> list[str]:
        self._round.reopen(self.ending.value.strip() or None)
        self.ending.value = ""
        return [f"{self.round_name} is open again; the log says so."]

    def _build(self) -> list[str]:
        def watch(done: int, of: int) -> None:
            self.bar.max, self.bar.value = of, done

        if not self._may_be_seen():
            raise RoundError(HIDDEN)
        show(self.bar, True)
        self.bar.value = 0
        token = WATCHER.set(watch)
        try:
            page = self._round.report()
        finally:
            WATCHER.reset(token)
            show(self.bar, False)
        self.page.value = page._repr_html_()
        return ["The page is built; here it is."]


# How far raters are.


def durations(round: Any) -> dict[str, list[float]]:
    """Seconds each rater took for each item that was timed, in the order they were answered."""
    rows = round.frame(excluded=True)[["rater", "item", "seconds", "answered_at"]]
    rows = rows.dropna(subset=["seconds", "item"])
    if rows.empty:
        return {}
    spent = rows.groupby(["rater", "item"], observed=True, sort=False).agg(
        seconds=("seconds", "sum"), at=("answered_at", "max")
    )
    found: dict[str, list[float]] = {}
    for (rater, _), seconds in spent.sort_values("at", kind="stable")["seconds"].items():
        found.setdefault(str(rater), []).append(float(seconds))
    return found


def progress(found: Any, times: Mapping[str, Sequence[float]]) -> list[Markup]:
    """A line for each rater, and the flags with their reasons. No word on agreement."""
    raters = found["raters"]
    if not raters:
        return [paragraph("Nobody has been asked yet: add raters, or take in a file of answers.")]
    rows = []
    for one in raters[:MOST]:
        mine = list(times.get(one["rater"], ()))
        done = mine[:-1] if one["begun"] else mine  # the last may be half done
        pace = "" if usual(done) is None else f"{usual(done):,.0f} s an item"
        left = time_left(done, one["unfinished"]).removesuffix(" left")
        rows.append([*(said(one, name) for name in SHOWN), pace, left])
    wide = len(HEAD) if any(each[-2] for each in rows) else len(SHOWN)  # nobody was timed yet
    cut = [each[:wide] for each in rows]
    shown = [table(HEAD[:wide], cut, f"The raters of {found['round']}", text=2)]
    if len(raters) > MOST:
        shown.append(paragraph(f"{MOST} of {len(raters):,} raters are shown.", "soft"))
    if flags := found.flags():
        shown.append(fold(f"{counted(len(flags), 'flag')}, with reasons", bullets(flags[:MOST])))
    return shown


RECENT = 15  # of the latest items the middle one says how long an item takes
LEAST = 3  # before so many nothing is said


def usual(durations: Sequence[float]) -> float | None:
    recent = sorted(durations[-RECENT:])
    return recent[len(recent) // 2] if len(durations) >= LEAST else None


def time_left(durations: Sequence[float], items_left: int) -> str:
    """What the form tells its rater: `timeLeft` in rating/front/time.js says the same.

    >>> time_left([60, 60, 600], 10), time_left([60, 60], 10)
    ('about 10 min left', '')
    """
    each = usual(durations)
    if each is None or items_left < 1:
        return ""
    minutes = floor(each * items_left / 60 + 0.5)
    if minutes < 1:
        return "less than a minute left"
    if minutes < 60:
        return f"about {minutes} min left"
    hours, rest = minutes // 60, 5 * floor(minutes % 60 / 5 + 0.5)
    if rest == 60:
        return f"about {hours + 1} h left"
    return f"about {hours} h {rest} min left" if rest else f"about {hours} h left"
