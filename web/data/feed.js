// What there is, kept true by one stream. Runs in the shared worker, for all tabs of a browser; where there are none, in
// the tab itself.
//
//     snapshot (every list at its revision) -> watch from the oldest of them -> changes, gathered for 50 ms -> tabs
//
// What can go wrong, and what then:
//     the stream breaks          the data is old from then on, and said to be; it is resumed behind the last revision
//     another store answers      (hello has its incarnation) everything is read anew
//     what was missed is gone    (reset, or the revision is refused) everything is read anew
//     silence of 40 s            the manager writes a comment every 15 s: the line is dead
//     401                        the session has ended: the page asks to log in
import { partsOf, scopesOf } from "./api.js";
import { Fleet } from "./fleet.js";
import { streamRead } from "./stream.js";
import { tenantHeader } from "./tenant.js";
import { placeOf } from "./words.js";

const KINDS = { clusters: "Cluster", nodegroups: "NodeGroup", holds: "Hold", jobs: "Job" };
// What a node needs depends on more than its record: holds stop reeve, groups say how it heals. Where these change it is read again.
const PROBLEM_STATES = "blocked,failed,refused,unhealthy,unreachable", PROBLEMS_MS = 1000, PROBLEMS_PAGE = 1000;
// A time that has passed without a change of the record: what was to come then is under way, or is late. The manager knows which.
const OVERDUE_MS = 5000;
// Who may see single groups alone has no stream of them: they are read again and again.
const PARTS_MS = 2000;
const GATHER_MS = 50, SILENCE_MS = 40000, WAIT_MIN_MS = 250, WAIT_MAX_MS = 5000;

class Refused extends Error {
  constructor(status) {
    super(`status ${status}`);
    this.status = status;
  }
}

async function getJson(path, headers) {
  const response = await fetch(path, { credentials: "same-origin", cache: "no-store", headers });
  if (!response.ok) throw new Refused(response.status);
  return response.json();
}

/** A path with the words that have a value. */
function pathOf(path, words) {
  const query = new URLSearchParams(Object.entries(words).filter(([, value]) => value)).toString();
  return query ? `${path}?${query}` : path;
}

/** A list of every page, of one cluster where it is named. */
async function getAll(kind, headers, cluster) {
  const items = [];
  let revision, next = "";
  do {
    const page = await getJson(pathOf(`/v1/${kind}`, { cluster, next }), headers);
    items.push(...page.items);
    revision ??= page.revision;
    next = page.next ?? "";
  } while (next);
  return { items, revision };
}

/** What there is of a group, for who may see that group alone: {cluster, path, fleet, group, holds}. A group that only holds others has no object. */
async function partGet({ cluster, group: path }, headers) {
  const name = `${encodeURIComponent(cluster)}/${path.split("/").map(encodeURIComponent).join("/")}`;
  const [fleet, group, holds] = await Promise.all([getJson(pathOf("/v1/fleet", { cluster, group: path }), headers),
    getJson(`/v1/nodegroups/${name}`, headers).catch((error) => {
      if (error instanceof Refused && error.status === 404) return null;
      throw error;
    }), getJson(pathOf("/v1/holds", { cluster, group: path }), headers)]);
  return { cluster, path, fleet, group, holds: holds.items };
}

/** Clusters as far as these groups show them. */
function clustersOf(parts) {
  const found = new Map();
  for (const { cluster, group } of parts) {
    const metadata = found.get(cluster)?.metadata ?? { id: `part of ${cluster}`, name: cluster, nodes: 0, isPart: true, revision: 0, updated: "", by: "" };
    const own = group?.metadata;
    found.set(cluster, { kind: "Cluster", spec: {}, metadata: { ...metadata, nodes: metadata.nodes + (group?.spec.size ?? 0),
      ...(own?.revision > metadata.revision ? { revision: own.revision, updated: own.updated, by: own.by } : {}) } });
  }
  return [...found.values()];
}

/** The rows of an answer, as `put` takes them. */
function machinesOf(answer) {
  const part = Fleet.fromAnswer(answer), list = [];
  for (let row = 0; row < part.rows; row++) list.push(part.machine(row));
  return list;
}

/** By what an object is known: names, which both its put and its del have. */
function keyOf(kind, meta) {
  if (kind === "Cluster") return meta.id;
  return `${meta.cluster}/${meta.name}`;
}

