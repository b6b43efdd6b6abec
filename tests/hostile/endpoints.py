"""Servers: bodies without end, errors of any shape, other addresses, waits that are none."""

import asyncio
import email.utils
import gzip
import json
import os
import tracemalloc
import zlib
from pathlib import Path
from unittest.mock import patch

import openai

from raterbook.judges import Endpoint, JudgeStopped, judge
from raterbook.judges.clients import endpoint as endpoints
from raterbook.judges.clients.model import Reply, Stop
from raterbook.judges.money import Prices
from raterbook.protocols import load
from raterbook.rounds import ItemTable, Store
from tests.judges.conftest import ITEMS
from tests.judges.server import Play, Server, completion, error

from .probe import Probe

MESSAGES = [{"role": "system", "content": "Rate."}, {"role": "user", "content": "A text."}]
QUICK = {"timeout": 10.0, "tries": 1, "backoff": 0.0, "concurrency": 1}


def answer_of(server, **how):
    """The reply to one question, or what was raised."""

    async def asked():
        model = Endpoint("m", server.url, **{**QUICK, **how})
        try:
            return await model.ask(MESSAGES, {"type": "object"}, 1)
        finally:
            await model.close()

    try:
        return asyncio.run(asked())
    except Exception as raised:
        return raised


def unkept(reply):
    """Why this cannot be stored as the reply of a request; None where it can."""
    if not isinstance(reply, Reply | Stop):
        return f"raised {type(reply).__name__}: {str(reply)[:80]}"
    said = str(reply) if isinstance(reply, Stop) else f"{reply.text}{json.dumps(reply.detail())}"
    if not isinstance(reply, Stop):
        try:
            kept = json.dumps(reply.detail(), ensure_ascii=False).encode() + reply.text.encode()
        except (UnicodeEncodeError, RecursionError, TypeError) as problem:
            return f"cannot be stored: {problem}"
        said = kept.decode()
    return f"keeps {len(said):,} characters" if len(said) > 2**20 else None


# Bodies larger than any reply, as they are sent or once they are unpacked.

HUGE = completion("x" * (8 * 2**20))
MEGABYTES = 32  # more than any body may take, unpacked or not
PACKED = gzip.compress(b"0" * (64 * 2**20))
BODIES = {
    "eight megabytes": Play(body=HUGE),
    "eight megabytes in a chunk": Play(body=HUGE, chunked=True),
    "64 megabytes of gzip": Play(body=PACKED, headers={"content-encoding": "gzip"}),
    "64 megabytes of deflate": Play(
        body=zlib.compress(b"0" * (64 * 2**20)), headers={"content-encoding": "deflate"}
    ),
    "an error of 64 megabytes of gzip": Play(400, PACKED, {"content-encoding": "gzip"}),
    "an error of eight megabytes": Play(500, HUGE),
    "gzip in gzip": Play(body=gzip.compress(PACKED), headers={"content-encoding": "gzip, gzip"}),
    "a packing nobody asked for": Play(body=completion("x"), headers={"content-encoding": "br"}),
    "gzip that is none": Play(body=completion("x"), headers={"content-encoding": "gzip"}),
    "gzip cut short": Play(
        body=gzip.compress(completion("x" * 999))[:40], headers={"content-encoding": "gzip"}
    ),
}


def unread(play):
    def attack(folder):
        tracemalloc.start()
        with Server(lambda seen, attempt: play) as server:
            reply = answer_of(server)
        most = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        if most > MEGABYTES:
            return f"{most:.0f} MB for a body of {len(play.body):,} bytes"
        if isinstance(reply, Reply) and reply.error:
            return unkept(reply)
        return f"taken as {str(reply)[:80]}"

    return attack


# Errors and replies of any shape: recorded, and storable.

DEEP = b"[" * 50_000 + b"]" * 50_000
SOME = b"[" * 700 + b"]" * 700
NESTED = b'{"error":' * 50_000 + b"1" + b"}" * 50_000


def choice(**fields):
    body = {"id": "i", "model": "m", "choices": [{"message": {"content": "SUPPORTED"}}]}
    return json.dumps({**body, **fields}).encode()


