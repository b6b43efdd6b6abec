"""docs/sample shows what is built now, not what was built once."""

import re

from raterbook.reporting.sections.made import PACKAGES
from tests.installed import needs_locked
from tests.reporting.conftest import ROOT

NAMES = "|".join(["python", *PACKAGES])
# Versions differ from machine to machine, and the head of the history, since times are in it; the
# page does not otherwise.
VERSIONS = re.compile(rf"Computed with Python [^<]*|<dt>(?:{NAMES}|history)</dt><dd>[^<]*</dd>")


def test_the_committed_sample_page_is_the_one_built_now(built):
    needs_locked("matplotlib", "THE SAMPLE PAGE IN docs")  # it has its figures
    now = VERSIONS.sub("", (built / "halo-sample" / "index.html").read_text("utf-8"))
    kept = VERSIONS.sub("", (ROOT / "docs" / "sample" / "index.html").read_text("utf-8"))
    first = next((at for at, (a, b) in enumerate(zip(now, kept, strict=False)) if a != b), None)
    assert now == kept, (
        "docs/sample/index.html is not what is built now: run `make docs` and commit it. First "
        f"difference, built now: …{now[(first or 0) - 40 : (first or 0) + 80]!r}…"
    )
