"""Panels of widgets, for who leads a round and who settles it."""
