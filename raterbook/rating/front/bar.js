// The bar on top: how far, how long still, and whether everything entered is stored.

import { button, el, fill } from "./elements.js";
import { timeLeft } from "./time.js";

const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;

// The sentence for each state of the courier; “Saved” is said only after an acknowledgement.
export function saveSentence({ name, waiting, rejected, trouble, volatile }) {
  if (name === "ready") return "Ready";
  if (name === "saved") return "Saved";
  if (name === "saving") return "Saving…";
  if (name === "rejected") return `${plural(rejected, "answer was", "answers were")} rejected`;
  const where = volatile
    ? "This browser refuses to keep them: download them now."
    : "What you entered is kept in this browser and sent again by itself.";
  const count = `${plural(waiting, "answer is", "answers are")} not stored yet.`;
  if (trouble) return `${trouble} ${count} ${where}`;
  return (
    `The kernel is not answering. ${count} ${where} ` +
    "If the kernel was restarted, run the cells above."
  );
}

export class Bar {
  // `act` has flag(), pause(), keys(), downloadUnsaved() and dismiss(event_id).
  constructor(title, act) {
    this.act = act;
    this.progress = el("progress", { max: "1", value: 0, "aria-label": "Submitted items" });
    this.where = el("span", { class: "rb-where" });
    this.left = el("span", { class: "rb-quiet" });
    this.saved = el("span", { class: "rb-saved", role: "status", "data-state": "ready" }, "Ready");
    this.notice = el("span", { class: "rb-notice", role: "status" });
    this.flagged = button("Flag", act.flag, { press: "F" });
    this.trouble = el("div", { class: "rb-trouble" });
    this.node = el(
      "header",
      { class: "rb-bar" },
      el(
        "div",
        { class: "rb-bar-row" },
        el("strong", { class: "rb-title", title }, title),
        el("strong", { class: "rb-title rb-away" }, "Click the form to rate by keys"),
        this.progress,
        this.where,
        this.left,
        el("span", { class: "rb-gap" }),
        this.flagged,
        button("Pause", act.pause, { press: "B" }),
        button("Help", act.keys, { press: "?" }),
        this.saved,
      ),
      this.trouble,
      this.notice,
    );
    this.said = "";
  }

  at({ position, total, submitted }, durations) {
    this.progress.max = total || 1;
    this.progress.value = submitted;
    this.where.textContent = `Item ${position} of ${total} · ${submitted} submitted`;
    this.left.textContent = timeLeft(durations, total - submitted) ?? "";
  }

  save(state, rejected) {
    const sentence = saveSentence(state);
    const said = sentence + rejected.map((entry) => entry.event.event_id).join();
    if (said === this.said) return;
    this.said = said;
    this.saved.dataset.state = state.name;
    this.saved.textContent = state.name === "silent" ? "Not saved" : sentence;
    const offer = () =>
      button("Download my unsaved answers", this.act.downloadUnsaved, { class: "rb-button" });
    fill(
      this.trouble,
      state.name === "silent" ? el("p", { role: "alert" }, sentence, " ", offer()) : null,
      rejected.map((entry) => this.rejection(entry)),
      rejected.length ? el("p", {}, offer()) : null,
    );
  }

  rejection({ event, reason }) {
    const what = event.mark ?? event.question;
    const value = event.value === null || event.value === undefined ? "" : ` “${event.value}”`;
    return el(
      "p",
      { role: "alert" },
      `Not stored: ${what}${value.slice(0, 200)}. ${reason} `,
      button("Dismiss", () => this.act.dismiss(event.event_id)),
    );
  }

  flag(flagged) {
    this.flagged.setAttribute("aria-pressed", String(flagged));
    this.flagged.firstChild.textContent = flagged ? "Flagged" : "Flag";
  }

  say(text) {
    this.notice.textContent = text;
  }
}
