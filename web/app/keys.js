// Keys. Pages say which they have while they are shown; `?` lists them.
import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

export const keys = signal([]); // [key, what it does, function] of what is shown, newest last
export const isHelpOpen = signal(false);
export const isPaletteOpen = signal(false);

/** Keys of a page or a part of it: useKeys([["s", "scale", fn]], [what they depend on]). Those that every page has are below
 * a page's own. */
export function useKeys(list, inputs = [], { isBelow = false } = {}) {
  useLayoutEffect(() => { // a key counts from the moment that its page is seen
    keys.value = isBelow ? [...list, ...keys.value] : [...keys.value, ...list];
    return () => { keys.value = keys.value.filter((one) => !list.includes(one)); };
  }, [...inputs, list.length]); // who may do more than was known at first has more keys
}

function isTyping(target) {
  return target.closest?.("input, textarea, select, [contenteditable]") !== null;
}

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    isPaletteOpen.value = !isPaletteOpen.value;
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) return;
  const found = keys.value.findLast?.(([key]) => key === event.key) ?? keys.value.filter(([key]) => key === event.key).pop();
  if (found) {
    event.preventDefault();
    found[2](event);
  }
});
