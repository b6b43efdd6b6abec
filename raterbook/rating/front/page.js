// What stands around the questions: the bar on top, the foot, the help, and a line to write in.

import { button, el, fill, given } from "./elements.js";
import { KEYS, takeFocus } from "./keys.js";
import { timeLeft } from "./time.js";

export const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;

// The sentence for each state of the courier; “Saved” is said only after an acknowledgement.
export function saveSentence({ name, waiting, rejected, trouble, volatile }) {
  if (name === "ready") return "Ready";
  if (name === "saved") return "Saved";
  if (name === "saving") return "Saving…";
  if (name === "rejected") return `${plural(rejected, "answer was", "answers were")} rejected`;
  const where = volatile
    ? "This browser refuses to keep them: download them now."
    : "What you entered is kept in this browser and sent again by itself.";
  const count = `${plural(waiting, "answer is", "answers are")} not stored yet.`;
  if (trouble) return `${trouble} ${count} ${where}`;
  return (
    `The kernel is not answering. ${count} ${where} ` +
    "If the kernel was restarted, run the cells above."
  );
}

// The bar on top: which round, who rates, how far, how long still, and whether everything entered is stored.
export class Bar {
  // `act` has flag(), pause(), keys(), downloadUnsaved() and dismiss(event_id).
  constructor(title, { round, rater }, act) {
    const whose = `${round} · ${rater}`;
    this.act = act;
    this.progress = el("progress", { max: "1", value: 0, "aria-label": "Submitted items" });
    this.where = el("span", { class: "rb-where" });
    this.left = el("span", { class: "rb-quiet" });
    this.saved = el("span", { class: "rb-saved", role: "status", "data-state": "ready" }, "Ready");
    this.notice = el("span", { class: "rb-notice", role: "status" });
    this.flagged = button("Flag", act.flag, { press: "F" });
    this.trouble = el("div", { class: "rb-trouble" });
    this.node = el(
      "header",
      { class: "rb-bar" },
      el(
        "div",
        { class: "rb-bar-row" },
        el("strong", { class: "rb-title", title }, title),
        el("strong", { class: "rb-title rb-away" }, "Click the form to rate by keys"),
        el("span", { class: "rb-whose", title: whose }, whose),
        this.progress,
        this.where,
        this.left,
        button("Items", act.list, { press: "L" }),
        this.flagged,
        button("Pause", act.pause, { press: "B" }),
        button("Help", act.keys, { press: "?", class: "rb-button rb-helps" }),
        this.saved,
      ),
      this.trouble,
      this.notice,
    );
    this.said = "";
  }

  at({ position, total, submitted }, durations) {
    this.progress.max = total || 1;
    this.progress.value = submitted;
    this.where.textContent = `Item ${position} of ${total} · ${submitted} submitted`;
    this.left.textContent = timeLeft(durations, total - submitted) ?? "";
  }

  save(state, rejected) {
    const sentence = saveSentence(state);
    const said = sentence + rejected.map((entry) => entry.event.event_id).join();
    if (said === this.said) return;
    this.said = said;
    this.saved.dataset.state = state.name;
    this.saved.textContent = state.name === "silent" ? "Not saved" : sentence;
    const offer = () => button("Download my unsaved answers", this.act.downloadUnsaved);
    fill(
      this.trouble,
      state.name === "silent" ? el("p", { role: "alert" }, sentence, " ", offer()) : null,
      rejected.map((entry) => this.rejection(entry)),
      rejected.length ? el("p", {}, offer()) : null,
    );
  }

  rejection({ event, reason }) {
    const what = event.mark ?? event.question;
    const value = event.value === null || event.value === undefined ? "" : ` “${event.value}”`;
    return el(
      "p",
      { role: "alert" },
      `Not stored: ${what}${value.slice(0, 200)}. ${reason} `,
      button("Dismiss", () => this.act.dismiss(event.event_id)),
    );
  }

  flag(flagged) {
    this.flagged.setAttribute("aria-pressed", String(flagged));
    this.flagged.firstChild.textContent = flagged ? "Flagged" : "Flag";
  }

  say(text) {
    this.notice.textContent = text;
  }
}

const NAMED = 2; // missing answers named one by one; the rest are counted

// “1: Accuracy”, which leaves room for a second one, and “Sentence 1: Accuracy” to be read out.
function namesOf(protocol, { part, question }) {
  if (!part) return [question.label, null];
  const short = `${part}: ${question.label}`;
  return [short, `${protocol.parts?.label ?? "Part"} ${short}`];
}

