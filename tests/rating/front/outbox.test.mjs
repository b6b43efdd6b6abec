import assert from "node:assert/strict";
import test from "node:test";
import { Courier, Outbox } from "../../../raterbook/rating/front/outbox.js";
import { Clock, Storage } from "./protocol.mjs";

const answer = (value) => ({ subject: "i1", part: 0, question: "label", value, status: "answered" });

test("what was put is there again after a reload", () => {
  const storage = new Storage();
  new Outbox("scope", storage, { wall: () => 0 }).put(answer("yes"));
  const again = new Outbox("scope", storage, { wall: () => 0 });
  assert.deepEqual(again.waiting().map((event) => event.value), ["yes"]);
});

test("what a form of an earlier release left unsent is found under the name it had then", () => {
  const storage = new Storage();
  const event = { ...answer("yes"), event_id: "e1", lamport: 7 };
  storage.setItem("ratebook:scope:out:e1", JSON.stringify({ event, reason: null }));
  storage.setItem("ratebook:scope:lamport", "7");
  const outbox = new Outbox("scope", storage, { wall: () => 0 });
  assert.deepEqual(outbox.waiting(), [event]);
  assert.equal(outbox.put(answer("no")).lamport, 8);
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

function desk(storage = new Storage()) {
  const clock = new Clock();
  const posted = [];
  const outbox = new Outbox("scope", storage);
  const post = (message) => posted.push(message.events.map((event) => event.event_id));
  const courier = new Courier({ outbox, post, timers: clock });
  const put = (value, options) =>
    outbox.put({ subject: "i", part: 0, question: "q", value, status: "answered" }, options);
  return { clock, posted, outbox, courier, put };
}

const accept = (...ids) => ids.map((event_id) => ({ event_id, ok: true, reason: null }));

test("saved is said only after the acknowledgement", () => {
  const { courier, put } = desk();
  const event = put("a");
  courier.flush();
  assert.equal(courier.state().name, "saving");
  courier.received(accept(event.event_id));
  assert.equal(courier.state().name, "saved");
});

test("after three seconds without an answer the kernel counts as silent", () => {
  const { clock, courier, put } = desk();
  put("a");
  courier.flush();
  clock.pass(2900);
  assert.equal(courier.state().name, "saving");
  clock.pass(200);
  assert.equal(courier.state().name, "silent");
});

test("a retry carries the same id until it is acknowledged, and none after that", () => {
  const { clock, posted, courier, put } = desk();
  const event = put("a");
  courier.flush();
  clock.pass(15000);
  assert.ok(posted.length >= 3);
  assert.ok(posted.every((ids) => ids.length === 1 && ids[0] === event.event_id));
  courier.received(accept(event.event_id));
  const sent = posted.length;
  clock.pass(120000);
  assert.equal(posted.length, sent);
});

test("sixty answers in a burst are sixty events, each sent once", () => {
  const { posted, courier, put } = desk();
  for (let i = 0; i < 60; i += 1) {
    put(i);
    courier.flush();
  }
  assert.equal(posted.length, 60);
  assert.equal(new Set(posted.flat()).size, 60);
});

test("a post that throws loses nothing", () => {
  const { courier, outbox, put } = desk();
  courier.post = () => {
    throw new Error("disconnected");
  };
  put("a");
  courier.flush();
  assert.equal(outbox.waiting().length, 1);
});

test("what another tab left behind is sent by the next form", () => {
  const storage = new Storage();
  desk(storage).put("left behind");
  const next = desk(storage);
  next.courier.flush({ again: true });
  assert.equal(next.posted.length, 1);
});

test("a rejection is told, and what is sent later can still be saved", () => {
  const { courier, put } = desk();
  const bad = put("6");
  courier.flush();
  courier.received([{ event_id: bad.event_id, ok: false, reason: "outside 1–5" }]);
  assert.deepEqual(courier.state().name, "rejected");
  const good = put("5");
  courier.flush();
  courier.received(accept(good.event_id));
  assert.equal(courier.state().rejected, 1);
  assert.equal(courier.empty(), false);
});

test("an answer that is here before the one it rests on comes again, and is no rejection", () => {
  const { courier, put, outbox } = desk();
  const early = put("why");
  courier.flush();
  courier.received([{ event_id: early.event_id, ok: false, reason: "rests on “label”", again: true }]);
  assert.equal(courier.state().name, "saving");
  assert.equal(outbox.waiting().length, 1);
});

test("acknowledgements of another tab's events are handed back as strangers", () => {
  const { courier } = desk();
  assert.equal(courier.received(accept("somebody else's")).length, 1);
});

test("texts wait for a pause, and no longer than a flush", () => {
  const { clock, posted, courier, put } = desk();
  put("a", { draft: "s" });
  courier.flushSoon();
  clock.pass(300);
  put("ab", { draft: "s" });
  courier.flushSoon();
  assert.equal(posted.length, 0);
  clock.pass(500);
  assert.equal(posted.length, 1);
});

test("large texts go in messages a server takes", () => {
  const { posted, courier, put } = desk();
  for (let i = 0; i < 12; i += 1) put("x".repeat(200000));
  courier.flush();
  assert.equal(posted.length, 3);
});
