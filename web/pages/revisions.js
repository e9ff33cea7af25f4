// Revisions of a cluster: who changed it, when, why; what differs between two of them; going back to one.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { href, queryPut, view } from "../app/router.js";
import { ask, may } from "../data/api.js";
import { clusters } from "../data/store.js";
import { yamlWrite } from "../data/yaml.js";
import { asProblem, UndoDialog } from "../parts/change.js";
import { Diff } from "../parts/diff.js";
import { Button, Copy, Empty, ProblemNote, When } from "../parts/parts.js";

/** An object as a file: its spec with its names. */
export function fileOf({ metadata: { name, labels }, spec }) {
  return yamlWrite({ name, ...(labels && !spec.labels ? { labels } : {}), ...spec });
}

function useHistory(name) {
  const [told, toldSet] = useState({});
  const now = clusters.value.find(({ metadata }) => metadata.name === name)?.metadata.revision;
  useEffect(() => {
    let isOver = false;
    ask("GET", `/v1/clusters/${encodeURIComponent(name)}?view=history`)
      .then(({ items }) => { if (!isOver) toldSet({ items }); }, (error) => { if (!isOver) toldSet({ problem: asProblem(error) }); });
    return () => { isOver = true; };
  }, [name, now]);
  return told;
}

function useFiles(name, from, to) {
  const [told, toldSet] = useState({});
  useEffect(() => {
    let isOver = false;
    const get = (at) => (at ? ask("GET", `/v1/clusters/${encodeURIComponent(name)}?at=${encodeURIComponent(at)}`).then(fileOf) : "");
    toldSet({});
    Promise.all([get(from), get(to)]).then(([before, after]) => { if (!isOver) toldSet({ before, after }); }, (error) => { if (!isOver) toldSet({ problem: asProblem(error) }); });
    return () => { isOver = true; };
  }, [name, from, to]);
  return told;
}

function Between({ name, from, to }) {
  const { before, after, problem } = useFiles(name, from, to);
  const command = `reeve diff cluster/${name} --rev ${from}..${to}`;
  return html`<section aria-label="difference"><h2>${from ? `From revision ${from} to ${to}` : `Revision ${to}, the first`} <span class="head-space"></span>${from && html`<code>${command}</code><${Copy} text=${command} what="copy the command"/>`}</h2>
    <${ProblemNote} problem=${problem}/>${after !== undefined && html`<${Diff} before=${before} after=${after} label="lines that differ"/>`}</section>`;
}

export function Revisions({ parts: [, name] }) {
  const { items, problem } = useHistory(name);
  const [undone, undoneSet] = useState(0);
  const { query } = view.value;
  if (problem) return html`<${Empty} title=${`Nothing is known of the cluster ${name}.`}><p>${problem.message}</p><p><a href=${href([])}>All clusters</a></p></${Empty}>`;
  if (!items) return html`<p class="dim">asking ...</p>`;
  const to = query.get("to") ?? String(items[0]?.revision ?? "");
  const at = items.findIndex(({ revision }) => String(revision) === to);
  const from = query.get("from") ?? String(items[at + 1]?.revision ?? "");
  return html`<div class="head"><h1><a class="crumb" href=${href(["clusters", name])}>${name} /</a> Revisions</h1></div>
    <div class="two"><section aria-label="revisions"><h2>Changes <span class="dim">newest first</span></h2><div class="table-scroll"><table class="table data"><thead><tr><th scope="col">Revision</th><th scope="col">When</th><th scope="col">By</th>
        <th scope="col">Why</th>${may("operator") && html`<th scope="col"><span class="unseen">do</span></th>`}</tr></thead><tbody>${items.map((one, place) => html`<tr key=${one.revision} aria-selected=${String(one.revision) === to}>
        <td><button type="button" class="link" aria-label=${`show revision ${one.revision}`} onClick=${() => queryPut({ to: one.revision, from: "" })}>${one.revision}</button></td><td class="dim"><${When} at=${one.updated}/></td>
        <td>${one.by}</td><td>${one.why ?? ""}</td>${may("operator") && html`<td class="number">${place > 0 && !one.deleted && html`<${Button} kind="quiet" aria-label=${`back to revision ${one.revision}`} onClick=${() => undoneSet(one.revision)}>Back to it</${Button}>`}</td>`}</tr>`)}</tbody></table></div></section>
      <${Between} name=${name} from=${from} to=${to}/></div>
    ${undone > 0 && html`<${UndoDialog} kind="cluster" plural="clusters" name=${name} to=${undone} onClose=${() => undoneSet(0)}/>`}`;
}
