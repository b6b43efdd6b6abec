"""For every public function: order, names, kinds of ids and missing, and halves do not matter."""

import dataclasses
import inspect
import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raterbook import analysis
from raterbook.analysis import (
    Interval,
    Ratings,
    against,
    agreement,
    alpha,
    difference,
    gwet,
    icc,
    influence,
    kappa,
    mean,
    proportion,
    severity,
    weighted_mean,
)
from raterbook.analysis.averages.against import COMPARISONS
from raterbook.analysis.averages.means import median, sd
from raterbook.analysis.averages.weighted import confidence
from raterbook.analysis.coefficients.icc import variance_components
from raterbook.analysis.coefficients.tables import coefficients, pairwise
from raterbook.analysis.older import (
    alpha_by_category,
    alpha_gwet,
    brennan_prediger,
    kappa_by_category,
    kappa_test,
)
from raterbook.numbers.compute import summary

SCALE = [1, 2, 3, 4]
FEW = settings(
    max_examples=2,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


def plain(frame):
    return frame[["unit", "rater", "value", "chunk"]]


def by_rater(found):
    return found.set_index("rater").sort_index()


def pairs(frame, names):
    """Each pair of raters by their own names, so that renaming can be undone."""
    table = pairwise(frame, "kappa", weights="quadratic", scale=SCALE)
    table = table.rename(index=names, columns=names).sort_index()
    return table[sorted(table)]


def estimating(function, *args, **more):
    """A function of ratings, with its usual interval and with one drawn over clusters."""

    def compute(frame, names):
        given = frame if function in (weighted_mean, confidence) else plain(frame)
        together = Ratings(given, scale=SCALE, cluster="chunk")
        drawn = Interval("bootstrap", draws=15, seed=7)
        return [
            function(Ratings(given, scale=SCALE), *args, **more),
            function(together, *args, interval=drawn, **more),
        ]

    return compute


def sides(frame):
    """The answers of the first raters and of the others, as if of two systems."""
    first = frame["rater"].map(str) < "r2"
    return [Ratings(each, scale=SCALE, cluster="chunk") for each in (frame[first], frame[~first])]


COMPUTED = {
    "alpha": estimating(alpha, "ordinal"),
    "alpha_gwet": estimating(alpha_gwet, "linear"),
    "alpha_by_category": estimating(alpha_by_category),
    "against": lambda f, n: against(
        Ratings(plain(f), scale=SCALE, cluster="chunk"),
        min(f["rater"].unique(), key=n.get),
        names=COMPARISONS,
    ),
    "agreement": estimating(agreement, 1),
    "influence": lambda f, n: [
        by_rater(
            influence(plain(f), "ordinal", scale=SCALE).assign(rater=lambda t: t["rater"].map(n))
        ),
        np.sort(influence(plain(f), "ordinal", of="units", scale=SCALE)["estimate"].to_numpy()),
    ],
    "brennan_prediger": estimating(brennan_prediger, "linear"),
    "coefficients": estimating(coefficients),
    "difference": lambda f, n: difference(*sides(f.assign(rater=f["rater"].map(n).astype(str)))),
    "confidence": estimating(confidence),
    "gwet": estimating(gwet, "quadratic"),
    "icc": estimating(icc),
    "kappa": estimating(kappa, "light", "linear"),
    "kappa_by_category": estimating(kappa_by_category),
    "kappa_test": lambda f, n: kappa_test(
        Ratings(plain(f), SCALE, raters=sorted(f["rater"].unique(), key=n.get)[:2])
    ),
    "mean": estimating(mean),
    "median": estimating(median),
    "pairwise": lambda f, n: pairs(plain(f), n),
    "proportion": estimating(proportion, [1, 2], of=[1, 2, 3]),
    "severity": lambda f, n: [
        by_rater(one.assign(rater=one["rater"].map(n))) for one in estimating(severity)(f, n)
    ],
    "sd": estimating(sd),
    "summary": lambda f, n: summary(
        as_round(f),
        [{"statistic": s, "question": "tone"} for s in ("mean", "median", "alpha_ordinal", "ac2")]
        + [{"statistic": s, "question": ["tone"]} for s in ("overall_mean", "full_agreement")],
        {"tone": {"type": "scale", "level": "ordinal", "scale": SCALE}},
        cluster="chunk",
        interval=analysis.Interval(draws=15, seed=7),
    ),
    "variance_components": lambda f, n: variance_components(plain(f), scale=SCALE),
    "weighted_mean": estimating(weighted_mean),
}
BY_PATH = {
    *("alpha_gwet", "alpha_by_category", "benchmark", "brennan_prediger", "kappa_by_category"),
    *("kappa_test", "coefficients", "confidence", "median", "pairwise", "proportion_difference"),
    *("sd", "sentence", "summary", "token_f1", "tokenise", "variance_components"),
}
NO_RATINGS = {
    "adjust": "p-values",
    "benchmark": "a coefficient",
    "proportion_difference": "counts",
    "sentence": "a code",
    "token_f1": "texts",
    "tokenise": "a text",
}


def as_round(frame):
    """The same answers as a round's own frame."""
    texts = [None if is_missing(v) else str(v) for v in frame["value"]]
    built = frame.assign(
        item=frame["unit"],
        case=frame["unit"],
        part=0,
        rater=frame["rater"].astype(object),
        rater_kind="human",
        question="tone",
        value=pd.Series(texts, index=frame.index, dtype=object),
        number=pd.to_numeric(frame["value"], errors="coerce").astype(float),
        status=np.where([text is None for text in texts], "skipped", "answered"),
    )
    return built.drop(columns="unit")


def is_missing(value):
    return pd.isna(value) or value == ""


@st.composite
def frames(draw):
    """Three to four raters on a few units, some answers missing, a confidence for most."""
    width = draw(st.integers(3, 4))
    height = draw(st.integers(6, 9))
    cell = st.sampled_from([1, 2, 3, 4, 4, None])
    table = draw(
        st.lists(st.lists(cell, min_size=width, max_size=width), min_size=height, max_size=height)
    )
    table[0][:2], table[1][:2] = [1, 1], [2, 4]
    table[2][2], table[3][-1] = 3, 2
    sure = draw(st.lists(st.sampled_from([20.0, 50.0, 90.0]), min_size=40, max_size=40))
    rows = [
        (f"u{i}", f"r{j}", value, sure[(i * width + j) % 40], f"c{i // 2}")
        for i, row in enumerate(table)
        for j, value in enumerate(row)
    ]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "value", "confidence", "chunk"])
    return frame.astype(dict.fromkeys(("unit", "rater", "value", "chunk"), object))


