"""What is read as what: mistaken frames, clusters, scales, masks, and keywords that must count."""

import numpy as np
import pandas as pd
import pytest

from raterbook import analysis
from raterbook.analysis import (
    Interval,
    Ratings,
    agreement,
    alpha,
    influence,
    kappa,
    mean,
    proportion,
    severity,
    weighted_mean,
)
from raterbook.analysis.averages.means import median, sd
from raterbook.analysis.averages.weighted import confidence
from raterbook.analysis.coefficients.tables import coefficients, pairwise
from raterbook.analysis.older import kappa_test
from raterbook.numbers.compute import summary

TABLE = [[1, 1], [2, 2], [1, 2], [2, 1], [3, 3], [3, 2]]


def long_frame(table=TABLE, units=None):
    units = units or [f"u{i}" for i in range(len(table))]
    return pd.DataFrame(
        [(u, f"r{j}", v) for u, row in zip(units, table) for j, v in enumerate(row)],
        columns=["unit", "rater", "value"],
    )


def wide():
    return long_frame().pivot(index="unit", columns="rater", values="value")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda f: f.rename(columns={"value": "rating"}), "there is no column 'value'"),
        (lambda f: f.rename(columns={"rater": "annotator"}), "there is no column 'rater'"),
        (lambda f: f.rename(columns={"unit": "id"}), "there is no column 'unit'"),
        (lambda f: f.rename(columns={"unit": "Unit"}), "'Unit' must be called 'unit'"),
        (lambda f: f.rename(columns=str.upper), "'VALUE' must be called 'value'"),
        (lambda f: f.rename(columns={"value": "value "}), "'value ' must be called 'value'"),
        (lambda f: f.set_index("unit"), r"unit is in the index, use reset_index\(\)"),
        (lambda f: f.set_index(["unit", "rater"]), r"rater is in the index, use reset_index\(\)"),
        (lambda f: wide().reset_index(), "for a table put the units into the index"),
        (lambda f: wide().T.reset_index(), "there is no column 'unit'"),
        (lambda f: f.drop(columns="rater"), "there is no column 'rater'"),
        (lambda f: wide().T, r"the rows are raters here: turn the table round \(.T\)"),
        (lambda f: wide().T.rename_axis(index=None), "the rows are raters here"),
        (lambda f: wide().T.rename_axis(columns=None), "the rows are raters here"),
        (lambda f: f.set_index(["unit", "rater"]).unstack(), "the columns have 2 levels"),
        (lambda f: pd.concat([f, f["value"]], axis=1), "two columns are called 'value'"),
    ],
)
@pytest.mark.parametrize("compute", [alpha, mean])
def test_a_long_frame_with_a_mistake_is_refused_with_the_remedy(compute, wrong, said):
    with pytest.raises(ValueError, match=said):
        compute(wrong(long_frame()))


def test_what_is_no_mistake_is_read():
    expected = alpha(TABLE).value
    named = wide().rename_axis(index="question", columns="judge")
    assert alpha(named).value == expected
    parts = wide()
    parts.index = pd.MultiIndex.from_product([["a", "b", "c"], [1, 2]], names=["item", "part"])
    assert alpha(parts).value == expected
    assert alpha(long_frame().rename(columns={"unit": "item"})).value == expected
    assert alpha(long_frame().assign(item="x", note="y")).value == expected
    assert mean(pd.DataFrame({"value": [1, 2, 3]})).value == 2
    assert mean(pd.Series([1, 2, 3], index=list("abc"))).value == 2


@pytest.mark.parametrize("scale", [[0, 1, 2], [1, 2, 200], [-1, 1, 2], [1, 2, 2.5]])
def test_what_is_missing_stays_so_on_every_scale_that_holds_the_answers(scale):
    table = [[1.0, np.nan, 2.0], [2.0, 2.0, np.nan], [np.nan, 1.0, 1.0]]
    read = Ratings(table, scale=scale)
    assert [[None if c == 0 else read.scale[c - 1] for c in row] for row in read.codes] == [
        [None if v != v else v for v in row] for row in table
    ]


