// A change of several node groups at once: each is planned, the whole is agreed to by typing its counts, and the requests are sent one
// after the other, each pinned to the revision that was planned. Jobs that belong to it are sent first.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { ask } from "../data/api.js";
import { isReplaceable, rangesOf, stateOf } from "../data/facts.js";
import { fleet } from "../data/store.js";
import { isAgain } from "./say.js";
import { asProblem, MERGE, pathOf, pinOf, quoted, requestPath } from "./change.js";
import { allowFlag, allowParameter, Consent, deedOf, isAgreed, phraseOf, Plan } from "./plan.js";
import { Button, Dialog, Field, Note, ProblemNote, Way } from "./parts.js";

const LOOK_MS = 200;

/** Sums of the numbers of several objects, name by name. */
function sumOf(list) {
  const sum = {};
  for (const one of list) for (const [name, value] of Object.entries(one ?? {})) sum[name] = (sum[name] ?? 0) + value;
  return sum;
}

/** The plans of all groups as one: what it destroys is agreed to as a whole. */
function planOf(looks) {
  const answers = looks.map(({ answer }) => answer);
  return { changed: answers.some(({ changed }) => changed), plan: answers.flatMap(({ plan }) => plan ?? []), warnings: answers.flatMap(({ warnings }) => warnings ?? []),
    needs: sumOf(answers.map(({ needs }) => needs)), sums: sumOf(answers.map(({ sums }) => sums)) };
}

