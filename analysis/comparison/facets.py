"""The likelihood of a many-facet Rasch model, units drawn from a normal and integrated out.

ln P(k)/P(k − 1) = θ_unit − β_rater − δ_criterion − τ_k. Given which ratings a unit has, all that
is to be known of θ is their sum; so units with the same ratings asked and the same sum are one
class, and no step costs more for more units of a class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from raterbook.analysis.ratings.patterns import numbered

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WIDEST = 6.0  # standard deviations that the grid of θ spans to each side
NODES, MOST_NODES = 61, 481
COARSE = 1.2  # posterior standard deviations between two nodes, at most
FAR = 1e3  # the threshold of a level that a criterion does not have
SIGMA = (-6.0, 4.0)  # the logarithm of the standard deviation of θ stays in here
ALIKE, DIFFERENT = -2.0, 3.9  # of the logarithm of units' spread; beyond, units tell nothing of it
STEPS = 3  # of Newton's, from where climbing ends, or from all clusters to all but one
STRIDE = 1.0  # of the logarithm of units' spread, in all of these steps


@dataclass(frozen=True)
class Observed:
    """One rating in each entry: its unit, criterion, rater, and its level from 0."""

    unit: np.ndarray
    criterion: np.ndarray
    rater: np.ndarray
    level: np.ndarray

    def where(self, keep: np.ndarray) -> Observed:
        return Observed(*(each[keep] for each in self.columns))

    @property
    def columns(self) -> tuple[np.ndarray, ...]:
        return self.unit, self.criterion, self.rater, self.level


def connected(given: Observed) -> bool:
    """Whether raters and units hang together, however far round."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    (units, _, unit), (raters, _, rater) = numbered(given.unit), numbered(given.rater)
    size = len(units) + len(raters)
    links = coo_array((np.ones(len(unit)), (unit, len(units) + rater)), shape=(size, size))
    return bool(connected_components(links, directed=False)[0] == 1)


