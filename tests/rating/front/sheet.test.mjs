import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { overlay } from "../../../raterbook/rating/front/outbox.js";
import { holds, isAsked, isRequired, namesIn, Sheet, slotsOf } from "../../../raterbook/rating/front/sheet.js";
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

test("what does not apply and what cannot be judged hold nothing back, and the latter stays named", () => {
  const sheet = new Sheet(sentences, item());
  sheet.change(sheet.slots[0], { status: "skipped", value: null });
  sheet.change(sheet.slots[3], { status: "not_applicable", value: null });
  assert.deepEqual(names(sheet.missing()), []);
  assert.deepEqual(names(sheet.leftOpen()), ["accuracy1"]);
});

test("a question left open does not come again by itself", () => {
  const sheet = new Sheet(sentences, item());
  sheet.change(sheet.slots[0], { status: "skipped", value: null });
  assert.equal(sheet.next(sheet.slots[0]).part, 2);
  sheet.change(sheet.slots[3], answered("yes"));
  assert.equal(sheet.next(sheet.slots[3]), null);
  assert.equal(sheet.step(sheet.slots[3], -1).part, 1);
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

test("what is asked of the case opens the next step and holds no item back", () => {
  const sheet = new Sheet(staged, item());
  assert.deepEqual(names(sheet.missing()), ["generated1", "generated2"]);
  for (const slot of sheet.slots.slice(2)) sheet.change(slot, answered("yes"));
  assert.deepEqual(names(sheet.missing()), []);
  assert.equal(sheet.stage(), 0);
});

test("an answer in the words that mean unanswerable opens and closes what depends on it", () => {
  const asked = {
    stages: [["text", "match"]],
    questions: [
      question("text", { type: "answer", unanswerable: ["cannot be determined"] }),
      question("match", { when: { text: "answerable" }, required: { text: "answerable" } }),
    ],
  };
  const sheet = new Sheet(asked, item({ parts: [] }));
  sheet.change(sheet.slots[0], answered("1862"));
  assert.deepEqual(names(sheet.missing()), ["match"]);
  sheet.change(sheet.slots[0], answered("Cannot be determined."));
  assert.deepEqual(names(sheet.missing()), []);
});

test("a percentage still on its way is the number it will be in the store", () => {
  const asked = { stages: [["sure"]], questions: [question("sure", { type: "percent" })] };
  const held = { subject: "i1", part: 0, question: "sure", status: "answered", value: "0.5%" };
  const sheet = new Sheet(asked, item({ parts: [], answers: [held] }));
  assert.equal(sheet.at(sheet.slots[0]).value, 0.5);
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
  assert.equal(overlay(page, [{ ...later, lamport: 4 }]).answers[0].value, "no"); // arrives later
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

// The same cases as in tests/rating/test_front.py, which asks raterbook.protocols for its verdict.
const cases = JSON.parse(readFileSync(new URL("conditions.json", import.meta.url)));

for (const { condition, answers, holds: expected } of cases) {
  test(`${JSON.stringify(condition)} with ${JSON.stringify(answers)} is ${expected}`, () => {
    assert.equal(holds(condition, answers), expected);
  });
}

test("a question that is not asked is not required, whatever it says", () => {
  const severity = question("severity", { when: { accuracy: ["no"] }, required: true });
  assert.equal(isAsked(severity, {}), false);
  assert.equal(isRequired(severity, { accuracy: "yes" }), false);
  assert.equal(isRequired(severity, { accuracy: "no" }), true);
});

test("the questions of a condition are found at any depth", () => {
  assert.deepEqual(namesIn({ and: [{ a: ["1"] }, { or: [{ b: "answered" }] }] }), ["a", "b"]);
});

test("parts that come with a later step are waited for once what is asked before them is answered", () => {
  const asked = {
    stages: [["whole"], ["correct"]],
    questions: [question("whole"), question("correct", { per: "part" })],
    parts: { from: "text" },
  };
  const sheet = new Sheet(asked, item({ parts: [], withheld: true }));
  assert.equal(sheet.waits(), false);
  sheet.change(sheet.slots[0], answered("yes"));
  assert.equal(sheet.waits(), true);
  const sent = [{ subject: "i1", part: 0, question: "whole", ...answered("yes") }];
  // What the kernel has just sent is not asked for again.
  assert.equal(new Sheet(asked, item({ parts: [], withheld: true, answers: sent })).waits(), false);
  assert.deepEqual(names(new Sheet(asked, item({ answers: sent })).missing()), ["correct1", "correct2"]);
});