// The foot: what is still missing, with a jump to each, and the ways on.
export class Foot {
  // `act` has open(slot) and the commands of keys.js.
  constructor(protocol, act) {
    this.protocol = protocol;
    this.act = act;
    this.missing = el("div", { class: "rb-missing", role: "status" });
    this.submit = button("Submit", act.submit, { press: "Ctrl+↵", class: "rb-button rb-submit" });
    this.reveal = button("Show what was held back", act.reveal, { hidden: true });
    this.change = button("Change my answers", act.unsubmit, { press: "R", hidden: true });
    this.next = button("Next", act.nextItem, { press: "]" });
    this.node = el(
      "footer",
      { class: "rb-footer" },
      this.missing,
      el(
        "div",
        { class: "rb-row" },
        button("Back", act.previousItem, { press: "[" }),
        this.next,
        button("Undo", act.undo, { press: "U" }),
        this.change,
        this.reveal,
        this.submit,
      ),
    );
  }

  jumps(slots) {
    const named = slots.slice(0, NAMED).map((slot) => {
      const [text, label] = namesOf(this.protocol, slot);
      return button(text, () => this.act.open(slot), {
        class: "rb-button rb-jump",
        "aria-label": label,
        title: label,
      });
    });
    const more = slots.length - NAMED;
    return [...named, more > 0 ? el("span", { class: "rb-and" }, `and ${more} more`) : null];
  }

  draw(sheet, { submitted, waiting, held }) {
    const missing = sheet.missing();
    this.submit.hidden = submitted;
    this.change.hidden = !submitted;
    this.reveal.hidden = !(submitted && held);
    const early = missing.length > 0 || sheet.unwritten || sheet.item.withheld;
    this.submit.setAttribute("aria-disabled", String(Boolean(early)));
    if (submitted) fill(this.missing, "This item is submitted.");
    else if (sheet.unwritten) fill(this.missing, "There is nothing to answer yet.");
    else if (missing.length) {
      fill(
        this.missing,
        el("span", {}, `Still missing (${missing.length}): `),
        this.jumps(missing),
      );
    } else if (sheet.item.withheld) fill(this.missing, "Its next step is to come.");
    else {
      const open = sheet.leftOpen();
      fill(
        this.missing,
        waiting ? "Submitting when everything is stored … " : "Ctrl+Enter submits. ",
        open.length ? el("span", {}, `Left open (${open.length}): `) : "Complete.",
        this.jumps(open),
      );
    }
  }
}

// After the last submission: what there is, and what happens next.
export class End {
  constructor(act) {
    this.said = el("p", {});
    this.node = el(
      "section",
      { class: "rb-end", hidden: true, role: "status" },
      el("h3", {}, "All your items are submitted."),
      this.said,
      el(
        "p",
        { class: "rb-quiet" },
        "Nothing more is needed from you. Whoever leads the round closes it; until then any item " +
          "can be looked at again and changed.",
      ),
      el("div", { class: "rb-row" }, button("All items", act.list, { press: "L" })),
    );
  }

  draw({ total, submitted, flagged = 0 }, here) {
    const was = this.node.hidden;
    this.node.hidden = !here || submitted < total;
    this.isNew = was && !this.node.hidden;
    const flags = flagged ? `, ${flagged} of them flagged` : "";
    this.said.textContent = `${plural(submitted, "item", "items")}${flags}. Thank you.`;
  }

  // Once, where all of the form scrolls: the way on, far below, is not what there is to see.
  bringIntoView() {
    const pane = this.node.closest(".rb-main");
    if (!this.isNew || !pane) return;
    this.isNew = false;
    pane.scrollTop += this.node.getBoundingClientRect().top - pane.getBoundingClientRect().top - 6;
  }
}

// What each state of an item is called, in the order of the legend.
const STATES = {
  todo: "to do",
  begun: "begun",
  later: "with answers left open",
  submitted: "submitted",
};

const AT_ONCE = 400; // items that are drawn; of more there are earlier and later ones

// All items of the rater as small buttons: how each stands, one click or Enter away.
export class Items {
  constructor(act, closed) {
    Object.assign(this, { act, closed });
    this.grid = el("div", { class: "rb-strip" });
    this.legend = el("p", { class: "rb-quiet" });
    this.earlier = button("Earlier items", () => this.turn(-1));
    this.later = button("Later items", () => this.turn(1));
    const close = button("Close", () => this.close(), { press: "Esc" });
    this.node = el(
      "div",
      { class: "rb-items", hidden: true, role: "dialog", "aria-label": "All items" },
      el("div", { class: "rb-row" }, this.earlier, this.later, close),
      el("h3", {}, "All items"),
      this.legend,
      this.grid,
    );
  }

