"""From ratings to numbers: agreement, means and proportions with honest intervals.

`Ratings` are read once and asked often; each function takes them, or a long frame or a units ×
raters table, and gives an `Estimate` or a tidy frame of its fields. What only papers need is in
`raterbook.analysis.older`; a module's further names are imported from it.
"""

from raterbook.analysis.averages.against import against, severity
from raterbook.analysis.averages.means import adjust, difference, mean
from raterbook.analysis.averages.proportions import proportion
from raterbook.analysis.averages.weighted import weighted_mean
from raterbook.analysis.coefficients.alpha import alpha, influence
from raterbook.analysis.coefficients.gwet import agreement, gwet
from raterbook.analysis.coefficients.icc import icc
from raterbook.analysis.coefficients.kappa import kappa
from raterbook.analysis.estimate import Estimate
from raterbook.analysis.intervals import Interval
from raterbook.analysis.ratings import Ratings

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
