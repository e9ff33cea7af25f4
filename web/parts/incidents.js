// What needs somebody: nodes that need a look, by cause, and what reeve does not do without an answer. Each says what, since when, why,
// what comes next and when, and has the verbs that change it.
import { useState } from "preact/hooks";
import { html } from "../app/html.js";
import { href } from "../app/router.js";
import { may } from "../data/api.js";
import { canRepair, canRetry, incidentsOf, isReplaceable, PAUSED, rangesText } from "../data/facts.js";
import { fleet, groups, holds } from "../data/store.js";
import { LaterDialog } from "./later.js";
import { SayDialog } from "./say.js";
import { Answers, Hold } from "./holds.js";
import { useOfFleet } from "./nodes.js";
import { Button, Copy, State, Until, When } from "./parts.js";

const SHOWN = 5, NAMES_SHOWN = 6;

/** What a retry says before it is said. */
export function RetryDialog({ subject, onClose }) {
  return html`<${SayDialog} word="retry" subject=${subject} title=${`Try ${subject} again`} says="Refused and failed work of this group is retried now."
    command=${`reeve api POST /v1/nodegroups/${subject}/say -d '{"command":"retry"}'`} onClose=${onClose}/>`;
}

// A command within a sentence: its verb, what belongs to the verb, and names of objects or of what is to be filled in.
const COMMAND = /(reeve [a-z]+(?: (?:accept|accounts|node|plugins|retry|show)\b)*(?: (?:[\w-]+\/[\w./-]*\w|[A-Z]{2,}\b))*)/;

/** A sentence with its commands set apart. */
function Commands({ text }) {
  return text.split(COMMAND).map((part, at) => (at % 2 ? html`<code key=${at}>${part}</code>` : part));
}

/** "next: it is replaced, in 4 min". */
export function Next({ hint, next, nextAt }) {
  return html`${next && html`<div>next: ${next}${nextAt > 0 && html`, <${Until} at=${nextAt}/>`}</div>`}${hint && html`<div class="hint">hint: <${Commands} text=${hint}/></div>`}`;
}

/** The first few of them as links, more as ranges; all of them are in the table of the cluster. */
function Names({ incident: { cluster, group, word, rows } }) {
  const there = rows.filter((row) => fleet.isThere(row));
  if (there.length <= NAMES_SHOWN) return there.map((row, at) => html`${at > 0 && ", "}<a key=${row} href=${href(["nodes", cluster, fleet.nameOf(row)])}>${fleet.names[row]}</a>`);
  const names = rangesText(there.map((row) => fleet.names[row]));
  return html`<code>${names.length > 200 ? `${names.slice(0, 200)} ...` : names}</code> <${Copy} text=${names} what="copy the names"/>
    <a href=${href(["clusters", cluster], { group, state: word })}>all ${there.length}</a>`;
}

/** A hold of these nodes. A refusal says nothing that cause, next and hint do not say. */
function Held({ hold }) {
  const { rule, why, fact, advice } = hold.status;
  if (rule === "refused") return null;
  return html`<div class="dim">held by <b>${rule.replaceAll("_", " ")}</b>: ${why}${fact && fact !== why ? `: ${fact}` : ""}${rule !== PAUSED && advice ? html`. <span>${advice}</span>` : ""}</div>`;
}

/** The buttons of an incident: retry, repair, replace, the size that the hint asks for, answers to its holds, the file. */
function Verbs({ incident, onDialog }) {
  const { cluster, group, word, rows, hint, holds: own } = incident;
  const subject = `${cluster}/${group}`, size = groups.value.find(({ metadata }) => metadata.cluster === cluster && metadata.name === group)?.spec;
  const isOperator = may("operator", cluster, group);
  const button = (dialog, text) => html`<${Button} onClick=${() => onDialog(dialog)} aria-label=${`${text} ${subject}`}>${text}</${Button}>`;
  return html`<div class="need-do">${isOperator && canRetry(word) && button("retry", "Retry")}
    ${isOperator && canRepair(word) && button("repair", "Repair")}
    ${isOperator && rows.some(isReplaceable) && button("replace", "Replace")}
    ${isOperator && size && hint.includes("reeve scale") && button("scale", "Scale")}
    ${own.map((hold) => html`<${Answers} key=${hold.metadata.name} hold=${hold}/>`)}
    ${may("operator", "") && html`<a class="button" href=${href(["apply"], { cluster })}>Edit</a>`}</div>`;
}

function IncidentDialog({ dialog, incident: { cluster, group, rows }, onClose }) {
  if (dialog === "retry") return html`<${RetryDialog} subject=${`${cluster}/${group}`} onClose=${onClose}/>`;
  if (dialog === "scale") {
    const { spec } = groups.value.find(({ metadata }) => metadata.cluster === cluster && metadata.name === group);
    return html`<${LaterDialog} name="ScaleDialog" cluster=${cluster} group=${group} size=${spec.size ?? 0} pick=${spec.pick} onClose=${onClose}/>`;
  }
  return html`<${LaterDialog} name=${dialog === "repair" ? "RepairDialog" : "ReplaceDialog"} rows=${rows.filter(isReplaceable)} onClose=${onClose}/>`;
}

function Incident({ incident }) {
  const [dialog, dialogSet] = useState("");
  const { cluster, group, zone, word, rows, cause, hint, since, next, nextAt, holds: own } = incident;
  const subject = `${cluster}/${group}`, whole = fleet.totalsOf(cluster, group).reduce((a, b) => a + b, 0);
  return html`<div class="need is-nodes"><div><a class="name" href=${href(["groups", cluster, ...group.split("/")])}>${subject}</a>${zone && html` <span class="dim">in ${zone}</span>`}
      ${" "}<span class="named"><b>${rows.length}</b> of ${whole} <${State} word=${word}/></span>${since > 0 && html`, since <${When} at=${since}/>`}: <${Names} incident=${incident}/>
      <div class="cause">${cause || "no reason was reported"}</div>
      <${Next} hint=${hint} next=${next} nextAt=${nextAt}/>${own.map((hold) => html`<${Held} key=${hold.metadata.name} hold=${hold}/>`)}</div>
    <${Verbs} incident=${incident} onDialog=${dialogSet}/>
    ${dialog && html`<${IncidentDialog} dialog=${dialog} incident=${incident} onClose=${() => dialogSet("")}/>`}</div>`;
}

/** Incidents as they are now, of a cluster or a group where it is named. */
export function useIncidents(cluster, group) {
  return useOfFleet(() => incidentsOf(cluster, group), `${cluster} ${group} ${holds.value.map(({ metadata }) => `${metadata.cluster} ${metadata.name} ${metadata.revision}`).join()}`);
}

/** So many of the list, the most damage first. `title` is what it is called on its page. */
export function Incidents({ cluster, group, list }) {
  const [isAll, allSet] = useState(false);
  if (!list.length) return null;
  return html`<section aria-label="what needs you"><h2>What needs you <span class="dim">${list.length}</span></h2>
    <div class="needs data">${list.slice(0, isAll ? list.length : SHOWN).map((one) => (one.hold ? html`<${Hold} key=${one.key} hold=${one.hold} isNamed=${!group}/>` : html`<${Incident} key=${one.key} incident=${one}/>`))}</div>
    ${!isAll && list.length > SHOWN && html`<button type="button" class="link" onClick=${() => allSet(true)}>all ${list.length}</button>`}</section>`;
}

/** The same, of a place that is looked at. */
export function NeedsYou({ cluster, group }) {
  return html`<${Incidents} cluster=${cluster} group=${group} list=${useIncidents(cluster, group)}/>`;
}
