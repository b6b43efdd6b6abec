// Conditions on answers, as raterbook.protocols.holds reads them.

export const UNANSWERABLE = "<Unanswerable>";

function same(wanted, value) {
  return wanted === value || String(wanted) === String(value);
}

// An answer as the store will keep it: the protocol's spellings of “unanswerable” are one value.
export function meant(question, value) {
  if (question.type !== "answer" || typeof value !== "string") return value;
  const spellings = [UNANSWERABLE, ...(question.unanswerable ?? [])].map(bare);
  return spellings.includes(bare(value)) ? UNANSWERABLE : value;
}

function bare(text) {
  const folded = text.normalize("NFKC").toUpperCase().toLowerCase().trim();
  return folded.replace(/^[ .。!?]+|[ .。!?]+$/g, "");
}

// `answers` maps question ids to values; what is not there is not answered.
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

// The questions a condition looks at: changing one of them may open or close others.
export function namesIn(condition) {
  if (!condition || typeof condition === "boolean") return [];
  return Object.entries(condition).flatMap(([name, wanted]) =>
    name === "and" || name === "or" ? wanted.flatMap(namesIn) : [name],
  );
}
