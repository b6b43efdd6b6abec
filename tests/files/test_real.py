"""NeuReg's published files: 160 items, and 16,559 ratings by five models.

They are not part of this project. RATERBOOK_REAL names their folder, ../shared/real by default;
where it is absent, these tests are skipped and say so.
"""

import os
from pathlib import Path

import pandas as pd
import pytest

from raterbook.files import import_answers, read_items
from raterbook.files.items import read_triples
from raterbook.protocols import load
from raterbook.rounds import Store

FOLDER = Path(os.environ.get("RATERBOOK_REAL", Path(__file__).parents[3] / "shared" / "real"))
ITEMS = FOLDER / "QA_Human_Eval_Stratified_5percent.csv"
RATINGS = FOLDER / "neureg_llm_judges_long.csv"
NEUREG = load("neureg-qa")
METRICS = ["relevance", "accuracy", "completeness", "fluency", "kg_alignment"]


@pytest.fixture(autouse=True)
def _real():
    if not ITEMS.exists() or not RATINGS.exists():
        pytest.skip(f"NOT RUN: NeuReg's files are not in {FOLDER.name}/. Set RATERBOOK_REAL.")


def test_the_160_items_open_with_all_their_triples(tmp_path):
    table = read_items(ITEMS, NEUREG)
    stored = Store(tmp_path / "r.sqlite").open("neureg", NEUREG, table, raters=["ana"])
    assert len(stored.items()) == 160
    triples, bad = [], []
    for case in stored.cases():
        good, wrong = read_triples(case.fields["source_kg"])
        triples += good
        bad += wrong
    assert (len(triples), bad) == (2064, [])
    frame = pd.DataFrame([row.fields for row in table.rows])
    counts = frame.groupby(["shot_type", "question_type"]).size()
    assert sorted(counts) == [13] * 8 + [14] * 4
    assert "relational" in set(frame["question_type"])
    clusters = {item.cluster for item in stored.items()}
    assert clusters == {row.fields["source_context"] for row in table.rows}


def test_the_16_559_ratings_import_as_five_model_raters(tmp_path):
    ratings = pd.read_csv(RATINGS, keep_default_na=False)
    items = ratings[["qa_id", "question_type", "shot_type"]].drop_duplicates("qa_id")
    table = read_items(items, NEUREG, bare=True)
    assert len(table.rows) == 3314
    stored = Store(tmp_path / "r.sqlite").open("judges", NEUREG, table, bare=True)
    summary = import_answers(stored, RATINGS, kind="model")
    assert summary.notes == (f"{RATINGS.name}: not read, as no question: Overall_Score.",)
    assert len(summary.raters) == 5
    frame = stored.frame()
    assert set(frame["rater_kind"]) == {"model"}
    assert len(frame[["item", "rater"]].drop_duplicates()) == 16_559
    means = frame.groupby("question", observed=True)["number"].mean().round(4)
    assert means[METRICS].tolist() == [4.9089, 4.7896, 4.4411, 4.9613, 4.7430]
    overall = frame.pivot_table(
        index=["item", "rater"], columns="question", values="number", observed=True
    ).mean(axis=1)
    assert (round(overall.mean(), 4), round(overall.std(), 4)) == (4.7688, 0.3396)
    assert import_answers(stored, RATINGS, kind="model").added == 0
