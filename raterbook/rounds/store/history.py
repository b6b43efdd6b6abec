"""Whether a history is as it was written: every link made again; what does not fit, in words.

What an item showed before it was written over is nowhere any more, so that the link of that
writing is only the text of the next: between two such a link can be another without a trace, and
nothing that is read is.
"""

from __future__ import annotations

import heapq
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from raterbook.rounds.model import counted, iso, shown
from raterbook.rounds.store.chain import (
    MARK,
    REVISIONS,
    SOURCES,
    START,
    VALUES,
    Head,
    columns,
    head,
    linked,
    mark_text,
    text_of,
    values_text,
)

MOST = 20  # findings that are told one by one
SHORTEST = 12  # digits by which a head is known


class Flaw(NamedTuple):
    """Something that is not as it was written: at which link, and what."""

    n: int
    said: str


@dataclass(frozen=True)
class History:
    """What a walk along the chain found, the first finding first.

    The first `found` events were there before there were links, and `more` findings are not told.
    """

    head: Head | None
    events: Mapping[str, int]  # how many of each kind, by its word
    found: int = 0
    findings: tuple[Flaw, ...] = ()
    more: int = 0


class _Link(NamedTuple):
    n: int
    source: int
    event: int
    kept: bytes
    text: bytes | None  # of its event; None where that is gone


def walk(driver: Any) -> History:
    """Every link made again from its event, and every event looked up among the links."""
    newest = head(driver)
    if newest is None:
        return History(None, {})
    walked = _Steps(driver)
    for link in heapq.merge(*(_links(driver, source) for source in (MARK, VALUES, *SOURCES))):
        walked.take(link)
    walked.end()
    again = driver.execute(_WRITTEN_AGAIN).fetchone() is not None
    for n, event in driver.execute(_CHANGED_LATE).fetchall() if again else ():
        walked.find(n, VALUES, event, "were changed when there were answers already")
    for (subject,) in driver.execute(_WITHOUT_VALUES).fetchall():
        walked.find(newest.links, VALUES, subject * REVISIONS, "have no link")
    for source, each in SOURCES.items():
        query = (
            f"SELECT CAST({each.key} AS INTEGER) FROM {each.table.name} AS t LEFT JOIN link "
            f"ON link.source = {source} AND link.event = {each.key} "
            "WHERE link.n IS NULL ORDER BY 1"
        )
        for (event,) in driver.execute(query).fetchall():
            walked.find(
                newest.links,
                source,
                event,
                "has no link: it was inserted by other means, or its link was removed",
            )
    findings = tuple(sorted(walked.findings))
    return History(newest, walked.events, walked.found, findings, walked.more)


