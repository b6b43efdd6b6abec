// The right side: the questions, the open one with its levels, the others in a line each.

import { arrange, button, el, fill, given, key } from "./elements.js";
import { answerEntry, numberEntry, percentEntry, textEntry } from "./entries.js";
import { isTyping, takeFocus } from "./keys.js";
import { same, UNANSWERABLE } from "./sheet.js";

// What a line shows of an answer; null for none.
export function inWords(question, answer) {
  if (!answer) return null;
  if (answer.status === "skipped") return "left open";
  if (answer.status === "not_applicable") return "not applicable";
  if (question.unit) return `${answer.value} ${question.unit}`;
  if (answer.value === UNANSWERABLE) return "unanswerable";
  const choice = choicesOf(question).find((one) => same(one.value, answer.value));
  return choice ? choice.name : String(answer.value);
}

const NAMED_OF_STEP = 3; // questions that a step is called after

// “Correctness, Clarity, Tone …”: what a step is about, comments left to what they comment on.
function stepName(slots, stage) {
  const questions = new Set(slots.filter((slot) => slot.stage === stage).map((slot) => slot.question));
  const labels = [...questions].map((question) => question.label);
  const own = labels.filter((label) => !labels.some((other) => label.startsWith(`${other}:`)));
  const named = own.slice(0, NAMED_OF_STEP).join(", ");
  return own.length > NAMED_OF_STEP ? `${named} …` : named;
}

// Slots that stand together: one part of one stage, or the questions about the whole.
function groupsOf(slots) {
  const groups = [];
  for (const slot of slots) {
    const last = groups.at(-1);
    if (last && last.part === slot.part && last.stage === slot.stage) last.slots.push(slot);
    else groups.push({ part: slot.part, stage: slot.stage, slots: [slot] });
  }
  return groups;
}

export class Questions {
  // `act` has open(slot), choose(slot, value), write(slot, value, options), done(slot),
  // skip(slot), notApplicable(slot), clear(slot), lookAgain().
  constructor(protocol, act) {
    this.protocol = protocol;
    this.act = act;
    this.node = el("section", { class: "rb-questions", "aria-label": "Questions" });
    this.drawn = 0; // counts the drawings of open questions
    this.kept = new Map(); // key -> { says, node }: what was drawn and may still say the same
  }

  // Draws what says something else than before. With `typing`, the open question stays as it is
  // while the rater writes in it: drawn anew it would lose the caret, and keys would be commands.
  // True if it did stay.
  draw(sheet, active, refused, { typing = false } = {}) {
    const same = active !== null && this.active?.key === active.key;
    const writes = typing && same && this.writes();
    if (this.sheet?.item.ref !== sheet.item.ref) this.kept.clear();
    if (!writes) this.drawn += 1;
    Object.assign(this, { sheet, active, refused });
    const drawn = new Map();
    for (const { key, says, make } of this.pieces()) {
      const kept = this.kept.get(key);
      drawn.set(key, { says, node: kept?.says === says ? kept.node : make() });
    }
    this.kept = drawn;
    arrange(this.node, [...drawn.values()].map(({ node }) => node));
    return writes;
  }

  writes() {
    const here = document.activeElement;
    return this.node.contains(here) && isTyping(here);
  }

  // What stands here from top to bottom: {key, says, make}.
  pieces() {
    const { sheet, active } = this;
    const stages = new Set(sheet.slots.map((slot) => slot.stage)).size;
    const pieces = [];
    const add = (key, slots, make) => {
      const says = slots.includes(active)
        ? `open ${this.drawn}`
        : JSON.stringify(slots.map((slot) => [slot.question.id, ...this.stands(slot)]));
      pieces.push({ key, says, make });
    };
    let stage = -1;
    for (const group of groupsOf(sheet.slots.filter((slot) => sheet.open(slot)))) {
      if (stages > 1 && group.stage !== stage) {
        stage = group.stage;
        const words = `Step ${stage + 1} of ${stages} · ${stepName(sheet.slots, stage)}`;
        add(words, [], () => el("h3", { class: "rb-stage" }, words));
      }
      if (group.part !== 0) {
        add(`part ${group.stage} ${group.part}`, group.slots, () => this.part(group));
      } else for (const slot of group.slots) add(slot.key, [slot], () => this.cardOrLine(slot));
    }
    if (!sheet.slots.length) add("nothing", [], () => this.nothing());
    return pieces;
  }

  // What a line says of a slot: the answer in words, and whether one is still needed.
  stands(slot) {
    return [inWords(slot.question, this.sheet.at(slot)), this.sheet.required(slot)];
  }