/** Ask what each change would do: a list of {change, pin, answer} or {change, problem}; null: not known yet. */
function useLooks(changes) {
  const [looked, lookedSet] = useState(null);
  const wanted = JSON.stringify(changes);
  useEffect(() => {
    let isOver = false;
    const timer = setTimeout(async () => {
      const looks = await Promise.all(changes.map(async (change) => {
        try {
          const pin = await pinOf(change.path);
          return { change, pin, answer: await ask("PATCH", requestPath(change, { "dry-run": "1" }), { body: change.body, type: MERGE, headers: pin ? { "If-Match": pin } : {} }) };
        } catch (error) {
          return { change, problem: asProblem(error) };
        }
      }));
      if (!isOver) lookedSet({ wanted, looks });
    }, LOOK_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [wanted]);
  return looked?.wanted === wanted ? looked.looks : null;
}

/** changes: [{subject, path, query, body}]; posts: jobs, [{subject, path, body}]; commandOf(needs): what does the same on the command line.
 * A group whose plan is refused stops the whole; one that fails when it is sent stops those behind it, and the dialog names what was done. */
export function ManyDialog({ title, changes, posts = [], commandOf, children, onClose }) {
  const [typed, typedSet] = useState("");
  const [why, whySet] = useState("");
  const [done, doneSet] = useState([]);
  const [problem, problemSet] = useState(null);
  const [isSent, sentSet] = useState(false);
  const looks = useLooks(changes);
  const refused = (looks ?? []).filter((one) => one.problem);
  const answer = looks?.length && !refused.length ? planOf(looks) : null;
  const isJobsOnly = posts.length > 0 && !changes.length;
  const isReady = (isJobsOnly || (answer?.changed && isAgreed(answer, typed))) && !isSent;
  const bodyOf = (post) => ({ ...post.body, ...(isAgain(problem) ? { again: true } : {}), ...(why ? { why } : {}) });
  async function send() {
    if (!isReady) return;
    sentSet(true);
    const finished = [...done];
    try {
      for (const post of posts.filter(({ subject }) => !finished.includes(subject))) {
        await ask("POST", post.path, { body: bodyOf(post) });
        finished.push(post.subject);
      }
      for (const { change, pin, answer: own } of looks ?? []) { // none where jobs alone are sent
        if (!own.changed || finished.includes(change.subject)) continue;
        await ask("PATCH", requestPath(change, { allow: allowParameter(own.needs), why }), { body: change.body, type: MERGE, headers: pin ? { "If-Match": pin } : {} });
        finished.push(change.subject);
      }
      onClose();
    } catch (error) {
      doneSet(finished);
      problemSet(asProblem(error));
      if (isAgain(asProblem(error))) sentSet(false);
    }
  }
  const shownQuery = (change) => requestPath(change, { allow: looks ? allowParameter(looks.find((one) => one.change.path === change.path)?.answer?.needs) : "", why });
  return html`<${Dialog} title=${title} onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>${problem ? "Close" : "Leave it"}</${Button}>
      <${Button} kind=${phraseOf(answer) ? "danger" : "main"} disabled=${!isReady} onClick=${send}>${isAgain(problem) ? "Run them again" : answer ? deedOf(answer) : title}</${Button}>`}>
    <form class="dialog-form" onSubmit=${(event) => { event.preventDefault(); send(); }}>
      ${children}
      ${changes.length > 0 && !looks && html`<p class="dim">computing the plan ...</p>`}
      ${refused.map((one) => html`<div key=${one.change.path}><p class="dim">${one.change.subject}</p><${ProblemNote} problem=${one.problem}/></div>`)}
      ${answer && html`<${Plan} answer=${answer}/>`}
      <${Consent} answer=${answer} typed=${typed} onType=${typedSet}/>
      ${(isJobsOnly || answer?.changed) && html`<${Field} label="Why (shown in the history)" value=${why} onInput=${(event) => whySet(event.currentTarget.value)}/>`}
      ${changes.length > 0 && html`<${Way} command=${commandOf(answer?.needs ?? {}, why ? ` -m ${quoted(why)}` : "")} method="PATCH" path=${changes.map(shownQuery).join("\nPATCH ")} type=${MERGE} body=${changes[0].body}/>`}
      ${isJobsOnly && html`<${Way} command=${commandOf({}, why ? ` -m ${quoted(why)}` : "")} method="POST" path=${posts.map(({ path }) => path).join("\nPOST ")} body=${bodyOf(posts[0])}/>`}
      ${problem && done.length > 0 && html`<${Note} kind="warn" title=${`Done before the error: ${done.join(", ")}`}/>`}
      <${ProblemNote} problem=${problem}/><button type="submit" hidden></button></form>
  </${Dialog}>`;
}

const subjectOf = ({ cluster, group }) => `${cluster}/${group}`;

/** What the dialogs below need of a row of the fleet, as it is now. */
export function memberOf(row) {
  return { cluster: fleet.text("cluster", row), group: fleet.text("group", row), name: fleet.nameOf(row), word: stateOf(row), plugin: fleet.text("plugin", row).split("/")[0], isReplaceable: isReplaceable(row) };
}

/** Members by their group: [[subject, members]]. */
export function byGroup(members) {
  const groups = new Map();
  for (const one of members) groups.set(subjectOf(one), [...groups.get(subjectOf(one)) ?? [], one]);
  return [...groups];
}

/** A verb for these nodes, through the groups that they are in. */
function NodesDialog({ rows, verb, past, text, onClose }) {
  const [members] = useState(() => rows.map(memberOf)); // as they were when the dialog was opened
  const meant = members.filter((one) => one.isReplaceable);
  const rest = members.length - meant.length;
  const parts = byGroup(meant).map(([subject, list]) => ({ subject, names: rangesOf(list.map(({ name }) => name)) }));
  const changes = parts.map(({ subject, names }) => ({ subject, path: `/v1/nodegroups/${pathOf(subject)}`, query: { [verb]: names.join() }, body: {} }));
  const words = parts.flatMap(({ subject, names }) => names.map((name) => quoted(`${subject.split("/")[0]}/${name}`)));
  const deed = verb[0].toUpperCase() + verb.slice(1);
  return html`<${ManyDialog} title=${meant.length === 1 ? `${deed} ${meant[0].cluster}/${meant[0].name}` : `${deed} ${meant.length} nodes`} changes=${changes}
      commandOf=${(needs, flags) => `reeve ${verb} ${words.join(" ")}${allowFlag(needs)}${flags}`} onClose=${onClose}>
    <p>${text}</p>
    ${rest > 0 && html`<p class="dim">${rest} of the selected nodes ${rest === 1 ? "has" : "have"} no machine that could be ${past} (${[...new Set(members.filter((one) => !one.isReplaceable).map(({ word }) => word))].join(", ")}), and ${rest === 1 ? "is" : "are"} left out.</p>`}
    ${meant.length === 0 && html`<${Note} kind="warn" title=${`No selected node can be ${past}.`}/>`}</${ManyDialog}>`;
}

/** Other machines in the slots of these nodes. */
export function ReplaceDialog({ rows, onClose }) {
  return html`<${NodesDialog} rows=${rows} verb="replace" past="replaced" onClose=${onClose}
    text="Each slot gets another machine, by the rollout policy of its group: surge, canary, batch and maxFail apply."/>`;
}

/** The same machines, booted again. */
export function RebootDialog({ rows, onClose }) {
  return html`<${NodesDialog} rows=${rows} verb="reboot" past="rebooted" onClose=${onClose}
    text="Each machine is rebooted, as many at once as the rollout policy of its group allows. It is done when it has booted and is healthy. No stages are run."/>`;
}

/** Every machine of the groups of these nodes is replaced. */
export function RestartDialog({ rows, onClose }) {
  const [subjects] = useState(() => byGroup(rows.map(memberOf)).map(([subject]) => subject));
  const changes = subjects.map((subject) => ({ subject, path: `/v1/nodegroups/${pathOf(subject)}`, query: { replace: "*" }, body: {} }));
  return html`<${ManyDialog} title=${`Restart the rollout of ${subjects.length === 1 ? subjects[0] : `${subjects.length} groups`}`} changes=${changes}
      commandOf=${(needs, flags) => subjects.map((subject) => `reeve rollout restart ${quoted(subject)}${allowFlag(needs)}${flags}`).join("\n")} onClose=${onClose}>
    <p>All machines of ${subjects.length === 1 ? `${subjects[0]} are` : "these groups are"} replaced, not only the selected ones: ${subjects.join(", ")}.</p></${ManyDialog}>`;
}

/** A label of the groups of these nodes: nodes have those of their group. */
export function LabelsDialog({ rows, onClose }) {
  const [subjects] = useState(() => byGroup(rows.map(memberOf)).map(([subject]) => subject));
  const [key, keySet] = useState("");
  const [value, valueSet] = useState("");
  const name = key.trim();
  const changes = name && value ? subjects.map((subject) => ({ subject, path: `/v1/nodegroups/${pathOf(subject)}`, body: { labels: { [name]: value } } })) : [];
  return html`<${ManyDialog} title=${`Label ${subjects.length === 1 ? subjects[0] : `${subjects.length} groups`}`} changes=${changes}
      commandOf=${(needs, flags) => subjects.map((subject) => `reeve set ${quoted(subject)} ${quoted(`labels.${name}=${value}`)}${flags}`).join("\n")} onClose=${onClose}>
    <p>Nodes have the labels of their group: ${subjects.join(", ")}.</p>
    <div class="pair"><${Field} label="Label" name="key" value=${key} onInput=${(event) => keySet(event.currentTarget.value)}/>
      <${Field} label="Value" name="value" value=${value} onInput=${(event) => valueSet(event.currentTarget.value)}/></div></${ManyDialog}>`;
}
