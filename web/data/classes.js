// What machines are coloured by where that has an order of its own: since when nothing was heard of them, and how far the job of
// their cluster has come with each. A class is found from the machine's own row, so a change of one asks for no other.
import { CREATING, DRIFTED, LEAVING, READY, REFUSED, STARTING } from "./words.js";

const SEEN = [["now", 0, "--is-ready"], ["within a minute", 60, "--is-starting"], ["within ten minutes", 600, "--is-creating"], ["within an hour", 3600, "--is-unreachable"],
  ["within a day", 86400, "--is-unhealthy"], ["longer ago", Infinity, "--is-refused"], ["never yet", -1, "--is-leaving"]];
const NEVER = SEEN.length - 1;

/** By last seen. `silent` is the second since which nothing was heard of a machine, 0 where it is heard of. */
export function seenClasses(now = Date.now() / 1000) {
  const ofRow = (fleet, row) => {
    if (fleet.word[row] === CREATING || fleet.word[row] === REFUSED) return NEVER;
    const silent = fleet.silent[row];
    return silent ? SEEN.findIndex(([, most]) => most > 0 && now - silent <= most) : 0;
  };
  return { texts: SEEN.map(([text]) => text), colours: SEEN.map(([, , colour]) => colour), ofRow };
}

const PROGRESS = [["refused", "--is-refused"], ["to be replaced", "--is-unreachable"], ["under way", "--is-creating"], ["leaving", "--is-leaving"], ["done", "--is-ready"], ["no job", "--edge"]];
const [P_REFUSED, P_OLD, P_MOVING, P_LEAVING, P_DONE, P_NONE] = PROGRESS.keys();

/** By the job of the cluster: what of a group's machines is made of what is wanted, what is still another. The version is
 * another one when a job begins, ends or wants something else, and not with each machine that it has made. */
export function progressClasses(jobs) {
  const open = new Map(); // cluster to the generations that each group wants
  for (const { metadata, status } of jobs) {
    if (status.verb || status.ended || status.state === "superseded" || open.has(metadata.cluster)) continue;
    open.set(metadata.cluster, new Map((status.groups ?? []).map(({ group, generations }) => [group, new Set(generations)])));
  }
  const ofRow = (fleet, row) => {
    const groups = open.get(fleet.text("cluster", row));
    if (!groups) return P_NONE;
    const word = fleet.word[row];
    if (word === REFUSED) return P_REFUSED;
    if (word === LEAVING) return P_LEAVING;
    if (word === CREATING || word === STARTING) return P_MOVING;
    const wanted = groups.get(fleet.text("group", row));
    const isOld = wanted ? !wanted.has(fleet.text("generation", row)) : groups.size > 0;
    return isOld ? P_OLD : word === READY || word === DRIFTED ? P_DONE : P_MOVING;
  };
  return { texts: PROGRESS.map(([text]) => text), colours: PROGRESS.map(([, colour]) => colour), ofRow,
    version: JSON.stringify([...open].map(([cluster, groups]) => [cluster, [...groups].map(([group, set]) => [group, ...set])])) };
}