  // `items` are [state, flagged] in the rater's order.
  open(items, position) {
    const count = (state) => items.filter(([one]) => one === state).length;
    const counted = Object.entries(STATES).map(([state, words]) =>
      el("span", { class: `rb-is-${state}` }, `${count(state)} ${words}`),
    );
    const flagged = items.filter(([, flag]) => flag).length;
    fill(this.legend, counted, flagged ? el("span", {}, `⚑ ${flagged} flagged`) : null);
    Object.assign(this, { items, position });
    this.first = AT_ONCE * Math.floor(Math.max(position - 1, 0) / AT_ONCE);
    this.draw();
    this.node.hidden = false;
    takeFocus(this.grid.querySelector("[aria-current]") ?? this.grid.firstChild ?? this.node);
  }

  turn(way) {
    this.first += way * AT_ONCE;
    this.draw();
    takeFocus(this.grid.firstChild);
  }

  draw() {
    const { items, position, first } = this;
    this.earlier.disabled = first === 0;
    this.later.disabled = first + AT_ONCE >= items.length;
    this.earlier.hidden = this.later.hidden = items.length <= AT_ONCE;
    const step = ([state, flag], at) => {
      const number = first + at + 1;
      return el(
        "button",
        {
          class: `rb-step rb-is-${state}`,
          "aria-label": `Item ${number}, ${STATES[state]}${flag ? ", flagged" : ""}`,
          "aria-current": number === position ? "step" : null,
          on: { click: () => this.close() && this.act.goto(number) },
        },
        `${number}${flag ? "⚑" : ""}`,
      );
    };
    fill(this.grid, items.slice(first, first + AT_ONCE).map(step));
  }

  close() {
    if (this.node.hidden) return false;
    this.node.hidden = true;
    this.closed();
    return true;
  }
}

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
  const fields = one.fields.map(({ label, text }) => [el("dt", {}, label), given("dd", text)]);
  const asked = one.part ? [el("dt", {}, "Part"), given("dd", one.part)] : [];
  const answers = Object.entries(one.answers).map(([id, value]) => [
    el("dt", {}, labels[id] ?? id),
    el("dd", {}, el("strong", {}, String(value)), one.reasons[id] ? `: ${one.reasons[id]}` : null),
  ]);
  return el(
    "div",
    { class: "rb-example" },
    el("h4", {}, one.title),
    el("dl", {}, fields, asked, answers),
    one.note ? el("p", {}, one.note) : null,
  );
}

function sectionsOf(protocol) {
  const { instructions = [], reading = {}, aid = [], examples = [], definitions = [] } = protocol;
  const labels = Object.fromEntries(protocol.questions.map((one) => [one.id, one.label]));
  return [
    ["instructions", "Instructions", instructions.length ? paragraphs(instructions) : null],
    [
      "examples",
      "Worked examples",
      examples.length ? examples.map((one) => example(one, labels)) : null,
    ],
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
    [
      "aid",
      "Decision aid",
      aid.length ? el("ol", {}, aid.map((step) => el("li", {}, step))) : null,
    ],
    ["keys", "Keys", keysTable()],
  ].filter(([, , content]) => content !== null);
}

// What is one key away: instructions, worked examples, definitions, the decision aid, the keys.
export class Help {
  constructor(protocol, closed) {
    this.sections = new Map();
    this.closed = closed;
    const nodes = sectionsOf(protocol).map(([name, title, content]) => {
      const head = el("h3", {}, title);
      const node = el("section", { tabindex: "-1", "aria-label": title }, head, content);
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

// One line to write in: the reason of a flag or a skip, the number of an item.
export class Ask {
  constructor(closed) {
    this.closed = closed;
    this.node = el("div", { class: "rb-ask", hidden: true, role: "dialog" });
  }

  get isOpen() {
    return !this.node.hidden;
  }

  // `choices` are [value, words] to pick from instead of writing.
  open(prompt, answer, { choices = [], optional = true } = {}) {
    const finish = (value) => {
      this.close();
      answer(value);
    };
    const field = el("input", {
      type: "text",
      class: "rb-entry",
      dir: "auto",
      "aria-label": prompt,
      placeholder: optional ? "optional; Enter when done, Esc to leave" : "Enter when done",
      on: {
        keydown: (event) => {
          if (event.key !== "Enter" || event.isComposing || event.ctrlKey) return;
          event.preventDefault();
          event.stopPropagation();
          if (optional || field.value.trim()) finish(field.value.trim());
        },
      },
    });
    this.node.setAttribute("aria-label", prompt);
    fill(
      this.node,
      el("span", { class: "rb-ask-prompt" }, prompt),
      choices.map(([value, words]) => button(words, () => finish(value))),
      field,
      button("OK", () => (optional || field.value.trim()) && finish(field.value.trim())),
      button("Cancel", () => this.close(), { press: "Esc" }),
    );
    this.node.hidden = false;
    takeFocus(choices.length ? this.node.querySelector("button") : field);
  }

  close() {
    if (!this.isOpen) return false;
    this.node.hidden = true;
    this.node.replaceChildren();
    this.closed();
    return true;
  }
}
