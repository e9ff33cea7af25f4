// Dialogs that change something. Each shows what it will do, the command that does the same, and the request it sends;
// what destroys is agreed to by typing the same words as on the command line.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { ask } from "../data/api.js";
import { PAUSED } from "../data/facts.js";
import { holds } from "../data/store.js";
import { asProblem, isAgain, pathOf, quoted, SayDialog } from "./say.js";
import { allowFlag, allowParameter, Consent, deedOf, isAgreed, phraseOf, Plan } from "./plan.js";
import { Button, Dialog, Field, Note, ProblemNote, Way } from "./parts.js";

const LOOK_MS = 200;
export const MERGE = "application/merge-patch+json";

export { asProblem, pathOf, quoted, SayDialog };

/** The revision that a change is pinned to: that of the newest change. */
export async function pinOf(path) {
  const { items } = await ask("GET", `${path}?view=history`);
  return items.length ? `"${items[0].revision}"` : undefined;
}

export function requestPath({ path, query: own }, query) {
  const words = new URLSearchParams(Object.entries({ ...own, ...query }).filter(([, value]) => value)).toString().replaceAll("%3A", ":").replaceAll("%2C", ",");
  return words ? `${path}?${words}` : path;
}

/** Ask what a change would do, whenever it is another one: {problem} or {answer, pin}; null: not known yet. */
function useLook(change) {
  const [looked, lookedSet] = useState(null);
  const wanted = change && JSON.stringify([change.method, change.path, change.query, change.body]);
  useEffect(() => {
    if (!change) return undefined;
    let isOver = false;
    const timer = setTimeout(async () => {
      let found;
      try {
        const pin = change.pinAt && await pinOf(change.pinAt);
        found = { wanted, pin, answer: await ask(change.method, requestPath(change, { "dry-run": "1" }),
          { body: change.body, type: change.type, headers: pin ? { "If-Match": pin } : {} }) };
      } catch (error) {
        found = { wanted, problem: asProblem(error) };
      }
      if (!isOver) lookedSet(found);
    }, LOOK_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [wanted]);
  return looked?.wanted === wanted ? looked : null;
}

/** A change of an object, planned before it is sent. change: {method, path, query, type, body, pinAt, command}, or null while
 * what is typed is none; deed: what the button says, where the plan does not know better; check: why this plan is not what
 * was meant, or nothing; then: what belongs to it and follows. */
export function ChangeDialog({ title, change, deed, children, check, then, onDone, onClose }) {
  const [typed, typedSet] = useState("");
  const [why, whySet] = useState("");
  const [problem, problemSet] = useState(null);
  const [isSent, sentSet] = useState(false);
  const looked = useLook(change);
  const answer = looked?.answer;
  const query = { allow: allowParameter(answer?.needs), why };
  const doubt = answer && check?.(answer);
  const isReady = answer?.changed && !doubt && isAgreed(answer, typed) && !isSent;
  useEffect(() => problemSet(null), [change && JSON.stringify(change.body)]);
  async function send() {
    if (!isReady) return;
    sentSet(true);
    try {
      const done = await ask(change.method, requestPath(change, query), { body: change.body, type: change.type, headers: looked.pin ? { "If-Match": looked.pin } : {} });
      await then?.();
      onDone?.(done);
      onClose();
    } catch (error) {
      problemSet(asProblem(error));
      sentSet(false);
    }
  }
  return html`<${Dialog} title=${title} onClose=${onClose} foot=${html`
      <${Button} onClick=${onClose}>Leave it</${Button}>
      <${Button} kind=${phraseOf(answer) ? "danger" : "main"} disabled=${!isReady} onClick=${send}>${deed?.(answer) ?? (answer ? deedOf(answer) : title)}</${Button}>`}>
    <form class="dialog-form" onSubmit=${(event) => { event.preventDefault(); send(); }}>
      ${children}
      ${change && !looked && html`<p class="dim">computing the plan ...</p>`}
      ${answer && html`<${Plan} answer=${answer}/>`}
      ${doubt && html`<${Note} kind="bad" title=${doubt}/>`}
      <${ProblemNote} problem=${looked?.problem}/>
      <${Consent} answer=${answer} typed=${typed} onType=${typedSet}/>
      ${answer?.changed && html`<${Field} label="Why (shown in the history)" value=${why} onInput=${(event) => whySet(event.currentTarget.value)}/>`}
      ${change && html`<${Way} command=${`${change.command}${allowFlag(answer?.needs)}${why ? ` -m ${quoted(why)}` : ""}`} method=${change.method}
        path=${requestPath(change, query)} type=${change.type} headers=${looked?.pin ? { "If-Match": looked.pin } : {}} body=${change.body}/>`}
      <${ProblemNote} problem=${problem}/><button type="submit" hidden></button></form>
  </${Dialog}>`;
}

const RULES = ["oldestConfig", "oldest", "newest", "failed"];

/** Names and ranges as people write them, one by one: "web-1, web-[3,5]" is two. */
function namesOf(text) {
  return text.trim().split(/[\s,]+(?![^[]*\])/).filter(Boolean);
}

/** Who goes when a group shrinks: those who are named first, then by the group's rule, which may be another one from now on. */
function WhoGoes({ pick, rule, onRule, names, onNames }) {
  return html`<div class="pair"><${Field} label="Destroyed first" name="victims" value=${names} placeholder="web-1, web-[3-4]" onInput=${(event) => onNames(event.currentTarget.value)}/>
    <label class="field"><span>Rule for the others (unhealthy ones first)</span><select class="select" name="pick" value=${rule} onChange=${(event) => onRule(event.currentTarget.value)}>
      <option value="">${pick}, unchanged</option>${RULES.filter((one) => one !== pick).map((one) => html`<option key=${one} value=${one}>${one}, from now on</option>`)}</select></label></div>`;
}

/** Another size of a group. pick: the rule that it has, where it says one. */
export function ScaleDialog({ cluster, group, size, pick = "oldestConfig", onClose }) {
  const name = `${cluster}/${group}`;
  const [text, textSet] = useState(String(size));
  const [victims, victimsSet] = useState("");
  const [rule, ruleSet] = useState("");
  const input = useRef(null);
  const wanted = /^\d{1,6}$/.test(text.trim()) ? Number(text) : null;
  useEffect(() => { input.current?.select(); }, []);
  const path = `/v1/nodegroups/${pathOf(name)}`;
  const isLess = wanted !== null && wanted < size;
  const named = isLess ? namesOf(victims) : [], byRule = isLess ? rule : "";
  const picks = [byRule, ...named].filter(Boolean).map((one) => ` --pick ${quoted(one)}`).join("");
  const change = wanted === null ? null
    : { method: "PATCH", path, pinAt: path, type: MERGE, query: { victims: named.join() }, body: { ...(byRule ? { pick: byRule } : {}), size: wanted }, command: `reeve scale ${quoted(name)} ${wanted}${picks}` };
  const deed = (answer) => (!answer?.changed ? "Scale" : answer.needs?.destroy > 0 ? `Destroy ${answer.needs.destroy} of ${name}` : `Create ${answer.sums.create} in ${name}`);
  return html`<${ChangeDialog} title=${`Scale ${name}`} change=${change} deed=${deed} onClose=${onClose}>
    <${Field} label=${`Machines (now ${size})`} inputRef=${input} inputmode="numeric" value=${text} aria-invalid=${wanted === null}
      hint=${wanted === null ? "a number from 0 to 999999" : ""} onInput=${(event) => textSet(event.currentTarget.value)}/>
    ${isLess && html`<${WhoGoes} pick=${pick} rule=${rule} onRule=${ruleSet} names=${victims} onNames=${victimsSet}/>`}</${ChangeDialog}>`;
}

/** An object goes, with what belongs to it. */
export function DeleteDialog({ kind, plural, name, onDone, onClose }) {
  const path = `/v1/${plural}/${pathOf(name)}`;
  const change = { method: "DELETE", path, pinAt: path, command: `reeve delete ${kind} ${quoted(name)}` };
  return html`<${ChangeDialog} title=${`Delete ${kind} ${name}`} change=${change} onDone=${onDone} onClose=${onClose}
    deed=${(answer) => (answer?.sums?.destroy > 0 ? `Destroy ${answer.sums.destroy} nodes, delete ${name}` : `Delete ${name}`)}/>`;
}

/** An object as it was at an earlier revision; without one: before its newest change. */
export function UndoDialog({ kind, plural, name, to, command, title, check, then, onClose }) {
  const path = `/v1/${plural}/${pathOf(name)}`;
  const change = { method: "POST", path: `${path}/undo`, pinAt: path, body: to ? { to } : {},
    command: command ?? `reeve undo ${kind} ${quoted(name)}${to ? ` --to ${to}` : ""}` };
  return html`<${ChangeDialog} title=${title ?? `Undo ${kind} ${name}${to ? ` to revision ${to}` : ""}`} change=${change} check=${check} then=${then} onClose=${onClose}/>`;
}

/** One label more, or another one, or one less. */
export function LabelDialog({ kind, plural, name, labels = {}, onClose }) {
  const [key, keySet] = useState("");
  const [value, valueSet] = useState("");
  const [isGone, goneSet] = useState(false);
  const path = `/v1/${plural}/${pathOf(name)}`;
  const change = key.trim() && (isGone || value) ? { method: "PATCH", path, pinAt: path, type: MERGE, body: { labels: { [key.trim()]: isGone ? null : value } },
    command: `reeve set ${["cluster", "nodegroup"].includes(kind) ? quoted(name) : `${kind}/${quoted(name)}`} ${quoted(`labels.${key.trim()}=${isGone ? "null" : value}`)}` } : null;
  return html`<${ChangeDialog} title=${`Label ${name}`} change=${change} onClose=${onClose} deed=${() => (isGone ? "Remove the label" : "Set it")}>
    ${Object.keys(labels).length > 0 && html`<p class="chips">${Object.entries(labels).map(([one, text]) => html`<button key=${one} type="button" class="chip"
      onClick=${() => { keySet(one); valueSet(String(text)); goneSet(false); }}>${one}=${String(text)}</button>`)}</p>`}
    <div class="pair"><${Field} label="Label" name="key" value=${key} onInput=${(event) => keySet(event.currentTarget.value)}/>
      <${Field} label="Value" name="value" value=${value} disabled=${isGone} onInput=${(event) => valueSet(event.currentTarget.value)}/></div>
    ${key.trim() in labels && html`<label class="check"><input type="checkbox" checked=${isGone} onChange=${(event) => goneSet(event.currentTarget.checked)}/> remove the label</label>`}
  </${ChangeDialog}>`;
}

const ROLL = {
  pause: ["rollout-pause", "No further machine is replaced until the rollout is resumed."],
  resume: ["rollout-resume", "The rollout continues to replace machines."],
  abort: ["rollout-abort", "The rollout stops in its current state. Undo reverts the change, resume continues it."],
  promote: ["approve", "The rollout continues although machines have failed.", "roll_failed"],
};

/** A word about a rollout: pause, resume, abort, promote, undo. */
export function RolloutDialog({ word, subject, onClose }) {
  const title = `${word[0].toUpperCase() + word.slice(1)} the rollout of ${subject}`;
  const path = `/v1/nodegroups/${pathOf(subject)}`;
  if (word === "undo") {
    // an abort, or a pause, is of whatever the group rolls to: taken back, it would stand still in the middle
    const then = () => ask("POST", `${path}/say`, { body: { command: "rollout-resume", why: "undo" } }).catch((error) => { if (error.code !== "R0433") throw error; });
    return html`<${UndoDialog} kind="nodegroup" plural="nodegroups" name=${subject} title=${title} command=${`reeve undo ${quoted(subject)}`} then=${then}
      check=${({ needs }) => !needs?.replace && "Undoing the newest change would replace no machine: the revisions of the group show which change is rolled out."} onClose=${onClose}/>`;
  }
  const [said, says, rule] = ROLL[word];
  return html`<${SayDialog} word=${said} rule=${rule} subject=${subject} title=${title} says=${says} isDanger=${word === "promote"}
    command=${`reeve rollout ${word} ${quoted(subject)}`} onClose=${onClose}/>`;
}

const BATCH_SAYS = {
  cancel: "Running work is completed, and nothing more is started. The job cannot be resumed.",
  pause: "Running work is completed, and nothing more is started until the job is resumed.",
  resume: "It goes on.",
};

/** Has a group of a job work left? What is healed meanwhile is none of the job's. */
function isOpen({ updated, ready, wanted, old, creating, leaving, outdated = 0, failed = 0, staging = 0 }) {
  return (updated ?? ready) < wanted || old + creating + leaving + outdated + failed + staging > 0;
}

/** Has a group of a job no work left but reboots? A cancel drops those, and pauses nothing. */
function isRebootsOnly({ reboots = 0, rebooting = 0, rebootLate = 0, creating, old, leaving, outdated = 0, failed = 0, staging = 0 }) {
  return reboots + rebooting + rebootLate > 0 && old + leaving + outdated + failed + staging === 0 && creating <= rebooting + rebootLate;
}

/** Groups of a job with reboots that have not started, which a cancel drops: [{name, count}]. */
function dropsOf(word, { metadata: { cluster }, status }) {
  const groups = word === "cancel" ? status.groups ?? [] : [];
  return groups.filter(({ reboots }) => reboots > 0).map(({ group, reboots }) => ({ name: `${cluster}/${group}`, count: reboots }));
}

/** Of what a word about a job is said: a cancel of those of its groups that have work left, and of no other, so that these are healed as
 * before; of none where only reboots are left; a resume of what is paused of it. The cluster itself where the groups are too many to be
 * listed, or are gone. */
function subjectsOf(word, { metadata: { cluster }, status }) {
  const groups = status.groups ?? [];
  if (word === "resume") {
    const own = holds.value.filter(({ metadata, status: { rule } }) => metadata.cluster === cluster && rule === PAUSED);
    const paused = [...new Set(own.flatMap((hold) => hold.status.pauses?.map(({ of }) => of) ?? [cluster]))];
    return paused.length ? paused : [cluster];
  }
  if (word !== "cancel") return [cluster];
  const open = groups.filter((one) => isOpen(one) && !isRebootsOnly(one)).map(({ group }) => `${cluster}/${group}`);
  return open.length || groups.some(isRebootsOnly) ? open : [cluster];
}

const namesText = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0]);