SHAPES = {
    "a list nested deeply": Play(400, DEEP),
    "an object nested deeply": Play(400, NESTED),
    "a message nested deeply": Play(400, b'{"error": {"message": ' + SOME + b"}}"),
    "a code nested deeply": Play(400, b'{"error": {"code": ' + SOME + b', "message": "m"}}'),
    "an error that is a list": Play(400, b'{"error": [1, 2]}'),
    "an error that is a number": Play(500, b'{"error": 7}'),
    "a body that is a number": Play(500, b"7"),
    "a body of null": Play(500, b"null"),
    "a text of JSON": Play(400, b'"no"'),
    "a number of 5,000 digits": Play(400, b'{"error": {"code": ' + b"9" * 5000 + b"}}"),
    "not a number": Play(400, b'{"error": {"code": NaN, "message": Infinity}}'),
    "half a character": Play(400, b'{"error": {"message": "\\ud800"}}'),
    "a character of nothing": Play(400, b'{"error": {"message": "a\\u0000b"}}'),
    "no UTF-8": Play(400, b'{"error": {"message": "\xff\xfe\xc3"}}'),
    "UTF-16": Play(400, '{"error": "x"}'.encode("utf-16")),
    "nothing": Play(500, b""),
    "300,000 brackets": Play(500, b"<" * 300_000),
    "a page in a message": Play(400, json.dumps({"error": "<a " * 99_999}).encode()),
    "200 nested deeply": Play(body=DEEP),
    "200 with an error nested deeply": Play(body=b'{"error": ' + SOME + b"}"),
    "choices nested deeply": Play(body=b'{"choices": ' + SOME + b"}"),
    "a key of dots for a model": Play(body=choice(model="sk-" + "." * 60_000)),
    "half a character for a model": Play(body=choice(model="\ud800")),
    "half a character for an id": Play(body=choice(id="\udfff")),
    "half a character as the reply": Play(
        body=b'{"choices": [{"message": {"content": "\\ud800"}}]}'
    ),
    "tokens without end": Play(body=choice(usage={"prompt_tokens": 10**400})),
    "tokens below nothing": Play(body=choice(usage={"prompt_tokens": -5})),
    "tokens that are a list": Play(body=choice(usage=[1, 2])),
    "a refusal nested deeply": Play(
        body=b'{"choices": [{"message": {"content": null, "refusal": ' + SOME + b"}}]}"
    ),
    "a refusal of half a character": Play(
        body=b'{"choices": [{"message": {"content": null, "refusal": "\\ud800"}}]}'
    ),
    "pieces that are none": Play(body=choice(choices=[{"message": {"content": [1, None, []]}}])),
    "an id of a megabyte": Play(body=choice(id="i" * 2**20)),
}


def kept(play):
    def attack(folder):
        with Server(lambda seen, attempt: play) as server:
            return unkept(answer_of(server))

    return attack


# Other addresses, and what is meant for one account alone.


def sent_on(status):
    def attack(folder):
        with Server() as other:
            there = {"location": f"{other.url}/chat/completions"}
            with Server(lambda seen, attempt: Play(status, b"{}", there)) as server:
                answer_of(server)
            return f"{len(other.seen)} prompts went to another host" if other.seen else None

    return attack


def told_another(variable, header, value="acme-7"):
    def attack(folder):
        with patch.dict(os.environ, {variable: value}), Server() as server:
            answer_of(server)
            sent = ["acme-7" in seen.headers.get(header, "") for seen in server.seen]
        return f"{header} went to {server.url}" if any(sent) or not sent else None

    return attack


# Waits: the same request again and again is a storm.


def dated(seconds):
    return email.utils.formatdate(1_000_000_000 + seconds, usegmt=True)


WAITS = {
    "a date that is over": {"retry-after": dated(0)},
    "the year 1": {"retry-after": "Mon, 01 Jan 0001 00:00:00 GMT"},
    "less than nothing": {"retry-after": "-5"},
    "nothing": {"retry-after": "0"},
    "no number": {"retry-after": "nan"},
    "next to nothing": {"retry-after": "1e-9"},
    "milliseconds below nothing": {"retry-after-ms": "-1"},
    "no milliseconds": {"retry-after-ms": "0"},
    "milliseconds that are no number": {"retry-after-ms": "nan"},
    "milliseconds without end": {"retry-after-ms": "inf"},
    "a wait without end": {"retry-after": "1e999"},
    "a text of a thousand letters": {"retry-after": "x" * 1000},
}
FEW = 8  # in three tenths of a second, with waits that double from a fiftieth


def stormed(headers, status=429, longest_wait=0.3):
    def attack(folder):
        with Server(lambda seen, attempt: error(status, "busy", headers)) as server:
            answer_of(server, longest_wait=longest_wait, tries=10**6 if status == 429 else FEW)
            asked = len(server.seen)
        return f"asked {asked} times" if asked > FEW else None

    return attack


def waited_for_years(folder):
    with Server(lambda seen, attempt: error(429, "busy", {"retry-after": "9" * 12})) as server:
        reply = answer_of(server)
    return None if isinstance(reply, Stop) and "asks to wait" in str(reply) else str(reply)


# A whole run: what one reply is must not cost the next.


def run_of(script, folder):
    protocol = load("feedback-quality")
    table = ItemTable.from_records(protocol, ITEMS["feedback-quality"])
    stored = Store(folder / "x.sqlite").open("r1", protocol, table)
    with Server(script) as server:
        model = Endpoint("scripted", server.url, **{**QUICK, "tries": 2})
        try:
            return judge(stored, model, "judge")
        except JudgeStopped as stopped:
            return stopped.run


def first_broken(play):
    """The first item's requests come to nothing; the second one's are as ever."""

    def attack(folder):
        broken = lambda seen, attempt: play if "Nice map" in seen.user else None  # noqa: E731
        run = run_of(broken, folder)
        return None if run.counts == {"api_error": 1, "ok": 1} else str(run)

    return attack


