"""Replies of models, and texts that are taken apart like them: what they quote, and how large."""

import os
import re
import resource
import unicodedata
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import raterbook.judges.clients.faults as faults
import raterbook.judges.replies as replies
from raterbook.files.items import read_triples
from raterbook.judges import judge
from raterbook.protocols import load
from raterbook.protocols.sentences import sentences
from raterbook.rounds import ItemTable, Store
from tests.judges.conftest import ITEMS
from tests.judges.shapes import SHAPES
from tests.judges.test_parser import FEEDBACK, HALO, STEM

from .probe import Probe

JSON = import_module("raterbook.judges.replies.objects")
NAMES = import_module("raterbook.judges.replies.vocabulary")

# What the model decided, in shapes of quoting, correcting and repeating.

FAMILIES = {
    "labels it quotes": lambda name: name.startswith("label") and "corrected" not in name,
    "labels it corrects": lambda name: name.startswith("label") and "corrected" in name,
    "scores it quotes": lambda name: name.startswith("scores") and "corrected" not in name,
    "scores it corrects": lambda name: name.startswith("scores") and "corrected" in name,
    "one score it corrects": lambda name: name.startswith("score:"),
}


def misread(belongs):
    def attack(folder):
        wrong = []
        for name, shape in SHAPES.items():
            if belongs(name):
                halo = shape.protocol == "halo-support"
                sheet, question = (HALO, "label") if halo else (FEEDBACK, "tone")
                parsed = replies.parse(shape.text, sheet)
                if parsed.ok and parsed.answers[0, question].value != shape.decided:
                    wrong.append(name)
        return f"read as something the model did not decide: {wrong}" if wrong else None

    return attack


# Size and shape: in a process that may use two seconds and 200 MB.

LONG = 1_000_000
SECONDS, MEGABYTES = 2, 200