function dropsText(drops) {
  return drops.map(({ name, count }) => `${count} ${count > 1 ? "reboots" : "reboot"} of ${name} that ${count > 1 ? "have" : "has"} not started ${count > 1 ? "are" : "is"} dropped. `).join("");
}

function cancelSays(subjects) {
  const names = namesText(subjects), are = subjects.length > 1 ? "are" : "is";
  return `Running work is completed, and nothing more is started: ${names} ${are} paused, and ${are} not healed until an operator resumes ${subjects.length > 1 ? "them" : "it"}. No other groups are paused. To continue, resume ${subjects.length > 1 ? "them" : "it"}, or undo the change.`;
}

function jobSays(word, subjects, drops) {
  if (word === "cancel" && !subjects.length) return `${dropsText(drops) || "Only started reboots are left, and they are completed: there is nothing to cancel. "}No group is paused.`;
  if (word === "cancel") return `${dropsText(drops)}${cancelSays(subjects)}`;
  return word === "retry" ? "Refused work and failed stages are retried now." : `${namesText(subjects)} ${subjects.length > 1 ? "go" : "goes"} on.`;
}

/** A word about a job: of its groups, or of its cluster; one that runs stages again has words of its own. */
export function JobDialog({ word, job, onClose }) {
  const { name, cluster } = job.metadata;
  const isOfBatches = Boolean(job.status.verb);
  const [{ subjects, drops }] = useState(isOfBatches ? { subjects: [cluster], drops: [] } : { subjects: subjectsOf(word, job), drops: dropsOf(word, job) }); // as they were when it was asked
  return html`<${JobSay} word=${word} isOfBatches=${isOfBatches} number=${name} subjects=${subjects} drops=${drops} says=${isOfBatches ? BATCH_SAYS[word] : jobSays(word, subjects, drops)} onClose=${onClose}/>`;
}

