// What the rater does to the item on the desk: answer, write, skip, undo, flag, mark, submit.

import { answerEvent, markEvent } from "./outbox.js";
import { choicesOf } from "./questions.js";
import { UNANSWERABLE } from "./sheet.js";

export class Desk {
  // `form` draws and moves; see form.js for what it offers.
  constructor(form) {
    this.form = form;
    this.history = new History();
  }

  get sheet() {
    return this.form.sheet;
  }

  // Every change of an answer comes through here: into the sheet, the history and the outbox.
  record(slot, after, { typing = false, back = null } = {}) {
    const { form } = this;
    if (form.locked()) return false;
    if (form.move.isOn) {
      form.move.drop();
      return false;
    }
    form.move.work();
    form.say(""); // what was said before may be no more so
    const changes = this.sheet.change(slot, after);
    this.history.add(this.sheet.item.ref, changes, { typing, back });
    this.store(changes, { typing });
    return true;
  }

  store(changes, { typing = false } = {}) {
    const { form } = this;
    for (const [slot, before, after] of changes) {
      if (after === null && before === null) continue;
      const event = answerEvent(slot, after, form.watch.take(), new Date());
      form.spent += event.seconds;
      form.outbox.put(event, { draft: typing ? slot.key : null });
    }
    if (typing) form.courier.flushSoon();
    else form.courier.flush();
  }

  choose(slot, value) {
    if (this.record(slot, { status: "answered", value })) this.form.advance(slot);
  }

  // A text is stored at every keystroke, under one step of undo; an emptied one is taken back.
  write(slot, value, { left = false } = {}) {
    const held = this.sheet.at(slot);
    const empty = value === null || (typeof value === "string" && value.trim() === "");
    const same = empty ? held === null : held !== null && held.value === value;
    const { lost } = this; // leaving a field says once more what was typed and not taken
    const again = left && lost?.slot === slot.key && lost.value === value;
    if (!same && !again) {
      const after = empty ? null : { status: "answered", value };
      const taken = this.record(slot, after, { typing: !left });
      this.lost = taken ? null : { slot: slot.key, value };
    }
    if (left) {
      this.history.close();
      this.form.courier.flush();
    }
    this.form.drawFoot();
  }

  done(slot) {
    this.history.close();
    this.form.courier.flush();
    this.form.advance(slot);
  }

  clear(slot) {
    if (this.sheet.at(slot) && this.record(slot, null)) this.form.open(slot);
  }

  digit(slot, digit) {
    const { question } = slot;
    const { control } = question;
    const choices = choicesOf(question);
    if (control === "percent" || (control === "scale" && !choices.length)) {
      this.form.startNumber(String(digit));
      return;
    }
    if (control === "answer" && digit === 0) {
      this.choose(slot, UNANSWERABLE);
      return;
    }
    if (!choices.length) return;
    const choice = choices.find((one) => one.digit === digit);
    if (choice) this.choose(slot, choice.value);
    else this.form.say(`${question.label} has no ${digit}.`);
  }

  aside(slot, status, prompt, how) {
    if (this.form.locked()) return;
    this.form.ask.open(prompt, (reason) => {
      if (this.record(slot, { status, value: null, reason: reason || null })) {
        this.form.advance(slot);
      }
    }, how);
  }

  // Who cannot judge leaves the question open: it counts as missing and holds nothing back.
  skip(slot) {
    const prompt = `“${slot.question.label}” cannot be judged and stays open. Why?`;
    this.aside(slot, "skipped", prompt, { optional: !this.form.protocol.ask_why });
  }

  // Not applicable is an answer, and has its reason.
  notApplicable(slot) {
    const choices = Object.entries(slot.question.not_applicable ?? {});
    const prompt = `“${slot.question.label}” does not apply. Why?`;
    this.aside(slot, "not_applicable", prompt, { choices, optional: false });
  }

  undo() {
    const { form } = this;
    const step = this.history.peek();
    if (step === null) return form.say("Nothing to undo.");
    if (step.item !== this.sheet.item.ref) {
      form.arrival = "The last change was in another item; U again takes it back there.";
      return form.fetch({ ref: step.item });
    }
    // A flag, or the submission itself, is taken back of a submitted item too; its answers are not.
    if (step.changes.length && form.locked()) return undefined;
    this.history.pop();
    const changes = step.changes.map(({ key, before }) =>
      this.sheet.set(this.sheet.byKey.get(key), before),
    );
    this.store(changes);
    step.back?.();
    // A mark is made beside the work, and taken back beside it.
    form.open(step.back ? form.active : changes[0][0]);
    return form.say("Undone.");
  }

