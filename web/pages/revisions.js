// Revisions. Of all: which images and bundles there are, who uses what, what is being replaced. Of one cluster: who changed it,
// when, why; what differs between two of them; going back to one.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { useKeys } from "../app/keys.js";
import { href, queryPut, view } from "../app/router.js";
import { ask, may } from "../data/api.js";
import { clusters, fleet, groups, holds, jobs, nodesTick } from "../data/store.js";
import { yamlWrite } from "../data/yaml.js";
import { asProblem, RolloutDialog, UndoDialog } from "../parts/change.js";
import { Diff } from "../parts/diff.js";
import { useOfFleet } from "../parts/nodes.js";
import { Button, Copy, Empty, ProblemNote, When } from "../parts/parts.js";
import { isEnded } from "./clusters.js";
import { Configs } from "./configs.js";
import { useEvents } from "./events.js";
import { rollWords } from "./group.js";

/** An object as a file: its spec with its names. */
export function fileOf({ metadata: { name, labels }, spec }) {
  return yamlWrite({ name, ...(labels && !spec.labels ? { labels } : {}), ...spec });
}

function useHistory(name) {
  const [reply, replySet] = useState({});
  const now = clusters.value.find(({ metadata }) => metadata.name === name)?.metadata.revision;
  useEffect(() => {
    let isOver = false;
    ask("GET", `/v1/clusters/${encodeURIComponent(name)}?view=history`)
      .then(({ items }) => { if (!isOver) replySet({ items }); }, (error) => { if (!isOver) replySet({ problem: asProblem(error) }); });
    return () => { isOver = true; };
  }, [name, now]);
  return reply;
}

function useFiles(name, from, to) {
  const [reply, replySet] = useState({});
  useEffect(() => {
    let isOver = false;
    const get = (at) => (at ? ask("GET", `/v1/clusters/${encodeURIComponent(name)}?at=${encodeURIComponent(at)}`).then(fileOf) : "");
    replySet({});
    Promise.all([get(from), get(to)]).then(([before, after]) => { if (!isOver) replySet({ before, after }); }, (error) => { if (!isOver) replySet({ problem: asProblem(error) }); });
    return () => { isOver = true; };
  }, [name, from, to]);
  return reply;
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
        <td>${one.by}</td><td>${one.why ?? ""}</td>${may("operator") && html`<td class="number">${place > 0 && !one.deleted && html`<${Button} kind="quiet" aria-label=${`back to revision ${one.revision}`} onClick=${() => undoneSet(one.revision)}>Restore it</${Button}>`}</td>`}</tr>`)}</tbody></table></div></section>
      <${Between} name=${name} from=${from} to=${to}/></div>
    ${undone > 0 && html`<${UndoDialog} kind="cluster" plural="clusters" name=${name} to=${undone} onClose=${() => undoneSet(0)}/>`}`;
}

const STEPS = 40;
const READY = ["machine.ready"], FAILED = ["node.failed", "node.stage_failed", "machine.refused"];

/** How a rollout went until now, in so many steps: [{made, failed}], both counted from its begin. */
export function overTime(events, group, begun, now) {
  const steps = Array.from({ length: STEPS }, () => ({ made: 0, failed: 0 }));
  const width = Math.max(1, now - begun) / STEPS;
  const last = new Map(); // of each node only the newest counts: one that has failed may be well again
  for (const { group: of, node, type, time } of events) {
    const at = Date.parse(time), isReady = READY.includes(type);
    if (of !== group || !node || at < begun || (!isReady && !FAILED.includes(type))) continue;
    const step = Math.min(STEPS - 1, Math.floor((at - begun) / width)), before = last.get(node);
    const word = isReady ? "made" : "failed";
    if (before === word) continue;
    for (let place = step; place < STEPS; place++) {
      steps[place][word]++;
      if (before) steps[place][before]--;
    }
    last.set(node, word);
  }
  return steps;
}

/** Old, new and failed machines of a group that is being replaced, from the begin of its job until now. */
function OverTime({ id, group, part, begun }) {
  const { items } = useEvents(id);
  const steps = overTime(items, group, begun, Date.now());
  const now = steps.at(-1);
  const whole = Math.max(1, part.wanted), share = (count) => ({ height: `${Math.min(100, count / whole * 100)}%` });
  const before = Math.max(0, part.wanted - part.old - now.made); // new before the oldest event that is shown
  return html`<div class="overtime" role="img" aria-label=${`${before + now.made} new, ${part.old} old, ${now.failed} failed of ${part.wanted}, since it began`}>${steps.map(({ made, failed }, at) => html`
    <i key=${at}><b class="new" style=${share(before + made)}></b><b class="failed" style=${share(failed)}></b><b class="old" style=${share(Math.max(0, whole - before - made - failed))}></b></i>`)}</div>`;
}

