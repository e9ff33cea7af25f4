// What differs between two texts; what is alike is folded around it.
import { html } from "../app/html.js";
import { diffLines } from "../data/diff.js";

const AROUND = 3;
const NAMES = { "-": "only before", "+": "only after" };

/** Lines with a difference within reach, and how many are left out before each stretch. */
function stretchesOf(lines) {
  const isNear = lines.map((_, at) => lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ sign }) => sign !== " "));
  const out = [];
  let hidden = 0;
  for (const [at, line] of lines.entries()) {
    if (!isNear[at]) {
      hidden++;
      continue;
    }
    if (hidden) out.push({ hidden });
    hidden = 0;
    out.push(line);
  }
  return hidden ? [...out, { hidden }] : out;
}

export function Diff({ before, after, label }) {
  if (before === after) return html`<p class="dim">No difference.</p>`;
  return html`<ol class="diff data" aria-label=${label}>${stretchesOf(diffLines(before, after)).map(({ sign, text, hidden }, at) => (hidden
    ? html`<li key=${at} class="dim">... ${hidden} line${hidden === 1 ? "" : "s"} alike</li>`
    : html`<li key=${at} class=${sign === "+" ? "is-more" : sign === "-" ? "is-less" : ""}><i aria-hidden="true">${sign}</i>${NAMES[sign] && html`<span class="unseen">${NAMES[sign]}: </span>`}<span>${text}</span></li>`))}</ol>`;
}
