// One item's sheet: every question asked of it and of its parts, and how each stands.

const SETTLED = ["answered", "not_applicable"];

export function slotKey(subject, part, question) {
  return `${subject}|${part}|${question}`;
}

// The places to answer, in the order of work: stage by stage, and within a stage the questions
// about parts go part by part.
export function slotsOf(protocol, item) {
  const byId = new Map(protocol.questions.map((question) => [question.id, question]));
  const slots = [];
  const add = (question, part, stage) => {
    const subject = question.of === "case" ? item.case : item.ref;
    slots.push({ key: slotKey(subject, part, question.id), subject, part, question, stage });
  };
  protocol.stages.forEach((names, stage) => {
    let run = [];
    const finish = () => {
      for (const part of item.parts) for (const question of run) add(question, part.number, stage);
      run = [];
    };
    for (const name of names) {
      const question = byId.get(name);
      if (question.per === "part") run.push(question);
      else {
        finish();
        add(question, 0, stage);
      }
    }
    finish();
  });
  return slots;
}

export class Sheet {
  constructor(protocol, item) {
    this.item = item;
    this.slots = slotsOf(protocol, item);
    // Parts that are not cut from a text are written by somebody, and may not be there yet.
    this.unwritten = !this.slots.length && Boolean(protocol.parts) && !protocol.parts.from;
    this.byKey = new Map(this.slots.map((slot) => [slot.key, slot]));
    this.answers = new Map();
    this.follows = null;
    this.changed = false; // since the kernel sent it
    for (const answer of item.answers) {
      const key = slotKey(answer.subject, answer.part, answer.question);
      if (answer.status === "retracted") continue;
      const question = this.byKey.get(key)?.question;
      const value = question ? withoutSign(question, answer.value) : answer.value;
      this.answers.set(key, { ...answer, value });
    }
  }

  at(slot) {
    return this.answers.get(slot.key) || null;
  }

  // What conditions on this slot look at: answers about the same part and about the whole.
  values(slot) {
    const { said, values } = this.known();
    if (!values.has(slot.part)) values.set(slot.part, { ...said.get(0), ...said.get(slot.part) });
    return values.get(slot.part);
  }

  // What follows from the answers, worked out once until one of them changes: with a hundred
  // sentences every slot asks for it at every key.
  known() {
    if (this.follows) return this.follows;
    const said = new Map();
    for (const slot of this.slots) {
      const answer = this.answers.get(slot.key);
      if (!answer || answer.status !== "answered") continue;
      const value = meant(slot.question, answer.value);
      said.set(slot.part, { ...said.get(slot.part), [slot.question.id]: value });
    }
    this.follows = { said, values: new Map(), untouched: null, stage: null };
    return this.follows;
  }

  asked(slot) {
    return isAsked(slot.question, this.values(slot));
  }

  required(slot) {
    return isRequired(slot.question, this.values(slot));
  }

  settled(slot) {
    return SETTLED.includes(this.at(slot)?.status);
  }

  lacks(slot) {
    return isMissing(slot.question, this.values(slot), this.at(slot)?.status);
  }

  // Left open by a rater who cannot judge: missing for whoever counts, but not for this rater.
  skipped(slot) {
    return this.at(slot)?.status === "skipped";
  }

  leftOpen() {
    return this.slots.filter((slot) => this.skipped(slot) && this.lacks(slot));
  }

  untouched() {
    const known = this.known();
    known.untouched ??= this.slots.filter((slot) => !this.skipped(slot) && this.lacks(slot));
    return known.untouched;
  }

  // What holds the item back. What is asked of its case may be somebody else's to answer.
  missing() {
    return this.untouched().filter((slot) => slot.question.of !== "case");
  }

  // The parts come with the first step that shows them, and that is the next one.
  waits() {
    return Boolean(this.item.withheld) && this.changed && !this.untouched().length;
  }

  // A stage opens when everything required in those before it was answered or left open.
  stage() {
    const known = this.known();
    known.stage ??= this.untouched().reduce((least, slot) => Math.min(least, slot.stage), Infinity);
    return known.stage;
  }

  open(slot) {
    return slot.stage <= this.stage() && this.asked(slot);
  }

  // Takes an answer and returns all that changed, [slot, before, after], with the retractions of
  // what is no longer asked because of it.
  change(slot, after) {
    const changes = [this.set(slot, after)];
    for (let more = true; more; ) {
      more = false;
      for (const other of this.dependents(changes.map(([one]) => one.question.id))) {
        if (this.at(other) && !this.asked(other)) {
          changes.push(this.set(other, { value: null, status: "retracted" }));
          more = true;
        }
      }
    }
    return changes;
  }

