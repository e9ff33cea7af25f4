// Nodes with a problem are repaired as the manager decides, and machines of the inventory are taken out of their groups.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { ask } from "../data/api.js";
import { rangesOf } from "../data/facts.js";
import { groups } from "../data/store.js";
import { byGroup, ManyDialog, memberOf } from "./bulk.js";
import { allowFlag } from "./plan.js";
import { Note, ProblemNote } from "./parts.js";
import { asProblem, pathOf, quoted } from "./say.js";

const BY = { bootstrap: "runs its failed stages again", reboot: "reboots", replace: "is replaced" };
const wordsOf = (members) => byGroup(members).flatMap(([subject, list]) => rangesOf(list.map(({ name }) => name)).map((name) => quoted(`${subject.split("/")[0]}/${name}`)));

/** How the manager would repair these nodes: {items, left} or {problem}; null: not known yet. */
function useRepairs(members) {
  const [found, foundSet] = useState(null);
  useEffect(() => {
    let isOver = false;
    Promise.all(byGroup(members).map(([subject, list]) => {
      const [cluster, ...group] = subject.split("/");
      return ask("GET", `/v1/repairs?${new URLSearchParams({ cluster, group: group.join("/"), nodes: rangesOf(list.map(({ name }) => name)).join() })}`);
    })).then((answers) => { if (!isOver) foundSet({ items: answers.flatMap(({ items }) => items), left: answers.flatMap(({ left }) => left ?? []) }); },
      (error) => { if (!isOver) foundSet({ problem: asProblem(error) }); });
    return () => { isOver = true; };
  }, []);
  return found;
}

/** Repairs by their group: [[subject, by => names]]. */
function repairsOf(items) {
  const subjects = [...new Set(items.map(({ cluster, group }) => `${cluster}/${group}`))];
  return subjects.map((subject) => [subject, (by) => items.filter((one) => `${one.cluster}/${one.group}` === subject && one.by === by).map(({ node }) => node)]);
}

/** The repair of these nodes: stages that failed run again as a job, machines are rebooted or replaced by the rollout of their group. */
export function RepairDialog({ rows, onClose }) {
  const [members] = useState(() => rows.map(memberOf)); // as they were when the dialog was opened
  const found = useRepairs(members);
  const repairs = repairsOf(found?.items ?? []);
  const posts = repairs.filter(([, of]) => of("bootstrap").length).map(([subject, of]) => ({ subject: `stages of ${subject}`, path: `/v1/nodegroups/${pathOf(subject)}/bootstrap`, body: { nodes: rangesOf(of("bootstrap")).join() } }));
  const changes = repairs.filter(([, of]) => of("reboot").length + of("replace").length).map(([subject, of]) => ({ subject, path: `/v1/nodegroups/${pathOf(subject)}`,
    query: { reboot: rangesOf(of("reboot")).join(), replace: rangesOf(of("replace")).join() }, body: {} }));
  return html`<${ManyDialog} title=${members.length === 1 ? `Repair ${members[0].cluster}/${members[0].name}` : `Repair ${members.length} nodes`} changes=${changes} posts=${posts}
      commandOf=${(needs, flags) => `reeve repair ${wordsOf(members).join(" ")}${allowFlag(needs)}${flags}`} onClose=${onClose}>
    <p>The manager decides for each node, by its problem and the policy of its group (heal). Reboots and replacements follow the rollout of the group.</p>
    ${!found && html`<p class="dim">looking ...</p>`}
    ${found?.items?.length > 0 && html`<ul class="data" aria-label="repairs">${found.items.map((one) => html`<li key=${`${one.cluster}/${one.node}`}>${one.cluster}/${one.node} (${one.state}) ${BY[one.by] ?? one.by}<span class="dim">: ${one.cause || one.why}</span></li>`)}</ul>`}
    ${found?.left?.length > 0 && html`<ul class="data dim" aria-label="left out">${found.left.map((one) => html`<li key=${`${one.cluster}/${one.node}`}>${one.cluster}/${one.node} is left out: ${one.why}</li>`)}</ul>`}
    ${found?.items?.length === 0 && html`<${Note} kind="warn" title="None of these nodes can be repaired."/>`}
    <${ProblemNote} problem=${found?.problem}/></${ManyDialog}>`;
}

/** Can it be taken out of its group and returned to the inventory? */
export const isOfInventory = ({ plugin, word }) => plugin === "inventory" && !["creating", "refused", "leaving"].includes(word);

const sizeOf = (subject) => groups.value.find(({ metadata }) => `${metadata.cluster}/${metadata.name}` === subject)?.spec.size ?? 0;

/** Machines of the inventory leave their groups, which become smaller. Those that have disappeared leave without their cleanup, which runs
 * when they return. */
export function DecommissionDialog({ rows, onClose }) {
  const [members] = useState(() => rows.map(memberOf)); // as they were when the dialog was opened
  const meant = members.filter(isOfInventory);
  const [isAbsent, absentSet] = useState(false);
  const changes = byGroup(meant).map(([subject, list]) => ({ subject, path: `/v1/nodegroups/${pathOf(subject)}`, query: { victims: rangesOf(list.map(({ name }) => name)).join(), absent: isAbsent ? "1" : "" },
    body: { size: Math.max(0, sizeOf(subject) - list.length) } }));
  return html`<${ManyDialog} title=${meant.length === 1 ? `Decommission ${meant[0].cluster}/${meant[0].name}` : `Decommission ${meant.length} machines`} changes=${changes}
      commandOf=${(needs, flags) => `reeve decommission ${wordsOf(meant).join(" ")}${isAbsent ? " --absent" : ""}${allowFlag(needs)}${flags}`} onClose=${onClose}>
    <p>Each machine is cleaned up by its configuration, leaves its group, which becomes smaller, and returns to the inventory.</p>
    ${meant.length < members.length && html`<p class="dim">${members.length - meant.length} of the selected nodes ${members.length - meant.length === 1 ? "is no machine" : "are no machines"} of the inventory that could leave, and ${members.length - meant.length === 1 ? "is" : "are"} left out.</p>`}
    ${meant.length === 0 ? html`<${Note} kind="warn" title="No selected node is a machine of the inventory."><p>To make a group smaller: Scale.</p></${Note}>`
    : html`<label class="check"><input type="checkbox" name="absent" checked=${isAbsent} onChange=${(event) => absentSet(event.currentTarget.checked)}/> ${meant.length === 1 ? "the machine has disappeared: it leaves" : "the machines have disappeared: they leave"} at once, and the cleanup runs before anything else if ${meant.length === 1 ? "it returns" : "they return"}</label>`}</${ManyDialog}>`;
}
