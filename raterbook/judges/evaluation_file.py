"""Results of an evaluation as JSONL: one line per item, added as it comes, so a run can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class EvaluationFile:
    """Lines are appended and synced; a torn last line, left by a kill, is cut off at the start."""

    def __init__(self, path: str | os.PathLike[str] | None):
        self.path = None if path is None else Path(path)
        self._done: dict[tuple[str, str, str], dict[str, Any]] = {}
        if self.path is not None and self.path.exists():
            self._cut_off_torn_line()
            for line in self._lines():
                if line.get("status") != "api_error":
                    self._done[_key(line)] = line

    def __len__(self) -> int:
        return len(self._done)

    def find(self, item: str, prompt_sha: str, model: str) -> dict[str, Any] | None:
        """The line of an item that was evaluated with this prompt by this model."""
        return self._done.get((item, prompt_sha, model))

    def add(self, line: dict[str, Any]) -> None:
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")
                file.flush()
                os.fsync(file.fileno())
        if line.get("status") != "api_error":
            self._done[_key(line)] = line

    def _lines(self) -> Iterator[dict[str, Any]]:
        assert self.path is not None
        for number, text in enumerate(self.path.read_text(encoding="utf-8").splitlines(), start=1):
            if not text.strip():
                continue
            try:
                line = json.loads(text)
            except (ValueError, RecursionError):
                line = None
            if not isinstance(line, dict) or "item" not in line:
                raise ValueError(
                    f"{self.path}, line {number}: no line of an evaluation; "
                    "give another output file, or correct this one"
                )
            yield line

    def _cut_off_torn_line(self) -> None:
        assert self.path is not None
        content = self.path.read_bytes()
        if content and not content.endswith(b"\n"):
            kept = content.rfind(b"\n") + 1
            with self.path.open("r+b") as file:
                file.truncate(kept)


def _key(line: dict[str, Any]) -> tuple[str, str, str]:
    return str(line["item"]), str(line.get("prompt_sha", "")), str(line.get("model", ""))
