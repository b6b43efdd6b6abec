"""Whoever replies: an endpoint on a real socket, a local model, an async function."""

import re

import pytest

from raterbook.judges import LocalModel
from raterbook.judges.clients import CLIENTS
from raterbook.judges.clients.model import Reply
from raterbook.judges.questions import questions

SAMPLE = ("s1", "reference one", {"m1": "text one"})
ASKED = {"reference one": ["Who came?"]}
SAID = {"reference one": {"Who came?": "Ana"}, "text one": {"Who came?": "Ben"}}


@pytest.fixture
def server(scripted, serving):
    with serving(scripted(ASKED, SAID)) as listening:
        yield listening


def test_a_model_behind_an_address_does_the_round_with_cost_and_schema(opened, server, monkeypatch):
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-one")
    stored = opened(SAMPLE)
    done = questions(
        stored, "tiny-1", base_url=server.url, prices={"tiny-1": (1.0, 2.0)}, concurrency=2
    )
    assert done.complete
    assert done.requests == 4
    assert done.spent == pytest.approx(4 * (1000 * 1.0 + 200 * 2.0) / 1e6)
    assert set(done.frame()["served"]) == {"scripted-1"}
    schemas = [seen.body["response_format"]["json_schema"]["schema"] for seen in server.seen]
    keys = [next(iter(schema["properties"])) for schema in schemas]
    assert keys == ["questions", "decisions", "answers", "answers"]
    assert stored.raters()[0].version.startswith("tiny-1, base_url http://127.0.0.1")


def test_a_local_model_is_loaded_by_its_path_and_named_by_its_last_part(
    opened, scripted, monkeypatch
):
    model, seen = scripted(ASKED, SAID), []

    class Loaded:
        fits = LocalModel.fits

        @classmethod
        def of(cls, source):
            seen.append((source.local, source.temperature))
            model = cls()
            model.name, model.concurrency = LocalModel(source.local, name=source.name).name, 2
            return model

        def identity(self):
            return {"model": self.name, "local": True}

        async def ask(self, messages, schema, replicate):
            return Reply(model(messages))

        async def close(self):
            seen.append("closed")

    monkeypatch.setitem(CLIENTS, "local", Loaded)
    stored = opened(SAMPLE)
    assert questions(stored, local="models/small-llama").complete
    assert seen == [("models/small-llama", 0.0), "closed"]
    assert stored.raters()[0].name == "small-llama"


def test_functions_of_messages_of_one_text_and_async_ones_all_serve(opened, scripted):
    model = scripted(ASKED, SAID)

    def of_text(prompt: str) -> str:
        system, user = prompt.split("\n\nReference:\n" if "Reference:\n" in prompt else "\n\nText:")
        assert re.search("Reply with one JSON object", system)
        return model([{"content": system}, {"content": user}])

    async def of_messages(messages):
        return model(messages)

    for n, ask in enumerate((model, of_text, of_messages)):
        assert questions(opened(SAMPLE), f"model-{n}", ask).complete


def test_it_runs_inside_an_event_loop_as_in_a_notebook(opened, scripted):
    import asyncio

    stored = opened(SAMPLE)

    async def cell():
        return questions(stored, "model-1", scripted(ASKED, SAID))

    assert asyncio.run(cell()).complete
