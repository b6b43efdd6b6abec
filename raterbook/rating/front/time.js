// Time on task, and what this browser remembers of it and of the place the rater was at.

import { prefixOf } from "./outbox.js";

// How this browser's rater likes the form: the divider, what is folded. Never an answer.
export function remembered(name) {
  try {
    return window.localStorage.getItem(`ratebook:look:${name}`);
  } catch {
    return null; // a browser that keeps nothing shows the usual
  }
}

export function remember(name, value) {
  try {
    window.localStorage.setItem(`ratebook:look:${name}`, value);
  } catch {
    // Then it is the usual again next time.
  }
}

const IDLE_AFTER = 60000; // ms without any sign of the rater

// It runs while the rater works and stops when the rater leaves, pauses or is idle.
export class Stopwatch {
  constructor(now) {
    this.now = now;
    this.last = null; // the latest sign of the rater, null while away
    this.spent = 0;
    this.paused = false;
  }

  // A key, a click, a scroll: the rater is here. A long silence before it counts only as far as
  // somebody may have been reading.
  sign() {
    if (this.paused) return;
    const time = this.now();
    if (this.last !== null) this.spent += Math.min(Math.max(time - this.last, 0), IDLE_AFTER);
    this.last = time;
  }

  leave() {
    if (this.last !== null) this.sign();
    this.last = null;
  }

  pause() {
    this.leave();
    this.paused = true;
  }

  resume() {
    this.paused = false;
    this.sign();
  }

  // Seconds since they were last taken.
  take() {
    this.sign();
    const seconds = Math.round(this.spent / 100) / 10;
    this.spent = 0;
    return seconds;
  }
}

// “about 25 minutes left”, from the middle of the latest items; nothing before the third.
export function timeLeft(durations, itemsLeft) {
  if (durations.length < 3 || itemsLeft < 1) return null;
  const recent = durations.slice(-15).sort((a, b) => a - b);
  const minutes = Math.round((recent[Math.floor(recent.length / 2)] * itemsLeft) / 60);
  if (minutes < 1) return "less than a minute left";
  if (minutes < 60) return `about ${minutes} min left`;
  const hours = Math.floor(minutes / 60);
  const rest = Math.round((minutes % 60) / 5) * 5;
  if (rest === 60) return `about ${hours + 1} h left`;
  return rest ? `about ${hours} h ${rest} min left` : `about ${hours} h left`;
}

const KEPT = 30; // durations of the latest items

// What this browser remembers of a rater's work: where the rater was, and how long items take.
export class Memory {
  constructor(scope, storage) {
    this.prefix = prefixOf(scope);
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
