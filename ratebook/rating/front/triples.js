// Triples as a table with a filter. Lines that are no triples are shown too, never dropped.

import { el, given } from "./elements.js";

// “1. subject → predicate → object”, with → or -> or | between; other lines as they stand.
export function readTriples(text) {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const bare = line.replace(/^\d+\.\s*/, "");
      for (const arrow of ["→", "->", "|"]) {
        const pieces = bare.split(arrow).map((piece) => piece.trim());
        if (pieces.length === 3 && pieces.every(Boolean)) return { pieces };
      }
      return { line };
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
