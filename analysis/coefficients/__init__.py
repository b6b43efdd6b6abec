"""Agreement between raters: α, κ, Gwet’s coefficients, intraclass correlations."""
