// One group by itself: its machines, how far it is being replaced, what can be done about it.
import { useState } from "preact/hooks";
import { html } from "../app/html.js";
import { useKeys } from "../app/keys.js";
import { go, href, queryPut, view } from "../app/router.js";
import { may } from "../data/api.js";
import { fleet, groups, holds, jobs, nodesTick } from "../data/store.js";
import { DeleteDialog, LabelDialog, RolloutDialog, SayDialog, ScaleDialog, UndoDialog } from "../parts/change.js";
import { FleetMap } from "../parts/fleetmap.js";
import { desiredOf, PAUSED, readyOf } from "../data/facts.js";
import { HealthOverTime } from "../parts/history.js";
import { NeedsYou } from "../parts/incidents.js";
import { chosenRead, chosenToggle, Legend, NodeRows, useOfFleet } from "../parts/nodes.js";
import { Bar, Button, Copy, Empty, Outdated, ReadySum, State, When } from "../parts/parts.js";
import { UpgradeDialog } from "../parts/upgrade.js";
import { changeOf, isEnded, jobText } from "./clusters.js";

const PAUSE_SAYS = "No machine is created or destroyed until it is resumed. Running machines continue to run.";

/** Machines of the group by the revision they were made from, the most first. */
function revisionsOf(cluster, group) {
  const counts = new Map();
  const first = fleet.texts.cluster.places.get(cluster), second = fleet.texts.group.places.get(group);
  for (let row = 0; row < fleet.rows; row++) {
    if (fleet.isThere(row) && fleet.cluster[row] === first && fleet.group[row] === second) {
      const text = fleet.text("generation", row) || "none";
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}

function Revisions({ cluster, group }) {
  const list = useOfFleet(() => revisionsOf(cluster, group), `${cluster}/${group}`);
  const whole = Math.max(1, list.reduce((sum, [, count]) => sum + count, 0));
  if (!list.length) return html`<p class="dim">There is no machine. The images and stages of machines are shown here.</p>`;
  return html`<div class="strip" role="img" aria-label=${list.map(([text, count]) => `${count} of revision ${text}`).join(", ")}>${list.map(([text, count], at) => html`
      <i key=${text} class=${`hue-${at % 6}`} style=${{ width: `${count / whole * 100}%` }} title=${`${count} of ${text}`}></i>`)}</div>
    <p class="chips">${list.slice(0, 6).map(([text, count], at) => html`<span key=${text} class="state"><i class=${`swatch hue-${at % 6}`} aria-hidden="true"></i><code>${text.slice(0, 8)}</code><${Copy} text=${text} what="copy the generation"/> <b>${count}</b></span>`)}</p>`;
}

/** How its machines are replaced: the group's own words, "canary 1, batch 10%". */
function rollText({ rollout }) {
  return Object.entries(rollout ?? {}).map(([word, value]) => `${word} ${typeof value === "object" ? JSON.stringify(value) : value}`).join(", ");
}

/** What can be said of a rollout that is under way, or stands. */
export function rollWords(part, held) {
  const rules = held.map(({ status }) => status.rule);
  if (rules.includes("roll_failed")) return ["promote", "abort", "undo"];
  if (!part || part.old === 0) return [];
  const isStopped = rules.some((rule) => rule.startsWith("roll"));
  return isStopped ? ["resume", "undo"] : ["pause", "abort", "undo"];
}

function GroupDialog({ dialog, cluster, name, group, onClose }) {
  const subject = `${cluster}/${name}`;
  const labels = group.metadata.labels ?? group.spec.labels;
  switch (dialog) {
    case "scale": return html`<${ScaleDialog} cluster=${cluster} group=${name} size=${group.spec.size ?? 0} pick=${group.spec.pick} onClose=${onClose}/>`;
    case "label": return html`<${LabelDialog} kind="nodegroup" plural="nodegroups" name=${subject} labels=${labels} onClose=${onClose}/>`;
    case "upgrade": return html`<${UpgradeDialog} cluster=${cluster} group=${name} current=${desiredOf(cluster, name)} onClose=${onClose}/>`;
    case "undo-last": return html`<${UndoDialog} kind="nodegroup" plural="nodegroups" name=${subject} onClose=${onClose}/>`;
    case "delete": return html`<${DeleteDialog} kind="nodegroup" plural="nodegroups" name=${subject} onDone=${() => go(href(["clusters", cluster]))} onClose=${onClose}/>`;
    case "pause-all": case "resume-all": {
      const word = dialog.split("-")[0];
      return html`<${SayDialog} word=${word} subject=${subject} title=${`${word === "pause" ? "Pause" : "Resume"} ${subject}`}
        says=${word === "pause" ? PAUSE_SAYS : "reeve continues: it creates, heals and destroys machines as the file requires."} onClose=${onClose}/>`;
    }
    default: return html`<${RolloutDialog} word=${dialog} subject=${subject} onClose=${onClose}/>`;
  }
}

export function Group({ parts: [, cluster, ...rest] }) {
  nodesTick.value;
  const name = rest.join("/");
  const [dialog, dialogSet] = useState("");
  const group = groups.value.find(({ metadata }) => metadata.cluster === cluster && metadata.name === name);
  const held = holds.value.filter(({ metadata }) => metadata.cluster === cluster && (!metadata.group || metadata.group === name));
  const isPaused = held.some(({ status }) => status.rule === PAUSED);
  const job = changeOf(cluster);
  const part = job?.status.groups?.find((one) => one.group === name);
  const staged = jobs.value.find((one) => one.metadata.cluster === cluster && one.status.group === name && one.status.verb && !isEnded(one));
  const hasConfiguration = Boolean(desiredOf(cluster, name));
  const chosen = chosenRead(view.value.query);
  const isOperator = may("operator");
  const roll = rollWords(part, held);
  useKeys(isOperator && group ? [["s", "scale", () => dialogSet("scale")], ...(hasConfiguration ? [["u", "upgrade", () => dialogSet("upgrade")]] : []), ["P", isPaused ? "resume" : "pause", () => dialogSet(isPaused ? "resume-all" : "pause-all")],
    ["U", roll.includes("undo") ? "undo the rollout" : "undo the newest change", () => dialogSet(roll.includes("undo") ? "undo" : "undo-last")]] : [], [isPaused, roll.join(), group !== undefined, hasConfiguration]);
  if (!group) {
    return html`<${Empty} title=${`There is no group ${cluster}/${name}.`}><p><a href=${href(["clusters", cluster])}>The cluster</a> · <a href=${href(["events"], { q: `${cluster}/${name}` })}>its events</a></p></${Empty}>`;
  }
  const counts = fleet.totalsOf(cluster, name), size = group.spec.size ?? 0;
  return html`<div class="head"><h1><a class="crumb" href=${href(["clusters", cluster])}>${cluster} /</a> ${name}</h1><${Copy} text=${`${cluster}/${name}`} what="copy the name"/>
      <div class="health"><${Bar} totals=${counts} wanted=${size} label=${name}/></div><${ReadySum} ...${readyOf(cluster, name)} wanted=${size}/><span class="head-space"></span>
      ${isOperator && html`<span class="buttons"><${Button} onClick=${() => dialogSet("scale")}>Scale</${Button}>${hasConfiguration && html`<${Button} onClick=${() => dialogSet("upgrade")}>Upgrade</${Button}>`}<${Button} onClick=${() => dialogSet(isPaused ? "resume-all" : "pause-all")}>${isPaused ? "Resume" : "Pause"}</${Button}>
        <${Button} onClick=${() => dialogSet("label")}>Label</${Button}><${Button} onClick=${() => dialogSet("undo-last")}>Undo</${Button}><${Button} onClick=${() => dialogSet("delete")}>Delete</${Button}></span>`}</div>
    ${job && html`<p class="tools"><a href=${href(["jobs", job.metadata.name])}>job ${job.metadata.name}</a> <${State} word=${job.status.state}/>
      ${part && html`<span>${part.ready} of ${part.wanted} ready${part.old ? `, ${part.old} to replace` : ""}</span>${part.outdated > 0 && html`<${Outdated} count=${part.outdated}/>`}`}<span class="dim">${job.status.by && `by ${job.status.by}, `}<${When} at=${job.status.begun}/></span></p>`}
    ${staged && html`<p class="tools" aria-label="rollout in place"><a href=${href(["jobs", staged.metadata.name])}>job ${staged.metadata.name}</a> <${State} word=${staged.status.state}/> <span>${jobText(staged)}</span></p>`}
    <${NeedsYou} cluster=${cluster} group=${name}/>${may("viewer", cluster, "") && html`<${HealthOverTime} cluster=${cluster} group=${name}/>`}
    <div class="two"><section aria-label="revisions"><h2>Revisions <span class="head-space"></span>${isOperator && roll.map((word) => html`<${Button} key=${word} kind="quiet" aria-label=${`${word} the rollout`} onClick=${() => dialogSet(word)}>${word}</${Button}>`)}</h2>
        <div class="panel data"><${Revisions} cluster=${cluster} group=${name}/>${rollText(group.spec) && html`<p class="dim">replaced by ${rollText(group.spec)}</p>`}</div></section>
      <section aria-label="map"><h2>Machines</h2>${counts.every((count) => !count) && html`<${Empty} title="The group has no machine.">${size === 0 ? "Its size is 0: scale the group to create machines." : "Machines appear here when they are created."}</${Empty}>`}<${FleetMap} options=${{ by: "state", cluster, group: name, chosen, word: "" }}/></section></div>
    <section aria-label="nodes"><h2>Nodes</h2><div class="tools"><${Legend} totals=${counts} outdated=${fleet.outdatedOf(cluster, name)} chosen=${chosen} onChoose=${(word) => queryPut({ state: chosenToggle(chosen, word) })}/></div>
      <div class="data"><${NodeRows} cluster=${cluster} group=${name} chosen=${chosen} word=${view.value.query.get("q")} empty=${html`<${Empty} title="No machine matches the filter."><p>Remove a filter, or wait: new machines appear here automatically.</p></${Empty}>`}/></div></section>
    ${dialog && html`<${GroupDialog} dialog=${dialog} cluster=${cluster} name=${name} group=${group} onClose=${() => dialogSet("")}/>`}`;
}
