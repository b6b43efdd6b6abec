"""What each layout can carry. What it cannot is refused at export, or named, never dropped.

    fact                        long      parquet   wide      source
    answers by several people   yes       yes       yes       yes: human_label_<rater>
    answers by other raters     yes       yes       yes       yes: model_label_<rater>
    parts of items and cases    yes       yes       yes       refused
    questions without a column  yes       yes       yes       refused
    skipped, not applicable     yes       yes       yes       refused
    reasons                     yes       yes       yes       refused
    several replicates          yes       yes       yes       refused
    confidence given beside     yes       yes       yes       refused
    versions of raters          yes       yes       yes       refused
    the name of a single person yes       yes       yes       named: give it with --rater
    seconds                     yes       yes       named     named
    answered_at                 yes       yes       named     named
    how often it was revised    yes       yes       named     named
    types of columns            no        yes       no        no
    protocol and data hash      no        yes       no        no

Wide names what it leaves behind in the last header of the file; source, whose headers are not
ours, in the message of the export. Earlier revisions, flags and who was assigned what stay in the
workspace: an export holds what the answers are now.
"""

from collections.abc import Iterable, Sequence

from ratebook.protocols import Protocol
from ratebook.rounds.exchange.facts import Fact
from ratebook.rounds.exchange.problems import FileError, listed
from ratebook.rounds.exchange.source import answer_columns

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
        (any(fact.status != "answered" for fact in facts), "skipped or not applicable answers"),
        (any(fact.reason for fact in facts if fact.status == "answered"), "reasons"),
        (any(fact.replicate > 1 for fact in facts), "several replicates"),
        (any(fact.confidence is not None for fact in facts), "confidence"),
        (any(fact.version for fact in facts if fact.kind != "automatic"), "versions of raters"),
        (any(fact.of_case for fact in facts), "answers about cases"),
        (any(fact.kind == "automatic" and fact.rater not in own for fact in facts),
         "automatic raters that did not come with the file"),
    ]
    refused = [words for there, words in found if there]
    if refused:
        raise FileError(f"The layout source cannot carry {listed(refused)}. Use long or wide.")


def named_by_source(facts: Iterable[Fact]) -> list[str]:
    """What the layout source leaves behind, in words for the message of the export."""
    facts = [fact for fact in facts if fact.kind != "automatic"]
    single = {fact.rater for fact in facts if fact.kind == "human"}
    return [
        *([f"the rater's name ({next(iter(single))}: give it with --rater)"]
          if len(single) == 1 else []),
        *(["seconds"] if any(fact.seconds is not None for fact in facts) else []),
        *(["answered_at"] if any(fact.client_time is not None for fact in facts) else []),
        *(["earlier revisions"] if any(fact.revision > 1 for fact in facts) else []),
    ]
