"""Names of raters, systems, items, groups and rounds: kept whole and apart, or refused in words."""

import re
import sqlite3
from contextlib import ExitStack, closing
from unittest.mock import patch
from xml.etree import ElementTree

from raterbook import Workspace
from raterbook.reporting import Report
from raterbook.rounds import ItemTable, RoundError
from tests.hostile.probe import Probe
from tests.hostile.way import Names, opened, page, said, walked
from tests.reporting.rounds import asking, choice, measured, scale
from tests.reporting.rounds import opened as by_hand

LLAMA = "meta-llama/Llama-3.1-8B-Instruct"
FRACTION = r"a $\frac{$ b"


def broken(attack):
    """The same attack, with an exception as one more way to break."""

    def tried(folder):
        try:
            return attack(folder)
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    return tried


def without(guard, instead, attack):
    """The attack with a guard taken away."""

    def tried(folder):
        with patch(guard, instead):
            return broken(attack)(folder)

    return tried


# The whole way.

WALKED = {
    "a model's ordinary name": Names((LLAMA,), (f"{LLAMA}-judge",), (LLAMA,)),
    "four systems of 26 letters": Names(
        systems=[f"system-with-26-letters-n{n:03}" for n in range(4)]
    ),
    "half a formula": Names((FRACTION,), ("$x$",), (FRACTION, "$y$"), ("$^$",), ("$_$",)),
    "names as long as they may be": Names(
        ("r" * 128, "r" * 127 + "b"), ("M" * 128,), ("s" * 200, "s" * 199 + "b"), ("i" * 200,),
        ("t" * 200,),
    ),
    "markup": Names(
        ("<script>1</script>", "<img src=x onerror=1>"), ("<svg onload=1>",), ("<b>", "</section>"),
        ("'\"><script>",), ("&amp;", "&"),
    ),
    "scripts of the world": Names(
        ("日本語の評価者", "عربى"), ("ไทย",), ("हिन्दी", "தமிழ்"), ("қазақ", "שלום"), ("👩‍👩‍👧", "ⵣⴰ")
    ),
    "formulas of spreadsheets": Names(
        ("=1+1", "a,b"), ("@x",), ("-x", "+y"), ("a\tb", "=A1"), ("+1", "a;b")
    ),
    "escape sequences": Names(
        systems=("\x1b[31mred", "\x1b]0;title\x07"), items=("a\x1b[2Jb", "a\nb"),
        topics=("\u202eabc",),
    ),
    "paths": Names(
        ("../../x", "/etc/passwd", "C:\\x"), ("..",), ("..", "/"), ("../..", "a/../b"), (".",)
    ),
    "devices of Windows": Names(("CON", "nul"), ("aux.txt",), ("COM1", "lpt9"), ("prn",), ("con",)),
    "numbers": Names(("1", "1.0"), ("1e5",), ("NaN", "-0"), ("inf", "007"), ("1.10", "1.1")),
    "nothing's names": Names(
        ("None", "null"), ("True",), ("nan", "N/A"), ("NA", "undefined"), ("none",)
    ),
    "our own words": Names(
        ("all", "people"), ("human",), ("systems", "model"), ("s", "case"), ("mean", "group")
    ),
    "marks of the page": Names(
        ("a †", "b ‡"), ("c *",), ("d − e", "f to g"), ("h · i",), ("5 %", "j: k")
    ),
    "quotation marks and brackets": Names(
        ("a’b", "“c”"), ("d[e]=f",), ("g,h=i]", '"j"'), ("{{k}}", "{% l %}"), ("%s", "{0}"),
    ),
    "SQL": Names(
        ("'; DROP TABLE x; --", "a' OR 1=1"), (), ("x'); --", "%"), ("_", "*"), ("\\", "\\0")
    ),
    "LaTeX": Names(
        (r"\input{x}", "a_b"), (r"\\",), (r"\def\x{\x}\x", "#1"), ("~", "^"), ("a&b", "%")
    ),
    "colours and fonts of figures": Names(
        ("#1c1f23", "'DejaVu Sans'"), ("#59616b",), ("#fefefe", "<defs>"), ("-->", "]]>"),
        ("#c5cbd3",),
    ),
}  # fmt: skip


