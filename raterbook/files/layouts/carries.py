"""What each layout can carry. What it cannot is refused at export, or named, never dropped.

    fact                         long   parquet  wide   source   label-studio  argilla
    answers by several people    yes    yes      yes    yes      yes           yes
    answers by other raters      yes    yes      yes    yes      named         named
    parts of items and cases     yes    yes      yes    refused  yes           yes
    questions without a column   yes    yes      yes    refused  yes           yes
    several replicates           yes    yes      yes    refused  refused       refused
    percentages between 0 and 1  yes    yes      yes    yes      refused       yes
    skipped, not applicable      yes    yes      yes    named    named         named
    reasons                      yes    yes      yes    named    named         named
    confidence given beside      yes    yes      yes    named    named         named
    versions of raters           yes    yes      yes    named    named         named
    the name of a single person  yes    yes      yes    named    yes           yes
    seconds                      yes    yes      named  named    named         named
    answered_at                  yes    yes      named  named    named         named
    how often it was revised     yes    yes      named  named    named         named
    types of columns             no     yes      no     no       no            no
    protocol and data hash       no     yes      no     no       no            no

Source is also what wide is where the items file has columns for answers; each rater has a column
there, human_label_<rater> or model_label_<rater>, and a single person's name is given back with
--rater. Wide names what it leaves behind in the last header of the file. So does source where
people have columns of their own; elsewhere, and for Label Studio and Argilla, it is the message of
the export that names it. Earlier revisions and who was assigned what stay in the workspace: an
export holds what the answers are now. Flags and marked evidence are no answers; they have a file of
their own, the layout marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from raterbook.files.layouts.source import answer_columns
from raterbook.protocols import Protocol
from raterbook.rounds.current import Fact
from raterbook.rounds.model import PEOPLE, FileError, listed

TOOLS = ("label-studio", "argilla")
LAYOUTS = ("long", "wide", "source", "parquet", *TOOLS, "marks")


def matrix() -> list[tuple[str, ...]]:
    """The table above, row by row."""
    lines = [line for line in (__doc__ or "").splitlines() if line.startswith("    ")]
    return [tuple(re.split(r"\s{2,}", line.strip())) for line in lines]


def refuse_source(protocol: Protocol, facts: Sequence[Fact]) -> None:
    """Refuse what the columns of an items file cannot say."""
    slots = answer_columns(protocol)
    if not slots and facts:
        raise FileError(
            f"The items of {protocol.name} have no column for answers, so the layout source cannot "
            "carry them. Use long or wide."
        )
    own = {field.answers.rater for field in protocol.item.fields.values() if field.answers}
    found = [
        (any(fact.part for fact in facts), "answers about parts"),
        (
            any(fact.question not in slots for fact in facts),
            "answers to " + listed(sorted({fact.question for fact in facts} - set(slots))),
        ),
        (any(fact.replicate > 1 for fact in facts), "several replicates"),
        (any(fact.of_case for fact in facts), "answers about cases"),
        (
            any(fact.kind == "automatic" and fact.rater not in own for fact in facts),
            "automatic raters that did not come with the file",
        ),
    ]
    refused = [words for there, words in found if there]
    if refused:
        raise FileError(f"The layout source cannot carry {listed(refused)}. Use long.")


def named_by_source(facts: Iterable[Fact]) -> list[str]:
    """What the layout source leaves behind, in words for its header or the export's message."""
    facts = [fact for fact in facts if fact.kind != "automatic"]
    found = [
        (any(fact.status == "skipped" for fact in facts), "skipped"),
        (any(fact.status == "not_applicable" for fact in facts), "not applicable"),
        (any(fact.reason for fact in facts), "reasons"),
        (any(fact.confidence is not None for fact in facts), "confidence"),
        (any(fact.version for fact in facts), "versions of raters"),
        (any(fact.seconds is not None for fact in facts), "seconds"),
        (any(fact.client_time is not None for fact in facts), "answered_at"),
        (any(fact.revision > 1 for fact in facts), "earlier revisions"),
    ]
    return [words for there, words in found if there]


def nameless(facts: Iterable[Fact]) -> list[str]:
    """The single person whose answers stand in the file under nobody's name."""
    people = {fact.rater: fact.kind for fact in facts if fact.kind in PEOPLE}
    single = list(people) if set(people.values()) == {"human"} and len(people) == 1 else []
    return [f"the rater's name ({name}: give it with --rater)" for name in single]


def for_tool(facts: Sequence[Fact], layout: str) -> tuple[list[Fact], list[str]]:
    """What Label Studio's and Argilla's files carry, and in words what stays behind."""
    refused = [
        (any(fact.replicate > 1 for fact in facts), "several replicates"),
        (
            layout == "label-studio"
            and any(
                fact.percent and fact.value is not None and 0 < fact.value < 1 for fact in facts
            ),
            "percentages between 0 and 1",
        ),
    ]
    if words := [each for there, each in refused if there]:
        raise FileError(f"The layout {layout} cannot carry {listed(words)}. Use long.")
    people = [fact for fact in facts if fact.kind == "human"]
    others = dict.fromkeys(fact.rater for fact in facts if fact.kind != "human")
    left = [f"answers of {name}" for name in others]
    left += [each for each in named_by_source(people) if each != "answered_at"]
    if people:
        left.append("when each answer was given")
    return [fact for fact in people if fact.status == "answered"], left
