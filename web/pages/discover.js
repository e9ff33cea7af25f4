// Discover: machines of the inventory that wait for a group, with what is known of each and why; several go into a group together, with the plan beside.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { href, queryPut, view } from "../app/router.js";
import { ask, may } from "../data/api.js";
import { clusters, groups } from "../data/store.js";
import { ManyDialog } from "../parts/bulk.js";
import { asProblem, ChangeDialog, MERGE, pathOf, quoted } from "../parts/change.js";
import { allowFlag } from "../parts/plan.js";
import { Button, Copy, Empty, Note, ProblemNote, When } from "../parts/parts.js";

const LOOK_MS = 3000;
const SWATCH = { discovered: "ready", disappeared: "unreachable", unknown: "creating" };

function useRows() {
  const [reply, replySet] = useState({});
  const [turn, turnSet] = useState(0);
  useEffect(() => {
    let isOver = false, timer = 0;
    async function look() {
      try {
        const answer = await ask("GET", "/v1/nodes?discovered=1");
        if (!isOver) replySet({ ...answer });
      } catch (error) {
        if (!isOver) replySet((before) => ({ ...before, problem: asProblem(error) }));
      }
      if (!isOver) timer = setTimeout(look, LOOK_MS);
    }
    look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [turn]);
  return [reply, () => turnSet((n) => n + 1)];
}

const conditionOf = (row, type) => row.conditions?.find((one) => one.type === type);
const isApproved = (row) => row.approved !== undefined && row.approved.key === row.fingerprint;
const isFree = (row) => !row.claim && !row.reserved;

/** The group that has the machine, or will have it: CLUSTER/GROUP. */
function groupOf(row) {
  const own = row.claim ?? row.reserved;
  return own && row.cluster ? `${row.cluster}/${own.group}` : "";
}

/** What it waits for, and what comes next. */
function waitsFor(row) {
  if (row.claim) return `nothing: member ${row.cluster}/${row.claim.name}`;
  if (row.reserved) return `a slot in ${groupOf(row)}`;
  if (row.ignored) return "nothing: ignored";
  const pending = conditionOf(row, "cleanupPending");
  if (pending) return `cleanup: ${pending.reason ?? "pending"}`;
  const stop = conditionOf(row, "duplicate") ?? conditionOf(row, "flapping");
  if (stop) return stop.reason ?? stop.type;
  if (row.state !== "discovered") return "the return of the machine";
  const failed = conditionOf(row, "failed");
  if (failed) return `an operator: ${failed.reason ?? "failed"}`;
  return isApproved(row) ? "a group" : "approval of the host key, and a group";
}

/** Can it be taken now? The manager decides; this is what is offered. */
const isOffered = (row) => isFree(row) && !row.ignored && row.state === "discovered" && !conditionOf(row, "flapping") && !row.cleanupPending && Boolean(row.fingerprint);

/** May it be moved to another group? Its group becomes smaller first. */
const isMovable = (row) => Boolean(row.claim) && !row.reserved && row.state === "discovered" && Boolean(row.fingerprint);

/** Groups whose machines come from the inventory. */
function groupsThatTake() {
  const byDefault = new Set(clusters.value.filter(({ spec }) => spec?.defaults?.resourcePlugin?.name === "inventory").map(({ metadata }) => metadata.name));
  return groups.value.filter(({ spec, metadata }) => (spec?.resourcePlugin?.name ? spec.resourcePlugin.name === "inventory" : byDefault.has(metadata.cluster)))
    .map(({ metadata, spec }) => ({ name: `${metadata.cluster}/${metadata.name}`, size: spec.size ?? 0 }));
}

/** Some machines into a group: a larger size that names them and the fingerprints of their keys, which the consent approves. Machines that
 * serve already are adopted: no stage runs on them. */
function CommissionDialog({ rows, taken, onClose, onDone }) {
  const all = groupsThatTake();
  const [chosen, nameSet] = useState("");
  const name = chosen || (all[0]?.name ?? "");
  const [isAdoption, adoptionSet] = useState(false);
  const group = all.find((one) => one.name === name);
  const words = taken.map((row) => (isApproved(row) ? row.id : `${row.id}=${row.fingerprint}`)).join(",");
  const has = rows.filter((row) => groupOf(row) === name).length;
  const change = group && { method: "PATCH", path: `/v1/nodegroups/${pathOf(name)}`, pinAt: `/v1/nodegroups/${pathOf(name)}`, type: MERGE, query: { commission: words, adopt: isAdoption ? "1" : "" },
    body: { size: Math.max(group.size, has + taken.length) }, command: `reeve ${isAdoption ? "adopt" : "commission"} ${taken.map((row) => row.id).join(" ")} -g ${quoted(name)}` };
  return html`<${ChangeDialog} title=${`${isAdoption ? "Adopt" : "Commission"} ${taken.length} machine${taken.length === 1 ? "" : "s"}`} change=${change ?? null} onDone=${onDone} onClose=${onClose}
    deed=${() => `Take ${taken.length} into ${name}`}>
    ${all.length ? html`<label class="field"><span>Group</span><select class="select" name="group" value=${name} onChange=${(event) => nameSet(event.currentTarget.value)}>
        ${all.map((one) => html`<option key=${one.name} value=${one.name}>${one.name} (${one.size} now)</option>`)}</select></label>`
    : html`<${Note} kind="warn" title="No group takes machines of the inventory."><p>A group does so with <code>resourcePlugin: {name: inventory}</code>.</p></${Note}>`}
    <label class="check"><input type="checkbox" name="adopt" checked=${isAdoption} onChange=${(event) => adoptionSet(event.currentTarget.checked)}/> adopt as they are: reeve writes keys and facts; no stage and no configuration runs on them</label>
    <dl class="facts data">${taken.map((row) => html`<dt key=${row.id}>${row.name}</dt><dd><code>${row.fingerprint}</code> ${isApproved(row) ? "approved" : "observed by the manager, not verified: this approves it"}</dd>`)}</dl>
  </${ChangeDialog}>`;
}

/** The changes of the groups that machines leave: each becomes smaller by those that it has. */
function leavesOf(taken, target, all) {
  const rows = new Map();
  for (const row of taken.filter((one) => one.claim && groupOf(one) !== target)) rows.set(groupOf(row), [...rows.get(groupOf(row)) ?? [], row]);
  return [...rows].map(([subject, list]) => ({ subject, path: `/v1/nodegroups/${pathOf(subject)}`, query: { victims: list.map((row) => row.claim.name).join() },
    body: { size: Math.max(0, (all.find((one) => one.name === subject)?.size ?? list.length) - list.length) } }));
}

/** Members of other groups, and machines that wait, into a group: each member leaves its group and is cleaned up there first. The larger group is
 * asked for first: if it refuses, nothing has changed. */
function MoveDialog({ rows, taken, onClose, onDone }) {
  const all = groupsThatTake();
  const free = all.filter((one) => !taken.some((row) => groupOf(row) === one.name));
  const [chosen, nameSet] = useState("");
  const name = chosen || (free[0]?.name ?? "");
  const group = free.find((one) => one.name === name);
  const words = taken.map((row) => (isApproved(row) ? row.id : `${row.id}=${row.fingerprint}`)).join(",");
  const has = rows.filter((row) => groupOf(row) === name).length;
  const changes = group ? [{ subject: name, path: `/v1/nodegroups/${pathOf(name)}`, query: { commission: words, move: "1" }, body: { size: Math.max(group.size, has + taken.length) } },
    ...leavesOf(taken, name, all)] : [];
  return html`<${ManyDialog} title=${`Move ${taken.length} machine${taken.length === 1 ? "" : "s"}`} changes=${changes} onClose=${() => { onDone(); onClose(); }}
    commandOf=${(needs, flags) => `reeve commission ${taken.map((row) => row.id).join(" ")} -g ${quoted(name)} --move${allowFlag(needs)}${flags}`}>
    <p>Each member leaves its group, which becomes smaller, and is cleaned up there, as by reeve decommission. Then it joins the other group.</p>
    ${free.length ? html`<label class="field"><span>Group</span><select class="select" name="group" value=${name} onChange=${(event) => nameSet(event.currentTarget.value)}>
        ${free.map((one) => html`<option key=${one.name} value=${one.name}>${one.name} (${one.size} now)</option>`)}</select></label>`
    : html`<${Note} kind="warn" title="No other group takes machines of the inventory."/>`}
    <dl class="facts data">${taken.map((row) => html`<dt key=${row.id}>${row.name}</dt><dd>${row.claim ? `leaves ${groupOf(row)}, where it is ${row.claim.name}` : "waits"}</dd>`)}</dl>
  </${ManyDialog}>`;
}

function Sources({ row }) {
  return html`${(row.sources ?? []).map((one) => html`<div key=${`${one.kind} ${one.name ?? ""}`}>${one.kind}${one.name ? ` as ${one.name}` : ""}${one.note ? `, ${one.note}` : ""}, <${When} at=${one.lastSeen}/></div>`)}`;
}

function Card({ row, isChosen, onChoose, onAct }) {
  const facts = Object.entries(row.facts ?? {}).filter(([, value]) => typeof value !== "object");
  const shown = row.claim ? (row.state === "discovered" ? "claimed" : `claimed, ${row.state}`) : conditionOf(row, "flapping") ? "flapping" : row.state;
  const address = row.port && row.port !== 22 ? `${row.address}:${row.port}` : row.address;
  return html`<article class="found" aria-label=${row.name}><header>
      ${(isOffered(row) || isMovable(row)) && may("operator") && html`<input type="checkbox" checked=${isChosen} aria-label=${`choose ${row.name}`} onChange=${onChoose}/>`}
      <b class="name">${row.name}</b><span class="state"><i class=${`swatch is-${SWATCH[row.state] ?? "creating"}`} aria-hidden="true"></i>${shown}</span>
      <span class="dim"><${When} at=${row.stateSince}/></span></header>
    <dl class="data"><dt>address</dt><dd>${address} <${Copy} text=${address ?? ""} what="copy the address"/></dd><dt>id</dt><dd>${row.id} <${Copy} text=${row.id} what="copy the id"/></dd>
      <dt>seen by</dt><dd><${Sources} row=${row}/></dd>
      <dt>key</dt><dd>${row.fingerprint ? html`<code>${row.fingerprint}</code><div class="dim">${isApproved(row) ? `approved by ${row.approved.by}` : "observed by the manager, not verified"}</div>` : html`<span class="dim">not known yet</span>`}</dd>
      ${row.identity?.serial && html`<dt>serial</dt><dd>${row.identity.serial}</dd>`}
      ${row.power && html`<dt>power</dt><dd>${row.power.state}${row.power.order ? `, ordered: ${row.power.order.action}` : ""} <span class="dim">${row.power.bmc}</span>${row.power.fault ? html`<div class="dim">${row.power.fault}</div>` : ""}</dd>`}
      ${row.factsRead?.error && html`<dt>login</dt><dd>failed: ${row.factsRead.error}</dd>`}
      ${facts.length > 0 && html`<dt>facts</dt><dd>${facts.map(([key, value]) => `${key} ${value}`).join(", ")}</dd>`}
      ${row.status && html`<dt>status</dt><dd>${row.status}${row.prevStatus ? html` <span class="dim">before: ${row.prevStatus}</span>` : ""}</dd>`}<dt>waits for</dt><dd>${waitsFor(row)}</dd></dl>
    ${may("operator") && isFree(row) && html`<footer>
      ${row.fingerprint && !isApproved(row) && html`<${Button} onClick=${() => onAct(`${row.id}/approve`, { fingerprint: row.fingerprint })}>Approve key</${Button}>`}
      <${Button} kind="quiet" onClick=${() => onAct(`${row.id}/ignore`, { ignored: !row.ignored })}>${row.ignored ? "Show again" : "Ignore"}</${Button}></footer>`}
  </article>`;
}

/** Duplicates stand side by side: rows that share an address of identity follow each other. */
function sorted(items) {
  const rank = (row) => (isOffered(row) ? 0 : row.claim ? 2 : 1);
  return [...items].sort((a, b) => rank(a) - rank(b) || (a.fingerprint ?? a.id).localeCompare(b.fingerprint ?? b.id) || a.name.localeCompare(b.name));
}

export function Discover() {
  const [{ items, hold, problem }, again] = useRows();
  const { query } = view.value;
  const word = query.get("q") ?? "", isAll = query.get("all") === "1";
  const [chosen, chosenSet] = useState(new Set());
  const [refused, refusedSet] = useState(null);
  const [isOpen, openSet] = useState(false);
  if (!items && !problem) return html`<h1>Discover</h1><p class="dim">loading ...</p>`;
  const waiting = (items ?? []).filter((row) => isAll || (!row.claim && !row.ignored));
  const shown = sorted(waiting.filter((row) => !word || [row.name, row.address, row.id, row.cluster].some((text) => text?.includes(word))));
  const taken = shown.filter((row) => chosen.has(row.id) && (isOffered(row) || isMovable(row)));
  const isMove = taken.some((row) => row.claim);
  async function act(path, body) {
    refusedSet(null);
    try {
      await ask("POST", `/v1/nodes/${path}`, { body });
    } catch (error) {
      refusedSet(asProblem(error));
    }
    again();
  }
  function choose(row) {
    chosenSet((before) => {
      const next = new Set(before);
      if (!next.delete(row.id)) next.add(row.id);
      return next;
    });
  }
  return html`<div class="head"><h1>Discover</h1><span class="dim">${shown.length} of ${items?.length ?? 0} machines</span></div>
    <${ProblemNote} problem=${problem ?? refused}/>
    ${hold && html`<${Note} kind="warn" title="No state of these machines changes now."><p>${hold.why}</p></${Note}>`}
    <div class="tools"><input class="filter" type="search" placeholder="name, address or id" aria-label="filter" value=${word} onInput=${(event) => queryPut({ q: event.currentTarget.value })}/>
      <label class="check"><input type="checkbox" checked=${isAll} onChange=${() => queryPut({ all: isAll ? "" : "1" })}/> also claimed and ignored ones</label>
      <span class="tools-set">${may("operator") && html`<${Button} kind="main" disabled=${!taken.length} onClick=${() => openSet(true)}>${isMove ? "Move" : "Commission"} ${taken.length || ""}</${Button}>`}</span></div>
    ${shown.length ? html`<div class="founds">${shown.map((row) => html`<${Card} key=${row.id} row=${row} isChosen=${chosen.has(row.id)} onChoose=${() => choose(row)} onAct=${act}/>`)}</div>`
    : html`<${Empty} title=${items?.length ? "No machine waits." : "No machine was discovered yet."}><p>Machines appear when they boot from the network of this manager, when an agent of serf reports them, when their network is probed (reeve discover 10.0.0.0/24), or by their address:</p>
      <p><code>reeve discover 10.0.0.5 --user ops --key KEY</code><${Copy} text="reeve discover 10.0.0.5 --user ops --key KEY"/></p><p><a href=${href([])}>All clusters</a></p></${Empty}>`}
    ${isOpen && html`<${isMove ? MoveDialog : CommissionDialog} rows=${items} taken=${taken} onClose=${() => openSet(false)} onDone=${() => { chosenSet(new Set()); again(); }}/>`}`;
}
