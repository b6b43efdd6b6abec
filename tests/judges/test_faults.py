"""What can go wrong between us and a server, on real sockets; none of it becomes a number."""

import email.utils
import gc
import json
import time
import warnings

import pytest

from raterbook.judges import Endpoint, JudgeStopped, judge
from raterbook.judges.clients import endpoint as endpoint_client
from raterbook.judges.clients.scripted import reply_to

from .server import Play, Server, completion, error, says

HTML = b"<html><body>Bad gateway</body></html>"
SHORT = "- **Correctness**: 5\n- **Clarity**: 4\n"


def good(seen):
    return json.loads(reply_to(seen.body["messages"]))


def changed(seen, **values):
    content = good(seen)
    for name, value in values.items():
        content[name] = {"reasoning": "It is so.", "score": value}
    return says(json.dumps(content))


def without(seen, name):
    content = good(seen)
    del content[name]
    return says(json.dumps(content))


def once(play):
    """The fault first, and a good reply to the second request."""

    def script(seen, attempt):
        made = play(seen) if callable(play) else play
        return made if attempt == 0 else None

    return script


def always(play):
    return lambda seen, attempt: play(seen) if callable(play) else play


def date_in(seconds):
    return email.utils.formatdate(time.time() + seconds, usegmt=True)


# Faults that pass: the item is answered in the end. (play, requests for one item)
RECOVERED = {
    "429 with Retry-After": (error(429, "slow down", {"retry-after": "0.2"}), 2),
    "429 without Retry-After": (error(429, "slow down"), 2),
    "429 with a date": (lambda seen: error(429, "later", {"retry-after": date_in(1)}), 2),
    "429 with milliseconds": (error(429, "soon", {"retry-after-ms": "120"}), 2),
    "429 with a broken Retry-After": (error(429, "soon", {"retry-after": "tomorrow"}), 2),
    "500": (error(500, "boom"), 2),
    "502 with a web page": (Play(502, HTML, {"content-type": "text/html"}), 2),
    "503 with Retry-After": (error(503, "overloaded", {"retry-after": "0.1"}), 2),
    "504": (error(504, "gateway"), 2),
    "529": (error(529, "overloaded"), 2),
    "408": (error(408, "slow client"), 2),
    "no reply in time": (Play(delay=30), 2),
    "a reply drop by drop": (Play(body=completion("x"), drip=0.2), 2),
    "a dropped connection": (Play(drop=True), 2),
    "a body shorter than promised": (Play(body=completion("x"), keep_back=50), 2),
    "a truncated stream": (Play(body=completion("x")[:40], chunked=True), 2),
    "bytes that are no HTTP": (Play(garbage=True), 2),
    "200 without a body": (Play(), 2),
    "200 with broken JSON": (Play(body=completion("x")[:-20]), 2),
    "200 with a web page": (Play(body=HTML, headers={"content-type": "text/html"}), 2),
    "200 with a JSON list": (Play(body=b"[1, 2]"), 2),
    "200 without choices": (Play(body=b'{"choices": []}'), 2),
    "200 with an error in it": (error(200, "upstream failed", code=502), 2),
    "200 with a 429 in it": (error(200, "too fast", code=429), 2),
    "an empty message": (says(""), 2),
    "a message of null": (says(None), 2),
    "a reply cut off": (says('{"correctness": {"reasoning": "4", "sc', finish="length"), 2),
    "another JSON": (says('{"mood": "good", "stars": 4}'), 2),
    "a score out of range": (lambda seen: changed(seen, clarity=6), 2),
    "a score between two levels": (lambda seen: changed(seen, clarity=4.5), 2),
    "a missing criterion": (lambda seen: without(seen, "tone"), 2),
    "half of the Markdown": (says(SHORT), 2),
    "the prompt echoed": (
        lambda seen: says("\n\n".join(one["content"] for one in seen.body["messages"])),
        2,
    ),
    "no schema here": (lambda seen: error(400, "response_format json_schema is not supported"), 2),
    "max_tokens unknown": (
        lambda seen: error(
            400, "Unsupported parameter: 'max_tokens' is not supported", param="max_tokens"
        ),
        2,
    ),
    "temperature fixed": (
        lambda seen: error(
            400, "Unsupported value: 'temperature' does not support 0", param="temperature"
        ),
        2,
    ),
    "400 without a reason": (error(400, "bad request"), 2),
    "a message in pieces": (
        lambda seen: says([{"type": "text", "text": json.dumps(good(seen))}]),
        1,
    ),
    "a fenced reply": (lambda seen: says(f"Sure!\n```json\n{json.dumps(good(seen))}\n```"), 1),
}

