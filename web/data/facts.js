// What is shown of a node, decided in one place: its state, whether it is outdated, why it needs a look and what comes next; and
// incidents, which are nodes that need a look for one cause, with the holds that stop reeve from doing something about them. Pages read
// these and decide nothing of their own.
import { signal } from "@preact/signals";
import { clusters, fleet, fleetWatch, groups, holds } from "./store.js";
import { DRIFTED, FAILED, PROBLEMS, READY, REFUSED, WORDS } from "./words.js";

export const PAUSED = "paused";

/** "failed": the displayed state of the machine of a row. */
export function stateOf(row) {
  return WORDS[fleet.word[row]];
}

export function isOutdated(row) {
  return fleet.outdated[row] === 1;
}

/** {cause, hint, next, nextAt, since} of a node that needs a look: of one whose state says so, or on which reeve cannot do its work;
 * null of any other. */
export function problemOf(row) {
  if (!fleet.isThere(row)) return null;
  return fleet.problems.get(row) ?? (fleet.word[row] < PROBLEMS ? { cause: "", hint: "", next: "", nextAt: 0, since: 0 } : null);
}

/** "unhealthy, outdated": all that is shown of its state, in words. */
export function stateText(row) {
  return `${stateOf(row)}${isOutdated(row) ? ", outdated" : ""}`;
}

// Which displayed states a hold is about; a pause is about all of them.
const ABOUT = {
  common_cause: ["failed", "unhealthy", "unreachable"], budget: ["failed", "unhealthy", "unreachable"], kept: ["failed"], refused: ["refused"], roll_failed: ["failed"], roll_stopped: ["failed"], rollout: ["failed"],
  self_suspicion: ["unhealthy", "unreachable"], backoff_exhausted: ["refused", "failed"], unhealed: ["failed", "unhealthy"], unhealthy_brake: ["failed", "unhealthy", "unreachable"],
  unreachable: ["unreachable"], [PAUSED]: WORDS,
};

function isAbout({ metadata, status }, { cluster, group, word, next }) {
  if (status.rule === "common_cause" && !next.includes(status.rule)) return false; // it stops these nodes not at all
  return metadata.cluster === cluster && (!metadata.group || metadata.group === group) && (ABOUT[status.rule] ?? []).includes(word);
}

/** What is alike in the causes of many nodes: without their names and numbers, which addresses and times are. */
function causeKey(cause, name) {
  return cause.replaceAll(name, "").replace(/[0-9]+/g, "#");
}

/** Nodes that need a look, by cause, group and zone. Only those are looked at, however large the fleet is. */
function nodeIncidents(cluster, group) {
  const found = new Map();
  for (const row of fleet.problems.keys()) {
    const problem = problemOf(row);
    if (!problem || (cluster && fleet.text("cluster", row) !== cluster) || (group && fleet.text("group", row) !== group)) continue;
    const key = `${fleet.cluster[row]} ${fleet.group[row]} ${fleet.zone[row]} ${fleet.word[row]} ${problem.next} ${causeKey(problem.cause, fleet.names[row])}`;
    let one = found.get(key);
    if (!one) {
      one = { key, cluster: fleet.text("cluster", row), group: fleet.text("group", row), zone: fleet.text("zone", row), word: stateOf(row), rows: [], cause: problem.cause, hint: problem.hint, next: problem.next, nextAt: 0, since: 0 };
      found.set(key, one);
    }
    one.rows.push(row);
    if (problem.since && (!one.since || problem.since < one.since)) Object.assign(one, { since: problem.since, cause: problem.cause, hint: problem.hint });
    if (problem.nextAt && (!one.nextAt || problem.nextAt < one.nextAt)) one.nextAt = problem.nextAt;
  }
  return [...found.values()];
}

/** Incidents, of one cluster or group where it is named: the most damage first, pauses last. Of nodes {cluster, group, zone, word, rows,
 * cause, next, nextAt, since, holds, share}; of a hold that is about no such node {hold}. */
