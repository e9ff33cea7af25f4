// Apply: a file, what is wrong in it, what it would do; and plans that were kept. The manager reads the file each time one
// stops typing (a dry run); Ctrl-Enter keeps its plan, and the button carries out exactly that.
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { useKeys } from "../app/keys.js";
import { go, href, view } from "../app/router.js";
import { ask, may, session } from "../data/api.js";
import { draftKeep, draftRead } from "../data/draft.js";
import { clusters, groups } from "../data/store.js";
import { yamlSlips, yamlWrite } from "../data/yaml.js";
import { asProblem } from "../parts/change.js";
import { Editor } from "../parts/editor.js";
import { applyBody, applyFlags, Consent, deedOf, isAgreed, objectName, phraseOf, Plan, Supersede, supersededOf } from "../parts/plan.js";
import { Button, Copy, Empty, Field, Note, ProblemNote, Way, When } from "../parts/parts.js";

const LOOK_MS = 350;
const YAML = "application/yaml";
const SAMPLE = `name: my-cluster
version: "1"
groups:
  web:
    size: 3
    resourcePlugin: {name: file}
`;

/** What is being written; kept while one looks at other pages, and over a reload. from: the address that it was begun by; why: what is to
 * stand in the history. */
const draft = signal({ text: SAMPLE, from: null, why: "" });
session.subscribe((value) => { draft.value = (value && draftRead(value.user)) || { text: SAMPLE, from: null, why: "" }; });
draft.subscribe((value) => { if (session.value && value.text !== SAMPLE) draftKeep(session.value.user, value); });

