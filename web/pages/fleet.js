// All machines at once: as a map, or as a table with the same filters.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { useKeys } from "../app/keys.js";
import { href, queryPut, view } from "../app/router.js";
import { progressClasses, seenClasses } from "../data/classes.js";
import { clusters, fleet, groups, jobs, nodesTick, totals } from "../data/store.js";
import { readyOf } from "../data/facts.js";
import { PROBLEMS, UNREACHABLE } from "../data/words.js";
import { FleetMap } from "../parts/fleetmap.js";
import { classColour, classesByGroup, NO_TEXT } from "../parts/heatmap.js";
import { chosenRead, chosenToggle, Legend, NodeRows, useOfFleet } from "../parts/nodes.js";
import { Button, Copy, Empty } from "../parts/parts.js";

const LABEL = "label:", NONE = NO_TEXT, AGE_MS = 10000;
const NAMES = { seen: "last seen", job: "job progress" }; // of what one may colour by, where it is not the word in the address

/** Labels that clusters and groups have: what one may colour by. */
function labelKeys() {
  const keys = new Set();
  for (const { metadata, spec } of [...clusters.value, ...groups.value]) for (const key of Object.keys(metadata.labels ?? spec?.labels ?? {})) keys.add(key);
  return [...keys].sort();
}

/** The label that a group gives its machines, or its cluster's where it has none of its own. Images are not found here: each machine has
 * the one that it was created from in its own record. */
function sayerOf(by) {
  const owners = new Map(clusters.value.map((one) => [one.metadata.name, one]));
  const read = ({ metadata, spec } = { metadata: {} }) => (metadata.labels ?? spec?.labels)?.[by.slice(LABEL.length)];
  const found = new Map(groups.value.map((one) => [`${one.metadata.cluster}/${one.metadata.name}`, String(read(one) ?? read(owners.get(one.metadata.cluster)) ?? NONE)]));
  const texts = [...new Set([NONE, ...[...found.values()].sort()])]; // the same colour for the same text wherever it is asked for
  return { texts, numberOf: (cluster, group) => Math.max(0, texts.indexOf(found.get(`${cluster}/${group}`))) };
}

const CLASSES_SHOWN = 12;

/** What is coloured by, other than the state: each with its colour and how many there are. What is pressed is shown alone. */
export function Classes({ by, options: { cluster, classes, version, only } }) {
  const list = useOfFleet(() => classesByGroup(fleet, by, cluster, classes), `${by} ${cluster} ${version}`);
  const colours = classes?.colours; // what has an order is shown in it
  const shown = (colours ? [...list].sort((a, b) => a.number - b.number) : list).map((one) => ({ ...one, text: one.text || NO_TEXT }))
    .filter(({ text }, at) => at < CLASSES_SHOWN || text === only);
  if (only && !shown.some(({ text }) => text === only)) shown.push({ text: only, number: 0, count: 0 }); // it is taken away where it was chosen
  return html`<div class="legend chips" role="group" aria-label=${`colours: ${NAMES[by] ?? by}`}>${shown.map(({ text, number, count }) => html`<button type="button" key=${text} class="state" aria-pressed=${text === only}
      onClick=${() => queryPut({ only: text === only ? "" : text })}><i class="swatch" aria-hidden="true" style=${{ background: colours ? `var(${colours[number]})` : classColour(number) }}></i>${text} <b>${count}</b></button>`)}
    ${list.length > CLASSES_SHOWN && html`<span class="dim">and ${list.length - CLASSES_SHOWN} more</span>`}</div>`;
}

/** What options need for machines to be coloured by this; the version says when all of them are to be painted anew. */
function classesPut(options, age) {
  const { by } = options;
  if (by.startsWith(LABEL)) {
    options.classes = sayerOf(by);
    options.version = groups.value.map(({ metadata }) => metadata.revision).join();
  } else if (by === "seen") {
    options.classes = seenClasses();
    options.version = String(age);
  } else if (by === "job") {
    options.classes = progressClasses(jobs.value);
    options.version = options.classes.version;
  }
}

