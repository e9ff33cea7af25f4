// What is around every page: where one is, whether what is shown is true, who one is.
import { useEffect, useState } from "preact/hooks";
import { conn, fleet, heard, isLoaded, revision, clusters, groups, storeLoggedOut } from "../data/store.js";
import { session, sessionEnd } from "../data/api.js";
import { agoText, Dialog } from "../parts/parts.js";
import { html } from "./html.js";
import { isHelpOpen, isPaletteOpen, keys, useKeys } from "./keys.js";
import { go, href, view } from "./router.js";

const PLACES = [["Clusters", []], ["Fleet", ["fleet"]], ["Events", ["events"]], ["Jobs", ["jobs"]]];
const AWAY_MS = 1500; // a short break is not worth a change of everything on the screen
const FOUND_MAX = 30;

/** Is what is shown old? */
export function useStale() {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 500);
    return () => clearInterval(timer);
  }, []);
  return conn.value.state === "away" && Date.now() - conn.value.since > AWAY_MS;
}

function Connection({ isStale }) {
  const { state } = conn.value;
  const text = state === "live" ? "live" : state === "loading" ? "loading"
    : state === "out" ? "logged out" : `reconnecting, data ${agoText(Date.now() - heard.value).replace(" ago", "").replace("now", "a moment")} old`;
  return html`<span class=${`connection is-${isStale ? "stale" : state}`} role="status" title=${`revision ${revision.value}`}>
    <i aria-hidden="true"></i>${text}</span>`;
}

function placeOf(parts) {
  return parts[0] === "jobs" ? "Jobs" : parts[0] === "events" ? "Events" : parts[0] === "fleet" ? "Fleet"
    : parts.length === 0 || parts[0] === "clusters" ? "Clusters" : "";
}

function Help() {
  const shown = [["?", "show these keys"], ["Ctrl-K", "find anything"], ...keys.value.filter(([, what]) => what)];
  return html`<${Dialog} title="Keys" onClose=${() => { isHelpOpen.value = false; }}>
    <dl class="keys">${shown.map(([key, what]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl>
  </${Dialog}>`;
}

/** Pages, clusters and groups whose names have the word in them, then nodes by the beginning of theirs. */
function found(word) {
  const small = word.toLowerCase();
  const all = [
    ...PLACES.map(([name, parts]) => ["page", name, href(parts)]),
    ["page", "Design kit", href(["kit"])],
    ...clusters.value.map(({ metadata }) => ["cluster", metadata.name, href(["clusters", metadata.name])]),
    ...groups.value.map(({ metadata }) => ["group", `${metadata.cluster}/${metadata.name}`,
      href(["clusters", metadata.cluster], { group: metadata.name })]),
  ].filter(([, name]) => name.toLowerCase().includes(small)).slice(0, FOUND_MAX);
  for (let row = 0; small.length > 1 && row < fleet.rows && all.length < FOUND_MAX; row++) {
    if (fleet.isThere(row)) {
      const name = `${fleet.text("cluster", row)}/${fleet.names[row]}`;
      if (fleet.names[row].toLowerCase().startsWith(small) || name.toLowerCase().startsWith(small)) {
        all.push(["node", name, href(["nodes", fleet.text("cluster", row), fleet.names[row]])]);
      }
    }
  }
  return all;
}

function Palette() {
  const [word, wordSet] = useState("");
  const [at, atSet] = useState(0);
  const items = found(word);
  const close = () => { isPaletteOpen.value = false; };
  function open(item) {
    close();
    if (item) go(item[2]);
  }
  function key(event) {
    if (event.key === "ArrowDown") atSet(Math.min(at + 1, items.length - 1));
    else if (event.key === "ArrowUp") atSet(Math.max(at - 1, 0));
    else if (event.key === "Enter") open(items[at]);
    else return;
    event.preventDefault();
  }
  return html`<${Dialog} title="Find" onClose=${close}>
    <input class="palette-word" autofocus placeholder="page, cluster, group or node" value=${word} aria-label="what to find" spellcheck=${false}
      role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant=${items.length ? `palette-${at}` : undefined}
      onInput=${(event) => { wordSet(event.currentTarget.value); atSet(0); }} onKeyDown=${key}/>
    <ul class="palette" id="palette-list" role="listbox" aria-label="found">${items.map((item, number) => html`
      <li id=${`palette-${number}`} role="option" aria-selected=${number === at} onClick=${() => open(item)}>
        <span class="dim">${item[0]}</span>${item[1]}</li>`)}</ul>
    ${items.length === 0 && html`<p class="dim">nothing has this in its name</p>`}
  </${Dialog}>`;
}

export function Shell({ children }) {
  const isStale = useStale();
  const place = placeOf(view.value.parts);
  useKeys([["?", "", () => { isHelpOpen.value = true; }],
    ["g", "go to the fleet", () => go(href(["fleet"]))], ["c", "go to the clusters", () => go(href([]))]]);
  return html`<div class=${`shell${isStale ? " is-stale" : ""}`}>
    <a class="skip" href="#main">to the content</a>
    <header class="top">
      <a class="brand" href=${href([])} aria-label="reeve, clusters"><i aria-hidden="true"></i>reeve</a>
      <nav aria-label="pages">${PLACES.map(([name, parts]) => html`<a href=${href(parts)} aria-current=${name === place ? "page" : undefined}>${name}</a>`)}</nav>
      <span class="top-space"></span>
      <button type="button" class="find" onClick=${() => { isPaletteOpen.value = true; }}>Find <kbd>Ctrl K</kbd></button>
      <${Connection} isStale=${isStale}/>
      <span class="who"><span title=${`role ${session.value.role}, tenant ${session.value.tenant}`}>${session.value.user}</span>
        <button type="button" class="link" onClick=${() => sessionEnd().then(storeLoggedOut)}>log out</button></span>
    </header>
    <main id="main" tabindex="-1">${isLoaded.value ? children : html`<p class="dim pad">loading ...</p>`}</main>
    ${isHelpOpen.value && html`<${Help}/>`}
    ${isPaletteOpen.value && html`<${Palette}/>`}
  </div>`;
}
