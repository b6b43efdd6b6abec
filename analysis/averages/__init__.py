"""Answers one by one: means, shares, differences, and what raters weigh."""