def number(column):
    return column.str[1:].astype(int)


def given_ids(kind):
    """The frame with another kind of ids, and each rater's old name by the new one."""

    def change(frame, draw):
        unit, rater = number(frame["unit"]), number(frame["rater"])
        made = {
            "text": (frame["unit"].astype("string"), frame["rater"].astype("string")),
            "integers": (unit, rater),
            "integers with gaps": (unit * 7 - 9, rater * 100 + 5),
            "categories": (frame["unit"].astype("category"), frame["rater"].astype("category")),
            "unused categories": (
                frame["unit"].astype(pd.CategoricalDtype([f"u{i}" for i in range(19, -1, -1)])),
                frame["rater"].astype(pd.CategoricalDtype(["x", "r3", "r1", "r0", "r2"])),
            ),
            "dates": (
                pd.Timestamp("2024-02-27") + pd.to_timedelta(unit, "D"),
                pd.Timestamp("2024-02-27") + pd.to_timedelta(rater, "D"),
            ),
            "renamed": (("z" + (unit * 7 % 11).astype(str)), ("q" + (rater * 3 % 4).astype(str))),
            "floats": (unit / 2, rater / 4),
        }[kind]
        changed = frame.assign(unit=made[0], rater=made[1])
        return changed, dict(zip(changed["rater"], frame["rater"], strict=True))

    return change


