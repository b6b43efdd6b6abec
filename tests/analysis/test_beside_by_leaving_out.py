"""Intervals of a model beside people: each cluster and each person left out by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from raterbook.analysis import Ratings
from raterbook.analysis.comparison.annotators import (
    alternative_annotator_test,
    duels,
    pairs_of_models,
)
from raterbook.analysis.comparison.corrected import ppi_mean
from raterbook.analysis.comparison.habits import habits, halo_effect
from raterbook.analysis.comparison.persons import beside_persons
from raterbook.analysis.comparison.uncertainty import distance
from raterbook.analysis.intervals import Interval

PEOPLE = ("ana", "ben", "cai")
LENGTH = {unit: 20 + 7 * (unit * unit % 31) for unit in range(48)}
OWN = {unit: unit % 3 == 0 for unit in range(48)}


def drawn(seed=3, units=48):
    """Three people and two models near the truth, four items a cluster, some cells empty."""
    rng = np.random.default_rng(seed)
    true = rng.integers(2, 8, units)
    rows = [
        (unit, name, int(true[unit] + rng.choice([-1, 0, 0, 1, 2])), unit // 4)
        for name in (*PEOPLE, "model", "other")
        for unit in range(units)
        if rng.random() < 0.9
    ]
    return pd.DataFrame(rows, columns=["unit", "rater", "value", "cluster"])


def ratings(frame):
    return Ratings(frame, scale=range(1, 11), cluster="cluster")


def scattered(values):
    values = np.array(values)
    return (len(values) - 1) / len(values) * (values - values.mean()) ** 2


def freedom(shares):
    shares = np.array(shares, dtype=float)
    return shares.sum() ** 4 / np.square(shares).sum() ** 2 - 1


def sizes_of(frame, people):
    """How much people rated in each cluster, beside one another and the model."""
    there = set(frame.loc[frame["rater"] == "model", "unit"])
    rows = frame[frame["rater"].isin(people) & frame["unit"].isin(there)]
    together = rows.groupby("unit")["rater"].transform("size") > 1
    return rows[together].groupby("cluster").size()


def held(found, of, frame, people=PEOPLE):
    """The ends are those of leaving out a cluster, and a person, by hand; on the plain scale."""
    theta = of(frame)
    assert found.value == pytest.approx(theta)
    squares = scattered([of(frame[frame["cluster"] != name]) for name in frame["cluster"].unique()])
    n, u = len(squares), squares.sum()
    # Clusters of one size have Student's t, however skew they are.
    df = min(n - 1, max(freedom(squares), freedom(sizes_of(frame, people) ** 2)))
    t_u = student.ppf(0.975, df)
    assert found.se == pytest.approx(u**0.5)
    assert (found.low, found.high) == pytest.approx((theta - t_u * u**0.5, theta + t_u * u**0.5))
    r = scattered([of(frame[frame["rater"] != name]) for name in people]).sum()
    t_u, t_r = student.ppf(0.975, [min(n - 1, freedom(squares)), len(people) - 1])
    reach = max((t_u * u + t_r * r) / (u + r) ** 0.5, t_u * u**0.5)
    assert (found.low_like, found.high_like) == pytest.approx((theta - reach, theta + reach))


def one(frame):
    return frame[frame["rater"] != "other"]


def of_persons(name, interval):
    return lambda frame: beside_persons(ratings(frame), "model", names=[name], interval=interval)[0]


def of_habit(at, interval):
    return lambda frame: habits(
        ratings(frame), "model", length=LENGTH, family=OWN, interval=interval
    )[at]


LINES = {name: (of_persons, name) for name in ("exact", "mae", "bias", "spearman", "kappa")}
LINES |= {"spread": (of_habit, 0), "length_slope": (of_habit, 1), "own_family": (of_habit, 2)}


@pytest.mark.parametrize("name", LINES)
def test_what_is_between_model_and_persons_is_left_out_cluster_by_cluster(name):
    make, key = LINES[name]
    frame, plain = one(drawn()), make(key, None)
    held(make(key, "jackknife")(frame).difference, lambda f: plain(f).difference.value, frame)


def test_a_habit_of_persons_is_left_out_cluster_by_cluster():
    frame, plain = one(drawn()), of_habit(0, None)
    found = of_habit(0, "jackknife")(frame)
    held(found.persons, lambda f: plain(f).persons.value, frame)
    held(found.model, lambda f: plain(f).model.value, frame)


def test_halo_beside_persons_is_left_out_cluster_by_cluster():
    frame = pd.concat([one(drawn(seed)).assign(question=seed) for seed in (3, 4)])

    def of(part, interval=None):
        several = [ratings(part[part["question"] == seed]) for seed in (3, 4)]
        return halo_effect(several, "model", interval=interval).difference

    held(of(frame, "jackknife"), lambda f: of(f).value, frame)


def test_a_distance_is_left_out_cluster_by_cluster():
    frame = one(drawn())
    found = distance(ratings(frame), "model")
    for name in ("model", "in_place", "persons", "difference"):
        squares = scattered([
            getattr(distance(ratings(frame[frame["cluster"] != cluster]), "model",
                             interval=None), name).value for cluster in range(12)
        ])  # fmt: skip
        assert getattr(found, name).se == pytest.approx(squares.sum() ** 0.5, rel=1e-4), name


def test_what_is_between_two_models_is_left_out_cluster_by_cluster():
    frame = drawn()

    def of(part, interval=None):
        coded, raters = ratings(part), [each for each in PEOPLE if each in set(part["rater"])]
        there = (coded.only(["model", "other"]).codes > 0).all(axis=1)
        both = coded.rows(np.flatnonzero(there))
        made = {
            name: lambda kept, name=name: duels(
                both.only([raters[j] for j in kept]), both.only([name]).codes[:, 0], False
            )
            for name in ("model", "other")
        }
        return pairs_of_models(made, len(raters), least=10, wish=Interval.of(interval))[0]

    held(of(frame, "jackknife").difference, lambda f: of(f).difference.value, frame)


def test_each_person_s_test_is_students_over_clusters():
    frame = one(drawn())
    found = alternative_annotator_test(ratings(frame), "model", epsilon=0.2, least=10)
    said = {(row.unit, row.rater): row.value for row in frame.itertuples()}
    for each in found.persons:
        d, cluster = [], []
        for unit in range(48):
            others = [said[unit, k] for k in PEOPLE if k != each.rater and (unit, k) in said]
            if others and (unit, each.rater) in said and (unit, "model") in said:
                far = [sum((said[unit, who] - o) ** 2 for o in others)
                       for who in ("model", each.rater)]  # fmt: skip
                d.append(float(far[1] <= far[0]) - float(far[0] <= far[1]))
                cluster.append(unit // 4)
        rest = pd.Series(d).sub(np.mean(d)).groupby(cluster).sum()
        groups = len(rest)
        se = (groups / (groups - 1) * (rest**2).sum()) ** 0.5 / len(d)
        plain = np.std(d, ddof=1) / len(d) ** 0.5
        assert each.difference.value == pytest.approx(np.mean(d))
        assert each.p == pytest.approx(student.cdf((np.mean(d) - 0.2) / se, groups - 1))
        assert each.p_worse == pytest.approx(student.sf((np.mean(d) - 0.2) / se, groups - 1))
        assert each.p_plain == pytest.approx(student.cdf((np.mean(d) - 0.2) / plain, len(d) - 1))
        assert each.difference.n_independent == pytest.approx(len(d) * (plain / se) ** 2)


def test_a_corrected_mean_is_left_out_cluster_by_cluster_and_rater_by_rater():
    rng = np.random.default_rng(7)
    true = rng.normal(3, 1, 60)
    people = true[:, None] + rng.normal(0, 0.4, (60, 3)) + [0.2, -0.1, 0]
    people[24:] = np.nan
    people[3, 1] = people[8, 0] = np.nan
    model, cluster = true + rng.normal(0.3, 0.5, 60), np.arange(60) // 2

    def of(rows, raters, interval=None):
        return ppi_mean(people[rows][:, raters], model[rows], cluster=cluster[rows],
                        interval=interval)  # fmt: skip

    every, raters = np.arange(60), [0, 1, 2]
    found = of(every, raters, "jackknife")
    left = [of(every[cluster != name], raters).value for name in range(30)]
    # Clusters that people rated and those they did not are two samples.
    squares = np.concatenate([scattered(left[:12]), scattered(left[12:])])
    u = squares.sum()
    t_u, t_r = student.ppf(0.975, [11, 2])  # the twelve are of one size
    assert found.se == pytest.approx(scattered(left).sum() ** 0.5)
    assert found.high - found.value == pytest.approx(t_u * u**0.5)
    alone = found.beside["model"]
    assert alone.value == pytest.approx(model.mean())
    of_pairs = model.reshape(30, 2).mean(axis=1)
    assert alone.se == pytest.approx(of_pairs.std(ddof=1) / 30**0.5)
    r = scattered([of(every, [k for k in raters if k != j]).value for j in raters]).sum()
    reach = max((t_u * u + t_r * r) / (u + r) ** 0.5, t_u * u**0.5)
    assert found.high_like - found.value == pytest.approx(reach)
