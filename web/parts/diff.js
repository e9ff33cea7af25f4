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

/** Lines of both beside each other: what is only here stands opposite to what is only there. */
export function pairsOf(lines) {
  const out = [];
  let less = 0; // where the lines that are only before, and have nothing opposite yet, begin
  for (const line of lines) {
    if (line.sign === "+" && less < out.length && out[less].before !== undefined) out[less++].after = line.text;
    else if (line.sign === "+") less = out.push({ after: line.text });
    else if (line.sign === "-") out.push({ before: line.text });
    else less = out.push(line.hidden ? line : { before: line.text, after: line.text, isSame: true });
  }
  return out;
}

const side = (text, isSame, sort) => html`<td class=${!isSame && text !== undefined ? sort : ""}>${!isSame && text !== undefined && html`<span class="unseen">only here: </span>`}${text}</td>`;

/** The same two texts in two columns; names: what they are called. */
export function SideBySide({ before, after, names: [first, second], label }) {
  if (before === after) return html`<p class="dim">No difference.</p>`;
  return html`<table class="sides data" aria-label=${label}><thead><tr><th scope="col">${first}</th><th scope="col">${second}</th></tr></thead><tbody>${pairsOf(stretchesOf(diffLines(before, after))).map(({ before: one, after: other, isSame, hidden }, at) => (hidden
    ? html`<tr key=${at}><td class="dim" colspan="2">... ${hidden} line${hidden === 1 ? "" : "s"} alike</td></tr>`
    : html`<tr key=${at}>${side(one, isSame, "is-less")}${side(other, isSame, "is-more")}</tr>`))}</tbody></table>`;
}
