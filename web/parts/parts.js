// The ten parts that pages are built of; /ui/kit shows each. Looks are in style/parts.css, and nowhere else.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { WORDS } from "../data/words.js";

const COPIED_MS = 1500, WAY_LINES = 3;

/** 1. A button. kind: "" | "main" | "danger" | "quiet". */
export function Button({ kind = "", children, ...rest }) {
  return html`<button type="button" class=${`button ${kind}`} ...${rest}>${children}</button>`;
}

/** 2. The state of a machine, a job or a group: a swatch with its mark, and the word. */
export function State({ word, count }) {
  return html`<span class="state"><i class=${`swatch is-${word}`} aria-hidden="true"></i>${word}${
    count === undefined ? null : html`<b>${count}</b>`}</span>`;
}

/** The mark beside the state of what has not reached the desired generation or stages yet. */
export function Outdated({ count }) {
  return count === 0 ? null : html` <span class="outdated" title="not yet in the desired state">${count === undefined ? "" : html`<b>${count}</b> `}outdated</span>`;
}

/** "3 of 4 ready, 1 outdated": the sum at the head of a page. */
export function ReadySum({ ready, outdated, wanted }) {
  return html`<span class="sum"><b>${ready}</b> of ${wanted} ready${outdated > 0 && html`,<${Outdated} count=${outdated}/>`}</span>`;
}

/** The same as the cell of a table. */
export function ReadyCell({ ready, outdated, wanted }) {
  return html`<td class="number">${ready} / ${wanted}${outdated > 0 && html`<div class="dim"><${Outdated} count=${outdated}/></div>`}</td>`;
}

/** 3. A stacked bar of counts by word, problems first. */
export function Bar({ totals, wanted = 0, label }) {
  const sum = totals.reduce((a, b) => a + b, 0);
  const whole = Math.max(sum, wanted, 1);
  const words = [...totals.keys()].filter((word) => totals[word]);
  const text = words.map((word) => `${totals[word]} ${WORDS[word]}`).join(", ") || "no machines";
  return html`<div class="bar" role="img" aria-label=${`${label}: ${text}${wanted ? ` of ${wanted} wanted` : ""}`} title=${text}>
    ${words.map((word) => html`<i key=${word} class=${`is-${WORDS[word]}`} style=${{ width: `${totals[word] / whole * 100}%` }}></i>`)}
  </div>`;
}

/** 4. Something to copy: a name, an id, a command. A text that is long to make is a function, with a title for who cannot see it. */
export function Copy({ text, what = "copy", title }) {
  const [isDone, doneSet] = useState(false);
  const shown = title ?? text;
  async function copy() {
    await textCopy(typeof text === "function" ? text() : text);
    doneSet(true);
    setTimeout(() => doneSet(false), COPIED_MS);
  }
  return html`<button type="button" class="copy" onClick=${copy} aria-label=${`${what}: ${shown.length > 80 ? `${shown.slice(0, 80)} ...` : shown}`}>${isDone ? "copied" : "copy"}</button>`;
}

/** Where the clipboard is kept from us (no secure context) the old way still works. */
async function textCopy(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text).catch(() => {});
    return;
  }
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** 5. When something was, in words that stay true: "3 min ago", the whole time on demand. */
export function When({ at }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 5000);
    return () => clearInterval(timer);
  }, []);
  if (!at) return null;
  const date = new Date(at);
  return html`<time datetime=${date.toISOString()} title=${date.toISOString()}>${agoText(Date.now() - date)}</time>`;
}

export function agoText(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 5) return "now";
  if (s < 90) return `${s} s ago`;
  if (s < 5400) return `${Math.round(s / 60)} min ago`;
  if (s < 129600) return `${Math.round(s / 3600)} h ago`;
  return `${Math.round(s / 86400)} d ago`;
}

const LATE_MS = 5000;

/** When something is to come: "in 4 min", or that it is late: "due 20 s ago". The whole time on demand. */
export function Until({ at }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const date = new Date(at), left = date - Date.now(), text = agoText(Math.abs(left));
  return html`<time datetime=${date.toISOString()} title=${date.toISOString()}>${text === "now" ? "now" : left < -LATE_MS ? `due ${text}` : `in ${text.replace(" ago", "")}`}</time>`;
}

