// One cluster: its groups, what is being rolled, what holds, its machines.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { useKeys } from "../app/keys.js";
import { go, href, queryPut, view } from "../app/router.js";
import { ask, may } from "../data/api.js";
import { clusters, fleet, groups, holds, nodesTick } from "../data/store.js";
import { DRIFTED, READY, WORDS } from "../data/words.js";
import { asProblem, DeleteDialog, LabelDialog, SayDialog, ScaleDialog, UndoDialog } from "../parts/change.js";
import { PAUSED, readyOf } from "../data/facts.js";
import { HealthOverTime } from "../parts/history.js";
import { NeedsYou } from "../parts/incidents.js";
import { chosenRead, chosenToggle, Legend, NodeRows } from "../parts/nodes.js";
import { Preview } from "../parts/preview.js";
import { Bar, Button, Copy, Empty, ProblemNote, ReadyCell, ReadySum, State, When } from "../parts/parts.js";
import { changeOf, jobOf, jobText } from "./clusters.js";
import { LatestEvents } from "./events.js";

const VALUES_SHOWN = 400;
const PAUSE_SAYS = "No machine is created or destroyed until it is resumed. Running machines continue to run.";

/** New, being made and old machines of a group that is being changed. */
function Rollout({ part }) {
  if (!part || part.old === 0) return null;
  const whole = Math.max(1, part.wanted);
  const share = (n) => ({ width: `${Math.min(100, n / whole * 100)}%` });
  return html`<div class="rollout" role="img" aria-label=${`${part.old} of ${part.wanted} are still to be replaced`} title=${`${part.old} old`}>
    <i class="new" style=${share(part.updated)}></i><i class="making" style=${share(part.creating)}></i><i class="old" style=${share(part.old)}></i></div>`;
}

/** Groups as the tree that their names make, in its order: [{path, depth, group}], where what only holds others has no group. */
export function treeOf(list) {
  const rows = new Map();
  for (const group of list) {
    const parts = group.metadata.name.split("/");
    for (let depth = 1; depth < parts.length; depth++) {
      const path = parts.slice(0, depth).join("/");
      if (!rows.has(path)) rows.set(path, { path, depth: depth - 1 });
    }
    rows.set(group.metadata.name, { path: group.metadata.name, depth: parts.length - 1, group });
  }
  return [...rows.values()];
}

/** A group that others are in: what they have together. */
function ParentRow({ cluster, path, depth, list }) {
  const within = list.filter(({ metadata: { name } }) => name.startsWith(`${path}/`));
  const counts = new Uint32Array(WORDS.length);
  for (const { metadata: { name } } of within) fleet.totalsOf(cluster, name).forEach((count, word) => { counts[word] += count; });
  const size = within.reduce((sum, { spec }) => sum + (spec.size ?? 0), 0);
  return html`<tr><td style=${{ "--depth": depth }} class="tree"><span>${path.split("/").at(-1)}/</span></td><td class="wide"><${Bar} totals=${counts} wanted=${size} label=${path}/></td>
    <${ReadyCell} ready=${counts[READY] + counts[DRIFTED]} outdated=${within.reduce((sum, { metadata }) => sum + fleet.outdatedOf(cluster, metadata.name), 0)} wanted=${size}/><td class="hide-small"></td>${may("operator") && html`<td></td>`}</tr>`;
}

function GroupRow({ cluster, group, depth, part, isPaused, isChosen, onDialog }) {
  const { name } = group.metadata;
  const counts = fleet.totalsOf(cluster, name);
  const size = group.spec.size ?? 0;
  return html`<tr aria-selected=${isChosen}>
    <td style=${{ "--depth": depth }} class="tree"><a class="name" href=${href(["groups", cluster, ...name.split("/")])} aria-label=${depth ? name : undefined}>${name.split("/").at(-1)}</a> ${isPaused && html`<span class="dim">paused</span>`}</td>
    <td class="wide"><${Bar} totals=${counts} wanted=${size} label=${name}/><${Rollout} part=${part}/></td>
    <${ReadyCell} ...${readyOf(cluster, name)} wanted=${size}/>
    <td class="hide-small">${group.spec.resourcePlugin?.name ?? ""}</td>
    ${may("operator") && html`<td class="number">
      <${Button} kind="quiet" aria-label=${`scale ${name}`} onClick=${() => onDialog(["scale", name, size, group.spec.pick])}>Scale</${Button}>
      <${Button} kind="quiet" aria-label=${`${isPaused ? "resume" : "pause"} ${name}`} onClick=${() => onDialog([isPaused ? "resume" : "pause", name])}>${isPaused ? "Resume" : "Pause"}</${Button}></td>`}</tr>`;
}

