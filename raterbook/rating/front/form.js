// The form: one rater, one round, one item at a time. It joins the pieces and talks to the kernel.

import { Desk } from "./desk.js";
import { button, download, el } from "./elements.js";
import { mayTakeFocus, run, takeFocus } from "./keys.js";
import { Courier, Outbox, overlay, unsavedFile } from "./outbox.js";
import { Ask, Bar, End, Foot, Help, Items, plural } from "./page.js";
import { inWords, Questions } from "./questions.js";
import { Sheet, slotKey } from "./sheet.js";
import { Divider, Source } from "./source.js";
import { Memory, Stopwatch } from "./time.js";

export class Form {
  // `post` sends to the kernel, `root` is the element to fill, `tab` names this view.
  constructor({ root, post, tab, storage, timers }) {
    Object.assign(this, { root, post, tab, storage, timers });
    this.soon = new Soon(timers);
    const obey = (held) => {
      this.soon.now();
      run(this, held);
    };
    this.move = new Move({ timers, run: obey, say: (text) => this.say(text) });
    this.watch = new Stopwatch(timers.now);
    this.desk = new Desk(this);
    this.sheet = null;
    this.active = null;
    this.submitting = null;
    this.submitEvent = null;
    this.spent = 0; // seconds on the item on the desk
    this.wanted = null; // key of the slot to open when its stage has come; "" for its first
    this.arrival = ""; // what to say when the item asked for is there
  }

  // The kernel's first word: who rates what, by which protocol.
  begin(message) {
    if (this.protocol) return;
    this.protocol = message.protocol;
    this.about = message.about;
    this.outbox = new Outbox(message.scope, this.storage);
    this.memory = new Memory(message.scope, this.storage);
    this.courier = new Courier({
      outbox: this.outbox,
      post: (content) => this.post({ ...content, tab: this.tab }),
      timers: this.timers,
      changed: () => this.saveState(),
    });
    this.build();
    this.courier.flush({ again: true });
    this.fetch({});
  }

  build() {
    const { protocol, desk } = this;
    // What was drawn may be older than the sheet: the kernel sends the item anew at times.
    const now = (slot) => this.sheet.byKey.get(slot.key) ?? slot;
    const act = {
      open: (slot) => this.open(now(slot)),
      choose: (slot, value) => desk.choose(now(slot), value),
      write: (slot, value, options) => desk.write(now(slot), value, options),
      done: (slot) => desk.done(now(slot)),
      clear: (slot) => desk.clear(now(slot)),
      skip: (slot) => desk.skip(now(slot)),
      notApplicable: (slot) => desk.notApplicable(now(slot)),
      lookAgain: () => this.fetch({}),
      dismiss: (eventId) => this.dismiss(eventId),
      downloadUnsaved: () => this.downloadUnsaved(),
      submit: () => desk.submit(),
      flag: () => desk.flag(),
      undo: () => desk.undo(),
      reveal: () => desk.mark("reveal"),
      unsubmit: () => desk.unsubmit(),
      nextItem: () => this.fetch({ step: 1 }),
      previousItem: () => this.fetch({ step: -1 }),
      pause: () => this.pause(),
      keys: () => this.help.toggle("keys"),
      list: () => this.list(),
      goto: (position) => this.fetch({ position }),
    };
    const refocus = () => this.focus();
    this.bar = new Bar(protocol.title, this.about, act);
    this.source = new Source(protocol, {
      pick: (part) => this.openPart(part),
      mark: () => desk.evidence(this.active),
      unmark: (place) => desk.removeEvidence(place),
    });
    this.questions = new Questions(protocol, act);
    this.foot = new Foot(protocol, act);
    this.help = new Help(protocol, refocus);
    this.ask = new Ask(refocus);
    this.items = new Items(act, refocus);
    this.end = new End(act);
    this.curtain = el(
      "div",
      { class: "rb-curtain", hidden: true },
      el("p", {}, "Paused. The clock has stopped."),
      button("Go on", () => this.resume()),
    );
    const right = el("div", { class: "rb-right" }, this.end.node, this.questions.node, this.foot.node);
    const main = el("div", { class: "rb-main" }, this.source.node);
    main.append(new Divider(main).node, right);
    const over = [this.help.node, this.items.node, this.curtain];
    this.root.replaceChildren(this.bar.node, this.ask.node, main, ...over);
  }

  // Asks for the item on the desk again, or for another one: {step}, {position}, {unfinished}.
  fetch(which) {
    if (Object.keys(which).length) this.move.begin();
    this.courier.flush();
    this.post({ kind: "item", tab: this.tab, ref: this.sheet?.item.ref ?? null, ...which });
  }

