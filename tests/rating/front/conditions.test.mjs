// The same cases as in tests/rating/test_front.py, which asks raterbook.protocols for its verdict.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { holds, isAsked, isRequired, namesIn } from "../../../raterbook/rating/front/conditions.js";
import { question } from "./protocol.mjs";

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
