"""How many requests at once: without a ramp, narrower after a refusal, wider again after that."""

import asyncio

import pytest

from raterbook.judges.clients import faults
from raterbook.judges.clients.pace import Pace

from .server import Server


def test_all_places_are_there_from_the_start():
    async def most_at_once():
        pace, now, most = Pace(8), 0, 0

        async def one():
            nonlocal now, most
            async with pace.turn():
                now += 1
                most = max(most, now)
                await asyncio.sleep(0.01)
                now -= 1

        await asyncio.gather(*(one() for _ in range(40)))
        return most

    assert asyncio.run(most_at_once()) == 8


def test_refusals_of_one_moment_narrow_the_gate_once_and_successes_widen_it():
    async def limits():
        pace = Pace(10)
        async with pace.turn() as first, pace.turn() as second:
            pace.too_many(first)
            pace.too_many(second)
        narrowed = pace.limit
        for _ in range(200):
            pace.went_well()
        return narrowed, pace.limit

    narrowed, after = asyncio.run(limits())
    assert narrowed == pytest.approx(6.0)
    assert after == 10.0


def test_the_gate_never_closes():
    async def limit():
        pace = Pace(4)
        for _ in range(50):
            async with pace.turn() as turn:
                pace.too_many(turn)
        return pace.limit

    assert asyncio.run(limit()) == 1.0


def test_a_cancelled_request_gives_its_place_back():
    async def passes():
        pace = Pace(1)
        async with pace.turn():
            waiting = [asyncio.create_task(pace._enter()) for _ in range(3)]
            await asyncio.sleep(0)
            for one in waiting:
                one.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
        async with asyncio.timeout(1):
            async with pace.turn():
                return True

    assert asyncio.run(passes())


def test_requests_go_out_together_over_sockets(open_round):
    from raterbook.judges import Endpoint, judge

    from .conftest import feedback_items

    stored = open_round("feedback-quality", feedback_items(24))
    with Server(together=12) as server:
        run = judge(stored, Endpoint("scripted", server.url, concurrency=12), "judge")
        assert server.most_at_once == 12
    assert run.counts == {"ok": 24}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "2"}, 2),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "soon"}, None),
        ({}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
    ],
)
def test_a_wait_is_read_from_the_headers(headers, seconds):
    assert faults.wait_asked(headers) == seconds


@pytest.mark.parametrize(
    ("message", "parameter"),
    [
        (
            "'response_format' of type 'json_schema' is not supported with this model",
            "response_format",
        ),
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_tokens"),
        ("Unsupported value: 'temperature' does not support 0 with this model", "temperature"),
        ("Unrecognized request argument supplied: seed", "seed"),
        ("max_tokens is too large: 99999", None),
        ("maximum context length is 8192 tokens", None),
    ],
)
def test_what_a_server_objects_to_is_found_in_its_message(message, parameter):
    assert faults.unsupported(message) == parameter