  // An item arrives: the next one, or the one on the desk with what has changed since.
  load(message) {
    const before = this.sheet;
    const same = before?.item.ref === message.item.ref;
    if (before && !same && this.move.stays && !this.move.isOn) return;
    const key = this.wanted ?? (same ? this.active?.key : this.memory.slotIn(message.item));
    this.wanted = null;
    const item = overlay(message.item, this.outbox.waiting());
    this.outbox.tick(message.lamport); // before there is an item, nothing can be said
    this.sheet = new Sheet(this.protocol, item);
    this.place = message.place;
    if (!same) {
      this.ask.close(); // what it asks is about the item that goes
      this.watch.take();
      this.spent = 0;
      this.submitting = null;
    }
    if (!same || this.arrival) this.say(this.arrival);
    this.arrival = "";
    this.source.load(item);
    this.bar.at(message.place, this.memory.durations);
    const slot = key ? this.sheet.byKey.get(key) : null;
    const start = item.submitted ? null : this.sheet.start();
    this.open(slot && this.sheet.open(slot) ? slot : start, { typing: same });
    this.source.lightEvidence(item.evidence);
    // Where the panes lie one under the other, an item begins with what there is to read.
    if (!same) this.source.node.parentElement.scrollTop = 0;
    // With its first item the form takes the keyboard, if it may: all of it should be in sight.
    if (before === null && mayTakeFocus(this.root)) this.root.scrollIntoView({ block: "nearest" });
    this.desk.lost = null;
    this.move.end();
  }

  // With `typing` a rater who writes in the open question is left to it; `soon` lets an answer
  // go first.
  open(slot, { typing = false, soon = false } = {}) {
    this.soon.drop();
    if (slot ? slot.stage > this.sheet.item.stage : this.sheet.waits()) {
      // What this step shows may not be seen before the steps ahead of it are stored.
      this.wanted = slot?.key ?? "";
      this.move.begin();
      this.active = null;
      this.questions.wait("Storing this step before the next one opens …");
      this.drawFoot();
      takeFocus(this.root);
      this.courier.flush();
      if (this.courier.empty()) this.fetch({});
      return;
    }
    this.active = slot;
    this.memory.at(this.sheet.item, slot);
    const show = () => this.draw({ typing }) || this.focus();
    if (soon) this.soon.do(show);
    else show();
  }

  openPart(number) {
    const slots = this.sheet.slots.filter((one) => one.part === number && this.sheet.open(one));
    const open = slots.find((one) => !this.sheet.settled(one)) ?? slots[0];
    if (open) this.open(open);
  }

  advance(slot) {
    this.open(this.locked() ? slot : this.sheet.next(slot), { soon: true });
  }

  draw({ typing = false } = {}) {
    const refused = new Map(
      this.outbox.rejected().map(({ event, reason }) => [
        slotKey(event.subject, event.part, event.question),
        reason,
      ]),
    );
    const reason = (slot) => refused.get(slot.key);
    const stayed = this.questions.draw(this.sheet, this.active, reason, { typing });
    const question = this.active?.question ?? null;
    this.source.show(question, this.active?.part ?? 0, this.shownAnswers(question));
    this.drawFoot();
    return stayed;
  }

  // Answers a question shows beside the source: `answer:<question>` in its `shows`.
  shownAnswers(question) {
    const shown = [...(this.sheet.item.after ?? [])];
    for (const name of question?.shows ?? []) {
      if (!name.startsWith("answer:")) continue;
      const slot = this.sheet.slots.find(
        (one) => one.question.id === name.slice(7) && [0, this.active.part].includes(one.part),
      );
      const words = slot ? inWords(slot.question, this.sheet.at(slot)) : null;
      if (words !== null) shown.push({ label: slot.question.label, text: words });
    }
    return shown;
  }

  drawFoot() {
    const { item } = this.sheet;
    const waiting = this.submitting === item.ref;
    const { submitted, flagged, held } = item;
    this.end.draw(this.place, submitted);
    this.bar.flag(Boolean(flagged));
    this.foot.draw(this.sheet, { submitted, held: held && !item.after, waiting });
  }

  focus(options) {
    if (this.active && this.questions.focus(options)) return;
    const next = () => {
      if (this.active) return this.questions.node.querySelector(".rb-card");
      if (this.sheet?.item.submitted) return this.foot.next;
      return this.sheet?.unwritten ? this.questions.node.querySelector("button") : this.foot.submit;
    };
    takeFocus(next() ?? this.root, { preventScroll: this.end.isNew });
    this.end.bringIntoView();
  }

