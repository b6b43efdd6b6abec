"""What people see of a panel."""

import re
from html import unescape


def words(drawn):
    """What they read of a piece of HTML."""
    inside = drawn.value.rpartition("</style>")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", inside)).split())


def is_there(widget):
    return widget.layout.display != "none"
