// A word that is said of a cluster or a group: with what it does, the command that does the same, and the request it sends. It stands alone,
// for the first page has no other dialog.
import { useState } from "preact/hooks";
import { html } from "../app/html.js";
import { ask, Problem } from "../data/api.js";
import { Button, Dialog, Field, ProblemNote, Way } from "./parts.js";

/** As a shell takes it. */
export function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export function pathOf(name) {
  return name.split("/").map(encodeURIComponent).join("/");
}

/** What is shown where something else than a manager's refusal went wrong. */
export function asProblem(error) {
  return error instanceof Problem ? error : new Problem(0, { detail: "the manager cannot be reached; check the state before you try again" });
}

/** Stages that would run a second time: the manager names them (R0811), and a user who presses again has read it. */
export const isAgain = (problem) => problem?.code === "R0811";

/** A word that is said of a cluster or group, to the hold with this rule where there is one. command: what does the same. */
export function SayDialog({ word, subject, rule, title, says, command, isDanger = word === "approve", onClose }) {
  const [why, whySet] = useState("");
  const [problem, problemSet] = useState(null);
  const [isSent, sentSet] = useState(false);
  const kind = subject.includes("/") ? "nodegroups" : "clusters";
  const target = rule ? `hold ${word} ${quoted(`${subject}:${rule}`)}` : `${word} ${quoted(subject)}`;
  const body = { ...(isAgain(problem) ? { again: true } : {}), ...(rule ? { rule } : {}), ...(why ? { why } : {}), command: word };
  const path = `/v1/${kind}/${pathOf(subject)}/say`;
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
  return html`<${Dialog} title=${title} onClose=${onClose} foot=${html`
      <${Button} onClick=${onClose}>Leave it</${Button}>
      <${Button} kind=${isDanger ? "danger" : "main"} disabled=${isSent} onClick=${send}>${isAgain(problem) ? "Run them again" : title}</${Button}>`}>
    <p>${says}</p>
    <${Field} label="Why (shown in the events)" value=${why} onInput=${(event) => whySet(event.currentTarget.value)}/>
    <${Way} command=${`${command ?? `reeve ${target}`}${why ? ` -m ${quoted(why)}` : ""}`} method="POST" path=${path} body=${body}/>
    <${ProblemNote} problem=${problem}/>
  </${Dialog}>`;
}
