"""Results of an evaluation: one line per item, and what they come to per criterion."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from raterbook.judges.clients.model import Reply
from raterbook.judges.replies import Parsed
from raterbook.protocols import Protocol, Question
from raterbook.protocols.kinds import fold
from raterbook.protocols.measures import is_adjusted

if TYPE_CHECKING:
    import pandas as pd


METRICS = ("n", "mean", "sd", "median", "min", "max")


def line_of(item: str, reply: Reply, parsed: Parsed | None, protocol: Protocol) -> dict[str, Any]:
    """Answers only of a reply that is ok; of every other the raw text and what is wrong with it."""
    answers = (
        {question: given.value for (_, question), given in parsed.answers.items()}
        if parsed is not None and parsed.ok
        else {}
    )
    line: dict[str, Any] = {"item": item, "status": parsed.status if parsed else "api_error"}
    line.update({question.id: answers.get(question.id) for question in protocol.questions})
    scores = [answers[one.id] for one in criteria_of(protocol) if one.id in answers]
    overall = answers.get("overall")
    if overall is not None and scores:
        computed = fmean(scores)
        level = protocol.question("overall").level_of(overall)
        line["overall_computed"] = computed
        line["adjusted"] = is_adjusted(overall, computed)
        line["overall_level"] = level.name if level is not None else None
    if parsed is not None:
        line["problems"] = "; ".join(parsed.problems)
        line["missing"] = "; ".join(parsed.missing)
    else:
        line["problems"] = reply.error
    line["raw_response"] = reply.text
    return line


def criteria_of(protocol: Protocol) -> list[Question]:
    """The scales that an overall score is held against."""
    return [one for one in protocol.questions if one.is_score and one.id != "overall"]


def table_of(
    results: pd.DataFrame, protocol: Protocol, metrics: Sequence[str] | str | None = None
) -> pd.DataFrame:
    """One row per numeric question; `metrics` chooses among n, mean, sd, median, min, max."""
    import pandas as pd

    chosen = METRICS if metrics is None else [metrics] if isinstance(metrics, str) else metrics
    unknown = [name for name in chosen if name not in METRICS]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not one of {', '.join(METRICS)}")
    rows = {}
    for question in protocol.questions:
        if question.is_numeric and question.id in results:
            values = pd.to_numeric(results[question.id]).dropna()
            every = {
                "n": len(values),
                "mean": values.mean(),
                "sd": values.std(),
                "median": values.median(),
                "min": values.min(),
                "max": values.max(),
            }
            rows[question.label] = {name: every[name] for name in chosen}
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(chosen))


def summary_of(results: pd.DataFrame, protocol: Protocol) -> str:
    """What model_based_evaluation prints."""
    counts = results["status"].value_counts() if len(results) else {}
    said = ", ".join(f"{count} {name}" for name, count in counts.items()) or "no rows"
    columns = ["item", "status"] + [
        question.id
        for question in protocol.questions
        if not question.is_text and question.id in results
    ]
    lines = [f"{len(results)} rows: {said}"]
    if len(results):
        lines.append(results[columns].to_string(index=False))
        numbers = table_of(results, protocol, ("n", "mean", "sd"))
        if len(numbers):
            lines += ["", numbers.to_string(float_format=lambda value: f"{value:.2f}")]
    return "\n".join(lines)


# Accuracy, precision, recall and F1 of predictions against labels.


AVERAGES = ("macro", "micro", "weighted", "binary")


def classification(
    labels: Sequence[Any],
    predictions: Sequence[Any],
    average: str = "macro",
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
    found: dict[str, Any] = {
        "n": len(pairs),
        "missing": len(labels) - len(pairs),
        "average": average,
    }
    if not pairs:
        return {
            **found,
            "accuracy": None,
            "precision": None,
            "recall": None,
            "f1": None,
            "reason": "no row has both a label and a prediction",
        }
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
