"""Dawid and Skene's true labels; nobody helps to make the truth they are scored on."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from raterbook.analysis import Interval, Ratings
from raterbook.analysis.comparison.labels import dawid_skene, truth_of

RIGHT = (0.9, 0.8, 0.75, 0.65)


def drawn(units=400, seed=0, right=RIGHT, gone=0.1):
    """True labels of three, and what raters say who are right as often as this."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, units)
    said = np.stack([
        np.where(rng.random(units) < share, true, (true + rng.integers(1, 3, units)) % 3)
        for share in right
    ], axis=1).astype(float)  # fmt: skip
    said[rng.random(said.shape) < gone] = np.nan
    return true, said


def agreed(left, right):
    """The distance of two tables of 0 to 1."""
    return float(np.abs(np.asarray(left, dtype=float) - np.asarray(right, dtype=float)).max())


def test_how_often_each_rater_is_right_comes_out():
    found = [dawid_skene(drawn(seed=seed)[1], interval=None).raters["accuracy_with"]
             for seed in range(5)]  # fmt: skip
    assert np.mean(np.array(found, float), axis=0) == pytest.approx(np.array(RIGHT), abs=0.03)


def test_the_likeliest_label_is_right_more_often_than_the_best_rater():
    true, said = drawn()
    found = dawid_skene(said, interval=None).units
    assert (found["label"].to_numpy() == true[found["unit"]]).mean() > RIGHT[0] + 0.01


def test_a_copy_of_one_s_own_answers_pulls_the_truth_and_leaving_out_does_not():
    """The model's answers three times over: with them it is nearly always right."""
    _, said = drawn(right=(0.75, 0.75, 0.75, 0.6), gone=0.0)
    copied = np.column_stack([said, said[:, 3], said[:, 3]])
    flattered = dawid_skene(copied, interval=None).raters
    assert flattered["accuracy_with"][3] > 0.95
    alone = dawid_skene(said, without=3, interval=None).raters
    assert alone["accuracy"][3] == pytest.approx(0.6, abs=0.07)
    assert alone["accuracy_with"][3] is None


def test_who_is_left_out_changes_nothing_in_the_truth():
    _, said = drawn()
    other = said.copy()
    other[:, 3] = np.random.default_rng(5).permutation(said[:, 3])
    first, second = (dawid_skene(table, without=3, interval=None) for table in (said, other))
    assert first.units.equals(second.units)
    assert first.raters["accuracy"][3] > second.raters["accuracy"][3] + 0.1


def test_the_table_of_the_one_left_out_is_set_against_the_others_truth():
    true, said = drawn(2000, right=(0.95, 0.95, 0.95, 0.6), gone=0.0)
    said[:, 3] = np.where(true == 2, 0, said[:, 3])  # never says the third label rightly
    table = dawid_skene(said, without=3, interval=None).confusion[3]
    assert table.loc[2.0, 0.0] > 0.9
    assert table.sum(axis=1).to_numpy() == pytest.approx(1)


def test_a_label_on_the_scale_that_nobody_gave_is_true_of_nothing():
    _, said = drawn(60, gone=0.0)
    plain, wide = (dawid_skene(Ratings(said, scale=scale)) for scale in ([0, 1, 2], [0, 1, 2, 3]))
    assert wide.shares.to_numpy() == pytest.approx([*plain.shares, 0])
    assert wide.units["label"].tolist() == plain.units["label"].tolist()
    assert wide.raters["accuracy"].tolist() == plain.raters["accuracy"].tolist()
    with_it, before = (each.raters["accuracy_with"].to_numpy(float) for each in (wide, plain))
    assert with_it == pytest.approx(before)
    for name, table in wide.confusion.items():
        assert table.iloc[:3, :3].to_numpy() == pytest.approx(plain.confusion[name].to_numpy())
        assert not table[3].any()
        assert not table.loc[3].any()


def test_a_label_that_is_true_of_one_unit_has_its_row():
    rows = ["aaa", "bbb"] * 6 + ["ccc"]
    found = dawid_skene([list(row) for row in rows], interval=None)
    for table in found.confusion.values():
        assert table.loc["c"].tolist() == pytest.approx([0, 0, 1])


