import assert from "node:assert/strict";
import test from "node:test";
import { readNumber } from "../../../raterbook/rating/front/entries.js";
import { commandOf } from "../../../raterbook/rating/front/keys.js";
import { saveSentence } from "../../../raterbook/rating/front/page.js";
import { meant } from "../../../raterbook/rating/front/sheet.js";
import { blocksOf, findAll, placesOf, unsigned } from "../../../raterbook/rating/front/passage.js";
import { Stopwatch } from "../../../raterbook/rating/front/time.js";
import { Clock } from "./protocol.mjs";

test("blocks of a long text are the text, and no line is broken", () => {
  const text = Array.from({ length: 400 }, (_, i) => `line ${i} ${"x".repeat(i % 90)}`).join("\n");
  const blocks = blocksOf(text);
  assert.ok(blocks.length > 5);
  assert.equal(blocks.map((block) => block.text).join("\n"), text);
  for (const block of blocks) assert.equal(text.slice(block.start, block.start + block.text.length), block.text);
});

test("search finds every place whatever the case, and takes no pattern", () => {
  assert.deepEqual(findAll("Ab aB ab", "AB"), [[0, 2], [3, 5], [6, 8]]);
  assert.deepEqual(findAll("a.b axb (", "a.b"), [[0, 3]]);
  assert.deepEqual(findAll("x(y", "(")[0], [1, 2]);
  assert.deepEqual(findAll("anything", "  "), []);
});

test("sentences are found in their response in order, also equal ones", () => {
  const parts = [{ number: 1, text: "Yes." }, { number: 2, text: "No." }, { number: 3, text: "Yes." }];
  const places = placesOf("Yes. No. Yes.", [...parts, { number: 4, text: "Never said." }]);
  assert.deepEqual([...places.values()], [[0, 4], [5, 8], [9, 13], null]);
});

test("numbers are read as people write them, and refused with the reason", () => {
  const overall = { min: 1, max: 5, step: 0 };
  const percent = { unit: "%", min: 0, max: 100, step: null };
  assert.equal(readNumber(overall, "4,25").value, 4.25);
  assert.equal(readNumber(percent, "85 %").value, 85);
  assert.equal(readNumber(overall, "").value, null);
  assert.match(readNumber(overall, "6").problem, /outside 1–5/);
  assert.match(readNumber({ ...overall, step: 1 }, "4.5").problem, /not a whole number/);
  assert.match(readNumber(percent, "high").problem, /not a number/);
  assert.match(readNumber(percent, "0.5").problem, /write 50 or 0.5%/);
});

test("keys mean nothing while somebody types, but Escape and Ctrl+Enter", () => {
  const press = (key, more = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, ...more });
  assert.deepEqual(commandOf(press("4"), false), { does: "digit", digit: 4 });
  assert.equal(commandOf(press("4"), true), null);
  assert.equal(commandOf(press("n"), true), null);
  assert.equal(commandOf(press("Escape"), true).does, "escape");
  assert.equal(commandOf(press("Enter", { ctrlKey: true }), true).does, "submit");
  assert.equal(commandOf(press("f", { ctrlKey: true }), false), null);
});

test("Ctrl+Z is undo, and in a text it is the text's own", () => {
  const undo = { key: "z", ctrlKey: true, metaKey: false, altKey: false, shiftKey: false };
  assert.deepEqual(commandOf(undo, false), { does: "undo" });
  assert.equal(commandOf(undo, true), null);
  assert.equal(commandOf({ ...undo, shiftKey: true }, false), null);
  assert.equal(commandOf({ ...undo, ctrlKey: false }, false), null);
});

test("time on task stops while the rater is away, idle or on a break", () => {
  const clock = new Clock();
  const watch = new Stopwatch(clock.now);
  watch.sign();
  clock.pass(10000);
  watch.leave();
  clock.pass(3600000);
  watch.sign();
  clock.pass(5000);
  assert.equal(watch.take(), 15);
  clock.pass(3600000);
  assert.equal(watch.take(), 60);
  watch.pause();
  clock.pass(9000);
  watch.sign();
  watch.resume();
  clock.pass(1000);
  assert.equal(watch.take(), 1);
});

test("a silent kernel and a rejection are told apart, and numbers are right", () => {
  const say = (name, more) => saveSentence({ name, waiting: 0, rejected: 0, volatile: false, ...more });
  assert.equal(say("saved"), "Saved");
  assert.match(say("silent", { waiting: 2 }), /2 answers are not stored.*kept in this browser/);
  assert.match(say("silent", { waiting: 1, volatile: true }), /download them now/);
  assert.match(say("silent", { waiting: 1, trouble: "The disk is full." }), /^The disk is full. 1 /);
  assert.equal(say("rejected", { rejected: 1 }), "1 answer was rejected");
});

test("a formula is read without the signs and spaces around it", () => {
  for (const written of ["$x$", "$$x$$", "\\(x\\)", "\\[ x \\]", "  x\n", "$ x", "x $$"])
    assert.equal(unsigned(written), "x", written);
  assert.equal(unsigned("$$"), "");
  assert.equal(unsigned("$x$ + $y$"), "x$ + $y");
});

test("the time for a formula and for an answer grows with their length, whatever is in them", () => {
  const asked = { control: "answer", unanswerable: ["cannot be told"] };
  for (const sign of [" ", "\n", ".", "$", ". "]) {
    const text = `a${sign.repeat(400_000 / sign.length)}b`;
    const start = process.cpuUsage();
    unsigned(text);
    meant(asked, text);
    const spent = process.cpuUsage(start);
    assert.ok(spent.user + spent.system < 2_000_000, JSON.stringify(sign)); // the square: minutes
  }
});
