"""Answers → tidy tables, one row per fact. Nothing here draws, and nothing writes sentences."""