/** "1.4 s", "2 min 5 s": how long something took. */
export function tookText(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(1)} s`;
  const s = Math.round(ms / 1000);
  return s < 3600 ? `${Math.floor(s / 60)} min ${s % 60} s` : `${Math.floor(s / 3600)} h ${Math.round(s % 3600 / 60)} min`;
}

/** 6. Nothing is there: why, and what to do next. */
export function Empty({ title, children }) {
  return html`<div class="empty"><p class="empty-title">${title}</p><div>${children}</div></div>`;
}

/** 7. A note: kind "" | "warn" | "bad". */
export function Note({ kind = "", title, children }) {
  return html`<div class=${`note ${kind}`} role=${kind === "bad" ? "alert" : "status"}>
    ${title && html`<strong>${title}</strong>`}${children}</div>`;
}

/** A problem of the manager, as it says it. */
export function ProblemNote({ problem }) {
  if (!problem) return null;
  return html`<${Note} kind="bad" title=${problem.message}>
    ${problem.hint && html`<p>${problem.hint}</p>`}
    ${problem.code && html`<p class="dim">${problem.code}</p>`}</${Note}>`;
}

/** 8. A field with its label. */
export function Field({ label, hint, inputRef, ...rest }) {
  return html`<label class="field"><span>${label}</span><input ref=${inputRef} autocomplete="off" spellcheck=${false} ...${rest}/>
    ${hint && html`<small>${hint}</small>`}</label>`;
}

/** 9. A dialog; Escape and the close button give it up. */
export function Dialog({ title, onClose, children, foot }) {
  const dialog = useRef(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current.showModal();
    return () => before?.focus?.();
  }, []);
  return html`<dialog ref=${dialog} class="dialog" aria-label=${title} onClose=${onClose}
      onCancel=${(event) => { event.preventDefault(); onClose(); }}>
    <header><h2>${title}</h2><button type="button" class="close" aria-label="close" onClick=${onClose}>×</button></header>
    <div class="dialog-body">${children}</div>
    ${foot && html`<footer>${foot}</footer>`}
  </dialog>`;
}

/** 10. Rows in any number, of which only those in sight are in the document. columns: [{title, class, cell(row)}]. */
export function Rows({ label, count, rowAt, keyAt, columns, onOpen, onScrolled, height = 28, empty }) {
  const frame = useRef(null);
  const [top, topSet] = useState(0);
  const [room, roomSet] = useState(600);
  useEffect(() => {
    const seen = new ResizeObserver(() => roomSet(frame.current?.clientHeight ?? 600));
    seen.observe(frame.current);
    return () => seen.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(top / height) - 5);
  const last = Math.min(count, Math.ceil((top + room) / height) + 5);
  const rows = [];
  for (let at = first; at < last; at++) rows.push(at);
  return html`<div class="rows" ref=${frame} tabindex="0" role="table" aria-label=${label} aria-rowcount=${count + 1}
      onScroll=${(event) => { topSet(event.currentTarget.scrollTop); onScrolled?.(event.currentTarget.scrollTop); }}>
    <div class="rows-head" role="row" aria-rowindex="1">
      ${columns.map((column) => html`<span role="columnheader" class=${column.class}>${column.title}</span>`)}</div>
    ${count === 0 && empty ? html`<div role="row"><div role="cell">${empty}</div></div>` : null}
    <div class="rows-space" role="rowgroup" style=${{ height: `${count * height}px` }}>
      ${rows.map((at) => {
        const row = rowAt(at);
        return html`<div key=${keyAt(at)} role="row" aria-rowindex=${at + 2} class="rows-row" style=${{ top: `${at * height}px`, height: `${height}px` }}
            onClick=${onOpen && (() => onOpen(row))}>
          ${columns.map((column) => html`<span role="cell" class=${column.class}>${column.cell(row)}</span>`)}</div>`;
      })}
    </div>
  </div>`;
}

/** The exact command and request of a change, both to be copied. Of a body that is a text the first lines are shown. */
export function Way({ command, method, path, type, body, headers = {} }) {
  const fields = { ...headers, ...(type ? { "Content-Type": type } : {}) };
  const head = `${method} ${path}${Object.entries(fields).map(([name, value]) => `\n${name}: ${value}`).join("")}`;
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  const lines = text.split("\n");
  const request = `${head}${text && `\n\n${text}`}`;
  const shown = lines.length > WAY_LINES ? `${head}\n\n${lines.slice(0, WAY_LINES).join("\n")}\n... ${lines.length - WAY_LINES} lines more` : request;
  return html`<div class="way">
    <div><span class="dim">command</span><code>${command}</code><${Copy} text=${command} what="copy the command"/></div>
    <div><span class="dim">request</span><code>${shown}</code><${Copy} text=${request} what="copy the request"/></div>
  </div>`;
}
