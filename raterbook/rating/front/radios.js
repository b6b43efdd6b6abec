// A question answered by one of a few: the levels of a scale, the options of a choice.

import { el, key } from "./elements.js";

// What there is to choose, in the order the digits have: [{value, digit, name, description, more}]
export function choicesOf(question) {
  if (question.type === "choice") {
    return question.options.map((option, index) => ({
      value: option.value,
      digit: index < 9 ? index + 1 : null,
      name: option.label || option.value,
      description: option.description,
      more: option.examples || [],
    }));
  }
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

export function sameValue(one, other) {
  return one === other || (one !== null && other !== null && String(one) === String(other));
}

// A radiogroup with its descriptions in place. Arrows look along it; only Space, Enter, a digit
// or a click answers, so that looking leaves no trace among the answers.
export function radios(question, value, choose, labelId) {
  const choices = choicesOf(question);
  const held = choices.findIndex((choice) => sameValue(choice.value, value));
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
        el("span", { class: "rb-choice-name" }, (choice.digit !== null && choice.beside) || choice.name),
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
