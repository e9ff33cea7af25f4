// What is being written on the page Apply, kept by the browser for this tab: a reload loses nothing of it. It is the writer's alone: who
// logs out takes it along, and nobody else is shown it.
import { tenant } from "./tenant.js";

const KEY = `reeve draft ${tenant}`;

/** {text, from, why} as this user has left it; null: there is none. */
export function draftRead(user) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY));
    return kept?.user === user && typeof kept.text === "string" ? { text: kept.text, from: kept.from ?? null, why: kept.why ?? "" } : null;
  } catch {
    return null; // a browser that keeps nothing
  }
}

export function draftKeep(user, draft) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ user, ...draft }));
  } catch {
    // it is too long, or nothing is kept: it lasts as long as the page does
  }
}

export function draftForget() {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // nothing is kept
  }
}
