// A long text on the page, with ways to find places in it and to light them without touching it.
// The text is split at line ends into blocks that the browser lays out only when they are near.
// Places are places in the text as it came, also where its Markdown is shown as what it means.

import { el, given } from "./elements.js";
import { readFormula } from "./formula.js";
import { readMarkdown } from "./markdown.js";

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

// What a text becomes on the page: its blocks, and its pieces, nodes of text with their places.
function plain(text, tag = "div", attributes = {}) {
  const pieces = [];
  const nodes = blocksOf(text).map((block) => {
    const node = given(tag, block.text, { class: "rb-block", ...attributes });
    pieces.push({ start: block.start, text: block.text, node: node.firstChild ?? node });
    return node;
  });
  return { nodes, pieces };
}

const LINES = new Set(["p", "h4", "div", "li", "blockquote", "pre", "th", "td"]);

const MATHML = "http://www.w3.org/1998/Math/MathML";

// The elements of a formula that is read whole; null for another, which is shown as it was written.
function formula(text, part, pieces) {
  const inside = part.tag === "pre" ? part.kids[0] : part;
  if (inside?.kind !== "rb-formula" || inside.kids.length !== 1) return null;
  const [start, end] = inside.kids[0];
  const tree = readFormula(text.slice(start, end));
  if (!tree) return null;
  const draw = ({ tag, kids, more, ...leaf }) => {
    if (!tag) return write(leaf);
    const node = document.createElementNS(MATHML, tag);
    for (const [name, value] of Object.entries(more)) node.setAttribute(name, value);
    node.append(...kids.map(draw));
    return node;
  };
  let last = start;
  const write = ({ drawn, text: letters, from, to }) => {
    const node = document.createTextNode(drawn ?? letters);
    // What stands elsewhere on the page than in the source (an index before its root) is no place.
    if (drawn === undefined && start + from >= last) {
      pieces.push({ start: start + from, size: to - from, text: letters, node });
      last = start + to;
    }
    return node;
  };
  const made = draw(tree);
  if (part.tag !== "pre") return el("span", { class: "rb-formula" }, made);
  made.setAttribute("display", "block");
  return el("div", { class: "rb-formula", tabindex: "0" }, made);
}

function markdown(text) {
  const pieces = [];
  const draw = (part) => {
    if (Array.isArray(part)) {
      const node = document.createTextNode(text.slice(...part));
      pieces.push({ start: part[0], text: node.data, node });
      return node;
    }
    const made = formula(text, part, pieces);
    if (made) return made;
    const { tag, kids, kind, ...more } = part;
    const node = el(tag, { dir: LINES.has(tag) ? "auto" : null, class: kind || null, ...more });
    if (LINES.has(tag)) node.classList.add("rb-given");
    node.append(...kids.map(draw));
    return node;
  };
  const nodes = [];
  let size = BLOCK;
  for (const node of readMarkdown(text).map(draw)) {
    if (size >= BLOCK) {
      nodes.push(el("div", { class: "rb-block rb-markdown" }));
      size = 0;
    }
    nodes.at(-1).append(node);
    size += node.textContent.length;
  }
  return { nodes, pieces };
}

// A formula a paragraph, with its signs of TeX around it or without; each that is not read whole is
// shown as it was written.
const BEFORE = /^(?:\$\$?|\\[[(])/;
const BEHIND = /(?:\$?\$|\\[\])])$/;

// A formula without the signs around it. Trimmed first: a pattern that looks for the spaces before an
// end begins anew at each of them.
export function unsigned(written) {
  return written.trim().replace(BEFORE, "").replace(BEHIND, "").trim();
}

function formulas(text) {
  const pieces = [];
  const nodes = [...text.matchAll(/\S[^]*?(?=\n[ \t]*\n|$)/g)].map(({ 0: written, index }) => {
    const inside = unsigned(written);
    const start = index + (inside ? written.indexOf(inside) : 0);
    const part = { tag: "pre", kids: [{ kind: "rb-formula", kids: [[start, start + inside.length]] }] };
    const made = inside ? formula(text, part, pieces) : null;
    if (made) return el("div", { class: "rb-block rb-markdown" }, made);
    const node = given("div", written, { class: "rb-block" });
    pieces.push({ start: index, text: written, node: node.firstChild });
    return node;
  });
  return { nodes, pieces };
}

