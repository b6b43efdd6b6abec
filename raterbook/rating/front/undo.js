// What U takes back: one thing the rater did. An answer goes with the retractions it caused, a mark
// with the quotation it put into a text.

const DEPTH = 200;

export class History {
  constructor() {
    this.steps = [];
  }

  // Keystrokes in one text are one step; they always change an answer. `back()` takes back what is
  // no answer: a flag, marked evidence.
  add(item, changes, { typing = false, back = null } = {}) {
    const top = this.steps.at(-1);
    const same = () => top.item === item && top.changes[0].key === changes[0][0].key;
    if (typing && top?.typing && same()) return;
    this.steps.push({
      item,
      typing,
      back,
      changes: changes.map(([slot, before]) => ({ key: slot.key, before })),
    });
    if (this.steps.length > DEPTH) this.steps.shift();
  }

  // Leaving a text closes its step.
  close() {
    const top = this.steps.at(-1);
    if (top) top.typing = false;
  }

  peek() {
    return this.steps.at(-1) ?? null;
  }

  pop() {
    return this.steps.pop() ?? null;
  }
}
