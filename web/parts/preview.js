// What the controller would do now: its next pass over a cluster, decided and not carried out. Asked for when somebody looks.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { ask } from "../data/api.js";
import { asProblem, quoted } from "./change.js";
import { Button, Copy, ProblemNote } from "./parts.js";

const SHOWN = 200;

function words(text) {
  return text.replaceAll("_", " ");
}

function Acts({ answer: { actions, holds } }) {
  if (actions.length === 0) return html`<p class="dim">${holds.length ? "Nothing, while the holds exist." : "Nothing: the desired state is reached."}</p>`;
  return html`<div class="table-scroll"><table class="table data"><thead><tr><th scope="col">Does</th><th scope="col">Group</th><th scope="col" class="number">Slot</th><th scope="col">Rule</th><th scope="col" class="hide-small">Because</th></tr></thead>
    <tbody>${actions.slice(0, SHOWN).map(({ act, group, slot, rule, fact }, at) => html`<tr key=${at}><td>${words(act)}</td><td>${group}</td><td class="number">${slot}</td><td>${words(rule)}</td><td class="hide-small dim">${fact}</td></tr>`)}</tbody></table></div>
    ${actions.length > SHOWN && html`<p class="dim">and ${actions.length - SHOWN} more</p>`}`;
}

export function Preview({ name }) {
  const [isOpen, openSet] = useState(false);
  const [reply, replySet] = useState(null);
  const [asked, askedSet] = useState(0);
  const path = `/v1/clusters/${encodeURIComponent(name)}/pass?dry-run=1`;
  const command = `reeve api POST ${quoted(path)}`;
  useEffect(() => {
    if (!isOpen) return undefined;
    let isOver = false;
    replySet(null);
    ask("POST", path).then((answer) => { if (!isOver) replySet({ answer }); }, (error) => { if (!isOver) replySet({ problem: asProblem(error) }); });
    return () => { isOver = true; };
  }, [path, isOpen, asked]);
  return html`<details class="preview" onToggle=${(event) => openSet(event.currentTarget.open)}><summary>What reeve would do now</summary>
    ${isOpen && html`<div class="preview-reply">${reply === null && html`<p class="dim">asking ...</p>`}<${ProblemNote} problem=${reply?.problem}/>${reply?.answer && html`<${Acts} answer=${reply.answer}/>`}
      <p><${Button} onClick=${() => askedSet(asked + 1)}>Look again</${Button}> <code>${command}</code><${Copy} text=${command} what="copy the command"/></p></div>`}</details>`;
}
