"""A small round of RAGQuestEval, and a model that answers from a table."""

import functools
import html
import json
import re
import warnings

import pytest

from raterbook.judges.clients.scripted import reply_to
from raterbook.numbers.compute import summary
from raterbook.protocols import load
from raterbook.reporting import Report
from raterbook.rounds import Event, ItemTable, PartRow, Store
from raterbook.rounds.store import database
from tests.judges.server import Server, says

PROTOCOL = load("rag-questeval")


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """Opens a round from (id, reference, {model: generated text}) tuples."""
    # No power fails in these tests, so nothing waits for the disk.
    quick = functools.partial(database.engine_of, synchronous="OFF")
    monkeypatch.setattr(database, "engine_of", quick)
    store = Store(tmp_path / "raterbook.sqlite")

    def make(*samples, parts=None, **how):
        name = f"quest-{len(store.rounds()) + 1}"
        records = [
            {"id": id, "ground_truth": reference, "generated": text, "model": model}
            for id, reference, texts in samples
            for model, text in texts.items()
        ]
        table = ItemTable.from_records(PROTOCOL, records)
        return store.open(name, PROTOCOL, table, parts=parts, **how)

    yield make
    store.dispose()


@pytest.fixture
def answered(opened):
    """Answers by rater to numbered questions: {rater: {(item or case, question): [by part]}}."""

    def make(given, asked=3, cases=("s1",), systems=("m1",), kinds=None):
        samples = [(case, f"reference {case}", {m: f"text {m}" for m in systems}) for case in cases]
        parts = [
            PartRow(case, number, f"What is fact {number}?")
            for case in cases
            for number in range(1, asked + 1)
        ]
        stored = opened(*samples, parts=parts)
        for rater, answers in given.items():
            stored.add_rater(rater, kind=(kinds or {}).get(rater, "human"))
            events = [
                Event(None, subject, question, value, part)
                for (subject, question), values in answers.items()
                for part, value in enumerate(values, start=1)
                if value is not None
            ]
            assert all(ack.ok for ack in stored.save(rater, events))
        return stored

    return make


class Scripted:
    """Questions by reference, answers by text and question; everything asked is kept."""

    def __init__(self, questions=None, answers=None, drop=()):
        self.questions, self.answers, self.drop = questions or {}, answers or {}, drop
        self.asked = []

    def __call__(self, messages):
        system, user = messages[0]["content"], messages[1]["content"]
        step = step_of(system)
        self.asked.append((step, user))
        text = re.search(r"~~~\n(.*?)\n~~~", user, re.DOTALL)[1]
        if step == "write":
            found = [{"key_info": "", "question": one} for one in self.questions[text]]
            return json.dumps({"questions": found})
        listed = {int(n): q for n, q in re.findall(r"(?m)^(\d+)\. (.+)$", user)}
        if step == "check":
            decided = [
                {"number": n, "decision": "drop" if q in self.drop else "keep"}
                for n, q in listed.items()
            ]
            return json.dumps({"decisions": decided})
        said = self.answers[text]
        return json.dumps(
            {"answers": [{"number": n, "answer": said[q]} for n, q in listed.items()]},
            ensure_ascii=False,
        )

    def steps(self):
        return [step for step, _ in self.asked]


def step_of(system):
    for step, key in (("write", "questions"), ("check", "decisions"), ("answer", "answers")):
        if f'{{"{key}":' in system:
            return step
    raise AssertionError(system)


@pytest.fixture
def scripted():
    return Scripted


@pytest.fixture
def serving():
    """Puts a model behind a port of this machine; a judge's sheets are filled in with `fixed`."""

    def serve(model, delay=0.0, **fixed):
        def reply(seen, attempt):
            messages = seen.body["messages"]
            is_sheet = "## Output" in messages[0]["content"]
            play = says(reply_to(messages, **fixed) if is_sheet else model(messages))
            play.delay = delay
            return play

        return Server(reply)

    return serve


@pytest.fixture
def page():
    """The section as a reader has it: text without markup."""

    def read(stored, **parameters):
        section = Report(stored, **parameters).coverage()
        text = html.unescape(re.sub(r"<[^>]+>", " ", section.html))
        return " ".join(text.replace("\u00a0", " ").split())

    return read


@pytest.fixture
def numbers():
    """The protocol's own measures of a round, by statistic, aggregate and tokeniser."""

    def compute(stored, **more):
        measures = [
            {**measure.to_dict(), "by": [], **more}
            for measure in stored.protocol.measures
            if "generated_answer" in str(measure.to_dict().get("question"))
        ]
        questions = {
            one.id: {"type": one.type, "level": one.level, "scale": list(one.values or ())}
            for one in stored.protocol.questions
        }
        rows = summary(stored.frame(), measures, questions, interval=None)
        return {(row["statistic"], row["aggregate"]): row for row in rows}

    return compute


@pytest.fixture(scope="session")
def jieba():
    """jieba, whose first import warns of escapes in its patterns and of pkg_resources."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "invalid escape sequence", SyntaxWarning)
        warnings.filterwarnings("ignore", "invalid escape sequence", DeprecationWarning)
        warnings.filterwarnings("ignore", "pkg_resources is deprecated")
        return pytest.importorskip("jieba")
