// Managers by zone: a ring for each zone, with its managers on it, beginning at its top. The names stand below each ring, so
// that one looks as right as a dozen.
import { html } from "../app/html.js";
import { Empty, State } from "./parts.js";

const SIZE = 132, RADIUS = 50, DOT = 10, CROWDED_DOT = 7, CROWDED = 16; // so many on one ring stand closer

const collator = new Intl.Collator("en", { numeric: true });

/** Zones in their order, those without one last: [[zone, managers]]. */
export function zonesOf(managers) {
  const zones = new Map();
  for (const one of managers) zones.set(one.zone ?? "", [...zones.get(one.zone ?? "") ?? [], one]);
  for (const list of zones.values()) list.sort((a, b) => collator.compare(a.name, b.name));
  return [...zones].sort(([a], [b]) => (a === "") - (b === "") || collator.compare(a, b));
}

/** Where the n-th of so many stands on its ring: evenly, the first one at the top. */
export function placeOn(at, count) {
  const angle = at / count * 2 * Math.PI - Math.PI / 2;
  return [SIZE / 2 + RADIUS * Math.cos(angle), SIZE / 2 + RADIUS * Math.sin(angle)];
}

/** One manager: its colour and, where it is not ready, a mark. The one that is asked has an edge. */
function Dot({ one: { name, word, isAsked }, x, y, size }) {
  const thick = size / 4;
  return html`<g class=${`ring-dot is-${word}`}><title>${name}, ${word}</title><circle cx=${x} cy=${y} r=${size} class=${isAsked ? "is-asked" : ""}/>
    ${word === "unhealthy" && html`<rect x=${x - thick} y=${y - size * 0.6} width=${thick * 2} height=${size * 1.2}/>`}
    ${word === "unreachable" && html`<rect x=${x - size * 0.6} y=${y - thick} width=${size * 1.2} height=${thick * 2}/>`}</g>`;
}

function Ring({ zone, managers }) {
  const ready = managers.filter(({ word }) => word === "ready").length;
  const label = `${zone ? `zone ${zone}` : "no zone"}: ${ready} of ${managers.length} ready`;
  const size = managers.length > CROWDED ? CROWDED_DOT : DOT;
  return html`<figure class="ring"><figcaption>${zone || "no zone"}</figcaption>
    <svg viewBox=${`0 0 ${SIZE} ${SIZE}`} width=${SIZE} height=${SIZE} role="img" aria-label=${label}>
      <circle class="ring-line" cx=${SIZE / 2} cy=${SIZE / 2} r=${RADIUS}/>
      <text x=${SIZE / 2} y=${SIZE / 2 + 4} class="ring-count">${ready} / ${managers.length}</text><text x=${SIZE / 2} y=${SIZE / 2 + 18} class="ring-word">ready</text>
      ${managers.map((one, at) => { const [x, y] = placeOn(at, managers.length); return html`<${Dot} key=${one.name} one=${one} x=${x} y=${y} size=${size}/>`; })}</svg>
    <ul aria-label=${`managers of ${zone || "no zone"}`}>${managers.map(({ name, word, lag, isAsked }) => html`<li key=${name}><span class="ring-name">${name}${isAsked && html` <span class="dim">this one</span>`}</span>
      <span><${State} word=${word}/>${lag > 0 && html` <span class="dim">${lag} behind</span>`}</span></li>`)}</ul></figure>`;
}

/** managers: [{name, zone, word, lag, isAsked}]; lag: revisions that it is behind its store; isAsked: this page comes from it. */
export function Rings({ managers }) {
  if (!managers.length) return html`<${Empty} title="No manager has answered yet."><code>reeve doctor</code></${Empty}>`;
  return html`<div class="rings data">${zonesOf(managers).map(([zone, list]) => html`<${Ring} key=${zone} zone=${zone} managers=${list}/>`)}</div>`;
}