def _links(driver: Any, source: int) -> Iterator[_Link]:
    """The links of one source in their order, each with its event's text as it is now."""
    if source == MARK:
        query = f"SELECT {_LINK} FROM link NOT INDEXED WHERE source = ? ORDER BY n"
        for n, event, kept in driver.execute(query, (source,)).fetchall():
            yield _Link(n, source, event, kept, mark_text(driver, n, event))
        return
    if source == VALUES:
        for n, event, kept, latest in driver.execute(_WRITINGS).fetchall():
            text = values_text(driver, event // REVISIONS) if latest else None
            yield _Link(n, source, event, kept, text)
        return
    of = SOURCES[source]
    query = (
        f"SELECT {_LINK}, t.{of.by[0]} IS NULL, {columns(of)} "
        f"FROM link NOT INDEXED LEFT JOIN {of.table.name} AS t ON {of.match} "
        "WHERE link.source = ? ORDER BY link.n"
    )
    for n, event, kept, gone, *text in driver.execute(query, (source,)):
        yield _Link(n, source, event, kept, None if gone else text_of(text))


_LINK = "link.n, CAST(link.event AS INTEGER), CAST(link.hash AS BLOB)"  # whatever lies there

# What a subject shows and hides has a link for each time it was written. Only the latest can be
# made again; none may come after somebody's answer about it.
_WRITINGS = f"""SELECT {_LINK},
    event = max(event) OVER (PARTITION BY event / {REVISIONS})
    FROM link WHERE source = {VALUES} ORDER BY n"""
_WRITTEN_AGAIN = f"SELECT 1 FROM link WHERE source = {VALUES} AND event % {REVISIONS} > 0 LIMIT 1"
_CHANGED_LATE = f"""WITH said AS (
        SELECT subject_id, min(link.n) AS n FROM answer_event
        JOIN rater ON rater.id = rater_id AND rater.kind <> 'automatic'
        JOIN link ON link.source = 14 AND link.event = answer_event.seq GROUP BY subject_id),
    about AS (SELECT subject_id, n FROM said
        UNION ALL SELECT case_id, n FROM said JOIN subject ON subject.id = subject_id)
    SELECT DISTINCT link.n, link.event FROM link JOIN about ON subject_id = event / {REVISIONS}
    WHERE source = {VALUES} AND event % {REVISIONS} > 0 AND about.n < link.n"""
_WITHOUT_VALUES = f"""SELECT CAST(subject_id AS INTEGER) FROM (SELECT subject_id FROM shown_value
    UNION SELECT subject_id FROM hidden_value) LEFT JOIN link
    ON link.source = {VALUES} AND link.event = subject_id * {REVISIONS} WHERE n IS NULL"""


class _Steps:
    """Link by link; where one does not fit, the next tells whether it or its event was changed."""

    def __init__(self, driver: Any):
        self._driver = driver
        self.findings: list[Flaw] = []
        self.more = self.found = 0
        self.events: Counter[str] = Counter()
        self._last: _Link | None = None
        self._before: list[bytes | None] = [None, START]  # the links two and one before
        self._doubtful: tuple[_Link, bytes] | None = None  # the last, and what it should be

    def take(self, link: _Link) -> None:
        expected = self._last.n + 1 if self._last else 0
        if link.n != expected:
            self._settle()
            which = f"link {expected:,}"
            which += "" if link.n == expected + 1 else f" to {link.n - 1:,}"
            here = about(self._driver, link.source, link.event)
            self._tell(expected, f"{which}: removed, between {self._near()} and {here}")
            self._before = [None, None]
        if link.source == MARK:
            self._found(link)
        else:
            self.events[_word(link.source)] += 1
        if link.text is None and link.source == VALUES:  # written over since
            self._settle()
            if len(link.kept) != len(START):
                said = "were written over since, and the link of before was changed"
                self.find(link.n, link.source, link.event, said)
        elif link.text is None:
            self._settle()
            said = f"was removed; it stood after {self._near()}"
            self.find(link.n, link.source, link.event, said)
        elif self._before[1] is not None:
            self._compare(link, link.text, self._before[1])
        self._before = [self._before[1], link.kept]
        self._last = link

    def _compare(self, link: _Link, text: bytes, before: bytes) -> None:
        remade = linked(before, text)
        if remade == link.kept:
            self._settle()
        elif self._doubtful is not None and linked(self._doubtful[1], text) == link.kept:
            one, _ = self._doubtful
            said = "is as it was written, and its link was changed"
            self.find(one.n, one.source, one.event, said)
            self._doubtful = None
        elif self._last and self._before[0] and linked(self._before[0], text) == link.kept:
            one = self._last
            self.find(one.n, one.source, one.event, "was inserted, with a link of its own")
            self._doubtful = None
        else:
            self._settle()
            self._doubtful = (link, remade)

    def _settle(self) -> None:
        """The last link did not fit, and what follows fits it as it is: its event is another."""
        if self._doubtful is not None:
            one, _ = self._doubtful
            said = "was changed, or something before it was removed with its link"
            self.find(one.n, one.source, one.event, said)
            self._doubtful = None

    def end(self) -> None:
        if self._doubtful is not None:
            one, _ = self._doubtful
            self._doubtful = None
            said = "was changed, or its link was; it is the newest"
            self.find(one.n, one.source, one.event, said)

    def _found(self, link: _Link) -> None:
        if link.n == 0:
            self.found = link.event
            return
        query = "SELECT source, CAST(event AS INTEGER) FROM link WHERE n = ?"
        first = self._driver.execute(query, (link.n + 1,)).fetchone()
        if first is not None and first[0] != MARK:
            many = link.event - link.n
            rest = f", with {counted(many - 1, 'other')}" if many > 1 else ""
            said = f"was inserted by other means{rest}: it was found without a link"
            self.find(link.n, first[0], first[1], said)

    def find(self, n: int, source: int, event: int, said: str) -> None:
        if len(self.findings) < MOST:
            self._tell(n, f"{about(self._driver, source, event)} {said}")
        else:
            self.more += 1

    def _tell(self, n: int, said: str) -> None:
        self.findings.append(Flaw(n, said))

    def _near(self) -> str:
        last = self._last
        return about(self._driver, last.source, last.event) if last else "the beginning"


# An event in words: what is stored, where, about what, by whom, when. Raters by number alone.


_NAMES = {  # column → where its word stands
    "round_id": "SELECT name FROM round WHERE id = ?",
    "subject_id": "SELECT kind || ' ' || key FROM subject WHERE id = ?",
    "question_id": "SELECT name FROM question WHERE id = ?",
    "rater_id": "SELECT 'rater ' || id || ' (' || pseudonym || ')' FROM rater WHERE id = ?",
}
_SAID = ("name", "key", "pseudonym", "action", "kind")
_TIMES = ("server_time", "at", "added_at", "created_at")


def _word(source: int) -> str:
    return "values of a subject" if source == VALUES else SOURCES[source].word


def about(driver: Any, source: int, event: int) -> str:
    """“answer 17 (round-01, item q0/a, tone, rater 2 (R-qpf9), 2026-01-01T00:24:05Z)”."""
    if source == VALUES:
        return f"the values of {about(driver, 4, event // REVISIONS)}"
    if source not in SOURCES:
        return "a mark of what was found"
    each = SOURCES[source]
    name = f"{each.word} {event:,}"
    try:
        link = "(SELECT ? AS event) AS link"
        query = f"SELECT * FROM {each.table.name} AS t, {link} WHERE {each.match}"
        found = driver.execute(query, (event,))
        row = found.fetchone()
        if row is None:
            return name
        values = dict(zip((column[0] for column in found.description), row, strict=True))
        words = []
        for column, query in _NAMES.items():
            if values.get(column) is not None:
                known = driver.execute(query, (values[column],)).fetchone()
                words.append(shown(known[0] if known else f"{column} {values[column]}"))
                if column == "subject_id" and values.get("part"):
                    words.append(f"part {values['part']}")
        words += [shown(values[column]) for column in _SAID if values.get(column)]
        when = next((values[column] for column in _TIMES if values.get(column)), None)
        words += [iso(when) or ""] if isinstance(when, int) else []
    except (sqlite3.Error, ValueError, OverflowError):
        return name  # what was written there is no text, or no time
    return f"{name} ({', '.join(words)})" if words else name


# A head that was written down before, or another copy of the history. What is read is the
# driver's connection, as the links are written.


class Match(NamedTuple):
    """Whether the history goes on from what was recorded, and a sentence on it."""

    fits: bool
    said: str


def recorded(driver: Any, digits: str, links: int | None = None) -> Match:
    """Where a head that was written down stands in this history."""
    newest = head(driver)
    if newest is None:
        return Match(False, "this history has no links yet; the recorded head is of another.")
    for n, kept in driver.execute("SELECT n, CAST(hash AS BLOB) FROM link ORDER BY n DESC"):
        if kept.hex().startswith(digits.lower()):
            since = newest.links - n - 1
            came = f"; {counted(since, 'link')} came since" if since else ", and nothing came since"
            return Match(True, f"the recorded head is link {n + 1:,} of {newest.links:,}{came}.")
    if links is not None and links > newest.links:
        return Match(
            False,
            f"the recorded head is link {links:,}, and here are {newest.links:,}: the newest "
            "events were removed, or this is an earlier copy.",
        )
    if links is not None:
        return Match(
            False,
            f"link {links:,} of {newest.links:,} is another one than the recorded head: the "
            "history was written anew, or this copy and the one recorded went on apart.",
        )
    return Match(
        False,
        f"none of the {newest.links:,} links is the recorded head: the newest events were removed, "
        "the history was written anew, or this is a copy that went on apart from the one recorded.",
    )


def parting(one: Any, other: Any) -> Match:
    """Where two copies of a history part, if they do."""
    here, there = head(one), head(other)
    if here is None or there is None:
        return Match(False, "one of the two has no links yet, so they cannot be compared.")

    def same(n: int) -> bool:
        query = "SELECT hash FROM link WHERE n = ?"
        found = [driver.execute(query, (n,)).fetchone() for driver in (one, other)]
        return None not in found and found[0] == found[1]

    low, high = 0, min(here.links, there.links)  # every link below `low` is the same in both
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if same(middle) else (low, middle)
    if low == here.links == there.links:
        return Match(True, f"both have the same {counted(low, 'link')}.")
    if low == min(here.links, there.links):
        longer = "this one" if here.links > there.links else "the other"
        more = abs(here.links - there.links)
        return Match(True, f"the first {low:,} links are the same; {longer} has {more:,} more.")
    query = "SELECT source, event FROM link WHERE n = ?"
    events = [about(driver, *driver.execute(query, (low,)).fetchone()) for driver in (one, other)]
    return Match(
        False,
        f"they part at link {low + 1:,}: here {events[0]}, there {events[1]}. Both were written to "
        "after one was copied from the other, or one was written anew.",
    )
