"""What a report run may be told, checked before a kernel starts.

papermill only logs a parameter it does not know, so a typo would report the default silently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from raterbook.protocols.problems import Refusal, hint

if TYPE_CHECKING:
    from raterbook.analysis.intervals import Interval
    from raterbook.rounds import Round

TIES = ("none", "first")
COMPARING = ("judge", "epsilon", "columns")
# Columns of the items that a comparison of a model with people can look at.
COLUMNS = ("inclusion", "length", "family", "order")
WRITTEN = ("inclusion=COLUMN", "length=COLUMN", "family=COLUMN=ITS OWN", "order=COLUMN")
EXPERTISE = {"experts": 0.2, "skilled": 0.15, "crowd": 0.1}  # ε by who the people are
USUAL_EPSILON = EXPERTISE["skilled"]
OVERALL = "overall"  # in place of a question's name: all questions together
YES_NO = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}


@dataclass(frozen=True)
class Parameters:
    """The parameters of one report; the defaults are the notebook's."""

    round: str
    raters: tuple[str, ...] | None = None  # None: people, else models
    questions: tuple[str, ...] | None = None  # None: all of the protocol
    groups: tuple[str, ...] = ()  # further item columns to break down by
    coverage: float = 0.95
    interval: str = "jackknife"
    resamples: int = 2000
    seed: int = 0
    ties: str = "none"  # "first": a tie has a majority, as some published tables count it
    pseudonyms: bool = False  # in place of the names of people
    judge: tuple[str, ...] | None = None  # models set beside people, whose numbers are rows too
    epsilon: float | dict[str, float] = USUAL_EPSILON  # how much oftener a person may be nearer
    columns: tuple[str, ...] = ()  # what comparing needs of the items: length=answer, …

    def __post_init__(self) -> None:
        for name in ("raters", "questions", "groups", "judge", "columns"):
            value = getattr(self, name)
            if isinstance(value, str):
                value = [part.strip() for part in value.split(",") if part.strip()]
            if value is not None:
                object.__setattr__(self, name, tuple(str(part) for part in value))
        for name in ("groups", "columns"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, ())
        kinds = {"coverage": float, "resamples": int, "seed": int}
        for name, kind in kinds.items():
            object.__setattr__(self, name, number(name, getattr(self, name), kind))
        if not self.round or not isinstance(self.round, str):
            raise Refusal("parameter round: give the name of a round.")
        if not 0.5 <= self.coverage < 1:
            raise Refusal(f"parameter coverage: {self.coverage} is not between .5 and 1.")
        if not 100 <= self.resamples <= 1_000_000:
            raise Refusal(f"parameter resamples: {self.resamples} is not 100 to 1,000,000.")
        object.__setattr__(self, "epsilon", epsilon_of(self.epsilon))
        for entry in self.columns:
            what, _, column = entry.partition("=")
            if what not in COLUMNS or not column or (what == "family" and "=" not in column):
                raise Refusal(f"parameter columns: {entry!r} is none of {', '.join(WRITTEN)}.")
        if self.seed < 0:
            raise Refusal(f"parameter seed: {self.seed} is below 0.")
        from raterbook.analysis.intervals import METHODS  # the analysis is long to load

        one_of("interval", self.interval, METHODS)
        one_of("ties", self.ties, TIES)
        said = YES_NO.get(str(self.pseudonyms).strip().lower())
        if said is None:
            raise Refusal(f"parameter pseudonyms: {self.pseudonyms!r} is not true or false.")
        object.__setattr__(self, "pseudonyms", said)

    def other(self) -> dict[str, Any]:
        """Those that are not the usual ones, and change what the numbers say."""
        from raterbook.analysis.intervals import DRAWN

        usual = Parameters(self.round)
        drawn = self.interval in DRAWN
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != getattr(usual, field.name)
            and (drawn or field.name not in ("seed", "resamples"))
        }

    def to_dict(self) -> dict[str, Any]:
        """As they stand in numbers.json: plain lists, in a stable order."""
        every, usual = asdict(self), asdict(Parameters(self.round))
        if not self.judge:  # then how it is compared is said where it is not as usual
            every = {n: v for n, v in every.items() if n not in COMPARING or v != usual[n]}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in every.items()
        }

    @property
    def wish(self) -> Interval:
        """How its intervals are wanted of the analysis."""
        from raterbook.analysis.intervals import Interval

        return Interval(self.interval, self.coverage, self.resamples, self.seed)

    @property
    def places(self) -> dict[str, str]:
        """What stands in which column: `length` → `answer`."""
        return dict(entry.split("=", 1) for entry in self.columns)


def checked(round_name: str, given: Mapping[str, Any]) -> Parameters:
    """Parameters from names and values; an unknown name is an error with the allowed ones."""
    allowed = [field.name for field in fields(Parameters) if field.name != "round"]
    for name in given:
        if name not in allowed:
            raise Refusal(
                f"Unknown report parameter {name!r}: choose {', '.join(allowed)}."
                + hint(name, allowed)
            )
    return Parameters(round=round_name, **given)


