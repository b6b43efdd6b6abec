"""Which stretches of a text stand in brackets or quotes, where no sentence ends."""

PAIRS = {"(": ")", "[": "]", "{": "}", "“": "”", "«": "»", "‹": "›", "„": "“",
         "「": "」", "『": "』", "（": "）", "【": "】", "《": "》", "〈": "〉"}
DEEPEST = 20
LONGEST = 300  # longer than this, a quote is a text of its own, with sentences of its own


def enclosed(text: str) -> list[tuple[int, int]]:
    """(open, close) positions of balanced brackets and quotes; unbalanced ones do not count."""
    found: list[tuple[int, int]] = []
    stack: list[tuple[str, int]] = []
    straight: int | None = None
    for position, character in enumerate(text):
        if character == '"':
            before = text[position - 1] if position else " "
            if straight is None and (before.isspace() or before in "([{—–-*_"):
                straight = position
            elif straight is not None:
                found.append((straight, position))
                straight = None
        elif stack and character == PAIRS[stack[-1][0]]:
            found.append((stack.pop()[1], position))
        elif character in PAIRS:
            stack.append((character, position))
            del stack[:-DEEPEST]
        elif any(character == PAIRS[opened] for opened, _ in stack):
            while stack and character != PAIRS[stack[-1][0]]:
                stack.pop()
            found.append((stack.pop()[1], position))
    return sorted((low, high) for low, high in found if high - low <= LONGEST)
