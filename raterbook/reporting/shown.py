"""What a workspace, a round and a built page look like as the last line of a notebook's cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from ..numbers.disputes import Dispute, undecided
from ..rounds.looks import RoundLooks
from ..rounds.marks import crowd
from ..rounds.model import counted, to_the_minute
from ..rounds.model import shown as one_line
from ..rounds.plan import Replanned
from .html import dressed, join, paragraph, part, table

COLUMNS = ("rater", "kind", "assigned", "complete", "begun", "missing", "flagged", "answers")
HEAD = ("Rater", "Kind", "Assigned", "Complete", "Begun", "Missing", "Flagged", "Answers")
LONG = 2000  # signs of a decision's line
MOST = 30  # raters and flags that a notebook shows of a crowd


class Status(dict[str, Any]):
    """How a round stands: plain data to script with, a few lines to read."""

    def lines(self, most: int | None = None) -> list[str]:
        """One line on the round, one on what is missing, then a line for every rater."""
        raters = self["raters"]
        lines = [self.head(), f"  {self.size()}", f"  {self.missing()}"]
        lines += [f"  {line}" for line in self.looks()]
        if raters:
            rows = [[said(rater, name) for name in COLUMNS] for rater in raters[:most]]
            lines += ["  " + line for line in aligned([list(COLUMNS), *rows])]
        if most is not None and len(raters) > most:
            lines.append(f"  … and {counted(len(raters) - most, 'further rater')}")
        more = [*self.flags()[:most], *self.decisions()[:most]]
        return lines + [f"  {line}" for line in more]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return "\n".join(self.lines(MOST))

    def _repr_html_(self) -> str:
        inside = [part("heading", self.head()), paragraph(self.size()), paragraph(self.missing())]
        inside += [paragraph(line) for line in self.looks()]
        if self["raters"]:
            rows = [[said(rater, name) for name in COLUMNS] for rater in self["raters"][:MOST]]
            inside.append(table(HEAD, rows, f"The raters of {self['round']}", text=2))
        if len(self["raters"]) > MOST:
            inside.append(paragraph(f"{MOST} of {len(self['raters']):,} raters are shown.", "soft"))
        if self.flags():
            inside.append(part("bullets", self.flags()[:MOST]))
        if decisions := self.decisions():
            inside.append(part("bullets", decisions[:MOST]))
        return dressed(join(inside))

    def head(self) -> str:
        since = to_the_minute(self["since"])
        return f"{self['round']}: {self['protocol']}, {self['state']} since {since} (UTC)"

    def size(self) -> str:
        parts = f", {counted(self['parts'], 'part')}" if self["parts"] else ""
        last = self["last_answer_at"]
        when = f", the last at {to_the_minute(last)}" if last else ""
        return (
            f"{counted(self['items'], 'item')} in {counted(self['cases'], 'case')}{parts}; "
            f"{counted(self['answers'], 'answer')}{when}"
        )

    def looks(self) -> list[str]:
        """Until when agreement is hidden, where the round declared looks."""
        return [self["looks"]["said"]] if "looks" in self else []

    def flags(self) -> list[str]:
        """Lines on single answers and raters: flags, answers after a reveal, odd times."""
        lines = [
            f"flagged by {flag['rater']}, {flag['item']}"
            + (f": {flag['reason']}" if flag["reason"] else "")
            for flag in self["flagged"]
        ]
        for late in self["after_reveal"]:
            which = ", ".join(late["questions"])
            lines.append(f"answered after a reveal by {late['rater']}, {late['item']}: {which}")
        for rater, number in self["untimely"].items():
            stamps = counted(number, "time stamp")
            lines.append(
                f"{rater}: {stamps} outside the years 1970–2199; the time of arrival stands instead"
            )
        return lines

    def decisions(self) -> list[str]:
        """What adjudicators left undecided and decided, where there are some.

        While a round with declared looks goes on, what people said is not among it.
        """
        if "looks" in self and self["state"] == "open":
            return []
        said = [
            f"undecided, {one['unit']}, {one['question']}: {one['said']}"
            for one in self.get("undecided", ())
        ]
        said += [
            f"decided by {one['by']}, {one['unit']}, {one['question']}: {one['value']}"
            + (f": {one['reason']}" if one["reason"] else ", without a reason")
            for one in self.get("decided", ())
        ]
        return [one_line(line, LONG) for line in said]

    def missing(self) -> str:
        """What is not there yet; only people are asked, models answer what they do."""
        if all(rater["kind"] == "automatic" for rater in self["raters"]):
            return (
                "nobody has been asked yet: bring in people "
                f"(raterbook assign {self['round']} --raters A,B), or import answers"
            )
        if self["complete"]:
            return "complete"
        of_cases = self["missing_of_cases"]
        about = f" ({of_cases:,} of them about a case as a whole)" if of_cases else ""
        lacking = [
            f"{counted(self['missing'], 'required answer')} missing{about}{unplanned(self)}"
            if self["missing"]
            else "",
            f"{counted(self['unfinished'], 'assigned item')} not finished"
            if self["unfinished"]
            else "",
            f"{counted(self['left_to_models'], 'item')} not answered whole by a model"
            if self["left_to_models"]
            else "",
            f"{self['without_parts']:,} without the parts to ask about: bring them with "
            "`raterbook parts … --take`, or write questions with `raterbook questions`"
            if self["without_parts"]
            else "",
        ]
        return "; ".join(each for each in lacking if each) or "nobody counts: all were excluded"


def unplanned(found: Mapping[str, Any]) -> str:
    """What “missing” rests on where a file brought many people with few items each."""
    thin = crowd(found)
    if thin is None:
        return ""
    people, mean = thin
    return (
        f" if all {people:,} people are to answer about every item: items have {mean:.3g} "
        "people on average, and no plan says how many they should have "
        f"(raterbook assign {found['round']} --per-item {max(1, round(mean))} does)"
    )


def settled(found: Sequence[Dispute]) -> dict[str, list[dict[str, Any]]]:
    """What adjudicators have left and decided, as plain data beside the rest of a status."""
    return {
        "undecided": [
            {
                "unit": one.unit,
                "question": one.question,
                "said": ", ".join(f"{each.rater} {each.value}" for each in one.said),
                "left_open_by": {each.rater: each.reason for each in one.left},
            }
            for one in undecided(found)
        ],
        "decided": [
            {
                "unit": one.unit,
                "question": one.question,
                "value": one.decision.value,
                "by": one.decision.rater,
                "reason": one.decision.reason,
            }
            for one in found
            if one.decision is not None
        ],
    }


def looked(found: RoundLooks) -> dict[str, Any]:
    """How far a round is on its way to the looks it declared, as plain data beside its status."""
    last, many = found.last, len(found.declared)
    progress = f"{found.complete:,} of {found.planned:,} planned ratings are complete"
    if found.state == "closed":
        said = f"looks: {counted(len(found.taken), 'look')} taken before the end"
        if last is not None and last.at_end:
            said = f"looks: {len(found.taken):,} taken, the last at the end"
    elif found.due is not None:
        said = f"looks: look {found.due} of {many} is due: {progress}"
    elif found.next is None:
        said = f"looks: all {many:,} taken; {progress}"
    else:
        share = 100 * found.declared[found.next - 1]
        said = f"looks: look {found.next} of {many} comes at {share:.3g} %; {progress}"
        if last is None:
            said += "; agreement is hidden until then"
    if found.undeclared:
        said += f"; {found.undeclared:,} taken that had not been declared"
    return {
        "looks": {
            "declared": list(found.declared),
            "taken": len(found.taken),
            "undeclared": found.undeclared,
            "next": found.next,
            "due": found.due,
            "complete": found.complete,
            "planned": found.planned,
            "hidden": found.hidden,
            "said": said,
        }
    }


def said(rater: Mapping[str, Any], name: str) -> str:
    value = rater[name]
    if name == "rater" and rater["excluded"]:
        return f"{value} (excluded: {rater['excluded']})"
    return f"{value:,}" if isinstance(value, int) else str(value)


def aligned(rows: Sequence[Sequence[str]], words: int = 2) -> list[str]:
    """Words to the left, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place < words else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


