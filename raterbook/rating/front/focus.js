// Who has the keyboard. The form takes it from the page itself, from within, and from the cell
// that was run to show it; never from what somebody types into, nor from another cell.

const TYPED = new WeakSet(); // forms beside which somebody has typed since they had the keyboard
const ALONE = new Set(["Shift", "Control", "Alt", "Meta", "CapsLock"]);

export function mayTakeFocus(root) {
  const inside = root.getRootNode().activeElement;
  if (inside && root.contains(inside)) return true;
  // In a frame: somebody may be typing in the page around it, whose focus is not seen from here.
  if (window.parent !== window && !document.hasFocus()) return false;
  const here = document.activeElement;
  if (!here || here === document.body || here === document.documentElement) return true;
  if (TYPED.has(root) || here.isContentEditable) return false;
  return here === root.closest(".jp-Cell, .cell") || here.matches("[data-command^='notebook:run']");
}

// Every focus the form gives to one of its own elements comes through here.
export function takeFocus(node, options) {
  const root = node.closest(".rb");
  if (root && mayTakeFocus(root)) node.focus(options);
}

// Notes what is typed elsewhere; returns how to stop.
export function watchTyping(root) {
  const typed = (press) => {
    const beside = press.target !== document.body && !root.contains(press.composedPath()[0]);
    if (beside && !ALONE.has(press.key)) TYPED.add(root);
  };
  const back = () => TYPED.delete(root);
  document.addEventListener("keydown", typed, true);
  root.addEventListener("focusin", back);
  return () => document.removeEventListener("keydown", typed, true);
}
