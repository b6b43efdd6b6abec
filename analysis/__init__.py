"""From ratings to numbers: agreement, means and proportions with honest intervals."""

from analysis.agreement.alpha import alpha
from analysis.agreement.gwet import alpha_gwet, brennan_prediger, gwet, percent_agreement
from analysis.agreement.icc import icc, variance_components
from analysis.agreement.influence import (
    agreement_by_category,
    alpha_by_category,
    alpha_without_raters,
    alpha_without_units,
    kappa_by_category,
)
from analysis.agreement.kappa import kappa
from analysis.agreement.tables import coefficients, pairwise
from analysis.averages.differences import adjust, compare_systems, p_value
from analysis.averages.means import mean, median, sd
from analysis.averages.proportions import proportion, proportion_difference
from analysis.averages.severity import confusion, distribution, rater_severity
from analysis.averages.weighted import Confidence, confidence, weighted_mean
from analysis.estimate import REASONS, WARNINGS, Estimate, sentence
from analysis.older import KappaTest, benchmark, kappa_test
from analysis.text import token_f1, tokenise

__all__ = [
    "REASONS",
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
    "token_f1",
    "tokenise",
    "variance_components",
    "weighted_mean",
]