/** A moment that the manager reports, in milliseconds since 1970; 0: none. */
function momentOf(at) {
  return at === undefined ? 0 : new Date(at).getTime() || 0;
}

/** Why a node needs a look, as the manager says it; null: it needs none. */
function problemOf({ problem }) {
  return problem ? { cause: problem.cause ?? "", hint: problem.hint ?? "", next: problem.next ?? "", nextAt: momentOf(problem.nextAt), since: momentOf(problem.since) } : null;
}

/** A record of a machine, as a row. */
function machineOf(object) {
  const { metadata: meta, status } = object;
  return { id: meta.id, name: meta.name, cluster: meta.cluster, group: status.group, zone: status.zone ?? "",
    generation: status.generation ?? "", image: status.image ?? "", plugin: status.plugin, word: placeOf(status.displayed), outdated: status.outdated ? 1 : 0, silent: Math.floor(momentOf(status.silent) / 1000), problem: problemOf(status) };
}

export class Feed {
  /** @param {(message: object, port?: object) => void} send to all tabs, or to one @param {string} tenant empty: one's own */
  constructor(send, tenant = "") {
    this.send = send;
    this.headers = tenantHeader(tenant);
    this.conn = { state: "loading", since: Date.now() };
    this.store = null;
    this.revision = 0;
    this.scopes = [""]; // clusters, each with a stream of its own, for who may see those alone; "": all that there are, by one
    this.lasts = new Map(); // of each the id to go on behind: what objects have reached, and events
    this.floor = 0; // machines of the snapshot are as new as this
    this.wait = WAIT_MIN_MS;
    this.era = 0; // another one with each login and logout
    this.isOut = false;
    this.clear();
  }

  clear() {
    this.fleet = new Fleet();
    this.objects = { Cluster: new Map(), NodeGroup: new Map(), Hold: new Map(), Job: new Map() };
    this.names = new Map(); // of clusters by id, also of those that are gone
    this.ids = new Map();
    this.changed = new Map();
    this.happened = []; // events that were sent to no tab yet
    this.parts = []; // groups that are read again and again: {cluster, group}
    this.doubted = new Set(); // clusters whose problems are read again soon
    this.touched = new Set(); // machines that the stream reported meanwhile
    this.isLoaded = false;
  }

  connSet(state) {
    if (this.conn.state !== state) {
      this.conn = { state, since: Date.now() };
      this.send({ type: "conn", conn: this.conn });
    }
  }

  /** Whether the manager sees its store: {seconds, reason}, or nothing. */
  staleSet(stale) {
    if (!stale && !this.conn.stale) return;
    this.conn = { ...this.conn, stale: stale && { reason: stale.reason, at: Date.now() - stale.seconds * 1000 } };
    this.send({ type: "conn", conn: this.conn });
  }

  comment(text) {
    if (text.startsWith("stale ")) this.staleSet(JSON.parse(text.slice(6)));
    else if (text === "fresh") this.staleSet(null);
  }

  /** What a tab needs to begin. */
  snapshot() {
    return { type: "snapshot", conn: this.conn, isLoaded: this.isLoaded, revision: this.revision,
      fleet: this.fleet.pack(), objects: this.objects };
  }

  /** Goes on for ever; a session that has ended waits for `again`. */
  async run() {
    for (;;) {
      try {
        if (!this.isLoaded) await this.load();
        await this.follow();
        throw new Error("the stream has ended");
      } catch (error) {
        if (this.isOut || (error instanceof Refused && error.status === 401)) {
          this.isOut = false;
          this.clear();
          this.send(this.snapshot()); // what one was shown is not there for the next
          this.connSet("out");
          await new Promise((resolve) => { this.again = resolve; });
          this.connSet("loading");
          continue;
        }
        if (error instanceof Refused && [400, 403, 404, 410].includes(error.status)) this.isLoaded = false; // it is too old; or the right to it, or the cluster, is gone
        this.connSet(this.isLoaded ? "away" : "loading");
        await new Promise((resolve) => { setTimeout(resolve, this.wait); });
        this.wait = Math.min(this.wait * 2, WAIT_MAX_MS);
      }
    }
  }

  /** Somebody has logged in, perhaps another one than before: nothing of what is known counts for him. */
  loggedIn() {
    this.era++;
    this.isOut = false;
    if (this.again) {
      this.again();
      this.again = null;
    } else {
      this.isLoaded = false;
      this.stop?.abort();
    }
  }

