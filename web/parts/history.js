// How nodes stood over time, from the events that are kept: of one node as a strip, of a cluster or a group as a stacked area. What is
// shown last is the present state, which the manager decides; before the first event that is kept a node is taken to be as that event
// found it. Whether a node was outdated is in no event: how many are is shown beside the present states, without a past.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { ask } from "../data/api.js";
import { eventsWatch, fleet } from "../data/store.js";
import { readyOf, stateOf } from "../data/facts.js";
import { WORDS } from "../data/words.js";
import { useOfFleet } from "./nodes.js";
import { Outdated, ProblemNote, State, tookText } from "./parts.js";

const DAY_MS = 86400000, PAGE = 1000, PAGES = 5, COLUMNS = 72, HEIGHT = 100;

// The state that begins with an event; null: the node is gone. What ran and needs no stage is ready at once.
const BEGINS = { "machine.wanted": "creating", "machine.created": "creating", "machine.found": "creating", "machine.refused": "refused", "machine.running": "ready", "node.keyed": "starting",
  "node.stage": "starting", "node.failed": "failed", "node.bootstrapped": "ready", "machine.ready": "ready", "machine.healthy": "ready", "machine.unhealthy": "unhealthy",
  "machine.unreachable": "unreachable", "machine.condemned": "leaving", "machine.destroyed": null, "machine.gone": null };
// The state that such an event found, where the one before it is not kept.
const FOUND = { "machine.wanted": null, "machine.running": "creating", "machine.refused": "creating", "node.keyed": "starting", "node.stage": "starting", "node.bootstrapped": "starting",
  "machine.ready": "starting", "machine.healthy": "unhealthy", "machine.destroyed": "leaving", "machine.gone": "leaving" };

/** [{from, word}] of the machine of one token, in order of time; the first from is -Infinity. */
function spansOf(events) {
  const spans = [];
  for (const { type, time } of events) {
    if (!Object.hasOwn(BEGINS, type)) continue;
    if (!spans.length) spans.push({ from: -Infinity, word: Object.hasOwn(FOUND, type) ? FOUND[type] : type === "machine.created" || type === "machine.found" ? null : "ready" });
    // a machine that has stages, or a probe that has to answer, was not ready when it ran
    if ((type === "node.keyed" || type === "machine.ready") && spans.at(-1).isRunning) spans.at(-1).word = "starting";
    if (spans.at(-1).word !== BEGINS[type]) spans.push({ from: Date.parse(time), word: BEGINS[type], isRunning: type === "machine.running" });
  }
  return spans;
}

/** Spans of each machine by its token; `words`: the present state of those that are there. */
export function historyOf(events, words, now) {
  const own = new Map();
  for (const event of events) if (event.token) own.set(event.token, [...own.get(event.token) ?? [], event]);
  const found = new Map();
  for (const token of new Set([...own.keys(), ...words.keys()])) {
    const spans = spansOf((own.get(token) ?? []).sort((a, b) => a.number - b.number)), word = words.get(token) ?? null;
    if (!spans.length) spans.push({ from: -Infinity, word });
    if (spans.at(-1).word !== word) spans.push({ from: now, word });
    found.set(token, spans);
  }
  return found;
}

/** How many machines are in which state at each of these moments: [[count by word]]. */
export function countsOf(history, moments) {
  const counts = moments.map(() => new Uint32Array(WORDS.length));
  for (const spans of history.values()) {
    let at = 0;
    for (const [column, moment] of moments.entries()) {
      while (at + 1 < spans.length && spans[at + 1].from <= moment) at++;
      if (spans[at].word) counts[column][WORDS.indexOf(spans[at].word)]++;
    }
  }
  return counts;
}

/** A strip of the states of one node, ending with the present one. */
export function StatusStrip({ steps, token, word }) {
  const now = Date.now(), own = steps.filter((step) => step.token === token);
  if (!token || !own.length) return null;
  const [spans] = historyOf(own, new Map([[token, word]]), now).values();
  const first = Math.min(...own.map(({ time }) => Date.parse(time)));
  const parts = spans.map(({ from, word: name }, at) => ({ name, from: Math.max(first, from), to: spans[at + 1]?.from ?? now })).filter(({ name, from, to }, at) => name && (to > from || at === spans.length - 1));
  const text = parts.map(({ name, from, to }, at) => `${name} ${at === parts.length - 1 ? "now" : `for ${tookText(to - from)}`}`).join(", then ");
  return html`<div class="strip status-strip" role="img" aria-label=${`states over time: ${text}`} title=${text}>${parts.map(({ name, from, to }, at) => html`
    <i key=${at} class=${`is-${name}`} style=${{ flexGrow: Math.max((now - first) / 100, to - from), flexBasis: 0 }}></i>`)}</div>`;
}

