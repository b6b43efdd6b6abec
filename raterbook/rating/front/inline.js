// Markdown within a line: emphasis, code, formulas, links; each sign is looked at a fixed number of
// times, however many ask for an end that does not come.

const WAITING = 20; // emphases and brackets that wait for their end; the oldest is then text

export const element = (tag, kids, kind = "", more = {}) => ({ tag, kids, kind, ...more });

// Places that follow one another as one.
export function joined(places) {
  const found = [];
  for (const [from, to] of places) {
    if (from >= to) continue;
    if (found.length && found.at(-1)[1] === from) found.at(-1)[1] = to;
    else found.push([from, to]);
  }
  return found;
}

// Where something comes next, asked from left to right: each stretch is looked through once.
export class Ahead {
  constructor(text) {
    this.text = text;
    this.held = new Map();
  }

  // `what` is a text, or a pattern with the flag g whose last character is meant.
  of(what, from) {
    const held = this.held.get(what);
    if (held !== undefined && (held < 0 || held >= from)) return held;
    let found = -1;
    if (typeof what === "string") found = this.text.indexOf(what, from);
    else {
      what.lastIndex = from;
      if (what.test(this.text)) found = what.lastIndex - 1;
    }
    this.held.set(what, found);
    return found;
  }
}

const PLAIN = /[^\\`$*_~![\]]+/y;
const TICKS = /`+/g;
const DOLLAR = /[^\s\\]\$(?![0-9])/g;
const LETTER = /[\p{L}\p{N}]/u;
const MARK = /[!-/:-@[-`{-~]/;
const TITLE = /[ ]+"[^"\n]*"\)/y;
const TAGS = { "*1": "em", _1: "em", "*2": "strong", _2: "strong", "~2": "del" };

// Emphasis, code, formulas and links in the text of some places. Openings are text until their end
// is found.
export class Inline {
  constructor(source, places) {
    this.places = places;
    this.text = places.map(([from, to]) => source.slice(from, to)).join("");
    this.ahead = new Ahead(this.text);
    this.out = [];
    this.open = []; // entries of `out` that may still become an element
  }

  read() {
    const { text } = this;
    for (let at = 0; at < text.length; ) {
      PLAIN.lastIndex = at;
      if (PLAIN.test(text)) {
        this.say(at, PLAIN.lastIndex);
        at = PLAIN.lastIndex;
      } else at = this.signs(at);
    }
    return this.tree();
  }

  say(from, to) {
    if (from < to) this.out.push({ from, to });
  }

  wait(from, to, sign) {
    const entry = { from, to, sign };
    this.out.push(entry);
    this.open.push(entry);
    if (this.open.length > WAITING) this.open.shift();
  }

  // The newest opening with one of these signs becomes an element; those after it are text.
  close(signs, tag, kind = "") {
    const place = this.open.findLastIndex(({ sign }) => signs.includes(sign));
    if (place < 0) return 0;
    const entry = this.open[place];
    this.open.length = place;
    Object.assign(entry, { tag: tag ?? TAGS[entry.sign], kind });
    return entry.to - entry.from;
  }

  wrap(tag, kind, from, to, next) {
    this.out.push({ tag, kind });
    this.say(from, to);
    this.out.push({ ends: true });
    return next;
  }

  signs(at) {
    const sign = this.text[at];
    if (sign === "\\") return this.escaped(at);
    if (sign === "`") return this.code(at);
    if (sign === "$") return this.dollars(at);
    if (sign === "]") return this.bracket(at);
    const image = sign === "!" && this.text[at + 1] === "[";
    if (sign === "[" || image) {
      this.wait(at, at + 1 + image, "[");
      return at + 1 + image;
    }
    if (sign === "!") {
      this.say(at, at + 1);
      return at + 1;
    }
    return this.emphasis(at, sign);
  }

  inLine(at, end) {
    const line = this.ahead.of("\n", at);
    return line < 0 || line > end;
  }

  escaped(at) {
    const next = this.text[at + 1] ?? "";
    const closing = { "(": "\\)", "[": "\\]" }[next];
    const end = closing ? this.ahead.of(closing, at + 2) : -1;
    if (end >= 0 && (next === "[" || this.inLine(at, end))) {
      return this.wrap("code", "rb-formula", at + 2, end, end + 2);
    }
    if (!MARK.test(next)) {
      this.say(at, at + 1);
      return at + 1;
    }
    this.say(at + 1, at + 2);
    return at + 2;
  }

  code(at) {
    this.ticks ??= runs(this.text);
    const length = this.ticks.lengths.get(at) ?? 1; // one of a run whose first is escaped
    const same = this.ticks.places.get(length) ?? [];
    while (same.at(-1) <= at) same.pop();
    const end = same.at(-1);
    if (end === undefined) {
      this.say(at, at + length);
      return at + length;
    }
    let [from, to] = [at + length, end];
    const padded = this.text[from] === " " && this.text[to - 1] === " " && to - from > 2;
    if (padded) [from, to] = [from + 1, to - 1];
    return this.wrap("code", "", from, to, end + length);
  }

  dollars(at) {
    const { text } = this;
    const long = text[at + 1] === "$";
    const from = at + 1 + long;
    let end = -1;
    if (long) end = this.ahead.of("$$", from);
    else if (/\S/.test(text[from] ?? " ") && !LETTER.test(text[at - 1] ?? " ")) {
      end = this.ahead.of(DOLLAR, from);
      if (!this.inLine(at, end)) end = -1;
    }
    if (end > from) return this.wrap("code", "rb-formula", from, end, end + 1 + long);
    this.say(at, from);
    return from;
  }

  emphasis(at, sign) {
    const { text } = this;
    let end = at + 1;
    while (text[end] === sign) end += 1;
    const before = text[at - 1] ?? " ";
    const after = text[end] ?? " ";
    const inWord = sign === "_" && LETTER.test(before) && LETTER.test(after);
    if (/\S/.test(before) && !inWord) {
      while (at < end) {
        const left = end - at;
        const wanted = left > 2 ? [`${sign}1`, `${sign}2`] : [`${sign}${left}`];
        const size = this.close(wanted);
        if (!size) break;
        this.out.push({ ends: true });
        at += size;
      }
    }
    const left = end - at;
    const opens = /\S/.test(after) && !inWord && (sign === "~" ? left === 2 : left <= 3);
    if (opens && left > 1) this.wait(at, at + 2, `${sign}2`);
    if (opens && left % 2) this.wait(end - 1, end, `${sign}1`);
    if (!opens) this.say(at, end);
    return end;
  }

  // A link is its text and its address, to be read and not to be followed.
  bracket(at) {
    const end = this.address(at + 1);
    if (end > 0 && this.close(["["], "span", "rb-link")) {
      this.wrap("span", "rb-address", at + 1, end);
      this.out.push({ ends: true });
      return end;
    }
    const place = this.open.findLastIndex((entry) => entry.sign === "[");
    if (place >= 0) this.open.splice(place, 1);
    this.say(at, at + 1);
    return at + 1;
  }

  // Where “(address "title")” ends, with one pair of brackets in the address; -1 for none.
  address(at) {
    const { text } = this;
    if (text[at] !== "(") return -1;
    let inner = false;
    for (let here = at + 1; here < text.length; here += 1) {
      const sign = text[here];
      if (sign === ")" && !inner) return here + 1;
      if (sign === "(" && inner) return -1;
      if (sign === "(" || sign === ")") inner = !inner;
      if (/\s/.test(sign)) {
        TITLE.lastIndex = here;
        return !inner && TITLE.test(text) ? TITLE.lastIndex : -1;
      }
    }
    return -1;
  }

  tree() {
    const top = [];
    const path = [top];
    this.at = 0; // the place that is being given out …
    this.gone = 0; // … and how much text lies before it
    for (const entry of this.out) {
      if (entry.ends) path.pop();
      else if (entry.tag) {
        const made = element(entry.tag, [], entry.kind);
        path.at(-1).push(made);
        path.push(made.kids);
      } else this.give(entry, path.at(-1));
    }
    return top;
  }

  // The places in the source of a stretch of this text.
  give({ from, to }, kids) {
    while (from < to) {
      const [start, end] = this.places[this.at];
      if (from - this.gone >= end - start) {
        this.gone += end - start;
        this.at += 1;
        continue;
      }
      const [first, last] = [start + from - this.gone, Math.min(start + to - this.gone, end)];
      const before = kids.at(-1);
      if (Array.isArray(before) && before[1] === first) before[1] = last;
      else kids.push([first, last]);
      from += last - first;
    }
  }
}

// Every run of backticks: its length by its place, and by its length its places, the last first.
function runs(text) {
  const lengths = new Map();
  const places = new Map();
  for (const { 0: run, index } of text.matchAll(TICKS)) {
    lengths.set(index, run.length);
    if (!places.has(run.length)) places.set(run.length, []);
    places.get(run.length).push(index);
  }
  for (const found of places.values()) found.reverse();
  return { lengths, places };
}
