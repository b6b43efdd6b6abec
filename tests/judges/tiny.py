"""A tiny Llama made on the spot: real tokenizer, weights and pipeline, no download."""

import os

import pytest


def require_torch():
    """Skips, loudly, where one of the extra is missing; fails where CI demands them."""
    try:
        import llguidance  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        if os.environ.get("RATERBOOK_REQUIRE_TORCH"):
            pytest.fail(f"RATERBOOK_REQUIRE_TORCH is set, and {error}", pytrace=False)
        pytest.skip(
            f"LOCAL MODELS ARE NOT TESTED HERE: {error} (pip install 'raterbook[local-models]')",
            allow_module_level=True,
        )


def make(folder, corpus, chat=False):
    """Saves a Llama of some 140,000 parameters with a BPE tokenizer trained on `corpus`."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    torch.manual_seed(0)
    tokenizer = Tokenizer(models.BPE(unk_token=None))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<s>", "</s>"],
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(corpus, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")
    if chat:
        fast.chat_template = (
            "{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}[assistant] "
        )
    config = LlamaConfig(
        vocab_size=len(fast),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=8192,
        bos_token_id=fast.bos_token_id,
        eos_token_id=fast.eos_token_id,
    )
    model = LlamaForCausalLM(config)
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


def tokenizer_of(folder):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder)


def overfit(folder, pairs, steps=100):
    """Trains it until it answers each prompt with its reply, word for word; the last loss."""
    import torch
    from transformers import AutoModelForCausalLM

    torch.manual_seed(0)
    tokenizer = tokenizer_of(folder)
    model = AutoModelForCausalLM.from_pretrained(folder)
    examples = []
    for prompt, reply in pairs:
        start = tokenizer(prompt)["input_ids"]
        end = [*tokenizer(reply, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
        labels = torch.tensor([[-100] * len(start) + end])
        examples.append((torch.tensor([start + end]), labels))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    model.train()
    for _ in range(steps):
        total = 0.0
        for ids, labels in examples:
            loss = model(input_ids=ids, labels=labels).loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        if total / len(examples) < 0.004:
            break
    model.eval()
    model.save_pretrained(folder)
    return total / len(examples)
