import assert from "node:assert/strict";
import test from "node:test";
import { Outbox } from "../../../raterbook/rating/front/outbox.js";
import { Storage } from "./protocol.mjs";

const answer = (value) => ({ subject: "i1", part: 0, question: "label", value, status: "answered" });

test("what was put is there again after a reload", () => {
  const storage = new Storage();
  new Outbox("scope", storage, { wall: () => 0 }).put(answer("yes"));
  const again = new Outbox("scope", storage, { wall: () => 0 });
  assert.deepEqual(again.waiting().map((event) => event.value), ["yes"]);
});

test("another rater, round or workspace has an outbox of its own", () => {
  const storage = new Storage();
  new Outbox("ana", storage).put(answer("yes"));
  assert.deepEqual(new Outbox("ben", storage).waiting(), []);
});

test("an acknowledged event is gone for good", () => {
  const storage = new Storage();
  const outbox = new Outbox("scope", storage, { wall: () => 0 });
  outbox.accept(outbox.put(answer("yes")).event_id);
  assert.deepEqual(outbox.waiting(), []);
  assert.deepEqual(new Outbox("scope", storage, { wall: () => 0 }).waiting(), []);
});

test("a rejected event is kept with its reason and is not sent again", () => {
  const storage = new Storage();
  const outbox = new Outbox("scope", storage, { wall: () => 0 });
  outbox.reject(outbox.put(answer("maybe")).event_id, "not an option");
  const again = new Outbox("scope", storage, { wall: () => 0 });
  assert.deepEqual(again.waiting(), []);
  assert.equal(again.rejected()[0].reason, "not an option");
  assert.equal(again.unsaved()[0].rejected, "not an option");
});

test("every keystroke is in the storage, and only the latest is kept until it is sent", () => {
  const storage = new Storage();
  const outbox = new Outbox("scope", storage, { wall: () => 0 });
  const ids = ["a", "ab", "abc"].map((text) => outbox.put(answer(text), { draft: "s" }).event_id);
  assert.equal(new Set(ids).size, 3);
  assert.deepEqual(new Outbox("scope", storage, { wall: () => 0 }).waiting().map((one) => one.value), ["abc"]);
});

test("a keystroke after sending is an event of its own", () => {
  const outbox = new Outbox("scope", new Storage());
  outbox.sent([outbox.put(answer("a"), { draft: "s" })]);
  outbox.put(answer("ab"), { draft: "s" });
  assert.deepEqual(outbox.waiting().map((one) => one.value), ["a", "ab"]);
});

test("the rater's sequence only grows: over reloads, tabs, and what the store has seen", () => {
  const storage = new Storage();
  const first = new Outbox("scope", storage, { wall: () => 0 });
  const second = new Outbox("scope", storage, { wall: () => 0 });
  first.tick(41);
  const lamports = [first, second, first, second].map((one) => one.put(answer("x")).lamport);
  assert.deepEqual(lamports, [42, 43, 44, 45]);
  assert.equal(new Outbox("scope", storage, { wall: () => 0 }).put(answer("x")).lamport, 46);
});

test("a browser that keeps nothing still sends, and says so", () => {
  const outbox = new Outbox("scope", new Storage(2));
  outbox.put(answer("yes"));
  assert.equal(outbox.waiting().length, 1);
  assert.equal(outbox.volatile, true);
});