def test_a_table_with_more_raters_than_units_says_how_it_was_read():
    crowd = np.array(TABLE).T
    assert "more_raters_than_units" in alpha(crowd, interval=None).warnings
    assert "more_raters_than_units" in coefficients(crowd)["ac1"].warnings
    assert "more_raters_than_units" in alpha([[1, 2]]).warnings
    assert "more_raters_than_units" not in alpha([[1, 2], [2, 2]]).warnings
    assert "more_raters_than_units" not in alpha(TABLE).warnings
    # Names say which side is which.
    names = pd.DataFrame(crowd).rename_axis(index="unit", columns="rater")
    assert "more_raters_than_units" not in alpha(names).warnings
    assert "more_raters_than_units" not in alpha(long_frame(crowd.tolist())).warnings


# Three units of chunk x, three of y; the same by column, by mapping and by series.
CHUNKS = {"u0": "x", "u1": "x", "u2": "x", "u3": "y", "u4": "y", "u5": "z"}


def test_clusters_are_given_by_column_by_mapping_or_by_a_series_of_units():
    frame = long_frame()
    in_column = frame.assign(chunk=frame["unit"].map(CHUNKS))
    expected = alpha(Ratings(in_column, cluster="chunk"))
    assert "3 clusters" in expected.method
    by_unit = pd.Series(CHUNKS)
    for given in (CHUNKS, by_unit, by_unit[::-1], in_column["chunk"]):
        found = alpha(Ratings(frame, cluster=given))
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    for given in (CHUNKS, by_unit[::-1], list(CHUNKS.values()), np.array(list(CHUNKS.values()))):
        found = alpha(Ratings(wide(), cluster=given))
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert alpha(Ratings(TABLE, cluster=iter(CHUNKS.values()))).low == pytest.approx(expected.low)


def test_a_list_of_clusters_is_refused_for_a_long_frame():
    with pytest.raises(ValueError, match="a list of clusters fits a table only"):
        alpha(Ratings(long_frame(), cluster=list(CHUNKS.values())))


def test_clusters_of_ids_with_gaps_need_only_the_units_there_are():
    ids = [3, 7, 8, 20, 21, 40]
    frame = long_frame(units=ids)
    clusters = dict(zip(ids, CHUNKS.values(), strict=True))
    expected = alpha(Ratings(long_frame(), cluster=CHUNKS))
    assert alpha(Ratings(frame, cluster=clusters)).low == pytest.approx(expected.low, abs=1e-12)
    del clusters[8], clusters[40]
    with pytest.raises(ValueError, match="no cluster for unit 8 and 1 more"):
        alpha(Ratings(frame, cluster=clusters))


def test_clusters_that_can_be_read_two_ways_are_refused():
    frame = pd.DataFrame({"unit": [1, 0, 2], "rater": "a", "value": [5, 4, 3]})
    with pytest.raises(ValueError, match="read by row and by unit"):
        mean(
            Ratings(
                frame, cluster=pd.Series(["x", "x", "y"]).iloc[[0, 2, 1]].reset_index(drop=True)
            )
        )
    assert mean(Ratings(frame, cluster=pd.Series(["x", "x", "y"]))).value == 4


@pytest.mark.parametrize("label", ["y", 3])
def test_a_unit_in_two_clusters_is_refused(label):
    frame = long_frame().assign(chunk=pd.Series(["x"] * 12, dtype=object))
    frame.loc[5, "chunk"] = label
    with pytest.raises(ValueError, match="unit u2 stands in two clusters"):
        alpha(Ratings(frame, cluster="chunk"))
    # A row without a label says nothing against the others.
    frame.loc[5, "chunk"] = None
    assert alpha(Ratings(frame, cluster="chunk")).reason is not None


@pytest.mark.parametrize(
    ("clusters", "said"),
    [
        ("chunk", "a table has no column of clusters"),
        (["x"], "1 cluster labels for 6 units"),
        ({0: "x"}, "no cluster for unit 1 and 4 more"),
        (dict.fromkeys(range(5), "x"), "no cluster for unit 5: the labels are looked up"),
        (pd.Series(["x"] * 7, index=[0, 0, 1, 2, 3, 4, 5]), "name unit 0 twice"),
    ],
)
def test_clusters_that_do_not_fit_a_table_are_refused(clusters, said):
    with pytest.raises(ValueError, match=said):
        alpha(Ratings(TABLE, cluster=clusters))


