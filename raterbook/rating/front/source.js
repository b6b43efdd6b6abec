// The left side: what there is to judge and to judge it by, as far as the open question shows it.

import { button, el, fill, given } from "./elements.js";
import { takeFocus } from "./keys.js";
import { Passage, placesOf } from "./passage.js";
import { remember, remembered } from "./time.js";

const FOLD = "triples";
const SEEN = 200; // characters that need no search; as few are in view at once
const LONG = 500;
const VERY_LONG = 3000;
const QUOTED = 120; // characters of a mark; the line shows as many as it has room for

// The names of the fields an open question shows; all visible ones where it names none.
function shownFields(protocol, question) {
  const names = protocol.fields.map((field) => field.name);
  if (!question || !question.shows.length) return names;
  return names.filter((name) => question.shows.includes(name));
}

export class Source {
  // `act` has pick(part), when the rater clicks a sentence in its response, and for evidence
  // mark() and unmark(place).
  constructor(protocol, act) {
    this.protocol = protocol;
    this.act = act;
    // What is judged stays in view, what it is judged by has the height there is and one scroller,
    // and what is judged piece by piece stands under it.
    this.regions = {
      object: el("div", { class: "rb-pane rb-judged", hidden: true }),
      material: el("div", { class: "rb-pane rb-material", hidden: true }),
      pieces: el("div", { class: "rb-pane rb-pieces", hidden: true }),
    };
    const regions = Object.values(this.regions);
    this.node = el("section", { class: "rb-source", "aria-label": "Source" }, regions);
    this.panes = new Map();
    this.shown = this.says = "";
  }

  clear() {
    for (const pane of this.panes.values()) pane.passage?.dark();
    this.panes.clear();
    this.shown = this.says = "";
    for (const region of Object.values(this.regions)) {
      region.replaceChildren();
      region.scrollTop = 0; // another item is read from its beginning
    }
  }

  // Draws an item's fields once; `show` then only changes what must change.
  // The same item come again keeps its place on the page and what was searched in it.
  load(item) {
    const says = JSON.stringify([item.ref, item.fields, item.parts]);
    if (says === this.says) return;
    this.clear();
    this.says = says;
    const parts = this.protocol.parts;
    for (const field of this.protocol.fields) {
      const text = item.fields[field.name];
      if (text === undefined || text === null || text === "") continue;
      const pane = this.pane(field, String(text));
      if (parts && parts.from === field.name && pane.passage) {
        pane.places = placesOf(pane.passage.text, item.parts);
        pane.passage.node.addEventListener("click", () => this.clicked(pane));
      }
      this.panes.set(field.name, pane);
    }
  }

  pane(field, text) {
    if (field.show === "triples") {
      // Folded once the rater folds it: the source then has the height there is.
      const { table, filter, tools } = triplesTable(field.label, text);
      const turn = (open) => {
        table.hidden = tools.hidden = !open;
        head.setAttribute("aria-expanded", String(open));
      };
      const click = () => {
        turn(table.hidden);
        remember(FOLD, table.hidden ? "shut" : "open");
      };
      const head = el("button", { class: "rb-fold", on: { click } }, field.label);
      turn(remembered(FOLD) !== "shut");
      const title = el("h3", { class: "rb-label" }, head);
      const top = el("div", { class: "rb-field-head" }, title, tools);
      const node = el("div", { class: "rb-field rb-triples" }, top, table);
      return { node, region: "material", search: filter };
    }
    const tall = field.show === "markdown" || field.show === "code"; // more lines than its letters
    const passage = new Passage(field.label, text, field.show);
    const long = field.show === "long" || text.length > (tall ? LONG : VERY_LONG);
    const search = long && text.length > SEEN ? searchBox(passage, field.label, this.act.mark) : null;
    const marks = el("div", { class: "rb-marks", hidden: true });
    const title = el("h3", { class: "rb-label" }, field.label);
    const head = search ? el("div", { class: "rb-field-head" }, title, search.node) : title;
    const inPieces = this.protocol.parts?.from === field.name;
    // Only a text that is long on the page too is one to scroll in.
    const region = inPieces ? "pieces" : long && text.length > LONG ? "material" : "object";
    const node = el("div", { class: "rb-field" }, head, passage.node, marks);
    return { node, region, passage, marks, search: search?.box ?? null, found: search?.place };
  }

