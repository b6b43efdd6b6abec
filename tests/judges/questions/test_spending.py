"""What a run over questions says it sent and spent, and what a model nobody reached leaves."""

import pytest

from raterbook.judges.clients.model import Reply
from raterbook.judges.money import Prices
from raterbook.judges.questions import questions

ONE = ("s1", "reference one", {"m1": "text one"})
TWO = ("s2", "reference two", {"m1": "text two"})


@pytest.fixture
def no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def test_without_a_key_no_request_is_sent_and_none_is_said_to_be(opened, no_key):
    pytest.importorskip("openai")
    done = questions(opened(ONE, TWO), "gpt-4o-mini", concurrency=2)
    assert done.requests == 0
    assert "api.openai.com needs a key" in str(done)
    assert "request" not in str(done).partition("stopped")[0]


def test_a_model_that_was_never_reached_leaves_no_rater_and_its_name_is_free(opened, no_key):
    stored = opened(ONE)
    questions(stored, "gpt-4o-mini")
    assert stored.raters() == []
    lost = questions(stored, "mine-1", lambda messages: Reply(error="time-out"))
    assert lost.counts == {"write": {"api_error": 1}}
    assert stored.raters() == []
    # Reached, if in vain: now it is known, and by these settings.
    questions(stored, "mine-1", lambda messages: "no idea", version="seven")
    assert [(one.name, one.version) for one in stored.raters()] == [("mine-1", "seven")]


def test_other_settings_under_a_name_that_answered_are_refused_with_the_remedy(opened):
    stored = opened(ONE)
    questions(stored, "mine-1", lambda messages: "no idea", version="seven")
    with pytest.raises(ValueError, match=r"has answered here with seven.*--rater mine-1-2"):
        questions(stored, "mine-1", lambda messages: "no idea", version="eight")


def test_the_cost_is_said_with_the_prices_it_is_by_and_unknown_where_it_is(opened):
    def counted(messages):
        return Reply("no idea", tokens_in=1_000_000, tokens_out=0)

    priced = questions(opened(ONE), "gpt-4o-mini", counted)
    assert f"USD by {Prices().source}" in str(priced)
    unknown = questions(opened(ONE), "mine-1", counted)
    assert f"price unknown: {Prices().source} do not name the model" in str(unknown)
    assert "USD" not in str(unknown)