function ClusterDialog({ dialog, name, labels, onClose }) {
  const [word, group, size, pick] = dialog;
  const own = { kind: "cluster", plural: "clusters", name, onClose };
  if (word === "label") return html`<${LabelDialog} ...${own} labels=${labels}/>`;
  if (word === "undo") return html`<${UndoDialog} ...${own}/>`;
  if (word === "delete") return html`<${DeleteDialog} ...${own} onDone=${() => go(href([]))}/>`;
  if (word === "scale") return html`<${ScaleDialog} cluster=${name} group=${group} size=${size} pick=${pick} onClose=${onClose}/>`;
  const subject = group ? `${name}/${group}` : name;
  return html`<${SayDialog} word=${word} subject=${subject} title=${`${word === "pause" ? "Pause" : "Resume"} ${subject}`}
    says=${word === "pause" ? PAUSE_SAYS : "reeve continues: it creates, heals and destroys machines as the file requires."} onClose=${onClose}/>`;
}

/** Every value that counts, with where it comes from; asked for when somebody looks. */
function Provenance({ name, revision }) {
  const [reply, replySet] = useState(null);
  const [isOpen, openSet] = useState(false);
  useEffect(() => {
    let isOver = false;
    if (isOpen) ask("GET", `/v1/clusters/${encodeURIComponent(name)}?view=effective`).then((answer) => { if (!isOver) replySet({ answer }); }, (error) => { if (!isOver) replySet({ problem: asProblem(error) }); });
    return () => { isOver = true; };
  }, [name, revision, isOpen]);
  const rows = [...(reply?.answer?.values ?? []).map((one) => ["", one]), ...(reply?.answer?.groups ?? []).flatMap(({ path, values }) => values.map((one) => [path, one]))];
  return html`<details class="provenance" onToggle=${(event) => openSet(event.currentTarget.open)}><summary>Where its values come from</summary>
    ${isOpen && !reply && html`<p class="dim">asking ...</p>`}<${ProblemNote} problem=${reply?.problem}/>
    ${rows.length > 0 && html`<div class="table-scroll"><table class="table data"><thead><tr><th scope="col">Group</th><th scope="col">Field</th><th scope="col">Value</th><th scope="col">From</th></tr></thead>
      <tbody>${rows.slice(0, VALUES_SHOWN).map(([group, { path, value, origin }]) => html`<tr key=${`${group} ${path}`}><td>${group}</td><td><code>${path}</code></td><td>${typeof value === "object" ? JSON.stringify(value) : String(value)}</td><td class="dim">${origin}</td></tr>`)}</tbody></table></div>
      ${rows.length > VALUES_SHOWN && html`<p class="dim">and ${rows.length - VALUES_SHOWN} more: <code>reeve describe cluster ${name}</code></p>`}`}</details>`;
}

