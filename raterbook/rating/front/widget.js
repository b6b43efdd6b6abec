// What anywidget calls: the life of a form in a page.

import { el } from "./elements.js";
import { Form } from "./form.js";
import { pressed, watchTyping } from "./keys.js";
import { newId } from "./outbox.js";

const ASK_AGAIN = 3000; // ms until the first question to the kernel is put again

const WINDOW = {
  now: () => performance.now(),
  set: (action, delay) => setTimeout(action, delay),
  clear: (timer) => clearTimeout(timer),
};

function render({ model, el: place }) {
  const waiting = el("p", { class: "rb-waiting", role: "status" }, "Opening the form …");
  const root = el(
    "div",
    { class: "rb mathjax_ignore", tabindex: "0", role: "region", "aria-label": "Rating form" },
    waiting,
  );
  place.append(root);

  const tab = newId();
  const post = (content) => model.send(content);
  const form = new Form({ root, post, tab, storage: window.localStorage, timers: WINDOW });

  const heard = (message) => {
    if (message.kind === "acks" && form.courier) form.acknowledge(message);
    if (message.to !== tab) return;
    if (message.kind === "round") form.begin(message);
    if (message.kind === "item") form.load(message);
    if (message.kind === "items") form.listed(message);
    if (message.kind === "trouble") form.courier?.troubled(message.text);
    if (message.kind === "say") {
      if (form.bar) form.told(message.text);
      else waiting.textContent = message.text;
    }
  };
  const ask = () => {
    if (form.protocol) return;
    post({ kind: "open", tab });
    asking = setTimeout(() => {
      waiting.textContent =
        "The kernel is not answering. If it was restarted, run the cells above.";
      ask();
    }, ASK_AGAIN);
  };
  let asking = null;

  const sign = () => form.watch.sign();
  const leave = () => form.watch.leave();
  const back = () => (document.hidden ? leave() : form.courier?.flush({ again: true }));
  const keydown = (press) => {
    sign();
    if (pressed(form, press)) press.preventDefault();
    press.stopPropagation();
  };
  const unload = (event) => {
    if (!form.outbox?.waiting().length) return;
    form.courier.flush();
    event.preventDefault();
  };
  const keep = (event) => {
    // A click on nothing must not hand the keyboard to the notebook.
    if (!event.target.closest("button, input, textarea, [tabindex]:not(.rb)")) root.focus();
  };

  // As high as the notebook's own pane lets it be, which is less than the window.
  // Lab draws the form first and puts it there afterwards.
  let pane = null;
  const fit = () => {
    if (!pane?.isConnected) {
      pane = root.closest(".jp-WindowedPanel-outer, .jp-NotebookPanel-notebook");
      if (pane) fitting.observe(pane);
    }
    if (pane) root.style.setProperty("--rb-pane", `${pane.clientHeight}px`);
  };
  const fitting = new ResizeObserver(fit);
  fitting.observe(root);

  const unwatch = watchTyping(root);
  root.addEventListener("keydown", keydown);
  root.addEventListener("pointerdown", sign);
  root.addEventListener("click", keep);
  root.addEventListener("scroll", sign, true);
  document.addEventListener("visibilitychange", back);
  window.addEventListener("blur", leave);
  window.addEventListener("online", back);
  window.addEventListener("beforeunload", unload);
  model.on("msg:custom", heard);
  ask();

  return () => {
    clearTimeout(asking);
    unwatch();
    fitting.disconnect();
    model.off("msg:custom", heard);
    document.removeEventListener("visibilitychange", back);
    window.removeEventListener("blur", leave);
    window.removeEventListener("online", back);
    window.removeEventListener("beforeunload", unload);
    form.soon.drop();
    form.source?.clear();
    form.courier?.rest();
  };
}

export default { render };
