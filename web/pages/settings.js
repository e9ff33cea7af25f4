// Settings: who may do what, and what plugins work with. Tokens are everybody's own; accounts and secrets an operator's, users
// and grants an admin's, tenants those of who may see all. The value of a secret goes to the manager and is shown by nobody,
// also not in the command and the request beside it.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { ask, may, session } from "../data/api.js";
import { tenant } from "../data/tenant.js";
import { asProblem, quoted } from "../parts/change.js";
import { Button, Copy, Dialog, Empty, Field, Note, ProblemNote, Way, When } from "../parts/parts.js";

const VALUE = "...", ID_SHOWN = 8, MERGE = "application/merge-patch+json";

/** What is listed: who may see it, its columns, what it is made of; `object`: it is made, replaced and deleted as files are. */
const KINDS = [
  { plural: "accounts", none: "None. Accounts hold the credentials of plugins, and groups refer to an account by its name.", word: "account", role: "viewer", maker: "operator", object: true, ends: "Groups that use it cannot create machines until an account of this name exists again.",
    fields: [["name", "Name"], ["plugin", "Plugin"], ["secret", "Secret with its credential (may be empty)"], ["sha256", "Digest of the plugin it is for (empty: any)"], ["rate", "Calls a second, at most"]],
    columns: [["Name", ({ metadata }) => html`<b>${metadata.name}</b>`], ["Plugin", ({ spec }) => spec.plugin], ["Secret", ({ spec }) => spec.secret], ["Calls a second", ({ spec }) => spec.rate], ["Changed", ({ metadata }) => html`<${When} at=${metadata.updated ?? metadata.created}/>`]] },
  { plural: "secrets", none: "None. A secret holds the credential of an account.", word: "secret", role: "viewer", maker: "operator", object: true, ends: "Accounts that use it then have no credential.",
    fields: [["name", "Name"], ["value", "Value (is never shown again)", "", "secret"]],
    columns: [["Name", ({ metadata }) => html`<b>${metadata.name}</b>`], ["Digest", ({ spec }) => html`<code title="another digest means another value">${spec.digest}</code>`], ["Changed", ({ metadata }) => html`<${When} at=${metadata.updated ?? metadata.created}/>`]] },
  { plural: "tokens", none: "None. A token is the login of a program or of another computer.", word: "token", role: "known", fields: [["user", "User (empty: yourself)", "admin"], ["days", "Days until it expires"], ["note", "What it is for"]],
    columns: [["User", ({ spec }) => spec.user], ["For", ({ spec }) => spec.note], ["Sort", ({ spec }) => (spec.use === "page" ? "browser" : "program")], ["Until", ({ spec }) => html`<${Until} spec=${spec}/>`]] },
  { plural: "users", none: "None. A user is a person or a program that has tokens and grants.", word: "user", role: "admin", fields: [["name", "Name"]], columns: [["Name", ({ metadata }) => html`<b>${metadata.name}</b>`], ["Made", ({ metadata }) => html`<${When} at=${metadata.created}/>`]] },
  { plural: "grants", none: "None. Only admins of this computer have access. A grant gives a role to a user.", word: "grant", role: "admin", fields: [["user", "User"], ["role", "Role", "", ["viewer", "operator", "admin"]], ["cluster", "Only this cluster"], ["nodegroup", "Only this group of the cluster"], ["tenant", "Tenant (* is every one)", "owner"]],
    columns: [["User", ({ spec }) => html`<b>${spec.user}</b>`], ["Role", ({ spec }) => spec.role], ["Of", ({ spec }) => [spec.cluster, spec.nodegroup].filter(Boolean).join("/") || (spec.tenant === "*" ? "every tenant" : "the whole tenant")]] },
  { plural: "tenants", none: "None besides this one. A tenant has clusters, users and secrets of its own.", word: "tenant", role: "owner", fields: [["name", "Name"]], columns: [["Name", ({ metadata }) => html`<a class="name" href=${tenantHref(metadata.name)} target="_self">${metadata.name}</a>`], ["Made", ({ metadata }) => html`<${When} at=${metadata.created}/>`]] },
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

/** Numbers are numbers where the field is one. Of what is there already only what differs is sent: null takes a field out. */
function bodyOf(values, before) {
  const typed = ([name, value]) => [name, value === "" ? null : ["days", "rate"].includes(name) && /^\d+$/.test(value) ? Number(value) : value];
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => (before ? value !== (before[name] ?? "") : value !== "")).map(typed));
}