def old_names(frame):
    return {name: name for name in frame["rater"]}


def shuffled(frame, draw):
    order = draw(st.permutations(range(len(frame))))
    return frame.iloc[order], old_names(frame)


def missing_as(value):
    def change(frame, draw):
        blank = frame["value"].isna()
        changed = frame["value"].astype(object).where(~blank, value)
        return frame.assign(value=changed), old_names(frame)

    return change


def typed_as(dtype):
    def change(frame, draw):
        return frame.assign(value=frame["value"].astype(dtype)), old_names(frame)

    return change


def with_rows_left_out(frame, draw):
    return frame[frame["value"].notna()], old_names(frame)


def with_a_unit_nobody_rated(frame, draw):
    more = frame.iloc[:2].assign(unit="u99", value=None, chunk="c99")
    return pd.concat([more, frame]), old_names(frame)


def in_two_halves(frame, draw):
    cut = draw(st.integers(1, len(frame) - 1))
    halves = [frame.iloc[cut:].reset_index(drop=True), frame.iloc[:cut]]
    return pd.concat(halves), old_names(frame)


def unchanged(frame, draw):
    return frame.copy(), old_names(frame)


CHANGES = {
    "the same seed again": unchanged,
    "rows shuffled": shuffled,
    **{
        f"ids as {kind}": given_ids(kind)
        for kind in (
            *("text", "integers", "integers with gaps", "categories", "unused categories"),
            *("dates", "renamed", "floats"),
        )
    },
    **{
        f"missing as {value!r}": missing_as(value)
        for value in (None, np.nan, pd.NA, "", " ", pd.NaT)
    },
    "numbers as floats": typed_as("float"),
    "numbers as nullable integers": typed_as("Int64"),
    "numbers as categories": typed_as("category"),
    "numbers as texts": typed_as("string"),
    "missing rows left out": with_rows_left_out,
    "a unit nobody rated": with_a_unit_nobody_rated,
    "two halves put together": in_two_halves,
}


def flat(found, where=""):
    """Every number and word of a result, by its place in it; names of raters apart."""
    if dataclasses.is_dataclass(found):
        names = [field.name for field in dataclasses.fields(found) if field.name != "raters"]
        found = {name: getattr(found, name) for name in names}
    if isinstance(found, pd.DataFrame):
        found = {str(name): found[name].tolist() for name in found.columns if name != "unit"}
    if isinstance(found, np.ndarray):
        found = found.tolist()
    if isinstance(found, dict):
        return {k: v for key, one in found.items() for k, v in flat(one, f"{where}.{key}").items()}
    if isinstance(found, (list, tuple)):
        return {k: v for i, one in enumerate(found) for k, v in flat(one, f"{where}[{i}]").items()}
    return {where: found}


def alike(place, one, other):
    if place.endswith(".rests_on"):  # a name, which the change may have changed
        return (one is None) == (other is None)
    if place.endswith(".method"):
        one, other = (re.sub(r"(all rests on \w+) .*", r"\1", said) for said in (one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12) or math.isnan(one + other)
    return bool(one == other) or (one is None and other is None)


@pytest.mark.parametrize("name", COMPUTED)
@FEW
@given(frames(), st.data())
def test_neither_order_nor_names_nor_spelling_change_a_number(name, frame, data):
    compute = COMPUTED[name]
    first = flat(compute(frame, old_names(frame)))
    for said, change in CHANGES.items():
        changed, names = change(frame, data.draw)
        again = flat(compute(changed, names))
        assert first.keys() == again.keys(), said
        for place, one in first.items():
            assert alike(place, one, again[place]), (said, place, one, again[place])


def test_every_public_function_has_its_property_or_takes_no_ratings():
    functions = {n for n in analysis.__all__ if inspect.isfunction(getattr(analysis, n))}
    assert functions | BY_PATH == set(COMPUTED) | set(NO_RATINGS)
    assert not set(COMPUTED) & set(NO_RATINGS)
