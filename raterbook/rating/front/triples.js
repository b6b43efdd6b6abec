// Triples as a table with a filter. Lines that are no triples are shown too, never dropped.

import { el, given } from "./elements.js";

// As raterbook.files.items reads them: one a line, numbered or not, in brackets or not.
const NUMBERING = /^\s*(?:\p{Nd}+\s*[.):]\s+|[-*•]\s+)/u;
const ARROWS = [/→|⟶|⇒|➝|➔/, /-{1,2}>|=>/, /\|/, /\t+/]; // the first that splits in three is meant
const SHUT = { "(": ")", "<": ">", "[": "]" };

// {pieces} of each line that is a triple, {line} of any other.
export function readTriples(text) {
  return text
    .split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/)
    .map((line) => ({ line: line.trim(), bare: line.replace(NUMBERING, "").trim() }))
    .filter(({ bare }) => bare)
    .map(({ line, bare }) => {
      const inside = bare.at(-1) === SHUT[bare[0]] ? bare.slice(1, -1) : bare;
      const pieces = ARROWS.map((arrow) => inside.split(arrow).map((piece) => piece.trim()));
      const three = pieces.find((found) => found.length === 3);
      return three?.every(Boolean) ? { pieces: three } : { line };
    });
}

export function triplesTable(label, text) {
  const rows = readTriples(text);
  const count = el("span", { class: "rb-quiet", "aria-live": "polite" }, `${rows.length} triples`);
  const body = el(
    "tbody",
    {},
    rows.map(({ pieces, line }) =>
      el(
        "tr",
        {},
        pieces
          ? pieces.map((piece) => given("td", piece))
          : given("td", line, { colspan: "3", class: "rb-no-triple", title: "not a triple" }),
      ),
    ),
  );
  const filter = el("input", {
    type: "search",
    class: "rb-search",
    placeholder: "Filter",
    "aria-label": `Filter ${label}`,
    on: {
      input: () => {
        const wanted = filter.value.toLocaleLowerCase();
        let shown = 0;
        for (const row of body.children) {
          row.hidden = !row.textContent.toLocaleLowerCase().includes(wanted);
          shown += row.hidden ? 0 : 1;
        }
        count.textContent = wanted ? `${shown} of ${rows.length}` : `${rows.length} triples`;
      },
    },
  });
  const head = ["Subject", "Predicate", "Object"].map((name) => el("th", { scope: "col" }, name));
  return el(
    "div",
    { class: "rb-triples" },
    el("div", { class: "rb-row" }, filter, count),
    el(
      "div",
      { class: "rb-scroll", tabindex: "0", role: "region", "aria-label": label },
      el("table", {}, el("thead", {}, el("tr", {}, head)), body),
    ),
  );
}