export function Cluster({ parts: [, name] }) {
  const [dialog, dialogSet] = useState(null);
  nodesTick.value;
  const cluster = clusters.value.find((one) => one.metadata.name === name);
  const own = groups.value.filter((one) => one.metadata.cluster === name);
  const held = holds.value.filter((one) => one.metadata.cluster === name);
  const pausedOf = (group) => held.some((one) => one.status.rule === PAUSED && (!one.metadata.group || one.metadata.group === group));
  const isPaused = own.length > 0 && own.every((one) => pausedOf(one.metadata.name));
  const { query } = view.value;
  const chosen = chosenRead(query);
  const group = query.get("group") ?? "";
  const job = jobOf(name), change = changeOf(name);
  const onDialog = (what) => may("operator") && dialogSet(what);
  const scaled = own.find((one) => one.metadata.name === group) ?? own[0];
  useKeys(may("operator") ? [["s", "scale the group", () => scaled && onDialog(["scale", scaled.metadata.name, scaled.spec.size ?? 0, scaled.spec.pick])], ["P", isPaused ? "resume" : "pause", () => onDialog([isPaused ? "resume" : "pause"])],
    ["e", "edit its file", () => go(href(["apply"], { cluster: name }))], ["a", "apply a file", () => go(href(["apply"]))], ["U", "undo the newest change", () => onDialog(["undo"])]] : [], [group, isPaused, scaled?.metadata.revision]);
  if (!cluster) {
    return html`<${Empty} title=${`There is no cluster ${name}.`}><p>It was deleted or never existed. Its events are stored.</p>
      <p><a href=${href(["events"], { q: name })}>Its events</a> · <a href=${href([])}>All clusters</a></p></${Empty}>`;
  }
  const { isPart } = cluster.metadata; // as far as single groups of it show it
  const counts = fleet.totalsOf(name);
  const labels = cluster.metadata.labels ?? cluster.spec?.labels ?? {};
  return html`<div class="head"><h1><a class="crumb" href=${href([])}>Clusters /</a> ${name}</h1><${Copy} text=${name} what="copy the name"/>
      <div class="health"><${Bar} totals=${counts} wanted=${cluster.metadata.nodes} label=${name}/></div>
      <${ReadySum} ...${readyOf(name)} wanted=${cluster.metadata.nodes}/><span class="dim">changed <${When} at=${cluster.metadata.updated}/> by ${cluster.metadata.by}</span><span class="head-space"></span>
      <span class="buttons">${!isPart && html`<a class="button" href=${href(["revisions", name])}>History</a>`}${may("operator", "") && html`<a class="button" href=${href(["apply"], { cluster: name })}>Edit</a>`}${may("operator") && html`
        <${Button} onClick=${() => onDialog([isPaused ? "resume" : "pause"])}>${isPaused ? "Resume" : "Pause"}</${Button}><${Button} onClick=${() => onDialog(["label"])}>Label</${Button}>
        <${Button} onClick=${() => onDialog(["undo"])}>Undo</${Button}><${Button} onClick=${() => onDialog(["delete"])}>Delete</${Button}>`}</span></div>
    ${(cluster.spec?.from || Object.keys(labels).length > 0) && html`<p class="chips">${cluster.spec?.from?.template && html`<span class="dim">made from <a href=${href(["templates", "ct", cluster.spec.from.template])}>${cluster.spec.from.template}</a></span>`}
      ${Object.entries(labels).map(([key, value]) => html`<span key=${key} class="chip">${key}=${String(value)}</span>`)}</p>`}
    ${job && html`<p class="tools"><a href=${href(["jobs", job.metadata.name])}>job ${job.metadata.name}</a> <${State} word=${job.status.state}/>
      <span>${jobText(job)}</span><span class="dim">${job.status.by && `by ${job.status.by}, `}<${When} at=${job.status.begun}/></span></p>`}
    ${isPart && html`<p class="dim">You see only the groups that you have access to.</p>`}<${NeedsYou} cluster=${name}/>${!isPart && html`<${HealthOverTime} cluster=${name}/>`}
    <section aria-label="groups"><h2>Groups</h2><div class="table-scroll"><table class="table data"><thead><tr><th scope="col">Group</th><th scope="col">Health</th>
      <th scope="col" class="number">Ready</th><th scope="col" class="hide-small">Plugin</th>${may("operator") && html`<th scope="col"><span class="unseen">do</span></th>`}</tr></thead>
      <tbody>${treeOf(own).map(({ path, depth, group: one }) => (!one ? html`<${ParentRow} key=${path} cluster=${name} path=${path} depth=${depth} list=${own}/>` : html`<${GroupRow} key=${path} cluster=${name} group=${one} depth=${depth} isChosen=${group === one.metadata.name}
        part=${change?.status.groups?.find((part) => part.group === one.metadata.name)} isPaused=${pausedOf(one.metadata.name)} onDialog=${onDialog}/>`))}</tbody></table></div>
      ${own.length === 0 && html`<${Empty} title="The cluster has no group."><p>Groups create machines: add a group to the file of the cluster.</p>${may("operator") && html`<p><a href=${href(["apply"], { cluster: name })}>Edit its file</a></p>`}</${Empty}>`}
      ${may("operator") && html`<${Preview} name=${name}/>`}${!isPart && html`<${Provenance} name=${name} revision=${cluster.metadata.revision}/>`}</section>
    <section aria-label="nodes"><h2>Nodes ${group && html`<span class="dim">of ${group} · <a href=${href(["clusters", name])}>all</a></span>`}</h2>
      <div class="tools"><${Legend} totals=${group ? fleet.totalsOf(name, group) : counts} outdated=${fleet.outdatedOf(name, group || undefined)} chosen=${chosen} onChoose=${(word) => queryPut({ state: chosenToggle(chosen, word) })}/>
        <span class="tools-space"></span><a href=${href(["fleet"], { cluster: name })}>as a map</a></div>
      <div class="data"><${NodeRows} cluster=${name} group=${group} chosen=${chosen} word=${query.get("q")}
        empty=${html`<${Empty} title="No machine matches the filter."><p>Remove a filter, or wait: new machines appear here automatically.</p></${Empty}>`}/></div></section>
    ${!isPart && html`<${LatestEvents} key=${cluster.metadata.id} cluster=${name} id=${cluster.metadata.id}/>`}
    ${dialog && html`<${ClusterDialog} dialog=${dialog} name=${name} labels=${labels} onClose=${() => dialogSet(null)}/>`}`;
}
