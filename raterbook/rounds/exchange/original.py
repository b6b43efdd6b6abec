"""The items file as it came, kept in the round's log: so that it can go out byte for byte."""

import base64
import json
from typing import Any

from sqlalchemy import Connection

from raterbook.rounds import log
from raterbook.rounds.exchange.content import Decoded

ACTION = "items_file"


def keep(connection: Connection, round_id: int, items: Any, now: int) -> None:
    """Called when a round opens; does nothing for items that came from no text file."""
    original: Decoded | None = getattr(items, "original", None)
    if original is not None:
        log.add(connection, round_id, ACTION, now, text=original.text,
                encoding=original.encoding, mark=base64.b64encode(original.mark).decode())


def kept(connection: Connection, round_id: int) -> Decoded | None:
    """The file the round was opened with, if it was text and was kept."""
    for entry in log.entries(connection, round_id, ACTION):
        detail = json.loads(entry.detail)
        return Decoded(detail["text"], detail["encoding"], base64.b64decode(detail["mark"]))
    return None
