"""What the site does to pages: see mkdocs.yml.

Files at the top of the repository become pages, `$…$` becomes MathML, examples in docstrings become
blocks, and llms.txt lists all pages with their text beside them.
"""

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
LINK = re.compile(r"(\]\()((?:\.\./)*)([A-Za-z_/.-]+)(?=[)#])")
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
    top = name in PAGES.values()

    def link(match):
        begin, up, target = match.groups()
        inside = target.removeprefix("docs/") if top else target
        if top and target in PAGES or not top and len(up) == 3 * (name.count("/") + 1):
            inside = PAGES.get(target, "")
            if not inside:  # a file of the repository that is no page: its name is enough
                return match[0]
            up = up[3:]
        return f"{begin}{up}{inside}"

    text = LINK.sub(link, markdown)
    texts[name] = text
    return text


def on_page_content(html, page, config, files):
    """Formulas as MathML, which browsers draw by themselves."""

    def formula(match):
        display = "block" if match[1] == "div" else "inline"
        return convert(unescape(match[2]), display=display)

    return MATHS.sub(formula, html)


def on_post_build(config):
    """llms.txt, and each page's text beside the page."""
    site = Path(config.site_dir)
    lines = [f"# {config.site_name}", "", f"> {config.site_description}"]

    def add(entries, title):
        for entry in entries:
            if entry.is_section:
                lines.extend(["", f"## {entry.title}", ""])
                add(entry.children, entry.title)
            elif entry.is_page:
                lines.append(f"- [{entry.title}]({entry.file.src_uri}): {about(entry)}")

    lines.append("")
    add(config.extra["navigation"].items, None)
    (site / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, text in texts.items():
        (site / name).write_text(text, encoding="utf-8")


def on_nav(nav, config, files):
    config.extra["navigation"] = nav
    return nav


def about(page):
    """The first sentence below a page's title."""
    body = re.sub(r"^#.*\n", "", texts[page.file.src_uri].lstrip(), count=1)
    first = next(
        (part for part in re.split(r"\n\s*\n", body) if re.match(r"\s*[A-Za-z`“]", part)), ""
    )
    return re.split(r"(?<=[.:])\s", " ".join(first.split()), maxsplit=1)[0]


class Examples(griffe.Extension):
    """Examples in docstrings stand as blocks."""

    def on_object(self, *, obj, **_):
        if obj.docstring:
            text = griffe.docstring_clean(obj.docstring.value) if False else obj.docstring.value
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\1\n```", text)
