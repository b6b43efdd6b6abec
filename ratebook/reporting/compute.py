"""Every number of one round: the rows, the targets and the checks of numbers.json."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

import analysis

from ..rounds import StoredRound
from .checks import checks
from .parameters import Parameters, checked
from .targets import row_of, verdicts

ROW = [
    "question",
    "group",
    "statistic",
    "estimate",
    "low",
    "high",
    "low_like",
    "high_like",
    "raters",
    "n_items",
    "n_raters",
    "n_ratings",
    "method",
    "reason",
    "aggregate",
    "warnings",
]


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
    return stored.frame(texts=texts, pseudonyms=parameters.pseudonyms, groups=parameters.groups)


def compute(
    stored: StoredRound, parameters: Parameters, frame: pd.DataFrame | None = None
) -> Numbers:
    protocol = stored.protocol
    frame = frame_of(stored, parameters) if frame is None else frame
    check_names(stored, frame, parameters)
    measures = wanted(protocol, frame, parameters)
    rows = rows_of(protocol, frame, measures, parameters)
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
        targets=verdicts(protocol.targets, rows),
        checks=checks(frame, rows, measures, questions_of(protocol)),
    )


# With r raters these take r² steps, and r³ for the interval over raters like these.
PAIRED = ("kappa_cohen", "kappa_raters", "kappa_weighted_quadratic", "icc_2_1")
MANY_RATERS = 60


def rows_of(
    protocol: Any, frame: pd.DataFrame, measures: list[dict[str, Any]], parameters: Parameters
) -> list[dict[str, Any]]:
    """The rows of the measures; with very many raters some have no interval."""
    crowded = frame["rater"].nunique() > MANY_RATERS

    def summed(some: list[dict[str, Any]], interval: str | None) -> list[dict[str, Any]]:
        return analysis.summary(
            frame,
            some,
            questions_of(protocol),
            cluster=cluster_of(frame),
            raters=list(parameters.raters) if parameters.raters else None,
            coverage=parameters.coverage,
            interval=interval,
            resamples=parameters.resamples,
            seed=parameters.seed,
        )

    if not crowded:
        return summed(measures, parameters.interval)
    pairs = [measure for measure in measures if measure["statistic"] in PAIRED]
    others = [measure for measure in measures if measure["statistic"] not in PAIRED]
    return [*summed(others, parameters.interval), *summed(pairs, None)]


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


def questions_of(protocol: Any) -> dict[str, dict[str, Any]]:
    """What analysis needs to know of each question: its type, level and declared scale."""
    return {
        question.id: {
            "type": question.type,
            "level": question.level,
            "scale": list(question.values) if question.values else None,
            "covers": list(question.covers),
        }
        for question in protocol.questions
    }


def wanted(protocol: Any, frame: pd.DataFrame, parameters: Parameters) -> list[dict[str, Any]]:
    """The protocol's measures, narrowed to the questions and widened by the groups asked for."""
    columns = set(frame.columns)
    kept = []
    for measure in protocol.measures:
        entry = measure.to_dict()
        asked = entry.get("question")
        if parameters.questions is not None and asked is not None:
            several = [asked] if isinstance(asked, str) else list(asked)
            several = [name for name in several if name in parameters.questions]
            if not several:
                continue
            entry["question"] = several
        by = [group for group in entry.get("by") or [] if columns.issuperset(listed(group))]
        by += [[name] for name in parameters.groups if [name] not in by]
        entry["by"] = by
        if parameters.ties == "first" and entry["statistic"] == "evaluator_agreement":
            entry["tie"] = "first"
        kept.append(entry)
    return kept


def listed(group: Any) -> list[str]:
    return [group] if isinstance(group, str) else list(group)


def check_names(stored: StoredRound, frame: pd.DataFrame, parameters: Parameters) -> None:
    """Names that the round does not have are refused, with those it has."""
    known = {
        "raters": list(frame["rater"].cat.categories),
        "questions": [question.id for question in stored.protocol.questions],
        "groups": groupable(frame),
    }
    for what, names in known.items():
        for name in getattr(parameters, what) or ():
            if name not in names:
                raise ValueError(
                    f"parameter {what}: {stored.name} has no {name!r}. "
                    f"Choose from {', '.join(names) or 'nothing: there are none'}."
                )


FIXED = frozenset(
    [
        "round",
        "item",
        "case",
        "part",
        "rater",
        "rater_kind",
        "question",
        "replicate",
        "value",
        "number",
        "status",
        "confidence",
        "seconds",
        "revision",
        "answered_at",
        "role",
        "cluster",
    ]
)


def groupable(frame: pd.DataFrame) -> list[str]:
    """Item columns: what the frame has beside the columns every round has."""
    return [str(name) for name in frame.columns if name not in FIXED]