  dependents(names) {
    return this.slots.filter((slot) =>
      namesIn(slot.question.when).some((name) => names.includes(name)),
    );
  }

  set(slot, after) {
    const before = this.at(slot);
    if (after === null || after.status === "retracted") this.answers.delete(slot.key);
    else this.answers.set(slot.key, after);
    this.follows = null;
    this.changed = true;
    return [slot, before, after];
  }

  // The next open slot in a direction; null at the end.
  step(slot, direction) {
    const open = this.slots.filter((one) => this.open(one));
    if (slot === null) return (direction > 0 ? open[0] : open.at(-1)) ?? null;
    const here = this.slots.indexOf(slot);
    const ahead = open.filter((one) => (this.slots.indexOf(one) - here) * direction > 0);
    return (direction > 0 ? ahead[0] : ahead.at(-1)) ?? null;
  }

  // Where work begins: at the top of an untouched item, else at what is missing.
  start() {
    return this.answers.size ? this.next() : (this.slots.find((slot) => this.open(slot)) ?? null);
  }

  // Where work goes on after `slot`: what is missing further down, else further up, else nowhere.
  // Optional questions are stops when they are answered by one key; optional texts are not. What
  // was left open stays so until the rater opens it.
  next(slot = null) {
    const here = slot === null ? -1 : this.slots.indexOf(slot);
    const stops = this.slots.filter((one) => {
      if (this.settled(one) || this.skipped(one) || !this.open(one)) return false;
      return this.required(one) || byOneKey(one);
    });
    const below = stops.find((one) => this.slots.indexOf(one) > here);
    return below ?? stops[0] ?? null;
  }
}

function byOneKey(slot) {
  return ["scale", "choice"].includes(slot.question.control);
}

export const UNANSWERABLE = "<Unanswerable>";

// Equal as answers: 2 and "2" are one value. What is not there equals nothing.
export function same(value, answer) {
  return answer !== null && String(value) === String(answer);
}

// An answer as the store will keep it: the protocol's spellings of “unanswerable” are one value, and
// the word in its brackets is nobody's answer, whatever reason follows it.
export function meant(question, value) {
  if (question.control !== "answer" || typeof value !== "string") return value;
  const told = /^\s*<\s*unanswerable\s*>/i.test(value.normalize("NFKC"));
  return told || question.unanswerable.map(bare).includes(bare(value)) ? UNANSWERABLE : value;
}

function bare(text) {
  const folded = text.normalize("NFKC").toUpperCase().toLowerCase().trim();
  let end = folded.length; // by hand: a pattern for the end begins anew at each full stop
  while (end && " .。!?".includes(folded[end - 1])) end -= 1;
  return folded.slice(0, end);
}

// Conditions on answers, as raterbook.protocols.holds reads them. `answers` maps question ids to
// values; what is not there is not answered.
export function holds(condition, answers) {
  if (condition === undefined || condition === null) return true;
  if (typeof condition === "boolean") return condition;
  return Object.entries(condition).every(([name, wanted]) => {
    if (name === "and") return wanted.every((one) => holds(one, answers));
    if (name === "or") return wanted.some((one) => holds(one, answers));
    const value = answers[name];
    const there = value !== undefined && value !== null && value !== "";
    if (wanted === "answered") return there;
    if (wanted === "answerable") return there && value !== UNANSWERABLE;
    return there && [].concat(wanted).some((one) => same(one, value));
  });
}

export function isAsked(question, answers) {
  return holds(question.when, answers);
}

export function isRequired(question, answers) {
  if (!isAsked(question, answers)) return false;
  if (question.required === undefined || question.required === null) return false;
  return holds(question.required, answers);
}

// Whether an answer is wanted that is not there; `status` is that of what was said, if anything.
export function isMissing(question, answers, status) {
  return !SETTLED.includes(status) && isRequired(question, answers);
}

// The questions a condition looks at: changing one of them may open or close others.
export function namesIn(condition) {
  if (!condition || typeof condition === "boolean") return [];
  return Object.entries(condition).flatMap(([name, wanted]) =>
    name === "and" || name === "or" ? wanted.flatMap(namesIn) : [name],
  );
}

// Percentages between 0 and 1 are written with their sign: .5 alone could be a half or half a per
// cent, and the store, like the files, refuses it.
export function withSign(question, value) {
  const small = typeof value === "number" && value > 0 && value < 1;
  return question.unit === "%" && small ? `${value}%` : value;
}

// What was sent so and stands in the outbox, as the number it is.
function withoutSign(question, value) {
  const written = question.unit === "%" && typeof value === "string";
  return written ? Number(value.replace("%", "")) : value;
}