def walk(names):
    return lambda folder: walked(folder, names)


# Refused where it would come in, with the value in the message, and nothing kept.


def refused(folder, names, *told):
    try:
        opened(folder, names)
    except (RoundError, ValueError) as error:
        lacking = [word for word in told if word not in str(error)]
        left = Workspace(folder).rounds()
        return f"{lacking} not in: {error}" if lacking else f"left: {left}" if left else None
    return "taken"


ROUNDS = (
    ".", "..", "../x", "a/b", "a\\b", "/x", "C:x", "~", "CON", "nul", "Com1", "LPT9", "", " ",
    "a b", "a\n", "a\x00b", "-x", "é", "．．", "a" * 65, "a.", "%2e%2e", "\u202ea", "\U0001d4ea",
)  # fmt: skip
RATERS = {
    "an escape sequence": "\x1b[31mana",
    "a turned direction": "\u202eana",
    "spaces around": " ana ",
    "nothing to be seen": "\u3164",
    "129 letters": "a" * 129,
    "half a sign": "\ud800",
    "a line end": "ana\nben",
}
ALIKE = {
    "a space that does not break": ("gpt 4", "gpt\u00a04"),
    "no width": ("gpt4", "gpt\u200b4"),
    "two spaces": ("gpt 4", "gpt  4"),
    "an accent apart": ("caf\u00e9", "cafe\u0301"),
    "a filler": ("gpt4", "gpt4\u3164"),
    "a turned direction": ("gpt4", "gpt\u202d4"),
    "a soft hyphen": ("gpt4", "gpt\u00ad4"),
    "two control characters": ("a\x01b", "a\x02b"),
}


def round_refused(name):
    return lambda folder: refused(folder, Names(round=name), repr(name), "name")


def rater_refused(name):
    return lambda folder: refused(folder, Names((name,)), "rater name")


def alike_systems(pair):
    return lambda folder: refused(folder, Names(systems=pair), "looks like", "column model")


def alike_raters(folder):
    """Also where a file or a lead brings the second."""
    stored = opened(folder, Names(("ana",)))
    before = len(stored.raters())
    lines = "item,rater,question,value\nitem0/system0,ana\u3164,s,2\n"
    (folder / "more.csv").write_text(lines, encoding="utf-8")
    for bring in (
        lambda: stored.add_rater("ana\u3164"),
        lambda: stored.add(folder / "more.csv", new_raters=True),
    ):
        try:
            bring()
        except ValueError as error:
            if r"ana\u3164" not in str(error):
                return f"not told apart: {error}"
        else:
            return "taken"
    return None if len(stored.raters()) == before else "kept"


def later_items(folder):
    """A system that looks like one of before, in items that come later."""
    stored = opened(folder, Names(systems=("gpt 4", "b")))
    rows = [{"id": "new", "text": "t", "model": "gpt\u00a04", "topic": "x"}]
    try:
        stored.add_items(ItemTable.from_records(stored.protocol, rows, "more.csv"))
    except RoundError as error:
        return None if "more.csv, row 1" in str(error) else str(error)
    return "taken"


def grouped(folder):
    """Groups by a column that nobody spoke of before."""
    stored = opened(folder, Names())
    stored.add_items(
        ItemTable.from_records(
            stored.protocol,
            [
                {
                    "id": f"n{n}",
                    "text": "t",
                    "model": "system0",
                    "topic": "t",
                    "auto": "yes",
                    "by": by,
                }
                for n, by in enumerate(("a b", "a\u00a0b"))
            ],
        )
    )
    status, out = said("--workspace", folder, "check", "round-01", "--require", "mean:s>=1",
                       "--param", "groups=by")  # fmt: skip
    return None if status == 2 and "looks like" in out else f"{status} {out}"