  nothing() {
    if (!this.sheet.unwritten) return el("p", {}, "Nothing is asked of this item.");
    const { parts } = this.protocol;
    return el(
      "div",
      { class: "rb-card rb-nothing" },
      el("p", { class: "rb-prompt" }, `This item has no ${parts.label.toLowerCase()}s yet.`),
      el("p", { class: "rb-help" }, "Whoever leads the round writes them. Then look again."),
      el("div", { class: "rb-row rb-foot" }, button("Look again", this.act.lookAgain)),
    );
  }

  wait(words) {
    fill(this.node, el("p", { class: "rb-waits", role: "status" }, words));
  }

  cardOrLine(slot) {
    return slot === this.active ? this.card(slot) : this.line(slot);
  }

  // A part: its text, and how its questions stand, or the questions themselves when it is open.
  part(group) {
    const part = this.sheet.item.parts.find((one) => one.number === group.part);
    const isOpen = group.slots.includes(this.active);
    const label = `${this.protocol.parts.label} ${group.part}`;
    const head = el(
      "button",
      {
        class: "rb-part-head",
        "aria-expanded": String(isOpen),
        on: { click: () => this.act.open(group.slots[0]) },
      },
      el("span", { class: "rb-part-label" }, label),
      given("span", part ? part.text : "", { class: "rb-part-text" }),
      isOpen ? null : el("span", { class: "rb-chips" }, group.slots.map((slot) => this.chip(slot))),
    );
    return el(
      "div",
      { class: isOpen ? "rb-part rb-open" : "rb-part" },
      head,
      isOpen ? group.slots.map((slot) => this.cardOrLine(slot)) : null,
    );
  }

  chip(slot) {
    const [words, required] = this.stands(slot);
    const needed = words === null && required;
    if (words === null && !needed) return null;
    return el(
      "span",
      { class: needed ? "rb-chip rb-needed" : "rb-chip" },
      needed ? `${slot.question.label}?` : words,
    );
  }

  line(slot) {
    const [words, required] = this.stands(slot);
    const state = words === null ? (required ? "to do" : "optional") : null;
    const done = words !== null && !this.sheet.skipped(slot);
    return el(
      "button",
      {
        class: done ? "rb-line rb-done" : words === null ? "rb-line" : "rb-line rb-later",
        "data-question": slot.question.id,
        "data-part": String(slot.part),
        on: { click: () => this.act.open(slot) },
      },
      el("span", { class: "rb-line-label" }, slot.question.label),
      state
        ? el("span", { class: "rb-quiet" }, state)
        : given("span", words, { class: "rb-value" }),
    );
  }

  card(slot) {
    const { question } = slot;
    const answer = this.sheet.at(slot);
    const labelId = `rb-q-${this.drawn}-${question.id}-${slot.part}`;
    const value = answer && answer.status === "answered" ? answer.value : null;
    const refused = this.refused(slot);
    return el(
      "div",
      {
        class: "rb-card",
        tabindex: "-1",
        role: "group",
        "aria-labelledby": labelId,
        "data-question": question.id,
        "data-part": String(slot.part),
      },
      el(
        "div",
        { class: "rb-card-head" },
        el("span", { class: "rb-line-label" }, question.label),
        question.object ? el("span", { class: "rb-object" }, `about ${question.object}`) : null,
        this.sheet.required(slot) ? null : el("span", { class: "rb-quiet" }, "optional"),
      ),
      el("p", { class: "rb-prompt", id: labelId }, question.prompt),
      question.help ? el("p", { class: "rb-help" }, question.help) : null,
      refused ? el("p", { class: "rb-problem", role: "alert" }, refused) : null,
      this.control(slot, value, labelId),
      this.foot(slot, answer),
    );
  }

  control(slot, value, labelId) {
    const { question } = slot;
    const write = (text, options) => this.act.write(slot, text, options);
    const done = () => this.act.done(slot);
    const choose = (chosen) => this.act.choose(slot, chosen);
    return CONTROLS[question.control](question, value, { write, done, choose }, labelId);
  }

  foot(slot, answer) {
    const aside = answer && answer.status !== "answered" ? inWords(slot.question, answer) : null;
    const why = answer?.reason ? `: ${answer.reason}` : "";
    return el(
      "div",
      { class: "rb-row rb-foot" },
      aside ? el("span", { class: "rb-chip" }, aside + why) : null,
      button("Cannot judge", () => this.act.skip(slot), { press: "C" }),
      button("Not applicable", () => this.act.notApplicable(slot), { press: "X" }),
      answer ? button("Clear", () => this.act.clear(slot)) : null,
    );
  }

