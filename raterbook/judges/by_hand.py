"""Prompts out and replies in: for looking before paying, and for chat windows without an API."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import raterbook.judges.cache as cache
from raterbook.environment import most
from raterbook.files import formats
from raterbook.files.content import LARGEST, put, read_text, refuse_large
from raterbook.judges.clients.model import Reply, storable
from raterbook.judges.clients.scripted import NAME as STAND_IN
from raterbook.judges.judging import check_name, check_open, check_replicates, known_items
from raterbook.judges.money import OWN, Prices, tokens_of
from raterbook.judges.outcome import JudgeRun
from raterbook.judges.prompts import VERSION, Examples, Prompt, Prompts, read_examples
from raterbook.judges.run import EXPECTED_OUT, Request, outcome_of
from raterbook.judges.sheets import Known, Sheet, groups, sheets, waves
from raterbook.protocols.problems import printable
from raterbook.rounds.answers import MOST_REPLICATES
from raterbook.rounds.model import listed, shown

if TYPE_CHECKING:
    from raterbook.rounds import Round


@dataclass(frozen=True)
class Asking:
    """One sheet with its prompt; `id` names it in files."""

    id: str
    sheet: Sheet
    prompt: Prompt


@dataclass(frozen=True)
class DryRun:
    """What a run would send, and about what it would cost."""

    model: str
    askings: tuple[Asking, ...]
    replicates: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    later: tuple[str, ...]  # questions that wait for answers, and are not counted
    price_source: str = ""

    def __str__(self) -> str:
        count = len(self.askings) * self.replicates
        lines = [
            f"{count} requests to {self.model}: about {self.tokens_in:,} tokens sent and "
            f"{self.tokens_out:,} received (estimates).",
            self.price(),
        ]
        if self.later:
            lines.append(f"Not counted, as they wait for answers: {', '.join(self.later)}.")
        if self.askings:
            first = self.askings[0]
            lines += ["", f"The first prompt ({first.id}, hash {first.prompt.hash[:12]}):", ""]
            lines.append(first.prompt.text)
        return printable("\n".join(lines))

    def price(self) -> str:
        """What it would cost, and by whose prices."""
        if self.model == STAND_IN:
            return f"{STAND_IN} costs nothing: it is a stand-in that answers by fixed rules."
        if self.cost is None:
            return f"Price unknown: {self.price_source} do not name {self.model}. {OWN}."
        return (
            f"About {self.cost:.4f} USD by {self.price_source}. Prices change: compare them with "
            "your provider's (--prices FILE, or prices=, takes others)."
        )


def askings(
    stored: Round,
    examples: Examples = None,
    items: Iterable[str] | None = None,
    known: Known | None = None,
) -> Iterator[Asking]:
    """Every sheet that can be asked, given the answers known so far."""
    shots = read_examples(examples, stored.protocol)
    every, prompts = groups(stored.protocol), Prompts(shots)
    wanted = None if items is None else list(items)
    for wave in waves(stored.protocol):
        for group in wave:
            if group.needs() and not known:
                continue
            for sheet in sheets(stored, group, known or {}, wanted):
                mark = f".{every.index(group) + 1}" if len(every) > 1 else ""
                yield Asking(f"{sheet.ref}{mark}", sheet, prompts.of(sheet))


def dry_run(
    stored: Round,
    model: str = "a model",
    *,
    examples: Examples = None,
    prices: Any = None,
    replicates: int = 1,
    items: Iterable[str] | None = None,
) -> DryRun:
    """Sends nothing: the prompts, and an estimate of tokens and cost."""
    check_open(stored)
    check_replicates(replicates)
    table = prices if isinstance(prices, Prices) else Prices(prices)
    found = tuple(askings(stored, examples, known_items(stored, items)))
    sent = sum(tokens_of(one.prompt.text) for one in found) * replicates
    received = EXPECTED_OUT * len(found) * replicates
    later = tuple(
        q.id for group in groups(stored.protocol) if group.needs() for q in group.questions
    )
    cost = table.cost(model, sent, received)
    return DryRun(model, found, replicates, sent, received, cost, later, table.source)


def write_prompts(
    stored: Round,
    file: str | Path,
    *,
    name: str | None = None,
    examples: Examples = None,
    items: Iterable[str] | None = None,
) -> int:
    """Writes the prompts to JSONL, or to text for pasting (.txt, .md); how many there were.

    With the `name` of a rater, only what this rater has not answered yet.
    """
    check_open(stored)
    known = _known(stored, name)
    found = [
        one
        for one in askings(stored, examples, known_items(stored, items), known)
        if not _is_answered(one.sheet, known)
    ]
    text = prompts_as_text(found, jsonl=Path(file).suffix not in (".txt", ".md"))
    put(text.encode(), file)
    return len(found)


def take_replies(
    stored: Round,
    file: str | Path,
    name: str,
    *,
    version: str | None = None,
    examples: Examples = None,
) -> JudgeRun:
    """Takes in pasted replies as the model `name`, through the parser every reply goes through.

    The file is JSONL (`id` or `item`, `reply`), CSV, or text in which `=== id ===` stands before
    each reply. An id nobody knows refuses the whole file.
    """
    check_open(stored)
    replies = read_replies(file)
    _refuse_unknown(stored, replies, str(file))
    shots = read_examples(examples, stored.protocol)
    known_as = version or f"by hand, prompts {VERSION}"
    check_name(stored, name, known_as)
    stored.add_rater(name, kind="model", version=known_as)
    most = max(replicate for _, replicate in replies)
    cache.remember_run(stored, name, {"model": name, "by": "hand"}, shots, most)
    run, known = JudgeRun(stored.name, name), _known(stored, name)
    keys = {item.ref: item.key for item in stored.items()}
    left = dict(replies)
    for _ in waves(stored.protocol):
        for one in list(askings(stored, examples, known=known)):
            named = _names(one, keys)
            for subject, replicate in [cell for cell in left if cell[0] in named]:
                text = left.pop((subject, replicate))
                _take(stored, run, one, replicate, text, known)
    run.total = len(run.outcomes)
    return run


def _take(
    stored: Round,
    run: JudgeRun,
    one: Asking,
    replicate: int,
    text: str,
    known: dict[tuple[str, int, str], Any],
) -> None:
    identity = {"model": run.rater, "by": "hand"}
    key = cache.reply_key(identity, one.prompt.messages, one.prompt.schema, replicate)
    text = storable(text)
    found = cache.cached(stored, key)
    reply = cache.after(found, Reply(text))
    if found is None or found.text != text:
        record = cache.record_of(key, reply, prompt=one.prompt.hash, asked=identity)
        stored.replies.put_all([record])
    parsed = one.prompt.read(reply, one.sheet)
    standing = {} if parsed.ok else stored.current(run.rater)
    events = cache.events_of(one.sheet, parsed, cache.key_of(key, reply), replicate, standing)
    cache.put(stored, run.rater, events)
    run.answers += cache.answered(events)
    if parsed.usable and replicate == 1:
        for (part, question), given in parsed.answers.items():
            known[one.sheet.ref, part, question] = given.value
    request = Request(one.sheet, replicate, one.prompt, key)
    run.outcomes.append(outcome_of(request, parsed, reply))


def _names(one: Asking, keys: Mapping[str, str]) -> set[str]:
    """What a file may call the sheet: its id, and the item's key where there is one sheet."""
    return {one.id, keys.get(one.id, one.id)}


