// What is one key away: instructions, worked examples, definitions, the decision aid, the keys.

import { button, el, given } from "./elements.js";
import { takeFocus } from "./focus.js";
import { KEYS } from "./keys.js";

function paragraphs(lines) {
  return lines.map((line) => el("p", {}, line));
}

function entries(mapping) {
  return el(
    "dl",
    {},
    Object.entries(mapping).map(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]),
  );
}

function keyCap(name) {
  return el("kbd", { class: "rb-key" }, name.length === 1 ? name.toUpperCase() : name);
}

function keysTable() {
  return el(
    "table",
    { class: "rb-keys" },
    el(
      "tbody",
      {},
      KEYS.map((entry) =>
        el(
          "tr",
          {},
          el("td", {}, (entry.show ?? entry.keys).map(keyCap)),
          el("td", {}, entry.what),
        ),
      ),
    ),
  );
}

// A worked example: what is seen, what a careful rater answers, and why.
function example(one, labels) {
  const asked = one.part ? [el("dt", {}, "Part"), given("dd", one.part)] : [];
  const answers = Object.entries(one.answers).map(([id, value]) => [
    el("dt", {}, labels[id] ?? id),
    el("dd", {}, el("strong", {}, String(value)), one.reasons[id] ? `: ${one.reasons[id]}` : null),
  ]);
  return el(
    "div",
    { class: "rb-example" },
    el("h4", {}, one.title),
    el("dl", {}, one.fields.map(({ label, text }) => [el("dt", {}, label), given("dd", text)]), asked, answers),
    one.note ? el("p", {}, one.note) : null,
  );
}

function sectionsOf(protocol) {
  const { instructions = [], reading = {}, aid = [], examples = [], definitions = [] } = protocol;
  const labels = Object.fromEntries(protocol.questions.map((one) => [one.id, one.label]));
  return [
    ["instructions", "Instructions", instructions.length ? paragraphs(instructions) : null],
    ["examples", "Worked examples", examples.length ? examples.map((one) => example(one, labels)) : null],
    [
      "definitions",
      "Definitions",
      definitions.length || Object.keys(reading).length
        ? [
            definitions.map(({ label, values }) => [el("h4", {}, label), entries(values)]),
            entries(reading),
          ]
        : null,
    ],
    ["aid", "Decision aid", aid.length ? el("ol", {}, aid.map((step) => el("li", {}, step))) : null],
    ["keys", "Keys", keysTable()],
  ].filter(([, , content]) => content !== null);
}

export class Help {
  constructor(protocol, closed) {
    this.sections = new Map();
    this.closed = closed;
    const nodes = sectionsOf(protocol).map(([name, title, content]) => {
      const node = el("section", { tabindex: "-1", "aria-label": title }, el("h3", {}, title), content);
      this.sections.set(name, node);
      return node;
    });
    this.node = el(
      "div",
      { class: "rb-aside", hidden: true, role: "dialog", "aria-label": "Help" },
      el("div", { class: "rb-row" }, button("Close", () => this.close(), { press: "Esc" })),
      nodes,
    );
  }

  get isOpen() {
    return !this.node.hidden;
  }

  has(name) {
    return this.sections.has(name);
  }

  // Opens at a section; the same key again closes.
  toggle(name) {
    const section = this.sections.get(name);
    if (!section) return false;
    if (this.isOpen && this.at === name) {
      this.close();
      return true;
    }
    this.at = name;
    this.node.hidden = false;
    takeFocus(section, { preventScroll: true });
    this.node.scrollTop = section.offsetTop - this.node.firstChild.offsetHeight;
    return true;
  }

  close() {
    if (!this.isOpen) return false;
    this.node.hidden = true;
    this.closed();
    return true;
  }
}
