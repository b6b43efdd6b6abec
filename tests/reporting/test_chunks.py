"""Ratings of items that come from few source texts, from opening the round to its page.

data/judged_chunks.csv is invented and has the shape of NeuReg's published file, which is no part
of this project: RATERBOOK_REAL names its folder, ../shared/real by default, and without it the
tests of that file are skipped and say so.
"""

import html
import os
import re
from pathlib import Path

import pandas as pd
import pytest

from raterbook import Workspace
from raterbook.reporting import Report
from tests.reporting.rounds import page_of

INVENTED = Path(__file__).parent / "data" / "judged_chunks.csv"
FOLDER = Path(os.environ.get("RATERBOOK_REAL", Path(__file__).parents[3] / "shared" / "real"))
REAL = FOLDER / "neureg_llm_judges_long.csv"
METRICS = ["relevance", "accuracy", "completeness", "fluency", "kg_alignment"]
# The file has no source text; its ids say which piece of which document it was:
# factual_fewshot_DOCUMENT-pPAGE-PIECE-HASH_TIME_HASH
PIECE = r"^[^_]+_[^_]+_(.+)_\d+_[0-9a-f]+$"


def opened(file, folder, cluster="chunk"):
    """The round as a lead opens it: items without texts, and the piece as a column of its own."""
    ratings = pd.read_csv(file, keep_default_na=False)
    items = ratings[["qa_id", "question_type", "shot_type"]].drop_duplicates("qa_id")
    items = items.assign(chunk=items["qa_id"].str.extract(PIECE)[0])
    assert items["chunk"].notna().all()
    items.to_csv(folder / "items.csv", index=False)
    place = Workspace(folder)
    made = place.open("judges", "neureg-qa", folder / "items.csv", bare=True, cluster=cluster)
    made.add(file, kind="model")
    return made


def text_of(page):
    body = re.sub(r"<style.*?</style>", "", page, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).replace("\u00a0", " ").split())


@pytest.fixture(scope="module")
def invented(tmp_path_factory):
    stored = opened(INVENTED, tmp_path_factory.mktemp("invented"))
    return stored, Report(stored)


def test_intervals_take_each_source_piece_as_one_draw_and_say_so(invented):
    stored, report = invented
    alphas = report.rows("alpha_ordinal")
    assert len(alphas) == 5
    assert all("over 12 clusters" in row["method"] for row in alphas if row["low"] is not None)
    assert "95 % intervals take each chunk as one draw" in text_of(page_of(stored))


def test_a_low_alpha_stands_beside_high_agreement_with_the_sentence_that_explains_it(invented):
    page = text_of(page_of(invented[0]))
    assert "a low α on so uniform a question may come of its items and not of its raters" in page
    assert "Same answer" in page
    assert "items × models (191 of 192)" in page


def test_a_missing_cluster_column_is_said_because_intervals_would_be_too_narrow(tmp_path):
    stored = opened(INVENTED, tmp_path, cluster=None)
    assert "no source context is known of these items" in text_of(page_of(stored))


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    if not REAL.exists():
        pytest.skip(f"NOT RUN: NeuReg's files are not in {FOLDER.name}/. Set RATERBOOK_REAL.")
    stored = opened(REAL, tmp_path_factory.mktemp("real"))
    return stored, Report(stored), page_of(stored)


def test_the_published_ratings_give_the_published_numbers(real):
    _, report, _ = real

    def values(statistic):
        found = {row["question"]: row["estimate"] for row in report.rows(statistic)}
        return [round(found[metric], 4) for metric in METRICS]

    assert values("mean") == [4.9089, 4.7896, 4.4411, 4.9613, 4.7430]
    assert values("alpha_ordinal") == [0.0237, 0.1164, 0.1012, 0.0067, 0.1829]
    assert [round(v, 3) for v in values("percent_agreement")] == [0.843, 0.708, 0.446, 0.927, 0.689]
    whole = {
        kind: [
            round(row["estimate"] * row["n_items"])
            for metric in METRICS
            for row in report.rows(kind, metric)
        ]
        for kind in ("full_agreement", "majority", "no_majority")
    }
    assert whole == {
        "full_agreement": [2118, 1452, 164, 2721, 1376],
        "majority": [1172, 1824, 2664, 582, 1793],
        "no_majority": [13, 27, 475, 0, 134],
    }


def test_the_published_ratings_get_an_honest_page(real):
    _, report, page = real
    text = text_of(page)
    assert len(page.encode()) < 500_000
    assert "3,314 items · 5 models" in text
    assert "items × models (16,559 of 16,570)" in text
    assert "Fluency: two models gave the same answer in 93 % of cases, yet α is only 0.01" in text
    assert "Agreement is high and α low on Relevance, Accuracy and KG alignment too." in text
    assert all(
        "over 153 clusters" in row["method"]
        for row in report.numbers.rows
        if row["statistic"].startswith("alpha_") and row["group"] is None
    )
    assert not [check for check in report.numbers.checks if check["agrees"] is False]
