// Building the page. Texts become text nodes and nothing else: an item's text is hostile.

// Lab's command-mode keys (x, dd, m, …) reach the notebook from whatever has the focus unless
// that very element says otherwise.
const QUIET = "data-lm-suppress-shortcuts";
const FOCUSABLE = new Set(["button", "input", "textarea", "select", "summary", "a"]);

// el("button", { class: "rb-x", on: { click } }, "text", otherElement, null)
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  if (tag === "button") node.type = "button";
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, action] of Object.entries(value)) node.addEventListener(event, action);
    } else if (name === "value" || name === "disabled") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  if (FOCUSABLE.has(tag) || "tabindex" in attributes) node.setAttribute(QUIET, "true");
  fill(node, ...children);
  return node;
}

// Puts these children in this order and touches only what is new or gone: what stays keeps its
// place, its focus and its layout.
export function arrange(node, wanted) {
  const stays = new Set(wanted);
  for (const child of [...node.childNodes]) if (!stays.has(child)) child.remove();
  wanted.forEach((child, index) => {
    const there = node.childNodes[index];
    if (there !== child) node.insertBefore(child, there ?? null);
  });
}

export function fill(node, ...children) {
  const wanted = children.flat(Infinity).filter((child) => child !== null && child !== undefined);
  node.replaceChildren(...wanted);
  return node;
}

// A text that came with the data: its own direction, its own line breaks, and never markup.
export function given(tag, text, attributes = {}) {
  const node = el(tag, { dir: "auto", ...attributes });
  node.classList.add("rb-given");
  node.textContent = text;
  return node;
}

export function key(name) {
  return el("kbd", { class: "rb-key", "aria-hidden": "true" }, name);
}

export function button(text, action, { press = null, ...attributes } = {}) {
  const shortcut = press && press.length === 1 ? press : null;
  return el(
    "button",
    {
      class: "rb-button",
      "aria-keyshortcuts": shortcut,
      ...attributes,
      on: { click: action },
    },
    text,
    press ? key(press) : null,
  );
}

// A file for the rater to keep, made here and sent nowhere.
export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
