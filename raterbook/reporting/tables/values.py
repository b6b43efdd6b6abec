"""What a value is called on the page: as the protocol calls it, and never a code."""

from __future__ import annotations

from typing import Any


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
