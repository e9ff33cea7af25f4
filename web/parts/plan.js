// A plan, for people: what is destroyed first, by name; what has to be typed; what the button says. The words to type are
// those of the command line (src/cli/args/consent.c).
import { html } from "../app/html.js";
import { Field, Note, When } from "./parts.js";

const CLASSES = ["destroy", "replace", "reboot", "rename", "rerun"];
const GROUPS_SHOWN = 60, CHANGES_SHOWN = 12;
const KINDS = { Cluster: "cluster", NodeGroup: "nodegroup", ClusterTemplate: "ct", NodeGroupTemplate: "ngt", Account: "account", Secret: "secret" };

/** cluster/shop, as the command line names it. */
export function objectName({ kind, cluster, name }) {
  return `${KINDS[kind] ?? kind.toLowerCase()}/${cluster ? `${cluster}/` : ""}${name}`;
}

function classesOf(needs) {
  return CLASSES.filter((word) => needs?.[word] > 0);
}

/** What --allow says on the command line: " --allow destroy=2,replace=1". */
export function allowFlag(needs) {
  const words = classesOf(needs).map((word) => (word === "rename" ? word : `${word}=${needs[word]}`));
  return words.length ? ` --allow ${words.join(",")}` : "";
}

/** The same as a parameter: destroy:2,replace:1; and how many pauses are lifted, which the plan lists. */
export function allowParameter(needs) {
  return [...classesOf(needs), ...(needs?.lift > 0 ? ["lift"] : [])].map((word) => `${word}:${needs[word]}`).join(",");
}

/** The same in a body. */
export function allowBody(needs) {
  return Object.fromEntries(classesOf(needs).map((word) => [word, needs[word]]));
}

/** What has to be typed: the name of the one cluster that goes or is renamed, the counts of what is lost, or nothing. */
export function phraseOf(answer) {
  const named = (answer?.plan ?? []).filter(({ kind, change, sums }) => kind === "Cluster" && (change === "rename" || (change === "destroy" && sums?.destroy > 0)));
  if (named.length === 1) return named[0].change === "rename" ? named[0].was : named[0].name;
  return classesOf(answer?.needs).map((word) => `${word} ${answer.needs[word]}`).join(" ");
}

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** What the button says: "Replace 2 nodes, change 40". */
export function deedOf(answer) {
  const { sums = {}, plan = [] } = answer ?? {};
  const words = ["destroy", "replace", "reboot", "change", "create"].filter((word) => sums[word] > 0);
  const text = words.map((word, at) => `${word} ${at ? sums[word] : plural(sums[word], "node")}`);
  const others = plan.filter(({ change, groups, sums: own }) => change !== "none" && (!groups || !own || !(own.destroy || own.replace || own.reboot || own.change || own.create)));
  if (others.length) text.push(others.length === 1 ? `${others[0].change} ${objectName(others[0])}` : `${plural(others.length, "object")} more`);
  const all = text.join(", ") || "change the record";
  return all[0].toUpperCase() + all.slice(1);
}

function rank(group) {
  if (group.change === "destroy") return 0;
  if (group.destroy || group.replace || group.reboot) return 1;
  return { rename: 2, change: 3, create: 4 }[group.change] ?? 5;
}

const MARKS = ["−", "!", "~", "~", "+", ""];

function valueText(value) {
  return value === undefined || value === null ? "none" : typeof value === "object" ? JSON.stringify(value) : String(value);
}

function Changes({ list = [] }) {
  if (!list.length) return null;
  return html`<dl class="plan-values">${list.slice(0, CHANGES_SHOWN).map((one) => html`<div key=${one.path}><dt>${one.path}</dt>
      <dd>${valueText(one.old)} <span aria-label="becomes">→</span> ${valueText(one.new)}</dd></div>`)}
    ${list.length > CHANGES_SHOWN && html`<div><dt>and ${list.length - CHANGES_SHOWN} more</dt><dd></dd></div>`}</dl>`;
}

/** Why these go: by their names, by the rule of the group, or some by each. */
function choice({ named, pick }) {
  if (!named) return pick && `pick ${pick}`;
  return pick ? `${named} picked by name, the rest by ${pick}` : "picked by name";
}

/** "healthy web-3, unreachable web-1". */
function statesText(states) {
  return Object.entries(states).map(([state, names]) => `${state} ${names}`).join(", ");
}

const VOLUME_EFFECTS = ["delete", "keep", "attach", "create"];

