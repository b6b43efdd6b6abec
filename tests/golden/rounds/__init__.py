"""Five made-up rounds, built with a seed through the public doors; their numbers stand beside.

Each is small and hard in its own way: `crowded`, `two-systems`, `models-only`, `adjudicated`,
`gappy`. Together they ask for every statistic there is.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from raterbook import Workspace
from raterbook.workspace import WorkspaceRound

HERE = Path(__file__).parent
NAMES = ("crowded", "two-systems", "models-only", "adjudicated", "gappy")


def built(name: str, folder: Path) -> WorkspaceRound:
    """One of the five, in a workspace of its own in this folder."""
    rng = random.Random(f"ratebook {name}")  # the seed they were made with
    return BUILDERS[name](Workspace(folder), rng)


def opened(workspace: Workspace, name: str, items: list[dict], **more) -> WorkspaceRound:
    return workspace.open(name, HERE / f"{name}.yaml", pd.DataFrame(items), **more)


def add(round: WorkspaceRound, answers: list[dict], **how) -> None:
    round.add(pd.DataFrame(answers), **how)


def near(rng: random.Random, true: float, spread: float, low: int = 1, high: int = 5) -> int:
    return min(max(round(rng.gauss(true, spread)), low), high)


def other(rng: random.Random, true: str, options: list[str], wrong: float) -> str:
    """The true label, or with this chance another one."""
    return rng.choice([one for one in options if one != true]) if rng.random() < wrong else true


def crowded(workspace: Workspace, rng: random.Random) -> WorkspaceRound:
    """Sixty items with three of forty raters each, the eager ones oftener."""
    topics = ("law", "art", "sea", "soil")
    items = [
        {"id": f"i{n:02d}", "topic": topics[n % 7 % 4], "text": f"Text {n}."} for n in range(60)
    ]
    raters = [f"w{n:02d}" for n in range(40)]
    lean = {rater: rng.gauss(0, 0.4) for rater in raters}
    answers = []
    for n, item in enumerate(items):
        clarity, depth = rng.uniform(1.5, 4.8), rng.uniform(1.2, 4.0)
        verdict = rng.choice(["good", "good", "poor", "unsure"])
        eager = rng.sample(raters, 40, counts=[1] * 40)
        for rater in sorted(eager[:3] if n % 4 else [*eager[:2], raters[n % 3]], key=raters.index):
            x, y = (near(rng, true + lean[rater], 0.7) for true in (clarity, depth))
            said = {
                "clarity": x,
                "depth": y,
                "verdict": other(rng, verdict, ["good", "poor", "unsure"], 0.25),
                "rank": ("low", "mid", "high")[near(rng, depth / 2, 0.5, 0, 2)],
            }
            answers += [
                {"item": item["id"], "rater": rater, "question": question, "value": value}
                for question, value in said.items()
            ]
    round = opened(workspace, "crowded", items, per_item=3)
    add(round, answers_once(answers))
    return round


def answers_once(answers: list[dict]) -> list[dict]:
    """Who was drawn twice for an item has answered it once."""
    kept = {(one["item"], one["rater"], one["question"]): one for one in answers}
    return list(kept.values())


def two_systems(workspace: Workspace, rng: random.Random) -> WorkspaceRound:
    """Birch and cedar on 26 cases of eight unequal classes; two cases lack cedar."""
    items, answers = [], []
    classes = [f"class-{n}" for n, size in enumerate((7, 5, 4, 3, 3, 2, 1, 1)) for _ in range(size)]
    people = {"ana": 0.2, "ben": -0.5, "eva": 0.0, "joe": 0.3}
    for n, where in enumerate(classes):
        case = rng.uniform(2, 4.2)
        for model in ("birch", "cedar") if n not in (3, 11) else ("birch",):
            true = case + (0.5 if model == "birch" else 0) + rng.gauss(0, 0.3)
            key = {"id": f"c{n:02d}", "model": model}
            domain = ("maths", "music")[int(where[-1]) % 2]
            items.append({**key, "class": where, "domain": domain, "text": f"{model} on {n}."})
            raters = rng.sample(sorted(people), 3) if n % 3 else sorted(people)
            for rater in [*raters, "gauge"]:
                lean = people.get(rater, 0.4)
                answers += scores(rng, f"c{n:02d}/{model}", rater, true + lean)
    round = opened(workspace, "two-systems", items)
    add(round, [one for one in answers if one["rater"] != "gauge"])
    judge = [
        {name: cell for name, cell in one.items() if name != "confidence"}
        for one in answers
        if one["rater"] == "gauge" and one["question"] != "style"
    ]
    add(round, judge, kind="model")
    return round


def scores(rng: random.Random, item: str, rater: str, true: float) -> Iterator[dict]:
    accuracy, style = near(rng, true, 0.6), near(rng, true, 0.9)
    stated = (accuracy + style) / 2 + rng.choice([-0.75, -0.25, 0, 0, 0, 0.25, 0.5])
    said = {
        "accuracy": accuracy,
        "style": style,
        "overall": min(max(stated, 1), 5),
        "verdict": "pass" if accuracy + rng.gauss(0, 0.5) > 3 else "fail",
        "confidence": rng.choice([20, 50, 60, 80, 90, 100]),
    }
    for question, value in said.items():
        yield {"item": item, "rater": rater, "question": question, "value": value}


def models_only(workspace: Workspace, rng: random.Random) -> WorkspaceRound:
    """Ten cases with one to five questions, three systems' texts, and two models that answer."""
    systems = {"birch": 0.85, "cedar": 0.6, "dogwood": 0.45}
    cases = [f"q{n}" for n in range(10)]
    items = [
        {"id": c, "ground_truth": f"About {c}.", "generated": f"{m} on {c}.", "model": m}
        for c in cases
        for m in systems
        if (c, m) != ("q7", "dogwood")
    ]
    parts = [
        {"item": c, "part": p + 1, "text": f"What is fact {p + 1} of {c}?"}
        for n, c in enumerate(cases)
        for p in range(1 + (n * 3) % 5)
    ]
    words = ["red", "old", "stone", "bridge", "near", "the", "mill", "in", "northern", "Spain"]
    answers = []
    for part in parts:
        case, number = part["item"], part["part"]
        true = " ".join(rng.sample(words, rng.randint(1, 4)))
        asked = {"part": number}
        for rater in ("owl", "fox"):
            keep = "drop" if rng.random() < 0.12 else "keep"
            here = {**asked, "rater": rater}
            answers.append({**here, "item": case, "question": "keep", "value": keep})
            reference = "<Unanswerable>" if rng.random() < 0.1 else true
            if rng.random() < 0.95:
                answers.append(
                    {**here, "item": case, "question": "reference_answer", "value": reference}
                )
            for system, skill in systems.items():
                if (case, system) == ("q7", "dogwood") or rng.random() < 0.03:
                    continue
                item = f"{case}/{system}"
                found = "<Unanswerable>" if rng.random() > skill else blurred(rng, true, words)
                answers.append(
                    {**here, "item": item, "question": "generated_answer", "value": found}
                )
                if "<Unanswerable>" not in (found, reference) and rng.random() < 0.8:
                    grade = "same" if found == true else rng.choice(["partly", "different"])
                    answers.append({**here, "item": item, "question": "match", "value": grade})
    answered = {
        (one["item"], one["part"], one["rater"])
        for one in answers
        if one["question"] == "reference_answer"
    }
    kept = [
        one
        for one in answers
        if one["question"] != "match"
        or (one["item"].partition("/")[0], one["part"], one["rater"]) in answered
    ]
    round = opened(workspace, "models-only", items, parts=pd.DataFrame(parts))
    add(round, kept, kind="model")
    return round


