// Requests of this tab: reads for one page, and changes. The session is in a cookie that no script sees; a change brings
// the header that only our own pages know.
import { signal } from "@preact/signals";
import { draftForget } from "./draft.js";
import { tenant, tenantHeader } from "./tenant.js";

const AGAIN_MS = 1000;
const BROKEN_MS = [100, 1000]; // after so long a request whose connection broke is sent again
const SAID = /\/(say|exec|pass|enter)$|^\/v1\/(session|links)/; // which a manager does again when the request is repeated

export const session = signal(null); // {user, tenant, role, version, csrf, folder}; null: not known yet; false: none

export const storeNote = signal(""); // why the store takes no changes, and is perhaps not shown whole; empty: it is well
export const storeHint = signal(""); // what helps then

/** What a manager says when it refuses: problem+json. */
export class Problem extends Error {
  constructor(status, body) {
    super(body?.detail ?? `the manager answered ${status}`);
    this.status = status;
    this.code = body?.code ?? "";
    this.hint = body?.hint ?? "";
    this.errors = body?.errors ?? [];
    this.plan = body?.plan;
  }
}

/** Connections break when a computer changes its network. Reading again harms nobody, and a change is known by its key. */
async function fetchSurely(path, request) {
  for (const wait of SAID.test(path) && request.method !== "GET" ? [] : BROKEN_MS) {
    try {
      return await fetch(path, request);
    } catch {
      await new Promise((resolve) => { setTimeout(resolve, wait); });
    }
  }
  return fetch(path, request);
}

/** One request; a body that is a text goes as it is. Throws a Problem. */
export async function ask(method, path, { body, type = "application/json", headers = {} } = {}) {
  const response = await fetchSurely(path, {
    method, credentials: "same-origin", cache: "no-store",
    headers: { ...headers, ...tenantHeader(tenant), ...(body === undefined ? {} : { "Content-Type": type }),
      ...(method === "GET" ? {} : { "Reeve-Csrf": session.value?.csrf ?? "", "Idempotency-Key": keyMake() }) },
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
  });
  const answer = await response.json().catch(() => null);
  storeNote.value = response.headers.get("Reeve-Store") ?? "";
  storeHint.value = response.headers.get("Reeve-Store-Hint") ?? "";
  if (response.status === 401) session.value = false;
  if (!response.ok) throw new Problem(response.status, answer);
  return answer;
}

/** crypto.randomUUID is for secure contexts alone, which plain HTTP at another name is not. */
function keyMake() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Who is logged in? Asks until a manager says. */
export async function sessionGet() {
  for (;;) {
    try {
      const answer = await ask("GET", "/v1/session");
      const grants = answer.role === "known" ? (await ask("GET", "/v1/whoami")).grants : []; // who has rights to single clusters alone
      session.value = answer.role ? { ...answer, grants } : false;
      return;
    } catch {
      await new Promise((resolve) => { setTimeout(resolve, AGAIN_MS); });
    }
  }
}

/** Log in by {link} or {token}. */
export async function sessionMake(how) {
  await ask("POST", "/v1/session", { body: how });
  await sessionGet();
}

export async function sessionEnd() {
  await ask("DELETE", "/v1/session");
  draftForget();
  session.value = false;
}

const RANKS = ["known", "viewer", "operator", "admin", "owner"];

const rankOf = (role) => RANKS.indexOf(role);

/** The cluster that the address is about; empty: it is about none. */
function clusterShown() {
  const [kind, name = ""] = location.pathname.split("/").slice(2);
  return ["clusters", "groups", "nodes", "revisions"].includes(kind) ? decodeURIComponent(name) : "";
}

/** The group that the address is about; empty: it is about none. */
function groupShown() {
  const [kind, , ...path] = location.pathname.split("/").slice(2);
  return kind === "groups" ? path.map(decodeURIComponent).join("/") : "";
}

/** Is this group the other one, or within it? */
const isWithin = (path, outer) => path === outer || path.startsWith(`${outer}/`);

/** Has who is logged in at least this role, in the tenant, in this cluster or in this group of it? What would be refused is not offered. */
export function may(role, cluster = clusterShown(), group = groupShown()) {
  if (rankOf(session.value?.role) >= rankOf(role)) return true;
  return cluster !== "" && (session.value?.grants ?? []).some((one) => one.cluster === cluster && rankOf(one.role) >= rankOf(role) && (!one.nodegroup || isWithin(group, one.nodegroup)));
}

/** Has who is logged in at least this role anywhere, in the tenant or in a part of it? */
export function mayAnywhere(role) {
  return rankOf(session.value?.role) >= rankOf(role) || (session.value?.grants ?? []).some((one) => rankOf(one.role) >= rankOf(role));
}

/** May this user see single groups alone, and of no cluster the whole? What is reported of whole clusters is not there for such a user then. */
export function isOfGroups() {
  return scopes()?.length === 0 && partsOf(session.value?.grants).length > 0;
}

export const GROUPS_ALONE = "This needs access to the whole cluster; you have access to single groups only.";

/** Clusters that questions about all of them have to name one by one: who has no right to the tenant is answered about his own alone.
 * null: they are asked for all at once. */
export function scopes() {
  return may("viewer", "") ? null : scopesOf(session.value?.grants);
}

/** Clusters of grants: those to the whole of one. */
export function scopesOf(grants = []) {
  return [...new Set(grants.filter(({ nodegroup }) => !nodegroup).map(({ cluster }) => cluster))].sort();
}

/** Groups of grants, each once: those of clusters and of outer groups that a grant is for as well are left out. */
export function partsOf(grants = []) {
  const whole = scopesOf(grants), parts = new Map();
  for (const { cluster, nodegroup } of grants) if (nodegroup && !whole.includes(cluster)) parts.set(`${cluster}/${nodegroup}`, { cluster, group: nodegroup });
  const list = [...parts.values()];
  return list.filter((one) => !list.some((other) => other !== one && other.cluster === one.cluster && isWithin(one.group, other.group)));
}
