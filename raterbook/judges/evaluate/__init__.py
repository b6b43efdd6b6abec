"""A model judged on published sets, as EvaluateModel runs them."""
