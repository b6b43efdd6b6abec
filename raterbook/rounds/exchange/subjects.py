"""Which item or case a file means by a name."""

from collections.abc import Iterable

from raterbook.rounds.exchange.problems import shown


class Subjects:
    """Items by key, cases by name, and items by their case where it has only one."""

    def __init__(self, pairs: Iterable[tuple[str, str]]):
        """`pairs` has each item's key and case."""
        self.cases: dict[str, list[str]] = {}
        self.items: dict[str, str] = {}
        for key, case in pairs:
            self.items[key] = case
            self.cases.setdefault(case, []).append(key)

    def item(self, name: str) -> str:
        """The key of the item, or a ValueError that says what the name could have been."""
        if name in self.items:
            return name
        keys = self.cases.get(name)
        if keys is None:
            raise ValueError(
                f"{shown(name)} is no item of the round. {self._near(name, self.items)}"
            )
        if len(keys) > 1:
            raise ValueError(f"{shown(name)} names {len(keys)} items. "
                             f"Write which one: {', '.join(map(shown, keys[:4]))}"
                             f"{', …' if len(keys) > 4 else ''}.")
        return keys[0]

    def case(self, name: str) -> str:
        """The case of that name, or of the item of that name."""
        if name in self.cases:
            return name
        if name in self.items:
            return self.items[name]
        raise ValueError(f"{shown(name)} is no case of the round. {self._near(name, self.cases)}")

    @staticmethod
    def _near(name: str, known: Iterable[str]) -> str:
        from difflib import get_close_matches

        every = list(known)
        near = get_close_matches(name, every[:5_000], n=1, cutoff=0.8)
        if near:
            return f"Did you mean {shown(near[0])}?"
        return f"Its names look like {shown(every[0])}." if every else "It has none."
