// Questions answered by writing: texts, numbers, and answers that may be “unanswerable”.

import { button, el, key } from "./elements.js";
import { UNANSWERABLE, withSign } from "./sheet.js";

// A number the scale allows, or the sentence that says why it is none: what the store takes, and a
// comma for the point, which many keyboards have in its place.
export function readNumber(question, written) {
  const isPercent = question.unit === "%";
  const signed = isPercent && written.trim().endsWith("%");
  const text = written.trim().replace(signed ? /\s*%$/ : "", "").replace(",", ".");
  if (text === "" && !signed) return { value: null };
  if (!NUMBER.test(text)) return { problem: `“${written}” is not a number.` };
  const value = Number(text);
  const { min, max, step } = question;
  if (value < min || value > max) return { problem: `${text} is outside ${min}–${max}.` };
  if (isPercent && !signed && value > 0 && value < 1) {
    const hundredfold = Number((value * 100).toFixed(6));
    return { problem: `Percentages go from 0 to 100: write ${hundredfold} or ${text}%.` };
  }
  if (step && Number((min + Math.round((value - min) / step) * step).toFixed(9)) !== value) {
    return { problem: step === 1 ? `${text} is not a whole number.` : `Steps are of ${step}.` };
  }
  return { value };
}

const NUMBER = /^[+-]?\d{1,15}(\.\d{1,15})?$/;

function leaving(done, ways) {
  return (event) => {
    const enter = event.key === "Enter" && !event.shiftKey && !event.isComposing;
    if (enter && (ways === "enter" || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      done();
    }
  };
}

// `write(value)` at every keystroke and with {left: true} on leaving, `done()` when the rater is
// through.
export function textEntry(question, value, { write, done }, labelId) {
  return el("textarea", {
    class: "rb-entry",
    rows: "3",
    dir: "auto",
    "aria-labelledby": labelId,
    placeholder: "Enter to write, Ctrl+Enter when done",
    value: value ?? "",
    on: {
      input: (event) => write(event.target.value),
      keydown: leaving(done, "ctrl"),
      change: (event) => write(event.target.value, { left: true }),
    },
  });
}

export function numberEntry(question, value, { write, done }, labelId) {
  const problem = el("p", { class: "rb-problem", role: "alert" });
  const read = (event, options) => {
    const found = readNumber(question, event.target.value);
    problem.textContent = found.problem || "";
    event.target.setAttribute("aria-invalid", String(Boolean(found.problem)));
    // Else what was read on the way to it, such as the 14 of 140, would stand as the answer.
    write(found.problem ? null : found.value, options);
  };
  const field = el("input", {
    class: "rb-entry rb-number",
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    "aria-labelledby": labelId,
    placeholder: `${question.min}–${question.max}`,
    value: String(withSign(question, value) ?? ""),
    on: {
      input: (event) => read(event),
      change: (event) => read(event, { left: true }),
      keydown: leaving(() => problem.textContent || done(), "enter"),
    },
  });
  return el("div", { class: "rb-number-row" }, field, question.unit || null, problem);
}

// 0 to 100 with nothing chosen beforehand: a preset would be somebody else's confidence.
export function percentEntry(question, value, { write, done }, labelId) {
  const quick = [0, 25, 50, 75, 90, 100].map((percent) =>
    button(`${percent} %`, () => (write(percent, { left: true }), done()), {
      class: "rb-button rb-quick",
      "aria-pressed": String(value === percent),
    }),
  );
  return el(
    "div",
    { class: "rb-percent" },
    numberEntry(question, value, { write, done }, labelId),
    el("div", { class: "rb-row" }, quick),
  );
}

// An answer in words, or the statement that the text gives none. Blank is neither.
export function answerEntry(question, value, { write, done }, labelId) {
  const none = value === UNANSWERABLE;
  const field = el("input", {
    class: "rb-entry",
    type: "text",
    dir: "auto",
    autocomplete: "off",
    "aria-labelledby": labelId,
    placeholder: "Enter to write the answer, Enter when done",
    value: none ? "" : (value ?? ""),
    on: {
      input: (event) => write(event.target.value),
      change: (event) => write(event.target.value, { left: true }),
      keydown: leaving(done, "enter"),
    },
  });
  const unanswerable = el(
    "button",
    {
      class: "rb-button rb-unanswerable",
      "aria-pressed": String(none),
      on: { click: () => (write(UNANSWERABLE, { left: true }), done()) },
    },
    "Unanswerable: the text gives no answer",
    key("0"),
  );
  return el("div", { class: "rb-answer" }, field, unanswerable);
}
