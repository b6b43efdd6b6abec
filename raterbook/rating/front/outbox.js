// What was entered and is not yet known to be stored. It lives in localStorage, one entry per
// event, so that neither a dead kernel, nor a reload, nor a second tab can lose or mix answers. The
// courier carries it to the kernel.

import { slotKey, withSign } from "./sheet.js";

// Where a browser keeps what belongs to one rater and round. It never changes, whatever the package
// is called: unsent answers stand under it.
export const prefixOf = (scope) => `ratebook:${scope}:`;

export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Outbox {
  // `scope` names workspace, round and rater; `storage` is localStorage or what behaves like it.
  constructor(scope, storage, { id = newId, wall = Date.now } = {}) {
    this.prefix = prefixOf(scope);
    this.storage = storage;
    this.id = id;
    this.wall = wall;
    this.entries = new Map(); // event_id -> { event, reason }
    this.drafts = new Map(); // slot key -> event_id of a text still being typed
    this.volatile = false; // true when the browser refused to keep an entry
    this.load();
  }

  load() {
    for (const name of this.names("out:")) {
      try {
        const entry = JSON.parse(this.storage.getItem(name));
        if (entry && entry.event && !this.entries.has(entry.event.event_id)) {
          this.entries.set(entry.event.event_id, entry);
        }
      } catch {
        // A torn entry cannot be sent; it stays where it is, for whoever looks into the storage.
      }
    }
  }

  names(kind) {
    const start = this.prefix + kind;
    const found = [];
    try {
      for (let i = 0; i < this.storage.length; i += 1) {
        const name = this.storage.key(i);
        if (name.startsWith(start)) found.push(name);
      }
    } catch {
      this.volatile = true;
    }
    return found;
  }

  // The rater's own sequence orders events: a late retry never overrides a newer answer. It never
  // goes back, whatever the clock does; the clock only lets a browser that is new to the rater
  // begin after what another one said last.
  tick(seen = 0) {
    let stored = 0;
    try {
      stored = Number(this.storage.getItem(this.prefix + "lamport")) || 0;
    } catch {
      this.volatile = true;
    }
    this.lamport = Math.max(this.lamport || 0, stored, seen);
    return this.lamport;
  }

  // Puts an event where it survives and returns it with its id and its place in the sequence.
  put(fields, { draft = null } = {}) {
    const event_id = this.id();
    const event = { ...fields, event_id, lamport: Math.max(this.tick() + 1, this.wall()) };
    this.lamport = event.lamport;
    this.write("lamport", String(event.lamport));
    const entry = { event, reason: null };
    this.entries.set(event.event_id, entry);
    this.write("out:" + event.event_id, JSON.stringify(entry));
    if (draft !== null) {
      // A new id at every keystroke: another tab may have sent the one before this.
      const before = this.drafts.get(draft);
      if (before !== undefined) this.remove(before);
      this.drafts.set(draft, event.event_id);
    }
    return event;
  }

  write(name, text) {
    try {
      this.storage.setItem(this.prefix + name, text);
    } catch {
      this.volatile = true;
    }
  }

  remove(eventId) {
    this.entries.delete(eventId);
    try {
      this.storage.removeItem(`${this.prefix}out:${eventId}`);
    } catch {
      this.volatile = true;
    }
  }

  // From here on the draft is on its way; the next keystroke is an event of its own.
  sent(events) {
    const ids = new Set(events.map((event) => event.event_id));
    for (const [slot, eventId] of this.drafts) if (ids.has(eventId)) this.drafts.delete(slot);
  }

  accept(eventId) {
    this.remove(eventId);
  }

  reject(eventId, reason) {
    const entry = this.entries.get(eventId);
    if (!entry) return;
    entry.reason = reason || "refused without a reason";
    this.write("out:" + eventId, JSON.stringify(entry));
  }

  inOrder(wanted) {
    return [...this.entries.values()]
      .filter(wanted)
      .sort((a, b) => a.event.lamport - b.event.lamport);
  }

  waiting() {
    return this.inOrder((entry) => !entry.reason).map((entry) => entry.event);
  }

  rejected() {
    return this.inOrder((entry) => entry.reason);
  }

  // Everything not yet stored, in the words of the store, for a file the rater can keep.
  unsaved() {
    return this.inOrder(() => true).map((entry) =>
      entry.reason ? { ...entry.event, rejected: entry.reason } : entry.event,
    );
  }
}

const SILENT_AFTER = 3000; // ms without an acknowledgement before the rater is told
const FIRST_RETRY = 2000;
const LAST_RETRY = 30000;
const BATCH = 200; // events in a message
const BATCH_TEXT = 1000000; // characters in a message; the server cuts off at ten million

// Carries the outbox to the kernel and knows how that goes: saved, saving, silent or rejected.
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
    if (this.outbox.waiting().length) this.watch();
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
      else if (!ack.again) this.outbox.reject(ack.event_id, ack.reason); // else it comes again
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

  // Nothing more is sent by itself.
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
}

// The file behind “Download my unsaved answers”.
export function unsavedFile(outbox, about) {
  return JSON.stringify({ ...about, answers: outbox.unsaved() }, null, 1);
}

// A change of a slot as an event; `seconds` is the time on task since the event before it.
export function answerEvent(slot, after, seconds, date) {
  const gone = after === null || after.status === "retracted";
  return {
    subject: slot.subject,
    part: slot.part,
    question: slot.question.id,
    value: gone || after.status !== "answered" ? null : withSign(slot.question, after.value),
    status: gone ? "retracted" : after.status,
    reason: (after && after.reason) || null,
    client_time: date.toISOString(),
    seconds,
  };
}

export function markEvent(mark, subject, reason, date) {
  return { mark, subject, reason: reason || null, client_time: date.toISOString() };
}

// What the outbox still holds stands over what the store last said, newest last; of equal counters
// too, as what arrives later stands.
export function overlay(item, events) {
  const subjects = new Set([item.ref, item.case]);
  const answers = new Map(
    item.answers.map((answer) => [slotKey(answer.subject, answer.part, answer.question), answer]),
  );
  let flag = {};
  for (const event of events) {
    if (!subjects.has(event.subject)) continue;
    if (event.mark === "flag" || event.mark === "unflag") {
      flag = { flagged: event.mark === "flag", flag_reason: event.reason };
    }
    if (event.mark) continue;
    const key = slotKey(event.subject, event.part, event.question);
    const held = answers.get(key);
    if (!held || (held.lamport ?? 0) <= event.lamport) answers.set(key, event);
  }
  return { ...item, ...flag, answers: [...answers.values()] };
}