# Faults that stay: recorded as what they are.
RECORDED = {
    "a refusal in its own field": (
        lambda seen: says(None, refusal="I cannot rate this."),
        "refused",
        1,
    ),
    "a refusal in words": (says("I'm sorry, but I can't help with that."), "refused", 1),
    "the server's content filter": (says("", finish="content_filter"), "refused", 1),
    "a request the server filters": (
        error(400, "filtered by our content management policy", code="content_filter"),
        "refused",
        1,
    ),
    "prose, twice": (says("The feedback is quite good."), "parse_error", 2),
    "cut off, twice": (says('{"correctness": {"reas', finish="length"), "parse_error", 2),
    "out of range, twice": (lambda seen: changed(seen, clarity=6), "partial", 2),
    "a criterion missing, twice": (lambda seen: without(seen, "tone"), "partial", 2),
    "too long for the model": (error(413, "request too large"), "api_error", 1),
    "500 for ever": (error(500, "boom"), "api_error", 3),
    "web pages for ever": (Play(body=HTML), "api_error", 3),
}

STOPPED = {
    "a wrong key": (error(401, "Incorrect API key provided"), "did not accept the key"),
    "a forbidden model": (error(403, "Project has no access"), "does not allow this"),
    "an unknown model": (error(404, "The model does not exist"), "knows no such model"),
    "an exhausted quota": (
        error(429, "You exceeded your current quota", code="insufficient_quota"),
        "quota or credit is used up",
    ),
    "no credit": (error(402, "Payment required"), "quota or credit is used up"),
    "a credit that is too low": (
        error(400, "Your credit balance is too low"),
        "quota or credit is used up",
    ),
    "a wait of an hour": (error(429, "later", {"retry-after": "3600"}), "asks to wait 3600 s"),
}


def endpoint(server, **more):
    settings = {"timeout": 1.0, "tries": 3, "backoff": 0.02, "concurrency": 4, **more}
    return Endpoint("scripted", server.url, **settings)


def test_there_are_at_least_24_kinds_of_faults():
    assert len(RECOVERED) + len(RECORDED) + len(STOPPED) >= 24


@pytest.mark.parametrize("name", RECOVERED)
def test_a_fault_that_passes_costs_no_answer(name, open_round):
    play, requests = RECOVERED[name]
    stored = open_round("feedback-quality", items=None)
    with Server(once(play)) as server:
        run = judge(stored, endpoint(server), "judge", items=["a/atlas-2"])
        assert run.counts == {"ok": 1}, run.failures().to_dict("records")
        assert len(server.seen) == requests
        expected = good(server.seen[0])
    frame = stored.frame()
    scores = frame[frame["status"] == "answered"].set_index("question")["number"]
    for criterion in ("correctness", "clarity", "tone", "actionability", "coherence", "emotion"):
        assert scores[criterion] == expected[criterion]["score"]


@pytest.mark.parametrize(
    "name",
    [
        "500",
        "502 with a web page",
        "no reply in time",
        "a reply drop by drop",
        "a dropped connection",
        "a body shorter than promised",
        "a truncated stream",
        "bytes that are no HTTP",
        "200 without a body",
        "200 with broken JSON",
        "200 without choices",
    ],
)
def test_the_same_fault_costs_the_answer_where_nothing_is_tried_again(name, open_round):
    """The control of the recoveries above: the faults are real ones."""
    play, _ = RECOVERED[name]
    stored = open_round("feedback-quality")
    with Server(once(play)) as server:
        run = judge(stored, endpoint(server, tries=1), "judge", items=["a/atlas-2"])
        assert run.counts == {"api_error": 1}
        assert len(server.seen) == 1
    assert stored.frame().empty


