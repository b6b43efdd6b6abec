"""Open the sample rounds in a workspace of their own: `python data/samples/build.py FOLDER`.

Built again only when a sample, a protocol or the store has changed.
"""

import csv
import hashlib
import shutil
import sys
from pathlib import Path

from raterbook import Workspace

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
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


def main(folder: Path) -> None:
    stamp = folder / "built-from"
    digest = content_hash()
    if stamp.exists() and stamp.read_text() == digest:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    workspace = Workspace(folder, db=str(folder / "data" / "raterbook.sqlite"))
    for name, (protocol, items, parts, answers) in ROUNDS.items():
        files = HERE / protocol
        opened = workspace.open(
            name,
            protocol,
            files / items,
            parts=files / parts if parts else None,
            raters=raters(files / answers),
        )
        opened.add(files / answers)
        print(f"{name}: {protocol}, {len(opened.answers(texts=True)):,} answers")
    stamp.write_text(digest)


def raters(answers: Path) -> list[str]:
    with answers.open(newline="", encoding="utf-8") as lines:
        return sorted({row["rater"] for row in csv.DictReader(lines)})


def content_hash() -> str:
    files = [
        *HERE.glob("*/*.csv"),
        *(ROOT / "raterbook" / "protocols" / "library").glob("*.yaml"),
        *(ROOT / "raterbook" / "rounds").rglob("*.py"),
        *(ROOT / "raterbook" / "files").rglob("*.py"),
    ]
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "workspace")