/** "for 7 d": how long a volume without a machine is kept. */
function keptText({ forMs }) {
  const hours = Math.floor((forMs ?? 0) / 3600000);
  return hours === 0 ? "" : hours % 24 === 0 ? ` for ${hours / 24} d` : ` for ${hours} h`;
}

/** What happens to the volumes of a group: lost data first. */
function Volumes({ volumes }) {
  return html`<div>volumes:${VOLUME_EFFECTS.filter((word) => volumes[word]).map((word, at) => html`<span key=${word} class=${word === "delete" ? "plan-gone" : ""}>${at ? ", " : " "}${word} ${volumes[word].count}${keptText(volumes[word])} <code>${volumes[word].names}</code></span>`)}</div>`;
}

function Group({ group }) {
  const place = rank(group);
  const isGone = group.change === "destroy";
  return html`<li class=${place < 2 ? "destroys" : ""}><i aria-hidden="true">${MARKS[place]}</i><div>
    <b>${group.path}</b> ${!isGone && html`<span class="dim">size ${group.oldSize !== undefined && `${group.oldSize} → `}${group.size}</span>`}
    ${group.was && html`<span> renamed from ${group.was}</span>`}
    ${group.destroy && html`<span class="plan-gone"> destroy <code>${group.destroy}</code>${choice(group) && html`<span class="dim"> (${choice(group)})</span>`}</span>`}
    ${group.unfilled && html`<span> unfilled <code>${group.unfilled}</code></span>`}
    ${group.replace > 0 && html`<span class="plan-gone"> replace ${group.replace}</span>${group.replaced && html` <code>${group.replaced}</code>`}`}
    ${group.reboot > 0 && html`<span class="plan-gone"> reboot ${group.reboot}</span>${group.rebooted && html` <code>${group.rebooted}</code>`}`}
    ${group.supersedes > 0 && html`<span> supersedes a rollout: ${group.supersedes} not replaced so far</span>`}
    ${group.create && html`<span> create <code>${group.create}</code></span>`}
    ${group.inPlace?.rerun > 0 && html`<div class="plan-gone">runs again ${group.inPlace.rerunStages} on ${group.inPlace.rerunOn}${group.inPlace.rerun > 1 ? ` and ${group.inPlace.rerun - 1} more` : ""}</div>`}
    ${group.victims && html`<div class="dim">victims: ${statesText(group.victims)}</div>`}
    ${group.spares && html`<div class="plan-gone">healthy machines are destroyed, although these unhealthy machines stay: ${statesText(group.spares)}</div>`}
    ${group.volumes && html`<${Volumes} volumes=${group.volumes}/>`}
    <${Changes} list=${group.changes}/></div></li>`;
}

function Obj({ object }) {
  const groups = [...object.groups ?? []].filter((group) => rank(group) < 5).sort((a, b) => rank(a) - rank(b));
  const same = (object.groups?.length ?? 0) - groups.length + (object.others ?? 0);
  const { destroy = 0, replace = 0, reboot = 0, change = 0, create = 0 } = object.sums ?? {};
  const sums = [[destroy, "destroy"], [replace, "replace"], [reboot, "reboot"], [change, "change"], [create, "create"]].filter(([count]) => count);
  return html`<section class="plan-object" aria-label=${objectName(object)}><h3>${objectName(object)}
      ${object.was && html`<span> renamed from ${object.was}</span>`}
      <span class="dim">${object.change === "none" ? "no difference" : object.change === "create" ? "new" : object.change === "destroy" ? "goes" : ""}
      ${sums.map(([count, word]) => `${word} ${count}`).join(", ")}</span></h3>
    <${Changes} list=${object.changes}/>
    <ul>${groups.slice(0, GROUPS_SHOWN).map((group) => html`<${Group} key=${group.path} group=${group}/>`)}</ul>
    ${groups.length > GROUPS_SHOWN && html`<p class="dim">and ${groups.length - GROUPS_SHOWN} groups more that change</p>`}
    ${same > 0 && html`<p class="dim">${plural(same, "group")} unchanged</p>`}</section>`;
}

/** What stays as somebody else set it, although the file says otherwise. */
function Kept({ kept, onTake }) {
  return html`<${Note} kind="warn" title="Kept: values that others have changed since the file was last applied">
    <ul>${kept.map((one) => html`<li key=${`${one.name} ${one.path}`}><code>${one.path}</code> stays ${valueText(one.live)} <span class="dim">by ${one.by};</span> the file says ${valueText(one.file)}
      ${onTake && html` <button type="button" class="link" onClick=${() => onTake(one.path)}>use the value of the file</button>`}</li>`)}</ul></${Note}>`;
}

