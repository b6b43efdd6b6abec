// From what a rater did to the events that are stored.

import { asPercent } from "./percent.js";
import { slotKey } from "./sheet.js";

// A change of a slot as an event; `seconds` is the time on task since the event before it.
export function answerEvent(slot, after, seconds, date) {
  const gone = after === null || after.status === "retracted";
  const told = slot.question.type === "percent" ? asPercent : (value) => value;
  return {
    subject: slot.subject,
    part: slot.part,
    question: slot.question.id,
    value: gone || after.status !== "answered" ? null : told(after.value),
    status: gone ? "retracted" : after.status,
    reason: (after && after.reason) || null,
    client_time: date.toISOString(),
    seconds,
  };
}

export function markEvent(mark, subject, reason, date) {
  return { mark, subject, reason: reason || null, client_time: date.toISOString() };
}

// What the outbox still holds stands over what the store last said, newest last.
export function overlay(item, events) {
  const subjects = new Set([item.ref, item.case]);
  const answers = new Map(
    item.answers.map((answer) => [slotKey(answer.subject, answer.part, answer.question), answer]),
  );
  let flag = {};
  for (const event of events) {
    if (!subjects.has(event.subject)) continue;
    if (event.mark === "flag" || event.mark === "unflag") {
      flag = { flagged: event.mark === "flag", flag_reason: event.reason };
    }
    if (event.mark) continue;
    const key = slotKey(event.subject, event.part, event.question);
    const held = answers.get(key);
    if (!held || (held.lamport ?? 0) < event.lamport) answers.set(key, event);
  }
  return { ...item, ...flag, answers: [...answers.values()] };
}
