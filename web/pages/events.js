// Events in their order, newest first, filters in the address. What is older is asked for; what is new comes by the stream.
// While somebody reads further down new ones wait above.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { useKeys } from "../app/keys.js";
import { href, queryPut, view } from "../app/router.js";
import { ask, GROUPS_ALONE, isOfGroups, Problem, scopes } from "../data/api.js";
import { eventsWatch, revision } from "../data/store.js";
import { Button, Empty, ProblemNote, Rows, When } from "../parts/parts.js";

const PAGE = 1000, WINDOW = 600, KEPT_MAX = 20000, SHOW_MS = 100;

/** The machine, the group or the object that it happened to. */
export function about(event) {
  if (event.node) return `${event.name}/${event.node}`;
  return event.group ? `${event.name}/${event.group}` : event.name ?? "";
}

export function because({ why, rule, fact }) {
  return why || [rule?.replaceAll("_", " "), fact].filter(Boolean).join(": ");
}

/** Events behind a revision, to the end or to a limit. Who may see single clusters alone asks for the newest of each. */
async function pageGet(after) {
  const own = scopes();
  if (isOfGroups()) throw new Problem(403, { detail: GROUPS_ALONE, hint: "an admin of the tenant can grant it" });
  if (own) {
    const pages = await Promise.all(own.map((cluster) => ask("GET", `/v1/events?cluster=${encodeURIComponent(cluster)}&last=${PAGE}`)));
    return pages.flatMap(({ items }) => items).filter((event) => event.revision > after).sort((a, b) => a.revision - b.revision);
  }
  const items = [];
  let from = after;
  for (let more = true; more && items.length < KEPT_MAX;) {
    const page = await ask("GET", `/v1/events?after=${from}&limit=${PAGE}`);
    items.push(...page.items);
    more = page.more && page.items.length > 0;
    from = page.items.at(-1)?.revision ?? from;
  }
  return items;
}

const keyOf = (event) => `${event.cluster} ${event.number}`;

/** Events that were kept, and those that come: one list, each once, in their order. Not a component: it outlives renders. */
class Row {
  constructor(show) {
    Object.assign(this, { show, items: [], known: new Set(), last: 0, waiting: [], isReading: true, timer: 0 });
  }

  add(found, isOlder) {
    const fresh = found.filter((event) => !this.known.has(keyOf(event)));
    for (const event of fresh) this.known.add(keyOf(event));
    this.items = isOlder ? [...fresh, ...this.items] : [...this.items, ...fresh];
    if (!isOlder && this.items.length > KEPT_MAX) {
      for (const event of this.items.splice(0, this.items.length - KEPT_MAX)) this.known.delete(keyOf(event));
    }
    this.last = Math.max(this.last, fresh.at(-1)?.revision ?? 0);
  }

  /** They wait for a page that is being read, then for the eye: ten times a second is as often as it sees. */
  come(events) {
    this.waiting.push(...events);
    if (!this.isReading) this.timer ||= setTimeout(() => this.settle(), SHOW_MS);
  }

  settle() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.add(this.waiting, false);
    this.waiting = [];
    this.show(this.items);
  }
}

/** The newest events, of one cluster where its id is given; older() asks for those before. */
export function useEvents(id) {
  const [items, itemsSet] = useState([]);
  const [problem, problemSet] = useState(null);
  const [isRead, readSet] = useState(false); // the first answer is there: what it lacks is not there either
  const [first, firstSet] = useState(null); // asked for down to this revision
  const row = useRef(null);
  row.current ??= new Row(itemsSet);
  const isOf = (event) => !id || event.cluster.endsWith(`/${id}`);
  async function read(from, isOlder, until = Infinity) {
    const one = row.current;
    one.isReading = true;
    try {
      one.add((await pageGet(from)).filter((event) => event.revision <= until && isOf(event)), isOlder);
      problemSet(null);
      if (isOlder) firstSet(from);
    } catch (error) {
      problemSet(error);
    }
    one.isReading = false;
    readSet(true);
    one.settle();
  }
  const older = () => read(Math.max(0, (first ?? revision.value) - WINDOW), true, first ?? Infinity);
  useEffect(() => {
    const leave = eventsWatch((events) => (events ? row.current.come(events.filter(isOf)) : row.current.last && read(row.current.last, false)));
    older();
    return () => {
      leave();
      clearTimeout(row.current.timer);
    };
  }, []);
  return { items, problem, older, isRead, hasOlder: (first ?? 0) > 0 };
}