  /** He has logged out. */
  loggedOut() {
    this.era++;
    this.isOut = true;
    this.stop?.abort();
  }

  /** Everything of one cluster, or of all: the fleet, and a list of each kind. */
  async read(cluster) {
    const kinds = Object.keys(KINDS);
    const [fleet, ...lists] = await Promise.all([getJson(pathOf("/v1/fleet", { cluster }), this.headers), ...kinds.map((kind) => (cluster && kind === "clusters"
      ? getJson(`/v1/clusters/${encodeURIComponent(cluster)}`, this.headers).then((one) => ({ items: [one] })) : getAll(kind, this.headers, cluster)))]);
    return { fleet, lists, revision: Math.min(fleet.revision, ...lists.map(({ revision }) => revision ?? Infinity)) };
  }

  /** All that there is; who may not see that reads what he has a right to, cluster by cluster. */
  async readAll() {
    try {
      this.scopes = [""];
      this.parts = [];
      return [await this.read("")];
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 403) throw error;
    }
    const { grants } = await getJson("/v1/whoami", this.headers);
    const found = await Promise.all(scopesOf(grants).map((cluster) => this.read(cluster).then((one) => ({ ...one, cluster }), (error) => {
      if (error instanceof Refused && (error.status === 403 || error.status === 404)) return null; // it is gone, or the right to it
      throw error;
    })));
    const there = found.filter(Boolean);
    this.scopes = there.map(({ cluster }) => cluster);
    const parts = await this.partsGet(partsOf(grants));
    this.parts = parts.map(({ cluster, path }) => ({ cluster, group: path }));
    return [...there, ...parts.map(({ fleet, group, holds }, at) => ({ fleet, revision: fleet.revision,
      lists: [at ? [] : clustersOf(parts), group ? [group] : [], holds, []].map((items) => ({ items })) }))];
  }

  /** Those of the groups that are there. */
  async partsGet(parts) {
    const found = await Promise.all(parts.map((part) => partGet(part, this.headers).catch((error) => {
      if (error instanceof Refused && (error.status === 403 || error.status === 404)) return null;
      throw error;
    })));
    return found.filter(Boolean);
  }

  /** Read the groups again and again, and report what differs. */
  async followParts(stop) {
    for (;;) {
      await new Promise((resolve) => { setTimeout(resolve, PARTS_MS); });
      if (stop.signal.aborted) return;
      const { era } = this;
      const found = await this.partsGet(this.parts);
      if (era !== this.era || stop.signal.aborted) return;
      if (found.length !== this.parts.length) throw new Refused(404); // the right to one, or its cluster, is gone
      this.partsTake(found);
      this.connSet("live");
    }
  }

  partsTake(found) {
    const isOurs = ({ metadata }) => found.some(({ cluster }) => cluster === metadata.cluster || (metadata.isPart && cluster === metadata.name));
    const machines = new Map(found.flatMap(({ fleet }) => machinesOf(fleet)).map((machine) => [machine.id, machine]));
    for (const [id, row] of [...this.fleet.place]) {
      if (machines.has(id) || !found.some(({ cluster }) => cluster === this.fleet.text("cluster", row))) continue;
      this.fleet.remove(id);
      this.changed.set(`Resource ${id}`, ["Resource", id, null]);
    }
    for (const [id, machine] of machines) {
      const row = this.fleet.place.get(id);
      if (row !== undefined && JSON.stringify(this.fleet.machine(row)) === JSON.stringify(machine)) continue;
      this.fleet.put(machine);
      this.changed.set(`Resource ${id}`, ["Resource", id, machine]);
    }
    const now = { Cluster: clustersOf(found), NodeGroup: found.flatMap(({ group }) => group ?? []), Hold: found.flatMap(({ holds }) => holds) };
    for (const [kind, list] of Object.entries(now)) {
      const known = this.objects[kind], kept = new Map(list.map((object) => [keyOf(kind, object.metadata), object]));
      for (const [key, object] of [...known]) {
        if (!isOurs(object) || kept.has(key)) continue;
        known.delete(key);
        this.changed.set(`${kind} ${key}`, [kind, key, null]);
      }
      for (const [key, object] of kept) {
        if (JSON.stringify(known.get(key)) === JSON.stringify(object)) continue;
        known.set(key, object);
        this.changed.set(`${kind} ${key}`, [kind, key, object]);
      }
    }
    this.revision = Math.max(this.revision, ...found.map(({ fleet }) => fleet.revision));
    this.gather();
  }

  async load() {
    const { era } = this;
    const found = await this.readAll();
    if (era !== this.era) throw new Error("the answer was for another session");
    const objects = {};
    for (const [at, kind] of Object.values(KINDS).entries()) {
      objects[kind] = new Map(found.flatMap(({ lists }) => lists[at].items).map((object) => [keyOf(kind, object.metadata), object]));
    }
    this.fleet = Fleet.fromAnswers(found.map(({ fleet }) => fleet));
    this.objects = objects;
    this.ids.clear();
    for (const object of objects.Cluster.values()) this.clusterKnow(object.metadata);
    this.floor = Math.min(...found.map(({ fleet }) => fleet.revision));
    this.revision = found.length ? Math.min(...found.map(({ revision }) => revision)) : 0;
    this.lasts = new Map(this.scopes.map((scope) => [scope, String(this.revision)]));
    this.changed.clear();
    this.happened = [];
    this.store = null;
    this.isLoaded = true;
    this.send(this.snapshot());
  }

  /** Until one of the streams ends. */
  async follow() {
    const stop = this.stop = new AbortController();
    const aborted = new Promise((_, reject) => { stop.signal.addEventListener("abort", () => reject(new Error("stopped"))); });
    const streams = [aborted, ...this.scopes.map((scope) => this.followOne(scope, stop)), ...(this.parts.length ? [this.followParts(stop)] : [])];
    for (const one of streams) one.catch(() => {}); // the first of them says what happened
    if (!this.scopes.length) this.connSet("live"); // there is nothing that could change
    const overdue = setInterval(() => this.overdueLook(), OVERDUE_MS);
    try {
      await Promise.race(streams);
    } finally {
      clearInterval(overdue);
      stop.abort();
    }
  }

  async followOne(scope, stop) {
    let heard = Date.now();
    const watchdog = setInterval(() => {
      if (Date.now() - heard > SILENCE_MS) stop.abort();
    }, SILENCE_MS / 8);
    try {
      const path = `/v1/watch?kinds=cluster,nodegroup,resource,hold,job,event&from=${this.lasts.get(scope)}${scope && `&cluster=${encodeURIComponent(scope)}`}`;
      const response = await fetch(path, { credentials: "same-origin", cache: "no-store", headers: this.headers, signal: stop.signal });
      if (!response.ok) throw new Refused(response.status);
      await streamRead(response, (type, data, id) => this.event(type, data, id, scope), () => { heard = Date.now(); }, (text) => this.comment(text));
    } finally {
      clearInterval(watchdog);
    }
  }

  event(type, data, id, scope = "") {
    if (type === "hello") {
      const isOther = this.store !== null && this.store !== data.store;
      if (isOther || data.revision < this.revision) {
        this.isLoaded = false;
        throw new Error("another store");
      }
      this.store = data.store;
      this.wait = WAIT_MIN_MS;
      this.connSet("live");
      this.staleSet(data.stale);
    } else if (type === "reset") {
      this.isLoaded = false;
      throw new Error("the missed events are no longer stored");
    } else if (type === "put") {
      this.put(data);
    } else if (type === "del") {
      this.remove(data);
    } else if (type === "event") {
      this.happened.push(data);
    }
    if (id !== undefined) {
      this.lasts.set(scope, id);
      this.revision = Math.max(this.revision, Number.parseInt(id, 10));
    }
    this.gather();
  }

  put(object) {
    const { kind, metadata: meta } = object;
    if (kind === "Resource") {
      if (meta.revision < this.floor) { // known already, or sent because of what is beside it: its node's steps, and why they failed
        const row = this.fleet.place.get(meta.id);
        if (row !== undefined) this.fleet.problemSet(row, problemOf(object.status));
        this.touched.add(meta.id);
        if (!this.changed.has(`Resource ${meta.id}`)) this.changed.set(`Resource ${meta.id}`, ["Resource", meta.id, undefined, problemOf(object.status)]);
        return;
      }
      const machine = machineOf(object);
      this.touched.add(meta.id);
      this.fleet.put(machine);
      this.changed.set(`Resource ${meta.id}`, ["Resource", meta.id, machine]);
    } else if (this.objects[kind]) {
      const key = keyOf(kind, meta);
      if (kind === "Cluster") this.clusterKnow(meta);
      if (kind !== "Job" && this.objects[kind].get(key)?.metadata.revision !== meta.revision) this.doubt(meta.cluster ?? meta.name);
      this.objects[kind].set(key, object);
      this.changed.set(`${kind} ${key}`, [kind, key, object]);
    }
  }

  /** The problems of a cluster may be others now, though no record of a machine has changed. */
  doubt(cluster) {
    this.doubted.add(cluster);
    this.doubtTimer ||= setTimeout(() => this.problemsRead().catch(() => {}), PROBLEMS_MS);
  }

  /** Problems whose next action should have begun are read again. */
  overdueLook() {
    const now = Date.now();
    for (const [row, { nextAt }] of this.fleet.problems) if (nextAt && nextAt < now - OVERDUE_MS) this.doubt(this.fleet.text("cluster", row));
  }

  async problemsRead() {
    const { era, fleet } = this;
    const troubled = new Set([...fleet.problems.keys()].map((row) => fleet.text("cluster", row)));
    const names = [...this.doubted].filter((name) => troubled.has(name));
    this.doubted.clear();
    this.touched.clear();
    try {
      for (const cluster of names) {
        let next = "";
        do {
          const page = await getJson(pathOf("/v1/nodes", { cluster, state: PROBLEM_STATES, limit: PROBLEMS_PAGE, next }), this.headers);
          if (era !== this.era || fleet !== this.fleet) return;
          for (const { metadata: { id }, status } of page.items) {
            const row = fleet.place.get(id);
            if (row === undefined || this.touched.has(id) || this.changed.has(`Resource ${id}`)) continue;
            fleet.problemSet(row, problemOf(status));
            this.changed.set(`Resource ${id}`, ["Resource", id, undefined, problemOf(status)]);
          }
          next = page.next ?? "";
        } while (next);
      }
    } finally {
      this.doubtTimer = 0;
      if (this.changed.size) this.gather();
      if (this.doubted.size) this.doubt([...this.doubted][0]);
    }
  }

  drop(kind, key) {
    if (kind === "Hold") this.doubt(this.objects.Hold.get(key)?.metadata.cluster);
    this.objects[kind].delete(key);
    this.changed.set(`${kind} ${key}`, [kind, key, null]);
  }

  /** What is gone is reported by its key in the store: CLUSTER-ID/REST. */
  remove(gone) {
    const { kind } = gone;
    const slash = gone.id.indexOf("/");
    const rest = gone.id.slice(slash + 1);
    if (kind === "Resource") {
      this.fleet.remove(rest);
      this.changed.set(`Resource ${rest}`, ["Resource", rest, null]);
    } else if (kind === "Cluster") {
      this.clusterGone(gone.id);
    } else if (this.objects[kind]) {
      const owner = this.names.get(gone.id.slice(0, slash));
      // what an earlier cluster of the same name leaves behind is not what is shown under that name now
      const isOld = owner === undefined || (this.ids.get(owner) ?? gone.id.slice(0, slash)) !== gone.id.slice(0, slash);
      for (const [key, object] of isOld ? [] : this.objects[kind]) {
        if (object.metadata.cluster === owner && isNamed(kind, object, rest)) this.drop(kind, key);
      }
    }
  }

  /** Its groups and holds go with it; its jobs say what became of it. */
  clusterGone(id) {
    const name = this.names.get(id);
    if (this.ids.get(name) === id) {
      this.ids.delete(name);
      for (const kind of ["NodeGroup", "Hold"]) {
        for (const [key, object] of this.objects[kind]) {
          if (object.metadata.cluster === name) this.drop(kind, key);
        }
      }
    }
    this.drop("Cluster", id);
  }

  clusterKnow({ id, name }) {
    this.names.set(id, name);
    this.ids.set(name, id);
  }

  gather() {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.send({ type: "changes", revision: this.revision, at: Date.now(), changes: [...this.changed.values()], events: this.happened });
      this.changed.clear();
      this.happened = [];
    }, GATHER_MS);
  }
}

/** Is this the object that the rest of a key names? Holds are RULE[/GROUP] there, jobs have noughts before them. */
function isNamed(kind, object, rest) {
  const { name } = object.metadata;
  if (kind === "NodeGroup") return name === rest;
  if (kind === "Job") return String(Number(rest)) === name;
  const slash = rest.indexOf("/");
  return name === (slash < 0 ? rest : `${rest.slice(slash + 1)}:${rest.slice(0, slash)}`);
}