def blurred(rng: random.Random, text: str, words: list[str]) -> str:
    """Often the same words, else some of them gone or others beside."""
    own = text.split()
    if rng.random() < 0.5:
        return text
    return " ".join([*rng.sample(own, max(1, len(own) - 1)), rng.choice(words)])


def adjudicated(workspace: Workspace, rng: random.Random) -> WorkspaceRound:
    """Thirty items of two systems; two adjudicators settle some, and differ on one."""
    options = ["yes", "no", "open"]
    items, answers, judge, final, key = [], [], [], [], []
    for n in range(34):
        model = ("birch", "cedar")[n % 2]
        role = "training" if n in (4, 9) else "gold" if n in (20, 21, 28) else "main"
        true = rng.choice(["yes", "yes", "yes", "no", "open"])
        checked = "" if n in (6, 17) else other(rng, true, options, 0.1 if n % 2 else 0.3)
        name = f"s{n // 2:02d}/{model}"
        items.append(
            {"id": f"s{n // 2:02d}", "model": model, "text": f"Text {n}.", "checked": checked}
            | {"role": role}
        )
        cell = {"item": name, "question": "label"}
        said = [other(rng, true, options, wrong) for wrong in (0.1, 0.2, 0.35)]
        for rater, label in zip(("ana", "ben", "eva"), said, strict=True):
            if rng.random() > 0.08:
                answers.append({**cell, "rater": rater, "value": label, "comment": ""})
        if n % 3 == 0:
            answers.append(
                {"item": name, "question": "notes", "rater": "eva", "value": f"On {n}.",
                 "comment": ""}
            )  # fmt: skip
        judge.append({**cell, "rater": "gauge", "value": other(rng, true, options, 0.2)})
        if len(set(said)) == 3 or n in (0, 12):
            final.append({**cell, "rater": "uma", "value": true})
        if n in (12, 13):
            final.append({**cell, "rater": "vic", "value": "open"})
        if role == "gold" or n == 8:
            key.append({**cell, "rater": "expert", "value": true})
    round = opened(workspace, "adjudicated", items)
    add(round, [{k: v for k, v in one.items() if k != "comment"} for one in answers])
    add(round, judge, kind="model")
    add(round, final, kind="adjudicator")
    add(round, key, kind="key")
    return round


