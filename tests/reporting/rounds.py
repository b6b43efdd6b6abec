"""Rounds made by hand, and whole pages made in this process, without a kernel."""

import html
import re
import uuid

from ratebook.protocols import load, parse
from ratebook.reporting import Report
from ratebook.reporting.page import fill
from ratebook.reporting.report import SECTIONS
from ratebook.rounds import Event, ItemTable, Store

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
