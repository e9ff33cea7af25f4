// What a machine is, in a word. A record says it in a few facts, which /v1/fleet packs into one small number; people see
// one word, the same as in `reeve get resources`. The order is the order in which they want to see them: problems first.

export const WORDS = ["refused", "failed", "sick", "unreachable", "creating", "starting", "leaving", "ready"];
export const [REFUSED, FAILED, SICK, UNREACHABLE, CREATING, STARTING, LEAVING, READY] = WORDS.keys();
export const PROBLEMS = 4; // so many words from the front need somebody

const ACTIVE = 1, DELETE = 2, IS_STARTING = 4, IS_SICK = 8, IS_UNREACHABLE = 16, IS_REFUSED = 32, IS_FAILED = 64;

/** The number that /v1/fleet has for a record's status. */
export function bitsOf(status) {
  const state = status.state === "active" ? ACTIVE : status.state === "delete" ? DELETE : 0;
  return state | (status.starting ? IS_STARTING : 0) | (status.sick ? IS_SICK : 0) |
    (status.unreachable ? IS_UNREACHABLE : 0) | (status.fault ? IS_REFUSED : 0) |
    (status.failed ? IS_FAILED : 0);
}

function wordOf(bits) {
  const state = bits & 3;
  if (state === DELETE) return LEAVING;
  if (state !== ACTIVE) return bits & IS_REFUSED ? REFUSED : CREATING;
  return bits & IS_SICK ? SICK : bits & IS_UNREACHABLE ? UNREACHABLE : bits & IS_FAILED ? FAILED : bits & IS_STARTING ? STARTING : READY;
}

/** The word of each such number, by its place in WORDS. */
export const WORD_OF = Uint8Array.from({ length: 128 }, (_, bits) => wordOf(bits));
