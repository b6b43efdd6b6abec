"""Make docs/sample anew: the HALO page as it is built now, and the README's pictures of pages.

Also docs/page.md, the list of what stands on a page, and what the keys of a protocol are made into:
docs/protocol.md and the JSON Schema.

    make docs

Pictures need Chromium and Playwright; without them only the page is renewed, and that is said.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from raterbook import Workspace
from raterbook.protocols import keys, library_path
from raterbook.reporting.report import contents

HERE = Path(__file__).parent
PAGE = "halo-sample"
LARGE, PHONE = {"width": 1040, "height": 1120}, {"width": 390, "height": 844}
PICTURES = {
    "page.png": (f"{PAGE}/index.html", "main", {"viewport": LARGE}),
    "dark.png": (f"{PAGE}/index.html", "main", {"viewport": LARGE, "color_scheme": "dark"}),
    "phone.png": (f"{PAGE}/index.html", "main", {"viewport": PHONE}),
    "rounds.png": ("index.html", "h2:text('Quality of feedback')", {"viewport": LARGE}),
}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]


def main(samples: str) -> None:
    (HERE.parent / "page.md").write_text(contents(), encoding="utf-8")
    (HERE.parent / "protocol.md").write_text(keys.page(), encoding="utf-8")
    schema = library_path().with_name(keys.SCHEMA_FILE)
    schema.write_text(keys.schema_text(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        place = Workspace(samples, reports=folder)
        place.report(PAGE, "feedback-sample", "feedback-sample-2")
        shutil.copyfile(Path(folder) / PAGE / "index.html", HERE / "index.html")
        take_pictures(Path(folder))


def take_pictures(pages: Path) -> None:
    browser = shutil.which("chromium")
    try:
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
            tab.locator(begin).first.evaluate("it => (it.scrollIntoView(), scrollBy(0, -20))")
            tab.screenshot(path=HERE / name)
            tab.close()
        opened.close()


if __name__ == "__main__":
    main(sys.argv[1])
