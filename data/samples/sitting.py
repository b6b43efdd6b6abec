"""One simulated rater at work: what it makes of the truth, in which words, in what time."""

import csv
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
COLUMNS = [
    "item",
    "part",
    "rater",
    "question",
    "value",
    "comment",
    "seconds",
    "answered_at",
    "status",
    "reason",
]
SECONDS = {
    "first_impression": 55,
    "overall_reason": 40,
    "label": 50,
    "accuracy": 22,
    "reference_answer": 18,
    "generated_answer": 16,
    "evidence": 20,
    "suggestions": 30,
}
REASONS = "not sure", "outside my field", "came back later and ran out of time"
EASY = 0.05  # how often a label is mistaken at noise 0.45


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@dataclass(frozen=True)
class Rater:
    name: str
    severity: float = 0.0  # added to every score; negative is severe
    drift: float = 0.0  # what has been added by the end of the round
    noise: float = 0.45  # standard deviation around the latent truth
    missing: float = 0.04  # share of questions skipped
    pace: float = 1.0  # below 1 is fast
    confidence: int | None = None  # always this, whatever the item


class Phrases:
    """Texts drawn without replacement until a pool is empty, so that none repeats all over."""

    def __init__(self, protocol, rng):
        self.rng, self.pools, self.left = rng, {}, {}
        for row in read(HERE / "phrases.csv"):
            if row["protocol"] == protocol:
                self.pools.setdefault((row["question"], row["about"]), []).append(row["text"])

    def draw(self, question, about):
        key = question, str(about)
        if not self.left.get(key):
            self.left[key] = list(self.rng.permutation(self.pools[key]))
        return str(self.left[key].pop())


class Sitting:
    """One rater at work on one round: a generator, a clock and the rows answered so far."""

    mistakes = read(HERE / "mistakes.csv")

    def __init__(self, rater, rng, phrases, begins):
        self.rater, self.rng, self.phrases = rater, rng, phrases
        self.now = begins + timedelta(minutes=int(rng.integers(0, 240)))
        self.worked, self.progress, self.rows = 0, 0.0, []

    def chance(self, share):
        return self.rng.random() < share

    def leaning(self):
        """Severity so far in the round: below 0 is severe."""
        return self.rater.severity + self.rater.drift * self.progress

    def score(self, truth):
        seen = float(truth) + self.leaning() + self.rng.normal(0, self.rater.noise)
        return int(np.clip(round(seen), 1, 5))

    def label(self, truth, often=EASY, lenient=()):
        """The true label, or one it is mistaken for; a severe rater sees fewer lenient labels."""
        often *= self.rater.noise / 0.45
        if lenient:
            often *= 1 - 2 * self.leaning() * (1 if truth in lenient else -1)
        if not self.chance(often):
            return truth
        others = [row for row in self.mistakes if row["label"] == truth]
        shares = [float(row["share"]) for row in others]
        return others[self.rng.choice(len(others), p=shares)]["mistaken_for"]

    def answer(self, item, part, question, value, comment="", may_skip=True):
        """Adds a row and returns the value, or None where the question was skipped."""
        spent = self.rater.pace * SECONDS.get(question, 11) * self.rng.lognormal(0, 0.4)
        row = dict(
            zip(
                COLUMNS,
                (
                    item,
                    part,
                    self.rater.name,
                    question,
                    value,
                    comment,
                    round(max(spent, 1.2), 1),
                    "",
                    "",
                    "",
                ),
            )
        )
        if may_skip and self.chance(self.rater.missing):
            reason = str(self.rng.choice(REASONS))
            row |= {"value": "", "comment": "", "status": "skipped", "reason": reason}
        self.now += timedelta(seconds=row["seconds"])
        self.worked += row["seconds"]
        self.rows.append(row | {"answered_at": self.now.strftime("%Y-%m-%dT%H:%M:%SZ")})
        return None if row["status"] else value

    def rest(self):
        """A short pause between items; after an hour and a half, the next morning."""
        self.now += timedelta(seconds=float(self.rng.gamma(2, 6)))
        if self.worked > 5400 * self.rater.pace:
            morning = self.now.replace(hour=8, minute=30) + timedelta(days=1)
            self.now = morning + timedelta(minutes=int(self.rng.integers(0, 300)))
            self.worked = 0
