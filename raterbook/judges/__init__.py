"""Models as raters: prompts and schemas from the protocol, clients, parsing, and the account of it.

For a script or notebook: `judge(stored, model, name=…)`, with a function, `Endpoint(…)` (anything
that speaks the OpenAI protocol), `LocalModel(…)` (Hugging Face) or “scripted” as the model;
`account(stored, name)` reads a run's replies and failures again. By hand, as on the command line:

    dry_run(stored, model, …) -> DryRun             … --dry-run
    write_prompts(stored, file, …) -> int           … --prompts-out FILE
    take_replies(stored, file, name=…) -> JudgeRun  … --replies FILE
"""

from raterbook.judges.by_hand import DryRun, dry_run, take_replies, write_prompts
from raterbook.judges.clients.endpoint import Endpoint
from raterbook.judges.clients.local import LocalModel
from raterbook.judges.evaluate import EvaluateModel
from raterbook.judges.judging import JudgeStopped, account, judge, judge_async
from raterbook.judges.outcome import JudgeRun

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
    "take_replies",
    "write_prompts",
]
