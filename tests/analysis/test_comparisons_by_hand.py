"""Labels, sentences, judges and systems set against people, a second time in plain loops."""

from itertools import combinations
from statistics import fmean

import numpy as np
import pytest
from scipy.stats import spearmanr, ttest_1samp
from sklearn.metrics import f1_score

from tests.numbers.drawn_round import (
    JUDGED,
    LABELS,
    PEOPLE,
    SEEDS,
    SYSTEMS,
    check,
    cohen,
    each_system,
    found,
    given,
    most,
    row_means,
    rows_of,
)


def consensus(seed, system=None):
    """unit → the adjudicator's label, else the people's majority."""
    people = given(seed, "label", system=system)
    final = given(seed, "label", ("chief",), system)
    units = set(people) | set(final)
    said = {u: most(final.get(u, {}).values()) or most(people.get(u, {}).values()) for u in units}
    return {unit: label for unit, label in said.items() if label is not None}


def labelled(seed, raters=("auto", "bot"), system=None):
    said = {u: most(v.values()) for u, v in given(seed, "label", raters, system).items()}
    return {unit: label for unit, label in said.items() if label is not None}


def sides(seed, system):
    """rater (None for the consensus) → what stands against the label, and the label."""
    automatic = labelled(seed, system=system)
    yield None, consensus(seed, system), automatic
    for rater in PEOPLE:
        own = given(seed, "label", (rater,), system)
        yield rater, {u: said[rater] for u, said in own.items()}, automatic
    for bot in ("auto", "bot"):
        yield bot, consensus(seed, system), labelled(seed, (bot,), system)


@pytest.mark.parametrize("seed", SEEDS)
def test_people_against_the_automatic_label(seed):
    def specific(name, pairs, label):
        h = sum(a == label for a, _ in pairs)
        o = sum(b == label for _, b in pairs)
        both = sum(a == b == label for a, b in pairs)
        below = {
            "agreement_jaccard": h + o - both,
            "agreement_of_auto": o,
            "agreement_of_human": h,
            "agreement_specific": (h + o) / 2,
        }[name]
        return both / below if below else None

    names = ("agreement_jaccard", "agreement_of_auto", "agreement_of_human", "agreement_specific")
    for name in ("percent_match", "kappa_human_auto", *names):
        rows = found(seed, name, "label")
        for system, (_, *group) in each_system("label"):
            for rater, people, automatic in sides(seed, system):
                named = [*group, *([] if rater is None else [("rater", rater)])]
                pairs = [(people[u], automatic[u]) for u in people if u in automatic]
                if name in names:
                    for label in LABELS:
                        key = "label", *sorted([*named, ("label", label)])
                        check(rows, key, specific(name, pairs, label))
                    continue
                matches = fmean(a == b for a, b in pairs)
                expected = matches
                if name == "kappa_human_auto":
                    expected = cohen(pairs, LABELS)
                check(rows, ("label", *sorted(named)), expected, len(pairs))


@pytest.mark.parametrize("seed", SEEDS)
def test_shares_of_sentences(seed):
    verdicts, grave = given(seed, "accuracy"), given(seed, "severity")
    # Each judging rating: unit, verdict, whether it says so, whether severity was left open.
    judging = [
        (unit, rater, verdict, grave.get(unit, {}).get(rater))
        for unit, said in verdicts.items()
        for rater, verdict in said.items()
        if verdict in JUDGED
    ]
    wanted = {
        "proportion_accurate": ["accurate"],
        "proportion_residual": ["disputed", "unsupported"],
        "proportion_severely_inaccurate": {"accuracy": ["inaccurate"], "severity": ["severe"]},
    }
    for name, values in wanted.items():
        rows = found(seed, name, "accuracy", by=False, **{"is": values, "of": JUDGED})
        severe = isinstance(values, dict)
        among = values["accuracy"] if severe else values

        def hit(one, severe=severe, among=among):
            return one[2] in among and (not severe or one[3] == "severe")

        def opened(one, severe=severe, among=among):
            return severe and one[2] in among and one[3] is None

        hits = [hit(one) for one in judging]
        check(rows, ("accuracy",), fmean(hits), n_ratings=len(hits), n_raters=3)
        sentences, responses = {}, {}
        for one, yes in zip(judging, hits, strict=True):
            sentences.setdefault(one[0], []).append(yes)
            responses.setdefault(one[0][0], []).append(yes)
        by_sentence = fmean(2 * sum(v) > len(v) for v in sentences.values())
        key = "accuracy", ("level", "sentence")
        check(rows, key, by_sentence, len(responses), len(hits), 3)
        by_response = fmean(map(fmean, responses.values()))
        check(rows, ("accuracy", ("level", "response")), by_response, len(responses), len(hits))
        key = "accuracy", ("level", "missing taken as severe")
        if any(map(opened, judging)):
            check(rows, key, fmean(hit(one) or opened(one) for one in judging))
        assert (key in rows) == any(map(opened, judging))
        assert ("missing_severity" in rows["accuracy",]["warnings"]) == (key in rows)
    issues = ["inaccurate", "unsupported", "disputed"]
    rows = found(seed, "missing_severity", "severity", by=False, of={"accuracy": issues})
    left = [one[3] is None for one in judging if one[2] in issues]
    check(rows, ("severity",), fmean(left), n_ratings=len(left))


