"""Small rounds in a store of their own, and the form's side of the conversation."""

import pytest

from raterbook.protocols import Protocol, load, parse
from raterbook.rounds import ItemTable, PartRow, Store

HALO = [
    {
        "id": f"s{n}",
        "question": f"How high is tower {n}?",
        "context": f"Tower {n} is {n}0 m high.",
        "generated_answer": f"{n}0 metres.",
        "gold_answer": f"gold-{n}",
        "auto_label": "SUPPORTED",
        "human_label": "",
        "notes": "",
        "model": f"hidden-model-{n}",
    }
    for n in range(1, 5)
]
QUESTEVAL = [
    {
        "id": "c1",
        "ground_truth": "The tower was lit in 1862.",
        "generated": f"Lit in {year}.",
        "question": "When?",
        "model": model,
    }
    for model, year in (("hidden-a", 1862), ("hidden-b", 1900))
]
QUESTIONS = [
    PartRow("c1", n, text, {"key_info": f"hidden-fact-{n}"})
    for n, text in ((1, "When was it lit?"), (2, "What was lit?"))
]


@pytest.fixture
def open_round(place, tmp_path):
    stores = []

    def open_round(protocol, rows, parts=None, raters=("ana",), folder="one", **how):
        asked = load(protocol) if isinstance(protocol, str) and "\n" not in protocol else protocol
        asked = asked if isinstance(asked, Protocol) else parse(asked, source="test.yaml")
        (tmp_path / folder).mkdir(exist_ok=True)
        store = Store(place(f"{folder}/raterbook"))
        stores.append(store)
        table = ItemTable.from_records(asked, rows)
        return store.open("round-01", asked, table, raters=raters, parts=parts, **how)

    yield open_round
    for store in stores:
        store.dispose()


@pytest.fixture
def halo(open_round):
    return open_round("halo-support", HALO)


@pytest.fixture
def questeval(open_round):
    return open_round("rag-questeval", QUESTEVAL, QUESTIONS)


class Browser:
    """Says what a browser says, and keeps what it hears."""

    def __init__(self, form):
        self.form, self.heard, self.count = form, [], 0

    def say(self, kind, **more):
        answer = self.form.answer({"kind": kind, "tab": "t", **more})
        self.heard.append(answer)
        return answer

    def answer(self, subject, question, value, part=0, **more):
        return self.save([self.event(subject, question, value, part, **more)])[0]

    def event(self, subject, question, value, part=0, status="answered", **more):
        self.count += 1
        return {
            "event_id": f"e{self.count}",
            "subject": subject,
            "question": question,
            "value": value,
            "part": part,
            "status": status,
            "reason": None,
            "lamport": self.count,
            "client_time": "2026-01-01T00:00:00.000Z",
            "seconds": 1.5,
            **more,
        }

    def mark(self, kind, subject, reason=None):
        return self.save([self.marking(kind, subject, reason)])[0]

    def marking(self, kind, subject, reason=None):
        self.count += 1
        return {
            "event_id": f"m{self.count}",
            "mark": kind,
            "subject": subject,
            "reason": reason,
            "lamport": self.count,
            "client_time": "2026-01-01T00:00:00.000Z",
        }

    def save(self, events):
        return self.say("save", events=events)["acks"]


@pytest.fixture
def browser():
    from raterbook.rating import Form

    forms = []

    def browser(round, rater="ana"):
        forms.append(Form(round, rater))
        return Browser(forms[-1])

    yield browser
    for form in forms:
        form.close()
