"""Accuracy, precision, recall and F1 of predictions against labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raterbook.protocols.answers import fold

AVERAGES = ("macro", "micro", "weighted", "binary")


def classification(
    labels: Sequence[Any], predictions: Sequence[Any], average: str = "macro",
    positive: Any = None,
) -> dict[str, Any]:
    """Of the rows that have both. A class nobody predicted has precision 0, as is usual.

    >>> classification(["ai", "human", "ai"], ["ai", "ai", "ai"])["f1"]
    0.4
    """
    if average not in AVERAGES:
        raise ValueError(f"{average!r} is no average: choose {', '.join(AVERAGES)}")
    pairs = [
        (fold(str(label)), fold(str(prediction)))
        for label, prediction in zip(labels, predictions, strict=True)
        if _is_given(label) and _is_given(prediction)
    ]
    found: dict[str, Any] = {"n": len(pairs), "missing": len(labels) - len(pairs),
                             "average": average}
    if not pairs:
        return {**found, "accuracy": None, "precision": None, "recall": None, "f1": None,
                "reason": "no row has both a label and a prediction"}
    classes = sorted({value for pair in pairs for value in pair})
    counts = {one: _counts(one, pairs) for one in classes}
    found["accuracy"] = sum(label == prediction for label, prediction in pairs) / len(pairs)
    if average == "binary":
        chosen = fold(str(positive)) if positive is not None else None
        if chosen not in counts:
            raise ValueError(f"average 'binary' needs positive=, one of {', '.join(classes)}")
        scores, weights = [_scores(*counts[chosen])], [1.0]
    elif average == "micro":
        total = [sum(column) for column in zip(*counts.values())]
        scores, weights = [_scores(*total)], [1.0]
    else:
        scores = [_scores(*count) for count in counts.values()]
        support = [hit + missed for hit, _, missed in counts.values()]
        weights = [float(one) for one in support] if average == "weighted" else [1.0] * len(scores)
    for place, name in enumerate(("precision", "recall", "f1")):
        summed = sum(weight * score[place] for weight, score in zip(weights, scores))
        found[name] = summed / sum(weights)
    return found


def _counts(one: str, pairs: Sequence[tuple[str, str]]) -> tuple[int, int, int]:
    """Hits, false alarms and misses of a class."""
    hit = sum(label == prediction == one for label, prediction in pairs)
    alarms = sum(prediction == one != label for label, prediction in pairs)
    return hit, alarms, sum(label == one for label, _ in pairs) - hit


def _scores(hit: int, alarms: int, missed: int) -> tuple[float, float, float]:
    precision = hit / (hit + alarms) if hit + alarms else 0.0
    recall = hit / (hit + missed) if hit + missed else 0.0
    both = 2 * hit + alarms + missed
    return precision, recall, 2 * hit / both if both else 0.0


def _is_given(value: Any) -> bool:
    return value is not None and value == value and str(value).strip() != ""
