"""What the site does to pages: see mkdocs.yml.

Files at the top of the repository become pages, `$…$` becomes MathML, examples in docstrings become
blocks, and llms.txt lists all pages with their text beside them.
"""

import os
import re
from html import unescape
from pathlib import Path

import griffe
from latex2mathml.converter import convert
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
# Of the repository's files, those that are pages of the site.
PAGES = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
}
LINK = re.compile(r"(!?\[[^\]]*\])\(([A-Za-z0-9_/.-]+)(#[\w-]+\)|\))")
MATHS = re.compile(r'<(span|div) class="arithmatex">\s*\\[(\[](.*?)\\[)\]]\s*</\1>', re.S)
EXAMPLE = re.compile(r"^(>>> .*?)(?=\n\s*\n|\Z)", re.S | re.M)
texts: dict[str, str] = {}


def on_files(files, config):
    """Pages from the top of the repository, and the reports' own page as it is."""
    for source, name in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    """Links as they are in the repository, now as they are in the site."""
    name = page.file.src_uri
    home = ROOT if name in PAGES.values() else (ROOT / "docs" / name).parent

    def link(match):
        words, target, place = match.groups()
        file = os.path.relpath(home / target, ROOT)
        page = PAGES.get(file, file.removeprefix("docs/"))
        if page == file:  # of the repository and no page of the site: its name is enough
            return words.strip("![]")
        return f"{words}({os.path.relpath(page, Path(name).parent)}{place}"

    texts[name] = LINK.sub(link, markdown)
    return texts[name]


def on_page_content(html, page, config, files):
    """Formulas as MathML, which browsers draw by themselves."""

    def formula(match):
        display = "block" if match[1] == "div" else "inline"
        return convert(unescape(match[2]), display=display)

    return MATHS.sub(formula, html)


def on_nav(nav, config, files):
    config.extra["pages"] = [(part.title, page) for part in nav.items for page in part.children]


def on_post_build(config):
    """llms.txt, and each page's text beside the page."""
    site, heading = Path(config.site_dir), ""
    lines = [f"# {config.site_name}", "", f"> {config.site_description}", ""]
    for part, page in config.extra["pages"]:
        if part != heading:
            lines += ["", f"## {part}", ""]
        heading, name = part, page.file.src_uri
        made = "\n:::" in texts[name]  # the reference: its text is made from the code
        lines.append(f"- [{page.title}]({page.url if made else name}): {about(texts[name])}")
        if not made:
            (site / name).write_text(texts[name], encoding="utf-8")
    (site / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def about(text):
    """The first sentence of a page."""
    words = next(part for part in re.split(r"\n\s*\n", text) if re.match(r"[A-Z`“*]", part))
    words = LINK.sub(lambda match: match[1].strip("[]"), " ".join(words.split()))
    return re.split(r"(?<=[.])\s", words.replace("**", ""), maxsplit=1)[0]


class Examples(griffe.Extension):
    """Examples in docstrings stand as blocks."""

    def on_object(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\1\n```", obj.docstring.value)
