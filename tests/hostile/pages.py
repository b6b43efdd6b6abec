"""Texts of strangers on pages, in notebooks, in Markdown and on a terminal: shown, never obeyed."""

import contextlib
import io
import json
from html.parser import HTMLParser
from unittest.mock import patch

from markupsafe import Markup
from nbconvert.filters import markdown2html

from raterbook import Workspace
from raterbook.cli import main
from raterbook.commands import Terminal
from raterbook.files import handbook
from raterbook.files.handbook import codebook, guide
from raterbook.protocols import parse
from raterbook.protocols.problems import printable
from raterbook.rating import PartsPanel
from raterbook.reporting import Report
from raterbook.reporting.explore import Explore
from raterbook.reporting.html import Section, fill
from tests.browser.hostile import TEXTS
from tests.hostile.names import broken, without
from tests.hostile.probe import Probe
from tests.hostile.way import CONTROL, Names, opened, page, said
from tests.reporting.rounds import asking, choice
from tests.reporting.rounds import opened as by_hand

# The page: every text in every place a stranger or a model can write to.

OURS = {
    *("html", "head", "meta", "title", "style", "body", "nav", "main", "section", "article", "div"),
    *("h1", "h2", "h3", "p", "ul", "li", "dl", "dt", "dd", "details", "summary", "figure", "img"),
    *("figcaption", "table", "caption", "thead", "tbody", "tr", "th", "td", "a", "b", "span", "q"),
    *("small", "blockquote", "code", "br", "strong", "em", "ol"),
}
ATTRIBUTES = {
    *("class", "id", "href", "src", "alt", "width", "height", "style", "scope", "tabindex", "role"),
    *("aria-label", "aria-hidden", "lang", "charset", "name", "content", "http-equiv", "open"),
    *("colspan", "start", "data-lm-suppress-shortcuts"),
}


class Reader(HTMLParser):
    """What is on a page: the tags and attributes that are none of ours, and texts by place."""

    def __init__(self, text):
        super().__init__()
        self.foreign, self.formulas, self.text, self._open = [], "", "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag not in OURS or (tag == "meta" and given.get("http-equiv") == "refresh"):
            self.foreign.append(tag)
        self.foreign += [name for name in given if name not in ATTRIBUTES]
        reached = [given.get(name) or "" for name in ("src", "href")]
        self.foreign += [
            where for where in reached if where and not where.startswith(("#", "data:", "../"))
        ]
        if tag == "br":
            self.text += " "
        if tag not in ("meta", "img", "br"):
            self._open.append("mathjax_ignore tex2jax_ignore" in (given.get("class") or ""))

    def handle_endtag(self, tag):
        if self._open:
            self._open.pop()

    def handle_data(self, data):
        self.text += data
        if not any(self._open):
            self.formulas += data  # what Lab and nbconvert look through


