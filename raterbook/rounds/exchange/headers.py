"""Column names as people and programs write them, brought to the names of the protocol."""

from collections.abc import Iterable, Mapping

from raterbook.protocols.answers import plain
from raterbook.rounds.exchange.problems import Problems, shown


def name_columns(
    columns: Iterable[str], known: Mapping[str, Iterable[str]], problems: Problems
) -> dict[str, int]:
    """Canonical name → position. Headers that are not known keep their own name.

    An exact name wins over an alias; two columns for one name are a problem.
    """
    columns = list(columns)
    spellings: dict[str, str] = {}
    for name, aliases in known.items():
        spellings.setdefault(plain(name), name)
        for alias in aliases:
            spellings.setdefault(plain(alias), name)
    placed: dict[str, int] = {}
    for position, header in enumerate(columns):
        stripped = header.strip().removeprefix("\ufeff").strip()
        name = stripped if stripped in known else spellings.get(plain(header), stripped)
        if not name:
            continue
        if name in placed:
            first = columns[placed[name]]
            if first == header:
                problems.add(f"stands twice, in places {placed[name] + 1} and {position + 1}. "
                             "Keep one.", 1, header)
            else:
                problems.add(f"means the same as column {shown(first)} ({name}). Keep one.",
                             1, header)
            continue
        placed[name] = position
    return placed
