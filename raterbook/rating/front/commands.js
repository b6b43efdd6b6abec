// From key presses to what the form does.

import { commandOf, isTyping } from "./keys.js";

export function pressed(form, press) {
  if (!form.sheet) return false;
  // What is still to be drawn for the key before this one may move the focus.
  const target = form.soon.now() ? document.activeElement : press.target;
  const command = commandOf(press, isTyping(target));
  if (command === null) {
    const idle = !isTyping(target) && press.key === "Enter" && !press.ctrlKey;
    return idle && isCard(target) ? form.questions.focus({ write: true }) : false;
  }
  if (!form.curtain.hidden) {
    if (command.does !== "pause" && command.does !== "escape") return false;
    form.resume();
    return true;
  }
  if (form.move.isOn) form.move.hold({ command, target });
  else run(form, { command, target });
  return true;
}

function isCard(target) {
  return target.classList.contains("rb-card");
}

export function run(form, { command, target }) {
  const { desk, active, sheet } = form;
  const open = (slot) => slot && form.open(slot);
  const perform = {
    digit: () => active && !form.help.isOpen && desk.digit(active, command.digit),
    number: () => active && form.startNumber(""),
    down: () => open(sheet.step(active, 1)) || (!sheet.step(active, 1) && form.open(null)),
    up: () => open(sheet.step(active, -1)),
    undo: () => desk.undo(),
    skip: () => active && desk.skip(active),
    notApplicable: () => active && desk.notApplicable(active),
    missing: () => missing(form),
    flag: () => desk.flag(),
    search: () => form.source.search() || form.say("Nothing to search here."),
    evidence: () => desk.evidence(active),
    nextItem: () => form.fetch({ step: 1 }),
    previousItem: () => form.fetch({ step: -1 }),
    goto: () => goto(form),
    pause: () => form.pause(),
    instructions: () => help(form, "instructions"),
    definitions: () => help(form, "definitions"),
    aid: () => help(form, "aid"),
    keys: () => help(form, "keys"),
    submit: () => submit(form, target),
    escape: () => escape(form, target),
  }[command.does];
  perform();
}

function missing(form) {
  const slot = form.sheet.next(form.active) ?? null;
  if (slot) form.open(slot);
  else form.say("Nothing is missing.");
}

function help(form, section) {
  if (!form.help.toggle(section)) form.say(`This protocol has no ${section}.`);
}

function goto(form) {
  const { total } = form.place;
  form.ask.open(`Go to item (1–${total})`, (written) => {
    const position = Number(written);
    if (Number.isInteger(position) && position >= 1 && position <= total) {
      form.fetch({ position });
    } else form.say(`${written} is not an item from 1 to ${total}.`);
  }, { optional: false });
}

// Ctrl+Enter in a text ends the text; anywhere else it submits.
function submit(form, target) {
  if (isTyping(target) && form.active) form.desk.done(form.active);
  else form.desk.submit();
}

function escape(form, target) {
  if (form.ask.close() || form.help.close()) return;
  if (isTyping(target)) {
    target.blur();
    form.focus();
  }
}
