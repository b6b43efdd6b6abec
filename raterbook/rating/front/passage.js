// A long text on the page, with ways to find places in it and to light them without touching it.
// The text is split at line ends into blocks that the browser lays out only when they are near.

import { el, given } from "./elements.js";

const MANY = 20; // blocks; with fewer there is nothing to gain
const BLOCK = 1500; // characters, roughly; a line is never broken

export function blocksOf(text) {
  const blocks = [];
  let start = 0;
  while (start < text.length) {
    let end = text.indexOf("\n", Math.min(start + BLOCK, text.length));
    end = end < 0 ? text.length : end;
    blocks.push({ start, text: text.slice(start, end) });
    start = end + 1;
  }
  return blocks.length ? blocks : [{ start: 0, text: "" }];
}

// Every place of `wanted` in `text`, [start, end], whatever the case; at most `limit`.
export function findAll(text, wanted, limit = 2000) {
  if (!wanted.trim()) return [];
  const pattern = new RegExp(wanted.trim().replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
  const found = [];
  for (const match of text.matchAll(pattern)) {
    found.push([match.index, match.index + match[0].length]);
    if (found.length === limit) break;
  }
  return found;
}

// Where each part stands in the text it was cut from, in order; null for one that is not there.
export function placesOf(text, parts) {
  let from = 0;
  return new Map(
    parts.map((part) => {
      const wanted = part.text.trim();
      let start = wanted ? text.indexOf(wanted, from) : -1;
      if (start < 0 && wanted) start = text.indexOf(wanted);
      if (start < 0) return [part.number, null];
      from = start + wanted.length;
      return [part.number, [start, from]];
    }),
  );
}

function lightOf(name) {
  if (typeof Highlight === "undefined" || !CSS.highlights) return null;
  if (!CSS.highlights.has(name)) CSS.highlights.set(name, new Highlight());
  return CSS.highlights.get(name);
}

export class Passage {
  constructor(label, text) {
    this.text = text;
    this.blocks = blocksOf(text);
    const nodes = this.blocks.map((block) => given("div", block.text, { class: "rb-block" }));
    this.blocks.forEach((block, index) => (block.node = nodes[index]));
    this.node = el(
      "div",
      {
        class: this.blocks.length > MANY ? "rb-passage rb-many" : "rb-passage",
        tabindex: "0",
        role: "region",
        "aria-label": label,
      },
      nodes,
    );
    this.lit = new Map(); // name -> ranges of ours
  }

  range([start, end]) {
    const at = (offset) => {
      const block = this.blocks.findLast((one) => one.start <= offset) ?? this.blocks[0];
      const node = block.node.firstChild ?? block.node;
      return [node, Math.min(offset - block.start, node.length ?? 0)];
    };
    const range = document.createRange();
    range.setStart(...at(start));
    range.setEnd(...at(end));
    return range;
  }

  // Lights these places in one of the colours of form.css, and no others in that colour.
  light(name, places) {
    const highlight = lightOf(name);
    if (!highlight) return;
    for (const range of this.lit.get(name) ?? []) highlight.delete(range);
    const ranges = places.map((place) => this.range(place));
    for (const range of ranges) highlight.add(range);
    this.lit.set(name, ranges);
  }

  dark() {
    for (const name of this.lit.keys()) this.light(name, []);
  }

  // Scrolls this pane, and only this pane, until the place is in the middle.
  scrollTo(place) {
    const middle = () => {
      const there = this.range(place).getBoundingClientRect();
      const here = this.node.getBoundingClientRect();
      const away = there.top + there.height / 2 - (here.top + here.height / 2);
      if (there.top < here.top || there.bottom > here.bottom) this.node.scrollTop += away;
    };
    middle(); // first near it, where blocks have only estimated heights …
    middle(); // … then to it
  }

  // The selected stretch inside this passage, or null.
  selection() {
    const selected = document.getSelection();
    if (!selected || selected.rangeCount === 0 || selected.isCollapsed) return null;
    const range = selected.getRangeAt(0);
    const start = this.offset(range.startContainer, range.startOffset);
    const end = this.offset(range.endContainer, range.endOffset);
    return start === null || end === null || end <= start ? null : [start, end];
  }

  offset(node, within) {
    const block = this.blocks.find((one) => one.node.contains(node));
    if (!block) return null;
    if (node.nodeType === Node.TEXT_NODE) return block.start + within;
    return block.start + (within > 0 ? block.text.length : 0);
  }
}
