import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { readNumber } from "../../../raterbook/rating/front/entries.js";
import { answerEvent } from "../../../raterbook/rating/front/outbox.js";
import { isMissing, meant, UNANSWERABLE } from "../../../raterbook/rating/front/sheet.js";
import { readTriples } from "../../../raterbook/rating/front/source.js";
import { timeLeft } from "../../../raterbook/rating/front/time.js";
import { question } from "./protocol.mjs";

// The same tables are read by tests/rating/test_front.py: both sides must say what they say.
const table = (name) => JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url)));

const SCALES = table("scales");
Object.assign(SCALES.percent, { min: 0, max: 100, unit: "%" }); // as the protocol fills it in

test("a number that is typed is taken or refused as the store takes or refuses it", () => {
  for (const { scale, typed, value } of table("numbers")) {
    const found = readNumber(SCALES[scale], typed);
    assert.equal(found.problem ? null : found.value, value, `${scale}: ${typed}`);
  }
});

test("a number is sent as the store takes it", () => {
  for (const { scale, value, sent } of table("sent")) {
    const slot = { subject: "i1", part: 0, question: { ...question("q"), ...SCALES[scale] } };
    const event = answerEvent(slot, { status: "answered", value }, 1, new Date());
    assert.deepEqual(event.value, sent);
  }
});

test("what means unanswerable in the store means it in the form", () => {
  const { spellings, cases } = table("unanswerable");
  const asked = question("q", { type: "answer", unanswerable: spellings });
  for (const { typed, unanswerable } of cases) {
    assert.equal(meant(asked, typed) === UNANSWERABLE, unanswerable, typed);
  }
});

test("an answer is missing in the form where it is in the store", () => {
  for (const { question: asked, answers, status, missing } of table("missing")) {
    const found = isMissing({ ...question("q"), ...asked }, answers, status);
    assert.equal(found, missing, JSON.stringify({ asked, answers, status }));
  }
});

test("triples are read as they were when the round was opened, and what is none is kept", () => {
  for (const { text, triples, others } of table("triples")) {
    const rows = readTriples(text);
    assert.deepEqual(rows.filter((row) => row.pieces).map((row) => row.pieces), triples, text);
    assert.deepEqual(rows.filter((row) => !row.pieces).map((row) => row.line), others, text);
  }
});

// tests/panels/test_lead.py holds the lead's panel to the same.
test("the time left is told in words, after three items, by the middle of the latest", () => {
  for (const { durations, items, left } of table("left")) {
    assert.equal(timeLeft(durations, items), left, `${durations}: ${items}`);
  }
});