  // Puts the keyboard where the open question expects it.
  focus({ write = false } = {}) {
    const card = this.node.querySelector(".rb-card");
    if (!card) return false;
    const radio = card.querySelector("[role=radio][tabindex='0']");
    const entry = card.querySelector(".rb-entry");
    const target = write ? entry : (radio ?? card);
    takeFocus(target ?? card, { preventScroll: true });
    this.bringIntoView(card);
    return Boolean(write ? entry : target);
  }

  // Scrolls the form, never the notebook, to the open question with its part's text; to its
  // beginning where all of it does not fit.
  bringIntoView(card) {
    const whole = card.closest(".rb-part") ?? card;
    const scrolls = (node) => node && getComputedStyle(node).overflowY !== "visible";
    const pane = [this.node, this.node.closest(".rb-main")].find(scrolls);
    if (!pane) return;
    const there = whole.getBoundingClientRect();
    const here = pane.getBoundingClientRect();
    if (there.top < here.top || there.height > here.height) {
      pane.scrollTop += there.top - here.top - 6;
    } else if (there.bottom > here.bottom) pane.scrollTop += there.bottom - here.bottom + 6;
  }
}

// How a question is answered, by the control that its type names (raterbook/protocols/kinds.py):
// from the question, the answer so far, what can be done (choose, write, done) and the label's id.
export const CONTROLS = {
  scale(question, value, act, labelId) {
    const group = radios(question, value, act, labelId);
    if (question.step && group.children.length) return group;
    return el("div", {}, group, numberEntry(question, value, act, labelId));
  },
  choice: radios,
  percent: percentEntry,
  text: textEntry,
  answer: answerEntry,
};

// What there is to choose, in the order the digits have: [{value, digit, name, description, more}]
export function choicesOf(question) {
  if (question.control === "choice") {
    const options = question.options.length
      ? question.options
      : question.values.map((value) => ({ value }));
    return options.map((option, index) => ({
      value: option.value,
      digit: index < 9 ? index + 1 : null,
      name: option.label || String(option.value),
      description: option.description,
      more: option.examples || [],
    }));
  }
  if (question.control !== "scale") return [];
  const levels = question.levels.length ? question.levels : bareLevels(question);
  return [...levels]
    .sort((a, b) => b.value - a.value)
    .map((level) => ({
      value: level.value,
      digit: Number.isInteger(level.value) && level.value >= 0 && level.value <= 9
        ? level.value
        : null,
      name: level.name ? `${level.value} ${level.name}` : String(level.value),
      beside: level.name, // the digit stands before it already
      description: level.description,
      more: level.indicators || [],
    }));
}

function bareLevels(question) {
  const step = question.step || 1;
  const count = Math.round((question.max - question.min) / step);
  if (count > 20) return [];
  return Array.from({ length: count + 1 }, (_, index) => ({
    value: Number((question.min + index * step).toFixed(9)),
  }));
}

// A radiogroup with its descriptions in place. Arrows look along it; only Space, Enter, a digit
// or a click answers, so that looking leaves no trace among the answers.
function radios(question, value, { choose }, labelId) {
  const choices = choicesOf(question);
  const held = choices.findIndex((choice) => same(choice.value, value));
  const nodes = choices.map((choice, index) =>
    el(
      "div",
      {
        class: "rb-choice",
        role: "radio",
        "aria-checked": String(index === held),
        "aria-label": [choice.name, choice.description, ...choice.more].filter(Boolean).join(". "),
        tabindex: index === Math.max(held, 0) ? "0" : "-1",
        "data-value": String(choice.value),
        on: { click: () => choose(choice.value) },
      },
      el("span", { class: "rb-dot", "aria-hidden": "true" }),
      choice.digit === null ? null : key(String(choice.digit)),
      el(
        "span",
        { class: "rb-choice-text" },
        el(
          "span",
          { class: "rb-choice-name" },
          (choice.digit !== null && choice.beside) || choice.name,
        ),
        choice.description ? el("span", { class: "rb-choice-about" }, choice.description) : null,
        choice.more.length
          ? el("ul", { class: "rb-more" }, choice.more.map((one) => el("li", {}, one)))
          : null,
      ),
    ),
  );
  const move = (event) => {
    const here = nodes.indexOf(event.target);
    if (here < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " || event.key === "Enter") choose(choices[here].value);
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      const by = event.key === "ArrowRight" ? 1 : -1;
      const next = nodes[(here + by + nodes.length) % nodes.length];
      for (const node of nodes) node.tabIndex = node === next ? 0 : -1;
      next.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return el(
    "div",
    { class: "rb-radios", role: "radiogroup", "aria-labelledby": labelId, on: { keydown: move } },
    nodes,
  );
}