def filled(unit, before="", after="", length=LONG):
    return lambda: (before + unit * (length // len(unit)))[: length - len(after)] + after


def within_limits(work, text):
    """What went wrong when a child did this work within the limits, in words; None: nothing."""
    said = text()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            most = pages * resource.getpagesize() + MEGABYTES * 2**20
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            work(said)
            status = 0
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    if os.WIFSIGNALED(ended):
        return f"ended by signal {os.WTERMSIG(ended)} after {SECONDS} s of work"
    return None if os.WEXITSTATUS(ended) == 0 else "ended with an exception"


def parsed(sheet):
    return lambda text: replies.parse(text, sheet)


def worded(text):
    faults.scrubbed(text)
    faults.said_in(text)
    for status in (307, 400, 429, 500):
        body = {"error": {"message": text, "code": text, "type": text}}
        faults.of_status(status, body, {"retry-after": text, "location": text}, "here")


CAP = replies.LONGEST
SIZES = {
    # of any length, over the cap
    "a million spaces": (parsed(FEEDBACK), filled(" ", "x", "x")),
    "a million brackets": (parsed(FEEDBACK), filled("[")),
    "a million objects": (parsed(HALO), filled('{"label": "SUPPORTED"}\n')),
    # as long as is read
    "spaces in a line": (parsed(FEEDBACK), filled(" ", "x", "x", CAP)),
    "spaces behind a score": (parsed(FEEDBACK), filled(" ", "Tone: 5", "x", CAP)),
    "spaces behind a bare score": (parsed(FEEDBACK), filled(" ", "5", "x", CAP)),
    "spaces behind a bare label": (parsed(HALO), filled(" ", "SUPPORTED", "x", CAP)),
    "spaces behind a label": (parsed(HALO), filled(" ", "Label: SUPPORTED", "x", CAP)),
    "brackets": (parsed(FEEDBACK), filled("(", "", "", CAP)),
    "brackets in a key": (parsed(FEEDBACK), filled("(", '{"', '": 5}', CAP)),
    "a fence that never closes": (parsed(FEEDBACK), filled(" ", "```", "", CAP)),
    "fences": (parsed(HALO), filled("```json ", "", "", CAP)),
    "one key again and again": (parsed(FEEDBACK), filled('"tone": 3, ', "{", '"a": 4}', CAP)),
    "openings": (parsed(HALO), filled('{"', "", "", CAP)),
    "objects in objects": (parsed(HALO), filled('{"a":', "", "", CAP)),
    "answers that alternate": (parsed(FEEDBACK), filled("Tone: 5\nTone: 4\n", "", "", CAP)),
    "lines of a reason": (parsed(FEEDBACK), filled("a\n", "Reasoning: x\n", "", CAP)),
    "lines of a note": (parsed(HALO), filled("a\n", "Label: SUPPORTED\nNotes: x\n", "", CAP)),
    "accents in a key": (parsed(HALO), filled("\u0301\u0323", '{"a', '": 5}', CAP)),
    "accents in a label": (parsed(HALO), filled("\u0301\u0323", '{"label": "a', '"}', CAP)),
    "accents in a line": (parsed(HALO), filled("\u0301\u0323", "Label: a", "", CAP)),
    "parts in Markdown": (parsed(STEM), filled("Sentence 1\nAccuracy: accurate\n", "", "", CAP)),
    "marks behind an answer": (parsed(HALO), filled("!", '{"label":"SUPPORTED"}\n', "", CAP)),
    "denials behind one": (parsed(HALO), filled("not a ", '{"label":"SUPPORTED"}\n', "", CAP)),
    "quotes for json-repair": (parsed(HALO), filled('"x "y", ', '{"a": ', "}", CAP)),
    "objects for json-repair": (*(parsed(HALO), filled('{"a": "x "y", ', "", "}", 40_000)),),
    "quotes it may mend": (parsed(HALO), filled('"x "y", ', '{"a": ', "}", 7_900)),
    "thoughts that never end": (parsed(HALO), filled(" </think", "<think>", "", CAP)),
    "tags in a line": (parsed(HALO), filled("<own ", "", '{"label":"SUPPORTED"}', CAP)),
    "sentences before an answer": (*(parsed(HALO), filled("a. ", "", '\n\n{"label":"NO"}', CAP)),),
    "introductions": (parsed(HALO), filled("so the final ", "", "", CAP)),
    "steps": (parsed(HALO), filled("Step 1: a\n", "", "Label: SUPPORTED", CAP)),
    "values in a reason": (
        parsed(FEEDBACK),
        filled("score: 2. ", '{"tone": {"score": 4, "reason": "', '"}}', CAP),
    ),
    "colons in a reason": (parsed(FEEDBACK), filled("a:", "Tone: 4\nReason: ", "", CAP)),
    "values below an answer": (parsed(FEEDBACK), filled("b: 2\n", "Tone: 4\n", "", CAP)),
    "words below a heading": (parsed(FEEDBACK), filled("a ", "### Tone\n", "", CAP)),
    "comments in JSON": (parsed(FEEDBACK), filled("1 ", '{"tone": 4 // ', "}", 7_900)),
    "ends of thoughts": (parsed(HALO), filled("</think>", "a", "", CAP)),
    "rows": (parsed(FEEDBACK), filled("| a | score |\n", "", "| Tone | 3 |", CAP)),
    # triples
    "a triple of spaces": (read_triples, filled(" ", "a", "b")),
    "an arrow behind spaces": (read_triples, filled(" ", "a", "→ b")),
    "arrows": (read_triples, filled(" → ")),
    "tabs": (read_triples, filled("\t", "a", "b")),
    "a number and spaces": (read_triples, filled(" ", "1", "x")),
    "dashes": (read_triples, filled("-")),
    # sentences
    "full stops in brackets": (sentences, filled("。）")),
    "stray marks": (sentences, filled("!\n\n", "A.\n\n")),
    "spaces between words": (sentences, filled(" ", "a", "b")),
    "bars": (sentences, filled(" |", "|", "x")),
    "dots": (sentences, filled(".")),
    "quotation marks": (sentences, filled('"')),
    # a server's words
    "a key of dots": (worded, filled(".", "sk-")),
    "keys": (worded, filled("sk-")),
    "a page of brackets": (worded, filled("<")),
    "a bearer and spaces": (worded, filled(" ", "authorization", "x")),
    "bearers": (worded, filled("authorization: bearer ")),
}


def ends(name):
    work, text = SIZES[name]
    return lambda folder: within_limits(work, text)


# Answers a round stores from odd replies.


def stored_by(text, words, protocol="halo-support"):
    """An attack: a model that replies so may store none of these values."""

    def attack(folder):
        protocol_read = load(protocol)
        table = ItemTable.from_records(protocol_read, ITEMS[protocol])
        stored = Store(folder / "x.sqlite").open("r1", protocol_read, table)
        run = judge(stored, lambda messages: text, name="stand-in")
        frame = stored.frame(texts=True)
        given = frame.query("rater == 'stand-in' and status == 'answered'")
        found = [value for value in given["value"] if value in words]
        return f"stored {found} of {run.counts}" if found else None

    return attack


STORED = {
    "a quotation behind the answer": (
        '{"label":"CONTRADICTED"}\nNote: the answer contains {"label":"SUPPORTED"}',
        ["SUPPORTED", "CONTRADICTED"],
    ),
    "half a character": ('{"label": "SUPPORTED\\ud800"}', ["SUPPORTED"]),
    "a label in another alphabet": ('{"label": "ЅUPPORTED"}', ["SUPPORTED"]),
    "a label with a hidden sign": ('{"label": "SUP\u200bPORTED"}', ["SUPPORTED"]),
    "a label turned round": ('{"label": "\u202eDETROPPUS"}', ["SUPPORTED"]),
    "a label of many": ('{"label": ["SUPPORTED", "CONTRADICTED"]}', ["SUPPORTED", "CONTRADICTED"]),
    "an object for a label": ('{"label": {"SUPPORTED": true}}', ["SUPPORTED"]),
    "a boolean": ('{"label": true}', ["SUPPORTED", "True", True]),
    "the prompt's own placeholder": (
        '{"label": "<SUPPORTED | CONTRADICTED | NO EVIDENCE>"}',
        ["SUPPORTED"],
    ),
}

PROBES = [
    *(Probe(name, misread(belongs), "X1") for name, belongs in FAMILIES.items()),
    *(Probe(name, ends(name), "X3, X6") for name in SIZES),
    *(Probe(name, stored_by(*STORED[name]), "X1") for name in STORED),
]


# The same with a guard taken away.


def the_last_wins(folder):
    nothing = dict.fromkeys(("contradictions", "strangers", "spelled"), lambda *_: [])
    with patch.multiple(replies, **nothing, standing=lambda found, *_: found[-1:]):
        return misread(FAMILIES["labels it quotes"])(folder)


def without_the_cap(folder):
    work = lambda text: replies.parse(text, HALO)  # noqa: E731
    with patch.object(replies, "LONGEST", 10**9):
        return within_limits(work, filled("a\n", "Label: SUPPORTED\nNotes: x\n", "", 2 * LONG))


def with_names_of_any_length(folder):
    with patch.object(NAMES, "LONGEST_NAME", 10**9), patch.object(NAMES, "fold", _fold):
        return ends("accents in a key")(folder)


def _fold(text):
    return unicodedata.normalize("NFKC", text)


def with_repair_of_any_length(folder):
    """In the square of its length, as json-repair does by now; older ones did not."""
    any_length = patch.multiple(JSON, LONGEST_MENDED=10**9, DEEPEST_OBJECT=10**9)
    with any_length, patch("json_repair.loads", _squared):
        return ends("objects for json-repair")(folder)


def _squared(text, **_):
    return {"a": sum(one == other for one in text for other in text)}


def with_the_pattern_of_before(folder):
    spaced = (re.compile(r"\s*(?:→|⟶)\s*"),) * 4
    with patch("raterbook.files.items._ARROWS", spaced):
        return ends("a triple of spaces")(folder)


CONTROLS = [
    Probe("the last block wins", the_last_wins),
    Probe("a reply of two million characters is read", without_the_cap),
    Probe("names of any length are folded", with_names_of_any_length),
    Probe("json-repair mends a reply of any length", with_repair_of_any_length),
    Probe("triples are split at the space around their arrows", with_the_pattern_of_before),
]