/** Groups of which machines are still of something else than is wanted: [{job, part, cluster, held}]. */
function rollingOf() {
  return jobs.value.filter((job) => !isEnded(job)).flatMap((job) => (job.status.groups ?? []).filter((part) => part.old > 0).map((part) => ({
    job, part, cluster: job.metadata.cluster, subject: `${job.metadata.cluster}/${part.group}`,
    held: holds.value.filter(({ metadata }) => metadata.cluster === job.metadata.cluster && (!metadata.group || metadata.group === part.group)),
  })));
}

function Rolling({ one: { job, part, cluster, subject, held }, isAt, onPoint, onSay }) {
  const id = clusters.value.find(({ metadata }) => metadata.name === cluster)?.metadata.id;
  return html`<tr aria-selected=${isAt} onMouseMove=${onPoint}><td><a class="name" href=${href(["groups", cluster, ...part.group.split("/")])}>${subject}</a></td>
    <td class="wide">${id && html`<${OverTime} key=${job.metadata.name} id=${id} group=${part.group} part=${part} begun=${Date.parse(job.status.begun)}/>`}</td>
    <td class="number">${part.old}</td><td class="number">${part.wanted}</td><td><a href=${href(["jobs", job.metadata.name])}>job ${job.metadata.name}</a></td>
    ${may("operator") && html`<td class="number">${rollWords(part, held).map((word) => html`<${Button} key=${word} kind="quiet" aria-label=${`${word} the rollout of ${subject}`} onClick=${() => onSay([word, subject])}>${word}</${Button}>`)}</td>`}</tr>`;
}

function Rollouts() {
  const [said, saidSet] = useState(null);
  const [at, atSet] = useState(0);
  const list = rollingOf(), place = Math.min(at, list.length - 1), one = list[place];
  const words = one ? rollWords(one.part, one.held) : [];
  const key = (word) => words.includes(word) && saidSet([word, one.subject]);
  useKeys(may("operator") ? [["j", "next rollout", () => atSet(Math.min(place + 1, list.length - 1))], ["k", "rollout before", () => atSet(Math.max(place - 1, 0))],
    ["P", "pause it", () => key("pause")], ["R", "resume it", () => key("resume")], ["U", "undo it", () => key("undo")]] : [], [place, one?.subject, words.join()]);
  return html`<section aria-label="rollouts"><h2>Being replaced <span class="dim">${list.length}</span></h2>
    ${list.length === 0 ? html`<p class="dim">Every machine matches its file.</p>` : html`<div class="table-scroll"><table class="table data"><thead><tr><th scope="col">Group</th><th scope="col" class="wide">New and old, since it began</th><th scope="col" class="number">To replace</th>
      <th scope="col" class="number">Wanted</th><th scope="col">Job</th>${may("operator") && html`<th scope="col"><span class="unseen">do</span></th>`}</tr></thead>
      <tbody>${list.map((rolling, number) => html`<${Rolling} key=${rolling.subject} one=${rolling} isAt=${number === place} onPoint=${() => atSet(number)} onSay=${saidSet}/>`)}</tbody></table></div>`}
    ${said && html`<${RolloutDialog} word=${said[0]} subject=${said[1]} onClose=${() => saidSet(null)}/>`}</section>`;
}

const NOT_SAID = "not set by group or cluster";

/** What groups say that they are made of, the most used first: [[text, groups]]. read: texts of a group, or of its cluster's defaults. */
function usersOf(read) {
  const owners = new Map(clusters.value.map((one) => [one.metadata.name, one]));
  const found = new Map();
  for (const group of groups.value) {
    for (const text of read(group.spec) ?? read(owners.get(group.metadata.cluster)?.spec?.defaults) ?? [NOT_SAID]) found.set(text, [...found.get(text) ?? [], group]);
  }
  return [...found].sort(([a, first], [b, second]) => (a === NOT_SAID) - (b === NOT_SAID) || second.length - first.length || a.localeCompare(b, "en"));
}

