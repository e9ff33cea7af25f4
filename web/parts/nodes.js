// Machines as rows and as a legend, wherever they are listed.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { go, href } from "../app/router.js";
import { may, mayAnywhere } from "../data/api.js";
import { fleet, fleetWatch, nodesTick } from "../data/store.js";
import { isOutdated, problemOf, stateOf } from "../data/facts.js";
import { PROBLEMS, WORDS } from "../data/words.js";
import { LaterDialog } from "./later.js";
import { Button, Outdated, Rows, State, When } from "./parts.js";

const LIST_MS = 1000; // a list of very many is put in order again at most so often

export const OUTDATED = "outdated"; // chosen beside the states, though it is none

/** Counts by word, and of those that are outdated where there are some; what is pressed is shown alone. */
export function Legend({ totals, outdated = 0, chosen, onChoose }) {
  return html`<div class="legend" role="group" aria-label="states">${WORDS.map((word, at) => html`
    <button type="button" aria-pressed=${chosen.has(word)} disabled=${!totals[at] && !chosen.has(word)} onClick=${() => onChoose(word)}>
      <i class=${`swatch is-${word}`} aria-hidden="true"></i>${word}<b>${totals[at]}</b></button>`)}
    ${(outdated > 0 || chosen.has(OUTDATED)) && html`<button type="button" aria-pressed=${chosen.has(OUTDATED)} onClick=${() => onChoose(OUTDATED)}><i class="swatch is-outdated" aria-hidden="true"></i>outdated<b>${outdated}</b></button>`}</div>`;
}

/** The words of ?state= as a set, and that set with one word more or less. */
export function chosenRead(query) {
  return new Set((query.get("state") ?? "").split(",").filter((word) => WORDS.includes(word) || word === OUTDATED));
}

export function chosenToggle(chosen, word) {
  const next = new Set(chosen);
  if (!next.delete(word)) next.add(word);
  return [...next].join(",");
}

/** Is a row among what was chosen? States are alternatives of each other; outdated is asked of each of them. */
export function isChosen(row, chosen) {
  if (chosen.has(OUTDATED) && !isOutdated(row)) return false;
  return chosen.size === (chosen.has(OUTDATED) ? 1 : 0) || chosen.has(stateOf(row));
}

/** The state of a node with its mark. */
export function NodeState({ row }) {
  return html`<${State} word=${stateOf(row)}/>${isOutdated(row) && html`<${Outdated}/>`}`;
}

export function rowHref(row) {
  return href(["nodes", fleet.text("cluster", row), fleet.nameOf(row)]);
}

/** Why a node needs a look, and since when, where it does. */
function Cause({ row }) {
  const problem = problemOf(row);
  return problem && html`<span title=${problem.cause}>${problem.cause}${problem.since > 0 && html` <span class="dim"><${When} at=${problem.since}/></span>`}</span>`;
}

const collator = new Intl.Collator("en", { numeric: true });

function listMake({ cluster, group, chosen, word }) {
  const first = cluster === undefined ? undefined : fleet.texts.cluster.places.get(cluster) ?? -1;
  const second = group ? fleet.texts.group.places.get(group) ?? -1 : undefined;
  const small = (word ?? "").toLowerCase();
  const rows = [];
  for (let row = 0; row < fleet.rows; row++) {
    if (fleet.isThere(row) && (first === undefined || fleet.cluster[row] === first) &&
        (second === undefined || fleet.group[row] === second) &&
        isChosen(row, chosen) && (!small || fleet.names[row].toLowerCase().includes(small))) rows.push(row);
  }
  return rows.sort((a, b) => Math.min(fleet.word[a], PROBLEMS) - Math.min(fleet.word[b], PROBLEMS) ||
    (fleet.cluster[a] !== fleet.cluster[b] ? collator.compare(fleet.text("cluster", a), fleet.text("cluster", b)) : 0) ||
    collator.compare(fleet.names[a], fleet.names[b]));
}

/** What is made of all machines: made anew when they come, go or change, at most once a second. */
export function useOfFleet(make, wanted) {
  const [made, madeSet] = useState(make);
  const timer = useRef(0);
  useEffect(() => {
    const again = () => {
      timer.current = 0;
      madeSet(make());
    };
    again();
    const leave = fleetWatch(() => { timer.current ||= setTimeout(again, LIST_MS); });
    return () => {
      leave();
      clearTimeout(timer.current);
      timer.current = 0;
    };
  }, [wanted]);
  return made;
}

