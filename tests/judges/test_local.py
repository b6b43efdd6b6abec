"""Local models where torch is missing, and what is refused before any is loaded."""

import builtins

import pytest

from ratebook.judges import LocalModel, judge_local


def test_without_torch_the_extra_is_named(pairs, monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name in ("torch", "transformers"):
            raise ImportError(f"No module named {name!r}")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ValueError, match=r"pip install 'ratebook\[local-models\]'"):
        judge_local(pairs, "somewhere/model")


def test_a_loaded_model_comes_with_its_tokenizer(pairs):
    with pytest.raises(ValueError, match="needs its own tokenizer"):
        LocalModel(model=object())
    with pytest.raises(ValueError, match="by its path or id, or as a loaded model"):
        LocalModel()
    assert LocalModel("org/Tiny-Llama").name == "Tiny-Llama"
