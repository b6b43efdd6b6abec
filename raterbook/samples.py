"""The sample rounds: made-up texts and simulated answers, to try everything on.

python -m raterbook.samples FOLDER
"""

from __future__ import annotations

import csv
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from .environment import SHIPPED
from .workspace import DATABASE, Workspace, lay_out

SAMPLES = SHIPPED / "samples"
ROUNDS = {  # round: (protocol, items, parts, answers)
    "neureg-sample": ("neureg-qa", "items.csv", None, "ratings.csv"),
    "questeval-sample": ("rag-questeval", "items.csv", "parts.csv", "ratings.csv"),
    "feedback-sample": ("feedback-quality", "items.csv", None, "ratings.csv"),
    "feedback-sample-2": (
        "feedback-quality",
        "items-round-2.csv",
        None,
        "ratings-round-2.csv",
    ),
    "halo-sample": ("halo-support", "items.csv", None, "ratings.csv"),
    "stem-sample": ("stem-sentences", "items.csv", "parts.csv", "ratings.csv"),
}
STAMP = "built-from"  # in a folder of samples: what they were made from
LOOK = (  # what was planted, and where it shows
    ("feedback-sample", "agreement is weak on most criteria"),
    ("feedback-sample-2", "the same raters after training: agreement has risen"),
    ("halo-sample", "a target met by the estimate, and not by the whole of its interval"),
    ("neureg-sample", "five raters: one severe, one lenient, one drifting, one careless"),
    ("questeval-sample", "one system covers more, the other is more exact"),
    ("stem-sample", "sentence by sentence: how many are wrong, and how badly"),
)


def demo(folder: Path) -> Path:
    """A workspace with the sample rounds and their pages; the index of the pages.

    Where the folder is a demo already, its rounds are left as they stand.
    """
    if not (folder / STAMP).exists():
        build(folder)
    lay_out(folder)
    place = Workspace(folder, db=str(folder / DATABASE))
    print("Building their pages …", flush=True)
    place.report(jobs=min(os.cpu_count() or 1, len(ROUNDS)))
    return place.reports / "index.html"


def build(folder: Path, rounds: Iterable[str] = ROUNDS) -> None:
    """Open the sample rounds in a folder of their own, again only when something has changed.

    A folder that holds anything else is refused: what stands in it might be somebody's work.
    """
    stamp, digest = folder / STAMP, content_hash()
    if stamp.exists() and stamp.read_text() == digest:
        return
    if folder.is_dir() and any(folder.iterdir()) and not stamp.exists():
        raise ValueError(
            f"{folder} holds other files: name a folder that is new or empty for the samples."
        )
    if folder.name in ("", ".."):
        raise ValueError(f"{folder} is the folder here, or above: name a new one for the samples.")
    # Made beside it, in a folder that nobody has, and put in place whole.
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    work.chmod(0o755)
    try:
        place = Workspace(work, db=str(work / DATABASE))
        for name in rounds:
            open_sample(place, name)
        place.store.dispose()
        (work / STAMP).write_text(digest)
        shutil.rmtree(folder, ignore_errors=True)
        work.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def open_sample(place: Workspace, name: str) -> None:
    protocol, items, parts, answers = ROUNDS[name]
    files = SAMPLES / protocol
    with (files / answers).open(newline="", encoding="utf-8") as lines:
        raters = sorted({row["rater"] for row in csv.DictReader(lines)})
    opened = place.open(
        name,
        protocol,
        files / items,
        parts=files / parts if parts else None,
        raters=raters,
    )
    opened.add(files / answers)
    print(f"{name}: {protocol}, {len(opened.answers(texts=True)):,} answers")


def content_hash() -> str:
    package = Path(__file__).parent
    files = [
        *SAMPLES.glob("*/*.csv"),
        *(package / "protocols" / "library").glob("*.yaml"),
        *(package / "rounds").rglob("*.py"),
        *(package / "files").rglob("*.py"),
    ]
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(str(file.relative_to(package)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    build(Path(sys.argv[1]))