def test_order_and_names_change_nothing():
    _, said = drawn(120)
    table = pd.DataFrame(said, columns=list("abcd"))
    plain = dawid_skene(Ratings(table, cluster=np.arange(120) // 4))
    order = np.random.default_rng(1).permutation(120)
    turned = dawid_skene(
        Ratings(table.iloc[order][list("dbca")], cluster=np.arange(120)[order] // 4)
    )
    sides = [each.raters.set_index("rater").loc[list("abcd"), ["accuracy", "low", "high"]]
             for each in (plain, turned)]  # fmt: skip
    assert sides[0].to_numpy(float) == pytest.approx(sides[1].to_numpy(float), abs=1e-6)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([["a", "b"], ["a", "a"], ["b", "b"]], "too_few_for_truth"),
        ([["a", "b", None], [None, "a", "b"], ["b", None, "b"]], "too_few_for_truth"),
        ([["a", "a", "a"]] * 4, "no_variation"),
        ([["a", "a", "a", None], ["a", None, "a", "a"]] * 4, "no_variation"),
    ],
)
def test_without_three_who_meet_there_is_no_truth(table, reason):
    found = dawid_skene(table)
    assert found.reason == reason
    assert found.raters["accuracy"].isna().all()


def test_of_three_raters_the_third_has_no_truth_to_answer_to():
    _, said = drawn(60, right=RIGHT[:3], gone=0.0)
    found = dawid_skene(said)
    assert found.reason is None
    assert set(found.raters["reason"]) == {"too_few_for_truth"}


def by_expectation(rows, labels, turns=200):
    """Dawid and Skene one answer at a time, from the shares of votes."""
    sure = [{a: row.count(a) / sum(v is not None for v in row) for a in labels} for row in rows]
    for _ in range(turns):
        common = {a: sum(each[a] for each in sure) / len(rows) for a in labels}
        said = []
        for j in range(len(rows[0])):
            table = {a: dict.fromkeys(labels, 0.0) for a in labels}
            for row, each in zip(rows, sure, strict=True):
                for a in labels if row[j] is not None else ():
                    table[a][row[j]] += each[a]
            said.append({a: {b: n / max(sum(of.values()), 1e-300) for b, n in of.items()}
                         for a, of in table.items()})  # fmt: skip
        for row, each in zip(rows, sure, strict=True):
            chance = dict(common)
            for j, b in enumerate(row):
                if b is not None:
                    chance = {a: p * max(said[j][a][b], 1e-10) for a, p in chance.items()}
            each.update({a: p / sum(chance.values()) for a, p in chance.items()})
    return sure, said, common


def test_truth_errors_and_shares_are_those_of_going_through_answers_one_by_one():
    _, table = drawn(40, seed=2, right=(0.85, 0.8, 0.75, 0.7))
    rows = [[None if v != v else int(v) for v in row] for row in table]
    sure, said, common = by_expectation(rows, (0, 1, 2))
    found = dawid_skene(table, interval=None)
    best = [max(each, key=each.get) for each in sure]
    assert found.units["label"].tolist() == best
    assert found.units["probability"].to_numpy(float) == pytest.approx(
        np.array([each[a] for each, a in zip(sure, best, strict=True)]), abs=1e-4
    )
    assert found.shares.tolist() == pytest.approx(list(common.values()), abs=1e-4)
    for j, name in enumerate(found.confusion):
        tables = [list(of.values()) for of in said[j].values()]
        assert agreed(found.confusion[name], tables) < 1e-3
    right = [sum(common[a] * said[j][a][a] for a in common) for j in range(4)]
    assert found.raters["accuracy_with"].tolist() == pytest.approx(right, abs=1e-3)


def test_a_rater_is_right_as_often_as_the_others_truth_says_with_students_interval():
    _, table = drawn(60, seed=3)
    cluster = np.arange(60) // 3
    found = dawid_skene(Ratings(table, cluster=cluster), interval=Interval(coverage=0.9)).raters
    for j in range(4):
        others = [[None if v != v else int(v) for v in np.delete(row, j)] for row in table]
        there = [u for u, row in enumerate(others) if set(row) != {None} and table[u, j] >= 0]
        sure, _, _ = by_expectation([row for row in others if set(row) != {None}], (0, 1, 2))
        known = [u for u, row in enumerate(others) if set(row) != {None}]
        truth = {u: max(each, key=each.get) for u, each in zip(known, sure, strict=True)}
        hit = np.array([float(truth[u] == table[u, j]) for u in there])
        rest = np.bincount(cluster[there], hit - hit.mean(), 20)
        many = len(set(cluster[there]))
        se = (many / (many - 1) * (rest**2).sum()) ** 0.5 / len(hit)
        reach = student.ppf(0.95, many - 1) * se
        row = found.iloc[j]
        assert (row["accuracy"], row["n_units"]) == (pytest.approx(hit.mean()), len(hit))
        assert (row["low"], row["high"]) == pytest.approx((hit.mean() - reach, hit.mean() + reach))


def test_of_hundreds_of_raters_what_most_say_is_true():
    rng = np.random.default_rng(8)
    true = np.arange(6) % 2
    said = np.where(rng.random((6, 400)) < 0.7, true[:, None], 1 - true[:, None])
    assert dawid_skene(said, interval=None).units["label"].tolist() == true.tolist()


def test_who_is_always_right_has_no_interval():
    found = dawid_skene([list("aaaa"), list("bbbb")] * 6)
    assert found.raters["accuracy"].tolist() == [1] * 4
    assert found.raters["low"].isna().all()


def test_what_a_page_shows_names_units_and_raters():
    found = dawid_skene([[*row, "<b>"] for row in ("aab", "bba", "aaa")], interval=None)
    assert found._repr_html_().startswith("<p>dawid_skene: 3 units, 4 raters</p><table")


@pytest.mark.peers
def test_crowd_kit_finds_the_same():
    """Probabilities, tables and shares of labels; in a process, as it brings warnings along."""
    pytest.importorskip("crowdkit", reason="uv pip install --group peers brings crowd-kit")
    _, said = drawn()
    codes = np.where(np.isnan(said), 0, said + 1).astype(int)
    found = truth_of(codes, 3)
    script = (
        "import sys, json, numpy as np, pandas as pd\n"
        "from crowdkit.aggregation import DawidSkene\n"
        "x = np.array(json.load(sys.stdin)); u, r = np.nonzero(x)\n"
        "frame = pd.DataFrame({'task': u, 'worker': r, 'label': x[u, r]})\n"
        "model = DawidSkene(n_iter=500, tol=1e-10).fit(frame)\n"
        "errors = [model.errors_.loc[j].reindex(index=[1, 2, 3], columns=[1, 2, 3]).to_numpy().T"
        ".tolist() for j in range(4)]\n"
        "print(json.dumps([model.probas_[[1, 2, 3]].to_numpy().tolist(), errors]))"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, text=True,
                          capture_output=True, input=json.dumps(codes.tolist()))  # fmt: skip
    posterior, tables = json.loads(done.stdout)
    assert agreed(found.posterior[codes.any(axis=1)], posterior) < 1e-3
    assert agreed(found.tables, tables) < 1e-3
