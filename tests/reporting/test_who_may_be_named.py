"""Nobody is named for what their items, their sources or a rare slip would do to anybody."""

import random
import re
import uuid

import numpy as np
import pandas as pd
import pytest

from raterbook.reporting import Report
from raterbook.reporting.leanings import gaps
from raterbook.reporting.sections.raters import ends, lean
from raterbook.rounds import Event
from tests.reporting.rounds import CRITERIA, opened, records, words_of

LABELS = ("SUPPORTED", "CONTRADICTED", "NO EVIDENCE")


def sourced(count, each):
    """Items of which so many come from one source."""
    items = records("neureg-qa", count)
    return [{**one, "source_context": f"source {n // each}"} for n, one in enumerate(items)]


def said(section):
    return "" if section is None else words_of(section.html)


def saved(stored, rater, answers):
    """Answers as (item, question, value, more of the event), one after the other."""
    stored.add_rater(rater)
    events = [Event(uuid.uuid4().hex, *one, **more) for *one, more in answers]
    refused = [ack.reason for ack in stored.save(rater, events) if not ack.ok]
    assert not refused, refused[:3]


# Rare slips: who made none of them shows no spread.


def of_slips(seed, raters=10, items=30, rate=0.1):
    """Scores of raters who are alike: all 5, but for a slip now and then."""
    rng = np.random.default_rng(seed)
    scores = 5.0 - (rng.random((items, raters)) < rate) * rng.integers(1, 3, (items, raters))
    others = (scores.sum(axis=1, keepdims=True) - scores) / (raters - 1)
    names = np.array([f"r{at}" for at in range(raters)])
    rows = {"rater": np.tile(names, items), "cluster": np.repeat(np.arange(items), raters)}
    return pd.DataFrame(rows), scores.ravel(), others.ravel()


def test_raters_alike_near_the_top_are_named_less_often_than_the_risk_allows():
    rounds, named, plainly = 120, 0, 0
    for seed in range(rounds):
        rows, own, others = of_slips(seed)
        found = gaps(rows, own, others, 0.95, most=4.0)
        named += bool(((found["low"] > 0) | (found["high"] < 0)).any())
        # The control: each rater's own spread, as if it were known.
        apart = (own - others).reshape(30, 10)
        reach = 3.04 * apart.std(axis=0, ddof=1) / np.sqrt(30)  # t of 29 at 99.5 %
        plainly += bool((np.abs(apart.mean(axis=0)) > reach).any())
    assert named / rounds <= 0.05
    assert plainly / rounds > 0.3


def test_a_rater_who_is_really_lower_is_named_among_them():
    rows, own, _ = of_slips(3, items=60)
    low = (rows["rater"] == "r4").to_numpy() & (rows["cluster"] % 2 == 0).to_numpy()
    shifted = own - low
    total = pd.Series(shifted).groupby(rows["cluster"]).transform("sum").to_numpy()
    found = gaps(rows, shifted, (total - shifted) / 9, 0.95, most=4.0).set_index("rater")
    assert found.index[found["high"] < 0].tolist() == ["r4"]


def test_one_source_that_carries_all_is_no_interval_of_a_rater():
    """Half of all items come from one source; in it ana is two points lower."""
    cluster = np.repeat(np.arange(21), [20, *[1] * 20])
    own = np.where(cluster == 0, -2.0, np.tile([0.1, -0.1], 20))
    rows = pd.DataFrame({"rater": "ana", "cluster": cluster})
    assert gaps(rows, own, np.zeros(40), 0.95, most=4.0)["low"].isna().all()


def test_where_all_lie_equally_far_apart_what_was_not_met_bounds_it():
    rows = pd.DataFrame({"rater": ["ana"] * 40, "cluster": range(40)})
    (found,) = gaps(rows, np.ones(40), np.zeros(40), 0.95).itertuples()
    # As often as .088 of the items something else could come, unseen in forty at .025; up to −1.
    unseen = 1 - 0.025 ** (1 / 40)
    assert (found.low, found.high) == (pytest.approx(1 - 2 * unseen), 1.0)


