// Nobody is logged in: how to come in.
import { useState } from "preact/hooks";
import { html } from "../app/html.js";
import { Problem, sessionMake } from "../data/api.js";
import { Button, Copy, Field, ProblemNote } from "../parts/parts.js";

export function Login({ problem: first }) {
  const [token, tokenSet] = useState("");
  const [problem, problemSet] = useState(first);
  async function send(event) {
    event.preventDefault();
    try {
      await sessionMake({ token: token.trim() });
    } catch (error) {
      problemSet(error instanceof Problem ? error : new Problem(0, { detail: "the manager cannot be reached" }));
    }
  }
  return html`<main class="login" id="main">
    <h1><i aria-hidden="true"></i>reeve</h1>
    <${ProblemNote} problem=${problem}/>
    <section><h2>By a link</h2>
      <p>On a machine where <code>reeve</code> may talk to this manager:</p>
      <p class="login-command"><code>reeve ui</code><${Copy} text="reeve ui" what="copy the command"/></p></section>
    <section><h2>By a token</h2>
      <form onSubmit=${send}>
        <${Field} label="Token" type="password" name="token" value=${token} onInput=${(event) => tokenSet(event.currentTarget.value)}/>
        <${Button} kind="main" type="submit" disabled=${!token.trim()}>Log in</${Button}>
      </form></section>
  </main>`;
}
