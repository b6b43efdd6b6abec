// Markdown, read into a tree whose leaves are places in the text, [from, to], in their order. What
// is no markup this knows, HTML with it, stays text. Every text is read in time linear in its length.

import { Ahead, element, Inline, joined } from "./inline.js";

const DEEP = 8; // lists and quotes in one another; what lies deeper is text
const BLANK = /^\s*$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+|$)/;
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const FENCE = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})/;
const QUOTE = /^ {0,3}> ?/;
const MARKER = /^([ \t]*)([-*+]|(\d{1,9})[.)])([ \t]+|$)/;
const DASHES = /^:?-+:?$/;
const TAB = 4;

export function readMarkdown(text) {
  return new Blocks(text).read();
}

class Blocks {
  constructor(text) {
    this.text = text;
    this.ahead = new Ahead(text);
  }

  read() {
    const lines = [];
    for (let from = 0; from < this.text.length; ) {
      const found = this.text.indexOf("\n", from);
      const next = found < 0 ? this.text.length : found + 1;
      let to = found < 0 ? next : found;
      if (to > from && this.text[to - 1] === "\r") to -= 1;
      lines.push({ from, to, next });
      from = next;
    }
    return this.blocks(lines, 0);
  }

  words({ from, to }) {
    return this.text.slice(from, to);
  }

  blocks(lines, depth) {
    const found = [];
    for (let at = 0; at < lines.length; ) {
      const words = this.words(lines[at]);
      if (BLANK.test(words)) at += 1;
      else at = this.block(lines, at, words, depth, found);
    }
    return found;
  }

  // Puts one block into `found`; returns the line after it.
  block(lines, at, words, depth, found) {
    const heading = HEADING.exec(words);
    if (heading) {
      found.push(this.heading(lines[at], heading));
      return at + 1;
    }
    if (RULE.test(words)) {
      found.push(element("hr", []));
      return at + 1;
    }
    const fence = FENCE.exec(words);
    if (fence) return this.fenced(lines, at, fence, found);
    if (depth < DEEP && QUOTE.test(words)) return this.quoted(lines, at, depth, found);
    if (depth < DEEP && MARKER.test(words)) return this.list(lines, at, depth, found);
    if (this.headsTable(lines, at)) return this.table(lines, at, found);
    return this.formula(lines, at, words, found) ?? this.paragraph(lines, at, depth, found);
  }

  heading({ from, to }, [whole, marks]) {
    let end = to;
    const back = (signs) => {
      let here = end;
      while (here > from + whole.length && signs.includes(this.text[here - 1])) here -= 1;
      return here;
    };
    end = back(" \t");
    const bare = back("#");
    if (bare === from + whole.length || " \t".includes(this.text[bare - 1])) end = bare;
    end = back(" \t");
    const kids = this.inline([[from + whole.length, end]]);
    return element(kids.length ? "h4" : "div", kids, `rb-level-${marks.length}`);
  }

  // To its closing fence, or to the end where there is none.
  fenced(lines, at, [opening, marks], found) {
    const indent = opening.length - marks.length;
    const kids = [];
    const { from, to } = lines[at];
    const named = [from + opening.length, to];
    if (!BLANK.test(this.text.slice(...named))) {
      kids.push(element("span", [named], "rb-language"));
    }
    let line = at + 1;
    const body = [];
    for (; line < lines.length; line += 1) {
      const words = this.words(lines[line]);
      const closing = FENCE.exec(words)?.[1] ?? "";
      const same = closing[0] === marks[0] && closing.length >= marks.length;
      if (same && BLANK.test(words.slice(words.indexOf(closing) + closing.length))) break;
      body.push([this.within(lines[line], indent).from, lines[line].next]);
    }
    kids.push(element("code", joined(body)));
    found.push(element("pre", kids));
    return line + 1;
  }

  quoted(lines, at, depth, found) {
    const inside = [];
    let line = at;
    for (; line < lines.length; line += 1) {
      const mark = QUOTE.exec(this.words(lines[line]));
      if (!mark) break;
      inside.push({ ...lines[line], from: lines[line].from + mark[0].length });
    }
    found.push(element("blockquote", this.blocks(inside, depth + 1)));
    return line;
  }

  // The line without `width` columns of its indentation, or what it has of them.
  within(line, width) {
    let { from } = line;
    for (let column = 0; column < width && from < line.to; from += 1) {
      if (this.text[from] === " ") column += 1;
      else if (this.text[from] === "\t") column += TAB;
      else break;
    }
    return { ...line, from };
  }

  list(lines, at, depth, found) {
    const first = MARKER.exec(this.words(lines[at]));
    const numbered = first[3] !== undefined;
    const items = [];
    let line = at;
    for (let marker = first; line < lines.length; ) {
      const value = numbered ? { value: Number(marker[3]) } : {};
      const held = this.held(lines, line, marker);
      items.push(element("li", this.blocks(held.lines, depth + 1), "", value));
      line = held.next;
      const words = line < lines.length ? this.words(lines[line]) : "";
      marker = RULE.test(words) ? null : MARKER.exec(words);
      if (!marker || (marker[3] !== undefined) !== numbered) break;
    }
    found.push(element(numbered ? "ol" : "ul", items));
    return line;
  }

