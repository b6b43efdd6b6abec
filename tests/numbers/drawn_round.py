"""A round drawn by a seed: its answers as plain dicts, and its rows of a summary held to them."""

from collections import Counter
from functools import cache
from statistics import fmean

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from raterbook.numbers.compute import summary
from tests.analysis.conftest import build

SCALE = [1, 2, 3, 4, 5]
LABELS = ["SUPPORTED", "CONTRADICTED", "NO EVIDENCE"]
JUDGED = ["accurate", "disputed", "unsupported", "inaccurate"]
QUESTIONS = {
    "tone": {"type": "scale", "level": "ordinal", "scale": SCALE},
    "clarity": {"type": "scale", "level": "ordinal", "scale": SCALE},
    "overall": {"type": "scale", "level": "interval", "scale": SCALE},
    "label": {"type": "choice", "level": "nominal", "scale": LABELS},
    "accuracy": {"type": "choice", "level": "nominal", "scale": [*JUDGED, "cannot_assess"]},
    "severity": {"type": "choice", "level": "nominal", "scale": ["severe", "not_severe"]},
}
PEOPLE = ("ana", "ben", "eva", "ivo")
KINDS = {"gpt": "model", "llm": "model", "auto": "automatic", "bot": "automatic"}
KINDS |= {"chief": "adjudicator"}
SYSTEMS = ("m1", "m2", "m3")
SEEDS = (0, 1, 2)


@cache
def answers(seed):
    """Four people with gaps, two models, two automatic labels, an adjudicator; three systems."""
    rng = np.random.default_rng(seed)
    found = []
    items = [f"q{case}/{system}" for case in range(7) for system in SYSTEMS]
    for item in items:
        if rng.random() < 0.08:
            continue
        truth = {name: rng.integers(1, 6) for name in ("tone", "clarity")}
        label = rng.choice(LABELS)
        for rater in (*PEOPLE, "gpt", "llm"):
            for name, middle in truth.items():
                if rng.random() < 0.85:
                    value = int(np.clip(middle + rng.integers(-1, 2), 1, 5))
                    sure = [float(rng.choice([0, 20, 50, 90, 100]))] if rng.random() < 0.8 else []
                    found.append((item, 0, rater, name, value, *sure))
            if rng.random() < 0.8:
                found.append((item, 0, rater, "overall", float(rng.choice([2, 2.5, 3.75, 4]))))
        for rater in (*PEOPLE, "auto", "bot"):
            if rng.random() < 0.8:
                said = label if rng.random() < 0.6 else rng.choice(LABELS)
                found.append((item, 0, rater, "label", str(said)))
        if rng.random() < 0.3:
            found.append((item, 0, "chief", "label", str(rng.choice(LABELS))))
        for part in (1, 2, 3)[: rng.integers(1, 4)]:
            for rater in PEOPLE[:3]:
                if rng.random() < 0.8:
                    verdict = str(rng.choice([*JUDGED, "cannot_assess"]))
                    found.append((item, part, rater, "accuracy", verdict))
                    if verdict != "accurate" and rng.random() < 0.7:
                        grave = str(rng.choice(["severe", "not_severe"]))
                        found.append((item, part, rater, "severity", grave))
    return tuple(found)


def given(seed, question, raters=PEOPLE, system=None):
    """unit → rater → value."""
    found = {}
    for item, part, rater, asked, value, *_ in answers(seed):
        if asked == question and rater in raters and system in (None, item[-2:]):
            found.setdefault((item, part), {})[rater] = value
    return found


def sure(seed, question, system=None):
    """(unit, rater) → (value, confidence), where one was given."""
    return {
        ((item, part), rater): (value, *more)
        for item, part, rater, asked, value, *more in answers(seed)
        if asked == question and rater in PEOPLE and more and system in (None, item[-2:])
    }


def pooled(units):
    return [value for said in units.values() for value in said.values()]


def row_means(seed, questions, system=None, raters=PEOPLE):
    """unit → rater → the mean over the questions they answered."""
    found = {}
    for question in questions:
        for unit, said in given(seed, question, raters, system).items():
            for rater, value in said.items():
                found.setdefault(unit, {}).setdefault(rater, []).append(value)
    return {u: {r: fmean(v) for r, v in said.items()} for u, said in found.items()}


def most(values):
    """The value that more than half gave, else None."""
    if not values:
        return None
    value, n = Counter(values).most_common(1)[0]
    return value if 2 * n > len(values) else None


def rows_of(seed, *measures, **how):
    built = build(answers(seed), KINDS, model={i: i[-2:] for i, *_ in answers(seed)})
    return summary(built, measures, QUESTIONS, **{"interval": None, **how})


def found(seed, statistic, question, by=True, **more):
    """group (as sorted pairs) → row; by the system of the item as well."""
    measure = {"statistic": statistic, "question": question, **more}
    if by:
        measure["by"] = "model"
    made = {}
    for row in rows_of(seed, measure):
        key = row["question"], *sorted((row["group"] or {}).items())
        assert key not in made
        made[key] = row
    return made


def check(rows, key, expected, n_items=None, n_ratings=None, n_raters=None):
    row = rows[key]
    if expected is None:
        assert row["estimate"] is None
        assert row["reason"] is not None
        return
    assert row["estimate"] == pytest.approx(expected, abs=1e-12), key
    for name, value in (("n_items", n_items), ("n_ratings", n_ratings), ("n_raters", n_raters)):
        assert value is None or row[name] == value, (key, name)


def each_system(question):
    yield None, (question,)
    for system in SYSTEMS:
        yield system, (question, ("model", system))


def cohen(pairs, labels, weights=None):
    """Cohen's kappa; None where nobody met, or both sides always say one and the same."""
    if len({value for pair in pairs for value in pair}) < 2:
        return None
    return cohen_kappa_score(*zip(*pairs, strict=True), labels=labels, weights=weights)
