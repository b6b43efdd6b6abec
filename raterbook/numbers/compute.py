"""Every number of one round: the rows, the targets and the checks of numbers.json."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import raterbook.analysis as analysis
from raterbook.analysis.intervals import USUAL, Interval, Wish

from ..files.content import put
from ..protocols.comparisons import facts
from ..rounds import Round
from . import agreement, averages, questeval, reference, systems
from .checks import checks
from .compare import judged
from .completeness import Completeness, completeness_of, completeness_row
from .counted import Board, Scale, listed
from .measures import (
    Finding,
    Task,
    asked_of,
    check_measure,
    cluster_of,
    correction_of,
    frame_of,
    is_of_shares,
    measured_by,
    nothing,
    questions_of,
    takes,
    wanted,
    with_criteria,
)
from .number import LEADING, ROW, Number, row_of
from .parameters import Parameters, checked, refuse_unknown
from .targets import Sight, decided, in_sight, refuse_hidden, verdicts

# Each says which statistics it computes.
SUBJECTS = (agreement, averages, questeval, reference, systems)

ORDERED = ("numbers", "order")  # what measures of labels have not

FORMAT = 1  # of numbers.json; another number where a reader of this one would go wrong


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
    look: dict[str, Any] | None = None  # where the round declared looks

    def __repr__(self) -> str:
        return f"Numbers({self.round!r}): {len(self.rows):,} numbers, {len(self.targets)} targets"

    def _repr_html_(self) -> str:
        """The numbers that the page leads with; all of them are in `frame()`."""
        every = self.frame()
        shown = every[every["group"].isna() & every["aggregate"].isin(LEADING)]
        named = [
            "question",
            "statistic",
            "estimate",
            "low",
            "high",
            "n_items",
            "n_raters",
            "reason",
        ]
        return str(shown[named].to_html(index=False, na_rep="", max_rows=40, escape=True))

    def to_json(self) -> str:
        """numbers.json: full precision, stable order, never NaN."""
        document = {
            "format": FORMAT,
            "round": self.round,
            "protocol": self.protocol,
            "parameters": self.parameters,
            "data": self.data,
            "numbers": self.rows,
            "targets": self.targets,
            "checks": self.checks,
        }
        if self.look is not None:
            document["look"] = self.look
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

    def get(self, statistic: str, question: str | None = None, **group: Any) -> Any:
        """One row, or None: `numbers.get("alpha_ordinal", "tone", model="atlas-2")`."""
        return row_of(self.rows, statistic, question, group or None)

    def write(self, folder: Path) -> None:
        put(self.to_json().encode(), folder / "numbers.json")
        put(self.to_csv().encode(), folder / "numbers.csv")


def cell(value: Any) -> Any:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def numbers(stored: Round, **given: Any) -> Numbers:
    """Compute a round's numbers; `given` are the report's parameters.

    Of a round that declared looks they are those of the last look, at its coverage; before the
    first there are none.
    """
    parameters, sight = in_sight(stored, checked(stored.name, given))
    return compute(stored, parameters, frame_of(stored, parameters, sight=sight), sight=sight)


def ratings_of(stored: Round, question: str, raters: Sequence[str] | None = None) -> pd.DataFrame:
    """One question's ratings as `analysis` takes them: unit, rater, value, cluster, confidence.

    Those that a round's numbers are made of: given answers to main items, at the first time of
    asking, of people, else models, else whoever is named.
    """
    refuse_unknown(
        "question", [question], [each.id for each in stored.protocol.questions], stored.name
    )
    parameters = Parameters(stored.name, raters=tuple(raters) if raters else None)
    frame = frame_of(stored, parameters, sight=refuse_hidden(stored))
    asked = questions_of(stored.protocol)
    board = Board(frame, asked, cluster=cluster_of(frame), raters=raters)
    return board.long(question)


def compute(
    stored: Round,
    parameters: Parameters,
    frame: pd.DataFrame | None = None,
    counts: Completeness | None = None,
    sight: Sight | None = None,
) -> Numbers:
    """`frame` and `counts` are given where they are known, or are to be others; `sight` is what
    may be seen of a round with declared looks."""
    protocol = stored.protocol
    frame = frame_of(stored, parameters) if frame is None else frame
    counts = completeness_of(stored, parameters) if counts is None else counts
    hidden = sight is not None and sight.hidden
    measures = [] if hidden else wanted(protocol, frame, parameters)
    rows = rows_of(protocol, frame, measures, parameters, cluster_of(frame))
    rows += [] if hidden else judged(stored, parameters, frame, sight)
    rows.append(completeness_row(counts, parameters.raters))
    why = "hidden_until_a_look" if hidden else "no_such_number"
    targets = verdicts(protocol.targets, rows, parameters.questions, why)
    return Numbers(
        round=stored.name,
        protocol=protocol.name,
        parameters=parameters.to_dict(),
        data={
            "protocol": protocol.hash,
            "answers": stored.data_hash(None if sight is None else sight.until),
            "questions": wordings(protocol),
        },
        rows=rows,
        targets=targets,
        checks=checks(frame, rows, measures, questions_of(protocol)),
        look=None if sight is None else sight.document(decided(sight, targets, rows)),
    )


def wordings(protocol: Any) -> dict[str, str]:
    """A hash of each question as raters read it: over rounds, other words are another question."""
    hashes = {}
    for question in protocol.questions:
        content = question.model_dump(mode="json", exclude={"aliases", "comment"})
        text = json.dumps(content, ensure_ascii=False, sort_keys=True)
        hashes[question.id] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return hashes


# Every number a protocol asks for, as rows.


def summary(
    frame: pd.DataFrame,
    measures: Iterable[Mapping[str, Any]],
    questions: Mapping[str, Mapping[str, Any]],
    *,
    cluster: str | None = None,
    raters: Sequence[Any] | None = None,
    interval: Wish = USUAL,
) -> list[dict[str, Any]]:
    """One row per measure, question and group, from a round's long frame.

    Only main items, first replicates and given answers count; people count, else models, else
    whoever `raters` names. `cluster` is the column whose values are resampled together, the case
    if none is named; `interval` is a method, an `Interval` or None. A number that cannot
    be had is None with its reason, never NaN.
    """
    found = by_measure(
        frame, measures, questions, Interval.of(interval), cluster=cluster, raters=raters
    )
    uncorrected = [name for name in ROW if name not in ("p_holm", "p_corrected", "correction")]
    rows = [each.row() for some in found for each in some]
    return [{name: row[name] for name in uncorrected} for row in rows]


def by_measure(
    frame: pd.DataFrame,
    measures: Iterable[Mapping[str, Any]],
    questions: Mapping[str, Mapping[str, Any]],
    options: Interval,
    *,
    cluster: str | None = None,
    raters: Sequence[Any] | None = None,
) -> list[list[Number]]:
    """The numbers of each measure, in the measures' order."""
    every = [dict(measure) for measure in measures]
    board = Board(frame, questions, cluster=cluster, raters=raters)
    found = []
    for measure in every:
        measure["question"] = with_criteria(measure, every)
        check_measure(measure)
        compute = measured_by(str(measure["statistic"]))
        rows: list[Number] = []
        for group, mask in _groups(board, measure.get("by")):
            task = Task(board, measure, mask, options)
            rows += [_number(board, measure, group, each) for each in fitting(task, compute)]
        found.append(rows)
    return found