def _refuse_unknown(stored: Round, replies: dict[tuple[str, int], str], source: str) -> None:
    every = groups(stored.protocol)
    marks = [f".{number}" for number in range(1, len(every) + 1)] if len(every) > 1 else [""]
    refs = [item.ref for item in stored.items()] + [case.ref for case in stored.cases()]
    allowed = {f"{ref}{mark}" for ref in refs for mark in marks}
    if len(every) == 1:
        allowed |= {item.key for item in stored.items()}
    unknown = [subject for subject, _ in replies if subject not in allowed]
    if unknown:
        raise ValueError(
            f"{source}: {stored.name} has no {listed(map(repr, unknown), 5)}; "
            "ids are those of the prompts file"
            + (", or items' keys" if len(every) == 1 else "")
            + ". Nothing was taken in."
        )


def _known(stored: Round, name: str | None) -> dict[tuple[str, int, str], Any]:
    standing = cache.current_answers(stored, name) if name is not None else {}
    return {cell: answer.value for cell, answer in standing.items() if answer.status == "answered"}


def _is_answered(sheet: Sheet, known: Known) -> bool:
    """Whether this rater has given any answer on the sheet: a reply counts whole or not at all."""
    return any(
        (sheet.ref, part, question.id) in known
        for question in sheet.questions
        for part in sheet.numbers(question)
    )


