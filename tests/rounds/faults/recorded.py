"""A disk that forgets: system calls of one writer, recorded, and what a power cut leaves of them.

A write is on the disk when its file was flushed afterwards; a new or removed name when its folder
was. Whatever was not flushed may be there, may be missing, or may be there in part, and in any
order: so a cut drops an arbitrary subset of it.
"""

import random
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

CALLS = "openat,close,write,pwrite64,fsync,fdatasync,ftruncate,unlink,unlinkat,rename"
SECTOR = 512
_LINE = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+)")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')


def can_record():
    """Whether strace is here and may trace."""
    strace = shutil.which("strace")
    return (
        bool(strace)
        and subprocess.run(
            [strace, "-o", "/dev/null", "true"], capture_output=True, check=False
        ).returncode
        == 0
    )


def record(code, folder, *words):
    """Run the code under strace; the calls that touch this folder, in order."""
    log = folder.with_name(folder.name + ".calls")
    done = subprocess.run(
        [
            "strace",
            "-e",
            f"trace={CALLS}",
            "-xx",
            "-s",
            "200000",
            "-o",
            str(log),
            sys.executable,
            "-c",
            code,
            *map(str, words),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return list(_calls(log, str(folder)))


@dataclass(frozen=True)
class Call:
    name: str
    path: str
    data: bytes = b""
    offset: int = 0
    created: bool = False


def _calls(log, folder):
    paths = {}
    for line in log.read_text().splitlines():
        match = _LINE.match(line)
        if match is None or int(match[3]) < 0:
            continue
        name, words, result = match[1], match[2], int(match[3])
        texts = [bytes.fromhex(found[1].replace("\\x", "")) for found in _TEXT.finditer(words)]
        assert '"...' not in words, "a call was cut short in the record"
        if name == "openat":
            path = texts[0].decode()
            paths[result] = path if path.startswith(folder) else None
            if paths[result] and "O_CREAT" in words:
                yield Call("create", path)
            continue
        if name in ("unlink", "unlinkat"):
            if texts[0].decode().startswith(folder):
                yield Call("unlink", texts[0].decode())
            continue
        assert name != "rename" or not texts[0].decode().startswith(folder)
        descriptor = int(words.split(",")[0]) if words.split(",")[0].isdigit() else -1
        path = paths.get(descriptor)
        if name == "close":
            paths.pop(descriptor, None)
        elif path and name == "pwrite64":
            yield Call("write", path, texts[0][:result], int(words.rsplit(", ", 1)[1]))
        elif path and name == "write":
            yield Call("append", path, texts[0][:result])
        elif path and name in ("fsync", "fdatasync"):
            yield Call("sync", path)
        elif path and name == "ftruncate":
            yield Call("truncate", path, offset=int(words.rsplit(", ", 1)[1]))


@dataclass
class File:
    """What is on the disk, and what was written since without a flush."""

    content: bytearray = field(default_factory=bytearray)
    waiting: list = field(default_factory=list)

    def apply(self, call):
        if call.name == "truncate":
            del self.content[call.offset :]
            self.content.extend(bytes(call.offset - len(self.content)))
            return
        at = len(self.content) if call.name == "append" else call.offset
        if len(self.content) < at:
            self.content.extend(bytes(at - len(self.content)))
        self.content[at : at + len(call.data)] = call.data

    def flush(self):
        for call in self.waiting:
            self.apply(call)
        self.waiting.clear()


class Disk:
    """The folder as the calls so far have left it."""

    def __init__(self, folder):
        self.folder = str(folder)
        self.names = {str(p): File(bytearray(p.read_bytes())) for p in folder.iterdir()}
        self.seen = dict(self.names)  # as running programs see it
        self.waiting = []  # changes of names since the folder was flushed

    def do(self, call):
        if call.name == "create":
            if call.path not in self.seen:
                self.seen[call.path] = File()
                self.waiting.append((call.path, self.seen[call.path]))
        elif call.name == "unlink":
            self.seen.pop(call.path, None)
            self.waiting.append((call.path, None))
        elif call.name == "sync" and call.path == self.folder:
            for path, file in self.waiting:
                self._rename(path, file)
            self.waiting.clear()
        elif call.name == "sync":
            self.seen[call.path].flush()
        else:
            self.seen[call.path].waiting.append(call)

    def _rename(self, path, file):
        if file is None:
            self.names.pop(path, None)
        else:
            self.names[path] = file

    def cut(self, rng, there):
        """The power goes: write what is left into the folder `there`."""
        for path, file in self.waiting[: rng.randint(0, len(self.waiting))]:
            self._rename(path, file)
        kept_share = rng.choice((0.0, 0.3, 0.7, 1.0))
        for path, file in self.names.items():
            left = File(bytearray(file.content))
            for call in file.waiting:
                if rng.random() < kept_share:
                    left.apply(_torn(call, rng))
            (there / Path(path).name).write_bytes(left.content)


def _torn(call, rng):
    """Now and then only some sectors of a write are there."""
    if call.name != "write" or rng.random() < 0.8 or len(call.data) <= SECTOR:
        return call
    sectors = rng.randint(1, len(call.data) // SECTOR)
    return Call("write", call.path, call.data[: sectors * SECTOR], call.offset)


def cuts(calls, folder_before, folder, count, seed=3):
    """For `count` moments: the folder after a cut, and the calls that had returned by then."""
    rng = random.Random(seed)
    moments = sorted(rng.choices(range(1, len(calls) + 1), k=count))
    for number, moment in enumerate(moments):
        disk = Disk(folder_before)
        # The record names the folder it was made in.
        disk.names = {p.replace(str(folder_before), str(folder)): f for p, f in disk.names.items()}
        disk.seen, disk.folder = dict(disk.names), str(folder)
        for call in calls[:moment]:
            disk.do(call)
        there = folder.with_name(f"{folder.name}-cut-{number}")
        there.mkdir()
        disk.cut(rng, there)
        yield there, calls[:moment]
        shutil.rmtree(there)