def written(folder, text):
    """A round with the text as an item's text, a system, a remark, reasons and a flag."""
    place = Workspace(folder)
    questions = {
        "label": choice("yes", "no"),
        "note": {"type": "text", "required": False},
    }
    asked = parse(asking(questions, key=["id", "model"], system="model"), source="page.yaml")
    rows = [
        {"id": f"i{n}", "text": text, "model": model, "auto": "yes"}
        for n in range(3)
        for model in (" ".join(text.split())[:200] or "a", "other")
    ]
    (folder / "items.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    stored = place.open("r", asked, folder / "items.jsonl", raters=("ana", "ben", "eva"))
    said_ = [
        {"item": item.key, "rater": rater, "question": question, "value": value}
        for rater in ("ana", "ben", "eva")
        for at, item in enumerate(stored.items())
        for question, value in (("label", "yes" if rater == "ana" or at else "no"), ("note", text))
    ]
    (folder / "said.jsonl").write_text("\n".join(map(json.dumps, said_)), encoding="utf-8")
    stored.add(folder / "said.jsonl")
    stored.mark("ana", stored.items()[0].ref, "flag", reason=text)
    stored.exclude("eva", text)
    return stored


def on_the_page(text):
    def attack(folder):
        report = Report(written(folder, text))
        html = page(report)
        found = Reader(fill("r", html))
        if found.foreign:
            return f"on the page: {found.foreign[:3]}"
        formulas = Reader(html).formulas.strip()
        if formulas:
            return f"to be typeset: {formulas[:60]!r}"
        return f"signs: {CONTROL.search(html)[0]!r}" if CONTROL.search(html) else None

    return attack


SHOWN = [(at, text) for at, text in enumerate(TEXTS) if "\0" not in text and len(text) < 6000]

# Markdown, as nbconvert and Lab make a page of it.

SIGNS = {
    "a script": "<script>window.__ran=1</script>",
    "an image": "![x](http://elsewhere.invalid/x.png)",
    "an image by its tag": "<img src=http://elsewhere.invalid/x.png onerror=1>",
    "a link that runs": "[x](javascript:1)",
    "dollars": "$x$ and $$y$$",
    "brackets with a backslash": r"\(x\) and \[y\]",
    "an environment": r"\begin{align}x\end{align}",
    "a rule over the page": r"$\rule{99em}{99em}$",
    "a dollar around markup": "$<img src=x onerror=1>$",
    "a fence": "```\n<b>\n```",
    "a table's cell": "a | b \\| <i>",
    "a heading": "# x",
    "a line across": "---",
    "a list": "- x\n1. y",
    "a comment": "<!-- x",
    "an entity": "&lt;script&gt; &#36;x&#36;",
    "a reference": "[x]: http://elsewhere.invalid 'y'",
    "a footnote": "x[^1] ![^1]",
    "an escape sequence": "\x1b[31mred\x1b[0m",
}


def seen_in(markdown, text):
    found = Reader(markdown2html(markdown))
    own = [one for one in found.foreign if not one.startswith("http")]  # a bare address, a link
    if own:
        return f"made: {own[:3]}"
    if any(sign in found.formulas for sign in ("$", "\\")):
        return f"to be typeset: {found.formulas!r:.80}"
    wanted = " ".join(printable(text).split())
    there = " ".join(found.text.split())
    return None if wanted in there else f"{wanted!r} is not in {there!r:.300}"


def in_markdown(text):
    def attack(folder):
        """The codebook names why a rater does not count; the guide, what a protocol says."""
        stored = opened(folder, Names())
        stored.exclude("rater0", text)
        again = text.replace("\x1b", "")  # YAML itself refuses it
        spec = json.loads(asking({"label": choice("yes", "no")})) | {"about": again, "title": again}
        spec["instructions"] = [again]
        return seen_in(codebook(stored), text) or seen_in(
            guide(parse(json.dumps(spec), source="guide.yaml")), again
        )

    return attack


# Notebooks: what is shown in Lab is marked as no formula.


def ignored(*classes):
    return all("mathjax_ignore" in each for each in classes)


def frames(folder):
    stored = opened(folder, Names())
    shown = [stored.answers(), stored.flags(), stored.ratings("s"), stored.frame(texts=True)]
    return None if ignored(*(each.to_html() for each in shown)) else shown[0].to_html()[:80]


def sections(folder):
    stored = opened(folder, Names())
    report = Report(stored)
    found = [report.trust(), report.made(), Explore(stored).distributions()]
    return None if ignored(*(each._repr_html_()[:80] for each in found)) else "not marked"


def widgets(folder):
    view = Explore(opened(folder, Names())).panel()
    text = asking({"label": choice("yes", "no", per="part")}, parts={
        "of": "item", "from": "text", "split": "sentences", "label": "Sentence"
    })  # fmt: skip
    panel = PartsPanel(by_hand(folder, items=[{"id": "i", "text": "$x$."}], text=text))
    classes = [view._dom_classes, panel._dom_classes]
    view.close()
    panel.close()
    return None if ignored(*classes) else f"{classes}"


# The terminal.

ESCAPE = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202egnp\r\x08\x7f"


def quiet(*words, setup=lambda folder: None, status=(0, 2)):
    """A command whose output holds what a stranger wrote, but none of its control characters."""

    def attack(folder):
        setup(folder)
        given = [str(word).replace("FOLDER", str(folder)) for word in words]
        found, out = said("--workspace", folder, *given)
        if found not in status:
            return f"status {found}: {out}"
        if CONTROL.search(out.replace("\r\n", "\n")):
            return repr(out[:300])
        return None if "owned" in out else f"says nothing of it: {out!r:.200}"

    return attack


def excluded(folder):
    opened(folder, Names()).exclude("rater0", ESCAPE)


def flagged(folder):
    stored = opened(folder, Names())
    stored.mark("rater0", stored.items()[0].ref, "flag", reason=ESCAPE)


def named(folder):
    opened(folder, Names(systems=(ESCAPE, "b")))


def answers(folder):
    opened(folder, Names())
    lines = f'item,rater,question,value\nitem0/system0,ana,"{ESCAPE}",2\n'
    (folder / "bad.csv").write_text(lines, encoding="utf-8", newline="")


def values(folder):
    opened(folder, Names())
    lines = f'item,rater,question,value\nitem0/system0,ana,s,"{ESCAPE}"\n'
    (folder / "bad.csv").write_text(lines, encoding="utf-8", newline="")


def plainly(folder):
    opened(folder, Names())


def wording(folder):
    text = asking({"label": choice("yes", "no")})
    text = text.replace("What?", r"\u202eowned\u2066\u001b[2J\u001b]0;x\u0007?")  # as YAML has it
    (folder / "own.yaml").write_text(text, encoding="utf-8")


def misspelt(folder):
    text = asking({"label": choice("yes", "no")}).replace('"choice"', r'"\u202e\u001b[2Jowned"')
    (folder / "own.yaml").write_text(text, encoding="utf-8")


def texts(folder):
    written(folder, ESCAPE.replace("\0", ""))


class Screen(io.TextIOWrapper):
    def isatty(self):
        return True


def looked_at(words):
    """A file that is written to standard output while somebody looks, and to a pipe as it is."""

    def attack(folder):
        named(folder)
        given = ["--workspace", str(folder), *words]
        screen = Screen(io.BytesIO(), encoding="utf-8")
        with contextlib.redirect_stdout(screen):
            main(given)
        screen.flush()
        there = screen.buffer.getvalue().decode()
        _, piped = said(*given)
        if CONTROL.search(there.replace("\r\n", "\n")):
            return repr(there[:200])
        return None if "\x1b" in piped else "a pipe does not get the file to the letter"

    return attack


def bar(folder):
    """A bar goes back to where its line begins; nobody else does, and nobody clears the screen."""
    out = io.StringIO()
    Terminal(out, bars=True).write("\r 50%|####\x1b[2J\r")
    Terminal(out).write("\rover")
    return None if out.getvalue() == "\r 50%|####\\x1b[2J\\r\\rover" else repr(out.getvalue())


COMMANDS = {
    "why a rater does not count": quiet("status", setup=excluded),
    "why an item is flagged": quiet("status", setup=flagged),
    "a system in a gate": quiet(
        "check", "round-01", "--require", "mean:s[model=x]>=1", setup=named
    ),
    "a gate's document": quiet(
        "check", "round-01", "--json", "--require", f"mean:s[model={ESCAPE.strip()}]>=1",
        setup=named, status=(0, 1, 2),
    ),
    "a question in a file": quiet("import", "round-01", "FOLDER/bad.csv", setup=answers),
    "a value in a file": quiet("import", "round-01", "FOLDER/bad.csv", setup=values),
    "the name of a file": quiet("import", "round-01", f"FOLDER/{ESCAPE}.csv", setup=plainly),
    "the name of a round": quiet("status", ESCAPE, setup=plainly),
    "the name of a command": quiet(ESCAPE),
    "a parameter": quiet("check", "round-01", "--param", f"{ESCAPE}=1", setup=plainly),
    "a group": quiet("report", "round-01", "--group", ESCAPE, setup=plainly),
    "a rater to leave out": quiet("exclude", "round-01", ESCAPE, "--why", "x", setup=plainly),
    "a reason said again": quiet("exclude", "round-01", "rater0", "--why", ESCAPE, setup=plainly),
    "a prompt of a protocol": quiet("protocols", "FOLDER/own.yaml", setup=wording),
    "a mistake in a protocol": quiet("protocols", "FOLDER/own.yaml", setup=misspelt),
    "what a model would be told": quiet("judge", "r", "--model", "m", "--dry-run", setup=texts),
    "a model's name": quiet("judge", "round-01", "--model", ESCAPE, "--dry-run", setup=plainly),
    "an export that is looked at": looked_at(("export", "round-01", "-")),
    "a progress bar": bar,
}  # fmt: skip

PROBES = [
    *(Probe(f"on the page: {at} {text[:24]!a}", on_the_page(text)) for at, text in SHOWN),
    *(Probe(f"in Markdown: {name}", in_markdown(text), "X11") for name, text in SIGNS.items()),
    Probe("frames are no formulas", frames, "X11"),
    Probe("sections are no formulas", sections, "X11"),
    Probe("widgets are no formulas", widgets, "X11"),
    *(Probe(f"on a terminal: {name}", attack, "X11") for name, attack in COMMANDS.items()),
]


def unmarked(folder):
    kept = Section._repr_html_
    with patch.object(Section, "_repr_html_", lambda self: kept(self).replace("mathjax_", "")):
        return sections(folder)


def formulas(folder):
    with patch.dict(handbook._FORMULAS, {"$": "$"}):
        return broken(in_markdown(SIGNS["dollars"]))(folder)


CONTROLS = [
    *(
        Probe(what, without(guard, instead, attack))
        for what, guard, instead, attack in (
            (
                "texts taken for markup",
                "raterbook.reporting.html.legible",
                Markup,
                on_the_page(TEXTS[0]),
            ),
            (
                "Markdown as it came",
                "raterbook.files.handbook._plain",
                str,
                in_markdown(SIGNS["a script"]),
            ),
            (
                "output as it came",
                "raterbook.protocols.problems.printable",
                str,
                COMMANDS["why a rater does not count"],
            ),
            (
                "streams as they are",
                "raterbook.cli.terminal",
                contextlib.nullcontext,
                COMMANDS["why an item is flagged"],
            ),
            (
                "files as they are",
                "raterbook.files.content.printable",
                str,
                COMMANDS["an export that is looked at"],
            ),
        )
    ),
    Probe("formulas in Markdown", formulas),
    Probe("sections that may be typeset", unmarked),
]