# Files of prompts to paste and of replies that came back: JSONL, CSV, or plain text.


Replies = dict[tuple[str, int], str]  # (sheet or item, replicate) → the reply's text
_MARK = re.compile(r"^===(?P<id>[^\n]{1,500})===[ \t]*$", re.MULTILINE)
_ID = ("id", "item", "subject")
_TEXT = ("reply", "raw_response", "response", "text", "output", "completion")


def prompts_as_text(askings: Sequence[Asking], jsonl: bool) -> str:
    if jsonl:
        lines = (
            json.dumps(
                {"id": one.id, "messages": list(one.prompt.messages), "hash": one.prompt.hash},
                ensure_ascii=False,
            )
            for one in askings
        )
        return "".join(f"{line}\n" for line in lines)
    return "\n".join(f"=== {one.id} ===\n\n{one.prompt.text}\n" for one in askings)


def read_replies(file: str | Path) -> Replies:
    """Replies by id and replicate; the first thing wrong with the file is named by its place."""
    source = str(file)
    if source == "-":
        source, text = "standard input", sys.stdin.read(most(LARGEST) + 1)
        refuse_large(len(text), source)
    else:
        text = read_text(Path(file), "replies")
    if Path(source).suffix == ".csv":
        return _collected(_from_csv(text, source), source)
    if _MARK.search(text):
        return _collected(_from_text(text), source)
    return _collected(_from_jsonl(text, source), source)


def _from_jsonl(text: str, source: str) -> Iterable[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{source}, line {number}"
        try:
            content = json.loads(line)
        except (ValueError, RecursionError) as error:
            if isinstance(error, RecursionError):
                error = ValueError("nested too deeply")
            raise ValueError(
                f'{where}: not JSON ({error}). Write a line {{"id": …, "reply": …}} for each '
                "reply, or a line === id === before each"
            ) from None
        if not isinstance(content, dict):
            raise ValueError(f'{where}: write {{"id": …, "reply": …}}')
        if content.get("status") != "api_error":  # no reply came; a later line may have one
            yield where, content


def _from_csv(text: str, source: str) -> Iterable[tuple[str, dict[str, Any]]]:
    columns, numbers, rows, _ = formats.read_delimited(text, Path(source).name)
    for number, row in zip(numbers, rows):
        if len(row) != len(columns) and any(row):
            raise ValueError(
                f"{source}, row {number}: {len(row)} cells where the header has "
                f"{len(columns)}. Put replies with commas or line breaks in quotes"
            )
        if any(row):
            yield f"{source}, row {number}", dict(zip(columns, row))


def _from_text(text: str) -> Iterable[tuple[str, dict[str, Any]]]:
    marks = list(_MARK.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    for mark, end in zip(marks, ends):
        name = mark["id"].strip(" \t")
        yield f"=== {name} ===", {"id": name, "reply": text[mark.end() : end].strip()}


def _collected(rows: Iterable[tuple[str, dict[str, Any]]], source: str) -> Replies:
    found: Replies = {}
    for where, row in rows:
        name = next((row[key] for key in _ID if row.get(key)), None)
        text = next((row[key] for key in _TEXT if isinstance(row.get(key), str)), None)
        if not isinstance(name, str) or text is None:
            raise ValueError(
                f"{where}: an id (one of {', '.join(_ID)}) and a reply (one of "
                f"{', '.join(_TEXT)}) are needed; it has {listed(row) or 'nothing'}"
            )
        cell = (name, _replicate(row.get("replicate"), where))
        if cell in found and found[cell] != text:
            raise ValueError(
                f"{where}: {shown(name)!r} stands twice in {source}, with different replies"
            )
        found[cell] = text
    if not found:
        raise ValueError(f"{source}: there is no reply in it")
    return found


def _replicate(value: Any, where: str) -> int:
    if value in (None, ""):
        return 1
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = 0
    if not 1 <= number <= MOST_REPLICATES:
        raise ValueError(
            f"{where}: replicate {shown(repr(value))} is not a whole number from 1 to "
            f"{MOST_REPLICATES:,}"
        )
    return number