  mark(kind, reason = null) {
    const { form } = this;
    const event = form.outbox.put(markEvent(kind, this.sheet.item.ref, reason, new Date()));
    form.courier.flush();
    return event;
  }

  flag() {
    const turn = (flagged, reason) => {
      const { ref, flagged: before, flag_reason: why } = this.sheet.item;
      this.setFlag(flagged, reason);
      this.history.add(ref, [], { back: () => this.setFlag(before, why) });
    };
    if (this.sheet.item.flagged) turn(false, null);
    else this.form.ask.open("Flag this item. Why?", (reason) => turn(true, reason));
  }

  setFlag(flagged, reason) {
    Object.assign(this.sheet.item, { flagged, flag_reason: reason });
    this.mark(flagged ? "flag" : "unflag", reason);
    this.form.drawFoot();
  }

  // Marked evidence is a note on the item; the open text question also takes the quotation.
  evidence(slot) {
    const { form } = this;
    const place = form.source.selection();
    if (!place) return form.say("Select a stretch of the source, or search for it, then E.");
    if (form.locked()) return undefined;
    this.setEvidence([...this.sheet.item.evidence, place], { evidence: place });
    const back = () => this.takeBack(place);
    const target = this.evidenceSlot(slot);
    if (target) {
      const held = this.sheet.at(target)?.value;
      const quote = `“${place.quote.trim()}”`;
      const value = held ? `${held}\n${quote}` : quote;
      this.record(target, { status: "answered", value }, { back });
      form.open(form.active);
    } else this.history.add(this.sheet.item.ref, [], { back });
    return form.say("Marked as evidence.");
  }

  // One mark of several, whichever; a quotation it put into a text stays there.
  removeEvidence(place) {
    const { form } = this;
    if (form.locked()) return;
    this.takeBack(place);
    const back = () => this.setEvidence([...this.sheet.item.evidence, place], { evidence: place });
    this.history.add(this.sheet.item.ref, [], { back });
    form.focus();
    form.say("No longer marked.");
  }

  takeBack(place) {
    const { evidence } = this.sheet.item;
    const gone = evidence.findLastIndex(
      (one) => one.field === place.field && one.start === place.start && one.end === place.end,
    );
    const left = evidence.filter((_, index) => index !== gone);
    this.setEvidence(left, { evidence: place, taken_back: true });
  }

  setEvidence(evidence, note) {
    this.sheet.item.evidence = evidence;
    this.mark("note", JSON.stringify(note));
    this.form.source.lightEvidence(evidence);
  }

  // The protocol's own place for evidence, once its step is open; where the protocol has none, the
  // text question that is open.
  evidenceSlot(slot) {
    const own = this.sheet.slots.find(
      (one) => one.question.id === "evidence" && one.question.control === "text",
    );
    if (own) return this.sheet.open(own) ? own : null;
    return slot && slot.question.control === "text" ? slot : null;
  }

  // Only a complete item is submitted, and only when all of it is stored.
  submit() {
    const { form } = this;
    const { item } = this.sheet;
    if (item.submitted) return;
    if (this.sheet.unwritten) {
      form.say("There is nothing to submit yet.");
      return;
    }
    const missing = this.sheet.missing();
    if (missing.length) {
      form.say(`Still missing: ${missing.length}.`);
      form.open(missing[0]);
      return;
    }
    if (item.withheld) {
      form.say("Its next step comes first.");
      form.fetch({});
      return;
    }
    if (form.courier.state().rejected) {
      form.say("An answer was rejected: correct or dismiss it first.");
      return;
    }
    form.submitting = item.ref;
    form.move.begin();
    form.drawFoot();
    form.courier.flush();
    this.submitWhenStored();
  }

  // The store has it; from now on U takes the submission back.
  submitted() {
    this.history.close();
    this.history.add(this.sheet.item.ref, [], { back: () => this.unsubmit() });
  }

  unsubmit() {
    if (!this.sheet.item.submitted) return;
    this.sheet.item.submitted = false;
    this.mark("unsubmit");
    this.form.open(this.sheet.slots.find((slot) => this.sheet.open(slot)) ?? null);
  }

  submitWhenStored() {
    const { form } = this;
    if (form.submitting === null || form.submitting !== this.sheet.item.ref) return;
    if (!form.courier.empty()) return;
    if (this.sheet.missing().length) form.submitting = null;
    else form.submitEvent = this.mark("submit").event_id;
    form.submitting = null;
  }
}

const DEPTH = 200;

// What U takes back: one thing the rater did. An answer goes with the retractions it caused, a mark
// with the quotation it put into a text.
class History {
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
    this.steps.pop();
  }
}