def test_a_rater_named_twice_is_refused(frame):
    with pytest.raises(ValueError, match="raters names 'r0' twice"):
        alpha(Ratings(long_frame(), raters=["r0", "r0"]))
    with pytest.raises(ValueError, match="raters names 0 twice"):
        Ratings(TABLE, raters=[0, 0])
    built = frame([("f1", 0, "ana", "tone", 2), ("f1", 0, "ben", "tone", 2)])
    with pytest.raises(ValueError, match="raters names 'ana' twice"):
        summary(built, [{"statistic": "mean", "question": "tone"}], {}, raters=["ana", "ana"])
    with pytest.raises(ValueError, match=r"raters='r0': give a list, \['r0'\]"):
        alpha(Ratings(long_frame(), raters="r0"))


@pytest.mark.parametrize(
    ("compute", "said"),
    [
        (lambda: agreement(TABLE, 1, weights="linear"), "within=1 and weights="),
        (lambda: kappa_test(TABLE, "fleiss", "linear"), "fleiss takes no weights"),
        (lambda: pairwise(TABLE, "kappa", level="ordinal"), "kappa takes no level="),
        (lambda: pairwise(TABLE, "kappa", within=1), "kappa takes no within="),
        (lambda: pairwise(TABLE, "alpha", weights="linear"), "alpha takes no weights="),
        (lambda: pairwise(TABLE, "percent_agreement", level="ordinal"), "takes no level="),
        (lambda: proportion(3, 4, of=[1]), "a count and a total take no of="),
        (lambda: alpha(Ratings(TABLE), scale=[1, 2, 3, 4]), "read already: give scale= to"),
        (lambda: weighted_mean(Ratings(TABLE), [1, 2]), "read already: give confidence= to"),
        (lambda: Ratings(Ratings(TABLE), scale=[1, 2, 3, 4]), "read already: their scale"),
        (lambda: proportion(TABLE, [1], method="normal"), "method='normal' needs a count"),
        (lambda: alpha(Ratings(TABLE, keep="newest")), "keep='newest': choose 'first' or 'last'"),
        (lambda: pairwise(TABLE, "alpha", level="Interval"), "Unknown level 'Interval'"),
        (lambda: alpha(TABLE, scale="123"), "its letters are no values"),
        (lambda: alpha(TABLE, scale={1, 2, 3}), "a set has no order"),
        (lambda: alpha(TABLE, scale=[1, 2, 3, None]), "the scale names a missing value"),
        (lambda: alpha(TABLE, scale=[1, 2, 3, float("nan")]), "the scale names a missing value"),
    ],
)
def test_a_keyword_is_never_ignored_in_silence(compute, said):
    with pytest.raises(ValueError) as refused:
        compute()
    assert said in str(refused.value)


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, pd.Index, iter])
def test_a_scale_may_be_anything_with_an_order(kind):
    expected = alpha(TABLE, "ordinal", scale=[1, 2, 3, 4]).value
    assert alpha(TABLE, "ordinal", scale=kind([1, 2, 3, 4])).value == expected
    labels = [["lo", "hi"], ["hi", "hi"], ["lo", "lo"]]
    found = mean(Ratings(labels, scale=kind(["lo", "hi"])))
    assert found.value == 1.5
    assert alpha(TABLE, scale=np.arange(1, 6)).beside["commonest"] == 2


def test_texts_that_are_numbers_are_read_on_a_scale_of_numbers():
    texts = [[str(v) for v in row] for row in TABLE]
    for level in ("nominal", "ordinal", "interval"):
        expected = alpha(TABLE, level, scale=[1, 2, 3, 4, 5]).value
        assert alpha(texts, level, scale=[1, 2, 3, 4, 5]).value == expected
        assert alpha(long_frame(texts), level, scale=[1, 2, 3, 4, 5]).value == expected
    assert mean(Ratings([["4.0", " 2 "], [3, None]], scale=[1, 2, 3, 4, 5])).value == 3
    with pytest.raises(ValueError, match=r"rating '6' is not on the scale|rating 6"):
        alpha([["6", "2"]], scale=[1, 2, 3])
    for label in ("n/a", "nan", "1_0", "inf"):
        with pytest.raises(ValueError, match=f"rating '{label}' is not on the scale: 1, 2, 10"):
            alpha([[label, "2"]], scale=[1, 2, 10])


def test_a_scale_of_texts_that_are_numbers_keeps_their_distances():
    given = [["1", "2"], ["2", "10"], ["10", "10"], ["1", "1"]]
    numbers = [[1, 2], [2, 10], [10, 10], [1, 1]]
    scale = ["1", "2", "10"]
    assert mean(Ratings(given, scale=scale)).value == mean(numbers).value == 4.625
    for level in ("ordinal", "interval"):
        assert alpha(given, level, scale=scale).value == alpha(numbers, level).value
    assert alpha(numbers, "interval", scale=scale).value == alpha(numbers, "interval").value
    assert Ratings(given, scale=scale).scale == tuple(scale)
    # Names that are the same number are labels: nothing says how far they lie apart.
    assert mean(Ratings([["1", "01"]], scale=["01", "1"])).value == 1.5


