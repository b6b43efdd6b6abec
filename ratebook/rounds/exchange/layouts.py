"""What each layout can carry. What it cannot is refused at export, or named, never dropped.

    fact                        long      parquet   wide      source
    answers by several people   yes       yes       yes       yes: human_label_<rater>
    answers by other raters     yes       yes       yes       yes: model_label_<rater>
    parts of items and cases    yes       yes       yes       refused
    questions without a column  yes       yes       yes       refused
    several replicates          yes       yes       yes       refused
    skipped, not applicable     yes       yes       yes       named
    reasons                     yes       yes       yes       named
    confidence given beside     yes       yes       yes       named
    versions of raters          yes       yes       yes       named
    the name of a single person yes       yes       yes       named: give it with --rater
    seconds                     yes       yes       named     named
    answered_at                 yes       yes       named     named
    how often it was revised    yes       yes       named     named
    types of columns            no        yes       no        no
    protocol and data hash      no        yes       no        no

Source is also what wide is where the items file has columns for answers. Wide names what it leaves
behind in the last header of the file. So does source where people have columns of their own; where
one person's answers go into the file as it came, it is the message of the export that names it.
Earlier revisions, flags and who was assigned what stay in the
workspace: an export holds what the answers are now.
"""

from collections.abc import Iterable, Sequence

from ratebook.protocols import Protocol
from ratebook.rounds.exchange.facts import Fact
from ratebook.rounds.exchange.problems import FileError, listed
from ratebook.rounds.exchange.source import PEOPLE, answer_columns

LAYOUTS = ("long", "wide", "source", "parquet")


def matrix() -> list[tuple[str, ...]]:
    """The table above, row by row."""
    lines = [line[4:] for line in (__doc__ or "").splitlines() if line.startswith("    ")]
    return [tuple(line[start:stop].strip() for start, stop in
                  ((0, 28), (28, 38), (38, 48), (48, 58), (58, None))) for line in lines]


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
        (any(fact.question not in slots for fact in facts), "answers to "
         + listed(sorted({fact.question for fact in facts} - set(slots)))),
        (any(fact.replicate > 1 for fact in facts), "several replicates"),
        (any(fact.of_case for fact in facts), "answers about cases"),
        (any(fact.kind == "automatic" and fact.rater not in own for fact in facts),
         "automatic raters that did not come with the file"),
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
