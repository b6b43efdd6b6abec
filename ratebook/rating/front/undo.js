// What U takes back: the changes of one answer, with the retractions it caused.

const DEPTH = 200;

export class History {
  constructor() {
    this.steps = [];
  }

  // Keystrokes in one text are one step.
  add(item, changes, { typing = false } = {}) {
    const top = this.steps.at(-1);
    const key = changes[0][0].key;
    if (typing && top && top.typing && top.item === item && top.changes[0].key === key) return;
    this.steps.push({
      item,
      typing,
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
