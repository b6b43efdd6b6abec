// Which key does what. The list is what “?” shows and what the handler obeys.

export const KEYS = [
  { keys: ["1", "…", "9"], what: "answer with that level or option, and go on" },
  { keys: ["Enter"], what: "write in the open text or number; there, Enter is done" },
  { keys: ["."], does: "number", what: "write a number with decimals" },
  { keys: ["n", "ArrowDown"], show: ["N", "↓"], does: "down", what: "next question" },
  { keys: ["p", "ArrowUp"], show: ["P", "↑"], does: "up", what: "previous question" },
  { keys: ["ArrowLeft", "ArrowRight"], show: ["←", "→"], what: "look along the levels; Space takes one" },
  { keys: ["u", "Ctrl+Z"], does: "undo", what: "take back what was done last" },
  { keys: ["c", "s"], show: ["C"], does: "skip", what: "cannot judge: leave this question open, with a reason" },
  { keys: ["x"], does: "notApplicable", what: "this question does not apply here" },
  { keys: ["m"], does: "missing", what: "jump to what is still missing" },
  { keys: ["f"], does: "flag", what: "flag the item, with a reason; once more takes it back" },
  { keys: ["/"], does: "search", what: "search the source" },
  { keys: ["e"], does: "evidence", what: "mark what is selected or found in the source as evidence" },
  { keys: ["]"], does: "nextItem", what: "next item" },
  { keys: ["["], does: "previousItem", what: "item before" },
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
