// The foot: what is still missing, with a jump to each, and the ways on.

import { button, el, fill } from "./elements.js";

const NAMED = 2; // missing answers named one by one; the rest are counted

export function missingName(protocol, slot) {
  const part = slot.part ? `${protocol.parts?.label ?? "Part"} ${slot.part}: ` : "";
  return part + slot.question.label;
}

export class Foot {
  // `act` has open(slot) and the commands of keys.js.
  constructor(protocol, act) {
    this.protocol = protocol;
    this.act = act;
    this.missing = el("div", { class: "rb-missing", role: "status" });
    this.submit = button("Submit", act.submit, { press: "Ctrl+↵", class: "rb-button rb-submit" });
    this.reveal = button("Show what was held back", act.reveal, { hidden: true });
    this.change = button("Change my answers", act.unsubmit, { hidden: true });
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
    const named = slots.slice(0, NAMED).map((slot) =>
      el(
        "button",
        { class: "rb-button rb-jump", on: { click: () => this.act.open(slot) } },
        missingName(this.protocol, slot),
      ),
    );
    const more = slots.length - NAMED;
    return [...named, more > 0 ? el("span", {}, `and ${more} more`) : null];
  }

  draw(sheet, { submitted, waiting, held }) {
    const missing = sheet.missing();
    this.submit.hidden = submitted;
    this.change.hidden = !submitted;
    this.reveal.hidden = !(submitted && held);
    this.submit.setAttribute("aria-disabled", String(missing.length > 0 || sheet.unwritten));
    if (submitted) fill(this.missing, "This item is submitted.");
    else if (sheet.unwritten) fill(this.missing, "There is nothing to answer yet.");
    else if (missing.length) {
      fill(
        this.missing,
        el("span", {}, `Still missing (${missing.length}): `),
        this.jumps(missing),
      );
    } else {
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
