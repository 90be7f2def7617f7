// Single keys as commands: not while something is typed or a dialog is open, and they can be switched off.
const STORED = "polyglitch-keys";

export const keysAreOn = () => localStorage.getItem(STORED) !== "off";

export const switchKeys = (on) => localStorage.setItem(STORED, on ? "on" : "off");

const isTyping = (target) =>
  target instanceof Element && target.closest("input:not([type=checkbox]), select, textarea") !== null;

export const listen = (actions, leaveField) => {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") leaveField();
      return;
    }
    const action = actions[event.key];
    if (!action || (!keysAreOn() && event.key !== "?")) return;
    event.preventDefault();
    action();
  });
};