def two_cases(folder):
    place = Workspace(folder)
    opened(folder, Names(round="e"))
    try:
        opened(folder, Names(round="E"))
    except RoundError as error:
        return None if place.rounds() == ["e"] and "'E'" in str(error) else str(error)
    return f"rounds {place.rounds()}"


# A database of somebody else's making.


def crafted(word):
    def attack(folder):
        """A round whose name is a path out of the folder of reports."""
        inside, victim = folder / "inside", folder / "victim"
        for each in (inside, victim):
            each.mkdir()
        (victim / "index.html").write_text("mine")
        opened(inside, Names())
        with (
            closing(sqlite3.connect(inside / "data" / "raterbook.sqlite")) as connection,
            connection,
        ):
            connection.execute("DROP TRIGGER IF EXISTS round_update")
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type='trigger' AND tbl_name='round'"
            ).fetchall():
                connection.execute(f'DROP TRIGGER "{name}"')
            connection.execute("UPDATE round SET name = './../../victim'")
        status, out = said("--workspace", inside, *word)
        kept = (victim / "index.html").read_text() == "mine"
        there = sorted(path.name for path in folder.iterdir())
        told = "victim" in out or "raterbook backup" in out  # its guards are gone as well
        if status == 2 and told and kept and there == ["inside", "victim"]:
            return None
        return f"{status}, {there}: {out}"

    return attack


# Files and figures.


def legend(svg):
    """The labels beside the signs of a figure."""
    found = ElementTree.fromstring(svg).find(".//*[@id='legend_1']")
    return {"".join(each.itertext()) for each in found.iter() if each.tag.endswith("}text")}


def drawn(systems):
    def attack(folder):
        """Each of the systems has a label of its own beside its sign."""
        report = Report(opened(folder, Names(systems=systems)))
        page(report)
        found = legend(report.pictures["systems"])
        return None if len(found) == len(systems) else f"drawn: {sorted(found)}"

    return attack


def filed(models):
    def attack(folder):
        """Each model's figures have files of their own, also where capitals make no difference."""
        report = Report(opened(folder, Names(models=models)))
        page(report)
        files = [name for name in report.pictures if name.startswith("differences-")]
        own = {name.casefold() for name in files}
        plain = all(re.fullmatch(r"[a-z0-9_-]{1,100}", name) for name in files)
        return None if len(own) == len(models) and plain else f"files: {files}"

    return attack


def side_by_side(folder):
    """a against b-vs-c, and a-vs-b against c."""
    names = ("a", "b-vs-c", "a-vs-b", "c")
    for name in names:
        (folder / "items.csv").unlink(missing_ok=True)
        opened(folder, Names(round=name))
    place = Workspace(folder)
    from raterbook.reporting import compare

    files = [compare(place, *pair) for pair in (names[:2], names[2:])]
    titles = [file.read_text(encoding="utf-8").split("</title>")[0] for file in files]
    return None if len({*files}) == 2 and "a and b-vs-c" in titles[0] else f"{files}"


def options(folder):
    """Answers and questions whose names are far longer than a figure is wide."""
    yes, no = "y" * 200 + "a", "n" * 200 + "b"
    text = asking(
        {"label": choice(yes, no), "s": scale(5, label="L" * 150)},
        [measured("alpha_nominal", "label"), measured("alpha_ordinal", "s")],
    )
    said_ = [
        (rater, f"i{n}", question, value)
        for turn, rater in enumerate(("ana", "ben", "eva"))
        for n in range(12)
        for question, value in (("label", (yes, no)[(n + turn) % 3 > 1]), ("s", 1 + n % 5))
    ]
    items = [{"id": f"i{n}", "text": "t", "auto": yes} for n in range(12)]
    report = Report(by_hand(folder, items=items, answers=said_, text=text))
    page(report)
    return None if report.pictures else "no figure was drawn"


