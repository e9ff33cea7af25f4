// The address is the view: everything that changes what is shown stands in it, so that a link shows the same.
import { signal } from "@preact/signals";
import { tenant } from "../data/tenant.js";

const BASE = "/ui/";

function read() {
  const parts = location.pathname.slice(BASE.length).split("/").filter(Boolean).map(partRead);
  return { parts, query: new URLSearchParams(location.search) };
}

/** A part that is no proper encoding is taken as it is. */
function partRead(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const view = signal(read());

/** The address of a view: href(["clusters", name], {state: "unhealthy"}). Empty values are left out. */
export function href(parts, query = {}) {
  const words = Object.entries({ ...query, tenant }).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const search = new URLSearchParams(words).toString();
  return BASE + parts.map(encodeURIComponent).join("/") + (search && `?${search}`);
}

/** Go there; replace: without a step in the history, for filters that are being changed. */
export function go(address, { replace = false } = {}) {
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  const before = view.value.parts.join("/");
  view.value = read();
  if (view.value.parts.join("/") !== before) scrollTo(0, 0);
}

/** Change words of the address: queryPut({state: "unhealthy"}). */
export function queryPut(words) {
  const { parts, query } = view.value;
  go(href(parts, { ...Object.fromEntries(query), ...words }), { replace: true });
}

addEventListener("popstate", () => { view.value = read(); });

/** Links of ours are followed without loading the page anew. */
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const target = new URL(link.href);
  if (target.origin !== location.origin || !target.pathname.startsWith(BASE) || link.target) return;
  event.preventDefault();
  go(target.pathname + target.search);
});