const COLUMNS = [
  { title: "Time", class: "time", cell: (event) => html`<time datetime=${event.time} title=${event.time}>${new Date(event.time).toLocaleTimeString("en-GB")}</time>` },
  { title: "Type", class: "type", cell: (event) => html`<span title=${event.type}>${event.type}</span>` },
  { title: "What", class: "", cell: (event) => (event.node ? html`<a href=${href(["nodes", event.name, event.node])}>${about(event)}</a>`
    : event.kind === "Cluster" ? html`<a href=${href(["clusters", event.name])}>${about(event)}</a>` : about(event)) },
  { title: "Actor", class: "narrow hide-small", cell: (event) => event.actor },
  { title: "Why", class: "broad hide-small", cell: (event) => html`<span title=${because(event)}>${because(event)}</span>` },
  { title: "Revision", class: "narrow number hide-small", cell: (event) => event.revision },
];

/** The newest few of a cluster, as they come. */
export function LatestEvents({ cluster, id, count = 8 }) {
  const { items, problem, isRead } = useEvents(id);
  return html`<section aria-label="latest events"><h2>Latest events <span class="head-space"></span><a href=${href(["events"], { q: cluster })}>all of them</a></h2><${ProblemNote} problem=${problem}/>
    ${items.length === 0 ? !problem && html`<p class="dim">${isRead ? "none among the newest" : "loading ..."}</p>` : html`<ol class="steps data">${items.slice(-count).reverse().map((event) => html`<li key=${keyOf(event)}>
      <span class="dim"><${When} at=${event.time}/></span><span>${event.node ? html`<a href=${href(["nodes", event.name, event.node])}>${event.node}</a>` : event.group || cluster}</span><span>${[event.type, because(event)].filter(Boolean).join(" · ")}</span></li>`)}</ol>`}</section>`;
}

export function Events() {
  const { items, problem, older, isRead, hasOlder } = useEvents();
  const [held, heldSet] = useState(null); // what was there when somebody began to read further down
  const shown = held ?? items;
  const word = (view.value.query.get("q") ?? "").toLowerCase();
  const type = view.value.query.get("type") ?? "";
  const input = useRef(null);
  useKeys([["f", "filter", () => input.current?.focus()]]);
  const types = [...new Set(shown.map((event) => event.type))].sort();
  const list = shown.filter((event) => (!type || event.type === type) &&
    (!word || `${about(event)} ${event.actor} ${because(event)} ${event.type}`.toLowerCase().includes(word)));
  return html`<div class="head"><h1>Events</h1></div>
    <div class="tools"><input class="filter" ref=${input} type="search" placeholder="name, actor, reason" aria-label="filter events" value=${word}
        onInput=${(event) => queryPut({ q: event.currentTarget.value })}/>
      <select class="select" aria-label="type" value=${type} onChange=${(event) => queryPut({ type: event.currentTarget.value })}>
        <option value="">every type</option>${types.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select>
      <span class="dim">${isRead ? `${list.length} of ${shown.length}` : ""}</span>
      ${held && items.length > held.length && html`<${Button} kind="quiet" onClick=${() => document.querySelector(".rows").scrollTo(0, 0)}>${items.length - held.length} newer</${Button}>`}<span class="tools-space"></span>
      ${hasOlder && html`<${Button} kind="quiet" onClick=${older}>Older ones</${Button}>`}</div>
    <${ProblemNote} problem=${problem}/>
    <div class="data"><${Rows} label="events" count=${list.length} rowAt=${(at) => list[list.length - 1 - at]} keyAt=${(at) => keyOf(list[list.length - 1 - at])}
      onScrolled=${(top) => heldSet((before) => (top === 0 ? null : before ?? items))} columns=${COLUMNS}
      empty=${!isRead ? html`<p class="dim pad">loading ...</p>` : html`<${Empty} title="No event matches the filter."><p>Events are kept for days; older ones may have it, or take the filter away.</p></${Empty}>`}/></div>`;
}
