"""Writes ratings.csv beside every truth.csv: what simulated raters make of the samples.

A score is the latent truth plus the rater's severity, drift and noise, rounded into 1–5.
The same truth and seed give the same files, byte for byte; README.md says what is planted.

    python data/samples/simulate.py
"""

import csv
import re
import zlib
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
from sitting import COLUMNS, EASY, HERE, Phrases, Rater, Sitting, read

SEED = 20260302
FIRST_DAY = datetime(2026, 3, 2, 8, 30)
CRITERIA = ["correctness", "clarity", "tone", "actionability", "coherence", "emotion"]
METRICS = ["relevance", "accuracy", "completeness", "fluency", "kg_alignment"]
UNANSWERABLE = "<Unanswerable>"

R1 = Rater("r1", severity=-0.40)
R2 = Rater("r2", severity=+0.25)
R3 = Rater("r3", drift=-0.50)
R4 = Rater("r4", noise=0.85, missing=0.06, pace=0.3, confidence=90)
R5 = Rater("r5", noise=0.30, missing=0.02, pace=1.3)
PANELS = {
    "neureg-qa": (R1, R2, R3, R4, R5),
    "feedback-quality": (R1, R2, R3, R4),
    "halo-support": (R2, R4, R5),
    "stem-sentences": (R1, R2, R5),
    "rag-questeval": (R3, R5),
}
TRAINED = [
    replace(r, severity=r.severity / 4, drift=r.drift / 4, noise=r.noise * 0.6)
    for r in PANELS["feedback-quality"]
]
TRAINED_CASES = 24

HARD = 0.25  # how often the label of a hard item is mistaken at noise 0.45
WORDING = [
    (r"^(the|a|an) ", ""),
    (r"^(?=[A-Z].* (Act|Bank|Company|Dam|End|Strait)$)", "the "),
    (r"\b(about|around|some) ", ""),
    ("kilometres", "km"),
    (" per cent", "%"),
    ("公里", "千米"),
    ("(?<!大)约", "大约"),
    ("万余", "万多"),
]


