"""A local model held to the reply's shape, through the real transformers pipeline, offline."""

import json

import pytest

from raterbook.judges import LocalModel, account, judge
from raterbook.judges.by_hand import askings

from . import tiny
from .conftest import ITEMS

tiny.require_torch()
pytestmark = pytest.mark.usefixtures("offline")

LONG = {"type": "object", "properties": {"note": {"type": "string"}, "why": {"type": "string"}}}


@pytest.mark.parametrize("protocol", ITEMS)
def test_every_reply_of_an_untrained_model_can_be_read(protocol, open_round, tmp_path):
    stored = open_round(protocol)
    folder = tiny.make(tmp_path / "tiny-llama", [one.prompt.text for one in askings(stored)])
    run = judge(stored, LocalModel(folder, max_new_tokens=100, constrained=True))
    assert run.outcomes
    assert run.counts == {"ok": run.total}, run.failures().to_dict("records")
    for one in run.outcomes:
        assert one.reply.finish == "stop"
        assert one.reply.retries == 0  # at the first time of asking
        json.loads(one.reply.text)
    assert run.answers > 0
    [rater] = [one for one in stored.raters() if one.kind == "model"]
    assert "constrained True" in rater.version
    assert account(stored, "tiny-llama").counts == run.counts


def test_a_model_that_knows_its_answers_gives_the_same_ones(pairs, tmp_path):
    texts = [one.prompt.text for one in askings(pairs)]
    said = [
        '{"preference": {"reasoning": "It is safe.", "answer": "A"}, "reason": "Safe."}',
        '{"preference": {"reasoning": "It says why.", "answer": "B"}, "reason": "Why."}',
    ]
    folder = tiny.make(tmp_path / "tiny-llama", [*texts, *said], chat=True)
    prompts = [
        LocalModel(folder)._prompt(tiny.tokenizer_of(folder), one.prompt.messages)
        for one in askings(pairs)
    ]
    tiny.overfit(folder, list(zip(prompts, said)))
    held = LocalModel(folder, name="tiny", max_new_tokens=120, constrained=True)
    run = judge(pairs, held, "tiny")
    assert [one.reply.text for one in run.outcomes] == said


def test_answers_beyond_the_alphabet_of_the_model_are_given_all_the_same(tmp_path):
    folder = tiny.make(tmp_path / "tiny-llama", ["Say something long."])
    model = LocalModel(folder, max_new_tokens=60, constrained=True)
    [reply] = model.answer([[{"role": "user", "content": "Say."}]], [{"enum": ["支持", "无证据"]}])
    assert json.loads(reply.text) in ("支持", "无证据")
    assert reply.finish == "stop"


def test_many_parts_have_room_whatever_the_limit(open_round, tmp_path):
    response = " ".join(f"It had {number} tweets." for number in range(25))
    item = {**ITEMS["stem-sentences"][0], "response": response}
    stored = open_round("stem-sentences", [item])
    folder = tiny.make(tmp_path / "tiny-llama", [one.prompt.text for one in askings(stored)])
    run = judge(stored, LocalModel(folder, max_new_tokens=50, constrained=True))
    assert run.counts == {"ok": 1}
    assert len(stored.frame().query("question == 'accuracy'")) == 25


def test_free_texts_share_the_tokens_there_are(tmp_path):
    folder = tiny.make(tmp_path / "tiny-llama", ["Say something long."])
    model = LocalModel(folder, max_new_tokens=200, constrained=True)
    talk = [[{"role": "user", "content": "Say."}], [{"role": "user", "content": "Say it again."}]]
    for reply in model.answer(talk, [LONG, LONG]):
        assert reply.finish == "stop"
        assert reply.tokens_out < 200
        note, why = json.loads(reply.text).values()
        assert note
        assert why


def test_a_list_of_any_length_is_left_to_the_model(tmp_path):
    folder = tiny.make(tmp_path / "tiny-llama", ["Say something."])
    model = LocalModel(folder, max_new_tokens=6, constrained=True)
    several = {"type": "array", "items": {"type": "string"}}
    [reply] = model.answer([[{"role": "user", "content": "Say."}]], [several])
    assert reply.finish == "length"


def test_a_model_without_an_end_of_text_is_refused_with_the_remedy(tmp_path):
    from raterbook.judges.clients.constrained import Tokens

    tokenizer = tiny.tokenizer_of(tiny.make(tmp_path / "tiny-llama", ["Say."]))
    tokenizer.eos_token = None
    with pytest.raises(ValueError, match=r"no token for the end of a text.*leave constrained out"):
        Tokens(tokenizer)


def test_a_tokenizer_of_letters_and_not_of_bytes_spells_what_it_can():
    from tokenizers import Tokenizer, decoders, models
    from transformers import PreTrainedTokenizerFast

    from raterbook.judges.clients.constrained import Row, Tokens, shape_of

    signs = ["<unk>", "</s>", *'abcdefghijklmnopqrstuvwxyz {}":,0123456789\\-']
    letters = Tokenizer(
        models.BPE({sign: at for at, sign in enumerate(signs)}, [], unk_token="<unk>")
    )
    letters.decoder = decoders.Fuse()
    tokens = Tokens(PreTrainedTokenizerFast(tokenizer_object=letters, eos_token="</s>"))
    row, said = Row(shape_of({"enum": ["无"]}, tokens), tokens, 20), []
    while (token := int(row.allowed().nonzero()[0])) != tokens.end:
        row.take(token)
        said.append(signs[token])
    assert "".join(said) == json.dumps("无")
