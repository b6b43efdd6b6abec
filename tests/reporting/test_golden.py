"""Numbers stay where they are, unless a commit names them (`make golden`)."""

import json

import pytest

from raterbook.protocols import STATISTICS
from tests.golden import HERE, SAMPLES, kept, moved, reworded, rounds
from tests.golden.pages import text_of
from tests.reporting.conftest import SAMPLES as BUILT


@pytest.fixture(scope="module", params=rounds.NAMES)
def made(request, tmp_path_factory):
    """The report of a made-up round."""
    return rounds.built(request.param, tmp_path_factory.mktemp(request.param)).read()


def test_a_made_up_rounds_numbers_are_those_kept(made):
    found = json.loads(made.numbers.to_json())
    assert moved(kept(found["round"]), found) == []


def test_a_made_up_rounds_page_says_what_is_kept(made):
    before = (HERE / "rounds" / f"{made.numbers.round}.txt").read_text("utf-8")
    assert reworded(before, text_of(made)) == []


@pytest.mark.parametrize("name", SAMPLES)
def test_a_samples_numbers_are_those_kept(workspace, name):
    assert moved(kept(name), json.loads(workspace.round(name).numbers().to_json())) == []


def test_every_sample_and_made_up_round_is_kept():
    assert sorted(BUILT) == list(SAMPLES)
    assert all(kept(name)["numbers"] for name in rounds.NAMES)


def test_every_statistic_has_a_golden_row_and_a_value_in_one():
    rows = [row for name in (*SAMPLES, *rounds.NAMES) for row in kept(name)["numbers"]]
    made_up = [row for name in rounds.NAMES for row in kept(name)["numbers"]]
    for some in (rows, made_up):
        assert set(STATISTICS) - {row["statistic"] for row in some} == set()
        valued = {row["statistic"] for row in some if row["estimate"] is not None}
        assert set(STATISTICS) - valued == set()


def test_a_golden_row_that_moved_is_named_with_both_values():
    before = kept("gappy")
    after = json.loads(json.dumps(before))
    after["numbers"][0]["estimate"] += 1e-8
    after["numbers"][1]["estimate"] += 1e-12
    after["targets"][0]["met"] = not after["targets"][0]["met"]
    del after["numbers"][2]
    first, gone = (before["numbers"][n] for n in (0, 2))
    told = moved(before, after)
    assert len(told) == 3
    assert told[0].startswith(gone["statistic"])
    assert told[0].endswith(": gone")
    assert told[1].startswith(first["statistic"])
    assert f"estimate {first['estimate']!r} → {after['numbers'][0]['estimate']!r}" in told[1]
    assert told[2].startswith("target Accurate: met ")
