// The managers of the store, and which of them has which cluster; of the one that is asked: is it well, which plugins does it have.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { href } from "../app/router.js";
import { ask, session } from "../data/api.js";
import { conn, revision } from "../data/store.js";
import { Copy, Empty, ProblemNote, State, When } from "../parts/parts.js";
import { Rings } from "../parts/rings.js";

const LOOK_MS = 5000, CLUSTERS_SHOWN = 200;
// the colour of a manager's state is that of a node's
const COLOURS = { live: "ready", draining: "maintenance", drained: "maintenance", silent: "unhealthy", ended: "unreachable", gone: "unreachable" };

/** Figures of /metrics by name; those with labels add up. */
function figuresOf(text) {
  const found = {};
  for (const line of text.split("\n")) {
    const match = /^(\w+)(\{.*\})? (\S+)$/.exec(line);
    if (!match || /_bucket$/.test(match[1])) continue;
    found[match[1]] = (found[match[1]] ?? 0) + Number(match[3]);
    if (match[1] === "reeve_build_info") found.store = /store="(\w+)"/.exec(match[2])?.[1];
  }
  return found;
}

async function textGet(path) {
  const response = await fetch(path, { credentials: "same-origin", cache: "no-store" });
  return [response.ok, await response.text()];
}

function useManager() {
  const [reply, replySet] = useState({});
  useEffect(() => {
    let isOver = false, timer = 0;
    async function look() {
      try {
        const [[, metrics], [isReady, ready], plugins, managers] = await Promise.all([textGet("/metrics"), textGet("/readyz"), ask("GET", "/v1/plugins").catch((problem) => ({ problem })), ask("GET", "/v1/managers?clusters=1").catch(() => null)]);
        if (!isOver) replySet({ figures: figuresOf(metrics), isReady, ready, managers, ...(plugins.problem ? { problem: plugins.problem } : { plugins }) });
      } catch (problem) {
        if (!isOver) replySet((before) => ({ ...before, problem: problem.code ? problem : null }));
      }
      if (!isOver) timer = setTimeout(look, LOOK_MS);
    }
    look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [conn.value.state]);
  return reply;
}

export function bytesText(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes, at = 0;
  while (value >= 1000 && at < units.length - 1) {
    value /= 1000;
    at++;
  }
  return `${at && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[at]}`;
}

/** Revisions that have not reached the page yet, when the manager was last asked. */
function lagOf(figures) {
  return Math.max(0, (figures?.reeve_store_revision ?? 0) - revision.value);
}

function Figures({ figures: one }) {
  const behind = lagOf(one);
  const rows = [["store", one.store], ["its size", bytesText(one.reeve_store_bytes ?? 0)], ["revision", one.reeve_store_revision], ["this page", behind ? `${behind} revision${behind === 1 ? "" : "s"} behind` : "has the newest"], ["objects in memory", one.reeve_cache_objects],
    ["memory", bytesText(one.process_resident_memory_bytes ?? 0)], ["processor time", `${(one.process_cpu_seconds_total ?? 0).toFixed(1)} s`], ["connections", one.reeve_http_connections],
    ["who watches", one.reeve_watch_clients], ["requests", one.reeve_http_requests_total], ["open files", one.process_open_fds]];
  return html`<dl class="facts data">${rows.filter(([, value]) => value !== undefined).map(([key, value]) => html`<dt key=${key}>${key}</dt><dd>${value}</dd>`)}</dl>`;
}

function Plugins({ plugins }) {
  if (!plugins.items.length) return html`<${Empty} title="There is no plugin."><code>reeve plugin install FILE</code></${Empty}>`;
  return html`<div class="table-scroll"><table class="table data"><thead><tr><th scope="col">Plugin</th><th scope="col">Version</th><th scope="col" class="hide-small">About</th><th scope="col">Sandbox</th><th scope="col" class="hide-small number">Digest</th></tr></thead>
    <tbody>${plugins.items.map((one) => html`<tr key=${`${one.name} ${one.digest}`}><td class="named"><b>${one.name}</b><${Copy} text=${one.name} what="copy the name"/></td><td>${one.version}</td><td class="hide-small">${one.about}</td><td>${one.profile}</td>
      <td class="hide-small number"><code>${one.digest?.slice(0, 12)}</code><${Copy} text=${one.digest ?? ""} what="copy the digest"/></td></tr>`)}</tbody></table></div>`;
}

/** The state of a manager in its own word. */
function ManagerState({ state }) {
  return html`<span class="state"><i class=${`swatch is-${COLOURS[state] ?? "unreachable"}`} aria-hidden="true"></i>${state}</span>`;
}

function Rows({ items }) {
  return html`<div class="table-scroll"><table class="table data"><thead><tr><th scope="col">Manager</th><th scope="col">Zone</th><th scope="col">State</th><th scope="col" class="number">Clusters</th><th scope="col" class="number hide-small">Machines</th><th scope="col" class="hide-small">Since</th><th scope="col" class="hide-small">Version</th><th scope="col">Lacks</th></tr></thead>
    <tbody>${items.map((one) => html`<tr key=${one.id}><td class="named"><b>${one.name}</b><${Copy} text=${one.name} what="copy the name"/>${one.here && html` <span class="dim">this one</span>`}</td><td>${one.zone}</td>
      <td><${ManagerState} state=${one.state}/>${one.drainMessage && html` <span class="dim">${one.drainMessage}</span>`}${one.leaving && html` <span class="dim">leaves the store: ${one.leaving}</span>`}</td><td class="number">${one.clusters}</td><td class="number hide-small">${one.machines}</td><td class="hide-small">${one.since && html`<${When} at=${one.since}/>`}</td><td class="hide-small">${one.version}</td>
      <td>${one.lacks.map(({ plugin, reason }) => html`<div key=${plugin}>${plugin} <span class="dim">${reason}</span></div>`)}</td></tr>`)}</tbody></table></div>`;
}

/** The members of the store in etcd: which of them vote, lead, answer and lag. */
function Members({ members }) {
  return html`<div class="table-scroll"><table class="table data"><thead><tr><th scope="col">Member</th><th scope="col">Kind</th><th scope="col">State</th><th scope="col" class="number">Lag</th><th scope="col" class="hide-small">Version</th><th scope="col">Why</th></tr></thead>
    <tbody>${members.map((one) => html`<tr key=${one.id}><td class="named"><b>${one.name || one.peer}</b></td><td>${one.kind}${one.leader && html` <span class="dim">leader</span>`}</td>
      <td><span class="state"><i class=${`swatch is-${one.state === "answers" ? "ready" : "unreachable"}`} aria-hidden="true"></i>${one.state}</span>${one.silentSeconds !== undefined && html` <span class="dim">${one.silentSeconds} s</span>`}</td>
      <td class="number">${one.lag}</td><td class="hide-small">${one.version}</td><td>${one.reason}</td></tr>`)}</tbody></table></div>`;
}

/** The clusters and their lease holders; unassigned clusters are first. */
function Clusters({ clusters }) {
  if (!clusters.length) return html`<p class="dim">There are no clusters.</p>`;
  const sorted = [...clusters].sort((a, b) => a.assigned - b.assigned);
  return html`<div class="table-scroll"><table class="table data"><thead><tr><th scope="col">Cluster</th><th scope="col">Manager</th><th scope="col">Since</th><th scope="col">Why</th></tr></thead>
    <tbody>${sorted.slice(0, CLUSTERS_SHOWN).map((one) => html`<tr key=${one.cluster}><td><a class="name" href=${href(["clusters", one.cluster])}>${one.cluster}</a></td>
      <td>${one.assigned ? one.manager : html`<span class="state"><i class="swatch is-unhealthy" aria-hidden="true"></i>none</span>`}</td><td>${one.since && html`<${When} at=${one.since}/>`}</td><td>${one.reason}</td></tr>`)}</tbody></table></div>
    ${sorted.length > CLUSTERS_SHOWN && html`<p class="dim">and ${sorted.length - CLUSTERS_SHOWN} more</p>`}`;
}

export function Managers() {
  const { figures, isReady, ready, managers, plugins, problem } = useManager();
  const isLive = conn.value.state === "live";
  const word = isLive && isReady ? "ready" : isLive && isReady === undefined ? "starting" : isLive ? "unhealthy" : "unreachable";
  const isShared = managers?.store === "etcd" && managers.items.length > 0;
  const dots = isShared ? managers.items.map((one) => ({ name: one.name, zone: one.zone ?? "", word: one.here && !isLive ? "unreachable" : COLOURS[one.state] ?? "unreachable", lag: one.here ? lagOf(figures) : 0, isAsked: one.here }))
    : [{ name: location.host, zone: "", word, lag: lagOf(figures), isAsked: true }];
  return html`<div class="head"><h1>Managers</h1></div><${ProblemNote} problem=${problem}/>
    ${isShared && html`<section aria-label="managers"><h2>Managers of this store <span class="dim">${managers.items.length}</span></h2><${Rows} items=${managers.items}/></section>`}
    ${managers?.members?.length > 0 && html`<section aria-label="members"><h2>Members of the store <span class="dim">level ${managers.level}</span></h2>${managers.levelReason && html`<p>${managers.levelReason}</p>`}<${Members} members=${managers.members}/></section>`}
    <div class="beside"><section aria-label="zones"><h2>Zones</h2><${Rings} managers=${dots}/></section>
      <section aria-label="manager"><h2>${location.host} <${State} word=${word}/><${Copy} text=${location.host} what="copy the address"/></h2>
        ${figures ? html`<${Figures} figures=${figures}/>` : html`<p class="dim">asking ...</p>`}
        ${isReady === false && html`<p>${ready}</p>`}<p class="dim below">reeved ${session.value?.version}; ${isShared ? `${managers.items.length} managers share this store` : "one manager keeps this store"}. <code>reeve doctor</code> <${Copy} text="reeve doctor" what="copy the command"/></p></section></div>
    ${isShared && html`<section aria-label="assignment"><h2>Clusters <span class="dim">${managers.clusters.length}</span></h2><${Clusters} clusters=${managers.clusters}/></section>`}
    <section aria-label="plugins"><h2>Plugins <span class="dim">${plugins?.items.length ?? ""}</span></h2>${plugins ? html`<${Plugins} plugins=${plugins}/>` : !problem && html`<p class="dim">asking ...</p>`}</section>`;
}
