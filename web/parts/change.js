// Dialogs that change something. Each shows what it will do, the command that does the same, and the request it sends;
// what destroys is agreed to by typing the same words as on the command line.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { ask, Problem } from "../data/api.js";
import { Button, Dialog, Field, Note, ProblemNote, Way } from "./parts.js";

const LOOK_MS = 200;

/** As a shell takes it. */
export function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function pathOf(name) {
  return name.split("/").map(encodeURIComponent).join("/");
}

/** The word that is said of a cluster or group: pause, resume, approve, reject. */
export function SayDialog({ word, subject, rule, title, says, onClose }) {
  const [why, whySet] = useState("");
  const [problem, problemSet] = useState(null);
  const [isSent, sentSet] = useState(false);
  const kind = subject.includes("/") ? "nodegroups" : "clusters";
  const target = rule ? `hold/${subject}:${rule}` : subject;
  const body = { ...(rule ? { rule } : {}), ...(why ? { why } : {}), word };
  const path = `/v1/${kind}/${pathOf(subject)}/say`;
  async function send() {
    sentSet(true);
    try {
      await ask("POST", path, { body });
      onClose();
    } catch (error) {
      problemSet(error instanceof Problem ? error : new Problem(0, { detail: "the manager cannot be reached" }));
      sentSet(false);
    }
  }
  return html`<${Dialog} title=${title} onClose=${onClose} foot=${html`
      <${Button} onClick=${onClose}>Leave it</${Button}>
      <${Button} kind=${word === "approve" ? "danger" : "main"} disabled=${isSent} onClick=${send}>${title}</${Button}>`}>
    <p>${says}</p>
    <${Field} label="Why (stands in the events)" value=${why} onInput=${(event) => whySet(event.currentTarget.value)}/>
    <${Way} command=${`reeve ${word} ${quoted(target)}${why ? ` -m ${quoted(why)}` : ""}`} method="POST" path=${path} body=${body}/>
    <${ProblemNote} problem=${problem}/>
  </${Dialog}>`;
}

function needText(needs) {
  return Object.entries(needs ?? {}).filter(([, count]) => count > 0);
}

/** What a plan would do to one group, in words. */
function PlanText({ plan, path }) {
  const group = plan?.plan?.flatMap((one) => one.groups ?? []).find((one) => one.path === path);
  const sums = plan?.sums ?? {};
  if (!plan) return html`<p class="dim">asking what it would do ...</p>`;
  if (!plan.changed) return html`<p>Nothing to do: that is its size.</p>`;
  return html`<ul class="plan">
    ${sums.destroy > 0 && html`<li class="destroys"><b>destroy ${sums.destroy}</b> <code>${group?.destroy ?? ""}</code></li>`}
    ${sums.replace > 0 && html`<li class="destroys"><b>replace ${sums.replace}</b></li>`}
    ${sums.create > 0 && html`<li><b>create ${sums.create}</b> <code>${group?.create ?? ""}</code></li>`}
  </ul>`;
}

/** Another size of a group. */
export function ScaleDialog({ cluster, group, size, onClose }) {
  const name = `${cluster}/${group}`;
  const [text, textSet] = useState(String(size));
  const [looked, lookedSet] = useState(null); // {size, plan, etag} or {size, problem}
  const [typed, typedSet] = useState("");
  const [problem, problemSet] = useState(null);
  const [isSent, sentSet] = useState(false);
  const input = useRef(null);
  const wanted = /^\d{1,6}$/.test(text.trim()) ? Number(text) : null;
  useEffect(() => { input.current?.select(); }, []);
  useEffect(() => {
    if (wanted === null) return undefined;
    let isOver = false;
    const timer = setTimeout(async () => {
      let found;
      try {
        const object = await ask("GET", `/v1/nodegroups/${pathOf(name)}`);
        const pin = `"${object.metadata.revision}"`;
        found = { size: wanted, pin, plan: await ask("PATCH", `/v1/nodegroups/${pathOf(name)}?dry-run=1`,
          { body: { size: wanted }, type: "application/merge-patch+json", headers: { "If-Match": pin } }) };
      } catch (error) {
        found = { size: wanted, problem: error };
      }
      if (!isOver) lookedSet(found);
    }, LOOK_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [wanted]);
  const plan = looked?.size === wanted ? looked.plan : null;
  const needs = needText(plan?.needs);
  const allow = needs.map(([what, count]) => `${what}:${count}`).join(",");
  const phrase = plan?.needs?.destroy > 0 ? `destroy ${plan.needs.destroy}` : "";
  const path = `/v1/nodegroups/${pathOf(name)}${allow && `?allow=${allow}`}`;
  const isReady = plan?.changed && (!phrase || typed.trim() === phrase) && !isSent;
  const deed = !plan?.changed ? "Scale" : phrase ? `Destroy ${plan.needs.destroy} of ${name}` : `Create ${plan.sums.create} in ${name}`;
  async function send() {
    sentSet(true);
    try {
      await ask("PATCH", path, { body: { size: wanted }, type: "application/merge-patch+json", headers: { "If-Match": looked.pin } });
      onClose();
    } catch (error) {
      problemSet(error instanceof Problem ? error : new Problem(0, { detail: "the manager cannot be reached; look before you try again" }));
      sentSet(false);
    }
  }
  return html`<${Dialog} title=${`Scale ${name}`} onClose=${onClose} foot=${html`
      <${Button} onClick=${onClose}>Leave it</${Button}>
      <${Button} kind=${phrase ? "danger" : "main"} disabled=${!isReady} onClick=${send}>${deed}</${Button}>`}>
    <${Field} label=${`Machines (now ${size})`} inputRef=${input} inputmode="numeric" value=${text}
      aria-invalid=${wanted === null} hint=${wanted === null ? "a number from 0 to 999999" : ""}
      onInput=${(event) => { textSet(event.currentTarget.value); problemSet(null); }}
      onKeyDown=${(event) => { if (event.key === "Enter" && isReady) send(); }}/>
    ${wanted !== null && html`<${PlanText} plan=${plan} path=${group}/>`}
    ${looked?.size === wanted && html`<${ProblemNote} problem=${looked.problem}/>`}
    ${phrase && html`<${Note} kind="warn" title="This destroys machines and what is on them.">
      <${Field} label=${`Type "${phrase}" to agree`} value=${typed} onInput=${(event) => typedSet(event.currentTarget.value)}/></${Note}>`}
    ${wanted !== null && html`<${Way} command=${`reeve scale ${quoted(name)} ${wanted}${needs.map(([what, count]) => ` --allow ${what}=${count}`).join("")}`}
      method="PATCH" path=${path} headers=${looked?.pin ? { "If-Match": looked.pin } : {}} body=${{ size: wanted }}/>`}
    <${ProblemNote} problem=${problem}/>
  </${Dialog}>`;
}
