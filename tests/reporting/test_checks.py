"""The independent check of a coefficient looks at the same answers by the same rules."""

from importlib.resources import files

import pytest

import ratebook.protocols
from ratebook.reporting import numbers
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
    text = (files(ratebook.protocols) / "library" / "halo-support.yaml").read_text("utf-8")
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
