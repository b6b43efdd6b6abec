"""The README keeps what it promises."""

import argparse
import re
from pathlib import Path

from raterbook.cli import parser
from raterbook.protocols import names

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMAND_PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


def commands():
    top = parser()
    sub = next(a for a in top._actions if isinstance(a, argparse._SubParsersAction))
    return sub.choices


def test_every_command_and_option_is_in_the_docs():
    for name, command in commands().items():
        assert f"### raterbook {name}" in COMMAND_PAGE, f"docs/commands.md lacks {name}"
        section = COMMAND_PAGE.split(f"### raterbook {name}\n")[1].split("\n### ")[0]
        for action in command._actions:
            for option in action.option_strings:
                if option.startswith("--") and option != "--help":
                    assert option in section, f"docs/commands.md: {name} lacks {option}"


def test_the_readme_lists_every_protocol():
    for name in names():
        assert f"`{name}`" in README


def test_the_readme_is_read_in_five_minutes():
    assert len(README.splitlines()) <= 120


def test_every_file_the_readme_links_to_exists():
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target


# Files that the docs name and that are not here yet.


def test_the_files_that_meet_a_checklist_are_here():
    page = (ROOT / "docs" / "checklists.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./]+\.(?:cff|md|yml))`", page + README))
    assert named >= {"CITATION.cff", "CODE_OF_CONDUCT.md", ".github/workflows/ci.yml"}
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_the_targets_the_readme_names_are_in_the_makefile():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"(?:^    |`)make ([a-z]+)", README, re.M):
        assert re.search(rf"^{target}:", makefile, re.M), target
