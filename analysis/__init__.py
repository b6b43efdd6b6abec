"""From ratings to numbers: agreement, means and proportions with honest intervals.

`Ratings` are read once and asked often; each function takes them, or a long frame or a units ×
raters table, and gives an `Estimate` or a tidy frame of its fields. What only papers need is in
`analysis.older`; a module's further names are imported from it.
"""

from analysis.averages.against import against, severity
from analysis.averages.differences import adjust, difference
from analysis.averages.means import mean
from analysis.averages.proportions import proportion
from analysis.averages.weighted import weighted_mean
from analysis.coefficients.alpha import alpha, influence
from analysis.coefficients.gwet import agreement, gwet
from analysis.coefficients.icc import icc
from analysis.coefficients.kappa import kappa
from analysis.estimate import Estimate
from analysis.intervals import Interval
from analysis.ratings import Ratings

__all__ = [
    "Estimate",
    "Interval",
    "Ratings",
    "adjust",
    "against",
    "agreement",
    "alpha",
    "difference",
    "gwet",
    "icc",
    "influence",
    "kappa",
    "mean",
    "proportion",
    "severity",
    "weighted_mean",
]

if __name__ == "analysis":  # a checkout's folder by its own name: the very modules of the package
    import sys
    from importlib import import_module
    from pkgutil import walk_packages

    sys.modules[__name__] = import_module("raterbook.analysis")
    for each in walk_packages(__path__, "raterbook.analysis."):
        sys.modules[each.name.removeprefix("raterbook.")] = import_module(each.name)
