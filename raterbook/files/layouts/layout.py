"""What a layout is: how it is told, read and written, and what it can carry.

What answers can have stands in FEATURES; a layout says of each whether it carries it. What it
cannot is refused at export, or named, never dropped: in the last header of the file where the
layout has one, and in the export's message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from raterbook.files.formats import Format, endings, written_as
from raterbook.files.names import answer_columns
from raterbook.files.table import Records, Table
from raterbook.protocols import Protocol
from raterbook.rounds.current import Fact
from raterbook.rounds.items import Decoded
from raterbook.rounds.model import PEOPLE, FileError, Given, Problems, listed

if TYPE_CHECKING:
    from raterbook.rounds import Round

Where = tuple[str, bool]  # the key of an item or a case, and whether it is a case
Carried = Literal["yes", "named", "refused", "no"]


@dataclass
class Incoming:
    """A file of answers on its way in; `rater` and `kind` where the file does not say them."""

    file: Table | Records
    protocol: Protocol
    problems: Problems
    rater: str | None = None
    kind: str | None = None

    @property
    def table(self) -> Table:
        assert isinstance(self.file, Table)
        return self.file


@dataclass
class Outgoing:
    """The current answers of a round on their way out; `suffix` is the file's ending."""

    round: Round
    name: str
    suffix: str
    facts: list[Fact]
    fields: Mapping[Where, Mapping[str, str]]  # what the round knows of items and cases
    original: Decoded | None = None  # the items file as it came
    excluded: Sequence[str] = ()  # whose answers do not count, and are not among the facts
    pseudonyms: bool = False
    left_out: Sequence[str] = ()  # what the layout leaves behind, in words for a header


@dataclass(frozen=True)
class Layout:
    """How answers lie in a file. `formats` are its endings, or what the formats it has hold."""

    name: str
    title: str
    formats: tuple[str, ...]
    write: Callable[[Outgoing], tuple[bytes, int]]  # the file, and how many answers are in it
    carries: Mapping[str, Carried]
    is_in: Callable[[Table | Records, Protocol], bool] = lambda file, protocol: False
    read: Callable[[Incoming], tuple[list[Given], list[str]]] | None = None  # answers and notes
    has: Callable[[Fact], bool] = lambda fact: True  # whose answers the file has

    @property
    def endings(self) -> Sequence[str]:
        """Of the files it is written to, the usual one first."""
        return endings(*self.formats)

    def format(self, out: Outgoing) -> Format:
        """What the file's ending means; refused where the layout is not written so."""
        what = f"{out.name}: the layout {self.name}"
        return written_as(out.suffix, self.endings, what)

    def encoded(self, out: Outgoing, file: Table | Records) -> bytes:
        return self.format(out).write(file)

    def refuse(self, out: Outgoing) -> None:
        """Refuse answers that have what this layout cannot say."""
        refused = self._words("refused", out, out.facts)
        if refused:
            raise FileError(f"The layout {self.name} cannot carry {listed(refused)}. Use long.")

    def named(self, out: Outgoing, header: bool = False) -> list[str]:
        """What the file leaves behind, in words; for a `header` only what belongs to answers."""
        return self._words("named", out, [fact for fact in out.facts if self.has(fact)], header)

    def _words(
        self, what: Carried, out: Outgoing, facts: Sequence[Fact], header: bool = False
    ) -> list[str]:
        features = [each for each in FEATURES if self.carries.get(each.name) == what]
        return [
            word
            for each in features
            if each.in_header or not header
            for word in each.words(out, facts)
        ]


@dataclass(frozen=True)
class Feature:
    """Something answers can have; `words` says it where they have it."""

    name: str
    words: Callable[[Outgoing, Sequence[Fact]], Iterable[str]] = field(
        default=lambda out, facts: ()
    )
    in_header: bool = False


def _if_any(words: str, holds: Callable[[Fact], bool]) -> Feature:
    return Feature(words, lambda out, facts: [words] if any(map(holds, facts)) else [], True)


def _columnless(out: Outgoing, facts: Sequence[Fact]) -> list[str]:
    protocol = out.round.protocol
    if facts and not answer_columns(protocol):
        raise FileError(
            f"The items of {protocol.name} have no column for answers, so the layout source cannot "
            "carry them. Use long or wide."
        )
    lacking = {fact.question for fact in facts} - set(answer_columns(protocol))
    return ["answers to " + listed(sorted(lacking))] if lacking else []


def _single(out: Outgoing, facts: Sequence[Fact]) -> list[str]:
    """The one person whose answers stand in the file under nobody's name."""
    people = {fact.rater: fact.kind for fact in facts if fact.kind in PEOPLE}
    single = list(people) if list(people.values()) == ["human"] else []
    return [f"the rater's name ({name}: give it with --rater)" for name in single]


def _came_later(out: Outgoing, facts: Sequence[Fact]) -> list[str]:
    fields = out.round.protocol.item.fields.values()
    own = {field.answers.rater for field in fields if field.answers}
    later = any(fact.kind == "automatic" and fact.rater not in own for fact in facts)
    return ["automatic raters that did not come with the file"] if later else []


def _of_others(out: Outgoing, facts: Sequence[Fact]) -> list[str]:
    others = dict.fromkeys(fact.rater for fact in out.facts if fact.kind != "human")
    return [f"answers of {name}" for name in others]


FEATURES = (
    Feature("answers by several people"),
    Feature("answers by other raters", _of_others),
    Feature("the name of a single person", _single),
    _if_any("answers about parts", lambda fact: bool(fact.part)),
    Feature("questions without a column", _columnless),
    _if_any("several replicates", lambda fact: fact.replicate > 1),
    _if_any("answers about cases", lambda fact: fact.of_case),
    Feature("automatic raters that came later", _came_later),
    _if_any(
        "percentages between 0 and 1",
        lambda fact: fact.percent and fact.value is not None and 0 < fact.value < 1,
    ),
    _if_any("skipped", lambda fact: fact.status == "skipped"),
    _if_any("not applicable", lambda fact: fact.status == "not_applicable"),
    _if_any("reasons", lambda fact: bool(fact.reason)),
    _if_any("confidence", lambda fact: fact.confidence is not None),
    _if_any("versions of raters", lambda fact: bool(fact.version)),
    _if_any("seconds", lambda fact: fact.seconds is not None),
    _if_any("answered_at", lambda fact: fact.client_time is not None),
    _if_any("earlier revisions", lambda fact: fact.revision > 1),
    _if_any("when each answer was given", lambda fact: True),
    Feature(
        "answers of who is excluded",
        lambda out, facts: [f"answers of {who} (excluded)" for who in out.excluded],
    ),
    Feature("types of columns"),
    Feature("protocol and data hash"),
)
TYPED = ("types of columns", "protocol and data hash")


def carries(
    named: Sequence[str] = (), refused: Sequence[str] = (), no: Sequence[str] = ()
) -> dict[str, Carried]:
    """Of each feature whether it is carried. Who is excluded is always away, and named."""
    told: dict[str, Carried] = {each.name: "yes" for each in FEATURES}
    lists: tuple[tuple[Carried, Sequence[str]], ...] = (
        ("named", (*named, "answers of who is excluded")),
        ("refused", refused),
        ("no", no),
    )
    for how, names in lists:
        assert set(names) <= set(told), names
        told |= dict.fromkeys(names, how)
    return told
