"""Models as raters: throughput over real sockets, and the parser beside json.loads.

python -m tests.benchmarks.bench_judges
"""

import json
import math
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import raterbook.judges.replies as replies
from raterbook.files.items import read_triples
from raterbook.judges import Endpoint, judge
from raterbook.judges.replies import parse
from raterbook.judges.sheets import Sheet, groups
from raterbook.protocols import load
from raterbook.protocols.sentences import sentences
from raterbook.rounds import ItemTable, Store
from tests.hostile.replies import filled, worded
from tests.judges.conftest import feedback_items
from tests.judges.replies import GUIDE, dumped, flat, nested, reasons
from tests.judges.server import Server

ITEMS, SECONDS, AT_ONCE = 320, 1.0, 32
REPLIES = 5_000
SERVE = "--serve"  # the other process of `throughput`


def opened(folder, name, items):
    protocol = load("feedback-quality")
    table = ItemTable.from_records(protocol, feedback_items(items))
    return Store(Path(folder) / f"{name}.sqlite").open("r1", protocol, table)


def throughput(folder):
    """320 items of one second each, 32 at once, no ramp: ten seconds at best."""
    stored = opened(folder, "throughput", ITEMS)
    best = ITEMS * SECONDS / AT_ONCE
    with server_of_its_own() as url:
        model = Endpoint("scripted", url, concurrency=AT_ONCE)
        began = time.perf_counter()
        run = judge(stored, model, "judge")
        took = time.perf_counter() - began
    assert run.counts == {"ok": ITEMS}
    print(
        f"{ITEMS} items of {SECONDS:g} s, {AT_ONCE} at once: {took:.2f} s, "
        f"{took / best:.3f} × the best possible (at most 1.1)"
    )
    return took <= 1.1 * best


@contextmanager
def server_of_its_own():
    """In another process, as servers are."""
    words = ["-m", "tests.benchmarks.bench_judges", SERVE]
    process = subprocess.Popen(
        [sys.executable, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        url = process.stdout.readline().strip()
        if not url:
            raise RuntimeError("the server said nothing: its errors stand above")
        yield url
    finally:
        process.communicate()  # which ends its input, and with that the server


def serve():
    with Server(delay=SECONDS) as server:
        print(server.url, flush=True)
        sys.stdin.read()


def commits(folder):
    """How long one commit waits for this disk: what the run above is up against."""
    replies = opened(folder, "commits", 1).replies
    times = []
    for number in range(50):
        began = time.perf_counter()
        replies.put(f"key {number}", "x" * 1500)
        times.append(time.perf_counter() - began)
    print(f"one commit: {1000 * sorted(times)[25]:.1f} ms (median of 50)")
    return True


def limited(folder):
    """A server that takes 20 requests a second loses none of them."""
    stored = opened(folder, "limited", 120)
    with Server(rate=20) as server:
        began = time.perf_counter()
        endpoint = Endpoint("scripted", server.url, concurrency=AT_ONCE, backoff=0.1)
        run = judge(stored, endpoint, "judge")
        took = time.perf_counter() - began
        print(
            f"120 items, 20 a second allowed: {took:.1f} s, {run.counts.get('ok', 0)} answered, "
            f"{len(server.seen) - 120} refused and asked again"
        )
    return run.counts == {"ok": 120}


def parser():
    """5,000 replies of each kind against json.loads of the same answers."""
    protocol = load("feedback-quality")
    [group] = groups(protocol)
    sheet = Sheet(protocol, "r", "item", group.questions, {"text": "x"})
    kinds = {
        "JSON as asked for": dumped(nested()),
        "flat JSON": dumped(flat()),
        "fenced JSON": f"```json\n{dumped(nested())}\n```",
        "Markdown with reasons": f"{GUIDE}\n\n**Reasoning:**\n\n{reasons()}",
    }
    plain = dumped(nested())
    base, good = min(again(json.loads, plain) for _ in range(5)), True
    print(f"json.loads of {REPLIES:,} replies: {base:.3f} s of a processor")
    for name, text in kinds.items():
        assert parse(text, sheet).ok
        took = again(lambda text: parse(text, sheet), text)
        good = good and took <= 100 * base
        print(f"parser, {name}: {took:.3f} s, {took / base:.0f} × json.loads (at most 100)")
    return good


def again(work, text):
    began = time.process_time()
    for _ in range(REPLIES):
        work(text)
    return time.process_time() - began


# What takes a text apart: unit, what stands before it and behind; the worst that is known of each.
GROWTH = {
    "reply parser": (
        *((" ", "Tone: 5", "x"), ("(", '{"', '": 5}'), (" ", "```", ""), ('{"', "", "")),
        *(
            ('"tone": 3, ', "{", '"a": 4}'),
            ("a\n", "Reasoning: x\n", ""),
            ("| Tone | 3 |\n", "", ""),
        ),
        *(
            ("Tone: 5\nTone: 4\n", "", ""),
            ("Sentence 1\nTone: 5\n", "", ""),
            ("\u0301\u0323", "a", ""),
        ),
        *(('{"tone": 3}\n', "", ""), ("the tone is 3. ", "", ""), ("!", '{"tone": 3}\n', "")),
    ),
    "triples": ((" ", "a", "b"), (" ", "a", "→ b"), (" → ", "", ""), ("a → b → c\n", "", "")),
    "sentences": (
        *(("。）", "", ""), ("!\n\n", "A.\n\n", ""), (" ", "a", "b"), (" |", "|", "x")),
        *(("U.S. ", "", ""), ('"', "", ""), (".[1", "", ""), ("Abc def. ", "", "")),
    ),
    "words of a fault": (
        *((".", "sk-", ""), ("sk-", "", ""), ("<", "", ""), (" ", "authorization", "x")),
        *(("authorization: bearer ", "", ""), ("x" * 9 + " ", "", "")),
    ),
}
LEAST, MOST_GROWTH = 0.05, 1.15  # seconds that say something; exponent


def growth():
    """Exponents from 10,000 to 1,000,000 characters, the parser's cap lifted."""
    protocol = load("feedback-quality")
    [group] = groups(protocol)
    sheet = Sheet(protocol, "r", "item", group.questions, {"text": "x"})
    works = {
        "reply parser": lambda text: parse(text, sheet),
        "triples": read_triples,
        "sentences": sentences,
        "words of a fault": worded,
    }
    worst = {}
    with patch.object(replies, "LONGEST", 10**9):
        for name, shapes in GROWTH.items():
            found = [exponent(works[name], *shape) for shape in shapes]
            worst[name] = max(found)
            shown = ", ".join(f"{one:.2f}" for one in found)
            print(f"{name}, 1e4 to 1e6 characters: exponent {worst[name]:.2f} at most ({shown})")
    return max(worst.values()) <= MOST_GROWTH


def exponent(work, unit, before, after):
    """Between the two lengths; what takes no time worth measuring at either is linear."""
    times = []
    for length, tries in ((10_000, 5), (1_000_000, 2)):
        text = filled(unit, before, after, length)()
        times.append(max(LEAST / 1_000_000 * length, min(cpu(work, text) for _ in range(tries))))
    return math.log(times[1] / times[0], 100)


def cpu(work, text):
    began = time.process_time()
    work(text)
    return time.process_time() - began


def main():
    with tempfile.TemporaryDirectory() as folder:
        results = [parser(), growth(), commits(folder), throughput(folder), limited(folder)]
    raise SystemExit(0 if all(results) else 1)


if __name__ == "__main__":
    serve() if SERVE in sys.argv else main()
