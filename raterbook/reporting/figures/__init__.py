"""Figures: each takes a tidy result and an optional `ax`, and returns the axes."""
