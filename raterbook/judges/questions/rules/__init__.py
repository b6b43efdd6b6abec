"""A generator and an answerer made of rules: a baseline that runs anywhere, offline."""

from __future__ import annotations

from raterbook.judges.questions.rules.matching import MOST, NAME, VERSION, answer, repeats, write

__all__ = ["MOST", "NAME", "VERSION", "answer", "repeats", "write"]
