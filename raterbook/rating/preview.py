"""The form of a protocol on two made-up items, as a page of its own: no round, no kernel."""

from __future__ import annotations

import html
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import raterbook.rating.front as front
from raterbook.protocols import Protocol
from raterbook.protocols.protocol import fields_until
from raterbook.rating.sheet import revealed
from raterbook.rating.sitting import Sitting
from raterbook.rounds import ItemTable, PartRow, Store

SENTENCES = (
    "This is made up, so that the form can be seen.",
    "It stands where the text of an item will stand.",
    "A third sentence makes it a little longer.",
)
# The page plays the kernel: it hands out the two items, and keeps answers until it is closed.
_KERNEL = """
{
const { opening, items } = JSON.parse(document.querySelector("#preview").textContent);
const listeners = new Set();
const given = new Map();
const [submitted, revealed, flagged] = [new Set(), new Set(), new Set()];
const counts = () => ({ submitted: submitted.size, flagged: flagged.size });
const place = (position) => ({ position, total: items.length, ...counts() });
const list = () => {
  const state = ({ ref }) => {
    if (submitted.has(ref)) return "submitted";
    const said = [...given.values()].filter(({ subject }) => subject === ref);
    const mine = said.filter(({ status }) => status !== "retracted");
    if (mine.some(({ status }) => status === "skipped")) return "later";
    return mine.length ? "begun" : "todo";
  };
  return { kind: "items", items: items.map((item) => [state(item), flagged.has(item.ref)]) };
};
const page = ({ ref, position, step, unfinished }) => {
  const here = items.findIndex((item) => item.ref === ref);
  let at = Math.max(here, 0) + (step ?? 0);
  if (position) at = position - 1;
  if (unfinished && here >= 0) at = (here + 1) % items.length;
  at = Math.min(Math.max(at, 0), items.length - 1);
  const item = items[at];
  const mine = [...given.values()].filter((one) => [item.ref, item.case].includes(one.subject));
  const answers = mine.filter((one) => one.status !== "retracted");
  const after = revealed.has(item.ref) ? item.after : null;
  const marks = { submitted: submitted.has(item.ref), flagged: flagged.has(item.ref) };
  const now = { ...item, answers, after, ...marks };
  return { kind: "item", item: now, place: place(at + 1), lamport: 0 };
};
const take = (events) => {
  let reload = false;
  for (const event of events) {
    if (event.mark === "submit") submitted.add(event.subject);
    if (event.mark === "unsubmit") submitted.delete(event.subject);
    if (event.mark === "reveal") revealed.add(event.subject);
    if (event.mark === "flag") flagged.add(event.subject);
    if (event.mark === "unflag") flagged.delete(event.subject);
    reload ||= ["unsubmit", "reveal"].includes(event.mark);
    if (event.question) {
      const { subject, question, value, reason = null } = event;
      const { part = 0, status = "answered", lamport = 0 } = event;
      const said = { subject, part, question, value, status, reason, lamport };
      given.set(JSON.stringify([subject, part, question]), said);
    }
  }
  const acks = events.map(({ event_id }) => ({ event_id, ok: true, reason: null }));
  return { kind: "acks", acks, place: counts(), reload };
};
const reply = (content) => {
  if (content.kind === "open") return opening;
  if (content.kind === "items") return list();
  return content.kind === "save" ? take(content.events) : page(content);
};
const model = {
  on: (_, action) => listeners.add(action),
  off: (_, action) => listeners.delete(action),
  send: (content) => setTimeout(() => {
    const said = { ...reply(content), to: content.tab };
    for (const action of listeners) action(said);
  }),
};
render({ model, el: document.querySelector("main") });
}
"""


