// Where it begins: who is there, then the page that the address names.
import { signal } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { session, sessionGet, sessionMake } from "./data/api.js";
import { conn, storeBegin, storeLoggedIn } from "./data/store.js";
import { html } from "./app/html.js";
import { href, view } from "./app/router.js";
import { Shell } from "./app/shell.js";
import { Clusters } from "./pages/clusters.js";
import { Cluster } from "./pages/cluster.js";
import { Events } from "./pages/events.js";
import { FleetPage } from "./pages/fleet.js";
import { Job, Jobs } from "./pages/jobs.js";
import { Kit } from "./pages/kit.js";
import { Login } from "./pages/login.js";
import { Node } from "./pages/node.js";
import { Empty } from "./parts/parts.js";

const pages = {
  "": [Clusters, "Clusters"], fleet: [FleetPage, "Fleet"], clusters: [Cluster], nodes: [Node], events: [Events, "Events"],
  jobs: [Jobs, "Jobs"], kit: [Kit, "Design kit"],
};

function Nowhere() {
  return html`<${Empty} title="There is no such page."><a href=${href([])}>All clusters</a></${Empty}>`;
}

function pageOf(parts) {
  if (parts[0] === "clusters" && parts.length < 2) return [Clusters, "Clusters"];
  if (parts[0] === "jobs" && parts.length > 1) return [Job];
  return pages[parts[0] ?? ""] ?? [Nowhere, "Nowhere"];
}

function App() {
  const { parts } = view.value;
  const [Page, title = parts.slice(1).join("/")] = pageOf(parts);
  useEffect(() => { document.title = `${title} · reeve`; }, [title]);
  // the stream is the first to learn that the session has ended
  useEffect(() => { if (conn.value.state === "out" && session.value) session.value = false; }, [conn.value.state]);
  // and that somebody has come by another tab
  useEffect(() => { if (conn.value.state === "live" && session.value === false) sessionGet(); }, [conn.value.state]);
  if (session.value === null) return html`<p class="dim pad">one moment ...</p>`;
  if (session.value === false) return html`<${Login} key=${linkProblem.value?.message} problem=${linkProblem.value}/>`;
  return html`<${Shell}><${Page} key=${parts.join("/")} parts=${parts}/></${Shell}>`;
}

const linkProblem = signal(null);

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
});
render(html`<${App}/>`, document.getElementById("app"));
