"""Rounds of a few items for each protocol, and an environment without anybody's keys."""

import warnings
from functools import lru_cache
from pathlib import Path

import pandas as pd
import pytest

from raterbook.judges.clients import faults
from raterbook.protocols import load
from raterbook.rounds import ItemTable, PartRow, Store

ITEMS = {
    "feedback-quality": [
        {
            "id": "a",
            "text": "Nice map! But the second part is wrong.",
            "domain": "Geography",
            "criteria": "Explains how a delta forms.",
            "model": "atlas-2",
        },
        {
            "id": "b",
            "text": "Repeat it with eight plants.",
            "domain": "Biology",
            "criteria": "",
            "model": "birch-1",
        },
    ],
    "halo-support": [
        {
            "id": "s1",
            "question": "How long is the bridge?",
            "context": "It spans 20 metres.",
            "generated_answer": "About 20 metres.",
            "gold_answer": "GOLD-SECRET",
            "auto_label": "SUPPORTED",
            "human_label": "",
            "notes": "",
        },
    ],
    "neureg-qa": [
        {
            "qa_id": "q1",
            "question_type": "factual",
            "shot_type": "few_shot",
            "question": "Who pays?",
            "answer": "The fund.",
            "source_context": "The fund pays.",
            "source_kg": "1. fund → pays → fee",
            "model": "atlas-2",
        },
    ],
    "stem-sentences": [
        {
            "question_id": "q",
            "question": "How large?",
            "article_id": "x",
            "article": "We annotated 4,200 tweets.",
            "model": "birch-1",
            "response": "It had 4,200 tweets. It was fun.",
        },
    ],
    "rag-questeval": [
        {
            "id": "c",
            "question": "Tell me.",
            "ground_truth": "Paris is in France.",
            "generated": "Paris lies in Europe.",
            "model": "atlas-2",
        },
        {
            "id": "c",
            "question": "Tell me.",
            "ground_truth": "Paris is in France.",
            "generated": "No idea.",
            "model": "birch-1",
        },
    ],
    "ai-detection": [
        {
            "id": "t1",
            "text": "honestly the lab took ages",
            "label": "human",
            "prediction": "ai",
            "model": "detector-9",
        },
    ],
}
PARTS = {
    "rag-questeval": [
        PartRow("c", 1, "Where is Paris?", {"key_info": "France-KEY"}),
        PartRow("c", 2, "What is in France?", {"key_info": "Paris-KEY"}),
    ]
}


@lru_cache
def _loaded(protocol):
    return load(protocol)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch):
    for name in (*faults.NAMES, "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setattr(faults, "_used", set())


@pytest.fixture
def open_round(tmp_path):
    """A round of a protocol by name or file, with the items above or others."""

    def opened(protocol, items=None, name="r1", store=None, **how):
        asked = _loaded(str(protocol))
        records = ITEMS[protocol] if items is None else items
        table = ItemTable.from_records(asked, records)
        if isinstance(protocol, str) and "parts" not in how and protocol in PARTS:
            how["parts"] = PARTS[protocol]
        target = store or Store(tmp_path / f"{name}.sqlite")
        return target.open(name, asked, table, **how)

    return opened


@pytest.fixture
def offline(monkeypatch):
    """Hugging Face without a network, on one core."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("TRANSFORMERS_OFFLINE", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # torch's own, about Python
        import torch
        import transformers

        transformers.utils.logging.disable_progress_bar()
        torch.set_num_threads(1)
        yield


@pytest.fixture
def pairwise():
    return Path(__file__).parents[1] / "sixth" / "pairwise.yaml"


@pytest.fixture
def pairs(open_round, pairwise):
    """Two items of the pairwise protocol, whose prompts are short."""
    items = pd.read_csv(pairwise.with_name("items.csv"), dtype=str).to_dict("records")[:2]
    return open_round(pairwise, items)


def feedback_items(number):
    return [
        {
            "id": f"f{count}",
            "text": f"Feedback number {count}: do the second part again.",
            "domain": "Biology",
            "criteria": "",
            "model": f"m{count % 2}",
        }
        for count in range(number)
    ]
