"""One writer at a time: an advisory lock on a file beside the database.

SQLite has locks of its own, but its waiters sleep and try again, so under load one of them can
wait for seconds. The kernel wakes the waiters of this one in turn.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ratebook.rounds.model import RoundError

try:
    import fcntl
except ImportError:  # Windows: SQLite's own locks alone
    fcntl = None  # type: ignore[assignment]

PATIENCE = 60.0  # seconds


@contextmanager
def exclusive(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock file for the length of the block, across threads and processes."""
    if fcntl is None:
        yield
        return
    # A descriptor of its own each time: then threads exclude each other too.
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise RoundError(
            f"{path} cannot be written ({error.strerror}), so answers cannot be saved: make the "
            "folder and the files in it writable for you, or choose another place with --db."
        ) from error
    try:
        _wait(descriptor, path, patience)
        yield
    finally:
        # Unlocked by name: a child forked meanwhile may hold a copy of the descriptor.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _wait(descriptor: int, path: Path, patience: float) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    except BlockingIOError:
        pass
    # Only a blocking call queues up; it waits in a thread so that we need not wait for ever.
    copy, given_up, locked = os.dup(descriptor), threading.Event(), threading.Event()

    def wait() -> None:
        fcntl.flock(copy, fcntl.LOCK_EX)
        if given_up.is_set():
            fcntl.flock(copy, fcntl.LOCK_UN)
        os.close(copy)
        locked.set()

    threading.Thread(target=wait, daemon=True, name="ratebook-lock").start()
    if not locked.wait(patience):
        given_up.set()
        if not locked.is_set():
            raise RoundError(
                f"{path} has been locked by another process for {patience:.0f} s, and nothing was "
                "saved: look for a stopped Ratebook or notebook on this workspace and end it, "
                "then try again."
            )