def _groups(board: Board, by: Any) -> list[tuple[dict[str, Any], np.ndarray]]:
    """All units, then the units of each group; a unit without the column stands in none."""
    found: list[tuple[dict[str, Any], np.ndarray]] = [({}, board.everything)]
    for entry in listed(by or []):
        columns = listed(entry)
        unknown = [name for name in columns if name not in board.first.columns]
        if unknown:
            raise ValueError(f"the frame has no column {unknown[0]!r} to group by")
        labels = board.first[columns].astype(object)
        known = labels.notna().all(axis=1).to_numpy()
        keys = pd.Series(list(map(tuple, labels.to_numpy())), dtype=object)
        codes, each = pd.factorize(keys.to_numpy())
        there = sorted(set(codes[known].tolist()), key=lambda code: [*map(str, each[code])])
        for code in there:
            group = dict(zip(columns, map(_plain, each[code]), strict=True))
            found.append((group, known & (codes == code)))
    return found


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _number(board: Board, measure: Mapping[str, Any], group: Any, found: Finding) -> Number:
    return Number.of(
        str(measure["statistic"]),
        found.estimate,
        question=found.question,
        group={**group, **found.group} or None,
        pair=found.pair,
        aggregate=found.aggregate,
        raters=found.raters,
        n_items=board.n_items(found.units),
        p=found.estimate.beside.get("p"),
        correction=correction_of(measure),
    )