RUNS = {
    "an error nested deeply": Play(500, NESTED),
    "a message of half a character": Play(500, b'{"error": {"message": "\\ud800"}}'),
    "a body without end": BODIES["64 megabytes of gzip"],
    "a redirect": Play(307, b"{}", {"location": "http://127.0.0.1:9/v1"}),
}
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"


def on_the_terminal(status):
    def attack(folder):
        run = run_of(lambda seen, attempt: error(status, f"no {ESCAPES}"), folder)
        found = [sign for sign in ESCAPES if not sign.isprintable() and sign in str(run)]
        return f"{found!r} in what is printed" if found or "no " not in str(run) else None

    return attack


def refused_prices(source):
    def attack(folder):
        try:
            Prices(source)
        except ValueError as problem:
            return None if len(str(problem)) < 300 else f"{len(str(problem)):,} characters"
        return "taken"

    return attack


def deep(depth=100_000):
    found = []
    for _ in range(depth):
        found = [found]
    return found


PRICES = {
    "a price nested deeply": {"m": deep()},
    "prices of a number nested deeply": {"m": {"input": deep(), "output": 1}},
    "a price of a megabyte": {"m": "1" * 2**20},
    "a price of numbers without end": {"m": [10**400, 1]},
    "a model's name of a megabyte": {"m" * 2**20: 5},
}

PROBES = [
    *(Probe(f"a body: {name}", unread(play), "X9") for name, play in BODIES.items()),
    *(Probe(f"a shape: {name}", kept(play), "X9") for name, play in SHAPES.items()),
    *(
        Probe(f"sent on with {status}", sent_on(status), "X9")
        for status in (301, 302, 303, 307, 308)
    ),
    Probe("an organisation", told_another("OPENAI_ORG_ID", "openai-organization"), "X9"),
    Probe("a project", told_another("OPENAI_PROJECT_ID", "openai-project"), "X9"),
    Probe(
        "a header of one's own",
        told_another("OPENAI_CUSTOM_HEADERS", "x-secret", "X-Secret: acme-7\nB: c"),
        "X9",
    ),
    Probe(
        "a key among one's own headers",
        told_another("OPENAI_CUSTOM_HEADERS", "authorization", "Authorization: Bearer acme-7"),
        "X9",
    ),
    *(Probe(f"a wait: {name}", stormed(headers), "X9") for name, headers in WAITS.items()),
    Probe("a wait at an error of the server", stormed({"retry-after": "-1"}, 503), "X9"),
    Probe("a wait of years", waited_for_years, "X9"),
    *(Probe(f"a run: {name}", first_broken(play), "X9") for name, play in RUNS.items()),
    *(Probe(f"on the terminal: {status}", on_the_terminal(status), "X11") for status in (413, 401)),
    *(Probe(f"prices: {name}", refused_prices(source), "X9") for name, source in PRICES.items()),
]


# The same with a guard taken away.


def plain(openai, timeout):
    return openai.DefaultAsyncHttpxClient(timeout=timeout)


def without_unsetting(attack):
    def attacked(folder):
        with patch.object(endpoints, "_unsent", lambda *_: {}):
            return attack(folder)

    return attacked


def with_plain_client(attack):
    def attacked(folder):
        with patch.object(endpoints, "sender", plain):
            return attack(folder)

    return attacked


def without_least_wait(folder):
    with patch.object(endpoints, "LEAST_WAIT", 0.0):
        return stormed({"retry-after": "-5"}, longest_wait=3.0)(folder)  # time for more than a few


def without_cap(folder):
    with patch.object(endpoints, "LARGEST", 2**40):
        return unread(BODIES["eight megabytes"])(folder)


def without_whole_characters(folder):
    with patch("raterbook.judges.clients.faults.whole", lambda text: text):
        return kept(SHAPES["half a character for a model"])(folder)


def without_printable(folder):
    with patch("raterbook.judges.outcome.printable", str):
        return on_the_terminal(413)(folder)


# Early 2.x of the library reads no headers of one's own: nothing to take away there.
HEADERS = any(
    "OPENAI_CUSTOM_HEADERS" in path.read_text(encoding="utf-8")
    for pattern in ("lib/*.py", "**/*.py")
    for path in Path(openai.__file__).parent.glob(pattern)
)
CONTROLS = [
    Probe("a client that follows redirects", with_plain_client(sent_on(307))),
    Probe(
        "a client that tells everybody its organisation",
        without_unsetting(told_another("OPENAI_ORG_ID", "openai-organization")),
    ),
    *(
        Probe(
            "a client that tells everybody one's own headers",
            without_unsetting(
                told_another("OPENAI_CUSTOM_HEADERS", "x-secret", "X-Secret: acme-7"),
            ),
        )
        for _ in range(HEADERS)
    ),
    Probe("a body without a cap", without_cap),
    Probe("waits as a server asks for them", without_least_wait),
    Probe("words with half characters", without_whole_characters),
    Probe("words as a server sends them", without_printable),
]
