// All clusters: first what needs somebody, then each cluster in a line, those with problems first.
import { useState } from "preact/hooks";
import { html } from "../app/html.js";
import { useKeys } from "../app/keys.js";
import { go, href } from "../app/router.js";
import { may, session } from "../data/api.js";
import { clusters, fleet, holds, jobs, nodesTick, totals } from "../data/store.js";
import { PROBLEMS } from "../data/words.js";
import { readyOf } from "../data/facts.js";
import { Incidents, useIncidents } from "../parts/incidents.js";
import { Legend } from "../parts/nodes.js";
import { Bar, Copy, Empty, ReadyCell, ReadySum, State, When } from "../parts/parts.js";

export function isEnded({ status: { ended, state } }) {
  return Boolean(ended) || state === "done" || state === "superseded";
}

/** The job of the newest change of a cluster, unless it has ended; what runs stages again changes nothing. */
export function changeOf(name) {
  return jobs.value.find((one) => one.metadata.cluster === name && !one.status.verb && !isEnded(one));
}

/** The one that is shown in short: of a change, or else what runs stages again. */
export function jobOf(name) {
  return changeOf(name) ?? jobs.value.find((one) => one.metadata.cluster === name && !isEnded(one));
}

const CUTS = { canary: "a canary has failed", failed: "too many machines have failed", deadline: "the deadline has passed", cancelled: "the job was cancelled" };
const DONE = { rollout: "with the changed stages", verify: "verified", correct: "corrected", drain: "drained", undrain: "in service again", commission: "in service", decommission: "out of their groups" };
const PARTS = [["failed", "failed"], ["staging", "in progress"], ["waiting", "waiting"], ["skipped", "not started"], ["gone", "gone"]];

/** "bootstrap, batch 3 of 24: 24 of 120 run again, 1 failed, 90 waiting": machines whose stages run again in batches. */
function batchesText({ verb, machines, batch, cut, ended }) {
  if (!machines.wanted) return `${verb}, of unknown machines`;
  const place = batch && !ended ? `, batch ${batch.number} of ${batch.count}${batch.canary ? " (canary)" : ""}` : "";
  const parts = PARTS.filter(([key]) => machines[key]).map(([key, words]) => `, ${machines[key]} ${words}`);
  return `${verb}${place}: ${machines.ready} of ${machines.wanted} ${DONE[verb] ?? "run again"}${parts.join("")}${cut ? `; ${CUTS[cut] ?? cut}` : ""}`;
}

/** "3 of 5 ready": how far a job is. */
export function jobText({ status }) {
  const { machines, verb } = status;
  return !machines ? "" : verb ? batchesText(status) : `${machines.ready} of ${machines.wanted} ready`;
}

function Row({ cluster, isAt, onPoint }) {
  const { name, nodes, updated, by } = cluster.metadata;
  const counts = fleet.totalsOf(name);
  const job = jobOf(name);
  const held = holds.value.filter((one) => one.metadata.cluster === name).length;
  const old = (job?.status.groups ?? []).reduce((sum, part) => sum + part.old, 0);
  return html`<tr aria-selected=${isAt} onMouseMove=${onPoint}>
    <td><a class="name" href=${href(["clusters", name])}>${name}</a></td>
    <td class="wide"><${Bar} totals=${counts} wanted=${nodes} label=${name}/></td>
    <${ReadyCell} ...${readyOf(name)} wanted=${nodes}/>
    <td class="hide-small">${job && html`<a href=${href(["jobs", job.metadata.name])}><${State} word=${job.status.state}/></a> <span class="dim">${jobText(job)}</span>`}</td>
    <td class="number hide-small">${old || ""}</td><td class="number hide-small">${held || ""}</td>
    <td class="hide-small dim"><${When} at=${updated}/> by ${by}</td></tr>`;
}

/** Where nothing needs anybody it says so. */
function Needs({ wanted }) {
  const list = useIncidents();
  const { ready } = readyOf();
  if (!list.length && wanted > 0 && ready === wanted) return html`<p class="dim calm">All ${wanted} nodes are ready, and nothing waits for you.</p>`;
  return html`<${Incidents} list=${list}/>`;
}

export function Clusters() {
  const [at, atSet] = useState(0);
  nodesTick.value; // counters below come from the fleet
  const urgencyOf = ({ metadata: { name } }) => {
    const counts = fleet.totalsOf(name);
    return counts.slice(0, PROBLEMS).reduce((a, b) => a + b, 0) * 1000 + holds.value.filter((one) => one.metadata.cluster === name).length;
  };
  const list = clusters.value.map((one) => [urgencyOf(one), one]).sort((a, b) => b[0] - a[0]).map(([, one]) => one);
  const place = Math.min(at, list.length - 1);
  useKeys([["j", "next cluster", () => atSet(Math.min(place + 1, list.length - 1))], ["k", "cluster before", () => atSet(Math.max(place - 1, 0))],
    ["Enter", "open it", () => list[place] && go(href(["clusters", list[place].metadata.name]))]], [place, list.length]);
  if (!list.length && !may("viewer", "")) {
    return html`<h1>Clusters</h1><${Empty} title="You have no access to any cluster."><p>You are ${session.value?.user}, with no role in the tenant ${session.value?.tenant}. An admin of it can grant one:</p>
      <p><code>reeve api POST /v1/grants -d '{"user":"${session.value?.user}","role":"viewer"}'</code></p></${Empty}>`;
  }
  if (!list.length) {
    return html`<h1>Clusters</h1><${Empty} title="There is no cluster yet.">
      ${may("operator") && html`<p><a class="button main" href=${href(["apply"])}>Write a file here</a></p>`}
      <p>${may("operator") ? "Or on the command line: write" : "Write"} a first file, check its plan, and apply it:</p>
      <p><code>reeve init my.yaml</code> <code>reeve plan -f my.yaml</code> <code>reeve apply -f my.yaml</code><${Copy} text="reeve init my.yaml && reeve apply -f my.yaml"/></p></${Empty}>`;
  }
  const wanted = list.reduce((sum, { metadata }) => sum + metadata.nodes, 0);
  return html`<div class="head"><h1>Clusters</h1><div class="health"><${Bar} totals=${totals.value} wanted=${wanted} label="all machines"/></div>
      <${ReadySum} ...${readyOf()} wanted=${wanted}/><span class="head-space"></span>
      <${Legend} totals=${totals.value} outdated=${readyOf().outdated} chosen=${new Set()} onChoose=${(word) => go(href(["fleet"], { state: word }))}/></div>
    <${Needs} wanted=${wanted}/>
    <div class="table-scroll"><table class="table data"><thead><tr><th scope="col">Cluster</th><th scope="col">Health</th><th scope="col" class="number">Ready</th>
      <th scope="col" class="hide-small">Job</th><th scope="col" class="number hide-small">To replace</th><th scope="col" class="number hide-small">Holds</th><th scope="col" class="hide-small">Last change</th></tr></thead>
      <tbody>${list.map((cluster, number) => html`<${Row} key=${cluster.metadata.id} cluster=${cluster} isAt=${number === place} onPoint=${() => atSet(number)}/>`)}</tbody></table></div>`;
}