class Facets:
    """Ratings as classes of units and as cells, a cell being a criterion, a rater and a group.

    `levels` is how many each row of thresholds has: one row for all criteria, or one for each.
    """

    def __init__(self, given: Observed, group: np.ndarray, raters: int, levels: Sequence[int]):
        self.given, self.raters, self.levels = given, raters, tuple(levels)
        self.criteria = int(given.criterion.max()) + 1
        self.groups = int(group.max()) + 1
        place = given.criterion * raters + given.rater
        used, _, cell = numbered(group[given.unit] * self.criteria * raters + place)
        self.cell = cell.astype(np.int32)
        self.of_group, rest = np.divmod(used, self.criteria * raters)
        self.of_criterion, self.of_rater = np.divmod(rest, raters)
        self.row = self.of_criterion if len(self.levels) > 1 else np.zeros(len(used), dtype=int)
        self._find_classes(len(group))
        self._find_parameters()

    def _find_classes(self, n_units: int) -> None:
        cells = len(self.of_rater)
        asked = np.zeros((n_units, cells), dtype=bool)
        asked[self.given.unit, self.cell] = True
        total = np.bincount(self.given.unit, self.given.level, n_units).astype(np.int32)
        key = np.column_stack([np.packbits(asked, axis=1), total[:, None].view(np.uint8)])
        from scipy.sparse import csr_array

        _, first, of_unit = np.unique(key, axis=0, return_index=True, return_inverse=True)
        self.of_unit = of_unit.ravel()
        self.asked = csr_array(asked[first].astype(float))
        self.total = total[first].astype(float)

    def _find_parameters(self) -> None:
        """Free coordinates: raters, criteria and thresholds each sum to zero."""
        cells, many = np.arange(len(self.of_rater)), self.raters + self.criteria + self.groups
        self.location = np.zeros((len(cells), many))
        self.location[cells, self.of_rater] = 1.0
        self.location[cells, self.raters + self.of_criterion] = 1.0
        self.location[cells, self.raters + self.criteria + self.of_group] = -1.0
        steps = max(self.levels) - 1
        blocks = [_summing_to_zero(self.raters), _summing_to_zero(self.criteria)]
        blocks.append(np.eye(self.groups))
        thresholds, self.fixed = [], np.zeros(many + len(self.levels) * steps + 1)
        for at, own in enumerate(self.levels):
            block = np.zeros((steps, max(own - 2, 0)))
            block[: own - 1] = _summing_to_zero(own - 1)
            thresholds.append(block)
            self.fixed[many + at * steps + own - 1 : many + (at + 1) * steps] = FAR
        blocks += [*thresholds, np.eye(1)]
        self.steps = steps
        self.free = np.zeros((len(self.fixed), sum(block.shape[1] for block in blocks)))
        down = across = 0
        for block in blocks:
            self.free[down : down + block.shape[0], across : across + block.shape[1]] = block
            down, across = down + block.shape[0], across + block.shape[1]

    def sums(self, of: np.ndarray, many: int) -> csr_array:
        """What the likelihood needs of the units of each `of`: their classes, and sums of levels.

        A row has how often each class is met, the sum of levels of each cell, and how often each
        step of each row of thresholds was taken.
        """
        from scipy.sparse import csr_array, hstack

        def added(value: np.ndarray, whose: np.ndarray, place: np.ndarray, width: int) -> csr_array:
            return csr_array((value, (whose, place)), shape=(many, width))

        level, of_rating = self.given.level, of[self.given.unit]
        rated = np.flatnonzero(np.bincount(self.given.unit, minlength=len(of)))
        blocks = [
            added(np.ones(len(rated)), of[rated], self.of_unit[rated], len(self.total)),
            added(level.astype(float), of_rating, self.cell, len(self.of_rater)),
        ]
        width = len(self.levels) * self.steps
        steps = csr_array((many, width))
        for step in range(self.steps):  # one by one: all at once, they are most of the memory
            taken = level > step
            place = self.row[self.cell[taken]] * self.steps + step
            steps = steps + added(np.ones(len(place)), of_rating[taken], place, width)
        return hstack([*blocks, steps], format="csr")

    @property
    def width(self) -> int:
        """How many sums there are."""
        return len(self.total) + len(self.of_rater) + len(self.levels) * self.steps

    def natural(self, free: np.ndarray) -> np.ndarray:
        """All parameters, from free coordinates."""
        return np.asarray(self.free @ free + self.fixed)

    def parts(self, natural: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The locations of the cells, the rows of thresholds, and the deviation of θ."""
        many = self.location.shape[1]
        thresholds = natural[many:-1].reshape(len(self.levels), self.steps)
        return self.location @ natural[:many], thresholds, np.exp(natural[-1])


def _summing_to_zero(n: int) -> np.ndarray:
    return np.vstack([np.eye(n - 1), -np.ones((1, n - 1))])


def level_chances(eta: np.ndarray, thresholds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ln Σ and the probability of each level, where θ − β − δ is `eta`: a threshold a column."""
    start = np.zeros((*thresholds.shape[:-1], 1))
    steps = np.concatenate([start, np.cumsum(thresholds, axis=-1)], axis=-1)
    levels = np.arange(steps.shape[-1])
    logits = levels[:, None] * eta[..., None, :] - steps[..., None]
    top = logits.max(axis=-2, keepdims=True)
    chances = np.exp(logits - top)
    whole = chances.sum(axis=-2, keepdims=True)
    return (np.log(whole) + top)[..., 0, :], chances / whole


@dataclass(frozen=True)
class Point:
    """The likelihood at one place: its gradient, and what is believed of each class's θ there."""

    value: float
    gradient: np.ndarray
    posterior: np.ndarray
    chances: np.ndarray


class Likelihood:
    """The marginal likelihood on an equally spaced grid of θ, in free coordinates."""

    def __init__(self, facets: Facets, nodes: int = NODES) -> None:
        self.facets = facets
        self.nodes = np.linspace(-WIDEST, WIDEST, nodes)
        self.weights = -(self.nodes**2) / 2
        self.weights -= np.log(np.exp(self.weights).sum())

    def at(self, free: np.ndarray, sums: np.ndarray) -> Point:
        """The likelihood of units with these sums."""
        facets, z = self.facets, self.nodes
        natural = facets.natural(free)
        location, thresholds, sigma = facets.parts(natural)
        log_sums, chances = level_chances(sigma * z - location[:, None], thresholds[facets.row])
        joint = np.outer(facets.total, sigma * z) + self.weights - facets.asked @ log_sums
        top = joint.max(axis=1, keepdims=True)
        posterior = np.exp(joint - top)
        whole = posterior.sum(axis=1, keepdims=True)
        posterior /= whole
        classes, cells = len(facets.total), len(location)
        met, scored, taken = np.split(sums, [classes, classes + cells])
        taken = taken.reshape(thresholds.shape)
        known = thresholds < FAR
        value = float(met @ (np.log(whole) + top)[:, 0] - scored @ location)
        value -= float((taken * thresholds)[known].sum())
        at_node = facets.asked.T @ (met[:, None] * posterior)
        expected = np.arange(chances.shape[1]) @ chances
        beyond = chances[:, ::-1].cumsum(axis=1)[:, -2::-1]  # P(X ≥ h)
        slope = np.zeros(len(natural))
        many = facets.location.shape[1]
        slope[:many] = facets.location.T @ ((at_node * expected).sum(axis=1) - scored)
        steps = np.zeros(thresholds.shape)
        np.add.at(steps, facets.row, (at_node[:, None, :] * beyond).sum(axis=2))
        slope[many:-1] = ((steps - taken) * known).ravel()
        spread = (met * facets.total) @ (posterior @ z) - ((at_node * expected) @ z).sum()
        slope[-1] = sigma * spread
        return Point(value, facets.free.T @ slope, posterior, chances)

    def climb(self, start: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """About where the likelihood is greatest, in free coordinates."""
        from scipy.optimize import minimize

        units = max(float(sums[: len(self.facets.total)].sum()), 1.0)

        def lost(free: np.ndarray) -> tuple[float, np.ndarray]:
            here = self.at(free, sums)
            return -here.value / units, -here.gradient / units

        bounds = [(None, None)] * (len(start) - 1) + [SIGMA]
        options = {"maxiter": 1000, "gtol": 1e-6, "ftol": 1e-13}
        found = minimize(lost, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        return np.asarray(found.x)

    def information(self, free: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """Minus the second derivatives, as differences of the gradient."""
        step, made = 1e-4, np.zeros((len(free), len(free)))
        for at in range(len(free)):
            there = np.zeros(len(free))
            there[at] = step
            made[at] = (self.at(free - there, sums).gradient
                        - self.at(free + there, sums).gradient) / (2 * step)  # fmt: skip
        return (made + made.T) / 2

    def inverse(self, free: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """The inverse of the information."""
        made = self.information(free, sums)
        if not ALIKE < free[-1] < DIFFERENT:
            made[-1], made[:, -1] = 0.0, 0.0  # the spread of units is at its bound, and stays there
        return np.asarray(np.linalg.pinv(made, rcond=1e-10, hermitian=True))

    def nearer(self, free: np.ndarray, inverse: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """A few of Newton's steps from close by, to where the likelihood of these sums is greatest.

        Where climbing ends, rounding decides the last seven digits; here, the last.
        """
        # Where units hardly differ their spread is hardly known, and a whole step goes anywhere.
        low, high = np.clip(free[-1] + [-STRIDE, STRIDE], *SIGMA)
        for _ in range(STEPS):
            free = free + inverse @ self.at(free, sums).gradient
            free[-1] = np.clip(free[-1], low, high)
        return free

    def scores(self, free: np.ndarray) -> np.ndarray:
        """What a unit of each class, each level in a cell and each step add to the gradient."""
        facets, z = self.facets, self.nodes
        here = self.at(free, np.zeros(facets.width))
        expected = np.arange(here.chances.shape[1]) @ here.chances
        beyond = here.chances[:, ::-1].cumsum(axis=1)[:, -2::-1]
        classes, cells = len(facets.total), len(expected)
        many, steps = facets.location.shape[1], facets.steps
        made = np.zeros((facets.width, len(facets.fixed)))
        asked = facets.asked.toarray()
        made[:classes, :many] = (asked * (here.posterior @ expected.T)) @ facets.location
        for step in range(steps):
            reached = asked * (here.posterior @ beyond[:, step].T)
            for row in range(len(facets.levels)):
                own = facets.row == row
                made[:classes, many + row * steps + step] = reached[:, own].sum(axis=1)
        left = facets.total[:, None] - asked @ expected
        made[:classes, -1] = np.exp(free[-1]) * ((here.posterior * left) @ z)
        made[classes : classes + cells, :many] = -facets.location
        taken = np.arange(len(facets.levels) * steps)
        made[classes + cells + taken, many + taken] = -1.0
        return np.asarray(made @ facets.free)

    def fit(self, here: Point) -> tuple[np.ndarray, np.ndarray]:
        """Infit and outfit of each rater, from squared residuals over what is believed of θ.

        So both are 1 on average where the model holds; residuals at a point of θ would be too
        small where a unit has few ratings.
        """
        facets = self.facets
        cells, steps = len(facets.of_rater), facets.steps + 1
        key = (facets.of_unit[facets.given.unit] * cells + facets.cell) * steps
        seen, many = np.unique(key + facets.given.level, return_counts=True)
        rest, level = np.divmod(seen, steps)
        of_class, of_cell = np.divmod(rest, cells)
        found, grid = np.zeros((4, facets.raters)), np.arange(steps)
        for cell in range(cells):
            own = of_cell == cell
            posterior, weight = here.posterior[of_class[own]], many[own]
            mean = grid @ here.chances[cell]
            variance = np.maximum(grid**2 @ here.chances[cell] - mean**2, 1e-300)
            gap = (level[own][:, None] - mean) ** 2
            sums = ((posterior * gap).sum(axis=1), posterior @ variance,
                    (posterior * gap / variance).sum(axis=1), np.ones(len(weight)))  # fmt: skip
            found[:, facets.of_rater[cell]] += [weight @ each for each in sums]
        square, expected, standard, counts = found
        return square / expected, standard / counts

    def is_coarse(self, posterior: np.ndarray) -> bool:
        """Whether what is believed of a class falls between two nodes."""
        mean = posterior @ self.nodes
        spread = np.sqrt(np.maximum(posterior @ self.nodes**2 - mean**2, 0.0))
        return bool(self.nodes[1] - self.nodes[0] > COARSE * np.quantile(spread, 0.05))


def fitted(facets: Facets, sums: np.ndarray) -> tuple[Likelihood, np.ndarray]:
    """The greatest likelihood, on a grid fine enough for what is believed of each class."""
    free, nodes = np.zeros(facets.free.shape[1]), NODES
    while True:
        likelihood = Likelihood(facets, nodes)
        free = likelihood.climb(free, sums)
        if nodes >= MOST_NODES or not likelihood.is_coarse(likelihood.at(free, sums).posterior):
            return likelihood, free
        nodes = 2 * nodes - 1
