// What a tab knows: the same as the worker, which sends it. Pages read signals; those change at most ten times a second,
// however much happens. The heat map alone hears of each row, for it paints cells.
import { signal } from "@preact/signals";
import { tenant } from "./tenant.js";
import { Feed } from "./feed.js";
import { Fleet } from "./fleet.js";

const FLUSH_MS = 100;

export const conn = signal({ state: "loading", since: Date.now() });
export const isLoaded = signal(false);
export const heard = signal(Date.now()); // when the last report came, or when it was last known to be true
export const revision = signal(0);
export const clusters = signal([]);
export const groups = signal([]);
export const holds = signal([]);
export const jobs = signal([]);
export const totals = signal(new Uint32Array(7));
export const nodesTick = signal(0); // another number when machines changed

/** Not a signal: it is too large to be compared. `fleetWatch` reports changes. */
export let fleet = new Fleet();

const watchers = new Set();
const eventWatchers = new Set();
const objects = { Cluster: new Map(), NodeGroup: new Map(), Hold: new Map(), Job: new Map() };
const dirty = new Set();
let timer = 0;

/** Watch the fleet: ("all") of another fleet, or ("row", row, moved) of one row that changed; moved: its place did. */
export function fleetWatch(watcher) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** Watch events as they come, many at a time; null: some may have been missed, ask the manager. */
export function eventsWatch(watcher) {
  eventWatchers.add(watcher);
  return () => eventWatchers.delete(watcher);
}

const byName = (a, b) => a.metadata.name.localeCompare(b.metadata.name, "en", { numeric: true });
const byCluster = (a, b) => a.metadata.cluster.localeCompare(b.metadata.cluster, "en") || byName(a, b);
const SIGNALS = {
  Cluster: (map) => { clusters.value = [...map.values()].sort(byName); },
  NodeGroup: (map) => { groups.value = [...map.values()].sort(byCluster); },
  Hold: (map) => { holds.value = [...map.values()].sort(byCluster); },
  Job: (map) => { jobs.value = [...map.values()].sort((a, b) => Number(b.metadata.name) - Number(a.metadata.name)); },
};

function flush() {
  timer = 0;
  for (const kind of dirty) {
    if (kind === "Resource") {
      totals.value = fleet.totals.slice();
      nodesTick.value++;
    } else {
      SIGNALS[kind](objects[kind]);
    }
  }
  dirty.clear();
}

function flushSoon() {
  timer ||= setTimeout(flush, FLUSH_MS);
}

function snapshotTake(message) {
  conn.value = message.conn;
  isLoaded.value = message.isLoaded;
  revision.value = message.revision;
  heard.value = Date.now();
  fleet = Fleet.unpack(message.fleet);
  for (const kind of Object.keys(objects)) {
    objects[kind] = message.objects[kind];
    dirty.add(kind);
  }
  dirty.add("Resource");
  for (const watcher of watchers) watcher("all");
  for (const watcher of eventWatchers) watcher(null);
  flush();
}

/** A machine as it is now; null: it is gone; undefined: only what stands beside its record is another, and why it needs a look. */
function rowTake(key, machine, problem) {
  if (machine === undefined) {
    const row = fleet.place.get(key) ?? -1;
    if (row >= 0) fleet.problemSet(row, problem);
    return { row, moved: false };
  }
  return machine ? fleet.put(machine) : { row: fleet.remove(key), moved: true };
}

function changesTake(message) {
  revision.value = message.revision;
  heard.value = Date.now();
  for (const [kind, key, object, problem] of message.changes) {
    dirty.add(kind);
    if (kind !== "Resource") {
      if (object) objects[kind].set(key, object);
      else objects[kind].delete(key);
      continue;
    }
    const { row, moved } = rowTake(key, object, problem);
    if (row >= 0) for (const watcher of watchers) watcher("row", row, moved);
  }
  if (message.changes.length) flushSoon();
  if (message.events.length) for (const watcher of eventWatchers) watcher(message.events);
}

function take(message) {
  if (message.type === "snapshot") snapshotTake(message);
  else if (message.type === "changes") changesTake(message);
  else if (message.type === "conn") {
    if (conn.value.state === "live") heard.value = Date.now();
    conn.value = message.conn;
  }
}

let workerSend = () => {};

/** Begin. `?noworker` has the stream in this tab. */
export function storeBegin() {
  if (globalThis.SharedWorker && !new URLSearchParams(location.search).has("noworker")) {
    const address = new URL("../worker.js", import.meta.url).href;
    const policy = globalThis.trustedTypes?.createPolicy("reeve", { createScriptURL: (url) => (url === address ? url : "") });
    const worker = new SharedWorker(policy ? policy.createScriptURL(address) : address, { type: "module", name: `reeve ${tenant}` });
    worker.port.onmessage = ({ data }) => take(data);
    workerSend = (message) => worker.port.postMessage(message);
    // held as long as this tab lives: so the worker learns of its end
    const name = `tab ${crypto.randomUUID?.() ?? Math.random()}`;
    navigator.locks?.request(name, () => new Promise(() => { workerSend({ type: "lock", name }); }));
    return;
  }
  const feed = new Feed((message) => take(structuredClone(message)), tenant);
  workerSend = (message) => {
    if (message.type === "login") feed.loggedIn();
    if (message.type === "logout") feed.loggedOut();
  };
  feed.run();
}

/** The session is there, and may be another one: read everything anew. */
export function storeLoggedIn() {
  workerSend({ type: "login" });
}

/** It has ended: forget everything. */
export function storeLoggedOut() {
  workerSend({ type: "logout" });
}
