"""Results of an evaluation: one line per item, and what they come to per criterion."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from raterbook.judges.parsing import Parsed
from raterbook.judges.reply import Reply
from raterbook.protocols import Protocol, Question

if TYPE_CHECKING:
    import pandas as pd

METRICS = ("n", "mean", "sd", "median", "min", "max")
ADJUSTED = 0.5  # how far the overall score must be from the mean of the others


def line_of(
    item: str, reply: Reply, parsed: Parsed | None, protocol: Protocol
) -> dict[str, Any]:
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
        line["adjusted"] = abs(overall - computed) >= ADJUSTED
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
    return [one for one in protocol.questions if one.type == "scale" and one.id != "overall"]


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
                "n": len(values), "mean": values.mean(), "sd": values.std(),
                "median": values.median(), "min": values.min(), "max": values.max(),
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
        if question.type != "text" and question.id in results
    ]
    lines = [f"{len(results)} rows: {said}"]
    if len(results):
        lines.append(results[columns].to_string(index=False))
        numbers = table_of(results, protocol, ("n", "mean", "sd"))
        if len(numbers):
            lines += ["", numbers.to_string(float_format=lambda value: f"{value:.2f}")]
    return "\n".join(lines)