const JOB_WORDS = { cancel: "pause", retry: "retry", resume: "resume" };

/** What does the same on the command line. */
function jobCommand({ word, isOfBatches, number, subjects, drops, message, isRun }) {
  if (isOfBatches || word === "retry" || drops.length) return `reeve job ${word} ${number}${isRun ? " --yes" : ""}${message ? ` -m ${quoted(message)}` : ""}`;
  return subjects.map((one) => `reeve ${JOB_WORDS[word]} ${quoted(one)}${message ? ` -m ${quoted(message)}` : ""}`).join("\n");
}

/** Drop the reboots of a group that have not begun. */
async function rebootsDrop({ name }, why) {
  const path = `/v1/nodegroups/${pathOf(name)}`, pin = await pinOf(path);
  await ask("PATCH", requestPath({ path }, { reboot: "-", why }), { body: {}, type: MERGE, headers: pin ? { "If-Match": pin } : {} });
}

function JobSay({ word, isOfBatches, number, subjects, drops, says, onClose }) {
  const [message, messageSet] = useState("");
  const [problem, problemSet] = useState(null);
  const body = isOfBatches ? { job: String(number), ...(message ? { why: message } : {}), command: `job-${word}` } : { ...(isAgain(problem) ? { again: true } : {}), why: `job/${number} ${word}${message ? `: ${message}` : ""}`, command: JOB_WORDS[word] };
  const paths = subjects.map((one) => `/v1/${one.includes("/") ? "nodegroups" : "clusters"}/${pathOf(one)}/say`);
  const requests = [...drops.map(({ name }) => `PATCH /v1/nodegroups/${pathOf(name)}?reboot=-`), ...paths.map((path) => `POST ${path}`)].join("\n");
  const title = `${word[0].toUpperCase() + word.slice(1)} job ${number}`;
  async function send() {
    try {
      for (const one of drops) await rebootsDrop(one, body.why);
      for (const path of paths) await ask("POST", path, { body });
      onClose();
    } catch (error) {
      problemSet(asProblem(error));
    }
  }
  return html`<${Dialog} title=${title} onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>Leave it</${Button}>
      <${Button} kind=${word === "cancel" ? "danger" : "main"} disabled=${!requests} onClick=${send}>${isAgain(problem) ? "Run them again" : title}</${Button}>`}>
    <p>${says}</p>${requests && html`<${Field} label="Why (shown in the events)" value=${message} onInput=${(event) => messageSet(event.currentTarget.value)}/>
    <${Way} command=${jobCommand({ word, isOfBatches, number, subjects, drops, message, isRun: isAgain(problem) })} method=${requests.split(" ")[0]} path=${requests.slice(requests.indexOf(" ") + 1)} body=${paths.length ? body : {}}/>`}
    <${ProblemNote} problem=${problem}/></${Dialog}>`;
}
