// Which tenant is looked at.

/** The tenant that the address names; empty: one's own. Another one is another load of the page: nothing of the one before stays. */
export const tenant = new URLSearchParams(location.search).get("tenant") ?? "";

/** The header by which a request is about another tenant than one's own. */
export function tenantHeader(name) {
  return name ? { "Reeve-Tenant": name } : {};
}
