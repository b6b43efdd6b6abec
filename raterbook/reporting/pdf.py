"""The page on paper, printed by Chromium with everything unfolded."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from ..environment import setting
from .place import ReportError

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
)
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--no-pdf-header-footer",
    "--generate-pdf-document-outline",
)
PATIENCE = 120  # seconds


def print_page(page: Path, file: Path) -> None:
    """Write `page` as a PDF; RATERBOOK_CHROMIUM names the browser where it has another name."""
    installed = filter(None, map(shutil.which, BROWSERS))
    browser = setting("CHROMIUM") or next(installed, None)
    if browser is None:
        raise ReportError(
            f"{file.name}: printing needs Chromium, and none of {', '.join(BROWSERS)} is "
            "installed. Install one, name it in RATERBOOK_CHROMIUM, or print the page yourself."
        )
    with tempfile.TemporaryDirectory() as folder:
        unfolded = Path(folder) / "page.html"
        text = page.read_text(encoding="utf-8").replace("<details>", "<details open>")
        unfolded.write_text(text, encoding="utf-8")
        words = [browser, *FLAGS, f"--user-data-dir={folder}/profile", f"--print-to-pdf={file}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            words.append("--no-sandbox")  # Chromium has no sandbox for the superuser
        try:
            done = subprocess.run(
                [*words, unfolded.as_uri()],
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            said = f"{file.name}: {browser} could not print the page: {error}."
            raise ReportError(said) from error
    if not file.exists():
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ReportError(f"{file.name}: {browser} printed nothing: {last}")
