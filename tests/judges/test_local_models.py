"""A model on this machine, through the real transformers pipeline, offline."""

import pandas as pd
import pytest

from raterbook.judges import EvaluateModel, JudgeStopped, LocalModel, judge
from raterbook.judges.by_hand import askings

from . import tiny
from .replies import GUIDE, SCORES

tiny.require_torch()

SECTION = {
    "feedback_generation": {
        "system": "You rate feedback for students.",
        "criteria": {"Tone": "Is it warm?"},
        "output_structure": {"Correctness": "score", "Overall Rating": "score"},
    }
}
FEEDBACK = [
    {"id": "a", "text": "Nice map!", "domain": "Geography"},
    {"id": "b", "text": "Repeat it with eight plants.", "domain": "Biology"},
]


def prompts_of(folder, stored):
    model, tokenizer = LocalModel(folder), tiny.tokenizer_of(folder)
    return [model._prompt(tokenizer, one.prompt.messages) for one in askings(stored)]


def test_an_untrained_model_answers_nonsense_which_is_recorded_as_such(offline, pairs, tmp_path):
    folder = tiny.make(tmp_path / "tiny-llama", [one.prompt.text for one in askings(pairs)])
    run = judge(pairs, LocalModel(folder, max_new_tokens=12))
    assert run.counts == {"parse_error": 2}
    assert run.rater == "tiny-llama"
    assert run.spent == 0
    frame = pairs.frame()
    assert set(frame["status"]) == {"skipped"}
    assert run.failures()["reply"].str.len().gt(0).all()
    [rater] = pairs.raters()
    assert str(tmp_path) not in rater.version


def test_an_overfitted_model_answers_and_its_answers_are_stored(offline, pairs, tmp_path):
    texts = [one.prompt.text for one in askings(pairs)]
    said = [
        '{"preference": {"reasoning": "It is safe.", "answer": "A"}, "reason": "Safe."}',
        '{"preference": {"reasoning": "It says why.", "answer": "B"}, "reason": "Why."}',
    ]
    folder = tiny.make(tmp_path / "tiny-llama", [*texts, *said], chat=True)
    assert tiny.overfit(folder, list(zip(prompts_of(folder, pairs), said))) < 0.1
    run = judge(pairs, LocalModel(folder, name="tiny", max_new_tokens=120, batch_size=2))
    assert run.counts == {"ok": 2}, run.failures().to_dict("records")
    answers = pairs.frame().query("question == 'preference'")
    assert list(answers["value"]) == ["A", "B"]
    reply = run.outcomes[0].reply
    assert reply.text == said[0]  # no prompt, no special tokens
    assert reply.finish == "stop"
    assert "transformers" in reply.sdk
    one_by_one = judge(pairs, LocalModel(folder, name="tiny-1", max_new_tokens=120, batch_size=1))
    assert [one.reply.text for one in one_by_one.outcomes] == said


def test_evaluate_model_runs_a_hugging_face_model_as_the_guide_does(offline, tmp_path, capsys):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    testset = pd.DataFrame(FEEDBACK)
    prompts = EvaluateModel(
        testset, "feedback_generation", few_shot_prompt=SECTION
    ).construct_data_messages()
    texts = ["\n\n".join(one.values()) + "\n\n" for one in prompts]
    folder = tiny.make(tmp_path / "tiny-llama", [*texts, GUIDE])

    def evaluated(tokens):
        test_val = EvaluateModel(
            model=AutoModelForCausalLM.from_pretrained(folder),
            tokenizer=AutoTokenizer.from_pretrained(folder),
            dataset=testset,
            model_type="feedback_generation",
            device="automap",
            few_shot_prompt=SECTION,
            max_new_tokens=tokens,
        )
        return test_val.model_based_evaluation()

    untrained = evaluated(12)
    assert list(untrained["status"]) == ["parse_error"] * 2
    assert untrained["overall"].isna().all()
    tiny.overfit(folder, [(text, GUIDE) for text in texts])
    trained = evaluated(300)
    assert list(trained["raw_response"]) == [GUIDE] * 2
    assert list(trained["status"]) == ["ok"] * 2
    for name, score in SCORES.items():
        assert set(trained[name.lower()]) == {score}
    assert set(trained["model"]) == {"tiny-llama"}
    assert "2 rows: 2 ok" in capsys.readouterr().out


def test_a_reply_that_fills_its_limit_is_known_to_be_cut(offline, tmp_path):
    folder = tiny.make(tmp_path / "tiny-llama", ["Say something long."])
    short, long = LocalModel(folder, max_new_tokens=5).answer(
        [[{"role": "user", "content": "Say."}], [{"role": "user", "content": "Say it all again."}]]
    )
    assert (short.finish, short.tokens_out) == ("length", 5)
    assert long.tokens_in > short.tokens_in


def test_a_model_that_is_not_there_stops_the_run_and_is_named(offline, pairs, tmp_path):
    with pytest.raises(JudgeStopped, match=r"The model .*nothing cannot be loaded \(.*saved model"):
        judge(pairs, LocalModel(tmp_path / "nothing", name="tiny"))
    assert pairs.raters() == []