@pytest.mark.parametrize("name", RECORDED)
def test_a_fault_that_stays_is_recorded_and_becomes_no_number(name, open_round):
    play, status, requests = RECORDED[name]
    stored = open_round("feedback-quality")
    with Server(always(play)) as server:
        run = judge(stored, endpoint(server), "judge", items=["a/atlas-2"])
        assert run.counts == {status: 1}, run.frame().to_dict("records")
        assert len(server.seen) == requests
    assert run.failures().loc[0, "problem"]
    frame = stored.frame()
    assert not (frame["status"] == "answered").any()
    if status != "api_error":
        assert set(frame["status"]) == {"skipped"}


@pytest.mark.parametrize("name", STOPPED)
def test_a_fault_that_nothing_can_cure_stops_the_run_at_once(name, open_round):
    play, words = STOPPED[name]
    stored = open_round("feedback-quality")
    with Server(always(play)) as server:
        with pytest.raises(JudgeStopped, match=words) as stopped:
            judge(stored, endpoint(server, concurrency=1), "judge")
        assert len(server.seen) == 1
    assert stopped.value.run.stopped
    assert stored.frame().empty


def test_a_server_that_is_not_there_is_named(open_round):
    with Server() as server:
        address = server.url
    items = [{"id": f"{n}", "text": f"t{n}", "model": "m"} for n in range(30)]
    stored = open_round("feedback-quality", items)
    model = Endpoint("scripted", address, tries=2, backoff=0.01, concurrency=4)
    with pytest.raises(JudgeStopped, match="10 requests in a row came to nothing"):
        judge(stored, model, "judge")


def test_the_format_that_worked_is_remembered_for_the_run(open_round):
    def no_formats(seen, attempt):
        if seen.form != "text":
            return error(400, f"response_format {seen.form} is not supported by this model")
        return None

    stored = open_round("feedback-quality")
    with Server(no_formats) as server:
        run = judge(stored, endpoint(server, concurrency=1), "judge")
        forms = [seen.form for seen in server.seen]
    assert run.counts == {"ok": 2}
    assert forms == ["json_schema", "json_object", "text", "text"]


def test_the_schema_that_is_sent_allows_what_the_protocol_allows(open_round):
    import jsonschema

    stored = open_round("feedback-quality")
    with Server() as server:
        judge(stored, endpoint(server), "judge")
        sent = server.seen[0]
    schema = sent.body["response_format"]["json_schema"]["schema"]
    reply = good(sent)
    jsonschema.validate(reply, schema)
    reply["clarity"]["score"] = 6
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(reply, schema)


def test_too_many_requests_slow_the_run_down_and_lose_nothing(open_round):
    from .conftest import feedback_items

    stored = open_round("feedback-quality", feedback_items(24))
    with Server(rate=6) as server:  # so few a second that the busiest machine asks for more
        run = judge(stored, endpoint(server, concurrency=24), "judge")
        refused = len(server.seen) - 24
    assert run.counts == {"ok": 24}
    assert refused > 0


@pytest.mark.parametrize("closes_itself", [True, False])
def test_when_a_run_is_over_every_connection_it_made_is_closed(
    open_round, monkeypatch, closes_itself
):
    """Also where the library forgets one, as it may when a request is given up; the control is the
    library alone."""
    openai = endpoint_client.client_library()

    async def forgetful(self):
        pass

    monkeypatch.setattr(openai.DefaultAsyncHttpxClient, "aclose", forgetful)
    if not closes_itself:
        plain = lambda openai, timeout: openai.DefaultAsyncHttpxClient(timeout=timeout)  # noqa: E731
        monkeypatch.setattr(endpoint_client, "sender", plain)
    stored = open_round("feedback-quality")
    gc.disable()  # which would close what nobody holds, and say so
    try:
        with Server() as server:
            assert judge(stored, endpoint(server), "judge").counts == {"ok": 2}
            if closes_itself:
                assert server.settled() == 2
            else:
                with pytest.raises(AssertionError, match="connections are open"):
                    server.settled(seconds=0.3)
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()
        gc.enable()


def test_a_wait_the_server_asks_for_holds_back_everybody(open_round):
    from .conftest import feedback_items

    def busy_at_first(seen, attempt):
        return error(429, "wait", {"retry-after": "0.5"}) if len(server.seen) == 1 else None

    stored = open_round("feedback-quality", feedback_items(6))
    with Server(busy_at_first, delay=0.05) as server:
        judge(stored, endpoint(server, concurrency=2), "judge")
        times = [seen.at for seen in server.seen]
    assert sum(at - times[0] < 0.45 for at in times) <= 2
