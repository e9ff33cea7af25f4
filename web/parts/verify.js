// What a machine was configured with, and whether it still has it: verdict and files, and the dialogs of jobs about one machine.
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
  drain: "Takes the machine out of service: the hooks drain of its configuration run, and its status is maintenance until it is returned. It counts for the limit of its group.",
  undrain: "Returns the machine to service: the hooks undrain of its configuration run.",
};
const TITLES = { verify: "Verify", correct: "Correct", drain: "Drain", undrain: "Return to service:" };

/** The command of the command line that does the same. */
function commandOf(verb, subject, why) {
  const words = { verify: `verify ${subject}`, correct: `verify ${subject} --fix`, drain: `drain ${subject}`, undrain: `undrain ${subject}` }[verb];
  return `reeve ${words}${why ? ` -m ${quoted(why)}` : ""}`;
}

/** A job about one machine of a group: verify, correct, drain, undrain. */
export function NodeJobDialog({ verb, cluster, group, name, onClose }) {
  const [why, whySet] = useState("");
  const [problem, problemSet] = useState(null);
  const [isSent, sentSet] = useState(false);
  const title = `${TITLES[verb]} ${name}`;
  const path = `/v1/nodegroups/${pathOf(`${cluster}/${group}`)}/jobs`;
  const body = { verb, nodes: name, ...(isAgain(problem) ? { again: true } : {}), ...(why ? { why } : {}) };
  const command = commandOf(verb, quoted(`${cluster}/${name}`), why);
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
