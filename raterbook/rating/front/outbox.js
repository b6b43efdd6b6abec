// What was entered and is not yet known to be stored. It lives in localStorage, one entry per
// event, so that neither a dead kernel, nor a reload, nor a second tab can lose or mix answers.

export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Outbox {
  // `scope` names workspace, round and rater; `storage` is localStorage or what behaves like it.
  constructor(scope, storage, { id = newId, wall = Date.now } = {}) {
    this.prefix = `ratebook:${scope}:`;
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
    const event = { ...fields, event_id: this.id(), lamport: Math.max(this.tick() + 1, this.wall()) };
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
