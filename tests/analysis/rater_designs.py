"""Ratings made with known severities, and severities by joint maximum likelihood."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

STRICT = (-0.8, 0.0, 0.8)
STEPS = (-1.5, -0.5, 0.5, 1.5)


@dataclass(frozen=True)
class Made:
    """How ratings are made: severities, thresholds, criteria, and how far units lie apart.

    `mean` moves all units up the scale; of `size` units, a cluster shares the share `alike` of
    what makes them differ, and each rater's severity varies by `moody` from cluster to cluster.
    """

    severity: tuple[float, ...] = STRICT
    steps: tuple[float, ...] = STEPS
    criteria: tuple[float, ...] = (0.0,)
    spread: float = 1.5
    mean: float = 0.0
    size: int = 1
    alike: float = 0.0
    moody: float = 0.0

    def drawn(self, units, seed):
        """Units × raters × criteria, levels from 1; and each unit's cluster."""
        rng = np.random.default_rng(seed)
        cluster = np.arange(units) // self.size
        shared = rng.normal(size=cluster[-1] + 1)[cluster]
        own = rng.normal(size=units)
        theta = np.sqrt(self.alike) * shared + np.sqrt(1 - self.alike) * own
        mood = self.moody * rng.normal(size=(cluster[-1] + 1, len(self.severity)))[cluster]
        eta = (self.mean + self.spread * theta)[:, None] - np.array(self.severity) - mood
        eta = eta[:, :, None] - np.array(self.criteria)
        sums = np.append(0.0, np.cumsum(self.steps))
        logits = eta[..., None] * np.arange(len(sums)) - sums
        chances = np.exp(logits - logsumexp(logits, axis=-1, keepdims=True)).cumsum(axis=-1)
        return 1 + (rng.random(eta.shape)[..., None] > chances).sum(axis=-1), cluster


def scale_of(found, truth):
    """How far the found severities are stretched: their slope on the true ones."""
    truth = np.array(truth)
    return float(np.asarray(found, dtype=float) @ truth / (truth @ truth))


def joint(table):
    """Severities by joint maximum likelihood, a θ for each sum; sums at an end have none."""
    levels = table - table.min()
    top, raters = int(levels.max()), levels.shape[1]
    total = levels.sum(axis=1)
    levels = levels[(total > 0) & (total < top * raters)]
    sums, of = np.unique(levels.sum(axis=1), return_inverse=True)
    many = np.bincount(of)

    def lost(free):
        theta, severity, steps = np.split(free, [len(sums), len(sums) + raters - 1])
        severity = np.append(severity, -severity.sum())
        steps = np.append(steps, -steps.sum())
        eta = theta[:, None] - severity
        logits = eta[..., None] * np.arange(top + 1) - np.append(0.0, np.cumsum(steps))
        taken = np.array([(levels > step).sum() for step in range(top)])
        value = many @ (sums * theta) - levels.sum(axis=0) @ severity - taken @ steps
        return -(value - many @ logsumexp(logits, axis=-1).sum(axis=1)) / len(levels)

    start = np.concatenate([np.linspace(-2, 2, len(sums)), np.zeros(raters - 1 + top - 1)])
    found = minimize(lost, start, method="L-BFGS-B").x[len(sums) : len(sums) + raters - 1]
    return np.append(found, -found.sum())
