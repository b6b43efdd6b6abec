"""Every number of one round: the rows, the targets and the checks of numbers.json."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.board import Board

from ..rounds import StoredRound
from .asked import Asked, asked, completeness
from .checks import checks
from .known import check, check_names
from .measures import wanted
from .parameters import Parameters, checked
from .rows import ROW, questions_of, rows_of
from .targets import row_of, verdicts


@dataclass(frozen=True)
class Numbers:
    """What a page is made of, and what a release gate reads."""

    round: str
    protocol: str
    parameters: dict[str, Any]
    data: dict[str, Any]
    rows: list[dict[str, Any]]
    targets: list[dict[str, Any]]
    checks: list[dict[str, Any]]

    def to_json(self) -> str:
        """numbers.json: full precision, stable order, never NaN."""
        document = {
            "round": self.round,
            "protocol": self.protocol,
            "parameters": self.parameters,
            "data": self.data,
            "numbers": self.rows,
            "targets": self.targets,
            "checks": self.checks,
        }
        return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    def to_csv(self) -> str:
        """numbers.csv: the same rows; groups and lists as JSON in their cells."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(ROW)
        for row in self.rows:
            writer.writerow([cell(row[name]) for name in ROW])
        return text.getvalue()

    def frame(self) -> pd.DataFrame:
        """The rows as a table, for a look in a notebook."""
        return pd.DataFrame(self.rows, columns=ROW)

    def get(self, statistic: str, question: str | None = None, **group: Any):
        """One row, or None: `numbers.get("alpha_ordinal", "tone", model="atlas-2")`."""
        return row_of(self.rows, statistic, question, group or None)

    def write(self, folder: Path) -> None:
        (folder / "numbers.json").write_text(self.to_json(), encoding="utf-8")
        (folder / "numbers.csv").write_text(self.to_csv(), encoding="utf-8")


def cell(value: Any) -> Any:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def numbers(stored: StoredRound, **given: Any) -> Numbers:
    """Compute a round's numbers; `given` are the report's parameters."""
    return compute(stored, checked(stored.name, given))


def frame_of(stored: StoredRound, parameters: Parameters, texts: bool = False) -> pd.DataFrame:
    """The round's answers, with the columns and under the names the parameters ask for."""
    check_names(stored, parameters)
    return stored.frame(texts=texts, pseudonyms=parameters.pseudonyms, groups=parameters.groups)


def ratings_of(
    stored: StoredRound, question: str, raters: Sequence[str] | None = None
) -> pd.DataFrame:
    """One question's ratings as `analysis` takes them: unit, rater, value, cluster, confidence.

    Those that a round's numbers are made of: given answers to main items, at the first time of
    asking, of people, else models, else whoever is named.
    """
    check("question", [question], [each.id for each in stored.protocol.questions], stored.name)
    frame = frame_of(stored, Parameters(stored.name, raters=tuple(raters) if raters else None))
    asked = questions_of(stored.protocol)
    board = Board(frame, asked, cluster=cluster_of(frame), raters=raters)
    return board.long(question)


def compute(
    stored: StoredRound,
    parameters: Parameters,
    frame: pd.DataFrame | None = None,
    counts: Asked | None = None,
) -> Numbers:
    """`frame` and `counts` are given where they are known, or are to be others."""
    protocol = stored.protocol
    frame = frame_of(stored, parameters) if frame is None else frame
    counts = asked(stored, parameters) if counts is None else counts
    measures = wanted(protocol, frame, parameters)
    rows = rows_of(protocol, frame, measures, parameters, cluster_of(frame))
    rows.append(completeness(counts, parameters.raters))
    return Numbers(
        round=stored.name,
        protocol=protocol.name,
        parameters=parameters.to_dict(),
        data={
            "protocol": protocol.hash,
            "answers": stored.data_hash(),
            "questions": wordings(protocol),
        },
        rows=rows,
        targets=verdicts(protocol.targets, rows, parameters.questions),
        checks=checks(frame, rows, measures, questions_of(protocol)),
    )


def wordings(protocol: Any) -> dict[str, str]:
    """A hash of each question as raters read it: over rounds, other words are another question."""
    hashes = {}
    for question in protocol.questions:
        content = question.model_dump(mode="json", exclude={"aliases", "comment"})
        text = json.dumps(content, ensure_ascii=False, sort_keys=True)
        hashes[question.id] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return hashes


def cluster_of(frame: pd.DataFrame) -> str | None:
    """What is resampled together: the declared cluster, else cases."""
    return "cluster" if "cluster" in frame and frame["cluster"].notna().any() else None