/** What was last seen a while ago grows older by itself: another number now and then, as long as there is such a machine. */
function useAge(isWanted) {
  const [age, ageSet] = useState(0);
  useEffect(() => {
    if (!isWanted) return undefined;
    const timer = setInterval(() => { if (fleet.totals[UNREACHABLE]) ageSet((before) => before + 1); }, AGE_MS);
    return () => clearInterval(timer);
  }, [isWanted]);
  return age;
}

export function FleetPage() {
  nodesTick.value;
  const { query } = view.value;
  const input = useRef(null);
  const cluster = query.get("cluster") ?? "";
  const ways = ["state", "seen", "job", "revision", "image", "plugin", "group", ...labelKeys().map((key) => LABEL + key)];
  const options = { by: ways.find((one) => one === query.get("by")) ?? "state", cluster, chosen: chosenRead(query), word: (query.get("q") ?? "").toLowerCase() };
  options.only = options.by === "state" ? "" : query.get("only") ?? "";
  classesPut(options, useAge(options.by === "seen"));
  const isTable = query.get("view") === "table";
  const counts = cluster ? fleet.totalsOf(cluster) : totals.value;
  const troubled = counts.slice(0, PROBLEMS).reduce((a, b) => a + b, 0);
  useKeys([["/", "find by name", () => input.current?.focus()], ["t", "map or table", () => queryPut({ view: isTable ? "" : "table" })]], [isTable]);
  if (!fleet.count) {
    return html`<h1>Fleet</h1><${Empty} title="There is no machine yet."><p>Machines appear here when they are created. To create a first cluster:</p>
      <p><code>reeve init my.yaml</code> <code>reeve apply -f my.yaml</code><${Copy} text="reeve init my.yaml && reeve apply -f my.yaml"/></p></${Empty}>`;
  }
  return html`<div class="head"><h1>Fleet</h1><span class="sum"><b>${counts.reduce((a, b) => a + b, 0)}</b> machines${troubled ? `, ${troubled} with a problem` : ""}</span></div>
    <div class="tools"><${Legend} totals=${counts} outdated=${readyOf(cluster).outdated} chosen=${options.chosen} onChoose=${(word) => queryPut({ state: chosenToggle(options.chosen, word) })}/><span class="tools-set">
      <select class="select" aria-label="cluster" value=${cluster} onChange=${(event) => queryPut({ cluster: event.currentTarget.value })}>
        <option value="">every cluster</option>${clusters.value.map(({ metadata: { name } }) => html`<option key=${name} value=${name}>${name}</option>`)}</select>
      ${!isTable && html`<select class="select" aria-label="colour by" value=${options.by} onChange=${(event) => queryPut({ by: event.currentTarget.value === "state" ? "" : event.currentTarget.value, only: "" })}>
        ${ways.map((by) => html`<option key=${by} value=${by}>by ${NAMES[by] ?? by.replace(":", " ")}</option>`)}</select>`}
      <input class="filter" ref=${input} type="search" placeholder="name" aria-label="find by name" value=${options.word} onInput=${(event) => queryPut({ q: event.currentTarget.value })}/>
      <${Button} aria-pressed=${isTable} onClick=${() => queryPut({ view: isTable ? "" : "table" })}>${isTable ? "Map" : "Table"}</${Button}></span></div>
    ${isTable ? html`<div class="data"><${NodeRows} cluster=${cluster || undefined} chosen=${options.chosen} word=${options.word}
        empty=${html`<${Empty} title="No machine matches the filter."><p>Remove a filter: <a href=${href(["fleet"], { view: "table" })}>all machines</a></p></${Empty}>`}/></div>`
      : html`${options.by !== "state" && html`<${Classes} by=${options.by} options=${options}/>`}<${FleetMap} options=${options}/>`}`;
}
