"""Reading items files whose own columns hold answers: human_label, notes, human_label_<rater>."""

from raterbook.protocols import Protocol
from raterbook.rounds.exchange.given import Given
from raterbook.rounds.exchange.headers import plain
from raterbook.rounds.exchange.problems import FileError, Problems, listed, shown
from raterbook.rounds.exchange.sheet import Sheet
from raterbook.rounds.exchange.source import answer_columns
from raterbook.rounds.exchange.wide import read_wide
from raterbook.rounds.model import RATER_KINDS
from raterbook.rounds.people import PEOPLE


def has_slots(sheet: Sheet, protocol: Protocol) -> bool:
    """Whether the file has columns for answers and none for raters."""
    slots = set(answer_columns(protocol).values())
    headers = {plain(name) for name in sheet.columns}
    per_rater = any(_owner(name, protocol) for name in sheet.columns)
    return bool({plain(name) for name in slots} & headers or per_rater) and "rater" not in headers


def read_slots(
    sheet: Sheet, protocol: Protocol, problems: Problems, rater: str | None, kind: str | None
) -> tuple[list[Given], list[str]]:
    """The answers of such a file, and notes.

    Where people have columns of their own, the unnamed column is their consensus and is not read;
    else it holds the answers of the one rater who is named.
    """
    owners = {place: owner for place, name in enumerate(sheet.columns)
              if (owner := _owner(name, protocol))}
    people = sorted({name for _, name, who in owners.values() if who in PEOPLE})
    if people and rater is not None:
        raise FileError(f"{sheet.name} has columns of {listed(people)}. Leave --rater "
                        f"{shown(rater)} out, or remove their columns.")
    slots = answer_columns(protocol)
    main = [place for place, name in enumerate(sheet.columns)
            if plain(name) in {plain(slot) for slot in slots.values()}]
    filled = [place for place in main if any(row[place].strip() for row in sheet.rows)]
    found: list[Given] = []
    notes: list[str] = []
    if not people and filled:
        if rater is None:
            raise FileError(
                f"{sheet.name}: {listed(sheet.columns[place] for place in filled)} is filled, and "
                "nothing says by whom. Name the rater: --rater NAME."
            )
        rest = _without(sheet, set(owners))
        found, notes = read_wide(rest, protocol, problems, rater, kind)
    for question in dict.fromkeys(question for question, _, _ in owners.values()):
        for place, (about, name, who) in owners.items():
            if about == question:
                column = _renamed(sheet, place, question, set(owners) | set(main))
                more, _ = read_wide(column, protocol, problems, name, who)
                for each in more:
                    each.column = sheet.columns[place]
                found += more
    return found, notes


def _owner(header: str, protocol: Protocol) -> tuple[str, str, str] | None:
    """Question, rater and kind of a column such as human_label_ana or model_label_gpt-5."""
    for question, column in answer_columns(protocol).items():
        beginnings = [(f"{column}_", "human")]
        beginnings += [(f"{kind}_{question}_", kind) for kind in RATER_KINDS]
        for beginning, kind in beginnings:
            name = header[len(beginning) :].strip()
            if header.lower().startswith(beginning.lower()) and name:
                return question, name, kind
    return None


def _without(sheet: Sheet, places: set[int]) -> Sheet:
    kept = [place for place in range(len(sheet.columns)) if place not in places]
    return Sheet(sheet.name, [sheet.columns[place] for place in kept],
                 [[row[place] for place in kept] for row in sheet.rows], sheet.numbers)


def _renamed(sheet: Sheet, place: int, question: str, others: set[int]) -> Sheet:
    """The file with this one column of answers, under the question's name."""
    kept = [each for each in range(len(sheet.columns)) if each == place or each not in others]
    columns = [question if each == place else sheet.columns[each] for each in kept]
    return Sheet(sheet.name, columns, [[row[each] for each in kept] for row in sheet.rows],
                 sheet.numbers)
