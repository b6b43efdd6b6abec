"""The form raters work in."""

from raterbook.rating.form import Form
from raterbook.rating.parts_panel import PartsPanel

__all__ = ["Form", "PartsPanel"]