/** Pauses of what is deleted: who said that nothing is to be done, and why. */
function Lifts({ lifts }) {
  return html`<${Note} kind="warn" title=${lifts.length === 1 ? "This lifts a pause." : `This lifts ${lifts.length} pauses.`}>
    <ul>${lifts.map((one) => html`<li key=${`${one.kind} ${one.name}`}>${one.kind === "Cluster" ? "cluster" : "nodegroup"} <b>${one.name}</b> was paused${one.by && ` by ${one.by}`}${one.at && html`, <${When} at=${one.at}/>`}${one.why && `: ${one.why}`}</li>`)}</ul></${Note}>`;
}

/** What is odd about it, and no fault. */
function Warnings({ list }) {
  return html`<${Note} kind="warn" title=${list.length === 1 ? "One warning" : `${list.length} warnings`}>
    <ul>${list.map((one, at) => html`<li key=${at}>${one.line && html`<span class="dim">line ${one.line}: </span>`}${one.text} <span class="dim">${one.hint} ${one.code}</span></li>`)}</ul></${Note}>`;
}

/** All of it, worst first. */
export function Plan({ answer, onTake }) {
  const worst = (object) => (object.change === "destroy" ? -1 : Math.min(6, ...(object.groups ?? []).map(rank)));
  const objects = [...answer.plan ?? []].sort((a, b) => worst(a) - worst(b));
  const isSame = objects.every(({ change }) => change === "none");
  return html`<div class="plan-all">
    ${answer.warnings?.length > 0 && html`<${Warnings} list=${answer.warnings}/>`}
    ${answer.lifts?.length > 0 && html`<${Lifts} lifts=${answer.lifts}/>`}
    ${answer.kept?.length > 0 && html`<${Kept} kept=${answer.kept} onTake=${onTake}/>`}
    ${isSame && html`<p>Nothing differs from the current state.</p>`}
    ${objects.filter(({ change }) => change !== "none").map((object) => html`<${Obj} key=${objectName(object)} object=${object}/>`)}</div>`;
}

function consentTitle(phrase, { destroy, replace, rename, reboot }, lost = 0) {
  if (!phrase.includes(" ") && rename > 0 && !destroy) return "This renames a cluster.";
  if (lost > 0) return `This destroys machines and what is on them, and ${plural(lost, "volume")} with the data.`;
  if (destroy || replace || !phrase.includes(" ")) return "This destroys machines and what is on them.";
  return reboot ? "This reboots machines." : "This runs stages again that are not idempotent.";
}

/** Where machines, or a cluster, are lost: the words that agree to it. */
export function Consent({ answer, typed, onType }) {
  const phrase = phraseOf(answer);
  if (!phrase) return null;
  return html`<${Note} kind="warn" title=${consentTitle(phrase, answer.needs ?? {}, answer.sums?.volumes?.delete)}>
    <${Field} label=${`Type "${phrase}" to agree`} name="consent" value=${typed} onInput=${(event) => onType(event.currentTarget.value)}/></${Note}>`;
}

/** Groups that are being rolled, and that this would roll to something else: CLUSTER/GROUP. */
export function supersededOf(answer) {
  return (answer?.plan ?? []).flatMap(({ name, was, groups = [] }) => groups.filter(({ supersedes }) => supersedes > 0)
    .map((group) => `${was ?? name}/${group.was ?? group.path}`));
}

/** Where a file takes the place of rollouts: the user who applies it knows of them. */
export function Supersede({ answer, isSaid, onSay }) {
  const names = supersededOf(answer);
  if (!names.length) return null;
  return html`<${Note} kind="warn" title=${names.length === 1 ? `A rollout of ${names[0]} is under way.` : `Rollouts of ${names.length} groups are under way: ${names.join(", ")}.`}>
    <label class="check"><input type="checkbox" name="supersede" checked=${isSaid} onChange=${(event) => onSay(event.currentTarget.checked)}/> machines that it has not started follow this file</label></${Note}>`;
}

/** How a plan is carried out: the body of the request, and the flags of the command. */
export function applyBody(plan) {
  return { allow: allowBody(plan.needs), ...(supersededOf(plan).length && { supersede: true }) };
}

export function applyFlags(plan) {
  return `${supersededOf(plan).length ? " --supersede" : ""}${allowFlag(plan?.needs)}`;
}

/** Has it been agreed to? */
export function isAgreed(answer, typed) {
  const phrase = phraseOf(answer);
  return !phrase || typed.trim() === phrase;
}
