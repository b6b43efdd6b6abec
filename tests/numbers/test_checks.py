"""The independent check of a coefficient looks at the same answers by the same rules."""

from importlib.resources import files

import pytest

import raterbook.protocols
from raterbook.numbers.compute import numbers
from raterbook.reporting import Report
from tests.reporting.rounds import opened, records

FULL = {"S": "SUPPORTED", "C": "CONTRADICTED", "N": "NO EVIDENCE"}
KINDS = {"bot": "automatic", "chief": "adjudicator", "deputy": "adjudicator"}


def labelled(folder, auto, text=None, fields=None, **said):
    """A round of labels, spelled by their first letters, " " for none; `auto` are the checker's."""
    items = [
        {**record, "auto_label": FULL[letter], **(fields(i) if fields else {})}
        for i, (record, letter) in enumerate(zip(records("halo-support", len(auto)), auto))
    ]
    answers = [
        (rater, f"i{i:03d}", "label", FULL[letter])
        for rater, letters in said.items()
        for i, letter in enumerate(letters)
        if letter != " "
    ]
    return opened(folder, items=items, answers=answers, kinds=KINDS, text=text)


def checked(stored, statistic, **parameters):
    found = numbers(stored, **parameters)
    of_each = {check["number"]: check for check in found.checks}
    return {name: check for name, check in of_each.items() if name.startswith(statistic)}


def test_two_automatic_raters_are_checked_together_and_one_by_one(tmp_path):
    said = {"ana": "SSSCCCNN", "ben": "SSSCCCNN", "bot": "SCCCCCNN"}
    found = checked(labelled(tmp_path, auto="SSSCCCNN", **said), "kappa_human_auto")
    assert {f"kappa_human_auto:label[rater={name}]" for name in ("auto", "bot")} <= set(found)
    assert found["kappa_human_auto:label"]["value"] == pytest.approx(1.0)
    assert all(check["agrees"] for check in found.values()), found


@pytest.mark.parametrize(("chief", "deputy"), [("C", "S"), ("S", "C"), ("C", "C")])
def test_adjudicators_who_disagree_raise_no_false_alarm(tmp_path, chief, deputy):
    said = {"ana": "SSSCCCNN", "ben": "SSSCCCNS", "chief": chief, "deputy": deputy}
    found = checked(labelled(tmp_path, auto="SSSCCCNN", **said), "kappa_human_auto")
    assert len(found) == 3
    assert all(check["agrees"] for check in found.values()), found


def test_a_coefficient_of_one_group_is_checked_on_that_groups_answers(tmp_path):
    text = (files(raterbook.protocols) / "library" / "halo-support.yaml").read_text("utf-8")
    asked = "{statistic: kappa_human_auto, question: label"
    said = {"ana": "SSSCCCNN", "ben": "SSSCCCNN"}
    stored = labelled(
        tmp_path,
        auto="SCSCSCNS",
        text=text.replace(asked, asked + ", by: topic").replace("id: {label: Sample, show: none}",
            "id: {label: Sample, show: none}\n    topic: {label: Topic, show: hidden}").replace(
            "  system: model", "  system: model\n  groups: [topic]"),
        fields=lambda i: {"topic": "ab"[i % 2]},
        **said,
    )  # fmt: skip
    found = checked(stored, "kappa_human_auto")
    assert {"kappa_human_auto:label[topic=a]", "kappa_human_auto:label[topic=b]"} <= set(found)
    assert all(check["agrees"] for check in found.values()), found


def graded(folder, missing=(), raters=3, many=40):
    """Forty items, each labelled by three of `raters` people, without the `missing` answers."""
    answers = [
        (f"r{(i + place) % raters}", f"i{i:03d}", "label",
         FULL["SCN"[(i + place // 2 * (i % 4)) % 3]])
        for i in range(many)
        for place in range(3)
        if (i, place) not in missing
    ]  # fmt: skip
    return opened(folder, items=records("halo-support", many), answers=answers)


def test_fleiss_kappa_is_checked_where_raters_change_but_not_their_number(tmp_path):
    stored = graded(tmp_path, raters=5)
    [check] = checked(stored, "kappa_fleiss").values()
    assert (check["agrees"], check["reason"]) == (True, None)
    assert check["value"] == pytest.approx(numbers(stored).get("kappa_fleiss", "label")["estimate"])


@pytest.mark.parametrize("places", [1, 2, 3])
def test_a_few_incomplete_items_do_not_cost_fleiss_check(tmp_path, places):
    missing = {(i, place) for i in range(11) for place in range(places)}
    stored = graded(tmp_path, missing)
    [check] = checked(stored, "kappa_fleiss").values()
    assert check["agrees"], check
    if places == 3:
        assert check["reason"] is None
    else:
        assert check["reason"] == "on the 29 of 40 units with 3 ratings"
        page = Report(stored).made()._repr_html_()
        assert "agrees on the 29 of 40 units with 3 ratings" in page


def test_a_fleiss_kappa_that_is_not_ours_is_found_on_incomplete_items_too(tmp_path, monkeypatch):
    from raterbook.analysis import Estimate

    monkeypatch.setattr("raterbook.analysis.kappa", lambda *_, **__: Estimate(0.9))
    [check] = checked(graded(tmp_path, {(0, 0)}), "kappa_fleiss").values()
    assert check["agrees"] is False


def test_scores_between_those_of_the_scale_stop_no_check(tmp_path):
    text = (files(raterbook.protocols) / "library" / "feedback-quality.yaml").read_text("utf-8")
    more = "".join(
        f"  - {{statistic: {name}, question: overall}}\n"
        for name in ("kappa_weighted_quadratic", "kappa_cohen", "kappa_fleiss")
    )
    answers = [
        (rater, f"i{i:03d}", "overall", (i + place) % 9 / 2 + 1)
        for i in range(20)
        for place, rater in enumerate(("ana", "ben"))
    ]
    answers[0] = ("ana", "i000", "overall", 3.25)
    text = text.replace("measures:\n", "measures:\n" + more, 1)
    stored = opened(
        tmp_path, "feedback-quality", records("feedback-quality", 20), answers, text=text
    )
    found = checked(stored, "kappa")
    assert found["kappa_cohen:overall"]["agrees"]
    assert found["kappa_fleiss:overall"]["agrees"]
    assert "between those of the scale" in found["kappa_weighted_quadratic:overall"]["reason"]
