"""Local models where torch is missing, and what is refused before any is loaded."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from raterbook.judges import LocalModel
from raterbook.judges.clients import model_of
from raterbook.judges.clients.local import best_device
from raterbook.judges.clients.model import Source
from raterbook.judges.judging import version_of


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_without_torch_the_extra_is_named(monkeypatch, missing):
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ValueError, match=r'pip install "raterbook\[local-models\]"'):
        model_of(Source(local="somewhere/model"))


def test_without_the_library_that_holds_replies_the_extra_is_named(monkeypatch):
    for there in ("torch", "transformers"):
        monkeypatch.setitem(sys.modules, there, ModuleType(there))
    monkeypatch.setitem(sys.modules, "llguidance", None)
    assert model_of(Source(local="somewhere/model"))
    with pytest.raises(ValueError, match=r'needs llguidance.*"raterbook\[local-models\]"'):
        model_of(Source(local="somewhere/model", constrained=True))


def test_a_loaded_model_comes_with_its_tokenizer(pairs):
    with pytest.raises(ValueError, match="needs its own tokenizer"):
        LocalModel(model=object())
    with pytest.raises(ValueError, match="by its path or id, or as a loaded model"):
        LocalModel()
    assert LocalModel("org/Tiny-Llama").name == "Tiny-Llama"


@pytest.mark.parametrize(
    ("cuda", "mps", "device"),
    [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu"), (False, None, "cpu")],
)
def test_the_device_is_cuda_else_mps_else_cpu(monkeypatch, cuda, mps, device):
    there = lambda one: SimpleNamespace(is_available=lambda: one)  # noqa: E731
    backends = SimpleNamespace(**({} if mps is None else {"mps": there(mps)}))
    torch = SimpleNamespace(cuda=there(cuda), backends=backends)
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert best_device() == device


def test_a_model_that_is_held_to_a_shape_is_another_rater():
    free, held = LocalModel("org/tiny"), LocalModel("org/tiny", constrained=True)
    assert version_of(free) != version_of(held)
    assert "constrained True" in version_of(held)