def fitting(task: Task, compute: Callable[[Task], list[Finding]]) -> list[Finding]:
    """The findings of the questions whose values fit, and the reason for each of the others.

    What is made of several questions together has no value where one of them does not fit.
    """
    said, of = task.board.questions, task.board.grid
    unfit = {
        name: reason
        for name in (task.questions if takes(task.measure) in ORDERED else ())
        if (reason := why_not(task.measure, said.get(name, {}), of(name).scale))
    }
    if not unfit:
        return compute(task)
    reason = next(iter(unfit.values()))
    asks = facts(task.statistic).asks
    if asks in ("all", "first"):
        of_one = asks == "first" or (len(task.questions) == 1 and facts(task.statistic).is_share)
        name = task.questions[0] if of_one else None
        return [_missing(task, task.questions, name, reason)]
    fit = [name for name in task.questions if name not in unfit]
    found = compute(replace(task, measure={**task.measure, "question": fit})) if fit else []
    of_each = [each for each in found if each.question is not None]
    of_each += [_missing(task, [name], task.called(name), why) for name, why in unfit.items()]
    if asks == "each and all" and len(task.questions) > 1:
        of_each.append(_missing(task, task.questions, None, reason))
    return of_each


def why_not(measure: Mapping[str, Any], question: Mapping[str, Any], scale: Scale) -> str | None:
    """The reason why the question's values do not fit the measure; None where they do."""
    needed = takes(measure)
    if needed not in ORDERED or not (scale.labels or measure.get("recode")):
        return None
    if needed == "numbers":
        return "not_numeric"
    return None if question.get("level") in ("ordinal", "interval", "ratio") else "no_order"


def _missing(task: Task, questions: list[str], question: str | None, reason: str) -> Finding:
    _, who = task.board.counted(questions)
    return Finding(question, nothing(task.statistic, reason), np.zeros(0, int), raters=who)


# The rows of numbers.json: what analysis finds, kept within what is possible, and corrected.


def rows_of(
    protocol: Any,
    frame: pd.DataFrame,
    measures: list[dict[str, Any]],
    parameters: Parameters,
    cluster: str | None,
) -> list[dict[str, Any]]:
    """The rows of the measures, as analysis finds them."""
    found = by_measure(
        frame,
        measures,
        questions_of(protocol),
        parameters.wish,
        cluster=cluster,
        raters=list(parameters.raters) if parameters.raters else None,
    )
    kept = corrected(
        [
            number
            for measure, numbers in zip(measures, found, strict=True)
            for number in kept_within(protocol, numbers, measure)
        ]
    )
    return [number.row() for number in kept]


def kept_within(
    protocol: Any, numbers: Sequence[Number], measure: Mapping[str, Any]
) -> list[Number]:
    """The numbers of one measure, their intervals within what is possible."""
    ranges = ranges_of(protocol)
    return [number.within(possible(number, ranges, measure)) for number in numbers]


def ranges_of(protocol: Any) -> dict[str, tuple[float, float]]:
    """The least and the greatest value of each numeric question."""
    return {
        question.id: (float(question.min), float(question.max))
        for question in protocol.questions
        if question.is_numeric and question.min is not None and question.max is not None
    }


def possible(
    number: Number,
    ranges: Mapping[str, tuple[float, float]],
    measure: Mapping[str, Any],
) -> tuple[float, float] | None:
    """The values this number can have at all; None where nothing is known of them."""
    about = facts(number.statistic)
    asked = [number.question] if number.question else asked_of(measure)
    found = [ranges[name] for name in asked if name in ranges]
    widest = max((high - low for low, high in found), default=None)
    if about.is_difference:
        most = 1.0 if widest is None or is_of_shares(measure) else widest
        return -most, most
    if isinstance(about.ends, tuple):
        return about.ends
    if about.ends is None or widest is None:
        return None
    if about.ends == "scale":
        return min(low for low, _ in found), max(high for _, high in found)
    return 0.0 if about.ends == "distance" else -widest, widest


def corrected(found: list[Number]) -> list[Number]:
    """The numbers with each comparison's p corrected for all comparisons of the round.

    Those that the protocol wants corrected in one way are counted together. Pooled and compatible
    readings and those by group compare the same systems once more; they are not counted again.
    """
    found = list(found)
    for correction in {each.correction for each in found if each.correction}:
        places = [
            place
            for place, each in enumerate(found)
            if each.correction == correction and each.is_comparison
        ]
        after = analysis.adjust([found[place].p for place in places], correction)
        for place, p in zip(places, after, strict=True):
            holm = p if correction == "holm" else None
            found[place] = replace(found[place], p_corrected=p, p_holm=holm)
    return found
