"""Numbers as a person reads them, and words where a bare number would mislead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..numbers.number import UNTRUSTED, from_to
from ..numbers.number import minus as minus
from ..numbers.number import percent as percent
from ..protocols.comparisons import facts
from ..protocols.problems import joined

DECIDED = {"met": "met", "missed": "missed", "undecided": "not decided"}
VISIBLE = 0.005  # a change that still shows at two decimals
PERCENT = "\u00a0%"  # the sign stays with its number


def name_of(statistic: str) -> str:
    return facts(statistic).label


def is_share(statistic: str) -> bool:
    return facts(statistic).is_share


def judged(value: float | None, judge: Callable[[float], object], statistic: str = "") -> str:
    """The same, with one more decimal where rounding would turn what is said of the value.

    0.797 is below 0.8, and “0.80” would not be.
    """
    if value is None:
        return number(value)
    scale, places = (100, 0) if is_share(statistic) else (1, 2)
    if judge(round(scale * value, places) / scale) == judge(value):
        return number(value, statistic)
    return minus(f"{scale * value:.{places + 1}f}") + (PERCENT if is_share(statistic) else "")


def signed(value: float, places: int = 2) -> str:
    """+0.12, −0.40, 0.00."""
    text = f"{value:+.{places}f}"
    return minus(text) if text.strip("+-0.") else text[1:]


@dataclass(frozen=True)
class Unit:
    """How numbers of one kind are written: each with its sign behind it, and between two ends."""

    write: Callable[[float], str]
    sign: str = ""
    to: str = " to "  # a dash could be a minus
    ends: str = ""  # behind both ends


PLAIN = Unit(lambda value: minus(f"{value:.2f}"))
SHARE = Unit(percent, PERCENT, "–", PERCENT)
IN_HEAD = Unit(percent, to="–")  # shares where a table's head says that they are per cent
SIGNED = Unit(signed)  # the sign is the finding
POINTS = Unit(lambda value: signed(100 * value, 1), " points")  # differences of shares


def unit_of(kind: str | Unit) -> Unit:
    """A unit, or that of a statistic by its name."""
    return kind if isinstance(kind, Unit) else SHARE if is_share(kind) else PLAIN


def number(value: float | None, kind: str | Unit = "") -> str:
    """Two decimals; shares as whole per cent, with a decimal near the ends."""
    unit = unit_of(kind)
    return "–" if value is None else unit.write(value) + unit.sign


def interval(low: float | None, high: float | None, kind: str | Unit = "") -> str:
    """`78–92 %`, `0.61 to 0.80`; empty without an interval."""
    if low is None or high is None or low != low:
        return ""
    unit = unit_of(kind)
    return f"{from_to(unit.write(low), unit.write(high), unit.to)}{unit.ends}"


def say(row: Mapping[str, Any] | None, unit: Unit | None = None, none: str = "none: {}") -> str:
    """`0.72 (0.61 to 0.80)`, marked where the interval needs care, or why there is no number."""
    if row is None or row["estimate"] is None:
        return none.replace("{}", reason(row["reason"]) if row else "")
    kind = unit or row["statistic"]
    between = interval(row["low"], row["high"], kind)
    return number(row["estimate"], kind) + (f" ({between}){marks(row)}" if between else "")


def cell(row: Mapping[str, Any] | None, unit: Unit | None = None) -> str:
    """The same in a table, where a number that is not there is a dash."""
    return say(row, unit, "–")


def reason(code: str | None) -> str:
    """Why there is no number, within a sentence."""
    from raterbook.analysis.estimate import REASONS

    said = REASONS.get(code or "")
    if said is None:
        return (code or "no reason given").replace("_", " ")
    return said[0].lower() + said[1:].rstrip(".")


def count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def spanned(many: Sequence[int]) -> str:
    """“288”, or “120 to 288”."""
    low, high = min(many), max(many)
    return f"{high:,}" if low == high else f"{low:,} to {high:,}"


def ranging(low: float, high: float) -> str:
    """“80 to 84” of two shares, in per cent; “100” where both read the same."""
    return percent(low) if percent(low) == percent(high) else f"{percent(low)} to {percent(high)}"


def was(number: int) -> str:
    """“1 item was”, “2 items were”."""
    return "was" if number == 1 else "were"


def listing(names: Sequence[str], last: str = "and", limit: int = 6) -> str:
    """“a, b and c”; long lists end with how many more there are."""
    shown = [str(name) for name in names]
    if len(shown) > limit:
        shown = [*shown[: limit - 1], f"{len(shown) - limit + 1:,} more"]
    return joined(shown, last)


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def estimated(target: Mapping[str, Any]) -> str:
    """The estimate as a person reads it, on the side of its target where it lies."""
    return _beside(target, "value")


def between(target: Mapping[str, Any]) -> str:
    """The interval, each end on the side of the target where it lies; empty without one."""
    low, high, unit = target["low"], target["high"], unit_of(target["statistic"])
    if low is None or high is None or low != low:
        return ""
    low, high = (_beside(target, end).removesuffix(unit.sign) for end in ("low", "high"))
    return from_to(low, high, unit.to) + unit.ends


def _beside(target: Mapping[str, Any], which: str) -> str:
    bound, at_least = target["target"], target["direction"] == "at_least"
    meets = (lambda value: value >= bound) if at_least else (lambda value: value <= bound)
    return judged(target[which], meets, target["statistic"])


# Why to be careful with an interval: a mark beside the number, and its words wherever they stand.


# An invisible joiner before each sign tells our marks from such signs in raters' and models' texts.
JOINER = "\u2060"


@dataclass(frozen=True)
class Caution:
    """One warning of a number as readers meet it; what is empty is not said in that place."""

    sign: str
    note: str  # below the numbers that carry the sign
    one: str = ""  # of one question by its name, `{unit}` being what is drawn
    many: str = ""  # of several
    closing: str = ""  # ends a sentence that gives the interval
    settling: str = ""  # on how many more items would decide
    method: str = ""  # in the methods paragraph

    @property
    def mark(self) -> str:
        return JOINER + self.sign

    def of(self, names: Sequence[str], unit: str = "") -> str:
        """The caution for these questions, as a sentence."""
        said = self.one if len(names) == 1 else self.many
        return f"{listing(names)}: {said.replace('{unit}', unit)}"


CAUTIONS = {
    "few_clusters": Caution(
        sign="†",
        note="Fewer than ten independent units behind it, so the interval is rough.",
        one=(
            "fewer than ten independent units ({unit}) stand behind its interval, so read it as "
            "rough."
        ),
        many=(
            "fewer than ten independent units ({unit}) stand behind their intervals, so read them "
            "as rough."
        ),
        closing="; roughly, as fewer than ten independent units are behind the interval",
        settling=" A rough figure, as the interval behind it is rough.",
    ),
    UNTRUSTED: Caution(
        sign="‡",
        note=("Raters differ on fewer than 25 units, where no method’s interval can be trusted."),
        one=(
            "fewer than 25 items show any disagreement, so its interval is too narrow or too "
            "wide; read only the estimate."
        ),
        many=(
            "fewer than 25 items show any disagreement, so their intervals are too narrow or too "
            "wide; read only the estimate."
        ),
        closing="; raters differ on too few items for the interval to be trusted",
        settling=(
            "items on which raters can differ. On too few of these {items} they do, so nobody can "
            "say how many more it takes."
        ),
    ),
    "cut_at_scale": Caution(
        sign="*",
        note="The interval would reach beyond what is possible and ends where the scale does.",
        method="Intervals that reach beyond the scale are cut at its end.",
    ),
}


def cautions(row: Mapping[str, Any]) -> list[Caution]:
    """Those of a number or a target, in the order of their marks."""
    return [each for code, each in CAUTIONS.items() if code in (row.get("warnings") or ())]


def marks(row: Mapping[str, Any]) -> str:
    """The marks of a number; none where it has no interval to be careful with."""
    return "" if row.get("low") is None else "".join(each.mark for each in cautions(row))


def legend(text: str) -> str:
    """What the marks in this text mean, in one line; empty where there are none."""
    return " ".join(f"{c.sign} {c.note}" for c in CAUTIONS.values() if c.mark in text)


# What a value is called on the page: as the protocol calls it, and never a code.


def value_names(question: Any) -> dict[str, str]:
    """Value → its name. Labels that only spell the values larger or smaller are not needed.

    One rule for a whole question, so that “severe” never stands beside “Not severe”.
    """
    own = {str(value): str(value) for value in question.values or ()}
    labels = {str(option.value): option.label for option in question.options if option.label}
    same = all(label.casefold() == value.casefold() for value, label in labels.items())
    clear = len(set(labels.values())) == len(labels)
    return own | labels if clear and not same else own


def value_name(question: Any, value: object) -> str:
    return value_names(question).get(str(value), str(value))


def scale_names(question: Any) -> dict[str, str]:
    """As above, scores with the name of their level: `4 Good`."""
    names = {str(level.value): level.name for level in question.levels if level.name}
    return {
        value: f"{value} {names[value]}" if value in names else name
        for value, name in value_names(question).items()
    }


def group_name(protocol: Any, column: str, value: object) -> str:
    """A value of an item column: where the protocol lists spellings, the first of them."""
    field = protocol.item.fields.get(column)
    spellings = field.values.get(str(value), ()) if field else ()
    return spellings[0] if spellings else str(value)


def in_protocol_order(protocol: Any, column: str, values: Any) -> list[str]:
    """The values of an item column as the protocol lists them, others after them by name."""
    field = protocol.item.fields.get(column)
    place = {value: at for at, value in enumerate(field.values)} if field else {}
    return sorted(map(str, values), key=lambda value: (place.get(value, len(place)), value))
