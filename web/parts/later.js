// Dialogs that the first page does not bring along: they come when one is wanted.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { html } from "../app/html.js";

const dialogs = signal(null); // of bulk.js, repair.js and change.js, by name

function dialogsGet() {
  if (!dialogs.value) Promise.all([import("./bulk.js"), import("./repair.js"), import("./change.js")]).then(([bulk, repair, change]) => { dialogs.value = { ...change, ...bulk, ...repair }; }, () => {});
}

/** The dialog with this name, with properties of its own. */
export function LaterDialog({ name, ...rest }) {
  const Found = dialogs.value?.[name];
  useEffect(dialogsGet, []);
  return Found ? html`<${Found} ...${rest}/>` : null;
}
