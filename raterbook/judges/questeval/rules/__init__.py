"""A generator and an answerer made of rules: a baseline that runs anywhere, offline."""

from raterbook.judges.questeval.rules.baseline import MOST, NAME, VERSION, answer, write

__all__ = ["MOST", "NAME", "VERSION", "answer", "write"]
