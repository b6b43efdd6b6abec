"""Where a database may live: a file on a disk of this computer."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from raterbook.rounds.model import RoundError

NETWORK = {
    "9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse.davfs", "fuse.glusterfs",
    "fuse.rclone", "fuse.s3fs", "fuse.smbnetfs", "fuse.sshfs", "glusterfs", "gpfs", "lustre",
    "ncpfs", "nfs", "nfs4", "orangefs", "smb", "smb2", "smb3", "smbfs", "vboxsf",
}


def database_path(url: str | os.PathLike[str]) -> Path:
    """The file meant by a path or a URL.

    >>> database_path("sqlite:///data/raterbook.sqlite").as_posix()
    'data/raterbook.sqlite'
    """
    text = os.fspath(url)
    scheme, separator, rest = text.partition("://")
    if separator and scheme.split("+")[0] != "sqlite":
        raise RoundError(
            f"{scheme}:// databases are not supported: give the path of a SQLite file, "
            "such as data/raterbook.sqlite."
        )
    name = rest.partition("?")[0].removeprefix("/") if separator else text
    if not name or name == ":memory:":
        raise RoundError(
            f"{text!r} names no file, and answers are kept in one: give a path, "
            "such as data/raterbook.sqlite."
        )
    path = Path(name)
    if path.is_dir():
        raise RoundError(f"{path} is a folder: name a file in it, as in {path}/raterbook.sqlite.")
    return path


def mounted() -> list[tuple[str, str]]:
    """(mount point, file system) of everything mounted; empty where the system does not tell."""
    try:
        lines = Path("/proc/self/mounts").read_text(errors="replace").splitlines()
    except OSError:
        return []
    fields = (line.split(" ") for line in lines)
    return [(_plain(field[1]), field[2]) for field in fields if len(field) > 2]


def refuse_network(path: Path, mounts: Iterable[tuple[str, str]] | None = None) -> None:
    """Locks and flushes do not hold across a network, so a database there can lose answers."""
    real = path.resolve()
    around = [
        (len(Path(point).parts), kind, point)
        for point, kind in (mounted() if mounts is None else mounts)
        if real.is_relative_to(point)
    ]
    if not around:
        return
    # The longest mount point holds the file; of two at one place, the later hides the earlier.
    deepest = max(length for length, _, _ in around)
    kind, point = [(kind, point) for length, kind, point in around if length == deepest][-1]
    if kind in NETWORK:
        raise RoundError(
            f"{path} is on a network file system ({kind}, mounted at {point}), where answers can "
            "be lost: put the database on a local disk with --db or RATERBOOK_DB, and copy it with "
            "`raterbook backup` when it should be elsewhere too."
        )


def _plain(point: str) -> str:
    """Mount tables write a space as backslash 040."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(code, character)
    return point
