// A small protocol and its items, in the form the kernel sends them.

export const question = (id, more = {}) => ({
  control: more.type ?? "choice",
  unit: more.type === "percent" ? "%" : "",
  id,
  label: id,
  prompt: `${id}?`,
  type: "choice",
  of: "item",
  per: "whole",
  options: [{ value: "yes" }, { value: "no" }],
  levels: [],
  required: true,
  when: null,
  shows: [],
  not_applicable: {},
  unanswerable: [],
  ...more,
});

export const sentences = {
  stages: [["accuracy", "severity", "note"]],
  questions: [
    question("accuracy", { per: "part" }),
    question("severity", {
      per: "part",
      when: { accuracy: ["no"] },
      required: { accuracy: ["no"] },
    }),
    question("note", { per: "part", type: "text", required: false }),
  ],
};

export const item = (more = {}) => ({
  ref: "i1",
  case: "c1",
  stage: 0,
  parts: [{ number: 1, text: "One." }, { number: 2, text: "Two." }],
  answers: [],
  ...more,
});

// localStorage, with a limit where wanted.
export class Storage {
  constructor(limit = Infinity) {
    this.items = new Map();
    this.limit = limit;
  }

  get length() {
    return this.items.size;
  }

  key(index) {
    return [...this.items.keys()][index] ?? null;
  }

  getItem(name) {
    return this.items.get(name) ?? null;
  }

  setItem(name, text) {
    if (text.length > this.limit) throw new Error("QuotaExceededError");
    this.items.set(name, text);
  }

  removeItem(name) {
    this.items.delete(name);
  }
}

// A clock that moves when told to.
export class Clock {
  constructor() {
    this.time = 0;
    this.timers = new Map();
    this.last = 0;
  }

  now = () => this.time;

  set = (action, delay) => {
    this.timers.set((this.last += 1), { action, at: this.time + delay });
    return this.last;
  };

  clear = (timer) => this.timers.delete(timer);

  pass(ms) {
    const end = this.time + ms;
    for (;;) {
      const due = [...this.timers].filter(([, one]) => one.at <= end).sort((a, b) => a[1].at - b[1].at);
      if (!due.length) break;
      const [name, { action, at }] = due[0];
      this.timers.delete(name);
      this.time = Math.max(this.time, at);
      action();
    }
    this.time = end;
  }
}
