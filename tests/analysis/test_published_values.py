"""Published numbers: every row of data/published.csv, with its source beside it.

The tables it names are in data/ (rows are units, columns are raters, empty is missing).
"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from raterbook import analysis
from raterbook.analysis import older
from raterbook.analysis.averages.proportions import proportion_difference
from raterbook.analysis.coefficients.tables import pairwise

DATA = Path(__file__).parent / "data"


def number(text):
    return float(text) if text else None


def published():
    with (DATA / "published.csv").open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            row["options"] = json.loads(row["options"] or "{}")
            row["expected"] = json.loads(row["expected"])
            for name in ("tolerance", "precise", "se", "se_tolerance", "low", "high"):
                row[name] = number(row[name])
            row["interval_tolerance"] = number(row["interval_tolerance"])
            yield row


CASES = list(published())


def table(name, columns=None):
    """Units × raters; numbers where they are numbers, sets where labels are joined by "|"."""
    with (DATA / name).open(newline="", encoding="utf-8") as lines:
        rows = [row[1:] for row in csv.reader(lines)][1:]
    cells = [[cell(value, "sets" in name) for value in row] for row in rows]
    return cells if columns is None else [[row[i] for i in columns] for row in cells]


def cell(text, sets):
    if not text:
        return None
    if sets:
        return frozenset(text.split("|"))
    try:
        return float(text)
    except ValueError:
        return text


def ranked(cells):
    """Values replaced by their rank among those used, as R's irr does before weighting."""
    rank = {value: float(i) for i, value in enumerate(sorted({v for r in cells for v in r}), 1)}
    return [[rank[value] for value in row] for row in cells]


def weights_of(case):
    options = case["options"]
    if "matrix" in options:
        return options["matrix"]
    if "disagreement_weights" in options:
        apart = np.array(options["disagreement_weights"], dtype=float)
        places = np.arange(len(apart))
        return 1 - apart[np.abs(places[:, None] - places)] / apart.max()
    return case["what"] or "identity"


def estimated(case):
    """The number our function gives for a case; an Estimate, or a plain number."""
    options, statistic = case["options"], case["statistic"]
    cells = table(case["data"], options.get("raters")) if case["data"] else None
    asked = {"scale": options.get("value_domain"), "interval": "analytic"}
    weights = weights_of(case)
    if "raters" in options and statistic.startswith("cohen"):
        cells = ranked(cells)
    simple = {
        "krippendorff_alpha": lambda: analysis.alpha(cells, case["what"], **asked),
        "krippendorff_alpha_sets": lambda: analysis.alpha(cells, options["distance"], **asked),
        "krippendorff_alpha_gwet": lambda: older.alpha_gwet(cells, weights, **asked),
        "cohen_kappa": lambda: analysis.kappa(cells, "cohen", weights, **asked),
        "cohen_kappa_similarity": lambda: analysis.kappa(cells, "cohen", weights, **asked),
        "scott_pi": lambda: analysis.kappa(cells, "scott", weights, **asked),
        "fleiss_kappa": lambda: analysis.kappa(cells, "fleiss", weights, **asked),
        "conger_kappa": lambda: analysis.kappa(cells, "conger", weights, **asked),
        "light_kappa": lambda: analysis.kappa(cells, "light", weights, **asked),
        "gwet_ac": lambda: analysis.gwet(cells, weights, **asked),
        "brennan_prediger": lambda: older.brennan_prediger(cells, weights, **asked),
        "percent_agreement": lambda: analysis.agreement(cells, **asked),
        "icc": lambda: analysis.icc(cells, options["form"]),
        "cohen_kappa_se": lambda: older.kappa_test(cells).se,
        "cohen_kappa_se0": lambda: older.kappa_test(cells).se0,
        "cohen_kappa_z0": lambda: older.kappa_test(cells, weights=weights).z,
        "fleiss_kappa_z0": lambda: older.kappa_test(cells, "fleiss").z,
        "fleiss_kappa_category": lambda: older.kappa_by_category(cells)[options["category"]],
        "alpha_per_category": lambda: older.alpha_by_category(cells)[options["category"]],
        "alpha_jackknife_se": lambda: analysis.alpha(cells, case["what"]).se,
        "proportion_ci": lambda: analysis.proportion(
            options["x"], options["n"], method=options["method"]
        ),
        "proportion_diff_ci": lambda: proportion_difference(
            options["x1"], options["n1"], options["x2"], options["n2"]
        ),
        "weighted_mean": lambda: analysis.weighted_mean(options["x"], options["w"]),
        "weighted_mean_se": lambda: (
            analysis.weighted_mean(options["x"], options["w"], interval="analytic").se
        ),
        "benchmark_cumprob": lambda: list(
            older.benchmark(options["coeff"], options["se"], options["scale"])["cumulative"]
        ),
        "alpha_dfbeta": lambda: without_unit(cells, case["what"], options["drop_unit"]),
        "alpha_leave_one_rater_out": lambda: without_rater(
            cells, case["what"], options["drop_rater"]
        ),
        "cohen_kappa_pair": lambda: pairwise(cells).iloc[0, 1],
    }
    return simple[statistic]()


def without_unit(cells, level, unit):
    found = analysis.influence(cells, level, of="units").set_index("unit")["change"]
    return found[unit - 1]


def without_rater(cells, level, rater):
    found = analysis.influence(cells, level).set_index("rater")["estimate"]
    return found[rater - 1]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_published_number_comes_out(case):
    found = estimated(case)
    value = getattr(found, "value", found)
    assert value == pytest.approx(case["expected"], abs=case["tolerance"]), case["source"]
    if case["precise"] is not None:
        assert value == pytest.approx(case["precise"], abs=1e-9)
    if case["se"] is not None:
        assert found.se == pytest.approx(case["se"], abs=case["se_tolerance"]), case["source"]
    if case["low"] is not None:
        ends = (found.low, found.high)
        tolerance = case["interval_tolerance"]
        assert ends == pytest.approx((case["low"], case["high"]), abs=tolerance), case["source"]


def test_there_are_a_hundred_and_eighty_seven_of_them():
    assert len({case["id"] for case in CASES}) == 187
