import assert from "node:assert/strict";
import test from "node:test";
import { LEAD, Soon } from "../../../raterbook/rating/front/soon.js";
import { Clock } from "./protocol.mjs";

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
