// Templates: which there are, who was made from them, how far those have gone their own way.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { useKeys } from "../app/keys.js";
import { go, href, view, queryPut } from "../app/router.js";
import { ask, may } from "../data/api.js";
import { clusters, groups } from "../data/store.js";
import { yamlWrite } from "../data/yaml.js";
import { asProblem, DeleteDialog } from "../parts/change.js";
import { SideBySide } from "../parts/diff.js";
import { Button, Copy, Empty, ProblemNote, When } from "../parts/parts.js";

const KINDS = { ct: { plural: "clustertemplates", word: "cluster template", field: "template" }, ngt: { plural: "nodegrouptemplates", word: "node group template", field: "nodegrouptemplate" } };

/** Clusters or groups that say they are from it. */
function usersOf(kind, name) {
  return (kind === "ct" ? clusters : groups).value.filter(({ spec }) => spec?.from?.[KINDS[kind].field] === name);
}

function objectHref(kind, { metadata: { name, cluster } }) {
  return kind === "ct" ? href(["clusters", name]) : href(["groups", cluster, ...name.split("/")]);
}

function useTemplates() {
  const [reply, replySet] = useState({});
  useEffect(() => {
    let isOver = false;
    Promise.all(Object.entries(KINDS).map(([kind, { plural }]) => ask("GET", `/v1/${plural}`).then(({ items }) => items.map((item) => ({ ...item, short: kind })))))
      .then((lists) => { if (!isOver) replySet({ items: lists.flat() }); }, (error) => { if (!isOver) replySet({ problem: asProblem(error) }); });
    return () => { isOver = true; };
  }, [clusters.value]);
  return reply;
}

export function Templates() {
  const { items, problem } = useTemplates();
  if (!items && !problem) return html`<h1>Templates</h1><p class="dim">loading ...</p>`;
  if (items && !items.length) {
    return html`<h1>Templates</h1><${Empty} title="There is no template yet."><p>A template holds values that many clusters share. Make one from an existing cluster:</p>
      <p><code>reeve create --template std --from shop</code><${Copy} text="reeve create --template std --from shop"/></p></${Empty}>`;
  }
  return html`<div class="head"><h1>Templates</h1></div><${ProblemNote} problem=${problem}/>
    <div class="table-scroll"><table class="table data"><thead><tr><th scope="col">Template</th><th scope="col">Sort</th><th scope="col" class="number">Created from it</th><th scope="col" class="hide-small">Version</th><th scope="col" class="hide-small">Last change</th></tr></thead>
      <tbody>${items?.map((item) => html`<tr key=${`${item.short} ${item.metadata.name}`}><td><a class="name" href=${href(["templates", item.short, item.metadata.name])}>${item.metadata.name}</a></td><td>${KINDS[item.short].word}</td>
        <td class="number">${usersOf(item.short, item.metadata.name).length || ""}</td><td class="hide-small">${item.spec.version ?? ""}</td><td class="hide-small dim"><${When} at=${item.metadata.updated}/> by ${item.metadata.by}</td></tr>`)}</tbody></table></div>`;
}

/** What it is, or how one that was made from it differs. */
function Against({ kind, template, user, names }) {
  const [own, ownSet] = useState(null);
  useEffect(() => {
    let isOver = false;
    ownSet(null);
    const { name, cluster } = user.metadata;
    const path = kind === "ct" ? `/v1/clusters/${encodeURIComponent(name)}` : `/v1/nodegroups/${[cluster, ...name.split("/")].map(encodeURIComponent).join("/")}`;
    ask("GET", path).then(({ spec }) => { if (!isOver) ownSet(spec); }, () => {});
    return () => { isOver = true; };
  }, [user.metadata.id, user.metadata.revision]);
  if (!own) return html`<p class="dim">asking ...</p>`;
  const { from, ...rest } = own;
  return html`<${SideBySide} before=${yamlWrite(template.spec)} after=${yamlWrite(rest)} names=${names} label="how it differs from its template"/>`;
}

export function Template({ parts: [, kind, name] }) {
  return Object.hasOwn(KINDS, kind) ? html`<${One} kind=${kind} name=${name}/>` : html`<${Empty} title=${`There is no kind of template ${kind}.`}><p><a href=${href(["templates"])}>All templates</a></p></${Empty}>`;
}

function One({ kind, name }) {
  const { items, problem } = useTemplates();
  const [isDeleting, deletingSet] = useState(false);
  const template = items?.find((item) => item.short === kind && item.metadata.name === name);
  const users = usersOf(kind, name);
  const chosen = view.value.query.get("with") ?? "";
  const labelOf = ({ metadata }) => (metadata.cluster ? `${metadata.cluster}/${metadata.name}` : metadata.name);
  const user = users.find((one) => labelOf(one) === chosen);
  const fromText = `from: {${KINDS[kind].field}: ${name}}`;
  useKeys([["d", "next one to compare", () => users.length && queryPut({ with: labelOf(users[(users.indexOf(user) + 1) % users.length]) })]], [users.length, chosen]);
  if (problem) return html`<${ProblemNote} problem=${problem}/>`;
  if (!items) return html`<p class="dim">asking ...</p>`;
  if (!template) return html`<${Empty} title=${`There is no template ${kind}/${name}.`}><p><a href=${href(["templates"])}>All templates</a></p></${Empty}>`;
  return html`<div class="head"><h1><a class="crumb" href=${href(["templates"])}>Templates /</a> ${name}</h1><${Copy} text=${`${kind}/${name}`} what="copy the name"/><span class="dim">${KINDS[kind].word}</span><span class="head-space"></span>
      ${may("operator") && html`<span class="buttons">${kind === "ct" && html`<a class="button" href=${href(["apply"], { from: `ct/${name}` })}>Make a cluster from it</a>`}<${Button} onClick=${() => deletingSet(true)}>Delete</${Button}></span>`}</div>
    <div class="two"><section aria-label="created from it"><h2>Created from it <span class="dim">${users.length}</span></h2>${users.length ? html`<ul class="steps data list">${users.map((one) => html`<li key=${one.metadata.id}><a href=${objectHref(kind, one)}>${labelOf(one)}</a>
        <button type="button" class="link" aria-pressed=${one === user} aria-label=${`compare ${labelOf(one)}`} onClick=${() => queryPut({ with: one === user ? "" : labelOf(one) })}>${one === user ? "shown" : "compare"}</button></li>`)}</ul>`
        : html`<p class="dim">No cluster is created from this template. A file refers to it with <code>${fromText}</code><${Copy} text=${fromText} what="copy the line"/></p>`}</section>
      <section aria-label="what it says"><h2>${user ? `${labelOf(user)} beside it` : "Content of the template"}</h2>${user ? html`<${Against} kind=${kind} template=${template} user=${user} names=${[`${kind}/${name}`, labelOf(user)]}/>` : html`<pre class="panel data text">${yamlWrite(template.spec)}</pre>`}</section></div>
    ${isDeleting && html`<${DeleteDialog} kind=${kind === "ct" ? "clustertemplate" : "nodegrouptemplate"} plural=${KINDS[kind].plural} name=${name} onDone=${() => go(href(["templates"]))} onClose=${() => deletingSet(false)}/>`}`;
}
