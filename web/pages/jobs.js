// Jobs: what changes are still bringing about, and brought.
import { useState } from "preact/hooks";
import { html } from "../app/html.js";
import { useKeys } from "../app/keys.js";
import { href } from "../app/router.js";
import { may } from "../data/api.js";
import { holds, jobs } from "../data/store.js";
import { JobDialog } from "../parts/change.js";
import { Hold, PAUSED } from "../parts/holds.js";
import { Button, Copy, Empty, State, tookText, When } from "../parts/parts.js";
import { isEnded, jobText } from "./clusters.js";

function took({ status: { begun, ended } }) {
  return ended ? tookText(ended - begun) : html`since <${When} at=${begun}/>`;
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
  if (!jobs.value.length) {
    return html`<h1>Jobs</h1><${Empty} title="Nothing was changed yet."><p>Every change that makes or destroys machines is a job, and is followed here:</p>
      <p><code>reeve apply -f my.yaml</code><${Copy} text="reeve apply -f my.yaml"/></p></${Empty}>`;
  }
  return html`<div class="head"><h1>Jobs</h1></div>
    <section aria-label="under way"><h2>Under way <span class="dim">${running.length}</span></h2>${running.length ? html`<${Table} list=${running}/>` : html`<p class="dim">All that was wanted is there.</p>`}</section>
    <section aria-label="ended"><h2>Ended <span class="dim">${ended.length}</span></h2>${ended.length > 0 && html`<${Table} list=${ended}/>`}</section>`;
}

function Groups({ job }) {
  return html`<div class="table-scroll"><table class="table data"><thead><tr><th scope="col">Group</th><th scope="col" class="wide">Done</th><th scope="col" class="number">Ready</th>
    <th scope="col" class="number">Being made</th><th scope="col" class="number">Leaving</th><th scope="col" class="number">To replace</th></tr></thead>
    <tbody>${(job.status.groups ?? []).map((part) => html`<tr key=${part.group}><td><a href=${href(["groups", job.metadata.cluster, ...part.group.split("/")])}>${part.group}</a></td>
      <td class="wide"><div class="rollout" role="img" aria-label=${`${part.ready} of ${part.wanted}`}><i class="new" style=${{ width: `${Math.min(100, (part.ready - part.old) / Math.max(1, part.wanted) * 100)}%` }}></i>
        <i class="making" style=${{ width: `${Math.min(100, part.creating / Math.max(1, part.wanted) * 100)}%` }}></i></div></td>
      <td class="number">${part.ready} / ${part.wanted}</td><td class="number">${part.creating || ""}</td><td class="number">${part.leaving || ""}</td><td class="number">${part.old || ""}</td></tr>`)}</tbody></table></div>`;
}

/** What may be said of a job in its state. */
function wordsOf({ metadata: { cluster } }) {
  const isPaused = holds.value.some(({ metadata, status }) => metadata.cluster === cluster && status.rule === PAUSED);
  return isPaused ? ["resume", "retry"] : ["cancel", "retry"];
}

export function Job({ parts: [, number] }) {
  const [dialog, dialogSet] = useState(null);
  const first = jobs.value.find((job) => job.metadata.name === number && !isEnded(job));
  const canSay = may("operator") && first;
  useKeys(canSay ? [["c", "cancel it", () => dialogSet(["cancel", first])], ["R", "try again what was refused", () => dialogSet(["retry", first])]] : [], [first?.metadata.id, first?.metadata.cluster]);
  const list = jobs.value.filter((job) => job.metadata.name === number);
  if (!list.length) {
    return html`<${Empty} title=${`There is no job ${number}.`}><p>Ended jobs are kept while they are among the newest of their cluster.</p><p><a href=${href(["jobs"])}>All jobs</a></p></${Empty}>`;
  }
  return html`${list.map((job) => {
    const waits = holds.value.filter((hold) => hold.metadata.cluster === job.metadata.cluster);
    return html`<div class="head"><h1><a class="crumb" href=${href(["jobs"])}>Jobs /</a> ${number}</h1><${State} word=${job.status.state}/>
        <a href=${href(["clusters", job.metadata.cluster])}>${job.metadata.cluster}</a><span>${jobText(job)}</span>
        <span class="dim">by ${job.status.by}, <${When} at=${job.status.begun}/>${job.status.ended ? `, took ${tookText(job.status.ended - job.status.begun)}` : ""}</span>
        <${Copy} text=${`reeve job watch ${number}`} what="copy the command that watches it"/><span class="head-space"></span>
        ${may("operator") && !isEnded(job) && html`<span class="buttons">${wordsOf(job).map((word) => html`<${Button} key=${word} onClick=${() => dialogSet([word, job])}>${word[0].toUpperCase() + word.slice(1)}</${Button}>`)}</span>`}</div>
      ${job.status.why && html`<p>${job.status.why}</p>`}
      <section><${Groups} job=${job}/></section>
      ${!isEnded(job) && waits.length > 0 && html`<section><h2>It waits for</h2><div class="needs data">${waits.map((hold) => html`<${Hold} key=${hold.metadata.name} hold=${hold}/>`)}</div></section>`}
      ${(job.status.troubles ?? []).length > 0 && html`<section><h2>Troubles</h2><ul class="steps">${job.status.troubles.map((trouble) => html`<li><span></span><span></span><span>${typeof trouble === "string" ? trouble : Object.values(trouble).join(" ")}</span></li>`)}</ul></section>`}`;
  })}${dialog && html`<${JobDialog} word=${dialog[0]} job=${dialog[1]} onClose=${() => dialogSet(null)}/>`}`;
}
