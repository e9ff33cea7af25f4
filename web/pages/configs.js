// Configurations: their revisions, the groups that use each, and the files in which two of them differ.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { href, queryPut, view } from "../app/router.js";
import { ask } from "../data/api.js";
import { asProblem } from "../parts/say.js";
import { Copy, Empty, ProblemNote, When } from "../parts/parts.js";

const GROUPS_SHOWN = 20;
const MARKS = { added: "+", removed: "-", changed: "~" };

/** Ask when the address changes: {reply} or {problem}, nothing until there is an answer. */
function useAnswer(path) {
  const [found, foundSet] = useState({});
  useEffect(() => {
    let isOver = false;
    foundSet({});
    if (path) ask("GET", path).then((reply) => { if (!isOver) foundSet({ reply }); }, (error) => { if (!isOver) foundSet({ problem: asProblem(error) }); });
    return () => { isOver = true; };
  }, [path]);
  return found;
}

/** Files in which two lists differ: [{change, name}], by name. */
export function filesBetween(before, after) {
  const old = new Map(before.map((file) => [file.name, JSON.stringify(file)]));
  const rows = after.filter((file) => old.get(file.name) !== JSON.stringify(file)).map(({ name }) => ({ change: old.has(name) ? "changed" : "added", name }));
  const names = new Set(after.map(({ name }) => name));
  return [...rows, ...before.filter(({ name }) => !names.has(name)).map(({ name }) => ({ change: "removed", name }))]
    .sort((a, b) => a.name.localeCompare(b.name, "en"));
}

/** All configurations, for the page of revisions. */
export function Configs() {
  const { reply } = useAnswer("/v1/configs");
  const items = reply?.items ?? [];
  return items.length > 0 && html`<section aria-label="Configurations"><h2>Configurations <span class="dim">${items.length}</span></h2><div class="table-scroll"><table class="table data"><thead><tr>
      <th scope="col">Name</th><th scope="col">Newest</th><th scope="col" class="number">Revisions</th><th scope="col" class="number">Groups</th><th scope="col">Pushed</th><th scope="col">By</th></tr></thead>
    <tbody>${items.map(({ name, newest, revisions, groups }) => html`<tr key=${name}><td><a class="name" href=${href(["configs", name])}>${name}</a></td><td>${newest?.revision ?? ""}</td>
      <td class="number">${revisions}</td><td class="number">${groups || ""}</td><td class="dim">${newest && html`<${When} at=${newest.at}/>`}</td><td>${newest?.by ?? ""}</td></tr>`)}</tbody></table></div></section>`;
}

function Files({ name, from, to }) {
  const path = (reference) => reference && `/v1/configs/${encodeURIComponent(name)}/files?revision=${encodeURIComponent(reference.split("@")[1] ?? reference)}`;
  const before = useAnswer(path(from)), after = useAnswer(path(to));
  const problem = before.problem ?? after.problem;
  const isThere = after.reply && (!from || before.reply);
  const rows = isThere ? from ? filesBetween(before.reply.files, after.reply.files) : after.reply.files.map((file) => ({ change: "added", name: file.name })) : [];
  const command = from ? `reeve config diff ${from} ${to}` : `reeve config show ${to}`;
  return html`<section aria-label="difference"><h2>${from ? `From ${from} to ${to}` : `${to}, the first`} <span class="head-space"></span><code>${command}</code><${Copy} text=${command} what="copy the command"/></h2>
    <${ProblemNote} problem=${problem}/>${!problem && (!isThere ? html`<p class="dim">loading ...</p>` : rows.length === 0 ? html`<p class="dim">The revisions have the same files.</p>`
      : html`<ul class="data files">${rows.map(({ change, name: file }) => html`<li key=${file}><span class="mark" aria-hidden="true">${MARKS[change]}</span><span class="unseen">${change} </span>${file}</li>`)}</ul>`)}</section>`;
}

function Revision({ one, isAt }) {
  const groups = one.groups ?? [];
  return html`<tr aria-selected=${isAt}><td><button type="button" class="link" aria-label=${`show ${one.revision}`} onClick=${() => queryPut({ to: one.revision, from: "" })}>${one.revision}</button></td>
    <td class="dim"><${When} at=${one.at}/></td><td>${one.by}</td><td>${one.ref ?? ""}</td><td>${one.pinned ? "yes" : ""}</td>
    <td class="wide uses">${groups.slice(0, GROUPS_SHOWN).map((group) => html`<a key=${group} href=${href(group.includes("/") ? ["groups", ...group.split("/")] : ["clusters", group])}>${group}</a> `)}${groups.length > GROUPS_SHOWN && html`<span class="dim">and ${groups.length - GROUPS_SHOWN} more</span>`}</td></tr>`;
}

export function Config({ parts: [, name] }) {
  const { reply, problem } = useAnswer(`/v1/configs/${encodeURIComponent(name)}`);
  const { query } = view.value;
  if (problem) return html`<${Empty} title=${`Nothing is known of the configuration ${name}.`}><p>${problem.message}</p><p><a href=${href(["configs"])}>All configurations</a></p></${Empty}>`;
  if (!reply) return html`<p class="dim">loading ...</p>`;
  const list = [...reply.revisions].sort((a, b) => Number(b.revision.split("@r")[1]) - Number(a.revision.split("@r")[1]));
  const to = query.get("to") || list[0]?.revision || "";
  const from = query.get("from") || list[list.findIndex(({ revision }) => revision === to) + 1]?.revision || "";
  return html`<div class="head"><h1><a class="crumb" href=${href(["configs"])}>Configurations /</a> ${name}</h1></div>
    <div class="two"><section aria-label="revisions"><h2>Revisions <span class="dim">newest first</span></h2><div class="table-scroll"><table class="table data"><thead><tr><th scope="col">Revision</th><th scope="col">Pushed</th>
        <th scope="col">By</th><th scope="col">Ref</th><th scope="col">Pinned</th><th scope="col" class="wide">Used by</th></tr></thead><tbody>${list.map((one) => html`<${Revision} key=${one.revision} one=${one} isAt=${one.revision === to}/>`)}</tbody></table></div></section>
      ${to && html`<${Files} name=${name} from=${from === to ? "" : from} to=${to}/>`}</div>`;
}

export function AllConfigs() {
  const { reply, problem } = useAnswer("/v1/configs");
  if (reply?.items.length === 0) {
    return html`<h1>Configurations</h1><${Empty} title="No configuration was pushed yet."><p>A configuration is a folder of playbooks or bundles, kept in revisions. To push a first one:</p>
      <p><code>reeve config push DIR --name web</code><${Copy} text="reeve config push DIR --name web"/></p></${Empty}>`;
  }
  return html`<div class="head"><h1>Configurations</h1></div><${ProblemNote} problem=${problem}/>${!reply && !problem && html`<p class="dim">loading ...</p>`}<${Configs}/>`;
}
