"""Panels of widgets for those who lead a round: what the command line does, inside Jupyter."""
