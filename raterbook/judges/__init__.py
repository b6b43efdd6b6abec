"""Models as raters: prompts and schemas from the protocol, clients, parsing, and the account of it.

For a script or notebook: `judge(stored, model, name=…)`, with a function, `Endpoint(…)` (anything
that speaks the OpenAI protocol) or `LocalModel(…)` (Hugging Face) as the model; `account(stored,
name)` reads a run's replies and failures again. One function per mode of the command line:

    judge_endpoint(stored, model, base_url=…, …)    judge ROUND --model NAME [--base-url URL]
    judge_local(stored, path, name=…, …)            … --local PATH
    dry_run(stored, model, …) -> DryRun             … --dry-run
    write_prompts(stored, file, …) -> int           … --prompts-out FILE
    take_replies(stored, file, name=…) -> JudgeRun  … --replies FILE
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raterbook.judges.by_hand import DryRun, dry_run, take_replies, write_prompts
    from raterbook.judges.clients.endpoint import Endpoint, judge_endpoint
    from raterbook.judges.clients.local import LocalModel, judge_local
    from raterbook.judges.evaluate.model import EvaluateModel
    from raterbook.judges.judging import JudgeStopped, account, judge, judge_async
    from raterbook.judges.outcome import JudgeRun

_ROOMS = {
    "DryRun": "by_hand",
    "dry_run": "by_hand",
    "take_replies": "by_hand",
    "write_prompts": "by_hand",
    "Endpoint": "clients.endpoint",
    "judge_endpoint": "clients.endpoint",
    "EvaluateModel": "evaluate.model",
    "JudgeStopped": "judging",
    "judge": "judging",
    "judge_async": "judging",
    "LocalModel": "clients.local",
    "judge_local": "clients.local",
    "JudgeRun": "outcome",
    "account": "judging",
}

__all__ = [
    "DryRun",
    "Endpoint",
    "EvaluateModel",
    "JudgeRun",
    "JudgeStopped",
    "LocalModel",
    "account",
    "dry_run",
    "judge",
    "judge_async",
    "judge_endpoint",
    "judge_local",
    "take_replies",
    "write_prompts",
]


def __getattr__(name: str) -> Any:
    # Loaded when used: no one who only rates waits for a client or for torch.
    if name in _ROOMS:
        import importlib

        return getattr(importlib.import_module(f"raterbook.judges.{_ROOMS[name]}"), name)
    raise AttributeError(f"module 'raterbook.judges' has no attribute {name!r}")