def gappy(workspace: Workspace, rng: random.Random) -> WorkspaceRound:
    """Four raters leave gaps, skip, answer twice; one is excluded, two items are training."""
    items, answers = [], []
    issues = ["disputed", "unsupported", "inaccurate"]
    clock = pd.Timestamp("2024-03-04T08:00:00Z")
    for n in range(18):
        for model in ("birch", "cedar"):
            key = {"question_id": f"q{n:02d}", "model": model}
            many = 1 + n % 3
            text = " ".join(f"Fact {p} of {n} by {model} holds." for p in range(many))
            items.append(
                {**key, "article_id": f"a{n // 4}", "response": text}
                | {"role": "training" if n == 5 else "main"}
            )
            grade, quality = rng.uniform(20, 100), rng.uniform(1.2, 3.8)
            truth = [rng.choice(["accurate"] * 3 + issues) for _ in range(many)]
            for rater in ("ana", "ben", "eva", "dan"):
                if rng.random() < 0.15:
                    continue
                for replicate in (1, 2) if rater == "ben" and n < 4 else (1,):
                    clock += pd.Timedelta(seconds=rng.randint(5, 90))
                    here = {
                        "item": f"q{n:02d}/{model}", "part": "", "rater": rater,
                        "replicate": replicate, "status": "", "reason": "", "confidence": "",
                        "seconds": rng.randint(2, 40), "answered_at": clock.isoformat(),
                    }  # fmt: skip
                    answers += gaps(rng, here, truth, grade, quality)
    round = opened(workspace, "gappy", items)
    add(round, answers)
    round.exclude("dan", "answered by chance")
    return round


def gaps(
    rng: random.Random, here: dict, truth: list[str], grade: float, quality: float
) -> Iterator[dict]:
    labels = ["accurate", "disputed", "unsupported", "inaccurate", "cannot_assess"]
    for part, true in enumerate(truth, 1):
        said = other(rng, true, labels, 0.25)
        there = {**here, "part": part}
        if rng.random() < 0.07:
            yield {**there, "question": "accuracy", "value": "", "status": "skipped",
                   "reason": "too long"}  # fmt: skip
            continue
        yield {**there, "question": "accuracy", "value": said}
        if said in labels[1:4] and rng.random() < 0.85:
            severe = "severe" if rng.random() < 0.4 else "not_severe"
            yield {**there, "question": "severity", "value": severe}
    if rng.random() < 0.85:
        value = min(max(round(rng.gauss(grade, 10)), 0), 100)
        yield {**here, "question": "grade", "value": value}
    sure = {"confidence": rng.choice([30, 60, 90])} if rng.random() < 0.3 else {}
    yield {**here, **sure, "question": "quality", "value": near(rng, quality, 0.7, 1, 4)}
    if rng.random() < 0.8:
        yield {**here, "question": "sure", "value": rng.choice([10, 40, 70, 100])}


BUILDERS = {
    "crowded": crowded,
    "two-systems": two_systems,
    "models-only": models_only,
    "adjudicated": adjudicated,
    "gappy": gappy,
}