/** The faults that a refusal lists, each with its place. */
function faultsOf(problem) {
  if (!problem || problem.errors.length === 0 || problem.code === "R0405") return [];
  return problem.errors.map((one) => (one.line ? one : { ...one, note: [one.note, one.pointer].filter(Boolean).join(" · ") }))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

/** What the manager says of the text: {text, answer} or {text, problem}; of an older text while it is asked anew. */
function useReading(text, take, isMissing) {
  const [reply, replySet] = useState(null);
  const asked = JSON.stringify([text, take, isMissing]);
  useEffect(() => {
    if (!text.trim()) return undefined;
    let isOver = false;
    const timer = setTimeout(async () => {
      let found;
      try {
        found = { asked, answer: await ask("POST", `/v1/apply?dry-run=1${takeWords(take)}${missingWords(isMissing)}`, { body: text, type: YAML }) };
      } catch (error) {
        found = { asked, problem: asProblem(error) };
      }
      if (!isOver) replySet(found);
    }, LOOK_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [asked]);
  return { ...reply, isFresh: reply?.asked === asked };
}

/** Groups whose plugin is not here yet are taken all the same, by who has agreed to that. */
function missingWords(isMissing) {
  return isMissing ? "&allow-missing-plugin=1" : "";
}

function takeWords(take) {
  return take.length ? `&take=${take.map(encodeURIComponent).join(",")}` : "";
}

/** What the address asks for: the file of a cluster that there is, or one made from a template. */
async function draftBegin({ cluster, from }) {
  if (from) {
    const name = from.split("/").pop().replace(/[^\w.-]/g, "");
    return `# values in this file override those of the template\nname: my-${name}\nversion: "1"\nfrom: {template: ${name}}\n`;
  }
  return yamlWrite(await ask("GET", `/v1/clusters/${encodeURIComponent(cluster)}?view=export`));
}

function Write() {
  const { query } = view.value;
  const [plan, planSet] = useState(null);
  const [take, takeSet] = useState([]);
  const [typed, typedSet] = useState("");
  const [isSuperseding, supersedingSet] = useState(false);
  const whySet = (said) => { draft.value = { ...draft.value, why: said }; };
  const [problem, problemSet] = useState(null);
  const [isBusy, busySet] = useState(false);
  const { text, why } = draft.value;
  const [isMissing, missingSet] = useState(false);
  const reply = useReading(text, take, isMissing);
  const request = { cluster: query.get("cluster") ?? "", from: query.get("from") ?? "" };
  const source = JSON.stringify(request);
  useEffect(() => {
    if (draft.value.from === source || (!request.cluster && !request.from)) return;
    draftBegin(request).then((begun) => { draft.value = { ...draft.value, text: begun, from: source }; }, (error) => problemSet(asProblem(error)));
  }, [source]);
  useEffect(() => missingSet(false), [text]); // it was agreed to for one text
  // a plan is of the text that it was made from
  useEffect(() => {
    planSet(null);
    typedSet("");
    supersedingSet(false);
    problemSet(null);
  }, [text, take, isMissing]);
  const isMeant = plan && isAgreed(plan, typed) && (isSuperseding || !supersededOf(plan).length);
  const faults = reply.isFresh ? faultsOf(reply.problem) : [...yamlSlips(text), ...faultsOf(reply.problem).filter(({ line }) => line)];
  const answer = plan ?? (reply.isFresh ? reply.answer : null);
  const path = `/v1/plans?${new URLSearchParams(why ? { why } : {})}${takeWords(take)}${missingWords(isMissing)}`.replace(/\?&?$/, "").replace("?&", "?");
  async function make() {
    if (isBusy || !text.trim()) return;
    busySet(true);
    try {
      const made = await ask("POST", path, { body: text, type: YAML });
      if (draft.value.text === text) planSet(made);
      problemSet(null);
    } catch (error) {
      if (!faultsOf(error).length) problemSet(asProblem(error));
    }
    busySet(false);
  }
  async function carryOut() {
    if (!isMeant || isBusy) return;
    busySet(true);
    try {
      const done = await ask("POST", `/v1/plans/${plan.id}/apply`, { body: applyBody(plan) });
      go(afterHref(plan, done));
    } catch (error) {
      problemSet(asProblem(error));
      busySet(false);
    }
  }
  function key(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    make();
  }
  const command = `reeve apply -f FILE${take.map((one) => ` --take ${one}`).join("")}${isMissing ? " --allow-missing-plugin" : ""}${applyFlags(answer)}${why ? ` -m ${JSON.stringify(why)}` : ""}`;
  return html`<div class="head"><h1>Apply</h1><span class="head-space"></span><label class="button file">Open a file<input type="file" accept=".yaml,.yml,.json" aria-label="open a file"
        onChange=${(event) => event.currentTarget.files[0]?.text().then((read) => { draft.value = { ...draft.value, text: read, from: "file" }; })}/></label>
      <a href=${href(["plans"])}>Kept plans</a></div>
    <div class="apply" onKeyDown=${key}>
      <section aria-label="file"><${Editor} label="file" text=${text} faults=${faults} onText=${(written) => { draft.value = { ...draft.value, text: written }; }}/></section>
      <section aria-label="plan" class="apply-plan" aria-busy=${!reply.isFresh}>
        <h2>${plan ? html`Plan <code>${plan.id}</code> <span class="dim">kept for a day</span>` : "What the file would change"}</h2>
        ${!text.trim() ? html`<p class="dim">Write or open a file: it is checked while you type.</p>` : answer ? html`<${Plan} answer=${answer} onTake=${(one) => takeSet([...take, one])}/>`
          : html`<p class="dim">${faults.length ? `${faults.length === 1 ? "One error" : `${faults.length} errors`} must be corrected.` : "reading ..."}</p>`}
        ${reply.isFresh && !faultsOf(reply.problem).length && html`<${ProblemNote} problem=${reply.problem}/>`}
        ${(isMissing || faults.some(({ code }) => code === NO_PLUGIN)) && html`<${Note} kind="warn" title="This manager does not have every plugin that the file names."><label class="check"><input type="checkbox" name="missing" checked=${isMissing}
            onChange=${(event) => missingSet(event.currentTarget.checked)}/> apply it anyway: its groups get machines when the plugin is installed</label></${Note}>`}
        ${plan && html`<${Supersede} answer=${plan} isSaid=${isSuperseding} onSay=${supersedingSet}/><${Consent} answer=${plan} typed=${typed} onType=${typedSet}/>`}
        <${Field} label="Why (shown in the history)" name="why" value=${why} onInput=${(event) => { whySet(event.currentTarget.value); planSet(null); }}/>
        <div class="tools">${plan ? html`<${Button} kind=${phraseOf(plan) ? "danger" : "main"} disabled=${isBusy || !plan.changed || !isMeant} onClick=${carryOut}>${plan.changed ? deedOf(plan) : "Nothing to do"}</${Button}>`
          : html`<${Button} kind="main" disabled=${isBusy || !reply.answer || !reply.isFresh} onClick=${make}>Plan <kbd>Ctrl ⏎</kbd></${Button}>`}</div>
        <${ProblemNote} problem=${problem}/>
        ${problem?.code === MOVED && html`<${Button} onClick=${make}>Plan again</${Button}>`}
        ${plan ? html`<${Way} command=${`reeve apply plan/${plan.id}${applyFlags(plan)}`} method="POST" path=${`/v1/plans/${plan.id}/apply`} type="application/json" body=${applyBody(plan)}/>`
          : html`<${Way} command=${command} method="POST" path=${path} type=${YAML} body=${text}/>`}</section></div>`;
}

const MOVED = "R0408", NO_PLUGIN = "R0801";

/** Where to look next: the one cluster of a plan, else all of them. */
function afterHref({ plan }, done) {
  const names = [...new Set((plan ?? []).filter(({ kind, change }) => kind === "Cluster" && change !== "destroy").map(({ name }) => name))];
  return names.length === 1 ? href(["clusters", names[0]]) : done?.job ? href(["jobs", String(done.job)]) : href([]);
}

export function Apply() {
  if (!may("operator")) return html`<h1>Apply</h1><${Empty} title="Only operators can apply files."><p>You can view: <a href=${href([])}>all clusters</a></p></${Empty}>`;
  return html`<${Write}/>`;
}

/** Ask again when something that plans are about may have changed. */
function useAsk(path, when) {
  const [reply, replySet] = useState({});
  useEffect(() => {
    let isOver = false;
    ask("GET", path).then((answer) => { if (!isOver) replySet({ answer }); }, (error) => { if (!isOver) replySet({ problem: asProblem(error) }); });
    return () => { isOver = true; };
  }, [path, when]);
  return reply;
}

function sumText({ sums = {} }) {
  return ["destroy", "replace", "change", "create"].filter((word) => sums[word]).map((word) => `${word} ${sums[word]}`).join(", ") || "no node";
}

export function Plans() {
  const { answer, problem } = useAsk("/v1/plans", clusters.value);
  const list = useRef(null);
  useKeys([["a", "write a file", () => go(href(["apply"]))]]);
  if (!answer && !problem) return html`<h1>Plans</h1><p class="dim">loading ...</p>`;
  if (answer && !answer.items.length) {
    return html`<h1>Plans</h1><${Empty} title="There is no saved plan."><p>A plan that is kept can be looked at and carried out by another person, for a day:</p>
      <p><code>reeve plan -f my.yaml --save</code><${Copy} text="reeve plan -f my.yaml --save"/>${may("operator") && html` or <a href=${href(["apply"])}>write a file</a>`}</p></${Empty}>`;
  }
  return html`<div class="head"><h1>Plans</h1><span class="head-space"></span>${may("operator") && html`<a class="button" href=${href(["apply"])}>Apply a file</a>`}</div>
    <${ProblemNote} problem=${problem}/><div class="table-scroll"><table class="table data" ref=${list}><thead><tr><th scope="col">Plan</th><th scope="col">Of</th><th scope="col">Does</th>
      <th scope="col" class="hide-small">Why</th><th scope="col" class="hide-small">By</th><th scope="col" class="hide-small">Made</th></tr></thead>
      <tbody>${answer?.items.map((plan) => html`<tr key=${plan.id}><td><a class="name" href=${href(["plans", plan.id])}>${plan.id}</a><${Copy} text=${`plan/${plan.id}`} what="copy the name"/></td><td>${plan.objects.map(objectName).join(", ")}</td>
        <td>${sumText(plan)}</td><td class="hide-small">${plan.why}</td><td class="hide-small dim">${plan.by}</td><td class="hide-small dim"><${When} at=${plan.created}/></td></tr>`)}</tbody></table></div>`;
}

/** What was changed since this plan was made, of what it is about. */
function movedOf({ objects = [], revision }) {
  const own = new Map([...clusters.value, ...groups.value].map((object) => [object.metadata.id, object]));
  return objects.map(({ id }) => own.get(id)).filter((object) => object && object.metadata.revision > revision);
}

export function PlanPage({ parts: [, id] }) {
  const { answer: plan, problem } = useAsk(`/v1/plans/${encodeURIComponent(id)}`, "");
  const [typed, typedSet] = useState("");
  const [isSuperseding, supersedingSet] = useState(false);
  const [refused, refusedSet] = useState(null);
  const [isBusy, busySet] = useState(false);
  if (problem) return html`<${Empty} title=${`There is no plan ${id}.`}><p>${problem.message}. Plans are kept for a day.</p><p><a href=${href(["plans"])}>All plans</a></p></${Empty}>`;
  if (!plan) return html`<p class="dim">asking ...</p>`;
  const moved = movedOf(plan);
  const isMeant = isAgreed(plan, typed) && (isSuperseding || !supersededOf(plan).length);
  async function carryOut() {
    busySet(true);
    try {
      const done = await ask("POST", `/v1/plans/${encodeURIComponent(id)}/apply`, { body: applyBody(plan) });
      go(afterHref(plan, done));
    } catch (error) {
      refusedSet(asProblem(error));
      busySet(false);
    }
  }
  return html`<div class="head"><h1><a class="crumb" href=${href(["plans"])}>Plans /</a> ${id}</h1><${Copy} text=${`plan/${id}`} what="copy the name"/></div>
    ${moved.length > 0 && html`<${Note} kind="warn" title="The objects of this plan have changed.">${moved.map(({ metadata: { name, cluster, by, updated } }) => html`<p key=${name}>${cluster ? `${cluster}/` : ""}${name} was changed by ${by}, <${When} at=${updated}/>: the plan would be rejected. Make it again:
      <code>reeve plan -f FILE --rebase plan/${id}</code></p>`)}</${Note}>`}
    <section aria-label="plan"><h2>What this plan changes</h2><${Plan} answer=${plan}/></section>
    ${may("operator") && html`<section aria-label="apply the plan" class="plan-do"><${Supersede} answer=${plan} isSaid=${isSuperseding} onSay=${supersedingSet}/><${Consent} answer=${plan} typed=${typed} onType=${typedSet}/>
      <div class="tools"><${Button} kind=${phraseOf(plan) ? "danger" : "main"} disabled=${isBusy || !plan.changed || !isMeant} onClick=${carryOut}>${deedOf(plan)}</${Button}></div>
      <${ProblemNote} problem=${refused}/><${Way} command=${`reeve apply plan/${id}${applyFlags(plan)}`} method="POST" path=${`/v1/plans/${id}/apply`} type="application/json" body=${applyBody(plan)}/></section>`}`;
}
