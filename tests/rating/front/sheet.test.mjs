import assert from "node:assert/strict";
import test from "node:test";
import { overlay } from "../../../ratebook/rating/front/events.js";
import { Sheet, slotsOf } from "../../../ratebook/rating/front/sheet.js";
import { item, question, sentences } from "./protocol.mjs";

const names = (slots) => slots.map((slot) => `${slot.question.id}${slot.part || ""}`);
const answered = (value) => ({ status: "answered", value });

test("questions about parts go part by part", () => {
  const order = names(slotsOf(sentences, item()));
  assert.deepEqual(order, ["accuracy1", "severity1", "note1", "accuracy2", "severity2", "note2"]);
});

test("only what is required and not answered is missing, and conditions decide what is", () => {
  const sheet = new Sheet(sentences, item());
  assert.deepEqual(names(sheet.missing()), ["accuracy1", "accuracy2"]);
  sheet.change(sheet.slots[0], answered("no"));
  assert.deepEqual(names(sheet.missing()), ["severity1", "accuracy2"]);
});

test("after an answer work goes on with what it opened", () => {
  const sheet = new Sheet(sentences, item());
  sheet.change(sheet.slots[0], answered("no"));
  assert.equal(sheet.next(sheet.slots[0]).question.id, "severity");
});

test("changing away takes back what is no longer asked, in its own part only", () => {
  const sheet = new Sheet(sentences, item());
  const [accuracy1, severity1, , accuracy2, severity2] = sheet.slots;
  for (const slot of [accuracy1, severity1, accuracy2, severity2]) {
    sheet.change(slot, answered("no"));
  }
  const changes = sheet.change(accuracy1, answered("yes"));
  assert.deepEqual(names(changes.map(([slot]) => slot)), ["accuracy1", "severity1"]);
  assert.equal(changes[1][2].status, "retracted");
  assert.equal(sheet.at(severity1), null);
  assert.equal(sheet.at(severity2).value, "no");
});

test("not applicable is done, skipped is not", () => {
  const sheet = new Sheet(sentences, item());
  sheet.change(sheet.slots[0], { status: "skipped", value: null });
  sheet.change(sheet.slots[3], { status: "not_applicable", value: null });
  assert.deepEqual(names(sheet.missing()), ["accuracy1"]);
});

test("a skipped question comes again when nothing else is left", () => {
  const sheet = new Sheet(sentences, item());
  sheet.change(sheet.slots[0], { status: "skipped", value: null });
  assert.equal(sheet.next(sheet.slots[0]).part, 2);
  sheet.change(sheet.slots[3], answered("yes"));
  assert.equal(sheet.next(sheet.slots[3]).part, 1);
});

const staged = {
  stages: [["reference"], ["generated"]],
  questions: [
    question("reference", { of: "case", per: "part" }),
    question("generated", { per: "part" }),
  ],
};

test("a later stage stays closed until the one before it is done", () => {
  const sheet = new Sheet(staged, item());
  const open = () => names(sheet.slots.filter((slot) => sheet.open(slot)));
  assert.deepEqual(open(), ["reference1", "reference2"]);
  sheet.change(sheet.slots[0], answered("yes"));
  sheet.change(sheet.slots[1], answered("yes"));
  assert.equal(open().length, 4);
});

test("questions of the case point to the case", () => {
  assert.deepEqual(slotsOf(staged, item()).map((slot) => slot.subject), ["c1", "c1", "i1", "i1"]);
});

test("what the outbox holds stands over what the store said last", () => {
  const stored = { subject: "i1", part: 1, question: "accuracy", value: "yes", lamport: 4 };
  const later = { ...stored, value: "no", lamport: 5, status: "answered" };
  const earlier = { ...stored, value: "maybe", lamport: 3 };
  const page = item({ answers: [stored] });
  assert.equal(overlay(page, [earlier, later]).answers[0].value, "no");
  assert.equal(overlay(page, [earlier]).answers[0].value, "yes");
  assert.equal(overlay(page, [{ ...later, subject: "i2" }]).answers[0].value, "yes");
});

test("a flag the outbox still holds stands over what the store said last", () => {
  const page = item({ flagged: false, flag_reason: null });
  const flag = { mark: "flag", subject: "i1", reason: "cut", lamport: 1 };
  const unflag = { mark: "unflag", subject: "i1", reason: null, lamport: 2 };
  assert.deepEqual([overlay(page, [flag]).flagged, overlay(page, [flag]).flag_reason], [true, "cut"]);
  assert.equal(overlay(page, [flag, unflag]).flagged, false);
  assert.equal(overlay(page, [{ ...flag, subject: "i2" }]).flagged, false);
});
