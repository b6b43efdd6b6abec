"""Rounds made by hand, and whole pages made in this process, without a kernel."""

import html
import json
import random
import re
import uuid

from markupsafe import escape

from raterbook.protocols import load, parse
from raterbook.reporting import Report
from raterbook.reporting.html import fill, written
from raterbook.reporting.report import SECTIONS
from raterbook.rounds import Event, ItemTable, Store

CRITERIA = ("relevance", "accuracy", "completeness", "fluency", "kg_alignment")
MODEL_ONLY = ("fluency", "kg_alignment")
KEYS = {"halo-support": "id", "neureg-qa": "qa_id", "feedback-quality": "id"}


def opened(folder, protocol="halo-support", items=(), answers=(), kinds=None, text=None):
    """A round made by hand: records of items; (rater, item, question, value[, part]) answers."""
    asked = parse(text, source="given.yaml") if text else load(protocol)
    store = Store(str(folder / f"{uuid.uuid4().hex}.sqlite"))
    stored = store.open("by-hand", asked, ItemTable.from_records(asked, list(items)))
    by_rater = {}
    for rater, item, question, value, *part in answers:
        event = Event(uuid.uuid4().hex, item, question, value, part=part[0] if part else 0)
        by_rater.setdefault(rater, []).append(event)
    known = {rater.name for rater in stored.raters()}
    for rater, events in by_rater.items():
        if rater not in known:
            stored.add_rater(rater, kind=(kinds or {}).get(rater, "human"))
        refused = [ack.reason for ack in stored.save(rater, events) if not ack.ok]
        assert not refused, refused
    return stored


def records(protocol, count, **fields):
    """Items of a protocol with every field filled."""
    asked = load(protocol)
    key = KEYS[protocol]
    return [
        {
            **{name: f"{name} {number}" for name in asked.item.fields if name != "model"},
            **(
                {"auto_label": "SUPPORTED", "human_label": ""} if protocol == "halo-support" else {}
            ),
            **(
                {"source_kg": "1. a → b → c", "shot_type": "zero_shot", "question_type": "factual"}
                if protocol == "neureg-qa"
                else {}
            ),
            key: f"i{number:03d}",
            **fields,
        }
        for number in range(count)
    ]


def page_of(stored, **parameters):
    """The whole page of a round, made in this process, without a kernel."""
    report = Report(stored, **parameters)
    sections = [getattr(report, name)() for name in SECTIONS]
    report.numbers.to_json()
    body = "\n".join(section._repr_html_() for section in sections if section is not None)
    return fill(stored.name, body)


def words_of(page):
    """A page as it is read and heard: its text without markup, and the words of its figures."""
    body = re.sub(r"<style.*?</style>", "", page, flags=re.S)
    figures = " ".join(re.findall(r'alt="([^"]*)"', body))
    text = html.unescape(re.sub(r"<[^>]+>", " ", body) + " " + figures)
    return " ".join(text.replace("\u00a0", " ").split())


def beside_a_model(folder, items=30, seed=7):
    """ana on three questions of every item, the model gauge on all five."""
    rng = random.Random(seed)
    answers = []
    for at in range(items):
        true = rng.choice((2, 3, 4, 5))
        for question in CRITERIA:
            off = rng.choice((-1, 0, 0, 1))
            answers.append(("gauge", f"i{at:03d}", question, min(5, max(1, true + off))))
            if question not in MODEL_ONLY:
                answers.append(("ana", f"i{at:03d}", question, true))
    kinds = {"gauge": "model"}
    return opened(folder, "neureg-qa", records("neureg-qa", items), answers, kinds)


def crowd(folder, protocol="neureg-qa", raters=160, items=240, seed=11):
    """Three raters an item as the plan has it: all alike, each off by chance alone."""
    rng = random.Random(seed)
    asked = load(protocol)
    table = ItemTable.from_records(asked, records(protocol, items))
    store = Store(str(folder / f"{uuid.uuid4().hex}.sqlite"))
    names = [f"w{place:03d}" for place in range(raters)]
    stored = store.open("by-hand", asked, table, raters=names, per_item=3, seed=seed)
    true = {item.key: rng.randrange(5) for item in stored.items()}
    labels = list(load("halo-support").question("label").values)

    def value(key):
        if protocol == "halo-support":
            return labels[true[key] % 3] if rng.random() < 0.75 else rng.choice(labels)
        return min(5, max(1, 1 + true[key] + rng.choice((-1, 0, 0, 0, 1))))

    questions = ["label"] if protocol == "halo-support" else ["accuracy", "fluency"]
    for name in names:
        mine = sorted(item.key for item in stored.queue(name))
        events = [Event(f"{name}{key}{q}", key, q, value(key)) for key in mine for q in questions]
        assert all(ack.ok for ack in stored.save(name, events))
    return stored


def asking(questions, measures=(), targets=(), parts=None, **item):
    """A protocol in words of its YAML: questions by id, as `scale(5)`, `choice("a", "b")` …"""
    spec = {"key": ["id"], "case": "id", **item}
    fields = {"id": {"label": "Id", "show": "none"}, "text": {"label": "Text"}}
    for name in ("model", "topic", "place"):
        if name in {spec.get("system"), spec.get("cluster"), *spec.get("groups", ())}:
            fields[name] = {"label": name.capitalize(), "show": "hidden"}
    if "label" in questions:
        automatic = {"rater": "auto", "kind": "automatic", "question": "label"}
        fields["auto"] = {
            "label": "Auto",
            "show": "hidden",
            "required": False,
            "answers": automatic,
        }
    return json.dumps(
        {
            "name": "by-hand",
            "title": "By hand",
            "about": "Made by hand.",
            **({"parts": parts} if parts else {}),
            "instructions": ["Rate."],
            "item": {**spec, "fields": fields},
            "questions": [{"id": id, "prompt": "What?", **one} for id, one in questions.items()],
            "measures": list(measures),
            "targets": list(targets),
        }
    )


def scale(most, **more):
    names = range(1, most + 1)
    levels = [{"value": n, "name": f"Level {n}", "description": "."} for n in names]
    return {"type": "scale", "level": "ordinal", "levels": levels, **more}


def choice(*values, **more):
    return {"type": "choice", "options": [{"value": v, "description": "."} for v in values], **more}


def measured(statistic, question=None, **more):
    return {"statistic": statistic, **({"question": question} if question else {}), **more}


def on_page(text):
    """A text as it stands in the HTML of a page."""
    return str(escape(written(text)))
