// Events in their order, newest first, filters in the address. New ones are read as the stream tells of a newer revision,
// at most once a second; while somebody scrolls they wait above.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { useKeys } from "../app/keys.js";
import { href, queryPut, view } from "../app/router.js";
import { ask } from "../data/api.js";
import { revision } from "../data/store.js";
import { Button, Empty, ProblemNote, Rows } from "../parts/parts.js";

const PAGE = 1000, WINDOW = 600, KEPT_MAX = 20000, POLL_MS = 1000;

/** The machine, the group or the object that it happened to. */
export function about(event) {
  if (event.node) return `${event.name}/${event.node}`;
  return event.group ? `${event.name}/${event.group}` : event.name ?? "";
}

export function because({ why, rule, fact }) {
  return why || [rule?.replaceAll("_", " "), fact].filter(Boolean).join(": ");
}

/** A page of events behind a revision, to its end or to a limit. */
async function pageGet(after) {
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

function useEvents() {
  const [items, itemsSet] = useState([]);
  const [problem, problemSet] = useState(null);
  const state = useRef({ first: null, last: 0, isBusy: false, timer: 0, read: 0 });
  const now = revision.value;
  async function newer() {
    const one = state.current;
    if (one.isBusy || one.first === null) return;
    one.isBusy = true;
    try {
      const found = await pageGet(one.last);
      one.last = found.at(-1)?.revision ?? one.last;
      if (found.length) itemsSet((before) => [...before, ...found].slice(-KEPT_MAX));
      problemSet(null);
    } catch (error) {
      problemSet(error);
    }
    one.isBusy = false;
  }
  async function older() {
    const one = state.current;
    const first = one.first ?? now;
    const from = Math.max(0, first - WINDOW);
    try {
      const found = (await pageGet(from)).filter((event) => one.first === null || event.revision <= first);
      if (one.first === null) one.last = found.at(-1)?.revision ?? from;
      one.first = from;
      itemsSet((before) => [...found, ...before]);
    } catch (error) {
      problemSet(error);
    }
  }
  useEffect(() => { older(); }, []);
  useEffect(() => {
    const one = state.current;
    one.timer ||= setTimeout(() => {
      one.timer = 0;
      newer();
    }, POLL_MS);
  }, [now]);
  useEffect(() => () => clearTimeout(state.current.timer), []);
  return { items, problem, older, hasOlder: (state.current.first ?? 0) > 0 };
}

const COLUMNS = [
  { title: "Time", class: "time", cell: (event) => html`<time datetime=${event.time} title=${event.time}>${new Date(event.time).toLocaleTimeString("en-GB")}</time>` },
  { title: "Type", class: "middle", cell: (event) => event.type },
  { title: "What", class: "", cell: (event) => (event.node ? html`<a href=${href(["nodes", event.name, event.node])}>${about(event)}</a>`
    : event.kind === "Cluster" ? html`<a href=${href(["clusters", event.name])}>${about(event)}</a>` : about(event)) },
  { title: "Actor", class: "narrow hide-small", cell: (event) => event.actor },
  { title: "Why", class: "broad hide-small", cell: (event) => html`<span title=${because(event)}>${because(event)}</span>` },
  { title: "Revision", class: "narrow number hide-small", cell: (event) => event.revision },
];

export function Events() {
  const { items, problem, older, hasOlder } = useEvents();
  const word = (view.value.query.get("q") ?? "").toLowerCase();
  const type = view.value.query.get("type") ?? "";
  const input = useRef(null);
  useKeys([["f", "filter", () => input.current?.focus()]]);
  const types = [...new Set(items.map((event) => event.type))].sort();
  const list = items.filter((event) => (!type || event.type === type) &&
    (!word || `${about(event)} ${event.actor} ${because(event)} ${event.type}`.toLowerCase().includes(word)));
  return html`<div class="head"><h1>Events</h1></div>
    <div class="tools"><input class="filter" ref=${input} type="search" placeholder="name, actor, reason" aria-label="filter events" value=${word}
        onInput=${(event) => queryPut({ q: event.currentTarget.value })}/>
      <select class="select" aria-label="type" value=${type} onChange=${(event) => queryPut({ type: event.currentTarget.value })}>
        <option value="">every type</option>${types.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select>
      <span class="dim">${list.length} of ${items.length}</span><span class="tools-space"></span>
      ${hasOlder && html`<${Button} kind="quiet" onClick=${older}>Older ones</${Button}>`}</div>
    <${ProblemNote} problem=${problem}/>
    <div class="data"><${Rows} label="events" count=${list.length} rowAt=${(at) => list[list.length - 1 - at]}
      keyAt=${(at) => `${list[list.length - 1 - at].cluster} ${list[list.length - 1 - at].number}`} columns=${COLUMNS}
      empty=${html`<${Empty} title="No event is like that."><p>Events are kept for days; older ones may have it, or take the filter away.</p></${Empty}>`}/></div>`;
}
