// Carries the outbox to the kernel and knows how that goes: saved, saving, silent or rejected.

export const SILENT_AFTER = 3000; // ms without an acknowledgement before the rater is told
const FIRST_RETRY = 2000;
const LAST_RETRY = 30000;
const BATCH = 200; // events in a message
const BATCH_TEXT = 1000000; // characters in a message; the server cuts off at ten million

export class Courier {
  // `post` sends a message to the kernel; `timers` has now, set and clear (the window's, or a
  // test's); `changed` is called when the state may have changed.
  constructor({ outbox, post, timers, changed = () => {} }) {
    this.outbox = outbox;
    this.post = post;
    this.timers = timers;
    this.changed = changed;
    this.flying = new Set();
    this.since = null; // when the oldest unanswered message left
    this.wait = FIRST_RETRY;
    this.retry = null;
    this.pausing = null;
    this.alarm = null;
    this.everSaved = false;
    this.trouble = null; // why the store cannot store, in its own words
  }

  // Sends what has not been sent; with `again`, also what has been sent and not answered.
  flush({ again = false } = {}) {
    this.timers.clear(this.pausing);
    this.pausing = null;
    const events = this.outbox
      .waiting()
      .filter((event) => again || !this.flying.has(event.event_id));
    for (const batch of this.batches(events)) {
      this.outbox.sent(batch);
      for (const event of batch) this.flying.add(event.event_id);
      try {
        this.post({ kind: "save", events: batch });
      } catch {
        // The connection is gone; the retry, or the next form, will carry these.
      }
    }
    if (this.outbox.waiting().length) {
      this.watch();
    }
    this.changed();
  }

  // Texts are in the outbox at every keystroke and leave when the rater pauses.
  flushSoon(delay = 400) {
    this.timers.clear(this.pausing);
    this.pausing = this.timers.set(() => this.flush(), delay);
    this.watch();
    this.changed();
  }

  *batches(events) {
    let batch = [];
    let size = 0;
    for (const event of events) {
      const length = String(event.value ?? "").length + String(event.reason ?? "").length;
      if (batch.length && (batch.length >= BATCH || size + length > BATCH_TEXT)) {
        yield batch;
        batch = [];
        size = 0;
      }
      batch.push(event);
      size += length;
    }
    if (batch.length) yield batch;
  }

  watch() {
    if (this.since === null) this.since = this.timers.now();
    if (this.alarm === null) {
      this.alarm = this.timers.set(() => {
        this.alarm = null;
        this.changed();
      }, SILENT_AFTER + 20);
    }
    if (this.retry === null) {
      this.retry = this.timers.set(() => {
        this.retry = null;
        this.wait = Math.min(this.wait * 2, LAST_RETRY);
        if (this.outbox.waiting().length) this.flush({ again: true });
      }, this.wait);
    }
  }

  // Acknowledgements come after COMMIT. Those of another tab's events are returned as strangers.
  received(acks) {
    const strangers = [];
    for (const ack of acks) {
      const known = this.outbox.entries.has(ack.event_id);
      if (!known) strangers.push(ack);
      this.flying.delete(ack.event_id);
      if (ack.ok) this.outbox.accept(ack.event_id);
      else this.outbox.reject(ack.event_id, ack.reason);
      if (known && ack.ok) this.everSaved = true;
    }
    this.wait = FIRST_RETRY;
    this.since = null;
    this.trouble = null;
    if (this.outbox.waiting().length) this.watch();
    else this.rest();
    this.changed();
    return strangers;
  }

  // The kernel answers, but the store cannot store: the disk is full, the file is locked.
  troubled(text) {
    this.trouble = text;
    this.changed();
  }

  rest() {
    for (const timer of ["retry", "alarm", "pausing"]) {
      this.timers.clear(this[timer]);
      this[timer] = null;
    }
  }

  // What to tell the rater. Rejected comes first: only the rater can do something about it.
  state() {
    const waiting = this.outbox.waiting().length;
    const rejected = this.outbox.rejected().length;
    const silent = this.since !== null && this.timers.now() - this.since >= SILENT_AFTER;
    let name = this.everSaved ? "saved" : "ready";
    if (waiting) name = silent ? "silent" : "saving";
    if (rejected && !waiting) name = "rejected";
    const trouble = name === "silent" ? this.trouble : null;
    return { name, waiting, rejected, trouble, volatile: this.outbox.volatile };
  }

  empty() {
    return this.outbox.entries.size === 0;
  }

  close() {
    this.rest();
  }
}

// The file behind “Download my unsaved answers”.
export function unsavedFile(outbox, about) {
  return JSON.stringify({ ...about, answers: outbox.unsaved() }, null, 1);
}
