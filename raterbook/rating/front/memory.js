// What this browser remembers of a rater's work: where the rater was, and how long items take.

const KEPT = 30; // durations of the latest items

export class Memory {
  constructor(scope, storage) {
    this.prefix = `ratebook:${scope}:`;
    this.storage = storage;
    this.durations = this.read("durations") ?? [];
  }

  read(name) {
    try {
      return JSON.parse(this.storage.getItem(this.prefix + name));
    } catch {
      return null;
    }
  }

  write(name, value) {
    try {
      this.storage.setItem(this.prefix + name, JSON.stringify(value));
    } catch {
      // Nothing is lost but a convenience.
    }
  }

  took(seconds) {
    this.durations = [...this.durations, seconds].slice(-KEPT);
    this.write("durations", this.durations);
  }

  at(item, slot) {
    this.write("at", [item.ref, slot?.key ?? null]);
  }

  // The slot the rater was at when this item was last on the desk here.
  slotIn(item) {
    const [ref, key] = this.read("at") ?? [];
    return ref === item.ref ? (key ?? null) : null;
  }
}