/** What does the same on the command line. A value comes from a file there, so it stands in no history. */
function commandOf(kind, path, body, item) {
  if (!kind.object) return `reeve api POST ${path} -d ${quoted(JSON.stringify(body))}`;
  const words = Object.entries(body).filter(([name]) => name !== "name").map(([name, value]) => (name === "value" ? "value=@FILE" : `${name}=${quoted(String(value))}`));
  const name = quoted(item?.metadata.name ?? body.name ?? "NAME");
  if (item) return `reeve set ${kind.word}/${name} ${words.join(" ")}`;
  return kind.word === "secret" ? `reeve create secret ${name} @FILE` : `reeve create ${kind.word} ${name}${words.map((word) => ` --set ${word}`).join("")}`;
}

function FormField({ field: [name, label, , sort], value, isFixed, onInput }) {
  if (Array.isArray(sort)) {
    return html`<label class="field"><span>${label}</span><select class="select" name=${name} value=${value} onChange=${onInput}>${sort.map((one) => html`<option key=${one}>${one}</option>`)}</select></label>`;
  }
  if (sort === "secret") {
    return html`<label class="field"><span>${label}</span><textarea class="secret-value" name=${name} rows="3" autocomplete="off" spellcheck=${false} value=${value} onInput=${onInput}></textarea></label>`;
  }
  return html`<${Field} label=${label} name=${name} value=${value} readonly=${isFixed} onInput=${onInput}/>`;
}

/** What an item has now, as its form shows it: a secret's value is not among it. */
function valuesOf(kind, item) {
  if (!item) return Object.fromEntries(kind.fields.filter(([, , , sort]) => Array.isArray(sort)).map(([name, , , sort]) => [name, sort[0]]));
  return Object.fromEntries(kind.fields.filter(([, , , sort]) => sort !== "secret").map(([name]) => [name, String((name === "name" ? item.metadata.name : item.spec[name]) ?? "")]));
}

/** Make one, or (item) make another one of it. */
function MakeDialog({ kind, item, onMade, onClose }) {
  const [before] = useState(() => valuesOf(kind, item));
  const [values, valuesSet] = useState(before);
  const [problem, problemSet] = useState(null);
  const [made, madeSet] = useState(null);
  const [isSent, sentSet] = useState(false);
  const body = bodyOf(values, item && before);
  const path = item ? `/v1/${kind.plural}/${encodeURIComponent(item.metadata.name)}` : `/v1/${kind.plural}`;
  const method = item ? "PATCH" : "POST", type = item ? MERGE : "application/json";
  const headers = item ? { "If-Match": `"${item.metadata.revision}"` } : {}; // what somebody else has changed in the meantime is not written over
  async function send(event) {
    event?.preventDefault();
    if (isSent) return;
    sentSet(true);
    try {
      const answer = await ask(method, path, { body, type, headers });
      onMade();
      if (answer.token) madeSet(answer.token);
      else onClose();
    } catch (error) {
      problemSet(asProblem(error));
      sentSet(false);
    }
  }
  const put = (name) => (event) => { const { value } = event.currentTarget; valuesSet((before) => ({ ...before, [name]: value })); };
  if (made) {
    return html`<${Dialog} title="The token, shown once" onClose=${onClose} foot=${html`<${Button} kind="main" onClick=${onClose}>I have stored it</${Button}>`}>
      <${Note} kind="warn" title="It cannot be shown again."><p class="secret-value"><code>${made}</code> <${Copy} text=${made} what="copy the token"/></p></${Note}><p>Log in with it: <code>reeve context login ${location.origin}</code></p></${Dialog}>`;
  }
  const word = item ? "Replace" : "Make";
  const shown = "value" in body ? { ...body, value: VALUE } : body;
  return html`<${Dialog} title=${item ? `Replace the ${kind.word} ${item.metadata.name}` : `Make ${articleOf(kind)}`} onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>Leave it</${Button}><${Button} kind="main" disabled=${isSent || Object.keys(body).length === 0} onClick=${send}>${word} the ${kind.word}</${Button}>`}>
    <form class="dialog-form" onSubmit=${send}>${kind.fields.filter(([, , role]) => !role || may(role)).map((field) => html`<${FormField} key=${field[0]} field=${field} value=${values[field[0]] ?? ""} isFixed=${item !== undefined && field[0] === "name"} onInput=${put(field[0])}/>`)}
      <${Way} command=${commandOf(kind, path, body, item)} method=${method} path=${path} type=${type} body=${shown} headers=${headers}/><${ProblemNote} problem=${problem}/><button type="submit" hidden></button></form></${Dialog}>`;
}

function articleOf({ word }) {
  return `${/^[aeio]/.test(word) ? "an" : "a"} ${word}`;
}

function EndDialog({ kind, item, onDone, onClose }) {
  const [problem, problemSet] = useState(null);
  const name = nameOf(kind, item);
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
    <p>${kind.ends ?? (kind.plural === "users" ? "The tokens and grants of the user are deleted as well." : kind.plural === "tokens" ? "Requests with this token are rejected from now on." : kind.plural === "tenants" ? "The tenant must be empty." : "What the grant allowed is rejected from now on.")}</p>
    <${Way} command=${kind.object ? `reeve delete ${kind.word} ${quoted(name)}` : `reeve api DELETE ${path}`} method="DELETE" path=${path}/><${ProblemNote} problem=${problem}/></${Dialog}>`;
}

