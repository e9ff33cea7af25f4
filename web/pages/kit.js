// The design system, shown by itself: tokens and the ten parts. What is not here is not used.
import { useState } from "preact/hooks";
import { html } from "../app/html.js";
import { WORDS } from "../data/words.js";
import { Legend } from "../parts/nodes.js";
import { Rings } from "../parts/rings.js";
import { Bar, Button, Copy, Dialog, Empty, Field, Note, Rows, State, Way, When } from "../parts/parts.js";

const COLOURS = ["page", "surface", "sunken", "edge", "edge-strong", "ink", "ink-soft", "accent", "accent-soft", "danger", "warn-soft", "warn-edge", "bad-soft", ...WORDS.map((word) => `is-${word}`)];
const SPACES = ["1", "2", "3", "4", "6", "8"];
const TOTALS = Uint32Array.from([1, 1, 2, 3, 1, 1, 14]);

/** So many managers in so many zones; one of a dozen is unhealthy, one away. */
function managersOf(count, zones) {
  return Array.from({ length: count }, (_, at) => ({ name: `reeve-${at + 1}.example`, zone: zones ? `eu-${"abc"[at % zones]}` : "", isAsked: at === 0, lag: at === 7 ? 12 : 0, word: at === 4 ? "unhealthy" : at === 8 ? "unreachable" : "ready" }));
}

function Part({ name, says, children }) {
  return html`<section aria-label=${name}><h2>${name}</h2><p class="dim">${says}</p><div class="kit-row">${children}</div></section>`;
}

export function Kit() {
  const [isOpen, openSet] = useState(false);
  const [chosen, chosenSet] = useState(new Set(["unhealthy"]));
  const toggle = (word) => {
    const next = new Set(chosen);
    if (!next.delete(word)) next.add(word);
    chosenSet(next);
  };
  return html`<div class="head"><h1>Design kit</h1></div><div class="kit">
    <${Part} name="Colour" says="Text never takes the colour of a state; a swatch with its mark does.">${COLOURS.map((name) => html`<div class="kit-colour" key=${name}><i style=${{ background: `var(--${name})` }}></i><small>${name}</small></div>`)}</${Part}>
    <${Part} name="Space" says="Six steps, with nothing in between.">${SPACES.map((step) => html`<div class="kit-space" key=${step}><i style=${{ width: `var(--space-${step})` }}></i><small>${step}</small></div>`)}</${Part}>
    <${Part} name="Type" says="One family for words, one for what is typed."><h1>Title 20</h1><h2>Heading 15</h2><span>Text 13</span><small>Small 12</small><code>reeve status</code><kbd>Ctrl K</kbd></${Part}>
    <${Part} name="Rings" says="Managers by zone: one, three, a dozen, a dozen in one zone."><${Rings} managers=${managersOf(1, 0)}/><${Rings} managers=${managersOf(3, 3)}/><${Rings} managers=${managersOf(12, 3)}/><${Rings} managers=${managersOf(12, 1)}/></${Part}>
    <${Part} name="1 Button" says="At most one main action in a dialog; red if something is destroyed."><${Button}>Leave it</${Button}><${Button} kind="main">Create 3</${Button}><${Button} kind="danger">Destroy 2</${Button}><${Button} kind="quiet">Scale</${Button}><${Button} disabled>Not now</${Button}></${Part}>
    <${Part} name="2 State" says="Colour, mark and word, always together.">${WORDS.map((word) => html`<${State} key=${word} word=${word}/>`)}</${Part}>
    <${Part} name="3 Bar" says="Problems first; what is missing stays empty."><div style=${{ width: "320px" }}><${Bar} totals=${TOTALS} wanted=${28} label="sample"/></div></${Part}>
    <${Part} name="4 Copy" says="Beside names, ids and commands."><code>shop/web-3</code><${Copy} text="shop/web-3"/></${Part}>
    <${Part} name="5 When" says="Shows how long ago; the full time on hover."><${When} at=${Date.now() - 200000}/></${Part}>
    <${Part} name="6 Empty" says="Why there is nothing, and what to do next."><${Empty} title="There is no cluster yet."><code>reeve init my.yaml</code></${Empty}></${Part}>
    <${Part} name="7 Note" says="Information, warning, refusal."><${Note} title="It goes on.">The job runs.</${Note}><${Note} kind="warn" title="This destroys machines.">And what is on them.</${Note}><${Note} kind="bad" title="you may not do that">an admin of the tenant can grant it</${Note}></${Part}>
    <${Part} name="8 Field" says="The label is above the field and stays visible."><${Field} label="Machines (now 5)" value="8"/></${Part}>
    <${Part} name="9 Dialog" says="Shows what it will do, the command and the request."><${Button} onClick=${() => openSet(true)}>Open one</${Button}></${Part}>
    ${isOpen && html`<${Dialog} title="Scale shop/web" onClose=${() => openSet(false)} foot=${html`<${Button} onClick=${() => openSet(false)}>Leave it</${Button}>`}>
      <${Way} command="reeve scale shop/web 8" method="PATCH" path="/v1/nodegroups/shop/web" body=${{ size: 8 }}/></${Dialog}>`}
    <section aria-label="10 Rows"><h2>10 Rows</h2><p class="dim">Any number of rows; only visible rows exist.</p><${Legend} totals=${TOTALS} chosen=${chosen} onChoose=${toggle}/>
      <${Rows} label="sample" count=${10000} rowAt=${(at) => at} keyAt=${(at) => at} columns=${[{ title: "Node", cell: (at) => `web-${at}` }, { title: "State", cell: (at) => html`<${State} word=${WORDS[6 - at % 97 % 7]}/>` }]}/></section>
  </div>`;
}