def preview(protocol: Protocol) -> str:
    """A whole page, which needs nothing beside it: the raters' own form, script and style."""
    opening, items = _messages(protocol)
    content = json.dumps({"opening": opening, "items": items}, ensure_ascii=False)
    script = front.script().replace("export default { render };", "")
    steps = "" if len(protocol.stages) < 2 else " All its steps are shown at once."
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8">\n'
        f"<title>Preview of {html.escape(protocol.name)}</title>\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>body {{ margin: 0; font: 1rem/1.5 system-ui, sans-serif }} "
        f".what {{ margin: .5rem 1rem }}\n{front.style()}</style>\n"
        f'<p class="what">{html.escape(protocol.title)}: the form of {html.escape(protocol.name)} '
        f"on two made-up items.{steps} Nothing is kept.</p>\n<main></main>\n"
        f'<script type="application/json" id="preview">{_inert(content)}</script>\n'
        f'<script type="module">{script}{_KERNEL}</script>\n</html>\n'
    )


def _inert(content: str) -> str:
    """JSON that ends no element, whatever the protocol says."""
    return content.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _messages(protocol: Protocol) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What the form is told at its opening and of each item, from a round that lives a moment."""
    rows = [dict(_made_up(protocol, number)) for number in (1, 2)]
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "preview.sqlite")
        try:
            table = ItemTable.from_records(protocol, rows)
            parts = list(_parts(protocol, table)) or None
            round = store.open("preview", protocol, table, raters=["you"], parts=parts)
            sitting = Sitting(round, "you")
            opening = sitting.open()
            items = [sitting.item({"position": number})["item"] for number in (1, 2)]
            came = {item.ref: item for item in round.items()}
            texts = {turn.ref: round.page(turn).fields for turn in sitting.turns}
        finally:
            store.dispose()
    opening["scope"] = f"preview-{protocol.hash[:12]}"
    last = len(protocol.stages) - 1
    shown = fields_until(protocol, last)
    made, fields = dict(zip(came, rows, strict=True)), protocol.item.fields
    for item in items:
        ref = item["ref"]
        number = [*came].index(ref) + 1
        held = {n: text for n, text in made[ref].items() if n in fields and fields[n].held}
        item |= {
            "stage": last,
            "fields": {name: text for name, text in texts[ref].items() if name in shown},
            "after": revealed(protocol, held),
            "ref": f"item-{number}",  # the same page from the same protocol
            "case": f"case-{number}",
        }
    return opening, sorted(items, key=lambda item: str(item["ref"]))


def _made_up(protocol: Protocol, number: int) -> Iterator[tuple[str, str]]:
    """One item's fields: those of a worked example where there is one."""
    item = protocol.item
    examples = protocol.examples[number - 1 : number]
    told = dict(examples[0].fields) if examples else {}
    naming = {*item.key, item.case, *([item.cluster] if item.cluster else [])}
    for name, field in item.fields.items():
        if field.answers is not None or field.exchange is not None:
            continue
        if name in told:
            yield name, told[name]
        elif field.values:
            yield name, next(iter(field.values))
        elif name in naming and not field.visible:
            yield name, f"made-up-{number}"
        elif field.show == "triples":
            yield name, f"item {number} → is → made up\nit → stands for → yours"
        elif field.show == "markdown":
            yield name, f"## Item {number}\n\n{SENTENCES[0]}\n\n- **{SENTENCES[1]}**\n- `made up`"
        elif field.show == "code":
            yield name, f"def made_up_{number}(text):\n    return text"
        elif field.show == "formula":
            yield name, f"x_{number} = \\frac{{a}}{{b}}"
        elif field.show == "long":
            yield name, "\n\n".join([" ".join(SENTENCES)] * 3)
        else:
            first, *rest = SENTENCES
            yield name, " ".join([f"{field.label} {number}. {first}", *rest[: number - 1]])
    for name in naming:
        if name not in item.fields:
            yield name, f"made-up-{number}"


def _parts(protocol: Protocol, table: ItemTable) -> Iterator[PartRow]:
    """Pieces, where they are to come in a file."""
    spec = protocol.parts
    if spec is None or spec.source != "file":
        return
    for row in table.rows:
        for number, sentence in enumerate(SENTENCES[:2], start=1):
            subject = row.case if spec.of == "case" else row.key
            yield PartRow(subject, number, sentence, dict.fromkeys(spec.fields, "made up"))