export function incidentsOf(cluster, group) {
  const own = holds.value.filter(({ metadata }) => (!cluster || metadata.cluster === cluster) && (!group || !metadata.group || metadata.group === group));
  const found = nodeIncidents(cluster, group).map((one) => {
    const whole = fleet.totalsOf(one.cluster, one.group).reduce((a, b) => a + b, 0);
    return { ...one, holds: own.filter((hold) => isAbout(hold, one)), damage: one.rows.length, share: one.rows.length / Math.max(1, whole) };
  });
  const reported = new Set(found.flatMap((one) => one.holds.filter(({ status }) => status.rule !== PAUSED)));
  const others = own.filter((hold) => !reported.has(hold)).map((hold) => ({ key: `${hold.metadata.cluster} ${hold.metadata.name}`, hold,
    damage: hold.status.rule === PAUSED ? -1 : Math.max(hold.status.wouldDestroy ?? 0, hold.status.wouldCreate ?? 0), share: 0 }));
  return [...found, ...others].sort((a, b) => b.damage - a.damage || b.share - a.share || a.key.localeCompare(b.key, "en"));
}

/** Is there a machine that another one could take the place of? A node that has none yet, or loses it, has none. */
export function isReplaceable(row) {
  return fleet.isThere(row) && !["refused", "creating", "leaving"].includes(stateOf(row));
}

/** The configuration that a group has, "web@r3", or that of the cluster's defaults; nothing if there is none. */
export function desiredOf(cluster, name) {
  const group = groups.value.find(({ metadata }) => metadata.cluster === cluster && metadata.name === name);
  return group?.spec?.configuration ?? clusters.value.find(({ metadata }) => metadata.name === cluster)?.spec?.defaults?.configuration;
}

/** May asking again change something about this state? */
export function canRetry(word) {
  return word === WORDS[FAILED] || word === WORDS[REFUSED];
}

/** Does the manager decide about a repair of nodes in this state? */
export function canRepair(word) {
  return ["failed", "unhealthy", "unreachable"].includes(word);
}

/** "3 of 4 ready, 1 outdated" as numbers: of a cluster, of one of its groups, or of all that there is. */
export function readyOf(cluster, group) {
  if (!cluster) return { ready: fleet.totals[READY] + fleet.totals[DRIFTED], outdated: fleet.outdatedCount };
  const totals = fleet.totalsOf(cluster, group);
  return { ready: totals[READY] + totals[DRIFTED], outdated: fleet.outdatedOf(cluster, group) };
}

const collator = new Intl.Collator("en", { numeric: true });

/** Names as the command line writes them: ["db-1", "web-[0-2,5]"]. */
export function rangesOf(names) {
  const heads = new Map(), rest = [];
  for (const name of names) {
    const [, head, number] = /^(.*?)(0|[1-9][0-9]{0,14})$/.exec(name) ?? [];
    if (number === undefined) rest.push(name);
    else if (heads.has(head)) heads.get(head).push(Number(number));
    else heads.set(head, [Number(number)]);
  }
  const parts = [...heads].map(([head, numbers]) => {
    const runs = [];
    for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
      if (runs.length && runs.at(-1)[1] === number - 1) runs.at(-1)[1] = number;
      else runs.push([number, number]);
    }
    const texts = runs.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`));
    return texts.length === 1 && !texts[0].includes("-") ? `${head}${texts[0]}` : `${head}[${texts.join(",")}]`;
  });
  return [...parts, ...rest].sort(collator.compare);
}

export function rangesText(names) {
  return rangesOf(names).join(", ");
}

const COUNT_MS = 1000;

export const incidentCount = signal(0); // of all there are but pauses; counted at most once a second
let timer = 0;

function countSoon() {
  timer ||= setTimeout(() => {
    timer = 0;
    incidentCount.value = incidentsOf().filter(({ damage }) => damage >= 0).length;
  }, COUNT_MS);
}

fleetWatch(countSoon);
holds.subscribe(countSoon);
