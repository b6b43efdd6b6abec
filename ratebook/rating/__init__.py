"""The form raters work in."""

from ratebook.rating.form import Form

__all__ = ["Form"]
