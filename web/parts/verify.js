// What a machine was configured with, and whether it still has it: verdict and files, and the dialogs that ask again or correct.
import { useState } from "preact/hooks";
import { html } from "../app/html.js";
import { href } from "../app/router.js";
import { ask } from "../data/api.js";
import { asProblem, isAgain, pathOf, quoted } from "./say.js";
import { Button, Copy, Dialog, Field, ProblemNote, Way, When } from "./parts.js";

const WORDS = { same: "ready", drifted: "unhealthy", unknown: "unreachable" }; // the colour of a verdict
const SAYS = {
  verify: "Compares the files of the machine with its baseline: content, owner and mode. Nothing is changed.",
  correct: "Runs the stages of its configuration again, then compares. The machine is out of service meanwhile, and counts for the limit of its group.",
};

/** A verification or a correction of one machine, as a job of its group. */
export function VerifyDialog({ verb, cluster, group, name, onClose }) {
  const [why, whySet] = useState("");
  const [problem, problemSet] = useState(null);
  const [isSent, sentSet] = useState(false);
  const title = verb === "correct" ? `Correct ${name}` : `Verify ${name}`;
  const path = `/v1/nodegroups/${pathOf(`${cluster}/${group}`)}/jobs`;
  const body = { verb, nodes: name, ...(isAgain(problem) ? { again: true } : {}), ...(why ? { why } : {}) };
  const command = `reeve verify ${quoted(`${cluster}/${name}`)}${verb === "correct" ? " --fix" : ""}${why ? ` -m ${quoted(why)}` : ""}`;
  async function send() {
    sentSet(true);
    try {
      await ask("POST", path, { body });
      onClose();
    } catch (error) {
      problemSet(asProblem(error));
      sentSet(false);
    }
  }
  return html`<${Dialog} title=${title} onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>Leave it</${Button}>
      <${Button} kind="main" disabled=${isSent} onClick=${send}>${isAgain(problem) ? "Run them again" : title}</${Button}>`}>
    <p>${SAYS[verb]}</p>
    <${Field} label="Why (shown in the job)" value=${why} onInput=${(event) => whySet(event.currentTarget.value)}/>
    <${Way} command=${command} method="POST" path=${path} body=${body}/>
    <${ProblemNote} problem=${problem}/>
  </${Dialog}>`;
}

/** "web@r3" as a link to its revisions. */
export function ConfigLink({ reference }) {
  return html`<a href=${href(["configs", reference.split("@")[0]], { to: reference })}>${reference}</a>`;
}

/** The files that differ, or why that is not known. */
function Verdict({ verified: { verdict, files = [], why, since, at, level, uncorrected } }) {
  return html`<p><span class="state"><i class=${`swatch is-${WORDS[verdict] ?? "unreachable"}`} aria-hidden="true"></i>${verdict}</span>${why && ` ${why}`}
      <span class="dim">, since <${When} at=${since}/>; compared <${When} at=${at}/>${{ hook: ", with the hooks of its stages", deep: ", with its playbook in check mode" }[level] ?? ", by checksums"}</span></p>
    ${uncorrected && html`<p class="cause">A correction did not help. It is not tried again by itself.</p>`}
    ${files.length > 0 && html`<ul class="data files">${files.map((file) => html`<li key=${file}>${file}</li>`)}</ul>`}`;
}

/** Desired and verified configuration of a machine. */
export function Configuration({ desired, isOutdated, node }) {
  const verified = node?.verified;
  if (!desired && !verified) return null;
  return html`<section aria-label="configuration"><h2>Configuration</h2><dl class="facts data">
      ${desired && html`<dt>desired</dt><dd><${ConfigLink} reference=${desired}/> <${Copy} text=${desired} what="copy the revision"/></dd>
        <dt>state</dt><dd>${isOutdated ? "outdated: it has not run it yet" : node?.step === "bootstrapped" ? "has run it" : node?.step === "failed" ? "failed in it" : "not complete"}</dd>`}
      <dt>verdict</dt><dd>${verified ? html`<${Verdict} verified=${verified}/>` : "not verified since it was configured"}</dd>
      ${verified?.baseline && html`<dt>baseline</dt><dd><code>${verified.baseline.slice(0, 12)}</code> <${Copy} text=${verified.baseline} what="copy the digest"/></dd>`}</dl></section>`;
}
