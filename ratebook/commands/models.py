"""Models: as raters, and as writers of questions."""

from __future__ import annotations

from argparse import Namespace

from .place import chosen


def judge(given: Namespace) -> int:
    from .. import judges

    stored = chosen(given).stored
    how = {"replicates": given.replicates, "budget": given.budget, "prices": given.prices}
    if given.dry_run:
        print(judges.dry_run(stored, given.model, replicates=given.replicates))
    elif given.prompts_out:
        written = judges.write_prompts(stored, given.prompts_out)
        print(f"{given.prompts_out}: {written:,} prompts.")
    elif given.replies:
        print(judges.take_replies(stored, given.replies, name=given.model))
    elif given.local:
        print(judges.judge_local(stored, given.local, name=given.model, **how))
    else:
        run = judges.judge_endpoint(
            stored,
            given.model,
            given.base_url,
            key_env=given.key_env,
            concurrency=given.concurrency,
            **how,
        )
        print(run)
        return 0 if run.complete else 1
    return 0


def questions(given: Namespace) -> int:
    from ..judges import questeval

    stored = chosen(given).stored
    if given.cache:
        print(questeval.import_upstream(stored, given.cache, rater=given.rater or given.model))
        return 0
    done = questeval.questions(
        stored,
        model=given.model,
        local=given.local,
        base_url=given.base_url,
        rules=given.rules,
        steps=given.steps,
        most=given.most,
        language=given.language,
        prompts=given.prompts,
        budget=given.budget,
        concurrency=given.concurrency,
    )
    print(done)
    return 0 if done.complete else 1