def to_half(x):
    return round(x * 2) / 2


@pytest.mark.parametrize("seed", SEEDS)
def test_a_judge_against_people(seed):
    people = given(seed, "tone")
    for name in (
        *("exact", "within_one", "mae", "bias", "spearman", "exact_halves", "macro_f1_halves"),
    ):
        rows = found(seed, name, "tone", by=False)
        assert len(rows) == 2
        for judge in ("gpt", "llm"):
            own = given(seed, "tone", (judge,))
            units = [unit for unit in own if unit in people]
            x = [own[unit][judge] for unit in units]
            each = [list(people[unit].values()) for unit in units]
            middle = list(map(fmean, each))
            halves = [str(to_half(m)) for m in middle], [str(to_half(v)) for v in x]
            apart = [v - m for v, m in zip(x, middle, strict=True)]
            gaps = [[abs(p - v) for p in said] for said, v in zip(each, x, strict=True)]
            expected = {
                "exact": fmean(fmean(gap == 0 for gap in said) for said in gaps),
                "within_one": fmean(fmean(gap <= 1 for gap in said) for said in gaps),
                "mae": fmean(map(abs, apart)),
                "bias": fmean(apart),
                "spearman": spearmanr(middle, x).statistic,
                "exact_halves": fmean(a == b for a, b in zip(*halves, strict=True)),
                "macro_f1_halves": f1_score(*halves, average="macro"),
            }[name]
            n = len(units) + sum(map(len, each))
            check(rows, ("tone", ("rater", judge)), expected, len(units), n, len(PEOPLE) + 1)


def by_case(units, system):
    """case → that system's values there."""
    found = {}
    for (item, _), said in units.items():
        if item.endswith(system):
            found.setdefault(item[:2], []).extend(said.values())
    return found


def gaps(units, first, second):
    one, other = by_case(units, first), by_case(units, second)
    return [fmean(one[case]) - fmean(other[case]) for case in one if case in other]


@pytest.mark.parametrize("seed", SEEDS)
def test_systems_against_each_other(seed):
    people, automatic = consensus(seed), labelled(seed)
    both = people.keys() & automatic.keys()
    matches = {unit: {"all": float(people[unit] == automatic[unit])} for unit in both}
    for name, question, units, asked in (
        ("difference", "tone", given(seed, "tone"), "tone"),
        (
            "difference_overall",
            None,
            row_means(seed, ["tone", "clarity"]),
            ["tone", "clarity"],
        ),
        ("difference_percent_match", "label", matches, "label"),
    ):
        measure = {"statistic": name, "question": asked}
        made = rows_of(seed, measure, interval="jackknife")
        rows = {row["group"]["systems"]: row for row in made}
        for a, b in combinations(SYSTEMS, 2):
            apart, row = gaps(units, a, b), rows[f"{a} − {b}"]
            assert row["question"] == question
            assert row["estimate"] == pytest.approx(fmean(apart), abs=1e-12)
            if np.std(apart) > 0 and not row["reason"]:
                # One gap a case, and cases are what is left out: Student's own interval.
                t = ttest_1samp(apart, 0)
                assert row["p"] == pytest.approx(t.pvalue)
                ends = t.confidence_interval()
                assert (row["low"], row["high"]) == pytest.approx((ends.low, ends.high))


@pytest.mark.parametrize("seed", SEEDS)
def test_shares_of_systems_are_pooled_over_the_cases_both_have(seed):
    units = given(seed, "label")
    among = ["SUPPORTED", "CONTRADICTED"]
    judged = {u: {r: v for r, v in said.items() if v in among} for u, said in units.items()}
    judged = {unit: said for unit, said in judged.items() if said}
    measure = {"statistic": "difference", "question": "label", "is": ["SUPPORTED"], "of": among}
    rows = {row["group"]["systems"]: row for row in rows_of(seed, measure)}
    for a, b in combinations(SYSTEMS, 2):
        one, other = by_case(judged, a), by_case(judged, b)
        shares = [
            fmean(
                v == "SUPPORTED"
                for case in side
                if case in one and case in other
                for v in side[case]
            )
            for side in (one, other)
        ]
        assert rows[f"{a} − {b}"]["estimate"] == pytest.approx(shares[0] - shares[1])
