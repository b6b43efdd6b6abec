"""Make docs/sample anew: the HALO page as it is built now, and the README's pictures of pages.

Also docs/page.md, the list of what stands on a page, and what the keys of a protocol are made into:
docs/protocol.md and the JSON Schema.

    make docs

Pictures need Chromium and Playwright; without them only the page is renewed, and that is said. Of
ai-detection there is no sample round: its answers are made from detector.csv and a seed.
"""

import random
import shutil
import sys
import tempfile
from pathlib import Path

import pandas as pd

from raterbook import Workspace
from raterbook.protocols import keys, library_path
from raterbook.reporting.report import contents

HERE = Path(__file__).parent
PAGE = "halo-sample"
LARGE, PHONE = {"width": 1040, "height": 1120}, {"width": 390, "height": 844}
ROUNDS = {  # a protocol's round, and the section that only its pages have
    "neureg": ("neureg-sample", "Breakdowns"),
    "feedback": ("feedback-sample", "Does confidence mean anything?"),
    "halo": ("halo-sample", "Machines against people"),
    "stem": ("stem-sample", "Shares"),
    "questeval": ("questeval-sample", "Recall and precision"),
    "detection": ("detection-sample", "Confused values"),
}
WIDE = {"viewport": {"width": 1040, "height": 860}}
PICTURES = {
    "page.png": (f"{PAGE}/index.html", "main", {"viewport": LARGE}),
    "dark.png": (f"{PAGE}/index.html", "main", {"viewport": LARGE, "color_scheme": "dark"}),
    "phone.png": (f"{PAGE}/index.html", "main", {"viewport": PHONE}),
    "rounds.png": ("index.html", "h2:text('Quality of feedback')", {"viewport": LARGE}),
    **{
        f"{name}-{kind}.png": (f"{each}/index.html", begin, WIDE)
        for name, (each, section) in ROUNDS.items()
        for kind, begin in (("top", "main"), ("section", f"h2:text-is('{section}')"))
        if (name, kind) != ("halo", "top")  # page.png shows it
    },
}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
DETECTORS = ["atlas-2", "birch-1"]
# How often a rater misses a wrong prediction, and how often they cannot tell.
HABITS = {"r1": (0.05, 0.05), "r2": (0.1, 0.1), "r3": (0.25, 0.0)}


def main(samples: str) -> None:
    (HERE.parent / "page.md").write_text(contents(), encoding="utf-8")
    (HERE.parent / "protocol.md").write_text(keys.page(), encoding="utf-8")
    schema = library_path().with_name(keys.SCHEMA_FILE)
    schema.write_text(keys.schema_text(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        place = Workspace(samples, reports=folder)
        place.report()
        detection(Path(folder))
        shutil.copyfile(Path(folder) / PAGE / "index.html", HERE / "index.html")
        take_pictures(Path(folder))


def detection(pages: Path) -> None:
    """A round of ai-detection and its page."""
    texts = pd.read_csv(HERE / "detector.csv")
    items = texts.melt(["id", "label", "text"], DETECTORS, "model", "prediction")
    drawn, answers = random.Random(20260302), []  # noqa: S311  (made-up answers)
    for item in items.to_dict("records"):
        right = item["label"] == item["prediction"]
        for rater, (misses, unsure) in HABITS.items():
            chance = drawn.random()
            verdict = "correct" if right or chance < misses else "incorrect"
            verdict = "unsure" if chance > 1 - unsure else verdict
            given = {"verdict": verdict, "confidence": drawn.choice([60, 70, 80, 90])}
            given["reason"] = "Its words speak for that."
            key = f"{item['id']}/{item['model']}"
            answers += [(key, rater, question, value) for question, value in given.items()]
    with tempfile.TemporaryDirectory() as folder:
        place = Workspace(folder, reports=pages)
        opened = place.open("detection-sample", "ai-detection", items, raters=list(HABITS))
        file = Path(folder) / "answers.csv"
        columns = ["item", "rater", "question", "value"]
        pd.DataFrame(answers, columns=columns).to_csv(file, index=False)
        opened.add(file)
        opened.report()


def take_pictures(pages: Path) -> None:
    browser = shutil.which("chromium")
    try:
        from PIL import Image
        from playwright.sync_api import sync_playwright
    except ImportError:
        browser = None
    if browser is None:
        print("docs/sample: no Chromium or no Playwright here, so the pictures stay as they were.")
        return
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        for name, (page, begin, settings) in PICTURES.items():
            tab = opened.new_page(**settings)
            tab.goto((pages / page).as_uri())
            if name.endswith("-section.png"):
                tab.evaluate("document.querySelectorAll('details').forEach(it => (it.open = true))")
            tab.locator(begin).first.evaluate("it => (it.scrollIntoView(), scrollBy(0, -20))")
            tab.screenshot(path=HERE / name)
            tab.close()
            # Few colours are enough for text on paper, and keep the files small.
            with Image.open(HERE / name) as picture:
                few = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
                few.save(HERE / name, optimize=True)
        opened.close()


if __name__ == "__main__":
    main(sys.argv[1])
