"""Who can be asked: a registry with a line for each kind of model, the stand-in among them."""

import json

import pytest

from raterbook import Workspace
from raterbook.cli import main
from raterbook.judges import judge
from raterbook.judges.clients import CLIENTS, model_of
from raterbook.judges.clients.model import Reply, Source
from raterbook.judges.clients.scripted import reply_to
from raterbook.judges.questions import questions
from raterbook.judges.trial import Trial
from raterbook.rounds import Store


class Oracle:
    """A client invented here: this class and its line in the registry are all it takes."""

    help = "--model oracle/NAME: says what it is asked to say"
    concurrency = 1

    def __init__(self, name):
        self.name = name

    @classmethod
    def fits(cls, source):
        return source.is_name and source.model.startswith("oracle/")

    @classmethod
    def of(cls, source):
        return cls(source.model.partition("/")[2])

    def identity(self):
        return {"model": self.name, "oracle": True}

    async def ask(self, messages, schema, replicate):
        return Reply(reply_to(messages, overall=4), cost=0.0)

    async def close(self):
        pass


@pytest.fixture
def workspace(open_round, tmp_path):
    stored = open_round("feedback-quality", store=Store(tmp_path / "data" / "raterbook.sqlite"))

    def run(*words):
        return main(["--workspace", str(tmp_path), *words])

    return stored, run


def test_a_client_of_ones_own_is_a_class_and_a_line(workspace, monkeypatch, capsys):
    monkeypatch.setitem(CLIENTS, "oracle", Oracle)
    stored, run = workspace
    assert run("judge", "r1", "--model", "oracle/delphi", "--rater", "pythia") == 0
    assert "2 of 2 asked of pythia, 2 ok" in capsys.readouterr().out
    [rater] = stored.raters()
    assert (rater.name, rater.version) == ("pythia", "delphi, oracle True, prompts 1")
    with pytest.raises(SystemExit):
        run("judge", "--help")
    assert Oracle.help in capsys.readouterr().out


def test_the_help_of_judge_names_every_client(capsys):
    with pytest.raises(SystemExit):
        main(["judge", "--help"])
    shown = capsys.readouterr().out
    for name, client in CLIENTS.items():
        assert f"{name:10}{client.help}" in shown


def test_the_stand_in_answers_alike_from_the_command_a_script_and_the_notebook(workspace, tmp_path):
    stored, run = workspace
    assert run("judge", "r1", "--model", "scripted") == 0
    Workspace(tmp_path).round("r1").judge("scripted", "from-a-script")
    trial = Trial(stored, "scripted", name="from-the-notebook")
    trial.run()
    frame = stored.frame()
    answers = {
        rater: list(rows.sort_values(["item", "question"])["value"])
        for rater, rows in frame.groupby("rater")
    }
    assert sorted(answers) == ["from-a-script", "from-the-notebook", "scripted"]
    assert answers["scripted"] == answers["from-a-script"] == answers["from-the-notebook"]
    versions = {rater.version for rater in stored.raters()}
    assert versions == {"scripted, stand-in that fills in the form by fixed rules, prompts 1"}


@pytest.mark.parametrize(
    "protocol", ["halo-support", "neureg-qa", "stem-sentences", "rag-questeval", "ai-detection"]
)
def test_the_stand_in_fills_in_every_form(protocol, open_round):
    run = judge(open_round(protocol), "scripted")
    assert run.complete
    assert not run.failed
    assert run.cost() == "nothing spent"


def test_the_stand_in_writes_and_answers_questions(open_round):
    stored = open_round("rag-questeval", parts=None)
    done = questions(stored, "scripted")
    assert done.complete, done.failures()
    assert done.written
    frame = stored.frame()
    assert set(frame["question"]) == {"keep", "reference_answer", "generated_answer"}
    assert "Paris is in France." in set(frame["value"])


def test_what_is_asked_is_the_one_that_was_named():
    assert model_of(Source("scripted")).identity()["model"] == "scripted"
    assert model_of(Source("scripted", base_url="http://h/v1")).identity()["base_url"]
    assert model_of(Source(lambda text: "", "me")).name == "me"
    with pytest.raises(TypeError, match="int cannot be asked: give a function"):
        model_of(Source(7))


def test_the_stand_in_says_the_same_every_time(open_round):
    messages = [{"role": "system", "content": ""}, {"role": "user", "content": "no form at all"}]
    assert json.loads(reply_to(messages)) == {"answers": []}
