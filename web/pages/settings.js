// Settings: who may do what. Tokens are everybody's own; users and grants are an admin's, tenants those of who may see all.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { ask, may, session } from "../data/api.js";
import { tenant } from "../data/tenant.js";
import { asProblem, quoted } from "../parts/change.js";
import { Button, Copy, Dialog, Empty, Field, Note, ProblemNote, Way, When } from "../parts/parts.js";

/** What is listed: who may see it, its columns, what it is made of. */
const KINDS = [
  { plural: "tokens", word: "token", role: "known", fields: [["user", "User (empty: yourself)", "admin"], ["days", "Days that it counts"], ["note", "What it is for"]],
    columns: [["User", ({ spec }) => spec.user], ["For", ({ spec }) => spec.note], ["Sort", ({ spec }) => (spec.use === "page" ? "browser" : "program")], ["Until", ({ spec }) => html`<${Until} spec=${spec}/>`]] },
  { plural: "users", word: "user", role: "admin", fields: [["name", "Name"]], columns: [["Name", ({ metadata }) => html`<b>${metadata.name}</b>`], ["Made", ({ metadata }) => html`<${When} at=${metadata.created}/>`]] },
  { plural: "grants", word: "grant", role: "admin", fields: [["user", "User"], ["role", "Role", "", ["viewer", "operator", "admin"]], ["cluster", "Only this cluster"], ["nodegroup", "Only this group of it"], ["tenant", "Tenant (* is every one)", "owner"]],
    columns: [["User", ({ spec }) => html`<b>${spec.user}</b>`], ["Role", ({ spec }) => spec.role], ["Of", ({ spec }) => [spec.cluster, spec.nodegroup].filter(Boolean).join("/") || (spec.tenant === "*" ? "every tenant" : "the whole tenant")]] },
  { plural: "tenants", word: "tenant", role: "owner", fields: [["name", "Name"]], columns: [["Name", ({ metadata }) => html`<a class="name" href=${tenantHref(metadata.name)} target="_self">${metadata.name}</a>`], ["Made", ({ metadata }) => html`<${When} at=${metadata.created}/>`]] },
];

/** Another tenant is another load of the page. */
export function tenantHref(name) {
  return `/ui/?tenant=${encodeURIComponent(name)}`;
}

function Until({ spec: { expires } }) {
  if (!expires) return "for good";
  const date = new Date(expires);
  return html`<time datetime=${date.toISOString()} title=${date.toISOString()}>${date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })}</time>`;
}

async function listAll(plural) {
  const items = [];
  let next = "";
  do {
    const page = await ask("GET", `/v1/${plural}${next && `?next=${encodeURIComponent(next)}`}`);
    items.push(...page.items);
    next = page.next ?? "";
  } while (next);
  return items;
}

