// What is around every page: where one is, whether what is shown is true, who one is.
import { useEffect, useState } from "preact/hooks";
import { conn, heard, isLoaded, revision, storeLoggedOut } from "../data/store.js";
import { session, sessionEnd } from "../data/api.js";
import { tenant } from "../data/tenant.js";
import { agoText, Dialog } from "../parts/parts.js";
import { html } from "./html.js";
import { isHelpOpen, isPaletteOpen, keys, useKeys } from "./keys.js";
import { Palette, placesOf } from "./palette.js";
import { go, href, view } from "./router.js";

const AWAY_MS = 1500; // a short break is not worth a change of everything on the screen

/** Is what is shown old? */
export function useStale() {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 500);
    return () => clearInterval(timer);
  }, []);
  return Boolean(conn.value.stale) || (conn.value.state === "away" && Date.now() - conn.value.since > AWAY_MS);
}

function Connection({ isStale }) {
  const { state, stale } = conn.value;
  const text = state === "live" && stale ? `data ${agoText(Date.now() - stale.at).replace(" ago", "").replace("now", "a moment")} old`
    : state === "live" ? "live" : state === "loading" ? "loading"
    : state === "out" ? "logged out" : `reconnecting, data ${agoText(Date.now() - heard.value).replace(" ago", "").replace("now", "a moment")} old`;
  return html`<span class=${`connection is-${isStale ? "stale" : state}`} role="status" title=${`revision ${revision.value}`}>
    <i aria-hidden="true"></i>${text}</span>`;
}

// The place in the bar that a page belongs to, where it is another one than its own.
const PLACE_OF = { "": "Clusters", groups: "Clusters", nodes: "Clusters", plans: "Apply" };

function placeOf([first = ""]) {
  return Object.hasOwn(PLACE_OF, first) ? PLACE_OF[first] : first[0].toUpperCase() + first.slice(1);
}

function Help() {
  const shown = [["?", "show these keys"], ["Ctrl-K", "find a page or object"], ...keys.value.filter(([, what]) => what)];
  return html`<${Dialog} title="Keys" onClose=${() => { isHelpOpen.value = false; }}>
    <dl class="keys">${shown.map(([key, what]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl>
  </${Dialog}>`;
}

export function Shell({ children }) {
  const isStale = useStale();
  const place = placeOf(view.value.parts);
  useKeys([["?", "", () => { isHelpOpen.value = true; }],
    ["g", "go to the fleet", () => go(href(["fleet"]))], ["c", "go to the clusters", () => go(href([]))]], [], { isBelow: true });
  return html`<div class=${`shell${isStale ? " is-stale" : ""}`}>
    <a class="skip" href="#main">skip to the content</a>
    <header class="top">
      <a class="brand" href=${href([])} aria-label="reeve, clusters"><i aria-hidden="true"></i>reeve</a>
      <nav aria-label="pages">${placesOf().map(([name, parts]) => html`<a href=${href(parts)} aria-current=${name === place ? "page" : undefined}>${name}</a>`)}</nav>
      <span class="top-space"></span>
      <button type="button" class="find" onClick=${() => { isPaletteOpen.value = true; }}>Find <kbd>Ctrl K</kbd></button>
      <${Connection} isStale=${isStale}/>
      <span class="who">${tenant && html`<b class="tenant" title="the selected tenant">${tenant}</b>`}<span title=${`role ${session.value.role}, tenant ${session.value.tenant}`}>${session.value.user}</span>
        <button type="button" class="link" onClick=${() => sessionEnd().then(storeLoggedOut)}>log out</button></span>
    </header>
    <main id="main" tabindex="-1">${conn.value.stale && html`<div class="note bad" role="alert" data-test="stale-note">What is shown may be old: ${conn.value.stale.reason}</div>`}${isLoaded.value ? children : html`<p class="dim pad">loading ...</p>`}</main>
    ${isHelpOpen.value && html`<${Help}/>`}
    ${isPaletteOpen.value && html`<${Palette}/>`}
  </div>`;
}