def test_few_sources_carry_no_name_for_severity_or_drift(tmp_path):
    rng = random.Random(2)
    off = {(rater, source): rng.gauss(0, 0.7) for rater in "abc" for source in range(4)}
    answers = [
        (rater, f"i{n:03d}", question, min(5, max(1, round(3 + off[rater, n // 12] - (rater == "a")
                                                          + rng.gauss(0, 0.3)))))
        for rater in "abc" for n in range(48) for question in CRITERIA[:1]
    ]  # fmt: skip
    report = Report(opened(tmp_path, "neureg-qa", sourced(48, 12), answers))
    page = words_of(lean(report))
    assert (
        "Fewer than 10 independent units (source context) show of no rater that they are severe or "
        "lenient."
    ) in page
    assert "Calibrate together" not in said(report.next_round())
    assert re.search(r"a −\d\.\d\d −\d\.\d\d to [−+]\d\.\d\d\u2060† ", page)


def test_the_two_furthest_apart_have_an_interval_for_all_pairs(by_hand):
    rng = random.Random(4)
    lean = {"ana": -1, "ben": 0, "eva": 0, "dan": 1}
    answers = [
        (rater, f"i{n:03d}", "accuracy", min(5, max(1, 3 + lean[rater] + rng.choice((-1, 0, 1)))))
        for rater in lean for n in range(40)
    ]  # fmt: skip
    report = Report(by_hand("neureg-qa", records("neureg-qa", 40), answers))
    page = words_of(ends(report))
    low, high = map(
        float,
        re.search(r"ana scores [\d.]+ points below dan on average \(−([\d.]+) to −([\d.]+)\)", page)
        .groups(),
    )  # fmt: skip
    table = report.counted.table(report.counted.asked()[0])
    gap = (table["ana"] - table["dan"]).to_numpy()
    # t of 39 degrees of freedom at 1 − .05 / 12, for six pairs.
    reach = 2.7775 * gap.std(ddof=1) / np.sqrt(40)
    assert (low, high) == (
        pytest.approx(reach - gap.mean(), abs=0.006), pytest.approx(-reach - gap.mean(), abs=0.006)
    )  # fmt: skip
    assert "The interval is corrected for 6 pairs." in page


# Time.


def paced(folder, count, each, seconds, raters="ab", mine=None):
    stored = opened(folder, "neureg-qa", sourced(count, each))
    for rater in raters:
        saved(stored, rater, [
            (f"i{n:03d}", question, 3 + n % 3, {"seconds": seconds(rater, n)})
            for n in (mine(rater) if mine else range(count)) for question in CRITERIA[:2]
        ])  # fmt: skip
    return said(Report(stored).conduct())


def test_who_got_the_short_items_is_not_fast(tmp_path):
    """a has the first 40 of 60 items and b the last: 30 short ones, then 30 long ones."""
    page = paced(tmp_path, 60, 1, lambda rater, n: (4.0 if n < 30 else 20.0) + n % 3 / 10,
                 mine=lambda rater: range(40) if rater == "a" else range(20, 60))  # fmt: skip
    assert "No rater is shown to be conspicuously fast." in page


def test_who_is_fast_beside_others_on_the_same_items_is_named(tmp_path):
    page = paced(tmp_path, 30, 1, lambda rater, n: (10 + n % 7) * (0.3 if rater == "a" else 1))
    assert "a takes 30 % of the others’ time for the same answers (30–30 %): fast enough" in page


def test_who_is_fast_on_three_sources_is_not_named(tmp_path):
    page = paced(tmp_path, 30, 10, lambda rater, n: (10 + n % 7) * (0.3 if rater == "a" else 1))
    assert "No rater is shown to be conspicuously fast." in page
    assert "a 3.9 s 30 % – 60" in page


# Against the key.


def keyed(folder, each, wrong):
    """Twelve items with a key, so many of a source; dan is wrong where `wrong` says so."""
    answers = [("gold", f"i{n:03d}", question, 5) for n in range(12) for question in CRITERIA]
    answers += [
        (rater, f"i{n:03d}", question, 1 if rater == "dan" and wrong(n) else 5)
        for rater in ("ana", "ben", "dan") for n in range(12) for question in CRITERIA
    ]  # fmt: skip
    stored = opened(folder, "neureg-qa", sourced(12, each), answers, {"gold": "key"})
    return said(Report(stored).conduct())


def test_answers_to_one_source_are_not_as_many_signs_of_a_careless_rater(tmp_path):
    """Thirty of sixty answers wrong, all on one of two sources."""
    page = keyed(tmp_path, 6, lambda n: n < 6)
    assert "50 to 100 % of the key’s answers, of 60 answers each; no rater is shown to have" in page
    assert "has the fewest" not in page


def test_who_misses_the_key_on_source_after_source_is_named_beside_the_others(tmp_path):
    page = keyed(tmp_path, 1, lambda n: n % 3)
    assert (
        "dan has the fewest: 33 % of the key’s answers, the others on the same 100 % (a difference "
        "of 67 points;"
    ) in page


# Stretches.


def in_turn(folder, labels):
    """Each rater's labels of sixty items, a minute apart."""
    stored = opened(folder, "halo-support", records("halo-support", 60))
    for rater, label in labels.items():
        saved(stored, rater, [
            (f"i{n:03d}", "label", label(n), {"client_time": f"2026-03-02T10:{n:02d}:00Z"})
            for n in range(60)
        ])  # fmt: skip
    return said(Report(stored).conduct())


def test_a_stretch_that_others_have_on_the_same_items_is_of_the_items(tmp_path):
    by_kind = lambda n: LABELS[n // 20]  # noqa: E731
    page = in_turn(tmp_path, {"ana": by_kind, "ben": by_kind, "eva": lambda n: LABELS[n % 3]})
    assert "Nobody is shown to repeat one answer for longer than chance explains" in page


def test_a_stretch_that_nobody_else_has_is_named(tmp_path):
    mixed = lambda n: LABELS[n * 7 % 3]  # noqa: E731
    stuck = lambda n: LABELS[2] if 10 <= n < 40 else mixed(n)  # noqa: E731
    page = in_turn(tmp_path, {"ana": stuck, "ben": mixed, "eva": mixed})
    assert "ana answers “NO EVIDENCE” 3" in page
    assert "and the others’ answers to the same items do not explain it: look" in page
