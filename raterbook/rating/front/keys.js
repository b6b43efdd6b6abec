// The keyboard: which key does what, who has the keys, and what a press does to the form.

// What “?” shows and the form obeys.
export const KEYS = [
  { keys: ["1", "…", "9"], what: "answer with that level or option, and go on" },
  { keys: ["Enter"], what: "write in the open text or number; there, Enter is done" },
  { keys: ["."], does: "number", what: "write a number with decimals" },
  { keys: ["n", "ArrowDown"], show: ["N", "↓"], does: "down", what: "next question" },
  { keys: ["p", "ArrowUp"], show: ["P", "↑"], does: "up", what: "previous question" },
  {
    keys: ["ArrowLeft", "ArrowRight"],
    show: ["←", "→"],
    what: "look along the levels; Space takes one",
  },
  { keys: ["u", "Ctrl+Z"], does: "undo", what: "take back what was done last" },
  {
    keys: ["c", "s"],
    show: ["C"],
    does: "skip",
    what: "cannot judge: leave this question open, with a reason",
  },
  { keys: ["x"], does: "notApplicable", what: "this question does not apply here" },
  { keys: ["m"], does: "missing", what: "jump to what is still missing" },
  { keys: ["f"], does: "flag", what: "flag the item, with a reason; once more takes it back" },
  { keys: ["/"], does: "search", what: "search the source" },
  {
    keys: ["e"],
    does: "evidence",
    what: "mark what is selected or found in the source as evidence",
  },
  { keys: ["]"], does: "nextItem", what: "next item" },
  { keys: ["["], does: "previousItem", what: "item before" },
  { keys: ["l"], does: "list", what: "all items, and how each stands" },
  { keys: ["r"], does: "unsubmit", what: "change the answers of a submitted item" },
  { keys: ["g"], does: "goto", what: "go to an item by its number" },
  { keys: ["b"], does: "pause", what: "pause; the clock stops" },
  { keys: ["i"], does: "instructions", what: "instructions and worked examples" },
  { keys: ["d"], does: "definitions", what: "definitions" },
  { keys: ["a"], does: "aid", what: "decision aid" },
  { keys: ["?"], does: "keys", what: "these keys" },
  { keys: ["Ctrl+Enter"], does: "submit", what: "submit the item" },
  { keys: ["Escape"], show: ["Esc"], does: "escape", what: "leave a text; close what is open" },
];

const COMMANDS = new Map(
  KEYS.flatMap((entry) => (entry.does ? entry.keys.map((key) => [key, entry.does]) : [])),
);

// What Enter is for by itself; anywhere else in the form it writes in the open question.
const ENTERED = "button, a, summary, [role=radio], [role=separator]";
const WRITING = new Set(["text", "number", "search", "textarea"]);

export function isTyping(target) {
  if (!target || !target.tagName) return false;
  if (target.tagName === "TEXTAREA" || target.isContentEditable) return true;
  return target.tagName === "INPUT" && WRITING.has(target.type);
}

// What a key press asks for: {does, digit?} or null. While somebody types only Escape and
// Ctrl+Enter mean anything here, and Ctrl+Z is the text's own; other combinations belong to the
// browser.
export function commandOf(press, typing) {
  const ctrl = press.ctrlKey || press.metaKey;
  if (ctrl && press.key === "Enter") return { does: "submit" };
  const plain = !typing && !press.shiftKey && !press.altKey;
  if (ctrl && plain && press.key.toLowerCase() === "z") return { does: "undo" };
  if (ctrl || press.altKey || press.isComposing) return null;
  if (press.key === "Escape") return { does: "escape" };
  if (typing) return null;
  if (/^[0-9]$/.test(press.key)) return { does: "digit", digit: Number(press.key) };
  const name = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  return COMMANDS.has(name) ? { does: COMMANDS.get(name) } : null;
}

const TYPED = new WeakSet(); // forms beside which somebody has typed since they had the keyboard
const ALONE = new Set(["Shift", "Control", "Alt", "Meta", "CapsLock"]);

// Who has the keyboard. The form takes it from the page itself, from within, and from the cell
// that was run to show it; never from what somebody types into, nor from another cell.
export function mayTakeFocus(root) {
  const inside = root.getRootNode().activeElement;
  if (inside && root.contains(inside)) return true;
  // In a frame: somebody may be typing in the page around it, whose focus is not seen from here.
  if (window.parent !== window && !document.hasFocus()) return false;
  const here = document.activeElement;
  if (!here || here === document.body || here === document.documentElement) return true;
  if (TYPED.has(root) || here.isContentEditable) return false;
  return here === root.closest(".jp-Cell, .cell") || here.matches("[data-command^='notebook:run']");
}

// Every focus the form gives to one of its own elements comes through here.
export function takeFocus(node, options) {
  const root = node.closest(".rb");
  if (root && mayTakeFocus(root)) node.focus(options);
}

// Notes what is typed elsewhere; returns how to stop.
export function watchTyping(root) {
  const typed = (press) => {
    const beside = press.target !== document.body && !root.contains(press.composedPath()[0]);
    if (beside && !ALONE.has(press.key)) TYPED.add(root);
  };
  const back = () => TYPED.delete(root);
  document.addEventListener("keydown", typed, true);
  root.addEventListener("focusin", back);
  return () => document.removeEventListener("keydown", typed, true);
}

// What a key press does to the form; true if it was the form's.
export function pressed(form, press) {
  if (!form.sheet) return false;
  // What is still to be drawn for the key before this one may move the focus.
  const target = form.soon.now() ? document.activeElement : press.target;
  const command = commandOf(press, isTyping(target));
  if (command === null) {
    const idle = !isTyping(target) && press.key === "Enter" && !press.ctrlKey;
    const taken = !idle || form.help.isOpen || target.closest(ENTERED);
    return taken ? false : form.questions.focus({ write: true });
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

export function run(form, { command, target }) {
  const { desk, active, sheet } = form;
  const perform = {
    digit: () => active && !form.help.isOpen && desk.digit(active, command.digit),
    number: () => active && form.startNumber(""),
    down: () => form.open(sheet.step(active, 1)),
    up: () => up(form),
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
    list: () => form.list(),
    unsubmit: () => (sheet.item.submitted ? desk.unsubmit() : form.say("This item is open.")),
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

function up(form) {
  const slot = form.sheet.step(form.active, -1);
  if (slot) form.open(slot);
}

function missing(form) {
  const slot = form.sheet.next(form.active);
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
  if (form.ask.close() || form.help.close() || form.items.close()) return;
  if (isTyping(target)) {
    target.blur();
    form.focus();
  }
}