def test_yes_and_no_on_a_scale_of_0_and_1_are_those_numbers():
    assert mean(Ratings([[True, False], [True, True]], scale=[0, 1])).value == 0.75
    assert mean(Ratings([[True, False], [True, True]], scale=[False, True])).value == 1.75


def test_hits_may_be_anything_that_can_be_gone_through():
    table = [["yes", "no"], ["yes", "yes"], ["no", "unclear"]]
    expected = proportion(table, ["yes"], of=["yes", "no"])
    assert expected.value == 3 / 5
    for kind in (tuple, set, np.array, iter, lambda v: pd.Series(v, index=range(7, 7 + len(v)))):
        found = proportion(table, kind(["yes"]), of=kind(["yes", "no"]))
        assert (found.value, found.low) == (expected.value, expected.low)
    assert mean(iter([1, 2, 6])).value == mean(range(1, 6)).value == 3
    assert mean(iter([[1, 2], [6, None]])).value == 3
    assert weighted_mean(iter([1, 5]), iter([0, 9])).value == 5
    assert analysis.adjust(iter([0.01, None, 0.04])) == analysis.adjust([0.01, None, 0.04])
    assert alpha(Ratings(TABLE, raters=iter([0, 1]))).value == alpha(TABLE).value


@pytest.mark.parametrize("numeric", [True, False])
def test_what_a_masked_array_hides_is_missing(numeric):
    hidden = [[False, False]] * 4 + [[False, True], [True, True]]
    values = np.array(TABLE) if numeric else np.array(TABLE).astype(str)
    seen = [[None if h else v for v, h in zip(row, hide)] for row, hide in zip(TABLE, hidden)]
    found = alpha(np.ma.array(values, mask=hidden))
    assert (found.value, found.n_ratings) == (alpha(seen).value, 8)
    rows = [list(row) for row in np.ma.array(values, mask=hidden)]
    assert alpha(rows).value == found.value
    assert mean(np.ma.array([1, 2, 9], mask=[0, 0, 1])).value == 1.5
    assert mean(np.ma.array([1.0, 2, 9], mask=[0, 0, 1])).value == 1.5


def test_kappas_test_needs_an_order_where_kappa_does():
    table = [["9", "10"], ["10", "10"], ["9", "9"], ["2", "9"]]
    for compute in (kappa, kappa_test):
        with pytest.raises(ValueError, match="needs an order"):
            compute(table, "cohen", "linear")
    given = {"weights": "linear", "scale": ["2", "9", "10"]}
    assert kappa_test(table, **given).value == pytest.approx(kappa(table, **given).value)


def test_units_that_nobody_rated_are_not_listed():
    gaps = long_frame(units=[3, 7, 8, 20, 21, 40])
    found = influence(gaps, of="units")
    assert sorted(found["unit"]) == [3, 7, 8, 20, 21, 40]
    assert len(influence([*TABLE, [None, None]], of="units")) == 6


def test_a_rater_without_answers_is_none_in_a_table_as_in_a_long_frame():
    table = [[*row, None] for row in TABLE]
    for given in (table, long_frame(table), pd.DataFrame(table)):
        assert kappa(given).statistic == "kappa_cohen"
        assert kappa(given, "cohen").value == kappa(TABLE).value
        assert kappa_test(given).z == kappa_test(TABLE).z
        assert pairwise(given).shape == (2, 2)
    assert kappa_test([[1], [2]]).reason == "no_pairable_units"
    assert kappa(Ratings(table, raters=[0, 2])).reason == "single_rater"


def shuffled(frame, seed=5):
    return frame.sample(frac=1, random_state=seed)


def crowd():
    rng = np.random.default_rng(4)
    table = rng.integers(1, 5, (15, 4)).astype(float)
    table[rng.random(table.shape) < 0.3] = np.nan
    return long_frame(table.tolist())