/** The newest events of a cluster, of a day at most: {events, isWhole}; isWhole: none of that day is missing. */
async function eventsGet(cluster, since) {
  const events = [];
  let before;
  for (let page = 0; page < PAGES; page++) {
    const { items, more } = await ask("GET", `/v1/events?cluster=${encodeURIComponent(cluster)}&last=${PAGE}${before ? `&before=${before}` : ""}`);
    events.unshift(...items);
    if (!items.length || !more || Date.parse(items[0].time) < since) return { events, isWhole: true };
    before = items[0].number;
  }
  return { events, isWhole: false };
}

function Area({ counts, outdated, from, to }) {
  const most = Math.max(1, ...counts.map((one) => one.reduce((a, b) => a + b, 0)));
  const shown = [...WORDS.keys()].filter((word) => counts.some((one) => one[word]));
  const last = counts.at(-1);
  const label = `from ${new Date(from).toLocaleString("en-GB")} to now; at most ${most} nodes; worst: ${shown.filter((word) => WORDS[word] !== "ready").map((word) => `${Math.max(...counts.map((one) => one[word]))} ${WORDS[word]}`).join(", ") || "all ready"}${outdated ? `; now ${outdated} outdated` : ""}`;
  return html`<figure class="health-time"><svg viewBox=${`0 0 ${counts.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${label}>${counts.map((one, column) => {
    let bottom = 0;
    // ready ones are the ground, problems stand on it
    return [...shown].reverse().map((word) => {
      const height = one[word] / most * HEIGHT;
      bottom += height;
      return height > 0 && html`<rect key=${`${column} ${word}`} class=${`is-${WORDS[word]}`} x=${column} y=${HEIGHT - bottom} width="1.02" height=${height}></rect>`;
    });
  })}</svg><figcaption class="dim"><span>${tookText(to - from)} ago</span><span class="chips">${shown.map((word) => html`<${State} key=${word} word=${WORDS[word]} count=${last[word]}/>`)}<${Outdated} count=${outdated}/></span><span>now</span></figcaption></figure>`;
}

function presentOf(cluster, group) {
  const words = new Map();
  for (const [token, row] of fleet.place) if (fleet.text("cluster", row) === cluster && (!group || fleet.text("group", row) === group)) words.set(token, stateOf(row));
  return words;
}

/** Its events are asked for when somebody looks. */
function Chart({ cluster, group }) {
  const [found, foundSet] = useState(null);
  const words = useOfFleet(() => presentOf(cluster, group), `${cluster} ${group}`);
  useEffect(() => {
    let isOver = false;
    eventsGet(cluster, Date.now() - DAY_MS).then((one) => { if (!isOver) foundSet(one); }, (problem) => { if (!isOver) foundSet({ problem }); });
    const leave = eventsWatch((events) => { if (events) foundSet((before) => (before?.events ? { ...before, events: [...before.events, ...events.filter(({ name }) => name === cluster)] } : before)); });
    return () => {
      isOver = true;
      leave();
    };
  }, [cluster]);
  if (!found) return html`<p class="dim">loading ...</p>`;
  if (found.problem) return html`<${ProblemNote} problem=${found.problem}/>`;
  const events = found.events.filter((event) => !group || event.group === group), now = Date.now();
  if (!events.length) return html`<p class="dim">No event of the last day is stored.</p>`;
  const first = Math.min(...events.map(({ time }) => Date.parse(time))), from = Math.max(now - DAY_MS, Math.min(first, now - 1000));
  const moments = Array.from({ length: COLUMNS }, (_, at) => from + (now - from) * (at + 1) / COLUMNS);
  return html`<${Area} counts=${countsOf(historyOf(events, words, now), moments)} outdated=${readyOf(cluster, group).outdated} from=${from} to=${now}/>
    ${!found.isWhole && html`<p class="dim">From the newest ${found.events.length} events; earlier events are not shown.</p>`}`;
}

export function HealthOverTime({ cluster, group }) {
  const [isOpen, openSet] = useState(false);
  return html`<details class="health-over-time below" onToggle=${(event) => openSet(event.currentTarget.open)}><summary>Health over time</summary>${isOpen && html`<${Chart} cluster=${cluster} group=${group}/>`}</details>`;
}
