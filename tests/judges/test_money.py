"""Prices, costs and a budget; progress that shows them."""

import json

import pytest

from raterbook.judges import Endpoint, JudgeStopped, dry_run, judge
from raterbook.judges.clients.scripted import reply_to
from raterbook.judges.judging import spent_per_item
from raterbook.judges.money import TABLE, Budget, Prices, tokens_of
from raterbook.judges.outcome import Progress

from .conftest import feedback_items
from .server import Play, Server, error, says

PRICES = {"scripted": (10.0, 50.0)}  # 1,000 tokens in and 200 out come to 0.02


def test_the_table_has_a_price_for_every_model_it_names_and_says_how_old_it_is():
    content = json.loads(TABLE.read_text(encoding="utf-8"))
    table = Prices()
    assert table.source == f"raterbook's prices of {content['as_of']}"
    for name, price in content["models"].items():
        assert table.of(name) == (price["input"], price["output"])


def test_dated_and_prefixed_names_find_their_price():
    table = Prices({"gpt-4o-mini": (0.15, 0.6)})
    for name in ("gpt-4o-mini", "gpt-4o-mini-2024-07-18", "openai/gpt-4o-mini", "gpt-4o-mini@x"):
        assert table.of(name) == (0.15, 0.6)
    assert table.of("gpt-4o") is None
    assert table.cost("gpt-4o-mini", 1_000_000, 100_000) == pytest.approx(0.21)
    assert table.cost("gpt-4o-mini", None, 5) is None


def test_a_file_of_prices_can_be_edited_and_is_checked(tmp_path):
    file = tmp_path / "prices.json"
    file.write_text('{"as_of": "May", "models": {"mine": {"input": 1, "output": 2}}}')
    assert Prices(file).of("mine") == (1.0, 2.0)
    assert Prices(file).source == "the prices in prices.json of May"
    file.write_text('{"models": {"mine": {"input": -1, "output": 2}}}')
    with pytest.raises(ValueError, match="is no price"):
        Prices(file)
    with pytest.raises(ValueError, match="no such file"):
        Prices(tmp_path / "none.json")


def test_a_run_knows_what_it_cost(open_round):
    stored = open_round("feedback-quality")
    with Server() as server:
        run = judge(stored, Endpoint("scripted", server.url), "judge", prices=PRICES)
        again = judge(stored, Endpoint("scripted", server.url), "judge", prices=PRICES)
    assert run.spent == pytest.approx(0.04)
    assert run.summary().endswith("; 0.0400 USD by the prices given")
    assert (again.spent, again.requests, again.cost()) == (0.0, 0, "nothing spent")


def test_every_estimate_says_whose_prices_it_is_by_and_of_when(open_round):
    stored, source = open_round("feedback-quality"), Prices().source
    assert f"USD by {source}. Prices change" in str(dry_run(stored, "gpt-4o-mini"))
    assert "(--prices FILE, or prices=, takes others)" in str(dry_run(stored, "gpt-4o-mini"))
    unknown = dry_run(stored, "mine")
    assert unknown.cost is None
    assert f"Price unknown: {source} do not name mine." in str(unknown)
    assert "About 0.0" not in str(unknown)
    assert "scripted costs nothing: it is a stand-in" in str(dry_run(stored, "scripted"))


def test_tokens_that_were_not_counted_leave_a_cost_unknown(open_round):
    def uncounted(seen, attempt):
        play = says(reply_to(seen.body["messages"]))
        return Play(body=play.body.replace(b'"usage"', b'"nothing"'))

    with Server(uncounted) as server:
        run = judge(
            open_round("feedback-quality"), Endpoint("scripted", server.url), "judge", prices=PRICES
        )
    assert run.cost() == "cost of 2 replies unknown: no token counts came with them"


def test_what_an_item_cost_is_known_where_every_reply_was_priced(open_round):
    stored = open_round("feedback-quality")
    with Server() as server:
        judge(stored, Endpoint("scripted", server.url), "judge", prices=PRICES)
        judge(stored, Endpoint("mine", server.url), "unpriced")
    assert spent_per_item(stored) == {"judge": pytest.approx(0.02)}


def test_an_unknown_price_is_said_and_not_counted_as_nothing(open_round):
    with Server() as server:
        run = judge(open_round("feedback-quality"), Endpoint("scripted", server.url), "judge")
    assert run.unpriced == 2
    assert run.cost() == f"price unknown: {Prices().source} do not name the model"
    assert "USD" not in run.summary()


def test_a_budget_stops_a_run_in_time_and_a_larger_one_goes_on(open_round):
    stored = open_round("feedback-quality", feedback_items(12))
    with Server(delay=0.02) as server:
        endpoint = lambda: Endpoint("scripted", server.url, concurrency=4)  # noqa: E731
        run = judge(stored, endpoint(), "judge", prices=PRICES, budget=0.25)
        assert run.spent <= 0.25
        assert run.stopped == "the budget is used up"
        assert not run.complete
        done = len(run.outcomes)
        assert 0 < done < 12
        rest = judge(stored, endpoint(), "judge", prices=PRICES, budget=5)
        assert rest.counts == {"ok": 12}
        assert rest.requests == 12 - done


def test_a_budget_without_a_price_is_refused_before_anything_is_sent(open_round):
    with Server() as server:
        with pytest.raises(ValueError, match="No price is known for 'scripted'"):
            judge(open_round("feedback-quality"), Endpoint("scripted", server.url), "j", budget=1)
        assert server.seen == []
    with pytest.raises(ValueError, match="a budget of -1 is no amount"):
        Budget(-1, (1.0, 1.0), "m")


def test_requests_under_way_count_against_the_budget():
    budget = Budget(1.0, (1e6, 0.0), "m")  # a dollar a token
    assert budget.reserve(1, 0) == 1.0
    assert budget.reserve(1, 0) is None
    budget.settle(1.0, 0.25)
    assert budget.reserve(1, 0) is None
    assert Budget(None, None, "m").reserve(10**9, 10**9) == 0.0


def test_tokens_are_estimated_for_latin_and_chinese():
    assert tokens_of("a" * 400) == 100
    assert tokens_of("巴黎在法国") == 5


def test_progress_shows_cost_and_failures_on_a_terminal_and_nothing_in_a_pipe(open_round, capsys):
    stored = open_round("halo-support")
    judge(stored, lambda messages: "I must decline.", name="quiet")
    assert capsys.readouterr() == ("", "")
    judge(stored, lambda messages: "I must decline.", name="loud", progress=True)
    shown = capsys.readouterr().err
    assert "loud on r1" in shown
    assert "1 failed" in shown


def test_a_bar_grows_with_the_sheets_of_later_waves(open_round, capsys):
    run = judge(open_round("rag-questeval"), lambda messages: "no", name="n", progress=True)
    assert run.total == 3
    assert "3/3" in capsys.readouterr().err
    Progress(run, shown=False).step()


def test_a_request_that_never_left_the_machine_is_not_counted(open_round):
    with pytest.raises(JudgeStopped, match="needs a key") as stopped:
        judge(open_round("feedback-quality"), Endpoint("scripted"), "judge")
    assert stopped.value.run.requests == 0
    with Server(lambda seen, attempt: error(401, "no")) as server:
        with pytest.raises(JudgeStopped) as stopped:
            judge(open_round("feedback-quality", name="r2"), Endpoint("scripted", server.url), "j")
        assert stopped.value.run.requests == len(server.seen)
