"""From ratings to numbers: agreement, means and proportions with honest intervals."""

from analysis.alpha import alpha
from analysis.benchmark import benchmark
from analysis.catalogue import STATISTICS
from analysis.compare import adjust, compare_systems, p_value
from analysis.confidence import Confidence, confidence
from analysis.estimate import Estimate
from analysis.gwet import alpha_gwet, brennan_prediger, gwet, percent_agreement
from analysis.icc import icc, variance_components
from analysis.influence import (
    agreement_by_category,
    alpha_by_category,
    alpha_without_raters,
    alpha_without_units,
    kappa_by_category,
)
from analysis.kappa import kappa
from analysis.means import mean, median, sd
from analysis.pairwise import pairwise
from analysis.proportions import proportion, proportion_difference
from analysis.reasons import REASONS, WARNINGS, sentence
from analysis.severity import confusion, distribution, rater_severity
from analysis.significance import KappaTest, kappa_test
from analysis.summary import summary
from analysis.together import coefficients
from analysis.tokens import is_unanswerable, token_f1, tokenise
from analysis.weighted import weighted_mean

__all__ = [
    "REASONS",
    "STATISTICS",
    "WARNINGS",
    "Confidence",
    "Estimate",
    "KappaTest",
    "adjust",
    "agreement_by_category",
    "alpha",
    "alpha_by_category",
    "alpha_gwet",
    "alpha_without_raters",
    "alpha_without_units",
    "benchmark",
    "brennan_prediger",
    "coefficients",
    "compare_systems",
    "confidence",
    "confusion",
    "distribution",
    "gwet",
    "icc",
    "is_unanswerable",
    "kappa",
    "kappa_by_category",
    "kappa_test",
    "mean",
    "median",
    "p_value",
    "pairwise",
    "percent_agreement",
    "proportion",
    "proportion_difference",
    "rater_severity",
    "sd",
    "sentence",
    "summary",
    "token_f1",
    "tokenise",
    "variance_components",
    "weighted_mean",
]