const GROUPS_SHOWN = 20;

function machinesOf({ metadata: { cluster, name } }) {
  return fleet.totalsOf(cluster, name).reduce((a, b) => a + b, 0);
}

/** Machines by the image that each was created from, as its own record says: [[image, machines]]. A rollout that is under way, or was
 * taken back, leaves machines of an image that no group names any more. */
function imagesOf() {
  const counts = new Map();
  for (let row = 0; row < fleet.rows; row++) if (fleet.isThere(row)) counts.set(fleet.image[row], (counts.get(fleet.image[row]) ?? 0) + 1);
  return new Map([...counts].map(([place, count]) => [fleet.texts.image.list[place] || NOT_SAID, count]));
}

/** What groups name, and beside it what machines are made of though no group names it any more. */
function Images({ rolling }) {
  const made = useOfFleet(imagesOf, "");
  const named = usersOf((said) => (said?.image ? [said.image] : undefined));
  const former = [...made.keys()].filter((text) => !named.some(([one]) => one === text)).map((text) => [text, []]);
  return html`<${Uses} title="Images" what="Image" list=${[...named, ...former]} rolling=${rolling} countOf=${(text) => made.get(text) ?? 0} more=${html`<a href=${href(["fleet"], { by: "image" })}>as a map</a>`}/>`;
}

function Uses({ title, what, list, rolling, countOf, more }) {
  return html`<section aria-label=${title}><h2>${title} <span class="dim">${list.length}</span> <span class="head-space"></span>${more}</h2><div class="table-scroll"><table class="table data"><thead><tr><th scope="col">${what}</th><th scope="col" class="number">Machines</th>
    <th scope="col" class="number">Not yet</th><th scope="col" class="wide">Used by</th></tr></thead><tbody>${list.map(([text, users]) => html`<tr key=${text}><td>${text === NOT_SAID ? html`<span class="dim">${text}</span>` : html`<code>${text}</code> <${Copy} text=${text} what="copy it"/>`}</td>
      <td class="number">${countOf(text, users)}</td><td class="number">${users.reduce((sum, { metadata }) => sum + (rolling.get(`${metadata.cluster}/${metadata.name}`) ?? 0), 0) || ""}</td>
      <td class="wide uses">${users.slice(0, GROUPS_SHOWN).map(({ metadata }) => html`<a key=${metadata.id} href=${href(["groups", metadata.cluster, ...metadata.name.split("/")])}>${metadata.cluster}/${metadata.name}</a> `)}
        ${users.length > GROUPS_SHOWN && html`<span class="dim">and ${users.length - GROUPS_SHOWN} more</span>`}</td></tr>`)}</tbody></table></div></section>`;
}

/** "hello@sha256:0123456789ab": a bundle by the name and the digest that it has. */
function bundlesOf(said) {
  return said?.bootstrap?.length ? said.bootstrap.map(({ bundle, tar }) => (bundle ?? tar ?? "").replace(/(@sha256:[0-9a-f]{12})[0-9a-f]+$/, "$1")) : undefined;
}

export function AllRevisions() {
  nodesTick.value;
  if (!groups.value.length) return html`<h1>Revisions</h1><${Empty} title="There is no cluster yet."><p>The images and bundles of all groups are shown here, with the groups that use them. To create a first cluster:</p>
    <p><code>reeve init my.yaml</code> <code>reeve apply -f my.yaml</code><${Copy} text="reeve init my.yaml && reeve apply -f my.yaml"/></p></${Empty}>`;
  const rolling = new Map(rollingOf().map(({ subject, part }) => [subject, part.old]));
  const bundles = usersOf(bundlesOf).filter(([text]) => text !== NOT_SAID);
  return html`<div class="head"><h1>Revisions</h1></div><${Rollouts}/>
    <${Images} rolling=${rolling}/>
    ${bundles.length > 0 && html`<${Uses} title="Bundles" what="Bundle" list=${bundles} rolling=${rolling} countOf=${(text, users) => users.reduce((sum, one) => sum + machinesOf(one), 0)}/>`}
    <${Configs}/>
    <section aria-label="clusters"><h2>Changes of clusters</h2><p class="chips">${clusters.value.slice(0, 60).map(({ metadata: { name } }) => html`<a key=${name} class="chip" href=${href(["revisions", name])}>${name}</a>`)}</p></section>`;
}
