import assert from "node:assert/strict";
import test from "node:test";
import { LEAD, Move, Soon } from "../../../raterbook/rating/front/form.js";
import { Memory } from "../../../raterbook/rating/front/time.js";
import { Clock, Storage } from "./protocol.mjs";

function desk() {
  const clock = new Clock();
  const done = [];
  const said = [];
  const move = new Move({ timers: clock, run: (key) => done.push(key), say: (text) => said.push(text) });
  return { clock, done, said, move };
}

test("keys pressed on the way to the next item go to it", () => {
  const { done, move } = desk();
  move.begin();
  move.hold("5");
  move.hold("4");
  assert.deepEqual(done, []);
  move.end();
  assert.deepEqual(done, ["5", "4"]);
});

test("a key pressed while nothing came for half a second is not taken, and the rater is told", () => {
  const { clock, done, said, move } = desk();
  move.begin();
  clock.pass(600);
  move.hold("5");
  move.end();
  assert.deepEqual(done, []);
  assert.match(said[0], /not taken/);
});

test("keys that lead on to another item leave the rest for that one", () => {
  const { done, move } = desk();
  move.run = (key) => (done.push(key), key === "submit" && move.begin());
  move.begin();
  for (const key of ["5", "submit", "3"]) move.hold(key);
  move.end();
  assert.deepEqual(done, ["5", "submit"]);
  move.end();
  assert.deepEqual(done, ["5", "submit", "3"]);
});

test("when nothing comes the form is the rater's again", () => {
  const { clock, said, move } = desk();
  move.begin();
  clock.pass(3100);
  assert.equal(move.isOn, false);
  assert.match(said[0], /does not answer/);
});

test("the browser remembers the open question of the item it showed last, and how long items take", () => {
  const storage = new Storage();
  const memory = new Memory("scope", storage);
  memory.at({ ref: "i1" }, { key: "i1|2|accuracy" });
  for (let second = 1; second <= 40; second += 1) memory.took(second);
  const again = new Memory("scope", storage);
  assert.equal(again.slotIn({ ref: "i1" }), "i1|2|accuracy");
  assert.equal(again.slotIn({ ref: "i2" }), null);
  assert.equal(again.durations.length, 30);
  assert.equal(new Memory("another", storage).slotIn({ ref: "i1" }), null);
});

test("keys that nothing took are counted for the rater when what was coming is there", () => {
  const { clock, said, move } = desk();
  move.begin();
  clock.pass(600);
  move.hold("5");
  move.drop();
  move.end();
  assert.match(said.at(-1), /^2 keys or clicks came before this was here and were not taken/);
  move.begin();
  move.end();
  assert.equal(said.length, 3);
});

test("keys held for what never came are said not to be taken", () => {
  const { clock, done, said, move } = desk();
  move.begin();
  move.hold("5");
  clock.pass(3100);
  assert.deepEqual(done, []);
  assert.match(said.at(-1), /does not answer yet.*1 key or click since then was not taken/);
});

function page() {
  const clock = new Clock();
  const drawn = [];
  const soon = new Soon(clock);
  return { clock, drawn, soon, draw: (name) => soon.do(() => drawn.push(name)) };
}

test("a question is drawn half a frame after the key, once", () => {
  const { clock, drawn, draw } = page();
  draw("accuracy");
  clock.pass(LEAD - 1);
  assert.deepEqual(drawn, []);
  clock.pass(1);
  clock.pass(100);
  assert.deepEqual(drawn, ["accuracy"]);
  assert.ok(LEAD <= 1000 / 60 / 2);
});

test("of several drawings only the last is seen, and not later than the first would have been", () => {
  const { clock, drawn, draw } = page();
  draw("accuracy");
  clock.pass(LEAD - 1);
  draw("fluency");
  clock.pass(1);
  assert.deepEqual(drawn, ["fluency"]);
});

test("whoever needs the page now has it now, and not a second time", () => {
  const { clock, drawn, soon, draw } = page();
  draw("accuracy");
  assert.equal(soon.now(), true);
  assert.equal(soon.now(), false);
  clock.pass(100);
  assert.deepEqual(drawn, ["accuracy"]);
});

test("a drawing that another one made needless is dropped", () => {
  const { clock, drawn, soon, draw } = page();
  draw("accuracy");
  soon.drop();
  clock.pass(100);
  draw("fluency");
  clock.pass(100);
  assert.deepEqual(drawn, ["fluency"]);
});
