"""One writer at a time, first come, first served: two advisory locks on files beside the database.

SQLite has locks of its own, but its waiters sleep and try again, so under load one of them can
wait for seconds. The kernel wakes the waiters of these in turn. One lock alone would still be
unfair on a busy machine: whoever just wrote would have it again before the next in line is
awake. So there is a gate before it: only the one in the gate waits for the lock, and who comes
back queues up before the gate.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from raterbook.rounds.model import RoundError

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
    with _file(path.with_name(f"{path.name}.gate")) as gate, _file(path) as lock:
        if not _taken_at_once(gate, lock):
            _queue_up(gate, lock, path, patience)
        yield


@contextmanager
def _file(path: Path) -> Iterator[int]:
    # A descriptor of its own each time: then threads exclude each other too.
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise RoundError(
                f"{path} is a link, and nothing is written through one: remove it."
            ) from error
        raise RoundError(
            f"{path} cannot be written ({error.strerror}), so answers cannot be saved: make the "
            "folder and the files in it writable for you, or choose another place with --db."
        ) from error
    try:
        yield descriptor
    finally:
        # Unlocked by name: a child forked meanwhile may hold a copy of the descriptor.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _taken_at_once(gate: int, lock: int) -> bool:
    try:
        fcntl.flock(gate, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False  # the gate, if it was free, is ours and stays ours
    fcntl.flock(gate, fcntl.LOCK_UN)
    return True


def _queue_up(gate: int, lock: int, path: Path, patience: float) -> None:
    # Only a blocking call queues up; it waits in a thread so that we need not wait for ever.
    copies, locked = (os.dup(gate), os.dup(lock)), threading.Event()
    deciding, given_up = threading.Lock(), threading.Event()

    def wait() -> None:
        fcntl.flock(copies[0], fcntl.LOCK_EX)
        if not given_up.is_set():
            fcntl.flock(copies[1], fcntl.LOCK_EX)
        fcntl.flock(copies[0], fcntl.LOCK_UN)
        with deciding:
            if given_up.is_set():
                fcntl.flock(copies[1], fcntl.LOCK_UN)
            else:
                locked.set()
        for copy in copies:
            os.close(copy)

    threading.Thread(target=wait, daemon=True, name="raterbook-lock").start()
    if locked.wait(patience):
        return
    with deciding:
        if locked.is_set():
            return
        given_up.set()
    raise RoundError(
        f"{path} has been locked by another process for {patience:.0f} s, and nothing was "
        "saved: look for a stopped Raterbook or notebook on this workspace and end it, "
        "then try again."
    )
