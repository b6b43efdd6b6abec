"""Is a model as often right as it says? By second implementations, and where the truth is known."""

import numpy as np
import pytest

from raterbook.analysis import Ratings
from raterbook.analysis.comparison.confidence import STATED, bins_of, calibration


def drawn(items=400, sure=0.9, right=0.9, seed=3, people=1):
    """A person's labels, which the model meets as often as it says, less `sure` − `right`."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 4, items)
    stated = np.clip(rng.uniform(0.3, 1.0, items), 0, 1)
    chance = np.clip(stated - (sure - right), 0, 1)
    own = np.where(rng.random(items) < chance, true, (true + rng.integers(1, 4, items)) % 4)
    table = np.column_stack([*[true] * people, own]).astype(object)
    confidence = np.full(table.shape, None, dtype=object)
    confidence[:, -1] = stated
    return table, confidence


def numbers(found, which="stated"):
    return {each.statistic: each.model for each in getattr(found, which)}


def test_brier_is_that_of_scikit_learn_where_one_person_is_the_truth():
    from sklearn.metrics import brier_score_loss

    table, confidence = drawn()
    hit = (table[:, 0] == table[:, 1]).astype(int)
    found = numbers(calibration(table, 1, confidence))
    assert found["brier"].value == pytest.approx(
        brier_score_loss(hit, confidence[:, 1].astype(float))
    )


def test_a_person_who_gave_one_label_alone_is_the_truth_all_the_same():
    table, confidence = drawn()
    table[:, 0] = 0
    found = numbers(calibration(table, 1, confidence))
    gaps = confidence[:, 1].astype(float) - (table[:, 1] == 0)
    assert found["brier"].value == pytest.approx((gaps**2).mean())


def test_the_calibration_error_is_a_plain_count_over_bins_of_as_many():
    table, confidence = drawn()
    c, hit = confidence[:, 1].astype(float), (table[:, 0] == table[:, 1]).astype(float)
    order = np.argsort(c)
    parts = np.array_split(order, 10)
    plain = sum(abs((c[part] - hit[part]).sum()) for part in parts) / len(c)
    found = numbers(calibration(table, 1, confidence))
    assert found["calibration_error"].value == pytest.approx(plain)


def test_tied_confidences_stay_in_one_bin():
    where, many = bins_of(np.repeat([0.5, 0.9, 1.0], [60, 30, 10]))
    assert [len(set(part)) for part in (where[:60], where[60:90], where[90:])] == [1, 1, 1]
    assert many == 3


def test_a_value_that_fills_more_than_a_bin_stands_where_its_middle_does():
    assert bins_of(np.repeat([0.5, 0.9], [15, 5]))[0].tolist() == [0] * 15 + [1] * 5
    assert bins_of(np.repeat([0.5, 0.9], [5, 15]))[0].tolist() == [0] * 5 + [1] * 15


def test_who_is_too_sure_is_told_and_who_is_not_is_not():
    too, fit = (numbers(calibration(*_at(drawn(right=right)))) for right in (0.7, 0.9))
    assert too["overconfidence"].low > 0.1
    assert fit["overconfidence"].low < 0 < fit["overconfidence"].high


def _at(drawn):
    return drawn[0], 1, drawn[1]


def test_a_fit_confidence_errs_by_about_what_chance_alone_makes():
    errors, chances = [], []
    for seed in range(20):
        found = calibration(*_at(drawn(seed=seed)), interval=None)
        errors.append(numbers(found)["calibration_error"].value)
        chances.append(found.by_chance)
    assert np.mean(errors) == pytest.approx(np.mean(chances), rel=0.15)


def test_isotonic_regression_on_other_folds_mends_a_confidence_that_is_too_high():
    found = calibration(*_at(drawn(items=1000, right=0.6)))
    before, after = numbers(found), numbers(found, "mended")
    assert after["brier"].value < before["brier"].value - 0.03
    assert after["calibration_error"].value < before["calibration_error"].value / 3


def test_cross_fitting_does_not_flatter_a_confidence_that_says_nothing():
    table, confidence = drawn(items=300)
    rng = np.random.default_rng(1)
    confidence[:, 1] = rng.permutation(confidence[:, 1])
    hit = (table[:, 0] == table[:, 1]).astype(float)
    mended = numbers(calibration(table, 1, confidence), "mended")["brier"].value
    # Fitted on its own answers it would beat the best constant; on others' it cannot.
    assert mended > hit.var()
    from sklearn.isotonic import IsotonicRegression

    own = IsotonicRegression().fit_transform(confidence[:, 1].astype(float), hit)
    assert ((own - hit) ** 2).mean() < hit.var()


def test_people_stand_beside_each_against_the_others():
    rng = np.random.default_rng(2)
    true = rng.integers(0, 3, 200)
    table = np.column_stack(
        [np.where(rng.random(200) < 0.8, true, (true + 1) % 3) for _ in range(4)]
    ).astype(object)
    stated = rng.uniform(0.5, 1, table.shape)
    found = calibration(table, 3, stated)
    brier = next(each for each in found.stated if each.statistic == "brier")
    plain = []
    for j in range(3):
        others = [k for k in range(3) if k != j]
        hit = np.column_stack([table[:, j] == table[:, k] for k in others]).astype(float)
        plain.append(((stated[:, [j]] - hit) ** 2).mean())
    assert brier.persons.value == pytest.approx(np.mean(plain))
    assert brier.model.n_raters == 3
    assert brier.model.low_like <= brier.model.low


@pytest.mark.parametrize("people", [2, 3])
def test_who_left_an_item_out_is_neither_met_nor_set_against_the_others_there(people):
    rng = np.random.default_rng(7)
    table = rng.integers(0, 3, (60, people + 1)).astype(object)
    table[rng.random(table.shape) < 0.3] = None
    stated = rng.uniform(0, 1, table.shape)
    # One more person answered where the model did not, and nobody where the model did.
    table = np.column_stack([table, np.where(table[:, people] == None, 1, None)])  # noqa: E711
    table = table[:, [*range(people), people + 1, people]]
    stated = np.column_stack([stated, stated[:, people]])
    table[-3:, :-1] = None
    people += 1
    sides = {"model": [], "persons": []}
    for j in range(people):
        for who, side in ((people, "model"), (j, "persons")):
            scores = []
            for row, sure in zip(table, stated, strict=True):
                others = [row[k] for k in range(people) if k != j and row[k] is not None]
                if None in (row[people], row[j]) or not others:
                    continue
                scores.append(np.mean([(sure[who] - (row[who] == other)) ** 2 for other in others]))
            sides[side] += [np.mean(scores)] if scores else []
    brier = calibration(table, people, stated).stated[0]
    assert brier.model.value == pytest.approx(np.mean(sides["model"]))
    assert brier.persons.value == pytest.approx(np.mean(sides["persons"]))
    assert brier.model.n_raters == people - 1


def test_two_clusters_in_a_bin_are_enough_to_say_what_chance_makes_and_one_is_not():
    table = [["a", "a"], ["b", "a"], ["a", "a"], ["b", "b"]]
    sure = [[None, 0.75]] * 4
    for clusters, known in ([0, 0, 1, 1], True), ([0, 0, 0, 0], False):
        found = calibration(Ratings(table, cluster=clusters), 1, sure)
        assert (found.by_chance is not None) is known


def test_bins_have_the_share_met_with_its_interval():
    found = calibration(*_at(drawn()))
    assert found.bins["n"].sum() == 400
    assert (
        (found.bins["low"] <= found.bins["met"]) & (found.bins["met"] <= found.bins["high"])
    ).all()


def test_chance_alone_makes_in_each_bin_what_a_normal_s_distance_from_nothing_is():
    """√(2/π) standard errors over clusters, each bin by its share of answers."""
    table, confidence = drawn(items=60, seed=5)
    cluster = np.arange(60) // 2
    found = calibration(Ratings(table, cluster=cluster), 1, confidence)
    c, hit = confidence[:, 1].astype(float), (table[:, 0] == table[:, 1]).astype(float)
    total, rows = 0.0, found.bins.to_dict("records")
    assert len(rows) == 6
    for part, row in zip(np.array_split(np.argsort(c), 6), rows, strict=True):
        gap = (c - hit)[part]
        groups = sorted(set(cluster[part]))
        rest = [sum(gap[cluster[part] == name] - gap.mean()) for name in groups]
        many = len(groups)
        se = (many / (many - 1) * sum(r * r for r in rest)) ** 0.5 / len(part)
        total += len(part) / 60 * se * (2 / np.pi) ** 0.5
        said = (row["n"], row["confidence"], row["met"])
        assert said == (10, pytest.approx(c[part].mean()), pytest.approx(hit[part].mean()))
    assert found.by_chance == pytest.approx(total)


@pytest.mark.parametrize(
    ("answers", "bins"), [(9, 1), (19, 1), (20, 2), (99, 9), (100, 10), (101, 10), (500, 10)]
)
def test_a_bin_has_ten_answers_and_there_are_ten_bins_at_most(answers, bins):
    where, many = bins_of(np.linspace(0, 1, answers))
    assert (many, len(set(where))) == (bins, bins)
    assert np.ptp(np.bincount(where)) <= 1
    assert (np.diff(where) >= 0).all()


@pytest.mark.parametrize("digits", [9, 1])
def test_a_mended_confidence_is_isotonic_regression_on_the_other_fifths_of_clusters(digits):
    from sklearn.isotonic import IsotonicRegression

    table, confidence = drawn(items=50, seed=6)
    confidence[:, 1] = confidence[:, 1].astype(float).round(digits)
    c, hit = confidence[:, 1].astype(float), (table[:, 0] == table[:, 1]).astype(float)
    made = np.empty(50)
    for fold in range(5):
        train = np.arange(50) % 5 != fold
        fit = IsotonicRegression(out_of_bounds="clip").fit(c[train], hit[train])
        made[~train] = fit.predict(c[~train])
    found = numbers(calibration(table, 1, confidence), "mended")
    assert found["brier"].value == pytest.approx(((made - hit) ** 2).mean())
    assert found["overconfidence"].value == pytest.approx((made - hit).mean())


def test_a_model_without_stated_confidence_has_no_calibration():
    table, confidence = drawn()
    confidence[:, 1] = None
    assert calibration(table, 1, confidence) is None


@pytest.mark.parametrize("wrong", [85, 1.5, -0.5])
def test_a_confidence_that_is_no_share_is_refused(wrong):
    table, confidence = drawn()
    confidence[3:5, 1] = 0, 1
    confidence[5, 1] = wrong
    with pytest.raises(ValueError, match=f"a confidence of {wrong}: give shares from 0 to 1"):
        calibration(table, 1, confidence)


def test_every_number_has_a_name_of_its_own():
    found = calibration(*_at(drawn(items=60)))
    assert tuple(each.statistic for each in found.stated) == STATED