function endWord(kind) {
  return kind.plural === "tokens" || kind.plural === "grants" ? "Revoke" : "Delete";
}

/** What goes by its name; others by their ids. */
function isNamed({ plural }) {
  return plural !== "tokens" && plural !== "grants";
}

function nameOf(kind, item) {
  return isNamed(kind) ? item.metadata.name : item.metadata.id ?? item.metadata.name;
}

function ItemRow({ kind, item, canMake, onDialog }) {
  const name = nameOf(kind, item);
  return html`<tr>${kind.columns.map(([title, cell], at) => html`<td key=${title} class=${at === 0 ? "named" : ""}>${cell(item)}${at === 0 && isNamed(kind) && html`<${Copy} text=${name} what="copy the name"/>`}</td>`)}
    ${!isNamed(kind) && html`<td class="named"><code>${name.slice(0, ID_SHOWN)}</code><${Copy} text=${name} what="copy the id"/></td>`}
    <td class="number">${canMake && kind.object && html`<${Button} kind="quiet" aria-label=${`replace the ${kind.word} ${name}`} onClick=${() => onDialog(["replace", item])}>Replace</${Button}>`}
      ${canMake && html`<${Button} kind="quiet" aria-label=${`end the ${kind.word} ${name}`} onClick=${() => onDialog(["end", item])}>${endWord(kind)}</${Button}>`}</td></tr>`;
}

function Kind({ kind }) {
  const [items, itemsSet] = useState(null);
  const [problem, problemSet] = useState(null);
  const [dialog, dialogSet] = useState(null);
  const look = () => listAll(kind.plural).then(itemsSet, (error) => problemSet(asProblem(error)));
  useEffect(() => { look(); }, []);
  const canMake = may(kind.maker ?? kind.role);
  const [what, item] = dialog ?? [];
  const close = () => dialogSet(null);
  return html`<section aria-label=${kind.plural}><h2>${kind.plural[0].toUpperCase() + kind.plural.slice(1)} <span class="dim">${items?.length ?? ""}</span><span class="head-space"></span>
      ${canMake && html`<${Button} kind="quiet" onClick=${() => dialogSet(["make"])}>Make ${articleOf(kind)}</${Button}>`}</h2><${ProblemNote} problem=${problem}/>
    ${items && (items.length ? html`<div class="table-scroll"><table class="table data"><thead><tr>${kind.columns.map(([title]) => html`<th scope="col" key=${title}>${title}</th>`)}${!isNamed(kind) && html`<th scope="col">Id</th>`}<th scope="col"><span class="unseen">do</span></th></tr></thead>
      <tbody>${items.map((one) => html`<${ItemRow} key=${nameOf(kind, one)} kind=${kind} item=${one} canMake=${canMake} onDialog=${dialogSet}/>`)}</tbody></table></div>`
      : html`<p class="dim">${kind.none}</p>`)}
    ${(what === "make" || what === "replace") && html`<${MakeDialog} kind=${kind} item=${item} onMade=${look} onClose=${close}/>`}
    ${what === "end" && html`<${EndDialog} kind=${kind} item=${item} onDone=${look} onClose=${close}/>`}</section>`;
}

export function Settings() {
  const shown = KINDS.filter(({ role }) => may(role));
  const { user, role } = session.value;
  return html`<div class="head"><h1>Settings</h1><span class="dim">${user} is ${role} in ${tenant || session.value.tenant}</span></div>
    ${shown.length === 0 ? html`<${Empty} title="There is nothing to configure."/>` : html`<div class="settings">${shown.map((kind) => html`<${Kind} key=${kind.plural} kind=${kind}/>`)}</div>`}`;
}
