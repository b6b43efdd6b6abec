"""The README's three pictures of the form, taken in a real JupyterLab.

python -m tests.browser.pictures        writes docs/form-neureg.png, -stem.png, -feedback.png
"""

import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM, open_round
from tests.browser.desk import Desk, write_notebook
from tests.browser.lab import Lab

DOCS = Path(__file__).parents[2] / "docs"
LARGEST = 200_000  # bytes
# protocol: the keys that bring the form to where the picture is taken
PICTURES = {
    "neureg": ("neureg-qa", ["4", "5", "3"]),
    "stem": ("stem-sentences", ["1", "1", "4"]),
    "feedback": ("feedback-quality", ["n", "4", "5", "4", "3"]),
}
_QUIET = """() => {
  const commands = window.jupyterapp.commands;
  commands.execute('application:toggle-left-area');
  const here = window.jupyterapp.shell.currentWidget.content;
  here.widgets.slice(0, -1).forEach((cell) => (cell.inputHidden = true));
}"""


def take(desk: Desk, name: str, keys: list[str]) -> Path:
    desk.page.evaluate(_QUIET)
    desk.form.locator(".rb-choice, .rb-card").first.wait_for()
    desk.press(*keys).wait_for_state("saved")
    desk.form.evaluate("root => root.scrollIntoView({ block: 'end' })")
    desk.page.wait_for_timeout(500)
    path = DOCS / f"form-{name}.png"
    desk.page.screenshot(path=path)
    # Few colours are enough for text on paper, and keep the file small.
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    if path.stat().st_size > LARGEST:
        raise SystemExit(f"{path.name} has {path.stat().st_size:,} bytes; {LARGEST:,} are allowed")
    return path


def main() -> None:
    DOCS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = Path(temporary)
        lab = Lab(folder).start()
        context = playwright.chromium.launch_persistent_context(
            folder / ".browser",
            executable_path=str(CHROMIUM),
            headless=True,
            args=ARGUMENTS,
            viewport={"width": 1360, "height": 860},
        )
        try:
            for name, (protocol, keys) in PICTURES.items():
                place = folder / name
                place.mkdir()
                open_round(place, protocol, 8)
                desk = Desk(lab, context.new_page(), write_notebook(place, "round-01", "ana"))
                print(take(desk.open(), name, keys))
                desk.page.close()
                lab.end_kernels()
        finally:
            context.close()
            lab.stop()


if __name__ == "__main__":
    main()