function MakeDialog({ kind, onMade, onClose }) {
  const [values, valuesSet] = useState(Object.fromEntries(kind.fields.filter(([, , , choices]) => choices).map(([name, , , choices]) => [name, choices[0]])));
  const [problem, problemSet] = useState(null);
  const [made, madeSet] = useState(null);
  const body = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "").map(([name, value]) => [name, name === "days" && /^\d+$/.test(value) ? Number(value) : value]));
  const path = `/v1/${kind.plural}`;
  async function send(event) {
    event?.preventDefault();
    try {
      const answer = await ask("POST", path, { body });
      onMade();
      if (answer.token) madeSet(answer.token);
      else onClose();
    } catch (error) {
      problemSet(asProblem(error));
    }
  }
  const put = (name) => (event) => { const { value } = event.currentTarget; valuesSet((before) => ({ ...before, [name]: value })); };
  if (made) {
    return html`<${Dialog} title="The token, told once" onClose=${onClose} foot=${html`<${Button} kind="main" onClick=${onClose}>I have it</${Button}>`}>
      <${Note} kind="warn" title="Nobody can read it again."><p class="told"><code>${made}</code> <${Copy} text=${made} what="copy the token"/></p></${Note}><p>Log in with it: <code>reeve login ${location.origin}</code></p></${Dialog}>`;
  }
  return html`<${Dialog} title=${`Make a ${kind.word}`} onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>Leave it</${Button}><${Button} kind="main" onClick=${send}>Make the ${kind.word}</${Button}>`}>
    <form class="dialog-form" onSubmit=${send}>${kind.fields.filter(([, , role]) => !role || may(role)).map(([name, label, , choices]) => (choices
      ? html`<label key=${name} class="field"><span>${label}</span><select class="select" name=${name} value=${values[name]} onChange=${put(name)}>${choices.map((one) => html`<option key=${one}>${one}</option>`)}</select></label>`
      : html`<${Field} key=${name} label=${label} name=${name} value=${values[name] ?? ""} onInput=${put(name)}/>`))}
      <${Way} command=${`reeve api POST ${path} -d ${quoted(JSON.stringify(body))}`} method="POST" path=${path} type="application/json" body=${body}/><${ProblemNote} problem=${problem}/><button type="submit" hidden></button></form></${Dialog}>`;
}

function EndDialog({ kind, item, onDone, onClose }) {
  const [problem, problemSet] = useState(null);
  const name = kind.plural === "users" || kind.plural === "tenants" ? item.metadata.name : item.metadata.id ?? item.metadata.name;
  const path = `/v1/${kind.plural}/${encodeURIComponent(name)}`;
  const word = kind.plural === "tokens" || kind.plural === "grants" ? "Revoke" : "Delete";
  async function send() {
    try {
      await ask("DELETE", path);
      onDone();
      onClose();
    } catch (error) {
      problemSet(asProblem(error));
    }
  }
  return html`<${Dialog} title=${`${word} the ${kind.word} ${name}`} onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>Leave it</${Button}><${Button} kind="danger" onClick=${send}>${word} it</${Button}>`}>
    <p>${kind.plural === "users" ? "His tokens and grants go with him." : kind.plural === "tokens" ? "Whoever uses it is refused from now on." : kind.plural === "tenants" ? "It has to be empty." : "What it allowed is refused from now on."}</p>
    <${Way} command=${`reeve api DELETE ${path}`} method="DELETE" path=${path}/><${ProblemNote} problem=${problem}/></${Dialog}>`;
}

function Kind({ kind }) {
  const [items, itemsSet] = useState(null);
  const [problem, problemSet] = useState(null);
  const [dialog, dialogSet] = useState(null);
  const look = () => listAll(kind.plural).then(itemsSet, (error) => problemSet(asProblem(error)));
  useEffect(() => { look(); }, []);
  return html`<section aria-label=${kind.plural}><h2>${kind.plural[0].toUpperCase() + kind.plural.slice(1)} <span class="dim">${items?.length ?? ""}</span><span class="head-space"></span>
      <${Button} kind="quiet" onClick=${() => dialogSet("make")}>Make a ${kind.word}</${Button}></h2><${ProblemNote} problem=${problem}/>
    ${items && (items.length ? html`<div class="table-scroll"><table class="table data"><thead><tr>${kind.columns.map(([title]) => html`<th scope="col" key=${title}>${title}</th>`)}<th scope="col"><span class="unseen">do</span></th></tr></thead>
      <tbody>${items.map((item) => html`<tr key=${item.metadata.id ?? item.metadata.name}>${kind.columns.map(([title, cell]) => html`<td key=${title}>${cell(item)}</td>`)}
        <td class="number"><${Button} kind="quiet" aria-label=${`end the ${kind.word} ${item.metadata.id ?? item.metadata.name}`} onClick=${() => dialogSet(item)}>${kind.plural === "tokens" || kind.plural === "grants" ? "Revoke" : "Delete"}</${Button}></td></tr>`)}</tbody></table></div>`
      : html`<p class="dim">none</p>`)}
    ${dialog === "make" && html`<${MakeDialog} kind=${kind} onMade=${look} onClose=${() => dialogSet(null)}/>`}
    ${dialog && dialog !== "make" && html`<${EndDialog} kind=${kind} item=${dialog} onDone=${look} onClose=${() => dialogSet(null)}/>`}</section>`;
}

export function Settings() {
  const shown = KINDS.filter(({ role }) => may(role));
  const { user, role } = session.value;
  return html`<div class="head"><h1>Settings</h1><span class="dim">${user} is ${role} in ${tenant || session.value.tenant}</span></div>
    ${shown.length === 0 ? html`<${Empty} title="There is nothing to set."/>` : html`<div class="settings">${shown.map((kind) => html`<${Kind} key=${kind.plural} kind=${kind}/>`)}</div>`}`;
}
