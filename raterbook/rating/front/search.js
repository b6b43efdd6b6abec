// Searching a source: what is found is lit, Enter goes on, Shift+Enter goes back.

import { el } from "./elements.js";
import { findAll } from "./passage.js";

export function searchBox(passage, label) {
  let found = [];
  let here = -1;
  const count = el("span", { class: "rb-quiet", "aria-live": "polite" });

  const show = () => {
    passage.light("rb-found", found);
    passage.light("rb-here", here < 0 ? [] : [found[here]]);
    if (here >= 0) passage.scrollTo(found[here]);
    count.textContent = !box.value.trim()
      ? ""
      : found.length
        ? `${here + 1} of ${found.length}`
        : "not found";
  };

  const box = el("input", {
    type: "search",
    class: "rb-search",
    placeholder: "Search",
    "aria-label": `Search ${label}`,
    on: {
      input: () => {
        found = findAll(passage.text, box.value);
        here = found.length ? 0 : -1;
        show();
      },
      keydown: (event) => {
        if (event.key !== "Enter" || !found.length) return;
        event.preventDefault();
        here = (here + (event.shiftKey ? -1 : 1) + found.length) % found.length;
        show();
      },
    },
  });
  // The place the rater has come to, for those who mark it without a mouse.
  const place = () => (here < 0 ? null : found[here]);
  return { box, place, node: el("span", { class: "rb-row" }, box, count) };
}
