// What a machine lives through, each stage a bar, beside the median of its group: what is slow is seen at once.
import { html } from "../app/html.js";
import { tookText, When } from "./parts.js";

// Events that begin a stage of a life; each ends what was before it. Stages of bootstrap are named by their bundles.
const BEGINS = { "machine.wanted": "asked for", "machine.created": "being made", "machine.found": "being made", "machine.running": "starting", "node.keyed": "getting facts",
  "node.stage": "", "node.stage_failed": "failed", "node.failed": "failed", "node.bootstrapped": "ready", "machine.ready": "ready", "machine.condemned": "leaving" };
const ENDS = ["machine.destroyed", "machine.gone", "machine.refused"];

/** The stages of the machine that has this token, in their order: [{name, from, to}]; to: null while it goes on. */
export function stagesOf(steps, token) {
  const out = [];
  for (const step of steps) {
    if (token && step.token !== token) continue;
    const isEnd = ENDS.includes(step.type), last = out.at(-1), time = Date.parse(step.time);
    const name = BEGINS[step.type] || (step.type === "node.stage" ? step.fact?.replace(/^stage-\d+ /, "") || "stage" : "");
    if (!isEnd && (!name || last?.name === name)) continue;
    if (last && last.to === null) last.to = time;
    if (!isEnd) out.push({ name, from: time, to: null });
  }
  return out;
}

/** Of the machines of a group of these events: the median of each stage, in milliseconds, and of how many. */
export function mediansOf(events, group) {
  const tokens = new Map();
  for (const event of events) {
    if (event.group === group && event.token) tokens.set(event.token, [...tokens.get(event.token) ?? [], event]);
  }
  const times = new Map();
  for (const [token, own] of tokens) {
    for (const { name, from, to } of stagesOf(own, token)) {
      if (to !== null && name !== "ready") times.set(name, [...times.get(name) ?? [], to - from]);
    }
  }
  return new Map([...times].map(([name, list]) => [name, { ms: list.sort((a, b) => a - b)[list.length >> 1], count: list.length }]));
}

const COLOURS = { failed: "is-failed", unhealthy: "is-unhealthy", unreachable: "is-unreachable", refused: "is-refused", maintenance: "is-maintenance", drifted: "is-drifted", ready: "is-ready", leaving: "is-leaving", "asked for": "is-creating", "being made": "is-creating" };

/** Stages of a life that end in the state that the node has now: what was ready and is unhealthy now does not end in "ready". */
export function withState(stages, word, since) {
  const last = stages.at(-1);
  if (!last || last.to !== null || last.name !== "ready" || word === "ready" || !since) return stages;
  const from = Math.max(since, last.from);
  return [...stages.slice(0, -1), { ...last, to: from }, { name: word, from, to: null }];
}

/** isAsked: its events are still asked for. */
export function Timeline({ stages, medians, isAsked }) {
  if (!stages.length) return html`<p class="dim">${isAsked ? "loading ..." : "Its events are no longer stored."}</p>`;
  const first = stages[0].from;
  const isOpen = stages.at(-1).to === null;
  // what goes on would make all that is over invisible: it gets a fixed share at the end
  const past = Math.max(1, ...stages.map(({ from, to }) => (to ?? from) - first));
  const whole = isOpen ? past * 1.35 : past;
  return html`<ol class="timeline data" aria-label="timeline">${stages.map(({ name, from, to }, at) => {
    const median = medians?.get(name);
    const colour = COLOURS[name] ?? "is-starting";
    return html`<li key=${`${name} ${at}`}><span class="timeline-name" title=${name}>${name}</span>
      <span class="track" aria-hidden="true"><i class=${`${colour}${to === null ? " is-open" : ""}`} style=${{ left: `${(from - first) / whole * 100}%`, width: `${((to ?? first + whole) - from) / whole * 100}%` }}></i>
        ${median && html`<em style=${{ left: `${Math.min(100, (from - first + median.ms) / whole * 100)}%` }}></em>`}</span>
      <span class="number">${to === null ? html`<${When} at=${from}/>` : tookText(to - from)}</span>
      <span class="number dim timeline-median">${median && median.count > 1 ? html`<span title=${`median of ${median.count} machines of its group`}>⌀ ${tookText(median.ms)}</span>` : ""}</span></li>`;
  })}</ol>`;
}
