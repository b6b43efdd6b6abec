"""Archives and dropped files of somebody else's making: refused in words, and nothing is lost."""

import json
import shutil
from contextlib import ExitStack
from unittest.mock import patch

from raterbook.files.archive import SEAL, write_archive
from raterbook.panels.controls import DroppedFile, Notice
from raterbook.samples import build
from tests.hostile.names import broken
from tests.hostile.probe import Probe
from tests.hostile.way import Names, opened, said

DEEP = "[" * 100_000


def sealed(change, folder="round=x", status=2, guards=()):
    """An archive whose seal was changed, and whose pages are built: what stands beside the folder
    of reports stays, and what is wrong is said."""

    def attack(place):
        (place / "own").mkdir()
        write_archive(opened(place / "own", Names()), place / "made")
        inside = place / "inside"
        (inside / "archive").mkdir(parents=True)
        shutil.move(place / "made" / "round=round-01", inside / "archive" / folder)
        file = inside / "archive" / folder / SEAL
        document = json.loads(file.read_text())
        text = change(document)
        file.write_text(text if isinstance(text, str) else json.dumps(document))
        (inside / "precious").write_text("mine")
        with ExitStack() as stack:
            for guard in guards:
                stack.enter_context(guard())
            words = ("report", "--all", "--archive", inside / "archive")
            found, out = said("--workspace", inside, *words)
        there = sorted(each.name for each in inside.iterdir() if each.name != "reports")
        if there != ["archive", "precious"]:
            return f"beside the reports is {there}"
        if len(out) > 2_000:
            return f"a message of {len(out)} characters"
        return None if found == status else f"{found}: {out}"

    return broken(attack)


def every(name, value):
    """This of each file in the seal."""
    return lambda seal: seal["files"].update(
        {k: {**v, name: value} for k, v in seal["files"].items()}
    )


def nothing(seal):
    pass


SEALS = {
    "a folder named a way out": sealed(nothing, "round=..", 0),
    "a folder named the one it is in": sealed(nothing, "round=.", 0),
    "a folder that draws": sealed(nothing, "round=\x1b[2J", 0),
    "files in a list": sealed(lambda seal: seal.update(files=[])),
    "files that are nothing": sealed(lambda seal: seal.update(files={"answers-0.parquet": None})),
    "files elsewhere": sealed(
        lambda seal: seal["files"].update({"../../../precious": {"rows": 1, "sha256": ""}})
    ),
    "rows in words": sealed(every("rows", "x")),
    "fewer rows than there are": sealed(every("rows", 1)),
    "fewer rows than none": sealed(every("rows", -1)),
    "columns in a list": sealed(lambda seal: seal.update(schema=[1])),
    "no columns": sealed(lambda seal: seal.update(schema=None)),
    "no protocol": sealed(lambda seal: seal.update(protocol=None)),
    "a protocol that is none": sealed(lambda seal: seal["protocol"].update(text="a: [")),
    "a hash that is an object": sealed(lambda seal: seal.update(answers={"a": [1]})),
    "a seal of one key": sealed(lambda seal: '{"format": 1}'),
    "a seal that is a list": sealed(lambda seal: "[1]"),
    "a seal nested deeply": sealed(lambda seal: DEEP),
    "a format of a MB": sealed(lambda seal: seal.update(format="x" * 1_000_000)),
}


# Files dropped on a panel.


def dropped(**message):
    """A file of four bytes that is said to be so; it lies in the panel's folder, or is refused."""

    def attack(folder):
        notice = Notice()
        panel = DroppedFile("Drop.", (), notice)
        try:
            told = {"at": 0, "size": 4, "name": "a.csv", **message}
            panel._heard(None, told, [b"abcd"])
            inside = sorted(each.name for each in panel._folder.iterdir())
            if panel.path and len(inside) != 1:
                return f"{panel.path}, and in the folder {inside}"
            if not panel.path and not notice.value and not message.get("waits"):
                return "neither taken nor refused"
            return None
        finally:
            panel.close()

    return broken(attack)


DROPPED = {
    "a way out": dropped(name=".."),
    "a path": dropped(name="../../x"),
    "a path of Windows": dropped(name="..\\..\\x"),
    "nothing": dropped(name=""),
    "100 signs of three bytes": dropped(name="日" * 100 + ".csv"),
    "half a sign": dropped(name="\ud800.csv"),
    "a NUL": dropped(name="a\0.csv"),
    "a number": dropped(name=7),
    "a size below nothing": dropped(size=-5),
    "a size of 400 digits": dropped(size=10**400),
}


def samples_beside(folder):
    """What stands where samples were once made on their way is somebody's."""
    (folder / "demo.part").mkdir()
    (folder / "demo.part" / "precious").write_text("mine")
    build(folder / "demo", rounds=())
    return None if (folder / "demo.part" / "precious").exists() else "it was removed"


PROBES = [
    *(Probe(f"an archive: {name}", attack, "X8, X9") for name, attack in SEALS.items()),
    *(Probe(f"dropped, called {name}", attack, "X12") for name, attack in DROPPED.items()),
    Probe("a folder where samples are made", broken(samples_beside), "X12"),
]


def unguarded(*names):
    return [lambda name=name: patch(name, lambda *_: True) for name in names]


ARCHIVE = "raterbook.files.archive"
CONTROLS = [
    Probe(
        "folders of any name",
        sealed(nothing, "round=..", 0, unguarded(f"{ARCHIVE}.is_plain", f"{ARCHIVE}.check_round")),
    ),
    Probe(
        "a seal that nobody looks at",
        sealed(lambda seal: seal.update(schema=[1]), guards=unguarded(f"{ARCHIVE}._is_seal")),
    ),
]
