// One machine: what it is, how it came about, what was decided about it and why.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { href } from "../app/router.js";
import { ask, Problem } from "../data/api.js";
import { fleet, nodesTick } from "../data/store.js";
import { WORDS } from "../data/words.js";
import { Copy, Empty, Note, ProblemNote, State, tookText, When } from "../parts/parts.js";
import { because } from "./events.js";

// What a machine lives through: from the event that begins it to the one that ends it.
const STAGES = [["asked for", "machine.wanted", ["machine.made", "machine.refused"]], ["being made", "machine.made", ["machine.ready"]],
  ["ready", "machine.ready", ["machine.condemned", "machine.gone"]], ["leaving", "machine.condemned", ["machine.ended", "machine.gone"]]];

/** The stages of the machine that has this token. */
function stagesOf(steps, token) {
  const own = steps.filter((step) => !token || step.token === token);
  return STAGES.map(([name, first, ends]) => {
    const begin = own.find((step) => step.type === first);
    const end = begin && own.find((step) => ends.includes(step.type) && step.revision >= begin.revision);
    return begin && { name, from: Date.parse(begin.time), to: end ? Date.parse(end.time) : null };
  }).filter(Boolean);
}

function Timeline({ steps, token }) {
  const stages = stagesOf(steps, token);
  if (!stages.length) return html`<p class="dim">Its events are not kept any more.</p>`;
  const first = stages[0].from;
  const isOpen = stages.at(-1).to === null;
  // what goes on would make all that is over invisible: it gets a fixed share at the end
  const past = Math.max(1, ...stages.map(({ from, to }) => (to ?? from) - first));
  const whole = isOpen ? past * 1.35 : past;
  return html`<ol class="timeline data" aria-label="timeline">${stages.map(({ name, from, to }) => html`<li key=${name}><span>${name}</span>
    <span class="track" aria-hidden="true"><i class=${`${name === "ready" ? "is-ready" : name === "leaving" ? "is-leaving" : "is-creating"}${to === null ? " is-open" : ""}`}
      style=${{ left: `${(from - first) / whole * 100}%`, width: `${((to ?? first + whole) - from) / whole * 100}%` }}></i></span>
    <span class="number">${to === null ? html`<${When} at=${from}/>` : tookText(to - from)}</span></li>`)}</ol>`;
}

function factsOf({ metadata, status }) {
  const since = status.made ? html`<${When} at=${status.made}/>` : "";
  return [["group", html`<a href=${href(["clusters", metadata.cluster], { group: status.group })}>${metadata.cluster}/${status.group}</a>`],
    ["because", status.reason?.replaceAll("_", " ")], ["cause", status.cause], ["fault", status.fault], ["tries", status.tries],
    ["machine", status.id && html`${status.id} <${Copy} text=${status.id} what="copy the machine's id"/>`], ["plugin", status.plugin],
    ["address", status.address && html`${status.address} <${Copy} text=${status.address} what="copy the address"/>`],
    ["zone", status.zone], ["slot", status.slot], ["made", since], ["generation", status.generation], ["protected", status.protected && "yes"],
    ["token", metadata.id]].filter(([, value]) => value !== undefined && value !== "" && value !== false);
}

/** What is asked of the manager about one machine, asked again when it changes. */
function useNode(cluster, name) {
  const [found, foundSet] = useState({});
  const row = fleet.find(cluster, name);
  const token = row < 0 ? "" : fleet.ids[row];
  const version = row < 0 ? "gone" : `${token} ${fleet.word[row]}`;
  useEffect(() => {
    let isOver = false;
    const query = `cluster=${encodeURIComponent(cluster)}`;
    Promise.all([token ? ask("GET", `/v1/resources/${encodeURIComponent(token)}?${query}`).catch(() => null) : null,
      ask("GET", `/v1/why?${query}&name=${encodeURIComponent(name)}`).catch((error) => error)])
      .then(([object, why]) => { if (!isOver) foundSet({ object, why: why instanceof Error ? null : why, problem: why instanceof Problem && why.status !== 404 ? why : null }); });
    return () => { isOver = true; };
  }, [cluster, name, version]);
  return { ...found, row, token };
}

function Why({ why }) {
  if (!why) return null;
  const groups = Object.entries(why.inputs ?? {});
  return html`<section aria-label="why"><h2>Why</h2>
    <${Note} title=${`${why.act ?? ""} · ${why.rule?.replaceAll("_", " ") ?? ""}`}><p>${why.says}</p>${why.fact && html`<p class="dim">${why.fact}</p>`}</${Note}>
    ${groups.length > 0 && html`<details><summary>what the rule had before it</summary><dl class="facts">${groups.flatMap(([part, values]) => Object.entries(values ?? {}).map(([name, value]) => html`
      <dt>${part}.${name}</dt><dd>${String(value)}</dd>`))}</dl></details>`}</section>`;
}

export function Node({ parts: [, cluster, name] }) {
  nodesTick.value;
  const { object, why, problem, row, token } = useNode(cluster, name);
  const steps = why?.steps ?? [];
  const isThere = fleet.isThere(row);
  if (!isThere && why === null) {
    return html`<${Empty} title=${`Nothing is known of ${cluster}/${name}.`}><p><a href=${href(["clusters", cluster])}>The cluster</a></p></${Empty}>`;
  }
  return html`<div class="head"><h1><a class="crumb" href=${href(["clusters", cluster])}>${cluster} /</a> ${name}</h1><${Copy} text=${`${cluster}/${name}`} what="copy the name"/>
      ${isThere ? html`<${State} word=${WORDS[fleet.word[row]]}/>` : html`<span class="dim">gone</span>`}<span class="head-space"></span>
      <code>reeve why ${cluster}/${name}</code><${Copy} text=${`reeve why ${cluster}/${name}`} what="copy the command"/></div>
    <${ProblemNote} problem=${problem}/>
    <section aria-label="life"><h2>Life</h2><${Timeline} steps=${steps} token=${token || why?.token}/></section>
    <div class="two"><section aria-label="facts"><h2>Facts</h2>${object ? html`<dl class="facts data">${factsOf(object).map(([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`)}</dl>`
      : html`<p class="dim">${isThere ? "asking ..." : "The machine is gone; its events are kept."}</p>`}</section>
      <div><${Why} why=${why}/><section aria-label="events"><h2>Events</h2><ol class="steps data">${[...steps].reverse().map((step) => html`<li key=${step.number}>
        <span class="dim"><${When} at=${step.time}/></span><span>${step.type}</span><span>${because(step)}</span></li>`)}</ol></section></div></div>`;
}
