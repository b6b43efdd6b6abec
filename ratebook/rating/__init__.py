"""The form raters work in."""

from ratebook.rating.form import Form
from ratebook.rating.parts_panel import PartsPanel

__all__ = ["Form", "PartsPanel"]
