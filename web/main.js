// Where it begins: who is there, then the page that the address names. What the first page needs comes with it, the rest
// behind it.
import { signal } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { ask, session, sessionGet, sessionMake, storeHint, storeNote } from "./data/api.js";
import { incidentCount } from "./data/facts.js";
import { conn, storeBegin, storeLoggedIn } from "./data/store.js";
import { html } from "./app/html.js";
import { href, view } from "./app/router.js";
import { Shell } from "./app/shell.js";
import { Clusters } from "./pages/clusters.js";
import { Login } from "./pages/login.js";
import { Next } from "./parts/incidents.js";
import { Empty, ProblemNote } from "./parts/parts.js";

// Pages that are not the first one come when the browser has nothing else to do, or when they are asked for.
const FILES = {
  apply: () => import("./pages/apply.js"), budgets: () => import("./pages/budgets.js"), cluster: () => import("./pages/cluster.js"), configs: () => import("./pages/configs.js"), discover: () => import("./pages/discover.js"), events: () => import("./pages/events.js"), fleet: () => import("./pages/fleet.js"),
  group: () => import("./pages/group.js"), jobs: () => import("./pages/jobs.js"), kit: () => import("./pages/kit.js"), managers: () => import("./pages/managers.js"),
  node: () => import("./pages/node.js"), revisions: () => import("./pages/revisions.js"), settings: () => import("./pages/settings.js"), templates: () => import("./pages/templates.js"),
};
// By the first part of the address: the file, what it exports, the title (else the name of what is shown).
const PAGES = {
  apply: ["apply", "Apply", "Apply"], budgets: ["budgets", "Budgets", "Budgets"], clusters: ["cluster", "Cluster"], configs: ["configs", "AllConfigs", "Configurations"], discover: ["discover", "Discover", "Discover"], events: ["events", "Events", "Events"], fleet: ["fleet", "FleetPage", "Fleet"], groups: ["group", "Group"],
  jobs: ["jobs", "Jobs", "Jobs"], kit: ["kit", "Kit", "Design kit"], managers: ["managers", "Managers", "Managers"], nodes: ["node", "Node"], plans: ["apply", "Plans", "Plans"],
  revisions: ["revisions", "AllRevisions", "Revisions"], settings: ["settings", "Settings", "Settings"], templates: ["templates", "Templates", "Templates"],
};
const SINGLE = { configs: ["configs", "Config"], jobs: ["jobs", "Job"], plans: ["apply", "PlanPage"], revisions: ["revisions", "Revisions"], templates: ["templates", "Template"] }; // where a name follows

const files = signal({}); // what has come: the module, or the problem that came instead

async function fileGet(name) {
  let module;
  try {
    module = await FILES[name]().catch(() => FILES[name]()); // its connection may have broken
  } catch {
    module = { problem: { message: "this part of the page was not loaded", hint: "load the page again: the manager may have a newer one" } };
  }
  files.value = { ...files.value, [name]: module };
}

/** All the rest, one after the other. */
async function filesGetAll() {
  for (const name of Object.keys(FILES)) {
    await new Promise((resolve) => { (globalThis.requestIdleCallback ?? setTimeout)(resolve); });
    if (!files.value[name]) await fileGet(name);
  }
}

function Nowhere() {
  return html`<${Empty} title="There is no such page."><a href=${href([])}>All clusters</a></${Empty}>`;
}

/** A page whose file is still to come. */
function Later({ file }) {
  const problem = files.value[file]?.problem;
  useEffect(() => { fileGet(file); }, [file]);
  return problem ? html`<${ProblemNote} problem=${problem}/>` : html`<p class="dim pad">loading ...</p>`;
}

function pageOf(parts) {
  if (!parts.length || (parts[0] === "clusters" && parts.length < 2)) return [Clusters, "Clusters"];
  const [file, name, title] = (parts.length > 1 && Object.hasOwn(SINGLE, parts[0]) && SINGLE[parts[0]]) || (Object.hasOwn(PAGES, parts[0]) && PAGES[parts[0]]) || [];
  return file ? [files.value[file]?.[name] ?? Later, title, file] : [Nowhere, "Nowhere"];
}

function App() {
  const { parts } = view.value;
  const [Page, title = parts.slice(1).join("/"), file] = pageOf(parts);
  const count = session.value ? incidentCount.value : 0;
  useEffect(() => { document.title = `${count ? `(${count}) ` : ""}${title} · reeve`; }, [title, count]);
  // the stream is the first to learn that the session has ended
  useEffect(() => { if (conn.value.state === "out" && session.value) session.value = false; }, [conn.value.state]);
  // a manager that answers again may have found its store damaged: the answer to any request says so
  useEffect(() => {
    if (conn.value.state === "away") wasAway = true;
    if (conn.value.state !== "live" || !wasAway) return;
    wasAway = false;
    ask("GET", "/v1/session").catch(() => {});
  }, [conn.value.state]);
  // and that somebody has come by another tab
  useEffect(() => { if (conn.value.state === "live" && session.value === false) sessionGet(); }, [conn.value.state]);
  if (session.value === null) return html`<p class="dim pad">one moment ...</p>`;
  if (session.value === false) return html`<${Login} key=${linkProblem.value?.message} problem=${linkProblem.value}/>`;
  return html`<${Shell}>${storeNote.value && html`<div class="note bad" role="alert" data-test="store-note">${storeNote.value}<${Next} hint=${storeHint.value}/></div>`}<${Page} key=${parts.join("/")} parts=${parts} file=${file}/></${Shell}>`;
}

const linkProblem = signal(null);
let wasAway = false;

/** A link of `reeve ui` counts once: it is used up, and leaves the address before anything else happens. */
async function linkTake() {
  const link = new URLSearchParams(location.hash.slice(1)).get("link");
  if (!link) return false;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    await sessionMake({ link });
    return true;
  } catch (problem) {
    linkProblem.value = problem;
    return false;
  }
}

const isByLink = await linkTake();
if (!isByLink) await sessionGet();
addEventListener("hashchange", linkTake); // a link that is opened where the page stands already
let isBegun = false;
session.subscribe((value) => {
  if (!value) return;
  const isFirst = !isBegun;
  if (isFirst) storeBegin();
  isBegun = true;
  if (!isFirst || isByLink) storeLoggedIn();
  if (isFirst) filesGetAll();
});
render(html`<${App}/>`, document.getElementById("app"));