  show(question, part, extra = []) {
    const names = shownFields(this.protocol, question).filter((name) => this.panes.has(name));
    const shown = JSON.stringify([names, extra]);
    if (shown !== this.shown) {
      this.shown = shown;
      const answers = extra.map(({ label, text }) => {
        const title = el("h3", { class: "rb-label" }, label);
        return el("div", { class: "rb-field" }, title, given("div", text));
      });
      for (const [name, region] of Object.entries(this.regions)) {
        const panes = names.map((one) => this.panes.get(one)).filter((pane) => pane.region === name);
        fill(region, panes.map((pane) => pane.node), name === "object" ? answers : null);
        region.hidden = !region.firstChild;
      }
    }
    for (const [name, pane] of this.panes) {
      if (!pane.places) continue;
      const place = names.includes(name) ? pane.places.get(part) : null;
      pane.passage.light("rb-lit", place ? [place] : []);
      if (place) pane.passage.scrollTo(place, { onlyPane: true });
    }
  }

  clicked(pane) {
    const selected = document.getSelection();
    if (!selected || !selected.isCollapsed || !selected.anchorNode) return;
    const offset = pane.passage.offset(selected.anchorNode, selected.anchorOffset);
    for (const [number, place] of pane.places) {
      if (place && offset !== null && offset >= place[0] && offset <= place[1]) {
        this.act.pick(number);
        return;
      }
    }
  }

  // The first search box on show takes the focus; the longest text is the one people search.
  search() {
    const panes = [...this.panes.values()].filter((pane) => pane.search && pane.node.isConnected);
    panes.sort((a, b) => (b.passage?.text.length ?? 0) - (a.passage?.text.length ?? 0));
    if (panes.length) takeFocus(panes[0].search);
    panes[0]?.search.select();
    return panes.length > 0;
  }

  // {field, start, end, quote} of what is selected in a text on show, else of what the search in
  // one is at; null for neither.
  selection() {
    const panes = [...this.panes].filter(([, pane]) => pane.passage && pane.node.isConnected);
    const marked = (of) => {
      for (const [field, pane] of panes) {
        const place = of(pane);
        if (!place) continue;
        const [start, end] = place;
        return { field, start, end, quote: pane.passage.text.slice(start, end) };
      }
      return null;
    };
    return marked((pane) => pane.passage.selection()) ?? marked((pane) => pane.found?.());
  }

  lightEvidence(marks) {
    for (const [field, pane] of this.panes) {
      const places = marks.filter((mark) => mark.field === field);
      pane.passage?.light("rb-evidence", places.map((mark) => [mark.start, mark.end]));
      if (pane.marks) this.listEvidence(pane, places);
    }
  }

  // Under the text what is marked in it; each mark leads to its place and can be taken away.
  listEvidence(pane, places) {
    const says = JSON.stringify(places);
    if (says === (pane.says ?? "[]")) return;
    pane.says = says;
    pane.marks.hidden = !places.length;
    const marks = places.map((mark) => {
      const quote = `“${mark.quote.trim().replace(/\s+/g, " ").slice(0, QUOTED)}”`;
      const go = () => pane.passage.scrollTo([mark.start, mark.end]);
      const remove = () => this.act.unmark(mark);
      return el(
        "span",
        { class: "rb-mark" },
        el("button", { class: "rb-quote", dir: "auto", on: { click: go } }, quote),
        button("×", remove, { class: "rb-unmark", "aria-label": `Remove the evidence ${quote}` }),
      );
    });
    fill(pane.marks, el("span", { class: "rb-label" }, "Evidence"), marks);
  }
}

// One a line, numbered or not, in brackets or not, as the store reads them when a round is opened:
// tests/rating/front/triples.json holds both to it.
const NUMBERING = /^\s*(?:\p{Nd}+\s*[.):]\s+|[-*•]\s+)/u;
const ARROWS = [/→|⟶|⇒|➝|➔/, /-{1,2}>|=>/, /\|/, /\t+/]; // the first that splits in three is meant
const SHUT = { "(": ")", "<": ">", "[": "]" };

// {pieces} of each line that is a triple, {line} of any other.
export function readTriples(text) {
  return text
    .split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/)
    .map((line) => ({ line: line.trim(), bare: line.replace(NUMBERING, "").trim() }))
    .filter(({ bare }) => bare)
    .map(({ line, bare }) => {
      const inside = bare.at(-1) === SHUT[bare[0]] ? bare.slice(1, -1) : bare;
      const pieces = ARROWS.map((arrow) => inside.split(arrow).map((piece) => piece.trim()));
      const three = pieces.find((found) => found.length === 3);
      return three?.every(Boolean) ? { pieces: three } : { line };
    });
}

