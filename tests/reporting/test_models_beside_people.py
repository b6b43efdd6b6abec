"""A model that judged beside people: the same numbers in numbers.json and on the page."""

import json
import uuid

import numpy as np
import pytest
from jsonschema import validate
from scipy.stats import spearmanr

from raterbook.judges import judge
from raterbook.judges.clients.scripted import reply_to
from raterbook.numbers.compute import numbers, summary
from raterbook.protocols import load
from raterbook.protocols.statistics import of_family
from raterbook.reporting import Report
from raterbook.reporting.words import SIGNED, name_of, say
from raterbook.rounds import Event, Store
from tests.reporting.conftest import SAMPLES
from tests.reporting.rounds import on_page, page_of, records
from tests.reporting.test_pages import SCHEMA

SCORES, HALVES = of_family("judge"), of_family("halves")
COMPARISONS = (*SCORES, *HALVES)
SCALES = ("correctness", "clarity", "tone", "actionability", "coherence", "emotion", "overall")
LABELS = ("SUPPORTED", "CONTRADICTED", "NO EVIDENCE")


@pytest.fixture(scope="module")
def judged(workspace, tmp_path_factory):
    """The feedback sample, once more, with a function for a model."""
    copy = tmp_path_factory.mktemp("judged") / "copy.sqlite"
    workspace.backup(copy)
    stored = Store(str(copy)).round("feedback-sample")
    assert judge(stored, reply_to, name="gauge").complete
    return stored


def compared(found):
    """The comparisons that there are; of those asked for in vain a row says there is none."""
    rows = [row for row in found.rows if row["statistic"] in COMPARISONS]
    return [row for row in rows if row["reason"] != "no_comparison"]


def scores(stored, question):
    frame = stored.frame()
    own = frame[frame["question"].eq(question) & frame["status"].eq("answered")]
    own = own[own["replicate"].eq(1) & own["role"].astype(object).eq("main")]
    people = own[own["rater_kind"].eq("human")]
    table = people.pivot(index="item", columns="rater", values="number").astype(float)
    model = own[own["rater"].astype(object).eq("gauge")].set_index("item")["number"].astype(float)
    return table, model.reindex(table.index)


def test_a_judged_round_says_how_near_the_model_is_to_people(judged):
    found = numbers(judged)
    rows = compared(found)
    assert {(row["question"], row["statistic"]) for row in rows} == {
        (question, statistic) for question in SCALES for statistic in SCORES
    }
    assert all(row["group"] == {"rater": "gauge"} for row in rows)
    assert all(row["low"] <= row["estimate"] <= row["high"] for row in rows)
    people, model = scores(judged, "tone")
    gap = model - people.mean(axis=1)
    said = {name: found.get(name, "tone", rater="gauge")["estimate"] for name in SCORES}
    same = people.eq(model, axis=0).where(people.notna()).mean(axis=1).mean()
    assert said == pytest.approx(
        {
            "exact": same,
            "within_one": (people.sub(model, axis=0).abs() <= 1)
            .where(people.notna())
            .mean(axis=1)
            .mean(),
            "mae": gap.abs().mean(),
            "bias": gap.mean(),
            "spearman": spearmanr(model, people.mean(axis=1)).statistic,
        }
    )
    validate(json.loads(found.to_json()), SCHEMA)


def test_the_page_says_the_numbers_of_numbers_json(judged):
    report = Report(judged)
    section = report.machines().html
    for row in compared(report.numbers):
        said = say(row, SIGNED) if row["statistic"] == "bias" else say(row)
        assert f"<td class=figure>{on_page(said)}</td>" in section, row
        assert name_of(row["statistic"]) in section


def test_a_model_beside_people_changes_none_of_their_numbers(judged, workspace):
    before = numbers(workspace.store.round("feedback-sample")).rows
    after = [row for row in numbers(judged).rows if row["statistic"] not in COMPARISONS]
    assert len(after) == len(before)
    for old, new in zip(before, after, strict=True):
        # The model's scores may add points to a scale, which moves a sum by a last bit.
        assert new == {k: pytest.approx(v) if isinstance(v, float) else v for k, v in old.items()}