def epsilon_of(said: Any) -> float | dict[str, float]:
    """ε as a share, by who the people are, or question by question: `tone=.2,overall=.1`."""
    if isinstance(said, str) and "=" in said:
        pairs = [part.partition("=") for part in said.split(",") if part.strip()]
        twice = [name.strip() for name, _, _ in pairs]
        if lost := [name for name in twice if not name or twice.count(name) > 1]:
            raise Refusal(f"epsilon {said!r}: give each question once, not {lost[0]!r} again")
        said = {name.strip(): value for name, _, value in pairs}
    if isinstance(said, Mapping):
        if not said:
            raise Refusal("epsilon {}: give a share, or a question and its share")
        return {str(name): share_of(value) for name, value in said.items()}
    return share_of(said)


def share_of(said: Any) -> float:
    if isinstance(said, str) and said.strip() in EXPERTISE:
        return EXPERTISE[said.strip()]
    try:
        share = number("epsilon", said, float)
    except ValueError:
        known = ", ".join(f"{name} ({value:g})" for name, value in EXPERTISE.items())
        raise Refusal(
            f"parameter epsilon: {said!r} is not a number: give a share from 0 to .5, one of "
            f"{known}, or a question's: tone=.2,{OVERALL}=.1"
        ) from None
    if not 0 <= share < 0.5:
        raise Refusal(f"epsilon {share!r}: give a share from 0 to .5, such as .15")
    return float(share)


def number(name: str, value: Any, kind: type) -> Any:
    try:
        if isinstance(value, bool) or (kind is int and float(value) != int(float(value))):
            raise ValueError
        return kind(float(value)) if kind is int else kind(value)
    except (TypeError, ValueError, OverflowError):
        what = "a whole number" if kind is int else "a number"
        raise Refusal(f"parameter {name}: {value!r} is not {what}.") from None


def one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise Refusal(f"parameter {name}: {value!r} is not one of {', '.join(allowed)}.")


# Names in a report's parameters, held against the round before any kernel starts.


def check_names(stored: Round, parameters: Parameters) -> None:
    """Names that the round does not have are refused, with those it has."""
    from raterbook.rounds.model import HELPERS  # rounds are long to load, and parameters are not

    if parameters.raters is not None:
        raters = stored.raters()
        away = {each.name: each.excluded for each in raters if each.excluded is not None}
        names = people(stored, parameters.pseudonyms)
        helpers = {each.name: each.kind for each in raters if each.kind in HELPERS}
        for name in parameters.raters:
            if name in helpers and len(helpers) < len(raters):
                raise Refusal(
                    f"parameter raters: {name} is of the kind {helpers[name]}; raters are compared "
                    "with it, so it is never one of those who count. Leave the name out."
                )
            if name in away:
                raise Refusal(
                    f"parameter raters: {name} is excluded from {stored.name} ({away[name]}). "
                    f"Let the answers count again with `raterbook include {stored.name} {name}`, "
                    "or leave the name out."
                )
        refuse_unknown("raters", parameters.raters, names, stored.name)
    questions = [question.id for question in stored.protocol.questions]
    refuse_unknown("questions", parameters.questions or (), questions, stored.name)
    if isinstance(parameters.epsilon, dict):
        refuse_unknown("epsilon", list(parameters.epsilon), [*questions, OVERALL], stored.name)
    if parameters.groups:
        refuse_unknown("groups", parameters.groups, columns_of(stored), stored.name)
        refuse_lookalikes(stored, parameters.groups)


def refuse_lookalikes(stored: Round, groups: Sequence[str]) -> None:
    """Groups that no reader of the page could tell apart."""
    from raterbook.rounds.raters import lookalike, spelt

    with stored.store.read() as connection:
        inside = stored.inside(connection)
        every = [inside.of(each) for each in stored.look(connection).subjects]
    for column in groups:
        twins = lookalike(dict.fromkeys(own[column] for own in every if column in own))
        if twins is not None:
            raise Refusal(
                f"parameter groups: of {column}, {spelt(twins[0])} looks like {spelt(twins[1])}, "
                "and nobody could tell their numbers apart. Group by another column."
            )


def refuse_unknown(what: str, given: Sequence[str], known: Sequence[str], where: str) -> None:
    for name in given:
        if name not in known:
            raise Refusal(
                f"parameter {what}: {where} has no {name!r}. "
                f"Choose from {', '.join(known) or 'nothing: there are none'}."
            )


def people(stored: Round, pseudonyms: bool) -> list[str]:
    """Everybody whose answers may count, under the names the report uses."""
    from raterbook.rounds.model import HELPERS
    from raterbook.rounds.raters import public_name

    here = [each for each in stored.raters() if each.excluded is None]
    rating = [each for each in here if each.kind not in HELPERS]
    return [public_name(each, pseudonyms) for each in rating or here]


def columns_of(stored: Round) -> list[str]:
    """Every column the items of the round have."""
    with stored.store.read() as connection:
        seen = stored.look(connection)
        inside = stored.inside(connection)
        return sorted({name for each in seen.subjects for name in inside.of(each)})