PLANNED = ("Rater", "Items", "New", "Taken back", "Begun")


def replanned(
    plan: Replanned, newcomers: Sequence[str] = (), more: str = "a larger --per-item"
) -> tuple[str, list[str]]:
    """“2 raters for each item”, and what is to be known about a new plan besides its table."""
    each = "everybody" if plan.per_item is None else counted(plan.per_item, "rater")
    notes = []
    if plan.beyond:
        many = counted(len(plan.beyond), "item")
        notes.append(f"{many} had been begun by more people already; what they began stays theirs.")
    if plan.per_item is not None and not all(map(plan.loads.get, newcomers)):
        notes.append(f"Every item has its raters already: {more} gives out more.")
    return f"{each} for each item", notes


def rounds(standings: Sequence[Mapping[str, Any]], place: PurePath) -> str:
    """A workspace: a line for each of its rounds."""
    if not standings:
        return dressed(paragraph(f"{place} has no rounds yet: open one with Workspace().open(…)."))
    rows = [
        (each["round"], each["protocol"], each["state"], each["items"], len(each["raters"]),
         each["answers"], each["missing"])
        for each in standings
    ]  # fmt: skip
    head = ("Round", "Protocol", "State", "Items", "Raters", "Answers", "Missing")
    return dressed(table(head, rows, f"The rounds of {place}", text=3))