  // The lines of one entry of a list: what is indented under it, and what goes on without a gap.
  held(lines, at, [whole, before, mark]) {
    const own = columns(before);
    const width = own + mark.length + 1;
    const inside = [{ ...lines[at], from: lines[at].from + whole.length }];
    let gap = 0;
    let line = at + 1;
    for (; line < lines.length; line += 1) {
      const words = this.words(lines[line]);
      if (BLANK.test(words)) {
        gap += 1;
        continue;
      }
      const marker = MARKER.exec(words);
      const deeper = columns(words) >= width || (marker && columns(marker[1]) > own);
      if (!deeper && (gap || marker || this.interrupts(lines, line))) break;
      for (; gap > 0; gap -= 1) inside.push(lines[line - gap]);
      inside.push(this.within(lines[line], width));
    }
    return { lines: inside, next: line };
  }

  // Whether a paragraph ends before this line though no blank one is between.
  interrupts(lines, at) {
    const words = this.words(lines[at]);
    if (HEADING.test(words) || RULE.test(words) || FENCE.test(words) || QUOTE.test(words)) return true;
    const marker = MARKER.exec(words);
    if (marker && marker[4] && (marker[3] === undefined || Number(marker[3]) === 1)) return true;
    return this.headsTable(lines, at);
  }

  paragraph(lines, at, depth, found) {
    let line = at + 1;
    while (line < lines.length && !BLANK.test(this.words(lines[line]))) {
      // What lies too deep begins nothing: it would be asked of every line again.
      if (depth < DEEP && this.interrupts(lines, line)) break;
      line += 1;
    }
    const held = lines.slice(at, line);
    const places = held.map(({ from, to, next }, index) => [from, index + 1 < held.length ? next : to]);
    found.push(element("p", this.inline(places)));
    return line;
  }

  headsTable(lines, at) {
    if (at + 1 >= lines.length || !this.words(lines[at]).includes("|")) return false;
    const below = this.words(lines[at + 1]);
    if (!/^[-:| \t]+$/.test(below) || !below.includes("-")) return false;
    const marks = this.cells(lines[at + 1]);
    if (!marks.every(([from, to]) => DASHES.test(this.text.slice(from, to)))) return false;
    return marks.length === this.cells(lines[at]).length;
  }

  // [from, to] of each cell, without the spaces around it.
  cells({ from, to }) {
    const { text } = this;
    const bare = (start, end) => {
      while (start < end && " \t".includes(text[start])) start += 1;
      while (end > start && " \t".includes(text[end - 1])) end -= 1;
      return [start, end];
    };
    const [first, last] = bare(from, to);
    const found = [];
    let start = text[first] === "|" ? first + 1 : first;
    for (let here = start; here < last; here += 1) {
      if (text[here] === "\\") here += 1;
      else if (text[here] === "|") {
        found.push(bare(start, here));
        start = here + 1;
      }
    }
    if (start < last) found.push(bare(start, last));
    return found;
  }

  table(lines, at, found) {
    const row = (line, tag, more) =>
      element(
        "tr",
        this.cells(line).map((cell) => element(tag, this.inline([cell]), "", more)),
      );
    const rows = [];
    let line = at + 2;
    for (; line < lines.length && this.words(lines[line]).includes("|"); line += 1) {
      rows.push(row(lines[line], "td"));
    }
    const head = element("thead", [row(lines[at], "th", { scope: "col" })]);
    found.push(element("table", [head, element("tbody", rows)]));
    return line;
  }

  // A formula on lines of its own, $$ … $$ or \[ … \]; null where it does not end on its last line.
  formula(lines, at, words, found) {
    const start = words.length - words.trimStart().length;
    const opening = words.slice(start, start + 2);
    const closing = { $$: "$$", "\\[": "\\]" }[opening];
    if (!closing) return null;
    const from = lines[at].from + start + 2;
    const end = this.ahead.of(closing, from);
    if (end < 0 || end > lines.at(-1).to) return null;
    let line = at;
    while (end >= lines[line].next) line += 1;
    if (end < lines[line].from || !BLANK.test(this.text.slice(end + 2, lines[line].to))) return null;
    const held = lines.slice(at, line + 1).map((one, index) => [
      index ? one.from : from,
      index === line - at ? end : one.next,
    ]);
    found.push(element("pre", [element("code", joined(held), "rb-formula")]));
    return line + 1;
  }

  inline(places) {
    return new Inline(this.text, joined(places)).read();
  }
}

function columns(words) {
  let width = 0;
  for (const sign of words) {
    if (sign !== " " && sign !== "\t") break;
    width += sign === "\t" ? TAB : 1;
  }
  return width;
}