/** Nodes that are selected in a list, by their tokens. Another filter begins with none: what is not shown is not acted on. */
function useSelection(wanted, rows) {
  const [selection, selectionSet] = useState({ wanted, ids: new Set() });
  const ids = selection.wanted === wanted ? selection.ids : new Set();
  const able = rows.filter(maySelect);
  return {
    rows: able.filter((row) => ids.has(fleet.ids[row])), all: able,
    has: (row) => ids.has(fleet.ids[row]),
    toggle: (list) => {
      const next = new Set(ids), isOn = list.every((row) => next.has(fleet.ids[row]));
      for (const row of list) isOn ? next.delete(fleet.ids[row]) : next.add(fleet.ids[row]);
      selectionSet({ wanted, ids: next });
    },
    clear: () => selectionSet({ wanted, ids: new Set() }),
  };
}

function maySelect(row) {
  return fleet.isThere(row) && may("operator", fleet.text("cluster", row), fleet.text("group", row));
}

const VERBS = [["Repair", "RepairDialog"], ["Reboot", "RebootDialog"], ["Replace", "ReplaceDialog"], ["Decommission", "DecommissionDialog"], ["Restart rollout", "RestartDialog"], ["Label group", "LabelsDialog"]];

/** What can be done with the selected nodes, through a dialog with the plan and the consent of all of them. */
function Selected({ selection }) {
  const [dialog, dialogSet] = useState("");
  const { rows, all } = selection;
  if (!all.length) return null;
  return html`<div class="tools bulk"><label class="check"><input type="checkbox" checked=${rows.length === all.length} onChange=${() => selection.toggle(all)}/> all ${all.length} of this list</label>
    <span role="status">${rows.length > 0 && html`<b>${rows.length}</b> selected`}</span>
    ${rows.length > 0 && html`${VERBS.map(([text, name]) => html`<${Button} key=${name} onClick=${() => dialogSet(name)}>${text}</${Button}>`)}<${Button} kind="quiet" onClick=${selection.clear}>Select none</${Button}>`}
    ${dialog && html`<${LaterDialog} name=${dialog} rows=${rows} onClose=${() => dialogSet("")}/>`}</div>`;
}

/** The box of a row. A click on it does not open the node. */
function Tick({ row, selection }) {
  return html`<input type="checkbox" aria-label=${`select ${fleet.names[row]}`} checked=${selection.has(row)} disabled=${!maySelect(row)}
    onClick=${(event) => event.stopPropagation()} onChange=${() => selection.toggle([row])}/>`;
}

/** Machines that fit, problems first. The order is made anew when machines come, go or change, at most once a second. */
export function NodeRows({ cluster, group, chosen, word, empty }) {
  nodesTick.value; // states in sight are drawn as they change
  const wanted = JSON.stringify([cluster, group, [...chosen], word]);
  const rows = useOfFleet(() => listMake({ cluster, group, chosen, word }), wanted);
  const isOperator = mayAnywhere("operator");
  const selection = useSelection(wanted, isOperator ? rows : []);
  const columns = [
    ...(isOperator ? [{ title: html`<span class="unseen">selected</span>`, class: "tick", cell: (row) => html`<${Tick} row=${row} selection=${selection}/>` }] : []),
    { title: "Node", class: "broad", cell: (row) => html`<a href=${rowHref(row)}>${fleet.names[row]}</a>` },
    { title: "State", class: "states", cell: (row) => (fleet.isThere(row) ? html`<${NodeState} row=${row}/>` : "gone") },
    ...(cluster === undefined ? [{ title: "Cluster", class: "hide-small", cell: (row) => fleet.text("cluster", row) }] : []),
    ...(group ? [] : [{ title: "Group", class: "middle hide-small", cell: (row) => fleet.text("group", row) }]),
    { title: "Why", class: "broad hide-small", cell: (row) => html`<${Cause} row=${row}/>` },
    { title: "Zone", class: "middle hide-small", cell: (row) => fleet.text("zone", row) },
    { title: "Plugin", class: "middle hide-small", cell: (row) => fleet.text("plugin", row) },
  ];
  return html`${isOperator && html`<${Selected} selection=${selection}/>`}<${Rows} label="nodes" count=${rows.length} rowAt=${(at) => rows[at]} keyAt=${(at) => fleet.ids[rows[at]]}
    columns=${columns} empty=${empty} onOpen=${(row) => go(rowHref(row))}/>`;
}