@pytest.mark.parametrize("name", SAMPLES)
def test_rounds_without_models_have_no_such_numbers_and_say_so_of_what_was_asked_for(
    numbers_of, name
):
    rows = [row for row in numbers_of[name]["numbers"] if row["statistic"] in COMPARISONS]
    declared = {m.statistic for m in load(numbers_of[name]["protocol"]).measures}
    assert {row["statistic"] for row in rows} == declared & set(COMPARISONS)
    assert {(row["estimate"], row["reason"]) for row in rows} <= {(None, "no_comparison")}


def neureg(by_hand, kind, count=30):
    said = [(r, f"i{n:03d}", "accuracy", 1 + n % 5) for r in ("ana", "ben") for n in range(count)]
    said += [("gauge", f"i{n:03d}", "accuracy", 1 + (n % 5 + n % 2) % 5) for n in range(count)]
    return by_hand("neureg-qa", records("neureg-qa", count), said, kinds={"gauge": kind})


def test_neureg_compares_by_half_points_too(by_hand):
    stored = neureg(by_hand, "model")
    rows = compared(numbers(stored))
    assert {row["statistic"] for row in rows} == {*SCORES, *HALVES}
    assert {row["question"] for row in rows} == {"accuracy"}
    assert "both rounded to the nearest half point" in page_of(stored)


def test_automatic_scores_are_compared_as_those_of_models_are(by_hand):
    rows = compared(numbers(neureg(by_hand, "automatic")))
    assert {row["statistic"] for row in rows} == set(SCORES)
    assert {row["group"]["rater"] for row in rows} == {"gauge"}


def test_where_the_model_counts_it_is_compared_with_nobody(by_hand):
    assert compared(numbers(neureg(by_hand, "model"), raters="gauge")) == []
    named = compared(numbers(neureg(by_hand, "model"), raters="ana"))
    assert {row["n_raters"] for row in named} == {2}


def test_labels_of_a_model_are_the_same_or_not(by_hand):
    said = [
        (rater, f"i{n:03d}", "label", LABELS[(n + place * (n % 4 == 0)) % 3])
        for place, rater in enumerate(("ana", "ben", "gauge"))
        for n in range(24)
    ]
    stored = by_hand("halo-support", records("halo-support", 24), said, kinds={"gauge": "model"})
    rows = compared(numbers(stored))
    assert [(row["statistic"], row["question"]) for row in rows] == [("exact", "label")]
    assert rows[0]["estimate"] == pytest.approx(0.75)
    assert f"the same label in {on_page(say(rows[0]))}" in Report(stored).machines().html


def test_what_only_gold_items_show_is_no_comparison(by_hand):
    stored = by_hand("neureg-qa", records("neureg-qa", 4), [("ana", "i000", "accuracy", 3)])
    stored.add_rater("gauge", kind="model")
    again = Event(uuid.uuid4().hex, "i000", "accuracy", 3, replicate=2)
    assert stored.save("gauge", [again])[0].ok
    assert compared(numbers(stored)) == []
    assert np.isfinite(numbers(stored).get("mean", "accuracy")["estimate"])


def test_labels_have_no_mean_to_be_near(by_hand):
    said = [(r, f"i{n:03d}", "label", LABELS[n % 3]) for r in ("ana", "gauge") for n in range(9)]
    stored = by_hand("halo-support", records("halo-support", 9), said, kinds={"gauge": "model"})
    questions = {"label": {"type": "choice", "level": "nominal", "scale": list(LABELS)}}
    asked = [{"statistic": name, "question": "label"} for name in ("mae", "spearman", "exact")]
    found = {row["statistic"]: row for row in summary(stored.frame(), asked, questions)}
    assert found["mae"]["reason"] == "not_numeric"
    assert found["spearman"]["reason"] == "no_order"
    assert found["exact"]["estimate"] == 1