SYSTEMS = {
    "at the end of a number": ("model-3.14159", "model-3.14999"),
    "in the middle of a long name": ("x" * 90 + "a" + "y" * 90, "x" * 90 + "b" + "y" * 90),
    "in length alone": ("z" * 60, "z" * 61, "z" * 62),
    "in capitals": ("Model", "model"),
    "in a letter of another script": ("paul", "p\u0430ul"),
    "by what a figure's file says of itself": ("#1c1f23", "var(--ink)"),
    "in a decimal that coordinates lose": ("v1.123", "v1.124"),
}

PROBES = [
    *(Probe(f"the whole way: {name}", walk(names), "X4") for name, names in WALKED.items()),
    *(Probe(f"a round called {name!a:.30}", round_refused(name), "X12") for name in ROUNDS),
    Probe("rounds e and E", two_cases, "X12"),
    *(Probe(f"a rater with {what}", rater_refused(name)) for what, name in RATERS.items()),
    *(Probe(f"systems that differ by {what}", alike_systems(of)) for what, of in ALIKE.items()),
    Probe("a rater who looks like another", alike_raters),
    Probe("a system that looks like one of before", later_items),
    Probe("groups that look alike", grouped),
    *(
        Probe(f"a path for a round's name: {word[0]} {len(word[-1])}", crafted(word), "X8")
        for word in (("report", "--all"), ("status",), ("report", "./../../victim"))
    ),
    *(Probe(f"systems drawn that differ {what}", drawn(of), "X11") for what, of in SYSTEMS.items()),
    Probe("models whose files would share a name", filed(("a/b", "a b", "a\\b", "a-b")), "X4"),
    Probe("models that differ in capitals", filed(("GPT", "gpt", "Gpt"))),
    Probe("models without a letter of ASCII", filed(("日本", "中国", "…"))),
    Probe("comparisons whose files would share a name", side_by_side),
    Probe("options of 200 letters", options, "X4"),
]

RAW = "raterbook.reporting.figures"


UNREAD = "raterbook.rounds.raters.check_round"
SMALL = (
    (f"{RAW}.grow", lambda ax, more: None),
    (f"{RAW}.LEGEND", 10**6),
    (f"{RAW}.ROOMIER", 1),
    (f"{RAW}.warnings.simplefilter", lambda *_: None),
)


def small(attack):
    """Figures that stay as large as they are for short names, and warn."""

    def tried(folder):
        with ExitStack() as stack:
            for guard, instead in SMALL:
                stack.enter_context(patch(guard, instead))
            return broken(attack)(folder)

    return tried


def cut(values, how=None, width=28):
    return [str(value)[:width] for value in values]


LOOK = "raterbook.rounds.raters.look"
CONTROLS = [
    Probe(what, without(guard, instead, attack))
    for what, guard, instead, attack in (
        (
            "files by the name itself",
            "raterbook.reporting.report.slug",
            str,
            walk(WALKED["a model's ordinary name"]),
        ),
        (
            "formulas parsed",
            f"{RAW}.Text.set_parse_math",
            lambda text, on: None,
            walk(WALKED["half a formula"]),
        ),
        (
            "labels cut at their end",
            f"{RAW}.told_apart",
            cut,
            drawn(SYSTEMS["in the middle of a long name"]),
        ),
        (
            "digits cut in texts too",
            f"{RAW}.in_tags",
            lambda change, text: change(text),
            drawn(SYSTEMS["in a decimal that coordinates lose"]),
        ),
        ("any round name", UNREAD, lambda name: None, round_refused("..")),
        (
            "devices as rounds",
            "raterbook.rounds.raters._DEVICE",
            re.compile("(?!)"),
            round_refused("CON"),
        ),
        (
            "any name in a database",
            UNREAD,
            lambda name: None,
            without(
                "raterbook.rounds.store.store.Store._verify", lambda *_: None, crafted(("status",))
            ),
        ),
        ("systems as they are written", LOOK, str, alike_systems(ALIKE["no width"])),
        ("raters as they are written", LOOK, str, alike_raters),
    )
]
CONTROLS.append(Probe("figures of one size", small(options)))