// Triples as a table with a filter. Lines that are no triples are shown too, never dropped.
function triplesTable(label, text) {
  const rows = readTriples(text);
  const count = el("span", { class: "rb-quiet", "aria-live": "polite" }, `${rows.length} triples`);
  const body = el(
    "tbody",
    {},
    rows.map(({ pieces, line }) =>
      el(
        "tr",
        {},
        pieces
          ? pieces.map((piece) => given("td", piece))
          : given("td", line, { colspan: "3", class: "rb-no-triple", title: "not a triple" }),
      ),
    ),
  );
  const filter = el("input", {
    type: "search",
    class: "rb-search",
    placeholder: "Filter",
    "aria-label": `Filter ${label}`,
    on: {
      input: () => {
        const wanted = filter.value.toLocaleLowerCase();
        let shown = 0;
        for (const row of body.children) {
          row.hidden = !row.textContent.toLocaleLowerCase().includes(wanted);
          shown += row.hidden ? 0 : 1;
        }
        count.textContent = wanted ? `${shown} of ${rows.length}` : `${rows.length} triples`;
      },
    },
  });
  const head = ["Subject", "Predicate", "Object"].map((name) => el("th", { scope: "col" }, name));
  const table = el(
    "div",
    { class: "rb-scroll", tabindex: "0", role: "region", "aria-label": label },
    el("table", {}, el("thead", {}, el("tr", {}, head)), body),
  );
  return { table, filter, tools: el("span", { class: "rb-row" }, filter, count) };
}

// Searching a source: what is found is lit, Enter goes on, Shift+Enter goes back. What is found, or
// selected, is marked as evidence beside it.
function searchBox(passage, label, mark) {
  let found = [];
  let here = -1;
  const count = el("span", { class: "rb-quiet", "aria-live": "polite" });

  const show = () => {
    passage.light("rb-found", found);
    passage.light("rb-here", here < 0 ? [] : [found[here]]);
    if (here >= 0) passage.scrollTo(found[here]);
    count.textContent = !box.value.trim()
      ? ""
      : found.length
        ? `${here + 1} of ${found.length}`
        : "not found";
  };

  const box = el("input", {
    type: "search",
    class: "rb-search",
    placeholder: "Search",
    "aria-label": `Search ${label}`,
    on: {
      input: () => {
        found = passage.find(box.value);
        here = found.length ? 0 : -1;
        show();
      },
      keydown: (event) => {
        if (event.key !== "Enter" || !found.length) return;
        event.preventDefault();
        here = (here + (event.shiftKey ? -1 : 1) + found.length) % found.length;
        show();
      },
    },
  });
  // The place the rater has come to, for those who mark it without a mouse.
  const place = () => (here < 0 ? null : found[here]);
  const evidence = button("Evidence", mark, { press: "E", title: "Mark what is selected or found" });
  evidence.addEventListener("pointerdown", (event) => event.preventDefault()); // it stays selected
  evidence.addEventListener("mousedown", (event) => event.preventDefault());
  return { box, place, node: el("span", { class: "rb-row" }, box, count, evidence) };
}

const LEAST = 25; // per cent of the width that either side keeps
const MOST = 75;
const SHARE = 56; // where nobody has drawn it

// What the source has of the width; drawn by hand or moved by the arrow keys, and remembered.
export class Divider {
  constructor(main) {
    this.main = main;
    this.node = el("div", {
      class: "rb-divider",
      role: "separator",
      tabindex: "0",
      "aria-orientation": "vertical",
      "aria-label": "Width of the source",
      "aria-valuemin": String(LEAST),
      "aria-valuemax": String(MOST),
      on: {
        pointerdown: (event) => this.draw(event),
        keydown: (event) => this.step(event),
        dblclick: () => this.keep(SHARE),
      },
    });
    this.set(Number(remembered("source")) || SHARE);
  }

  set(share) {
    this.share = Math.min(Math.max(Math.round(share), LEAST), MOST);
    this.main.style.setProperty("--rb-share", `${this.share}%`);
    this.node.setAttribute("aria-valuenow", String(this.share));
  }

  keep(share) {
    this.set(share);
    remember("source", this.share);
  }

  step(event) {
    const by = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    this.keep(this.share + by);
  }

  draw(begun) {
    begun.preventDefault();
    this.node.setPointerCapture(begun.pointerId);
    const move = (event) => {
      const { left, width } = this.main.getBoundingClientRect();
      const right = getComputedStyle(this.main).direction === "rtl";
      const share = (100 * (event.clientX - left)) / width;
      this.set(right ? 100 - share : share);
    };
    const end = () => {
      this.node.removeEventListener("pointermove", move);
      this.keep(this.share);
    };
    this.node.addEventListener("pointermove", move);
    this.node.addEventListener("pointerup", end, { once: true });
    this.node.addEventListener("pointercancel", end, { once: true });
  }
}
