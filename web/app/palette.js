// Find anything: pages, clusters, groups, nodes, and every verb of the command line. A verb that the page can do leads
// there; others show how they are written.
import { useState } from "preact/hooks";
import { may } from "../data/api.js";
import { clusters, fleet, groups, nodesTick } from "../data/store.js";
import { verbs } from "../data/verbs.js";
import { Copy, Dialog } from "../parts/parts.js";
import { html } from "./html.js";
import { isPaletteOpen, keys } from "./keys.js";
import { go, href } from "./router.js";

const FOUND_MAX = 30;

/** Pages by their names; those with a role are for who has it. */
const PLACES = [["Clusters", []], ["Fleet", ["fleet"]], ["Discover", ["discover"]], ["Jobs", ["jobs"]], ["Events", ["events"]], ["Apply", ["apply"], "operator"],
  ["Templates", ["templates"]], ["Revisions", ["revisions"]], ["Managers", ["managers"]], ["Settings", ["settings"]]];
const OTHERS = [["Plans", ["plans"]], ["Budgets", ["budgets"]], ["Design kit", ["kit"]]];

// Where the page does what a verb does: a page, or a key of the page that is shown.
const DONE_AT = {
  status: [], apply: ["apply"], plan: ["apply"], validate: ["apply"], create: ["apply"], events: ["events"], job: ["jobs"], template: ["templates"],
  commission: ["discover"], adopt: ["discover"], discover: ["discover"], plugin: ["managers"], doctor: ["managers"], help: "?", scale: "s", pause: "P", resume: "P", edit: "e", undo: "U",
};

export function placesOf() {
  return PLACES.filter(([, , role]) => !role || may(role));
}

/** What choosing a verb does; null: the page does not do it here, and shows how it is written. */
function verbDo(name) {
  const at = Object.hasOwn(DONE_AT, name) ? DONE_AT[name] : null;
  if (Array.isArray(at)) return () => go(href(at));
  const found = at && keys.value.filter(([key]) => key === at).pop();
  return found ? () => found[2]() : null;
}

/** Pages, clusters, groups and verbs whose names have the word in them, then nodes by the beginning of theirs. */
function found(word) {
  const small = word.toLowerCase();
  const all = [
    ...[...placesOf(), ...OTHERS].map(([name, parts]) => ({ sort: "page", name, run: () => go(href(parts)) })),
    ...clusters.value.map(({ metadata }) => ({ sort: "cluster", name: metadata.name, run: () => go(href(["clusters", metadata.name])) })),
    ...groups.value.map(({ metadata }) => ({ sort: "group", name: `${metadata.cluster}/${metadata.name}`, run: () => go(href(["groups", metadata.cluster, ...metadata.name.split("/")])) })),
    ...(small ? verbs.map(([name, says, synopsis]) => ({ sort: "verb", name, says, synopsis, run: verbDo(name) })) : []),
  ].filter(({ name }) => name.toLowerCase().includes(small)).slice(0, FOUND_MAX);
  for (let row = 0; small.length > 1 && row < fleet.rows && all.length < FOUND_MAX; row++) {
    if (!fleet.isThere(row)) continue;
    const cluster = fleet.text("cluster", row), node = fleet.names[row], name = `${cluster}/${node}`;
    if (node.toLowerCase().startsWith(small) || name.toLowerCase().startsWith(small)) all.push({ sort: "node", name, run: () => go(href(["nodes", cluster, node])) });
  }
  return all;
}

export function Palette() {
  const [word, wordSet] = useState("");
  const [at, atSet] = useState(0);
  const [written, writtenSet] = useState(null);
  nodesTick.value; // one that comes meanwhile is found
  const items = found(word);
  const close = () => { isPaletteOpen.value = false; };
  function open(item) {
    if (!item) return;
    if (!item.run) {
      writtenSet(item);
      return;
    }
    close();
    setTimeout(item.run); // the dialog is gone by then
  }
  function key(event) {
    if (event.key === "ArrowDown") atSet(Math.min(at + 1, items.length - 1));
    else if (event.key === "ArrowUp") atSet(Math.max(at - 1, 0));
    else if (event.key === "Enter") open(items[at]);
    else return;
    event.preventDefault();
  }
  return html`<${Dialog} title="Find" onClose=${close}>
    <input class="palette-word" autofocus placeholder="page, cluster, group, node or verb" value=${word} aria-label="what to find" spellcheck=${false}
      role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant=${items.length ? `palette-${at}` : undefined}
      onInput=${(event) => { wordSet(event.currentTarget.value); atSet(0); writtenSet(null); }} onKeyDown=${key}/>
    <ul class="palette" id="palette-list" role="listbox" aria-label="found">${items.map((item, number) => html`
      <li id=${`palette-${number}`} role="option" aria-selected=${number === at} onClick=${() => open(item)}>
        <span class="dim">${item.sort}</span><span>${item.name}${item.says && html` <span class="dim">${item.says}</span>`}</span></li>`)}</ul>
    ${items.length === 0 && html`<p class="dim">no name contains this</p>`}
    ${written && html`<div class="way" role="status"><div><span class="dim">command</span><code>reeve ${written.synopsis}</code><${Copy} text=${`reeve ${written.name}`} what="copy the command"/></div></div>`}
  </${Dialog}>`;
}