DRAWN = {
    "median": median,
    "mean": mean,
    "sd": sd,
    "light": lambda f, **k: kappa(f, "light", **k),
    "conger": lambda f, **k: kappa(f, "conger", **k),
    "icc": analysis.icc,
    "severity": lambda f, **k: severity(f, **k).sort_values("rater").iloc[0],
    "proportion": lambda f, **k: proportion(f, [1, 2], **k),
    "closeness": lambda f, **k: confidence(f, **k).closeness,
    "weighted": weighted_mean,
}


@pytest.mark.parametrize("interval", ["bootstrap", "bca"])
@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("cluster", [None, "chunk"])
def test_a_seed_gives_one_interval_whatever_the_order_and_the_names(name, interval, cluster):
    frame = crowd().assign(confidence=np.random.default_rng(1).integers(1, 90, 60))
    number = frame["unit"].str[1:].astype(int)
    frame["chunk"] = "c" + (number // 2).astype(str)
    wish = Interval(interval, draws=60, seed=3)
    first = DRAWN[name](Ratings(frame, cluster=cluster), interval=wish)
    turned = {f"r{i}": f"z{(i * 3 + 1) % 4}" for i in range(4)}
    renamed = frame.assign(
        unit=(97 - number * 5) % 101,
        rater=frame["rater"].map(turned),
        chunk=frame["chunk"].map(lambda c: -int(c[1:])),
    )
    if name == "severity":
        turned = {rater: rater for rater in turned}
        renamed["rater"] = frame["rater"]
    for other in (shuffled(frame), renamed, shuffled(renamed, 8)):
        found = DRAWN[name](Ratings(other, cluster=cluster), interval=wish)
        assert first.low is not None
        assert (found.low, found.high) == pytest.approx((first.low, first.high), abs=1e-12)


def test_a_rounds_own_frame_gives_the_answers_that_a_summary_counts(frame):
    given = [("i1", 5, "ana"), ("i1", 4, "ben"), ("i2", 2, "ana"), ("i2", 3, "ben")]
    built = frame([(item, 0, rater, "tone", value) for item, value, rater in given])
    odd = built.iloc[[0, 1, 2]].assign(item=["i3", "i4", "i5"], number=1.0)
    odd = odd.assign(status=["skipped", "answered", "answered"], replicate=[1, 2, 1])
    odd = odd.assign(role=["main", "main", "training"])
    every = pd.concat([built.assign(replicate=np.nan, role=None), odd])
    measure = {"statistic": "mean", "question": "tone"}
    asked = {"tone": {"type": "scale", "level": "ordinal", "scale": [1, 2, 3, 4, 5]}}
    [row] = summary(every, [measure], asked)
    assert row["estimate"] == mean(every).value == 3.5
    assert alpha(every, "ordinal", interval=None).n_units == 2


def test_answers_to_a_case_are_units_of_their_own(frame):
    given = [(f"case:q{i}", 0, r, "tone", x) for i in range(3) for r, x in (("a", i), ("b", 1))]
    expected = alpha([[0, 1], [1, 1], [2, 1]], "interval").value
    assert alpha(frame(given), "interval").value == expected


def test_an_answer_to_no_item_is_refused_where_there_are_no_cases(frame):
    built = frame([("i1", 0, "ana", "tone", 2), ("i2", 0, "ana", "tone", 4)])
    with pytest.raises(ValueError, match="row 1 has no unit: fill it in"):
        mean(built.assign(item=["i1", None]).drop(columns="case"))


def test_an_item_in_two_clusters_is_refused_by_a_summary_too(frame):
    built = frame([("i1", 0, "ana", "tone", 2), ("i1", 0, "ben", "tone", 4)])
    measure = {"statistic": "mean", "question": "tone"}
    with pytest.raises(ValueError, match="item i1 stands in two clusters"):
        summary(built.assign(chunk=["x", "y"]), [measure], {}, cluster="chunk")


def test_a_rater_who_met_others_on_one_unit_counts():
    found = alpha([[1, 2, None], [1, 1, 1], [2, 2, None], [None, None, 2]])
    assert (found.n_raters, found.raters, found.n_units, found.n_ratings) == (3, (0, 1, 2), 3, 7)


def test_clusters_named_by_unit_are_looked_up_though_they_are_as_many_as_the_rows():
    frame = long_frame([[1, 2], [2, 2]])
    named = pd.Series(["x", "y", "x", "y"], index=["u0", "u1", "c", "d"])
    found = Ratings(frame, cluster=named)
    assert [found.cluster_names[code] for code in found.clusters] == ["x", "y"]
