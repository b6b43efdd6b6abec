"""Which answers enter a summary, in which groups, and who is counted among the raters."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from raterbook.analysis import adjust
from raterbook.analysis.estimate import REASONS, WARNINGS
from raterbook.numbers.compute import summary

SCALE = {"type": "scale", "level": "ordinal", "scale": [1, 2, 3, 4, 5]}
QUESTIONS = {"tone": SCALE, "clarity": SCALE}
MEAN = [{"statistic": "mean", "question": "tone"}]


def mean_row(frame, **options):
    return summary(frame, MEAN, QUESTIONS, **options)[0]


def test_people_count_and_models_only_where_no_person_answered(frame):
    answers = [
        ("f1", 0, "ana", "tone", 2),
        ("f1", 0, "gpt", "tone", 5),
        ("f1", 0, "gpt", "clarity", 5),
    ]
    rows = summary(
        frame(answers, kinds={"gpt": "model"}),
        [{"statistic": "mean", "question": ["tone", "clarity"]}],
        QUESTIONS,
    )
    assert [(row["estimate"], row["raters"]) for row in rows] == [(2.0, "human"), (5.0, "model")]


def test_named_raters_count_whatever_their_kind(frame):
    answers = [("f1", 0, "ana", "tone", 2), ("f1", 0, "gpt", "tone", 5)]
    row = mean_row(frame(answers, kinds={"gpt": "model"}), raters=["gpt"])
    assert (row["estimate"], row["raters"]) == (5.0, ["gpt"])


@pytest.mark.parametrize("kind", ["automatic", "key", "adjudicator"])
def test_labels_keys_and_adjudicators_never_enter_a_mean(frame, kind):
    answers = [("f1", 0, "ana", "tone", 2), ("f1", 0, "other", "tone", 5)]
    assert mean_row(frame(answers, kinds={"other": kind}))["estimate"] == 2.0


@pytest.mark.parametrize(
    ("column", "value"),
    [("status", "retracted"), ("status", "skipped"), ("replicate", 2), ("role", "training")],
)
def test_only_given_first_answers_to_main_items_count(frame, column, value):
    built = frame([("f1", 0, "ana", "tone", 2), ("f2", 0, "ana", "tone", 5)])
    built[column] = built[column].astype(object)
    built.loc[1, column] = value
    assert mean_row(built)["estimate"] == 2.0


def test_nobody_gives_a_reason_and_no_number(frame):
    row = mean_row(frame([("f1", 0, "auto", "tone", 2)], kinds={"auto": "automatic"}))
    assert (row["estimate"], row["reason"], row["n_ratings"]) == (None, "no_ratings", 0)
    assert row["low"] is None


def test_an_empty_frame_is_no_error(frame):
    built = frame([("f1", 0, "ana", "tone", 2)]).iloc[:0]
    assert mean_row(built)["reason"] == "no_ratings"


def test_groups_follow_the_whole_and_may_be_crossed(frame, pick):
    answers = [
        (f"f{i}/m{j}", 0, "ana", "tone", x)
        for i, j, x in [(1, 1, 1), (1, 2, 2), (2, 1, 3), (2, 2, 4)]
    ]
    columns = {
        "model": {f"f{i}/m{j}": f"m{j}" for i in (1, 2) for j in (1, 2)},
        "domain": {f"f{i}/m{j}": f"d{i}" for i in (1, 2) for j in (1, 2)},
    }
    measures = [{"statistic": "mean", "question": "tone", "by": ["model", ["domain", "model"]]}]
    rows = summary(frame(answers, **columns), measures, QUESTIONS)
    assert pick(rows, "mean", "tone")["estimate"] == 2.5
    assert pick(rows, "mean", "tone", {"model": "m2"})["estimate"] == 3.0
    crossed = pick(rows, "mean", "tone", {"domain": "d2", "model": "m1"})
    assert (crossed["estimate"], crossed["n_items"]) == (3.0, 1)
    assert rows[0]["group"] is None


def test_a_group_column_that_is_not_there_is_refused(frame):
    with pytest.raises(ValueError, match="no column 'shot' to group by"):
        summary(
            frame([("f1", 0, "ana", "tone", 2)]),
            [{"statistic": "mean", "question": "tone", "by": ["shot"]}],
            QUESTIONS,
        )


def test_answers_that_share_a_cluster_are_resampled_together(frame):
    answers = [
        (f"f{i}", 0, rater, "tone", 1 + (i // 5 + (rater == "b")) % 5)
        for i in range(60)
        for rater in "ab"
    ]
    chunks = {f"f{i}": f"chunk {i // 5}" for i in range(60)}
    built = frame(answers, chunk=chunks)
    alone, together = mean_row(built), mean_row(built, cluster="chunk")
    assert "12 clusters" in together["method"]
    assert together["high"] - together["low"] > 1.5 * (alone["high"] - alone["low"])


def test_two_systems_are_compared_over_the_cases_both_answered(frame, pick):
    scores = {"m1": [5, 4, 4, 5, 3, 4], "m2": [4, 4, 3, 4, 3]}
    answers = [
        (f"q{i}/{model}", 0, rater, "tone", x)
        for model, each in scores.items()
        for i, x in enumerate(each)
        for rater in ("ana", "ben")
    ]
    models = {item: item.split("/")[1] for item, *_ in answers}
    measures = [{"statistic": "difference", "question": "tone"}]
    rows = summary(frame(answers, model=models), measures, QUESTIONS)
    row = pick(rows, "difference", "tone", {"systems": "m1 − m2"})
    # Five common cases: 1, 0, 1, 1, 0.
    assert row["estimate"] == pytest.approx(0.6)
    assert row["n_items"] == 10
    assert "p 0.07" in row["method"]


@pytest.mark.parametrize(
    ("correction", "said"),
    [
        (None, "after Holm over 3 pairs"),
        ("benjamini-hochberg", "after Benjamini–Hochberg over 3 pairs"),
        ("none", "not corrected for 3 pairs"),
    ],
)
def test_several_differences_at_once_each_say_how_many_and_the_corrected_p(frame, correction, said):
    rng = np.random.default_rng(1)
    answers = [
        (f"q{i}/{model}", 0, "ana", "tone", int(np.clip(rng.integers(1, 4) + more, 1, 5)))
        for more, model in enumerate(("m1", "m2", "m3"))
        for i in range(15)
    ]
    models = {item: item.split("/")[1] for item, *_ in answers}
    measure = {"statistic": "difference", "question": "tone", "correction": correction}
    rows = summary(frame(answers, model=models), [measure], QUESTIONS)
    assert len(rows) == 3
    p = [row["p"] for row in rows]
    for row, after in zip(rows, adjust(p, correction or "holm"), strict=True):
        assert said in row["method"]
        assert correction == "none" or f"{after:.3g} {said}" in row["method"]


def test_a_p_is_corrected_for_the_pairs_that_have_one(frame):
    """m2 and m3 answered no case both, so two of three pairs are compared."""
    said = {"m1": "334435", "m2": "232---", "m3": "---243"}
    answers = [
        (f"q{at}/{model}", 0, "ana", "tone", int(value))
        for model, values in said.items()
        for at, value in enumerate(values)
        if value != "-"
    ]
    models = {item: item.split("/")[1] for item, *_ in answers}
    measure = {"statistic": "difference", "question": "tone"}
    rows = summary(frame(answers, model=models), [measure], QUESTIONS)
    assert [row["group"]["systems"] for row in rows] == ["m1 − m2", "m1 − m3", "m2 − m3"]
    assert ["after Holm over 2 pairs" in str(row["method"]) for row in rows] == [True, True, False]
    assert rows[2]["reason"] == "no_common_cases"


def test_whoever_did_not_answer_is_no_hit_for_a_value_that_is_not_on_the_scale(frame):
    answers = [("i1", 0, "ana", "verdict", "right"), ("i2", 0, "ana", "verdict", "wrong")]
    answers += [("i1", 0, "ben", "verdict", "right"), ("i3", 0, "ben", "verdict", "right")]
    measure = {"statistic": "proportion_right", "question": "verdict"}
    measure |= {"is": ["right", "nearly"], "of": ["right", "nearly", "wrong"]}
    [row] = summary(frame(answers), [measure], {})
    assert (row["estimate"], row["n_ratings"]) == (3 / 4, 4)


def test_every_reason_and_warning_in_the_list_is_used_somewhere(root):
    sources = [
        path.read_text(encoding="utf-8")
        for room in ("analysis", "raterbook/reporting")
        for path in (root / room).rglob("*.py")
        if path.name != "reasons.py"
    ]
    unused = [
        code for code in (*REASONS, *WARNINGS) if not any(f'"{code}"' in text for text in sources)
    ]
    assert unused == []


REAL = Path(os.environ.get("RATERBOOK_REAL", Path(__file__).parents[3] / "shared" / "real"))
JUDGES = REAL / "neureg_llm_judges_long.csv"
METRICS = {
    "Relevance": "relevance",
    "Accuracy": "accuracy",
    "Completeness": "completeness",
    "Fluency": "fluency",
    "KG_Alignment": "kg_alignment",
}


@pytest.mark.skipif(
    not JUDGES.exists(), reason="NOT RUN: NeuReg's files are not here. Set RATERBOOK_REAL."
)
def test_neuregs_published_judges_come_out_exactly(pick):
    wide = pd.read_csv(JUDGES).rename(columns=METRICS)
    names = list(METRICS.values())
    frame = wide.melt(["qa_id", "shot_type", "rater"], names, "question", "number").dropna()
    frame = frame.assign(
        item=frame["qa_id"],
        case=frame["qa_id"],
        part=0,
        rater_kind="model",
        value=frame["number"].astype(int).astype(str),
    )
    asked = ("mean", "alpha_ordinal", "percent_agreement", "full_agreement", "majority")
    measures = [{"statistic": name, "question": names} for name in (*asked, "no_majority")]
    measures += [{"statistic": name, "question": names} for name in ("overall_mean", "overall_sd")]
    rows = summary(frame, measures, dict.fromkeys(names, SCALE), interval=None)

    def each(statistic, digits=4, times=1):
        found = [pick(rows, statistic, name)["estimate"] * times for name in names]
        return [round(value, digits) for value in found]

    # RGU-Computing/NeuReg @9dabce4, Evaluation/LLM-as-a-Judge: its tables, recomputed.
    assert each("mean") == [4.9089, 4.7896, 4.4411, 4.9613, 4.7430]
    assert each("alpha_ordinal") == [0.0237, 0.1164, 0.1012, 0.0067, 0.1829]
    assert each("percent_agreement", 3) == [0.843, 0.708, 0.446, 0.927, 0.689]
    assert each("full_agreement", 6, 3303) == [2118, 1452, 164, 2721, 1376]
    assert each("majority", 6, 3303) == [1172, 1824, 2664, 582, 1793]
    assert each("no_majority", 6, 3303) == [13, 27, 475, 0, 134]
    assert round(pick(rows, "full_agreement")["estimate"] * 3303, 6) == 2744
    assert round(pick(rows, "majority")["estimate"] * 3303, 6) == 559
    assert round(pick(rows, "overall_mean")["estimate"], 4) == 4.7688
    assert round(pick(rows, "overall_sd")["estimate"], 4) == 0.3396
    complete = frame[frame.groupby("qa_id")["number"].transform("size") == 25]
    rows = summary(complete, measures[1:2], dict.fromkeys(names, SCALE), interval=None)
    assert each("alpha_ordinal") == [0.0232, 0.1167, 0.1009, 0.0068, 0.1823]