def write(path, columns, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def quotation(sitting, text, words):
    """The opening words of one of the text's sentences."""
    sentences = [s for s in re.split(r"(?<=[.?!])\s+", text) if len(s.split()) > 4]
    chosen = sentences[sitting.rng.integers(len(sentences))]
    return "“" + " ".join(chosen.split()[:words]).rstrip(" ,.;:?!“”\"'") + " …”"


def rate_neureg(sitting, item, truth, _):
    given = {m: sitting.answer(item, "", m, sitting.score(truth["", m])) for m in METRICS}
    weak = [metric for metric, score in given.items() if score and score <= 3]
    if weak and sitting.chance(0.35):
        text = sitting.phrases.draw("comment", sitting.rng.choice(weak))
        sitting.answer(item, "", "comment", text, may_skip=False)


def comment_on(sitting, criterion, score, text):
    """Always there for a score of 2 or less; sometimes pinned to the words it is about."""
    if score > 2 and not sitting.chance(0.3 if score == 3 else 0.06):
        return ""
    phrase = sitting.phrases.draw(criterion, score)
    return f"{phrase} See {quotation(sitting, text, 6)}." if sitting.chance(0.4) else phrase


def reason_for(sitting, overall, computed, given):
    strongest, weakest = max(given, key=given.get), min(given, key=given.get)
    verdict = sitting.phrases.draw("overall_reason", int(np.ceil(overall - 0.5)))
    if abs(overall - computed) >= 0.5:
        return verdict + (
            f" Below the mean, because {weakest} decides here."
            if overall < computed
            else f" Above the mean: {strongest} makes up for the rest."
        )
    contrast = [
        f" Strongest in {strongest}, weakest in {weakest}.",
        f" What holds it back is {weakest}.",
        f" It gains by {strongest}.",
    ]
    return verdict + str(sitting.rng.choice(contrast) if given[strongest] > given[weakest] else "")


def rate_feedback(sitting, item, truth, source):
    def write_down(question, value):
        sitting.answer(item, "", question, value, may_skip=False)

    text = source["text"]
    level = sitting.score(np.mean([float(truth["", c]) for c in CRITERIA]))
    impression = sitting.phrases.draw("first_impression", level)
    noticed = f" I noticed {quotation(sitting, text, 7)}." if sitting.chance(0.5) else ""
    write_down("first_impression", impression + noticed)
    scores = {c: sitting.score(truth["", c]) for c in CRITERIA}
    given = {
        c: score
        for c, score in scores.items()
        if sitting.answer(item, "", c, score, comment_on(sitting, c, score, text))
    }
    computed = np.mean(list(given.values()))
    shift = sitting.rng.choice([-0.8, -0.6, 0.6]) if sitting.chance(0.1) else 0
    overall = float(np.clip(round(computed + shift + sitting.rng.normal(0, 0.1), 1), 1, 5))
    error = np.mean([abs(score - float(truth["", c])) for c, score in given.items()])
    sure = int(np.clip(5 * round((92 - 30 * error + sitting.rng.normal(0, 5)) / 5), 40, 100))
    write_down("overall", f"{overall:g}")
    write_down("overall_reason", reason_for(sitting, overall, computed, given))
    write_down("confidence", sitting.rater.confidence or sure)
    if sitting.chance(0.3):
        write_down("evidence", quotation(sitting, text, 12))
    if min(given.values()) <= 3 and sitting.chance(0.4):
        write_down("suggestions", sitting.phrases.draw("suggestions", min(given, key=given.get)))


def rate_halo(sitting, item, truth, _):
    hard = truth["", "hard"] == "1"
    seen = sitting.label(truth["", "label"], HARD if hard else EASY)
    if sitting.answer(item, "", "label", seen) and sitting.chance(0.5 if hard else 0.12):
        sitting.answer(item, "", "notes", sitting.phrases.draw("notes", seen), may_skip=False)


def rate_stem(sitting, item, truth, _):
    for part in dict.fromkeys(part for part, _ in truth):
        seen = sitting.label(truth[part, "accuracy"], 0.08, ("accurate", "cannot_assess"))
        given = sitting.answer(item, part, "accuracy", seen)
        if given in ("disputed", "unsupported", "inaccurate"):
            true = truth.get((part, "severity")) or "not_severe"
            severity = sitting.label(true, 0.10, ("not_severe",))
            sitting.answer(item, part, "severity", severity, may_skip=False)


def in_own_words(sitting, answer):
    """The same answer, sometimes with an article, a unit or a number written the other way."""
    changed = [re.sub(pattern, text, answer, count=1) for pattern, text in WORDING]
    changed = [words for words in changed if words != answer]
    if answer == UNANSWERABLE or not changed or not sitting.chance(0.5 * sitting.rater.noise):
        return answer
    return changed[sitting.rng.integers(len(changed))]


def rate_questeval(sitting, case, truth, _):
    """The whole case: its reference once, then each system's text."""
    given = {}
    for (item, part, question), value in truth.items():
        if question == "keep":
            value = sitting.label(value, 0.03 if value == "keep" else 0.20)
        elif question == "match":
            if {given.get((case, part)), given.get((item, part))} & {None, UNANSWERABLE}:
                continue
            value = sitting.label(value, 0.06)
        else:
            overlooked = sitting.chance(0.05 * sitting.rater.noise)
            value = UNANSWERABLE if overlooked else in_own_words(sitting, value)
        answer = sitting.answer(item, part, question, value)
        given.setdefault((item, part), answer)


RATE = {
    "neureg-qa": rate_neureg,
    "feedback-quality": rate_feedback,
    "halo-support": rate_halo,
    "stem-sentences": rate_stem,
    "rag-questeval": rate_questeval,
}


def truth_by_unit(protocol):
    """What is rated in one go: an item with its parts, or for rag-questeval a whole case."""
    units = {}
    for row in read(HERE / protocol / "truth.csv"):
        whole_case = protocol == "rag-questeval"
        unit = units.setdefault(row["item"].split("/")[0] if whole_case else row["item"], {})
        key = row.get("part") or "", row["question"]
        unit[(row["item"], *key) if whole_case else key] = row["value"]
        if "hard" in row:
            unit["", "hard"] = row["hard"]
    return units


def simulate(protocol, raters, name, begins, units, sources):
    def generator(*words):
        return np.random.default_rng([SEED, *(zlib.crc32(w.encode()) for w in (protocol, *words))])

    phrases, rows = Phrases(protocol, generator(name)), []
    for rater in raters:
        sitting = Sitting(rater, generator(name, rater.name), phrases, begins)
        for position, index in enumerate(sitting.rng.permutation(len(units))):
            sitting.progress = position / (len(units) - 1)
            item = list(units)[index]
            RATE[protocol](sitting, item, units[item], sources.get(item))
            sitting.rest()
        rows += sitting.rows
    extra = [column for column in COLUMNS[5:] if any(row[column] != "" for row in rows)]
    write(HERE / protocol / name, COLUMNS[:5] + extra, rows)
    print(f"{protocol}/{name}: {len(rows)} answers of {len(raters)} raters")


def main():
    for week, (protocol, raters) in enumerate(PANELS.items()):
        begins = FIRST_DAY + timedelta(weeks=week)
        items, units = read(HERE / protocol / "items.csv"), truth_by_unit(protocol)
        sources = {f"{row['id']}/{row['model']}": row for row in items if {"id", "model"} <= {*row}}
        simulate(protocol, raters, "ratings.csv", begins, units, sources)
        if protocol == "feedback-quality":
            cases = list(dict.fromkeys(row["id"] for row in items))[:TRAINED_CASES]
            again = [row for row in items if row["id"] in cases]
            write(HERE / protocol / "items-round-2.csv", list(again[0]), again)
            kept = {item: unit for item, unit in units.items() if sources[item] in again}
            simulate(
                protocol, TRAINED, "ratings-round-2.csv", begins + timedelta(weeks=5), kept, sources
            )


if __name__ == "__main__":
    main()
