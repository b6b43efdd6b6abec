"""What the form costs in a real JupyterLab, beside a bare widget message and a bare commit.

    python -m tests.benchmarks.bench_form

Key → committed row and key → “Saved” on the page over 200 answers; with each of them one widget
message there and back and one commit of one row, in the same kernel, page and folder, each of the
three first in its turn. Whoever drives the browser keeps still until all is over: a rater's machine
runs no such driver, and here it would take the cores that the answer needs.

The same again on a PostgreSQL server, by the rater's own login and with every policy, where there
is one; both stores flush to the disk before an answer is acknowledged.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from raterbook.protocols import load
from raterbook.rounds import ItemTable, Store
from raterbook.rounds.store import team
from tests.browser.conftest import ARGUMENTS, CHROMIUM, open_round
from tests.browser.desk import Desk, write_notebook
from tests.browser.lab import Lab
from tests.server import Cluster, programs

_INSTRUMENTS = """
import json, pathlib, sqlite3, time
import anywidget
from IPython.display import display
from raterbook.rating import sitting

log, commits = [], []
_save = sitting.Sitting.save
def save(self, events):
    events = list(events)
    answer = _save(self, events)
    log.extend(time.time() for event in events if "mark" not in event)
    return answer
sitting.Sitting.save = save

bare = sqlite3.connect("bare.sqlite", check_same_thread=False, isolation_level=None)
mode = sqlite3.connect("data/raterbook.sqlite").execute("PRAGMA journal_mode").fetchone()[0]
bare.execute(f"PRAGMA journal_mode = {mode}")  # as safe as the store's own commits
bare.execute("PRAGMA synchronous = EXTRA")
bare.execute("CREATE TABLE IF NOT EXISTS row (id INTEGER PRIMARY KEY, text TEXT)")

class Echo(anywidget.AnyWidget):
    _esm = "export default { render({ model }) { window.__echo = model; } }"
    def __init__(self):
        super().__init__()
        self.on_msg(self.heard)
    def heard(self, _, content, __):
        came = time.time()
        if content["kind"] == "echo":
            return self.send({"came": came})
        start = time.perf_counter()
        bare.execute("BEGIN IMMEDIATE")
        bare.execute("INSERT INTO row (text) VALUES ('an answer')")
        bare.execute("COMMIT")
        commits.append(time.perf_counter() - start)
        self.send({"came": came})
