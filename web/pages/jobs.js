// Jobs: what changes are still bringing about, and brought.
import { useRef, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { useKeys } from "../app/keys.js";
import { href, view } from "../app/router.js";
import { GROUPS_ALONE, isOfGroups, may } from "../data/api.js";
import { progressClasses } from "../data/classes.js";
import { holds, jobs } from "../data/store.js";
import { JobDialog, UndoDialog } from "../parts/change.js";
import { FleetMap } from "../parts/fleetmap.js";
import { PAUSED } from "../data/facts.js";
import { Hold } from "../parts/holds.js";
import { Button, Copy, Empty, State, tookText, When } from "../parts/parts.js";
import { isEnded, jobText } from "./clusters.js";
import { Classes } from "./fleet.js";

function took({ status: { begun, ended } }) {
  return ended ? tookText(new Date(ended) - new Date(begun)) : html`since <${When} at=${begun}/>`;
}

function Row({ job }) {
  return html`<tr><td class="number"><a class="name" href=${href(["jobs", job.metadata.name])}>${job.metadata.name}</a></td>
    <td><a href=${href(["clusters", job.metadata.cluster])}>${job.metadata.cluster}</a></td><td><${State} word=${job.status.state}/></td>
    <td>${jobText(job)}</td><td class="hide-small">${job.status.why ?? ""}</td><td class="hide-small dim">${job.status.by}</td>
    <td class="hide-small dim"><${When} at=${job.status.begun}/></td><td class="number hide-small">${took(job)}</td></tr>`;
}

function Table({ list }) {
  return html`<div class="table-scroll"><table class="table data"><thead><tr><th scope="col" class="number">Job</th><th scope="col">Cluster</th><th scope="col">State</th>
    <th scope="col">Machines</th><th scope="col" class="hide-small">Why</th><th scope="col" class="hide-small">By</th><th scope="col" class="hide-small">Begun</th><th scope="col" class="number hide-small">Took</th></tr></thead>
    <tbody>${list.map((job) => html`<${Row} key=${`${job.metadata.cluster} ${job.metadata.name}`} job=${job}/>`)}</tbody></table></div>`;
}

export function Jobs() {
  const running = jobs.value.filter((job) => !isEnded(job));
  const ended = jobs.value.filter(isEnded);
  if (isOfGroups()) return html`<h1>Jobs</h1><${Empty} title="Jobs belong to whole clusters."><p>${GROUPS_ALONE}</p></${Empty}>`;
  if (!jobs.value.length) {
    return html`<h1>Jobs</h1><${Empty} title="Nothing was changed yet."><p>Every change that creates or destroys machines is a job and is shown here:</p>
      <p><code>reeve apply -f my.yaml</code><${Copy} text="reeve apply -f my.yaml"/></p></${Empty}>`;
  }
  return html`<div class="head"><h1>Jobs</h1></div>
    <section aria-label="under way"><h2>Under way <span class="dim">${running.length}</span></h2>${running.length ? html`<${Table} list=${running}/>` : html`<p class="dim">The desired state is reached.</p>`}</section>
    <section aria-label="ended"><h2>Ended <span class="dim">${ended.length}</span></h2>${ended.length > 0 ? html`<${Table} list=${ended}/>` : html`<p class="dim">No job has ended yet; running jobs are shown here when they end.</p>`}</section>`;
}

const BATCHES_SHOWN = 6;

function Groups({ job }) {
  const rebootsOf = ({ reboots = 0, rebooting = 0, rebootLate = 0 }) => reboots + rebooting + rebootLate;
  const hasReboots = (job.status.groups ?? []).some(rebootsOf);
  return html`<div class="table-scroll"><table class="table data"><thead><tr><th scope="col">Group</th><th scope="col" class="wide">Done</th><th scope="col" class="number">Ready</th>
    <th scope="col" class="number">Being made</th><th scope="col" class="number">Leaving</th><th scope="col" class="number">To replace</th><th scope="col" class="number">Outdated</th>${hasReboots && html`<th scope="col" class="number">To reboot</th>`}<th scope="col" class="number">Unhealthy</th><th scope="col" class="number">Failed</th></tr></thead>
    <tbody>${(job.status.groups ?? []).map((part) => html`<tr key=${part.group}><td><a href=${href(["groups", job.metadata.cluster, ...part.group.split("/")])}>${part.group}</a></td>
      <td class="wide"><div class="rollout" role="img" aria-label=${`${part.updated ?? part.ready} of ${part.wanted}`}><i class="new" style=${{ width: `${Math.min(100, (part.updated ?? part.ready) / Math.max(1, part.wanted) * 100)}%` }}></i>
        <i class="making" style=${{ width: `${Math.min(100, part.creating / Math.max(1, part.wanted) * 100)}%` }}></i></div></td>
      <td class="number">${part.ready} / ${part.wanted}</td><td class="number">${part.creating || ""}</td><td class="number">${part.leaving || ""}</td><td class="number">${part.old || ""}</td><td class="number">${part.outdated || ""}</td>${hasReboots && html`<td class="number">${rebootsOf(part) || ""}</td>`}<td class="number">${(part.unhealthy ?? 0) + (part.unreachable ?? 0) || ""}</td><td class="number">${part.failed || ""}</td></tr>`)}</tbody></table></div>`;
}

/** Groups that are replaced in batches, as the manager counts them; one whose last machine is under way is still shown so. */
function useBatches({ status }) {
  const known = useRef(new Map());
  for (const { group, batch, canary } of status.groups ?? []) if (batch) known.current.set(group, { batch, canary });
  return { of: (group) => known.current.get(group), version: JSON.stringify([...known.current]), list: [...known.current] };
}

/** "web: 1 first, then 10 at once". */
function batchesText([group, { batch, canary }]) {
  const rest = batch === 1 ? "one at a time" : `${batch} at once`;
  return `${group}: ${canary ? `${canary} first, then ${rest}` : rest}`;
}

/** Every machine of the cluster as the job sees it; where a batch ends there is a line. */
function Grid({ job }) {
  const classes = progressClasses(jobs.value), batches = useBatches(job);
  const options = { by: "job", cluster: job.metadata.cluster, chosen: new Set(), word: "", only: view.value.query.get("only") ?? "", classes, version: classes.version, batches };
  return html`<section aria-label="machines"><h2>Machines</h2><${Classes} by="job" options=${options}/>
    ${batches.list.length > 0 && html`<p class="dim batches"><span class="batch-line" aria-hidden="true"></span> ends a batch, by names (broken machines go first) · ${batches.list.slice(0, BATCHES_SHOWN).map(batchesText).join(" · ")}${batches.list.length > BATCHES_SHOWN ? ` · and ${batches.list.length - BATCHES_SHOWN} more groups` : ""}</p>`}
    <${FleetMap} options=${options}/></section>`;
}

/** Problems with the same text are one row: the nodes that have it, in the order of the first. [{text, nodes: [problem]}] */
export function problemsFold(problems) {
  const rows = new Map();
  for (const problem of problems) rows.set(problem.text, [...rows.get(problem.text) ?? [], problem]);
  return [...rows].map(([text, nodes]) => ({ text, nodes }));
}

const NODES_SHOWN = 8;

/** A node of a problem, with the way to the log of that attempt. */
function ProblemNode({ cluster, problem: { name, tries, node } }) {
  return html`<span class="problem-node"><a href=${href(["nodes", cluster, name])}>${name}</a>${tries > 1 && html` <span class="dim">${tries} tries</span>`}
    ${node && html` <a href=${href(["nodes", cluster, name], { line: `${node.number}.${node.attempt}.1` })} aria-label=${`log of ${name}`}>log</a>`}</span> `;
}

/** What went wrong: the first failing task or the first line of an error, with the nodes that have it. */
function Problems({ job: { metadata: { cluster }, status: { problems } } }) {
  return html`<section aria-label="problems"><h2>Problems <span class="dim">${problems.length}</span></h2><div class="table-scroll"><table class="table data"><thead><tr><th scope="col" class="number">Nodes</th><th scope="col">Messages</th>
    <th scope="col" class="wide">Which</th></tr></thead><tbody>${problemsFold(problems).map(({ text, nodes }) => html`<tr key=${text}><td class="number">${nodes.length}</td><td class="problem-text">${text}</td>
      <td class="wide">${nodes.slice(0, NODES_SHOWN).map((problem) => html`<${ProblemNode} key=${problem.name} cluster=${cluster} problem=${problem}/>`)}${nodes.length > NODES_SHOWN && html`<details><summary>and ${nodes.length - NODES_SHOWN} more</summary>${nodes.slice(NODES_SHOWN).map((problem) => html`<${ProblemNode} key=${problem.name} cluster=${cluster} problem=${problem}/>`)}</details>`}</td></tr>`)}</tbody></table></div></section>`;
}

/** Until when a job of batches rests, and what it waits for. */
function Rests({ job: { status: { batch, until, waits } } }) {
  return html`${until && html`<p>${batch?.canary ? "The canary bakes" : "It pauses between two batches"} until ${new Date(Number(until)).toLocaleTimeString()}.</p>`}
    ${(waits ?? []).length > 0 && html`<section><h2>It waits for</h2><ul>${waits.map((what) => html`<li key=${what}>${what}</li>`)}</ul></section>`}`;
}

/** What may be said of a job in its state. */
function wordsOf({ metadata: { cluster }, status: { state, verb } }) {
  if (verb) return state === "stopping" ? [] : state === "damaged" ? ["cancel"] : state === "paused" ? ["resume", "cancel"] : ["pause", "cancel"];
  const isPaused = holds.value.some(({ metadata, status }) => metadata.cluster === cluster && status.rule === PAUSED);
  return isPaused ? ["resume", "undo", "retry"] : ["cancel", "retry"];
}

const KEYS = { cancel: ["c", "cancel it"], pause: ["P", "pause it"], resume: ["r", "resume it"], undo: ["U", "undo the newest change of its cluster"], retry: ["R", "retry refused and failed work"] };

/** What a word about a job asks before it is said. What is undone is what the cluster was changed by. */
function WordDialog({ word, job, onClose }) {
  if (word === "undo") return html`<${UndoDialog} kind="cluster" plural="clusters" name=${job.metadata.cluster} onClose=${onClose}/>`;
  return html`<${JobDialog} word=${word} job=${job} onClose=${onClose}/>`;
}

export function Job({ parts: [, number] }) {
  const [dialog, dialogSet] = useState(null);
  const first = jobs.value.find((job) => job.metadata.name === number && !isEnded(job));
  const canSay = first && may("operator", first.metadata.cluster);
  const words = canSay ? wordsOf(first) : [];
  useKeys(words.map((word) => [...KEYS[word], () => dialogSet([word, first])]), [first?.metadata.id, first?.metadata.cluster, words.join()]);
  const list = jobs.value.filter((job) => job.metadata.name === number);
  if (!list.length) {
    return html`<${Empty} title=${`There is no job ${number}.`}><p>Ended jobs are kept while they are among the newest of their cluster.</p><p><a href=${href(["jobs"])}>All jobs</a></p></${Empty}>`;
  }
  return html`${list.map((job) => {
    const { verb } = job.status;
    const waits = verb ? [] : holds.value.filter((hold) => hold.metadata.cluster === job.metadata.cluster);
    return html`<div class="head"><h1><a class="crumb" href=${href(["jobs"])}>Jobs /</a> ${number}</h1><${State} word=${job.status.state}/>
        <a href=${href(["clusters", job.metadata.cluster])}>${job.metadata.cluster}</a><span>${jobText(job)}</span>
        <span class="dim">${job.status.by && `by ${job.status.by}, `}<${When} at=${job.status.begun}/>${job.status.ended ? `, took ${tookText(new Date(job.status.ended) - new Date(job.status.begun))}` : ""}</span>
        <${Copy} text=${`reeve job watch ${number}`} what="copy the command that watches it"/><span class="head-space"></span>
        ${may("operator", job.metadata.cluster) && !isEnded(job) && html`<span class="buttons">${wordsOf(job).map((word) => html`<${Button} key=${word} onClick=${() => dialogSet([word, job])}>${word[0].toUpperCase() + word.slice(1)}</${Button}>`)}</span>`}</div>
      ${job.status.why && html`<p>${job.status.why}</p>`}
      ${!verb && html`<section><${Groups} job=${job}/></section>`}
      ${verb && !isEnded(job) && html`<${Rests} job=${job}/>`}
      ${!verb && !isEnded(job) && html`<${Grid} job=${job}/>`}
      ${!isEnded(job) && waits.length > 0 && html`<section><h2>It waits for</h2><div class="needs data">${waits.map((hold) => html`<${Hold} key=${hold.metadata.name} hold=${hold}/>`)}</div></section>`}
      ${(job.status.problems ?? []).length > 0 && html`<${Problems} job=${job}/>`}`;
  })}${dialog && html`<${WordDialog} word=${dialog[0]} job=${dialog[1]} onClose=${() => dialogSet(null)}/>`}`;
}
