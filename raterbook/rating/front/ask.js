// One line to write in: the reason of a flag or a skip, the number of an item.

import { button, el, fill } from "./elements.js";
import { takeFocus } from "./focus.js";

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