display(Echo())
"""
_WATCH = """() => {
  const offsets = Array.from({ length: 500 }, () => Date.now() + 0.5 - performance.now());
  const offset = offsets.sort((a, b) => a - b)[250];
  window.__keys = []; window.__saved = []; window.__echoes = [];
  document.addEventListener('keydown', (event) => {
    if (/^[0-9]$/.test(event.key)) window.__keys.push(offset + event.timeStamp);
  }, true);
  new MutationObserver(() => {
    if (document.querySelector('.rb-saved').dataset.state === 'saved')
      window.__saved.push(offset + performance.now());
  }).observe(document.querySelector('.rb-saved'), { attributeFilter: ['data-state'] });
  window.__ask = (kind) => new Promise((done) => {
    const sent = performance.now();
    const heard = (content) => {
      const back = performance.now() - sent;
      const there = content.came * 1000 - offset - sent;
      if (kind === 'echo') window.__echoes.push({ there, back });
      window.__echo.off('msg:custom', heard);
      done();
    };
    window.__echo.on('msg:custom', heard);
    window.__echo.send({ kind });
  });
}"""
_LOG = "pathlib.Path('log.json').write_text(json.dumps({'log': log, 'commits': commits}))"


_RESTART = """async () => {
  const context = window.jupyterapp.shell.currentWidget.sessionContext;
  await context.session.kernel.restart();
  await context.session.kernel.info;
}"""
_OPEN = """async () => {
  await window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs');
  const start = performance.now();
  window.jupyterapp.commands.execute('notebook:run-all-cells');
  while (!document.querySelector('.rb-card')) await new Promise(requestAnimationFrame);
  return (performance.now() - start) / 1000;
}"""


def quantiles(values):
    """p50 and p95."""
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return cuts[49], cuts[94]


def neureg(count, length):
    source = "The account is credited monthly and lapses after two years. " * (length // 60 + 1)
    lines = "\n".join(source[start : start + 400] for start in range(0, length, 400))
    return [
        {
            "qa_id": f"q{n}",
            "question_type": "factual",
            "shot_type": "zero_shot",
            "question": "When does it lapse?",
            "answer": "After two years.",
            "model": "m",
            "source_context": lines[:length],
            "source_kg": "1. account → lapses after → two years",
        }
        for n in range(count)
    ]


KINDS = ("answer", "echo", "commit")
QUIET = 0.05  # seconds that the driver leaves an answer or a message to itself


class Bench:
    def __init__(self, lab, context, folder):
        self.lab, self.context, self.folder = lab, context, folder

    def desk(self, name, protocol, rows, address=None):
        """Ana's notebook; with an address her round is there, and the file's stays as it is."""
        folder = self.folder / name
        folder.mkdir()
        open_round(folder, protocol, rows)
        there = f"os.environ['RATERBOOK_DB'] = {address!r}" if address else ""
        notebook = write_notebook(folder, "round-01", "ana", before_all=there)
        content = json.loads(notebook.read_text())
        cell = {**content["cells"][1], "id": "instruments", "source": [_INSTRUMENTS]}
        content["cells"].insert(2, cell)
        notebook.write_text(json.dumps(content))
        return Desk(self.lab, self.context.new_page(), notebook)

    def answers(self, name, length, count, address=None):
        """Milliseconds of every answer: to the committed row, to “Saved”, and what is bare."""
        desk = self.desk(name, "neureg-qa", neureg(count // 5, length), address).open()
        desk.page.wait_for_function("window.__echo !== undefined")
        desk.page.evaluate(_WATCH)

        def ask(kind):
            if kind == "answer":
                desk.page.keyboard.down("4")
                time.sleep(QUIET)
                desk.page.keyboard.up("4")
                desk.wait_for_state("saved")
            else:
                desk.page.evaluate(f"void (window.__asked = window.__ask('{kind}'))")
                time.sleep(QUIET)
                desk.page.evaluate("window.__asked")

        for item in range(1, count // 5 + 1):
            desk.wait_for_position(item)
            for number in range(5 * item, 5 * item + 5):
                # Whatever comes first after a pause is slower; each of the three is as often.
                for kind in (*KINDS[number % 3 :], *KINDS[: number % 3]):
                    ask(kind)
            desk.press("Control+Enter")
            desk.page.wait_for_timeout(150)
        desk.execute(_LOG)
        desk.page.wait_for_timeout(1000)
        keys = desk.page.evaluate("window.__keys")
        saved = desk.page.evaluate("window.__saved")
        echoes = desk.page.evaluate("window.__echoes")
        kernel = json.loads((desk.folder / "log.json").read_text())
        desk.page.close()
        assert len(keys) == len(kernel["log"]) == count, (len(keys), len(kernel["log"]))
        return {
            "key → committed row": [
                1000 * row - key for key, row in zip(keys, kernel["log"], strict=True)
            ],
            "key → “Saved”": [min(s for s in saved if s > key) - key for key in keys],
            "bare message, there": [echo["there"] for echo in echoes],
            "bare message, there and back": [echo["back"] for echo in echoes],
            "bare commit": [1000 * seconds for seconds in kernel["commits"]],
        }

    def opening(self, counts):
        """Seconds from running the notebook in a fresh kernel to the first question, by count."""
        desks = {}
        for count in counts:
            rows = [
                {
                    "id": f"s{n}",
                    "question": f"Question {n}?",
                    "context": "It is so. " * 40,
                    "generated_answer": "It is so.",
                    "model": "m",
                }
                for n in range(count)
            ]
            desks[count] = self.desk(f"open-{count}", "halo-support", rows).open(run=False)
        found = {count: [] for count in counts}
        for _ in range(5):
            for count, desk in desks.items():
                desk.page.bring_to_front()
                desk.page.evaluate(_RESTART)
                desk.page.wait_for_timeout(1500)
                found[count].append(desk.page.evaluate(_OPEN))
        for desk in desks.values():
            desk.page.close()
        return {count: statistics.median(seconds) for count, seconds in found.items()}

    def on_server(self, length, count):
        """The answers again, on a server that is made for them."""
        server = Cluster(flushes=True)
        try:
            store = Store(server.empty("study"))
            protocol = load("neureg-qa")
            items = ItemTable.from_records(protocol, neureg(count // 5, length))
            store.open("round-01", protocol, items, raters=["ana"])
            team.init(store)
            team.add(store, "ana", "rater")
            store.dispose()
            found = self.answers("server", length, count, server.address("study", "ana"))
            ((kept,),) = server.sql("SELECT count(*) FROM raterbook.answer_event", "study")
            assert kept == count, kept  # there, and not in the file beside it
            return found
        finally:
            self.lab.end_kernels()
            server.remove()


def main() -> int:
    failures = 0

    def promise(text, value, limit):
        nonlocal failures
        held = value <= limit
        failures += not held
        print(f"  {'holds' if held else 'MISSED'}: {text}: {value:.2f} (at most {limit})")

    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = Path(temporary)
        lab = Lab(folder).start()
        context = playwright.chromium.launch_persistent_context(
            folder / ".browser",
            executable_path=str(CHROMIUM),
            headless=True,
            args=ARGUMENTS,
            viewport={"width": 1400, "height": 900},
        )
        try:
            bench = Bench(lab, context, folder)
            short = bench.answers("short", 2_000, 200)
            for name, values in short.items():
                print("  {:30} p50 {:6.1f} ms   p95 {:6.1f} ms".format(name, *quantiles(values)))
            p95 = {name: quantiles(values)[1] for name, values in short.items()}
            bare = p95["bare commit"]
            promise(
                "key → committed row, p95 over bare message there + bare commit",
                p95["key → committed row"] / (p95["bare message, there"] + bare),
                1.5,
            )
            promise(
                "key → “Saved”, p95 over bare message there and back + bare commit",
                p95["key → “Saved”"] / (p95["bare message, there and back"] + bare),
                1.5,
            )
            lab.end_kernels()
            long = bench.answers("long", 200_000, 100)
            for name in ("key → committed row", "key → “Saved”"):
                promise(
                    f"{name}, p95 with a source of 200,000 characters over 2,000",
                    quantiles(long[name])[1] / p95[name],
                    1.5,
                )
            lab.end_kernels()
            if programs():
                row = "key → committed row"
                there = quantiles(bench.on_server(2_000, 200)[row])
                print("  {:30} p50 {:6.1f} ms   p95 {:6.1f} ms".format("the same, server", *there))
                promise(f"{row}, p95 on a server over a file", there[1] / p95[row], 2)
            seconds = bench.opening([24, 200, 10_000])
            for count, median in seconds.items():
                print(f"  open → form with {count:,} items: {median:.2f} s")
            promise("open → form with 200 items over 24", seconds[200] / seconds[24], 1.1)
            promise("open → form with 10,000 items over 24", seconds[10_000] / seconds[24], 1.3)
        finally:
            context.close()
            lab.stop()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