const SHOWN = {
  markdown,
  formula: formulas,
  code: (text) => plain(text, "pre", { class: "rb-block rb-code", dir: "ltr" }),
};

// The text that is shown, and in each piece where in it the piece begins.
function shownText(text, pieces) {
  let shown = "";
  let end = 0;
  for (const piece of pieces) {
    if (/[\n|]/.test(text.slice(end, piece.start))) shown += "\n";
    piece.seen = shown.length;
    shown += piece.text;
    end = piece.start + sizeOf(piece);
  }
  return shown;
}

// How long a piece is in the text as it came: “α” of a formula is longer there.
const sizeOf = (piece) => piece.size ?? piece.text.length;

export class Passage {
  constructor(label, text, show = "text") {
    this.text = text;
    const { nodes, pieces } = (SHOWN[show] ?? plain)(text);
    this.node = el(
      "div",
      {
        class: nodes.length > MANY ? "rb-passage rb-many" : "rb-passage",
        tabindex: "0",
        role: "region",
        "aria-label": label,
      },
      nodes,
    );
    this.pieces = pieces.length ? pieces : [{ start: 0, text: "", node: this.node }];
    this.held = new Map(pieces.map((piece) => [piece.node, piece]));
    this.shown = shownText(text, this.pieces);
    this.lit = new Map(); // name -> ranges of ours
  }

  // Places in the text of what is searched for in what is shown.
  find(wanted) {
    const place = (offset, more) => {
      const piece = this.piece((one) => one.seen <= offset);
      const within = Math.min(offset - piece.seen, piece.text.length) + more;
      return piece.start + (within < piece.text.length ? within : Math.max(within, sizeOf(piece)));
    };
    return findAll(this.shown, wanted).map(([start, end]) => [place(start, 0), place(end - 1, 1)]);
  }

  // The last piece of those that come first and are so; the first where none is.
  piece(isSo) {
    let [low, high] = [0, this.pieces.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isSo(this.pieces[middle])) low = middle + 1;
      else high = middle;
    }
    return this.pieces[Math.max(low - 1, 0)];
  }

  range([start, end]) {
    const range = document.createRange();
    const first = this.piece((one) => one.start <= start);
    const last = this.piece((one) => one.start < Math.max(end, start + 1));
    const within = (piece, offset) => Math.min(Math.max(offset - piece.start, 0), piece.text.length);
    range.setStart(first.node, within(first, start));
    range.setEnd(last.node, within(last, end));
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

  // Scrolls the pane this stands in until the place is in the middle; where panes do not scroll, all
  // of the form's, which takes the question away.
  scrollTo(place, { onlyPane = false } = {}) {
    const scrolls = (node) => node && getComputedStyle(node).overflowY !== "visible";
    const form = onlyPane ? null : this.node.closest(".rb-main");
    const pane = [this.node.closest(".rb-pane"), form].find(scrolls);
    if (!pane) return;
    const head = this.node.closest(".rb-field")?.querySelector(".rb-field-head");
    const middle = () => {
      const there = this.range(place).getBoundingClientRect();
      const { top, bottom } = pane.getBoundingClientRect();
      const free = top + (head?.offsetHeight ?? 0); // the head covers what is above
      const fits = there.height < bottom - free;
      const away = fits ? (there.top + there.bottom - free - bottom) / 2 : there.top - free;
      if (there.top < free || there.bottom > bottom) pane.scrollTop += away;
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
    const end = this.offset(range.endContainer, range.endOffset, { ends: true });
    return start === null || end === null || end <= start ? null : [start, end];
  }

  // The place of a point on the page; between two pieces it begins at the next or `ends` before it.
  offset(node, within, { ends = false } = {}) {
    const held = this.held.get(node);
    if (held && node.nodeType === Node.TEXT_NODE) {
      return held.start + (within < held.text.length ? within : sizeOf(held));
    }
    if (!this.node.contains(node)) return null;
    const point = document.createRange();
    point.setStart(node, within);
    const isBefore = (piece) => point.comparePoint(piece.node, 0) < 0;
    const piece = this.piece(isBefore);
    if (!isBefore(piece)) return piece.start;
    const next = ends ? null : this.pieces[this.pieces.indexOf(piece) + 1];
    return next?.start ?? piece.start + sizeOf(piece);
  }
}
