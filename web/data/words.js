// The displayed states of machines. The manager decides them (src/records/displayed.h) and names them; this list gives each a place
// by which pages sort and colour: problems first.

export const WORDS = ["refused", "failed", "unhealthy", "unreachable", "creating", "starting", "leaving", "maintenance", "drifted", "ready"];
export const [REFUSED, FAILED, UNHEALTHY, UNREACHABLE, CREATING, STARTING, LEAVING, MAINTENANCE, DRIFTED, READY] = WORDS.keys();
export const PROBLEMS = 4; // so many words from the front need somebody

/** The place of a state's name; what a newer manager names otherwise counts as a problem. */
export function placeOf(name) {
  const place = WORDS.indexOf(name);
  return place < 0 ? UNHEALTHY : place;
}