  // Opens the number field of the open question, if it has one, with a first digit.
  startNumber(digit) {
    const field = this.questions.node.querySelector(".rb-card .rb-number");
    if (!field) return;
    takeFocus(field);
    if (!digit) return void field.select();
    field.value = digit;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  locked() {
    if (!this.sheet.item.submitted) return false;
    this.say("This item is submitted. “Change my answers” opens it again.");
    return true;
  }

  // How every item stands, by its place in the rater's own order.
  list() {
    if (this.items.close()) return;
    this.courier.flush();
    this.post({ kind: "items", tab: this.tab });
  }

  listed(message) {
    this.items.open(message.items, this.place.position);
  }

  // Acknowledgements: what is stored, what was rejected, and what follows from a mark.
  acknowledge(message) {
    const strangers = this.courier.received(message.acks);
    if (message.place) {
      this.place = { ...this.place, ...message.place };
      this.bar.at(this.place, this.memory.durations);
    }
    const refused = message.acks.filter((ack) => !ack.ok);
    if (!this.sheet) return;
    if (refused.length) this.move.end();
    for (const ack of message.acks) {
      if (ack.event_id !== this.submitEvent || !ack.ok) continue;
      this.submitEvent = null;
      this.memory.took(this.spent);
      this.sheet.item.submitted = true;
      this.desk.submitted();
      if (!this.sheet.item.held) return void this.fetch({ unfinished: true });
      this.open(null);
      this.move.end();
    }
    const elsewhere = strangers.length && message.to !== this.tab;
    if (refused.length || message.reload || elsewhere) this.refresh();
    else if (this.wanted !== null && this.courier.empty()) this.fetch({});
    this.desk.submitWhenStored();
  }

  // Another tab, or a rejection, changed what is true; ask once for all of it.
  refresh() {
    this.timers.clear(this.refreshing);
    this.refreshing = this.timers.set(() => this.fetch({}), 150);
  }

  saveState() {
    this.bar?.save(this.courier.state(), this.outbox.rejected());
  }

  dismiss(eventId) {
    this.outbox.remove(eventId);
    this.saveState();
    this.refresh();
  }

  downloadUnsaved() {
    const { round, rater } = this.about;
    download(`unsaved-${round}-${rater}.json`, unsavedFile(this.outbox, this.about));
  }

  say(text) {
    this.bar.say(text);
    this.timers.clear(this.saying);
    this.saying = this.timers.set(() => this.bar.say(""), 8000);
  }

  // What the kernel has to say; where there is no item, there is nothing else to see, and it stays.
  told(text) {
    if (this.sheet) this.say(text);
    else this.questions.wait(text);
  }

  pause() {
    this.soon.now();
    this.watch.pause();
    this.curtain.hidden = false;
    takeFocus(this.curtain.lastChild);
  }

  resume() {
    this.watch.resume();
    this.curtain.hidden = true;
    this.focus();
  }
}

const GRACE = 500; // ms; later keys were pressed by somebody who could not see what they answer
const GIVE_UP = 3000; // ms until the form is the rater's again, with what is on the desk

// “1 key or click was”, as somebody goes on to say what happened to it.
const presses = (count, between) =>
  plural(count, `key or click${between} was`, `keys or clicks${between} were`);

// Between two items, or two steps, there is nothing to answer: keys wait for what is coming.
export class Move {
  // `run(press)` does what the key asks for; `say(text)` tells the rater.
  constructor({ timers, run, say }) {
    Object.assign(this, { timers, run, say });
    this.since = null;
    this.held = [];
    this.dropped = 0; // what was pressed meanwhile and taken by nothing
    this.gaveUp = false;
    this.stays = false; // the rater went on with what is on the desk
  }

  get isOn() {
    return this.since !== null;
  }

  begin() {
    if (this.isOn) return;
    this.gaveUp = this.stays = false;
    this.since = this.timers.now();
    this.watch = this.timers.set(() => this.giveUp(), GIVE_UP);
  }

  giveUp() {
    const lost = this.held.length + this.dropped;
    this.held = [];
    this.dropped = 0;
    this.end();
    this.gaveUp = true;
    const but = lost ? ` ${presses(lost, " since then")} not taken.` : "";
    this.say(`The kernel does not answer yet. What you entered is kept; try again.${but}`);
  }

  // The rater answers here: what was given up and comes after all must not take this away.
  work() {
    if (this.gaveUp) this.stays = true;
  }

  hold(command) {
    if (this.timers.now() - this.since <= GRACE) this.held.push(command);
    else this.drop();
  }

  drop() {
    this.dropped += 1;
    this.say("Not there yet: that was not taken.");
  }

  // What was coming is there: the keys held go to it, until the next move begins.
  end() {
    if (!this.isOn) return;
    this.timers.clear(this.watch);
    this.since = null;
    const held = this.held;
    this.held = [];
    while (held.length && !this.isOn) this.run(held.shift());
    if (this.isOn) this.held.push(...held);
    const { dropped } = this;
    this.dropped = 0;
    if (dropped) this.say(`${presses(dropped, " came before this was here and")} not taken.`);
  }
}

export const LEAD = 8; // ms

// The next question is drawn half a frame after the key. Nobody can see the difference; the answer
// leaves first, and on a small machine has it for itself until it is stored. Of several drawings
// that wait the last counts.
export class Soon {
  // `timers` has set and clear: the window's, or a test's.
  constructor(timers) {
    this.timers = timers;
    this.drop();
  }

  do(draw) {
    this.draw = draw;
    this.timer ??= this.timers.set(() => this.now(), LEAD);
  }

  // Draws what waits, for whoever needs the page as it will be; true if something did wait.
  now() {
    const { draw } = this;
    this.drop();
    draw?.();
    return draw !== null;
  }

  drop() {
    this.timers.clear(this.timer);
    this.draw = this.timer = null;
  }
}
