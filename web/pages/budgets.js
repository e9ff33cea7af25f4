// Budgets: how many nodes reeve may have out of service at once, when work may begin, and what waits for one now.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { ask, may } from "../data/api.js";
import { holds, revision } from "../data/store.js";
import { asProblem, DeleteDialog } from "../parts/change.js";
import { Hold } from "../parts/holds.js";
import { Button, Copy, Empty, ProblemNote, When } from "../parts/parts.js";

const EXAMPLE = "kind: Budget\nname: front\nselector: 'tier=front'\nmaxUnavailable: 2\n";

/** The windows in words; without one, work may begin at any time. */
export function windowsText(windows) {
  return windows?.length ? windows.map(({ days, from, to }) => `${days?.length ? days.join(", ") : "every day"} ${from ?? "00:00"} to ${to ?? "24:00"} UTC`).join("; ") : "at any time";
}

function useBudgets() {
  const [reply, replySet] = useState({});
  useEffect(() => {
    let isOver = false;
    ask("GET", "/v1/budgets").then(({ items }) => { if (!isOver) replySet({ items }); }, (error) => { if (!isOver) replySet({ problem: asProblem(error) }); });
    return () => { isOver = true; };
  }, [revision.value]);
  return reply;
}

function Row({ item: { metadata, spec }, onDelete }) {
  return html`<tr><td><span class="name">${metadata.name}</span> <${Copy} text=${`budget/${metadata.name}`} what="copy the name"/></td>
    <td><code>${spec.selector || "all nodes"}</code></td><td class="number">${spec.maxUnavailable}${spec.maxUnavailable === 0 && html` <span class="dim">frozen</span>`}</td>
    <td>${windowsText(spec.windows)}</td><td class="hide-small dim"><${When} at=${metadata.updated}/> by ${metadata.by}</td>
    <td class="number">${may("operator") && html`<${Button} kind="quiet" onClick=${onDelete} aria-label=${`Delete ${metadata.name}`}>Delete</${Button}>`}</td></tr>`;
}

export function Budgets() {
  const { items, problem } = useBudgets();
  const [gone, goneSet] = useState("");
  const waiting = holds.value.filter(({ status }) => status.rule === "ticket");
  if (!items && !problem) return html`<h1>Budgets</h1><p class="dim">loading ...</p>`;
  return html`<div class="head"><h1>Budgets</h1></div><${ProblemNote} problem=${problem}/>
    ${waiting.length > 0 && html`<section aria-label="waiting"><h2>Waiting for a budget <span class="dim">${waiting.length}</span></h2>${waiting.map((hold) => html`<${Hold} key=${`${hold.metadata.cluster} ${hold.metadata.group ?? ""}`} hold=${hold}/>`)}</section>`}
    ${items?.length ? html`<div class="table-scroll"><table class="table data"><thead><tr><th scope="col">Budget</th><th scope="col">Nodes</th><th scope="col" class="number">Out of service at most</th>
        <th scope="col">Work may begin</th><th scope="col" class="hide-small">Last change</th><th scope="col"><span class="unseen">Delete</span></th></tr></thead>
      <tbody>${items.map((item) => html`<${Row} key=${item.metadata.name} item=${item} onDelete=${() => goneSet(item.metadata.name)}/>`)}</tbody></table></div>`
    : items && html`<${Empty} title="There is no budget yet."><p>A budget limits how many nodes may be out of service because of reeve, in all groups and clusters that its selector matches. Apply a file like this one:</p>
      <pre class="panel data text">${EXAMPLE}</pre><${Copy} text=${EXAMPLE} what="copy the file"/></${Empty}>`}
    ${gone && html`<${DeleteDialog} kind="budget" plural="budgets" name=${gone} onDone=${() => goneSet("")} onClose=${() => goneSet("")}/>`}`;
}
