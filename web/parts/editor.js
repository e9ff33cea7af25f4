// A field for a file: numbers beside its lines, marks under what is wrong, and what is wrong below it, each leading to its
// place. A textarea does the editing, so that everything a browser does for text works here too; a layer of the same letters
// behind it holds the marks.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { html } from "../app/html.js";

const MARKED_MAX = 200;

/** One line with its marks: pieces of text, some of them marked. */
function pieces(text, faults) {
  const signs = Array.from(text); // places count code points
  const out = [];
  let at = 0;
  for (const { column = 1, length = 1 } of [...faults].sort((a, b) => a.column - b.column)) {
    const from = Math.max(at, column - 1), to = Math.max(from + 1, from + length);
    out.push(signs.slice(at, from).join(""), html`<mark>${signs.slice(from, to).join("") || " "}</mark>`);
    at = to;
  }
  return [...out, signs.slice(at).join("")];
}

export function placeText({ line, column }) {
  return line ? `${line}:${column ?? 1}` : "";
}

/** All lines, where those without a fault are one text each time: a long file has few elements. */
function stretches(count, isMarked, plain, marked) {
  const out = [];
  for (let at = 0, from = 0; at <= count; at++) {
    if (at < count && !isMarked(at)) continue;
    if (at > from) out.push(plain(from, at));
    if (at < count) out.push(marked(at));
    from = at + 1;
  }
  return out;
}

/** One fault in the form of the command line: code, text, the line with its caret, note, hint. */
function Fault({ fault, line, onGo }) {
  return html`<li class="fault"><button type="button" class="link" disabled=${!fault.line} onClick=${onGo}>${placeText(fault) || "file"}</button>
    <div><p><b>${fault.severity === "warning" ? "warning" : "error"}${fault.code && `[${fault.code}]`}</b>: ${fault.text}</p>
      ${line !== undefined && html`<pre class="caret" aria-hidden="true">${line}${"\n"}${" ".repeat(Math.max(0, (fault.column ?? 1) - 1))}${"^".repeat(Math.max(1, Math.min(fault.length ?? 1, 60)))}</pre>`}
      ${fault.note && html`<p class="dim">${fault.note}${fault.noteAt && ` (line ${fault.noteAt.line})`}</p>`}${fault.hint && html`<p><span class="dim">hint:</span> ${fault.hint}</p>`}</div></li>`;
}

/** text, faults: [{line, column, length, code, text, hint, note, severity}], onText(text). */
export function Editor({ text, faults, onText, label, rows = 24 }) {
  const area = useRef(null), layer = useRef(null), gutter = useRef(null);
  const lines = text.split("\n");
  const byLine = new Map();
  for (const fault of faults.slice(0, MARKED_MAX)) {
    if (fault.line) byLine.set(fault.line, [...byLine.get(fault.line) ?? [], fault]);
  }
  const isMarked = (at) => byLine.has(at + 1);
  const follow = () => {
    layer.current.scrollTop = gutter.current.scrollTop = area.current.scrollTop;
    layer.current.scrollLeft = area.current.scrollLeft;
  };
  useLayoutEffect(follow);
  useEffect(() => { if (!matchMedia("(pointer: coarse)").matches) area.current?.focus(); }, []);
  function show({ line, column = 1, length = 1 }) {
    const signs = Array.from(lines[line - 1] ?? "");
    const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const from = start + signs.slice(0, column - 1).join("").length;
    area.current.focus();
    area.current.setSelectionRange(from, from + signs.slice(column - 1, column - 1 + length).join("").length);
    area.current.scrollTop = Math.max(0, (line - 5) * parseFloat(getComputedStyle(area.current).lineHeight));
  }
  function key(event) {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { selectionStart: from, selectionEnd: to } = area.current;
    const line = text.slice(text.lastIndexOf("\n", from - 1) + 1, from);
    const indent = /^\s*/.exec(line)[0] + (/:\s*$/.test(line) ? "  " : "");
    if (!indent) return;
    event.preventDefault();
    area.current.setRangeText(`\n${indent}`, from, to, "end");
    onText(area.current.value);
  }
  return html`<div class="editor">
    <div class="editor-field" style=${{ "--rows": rows }}>
      <pre class="editor-gutter" ref=${gutter} aria-hidden="true">${stretches(lines.length, isMarked, (from, to) => Array.from({ length: to - from }, (_, n) => `${from + n + 1}\n`).join(""), (at) => html`<b>${at + 1}${"\n"}</b>`)}</pre>
      <div class="editor-text"><pre class="editor-layer" ref=${layer} aria-hidden="true">${stretches(lines.length, isMarked, (from, to) => `${lines.slice(from, to).join("\n")}\n`, (at) => html`<span>${pieces(lines[at], byLine.get(at + 1))}${"\n"}</span>`)}</pre>
        <textarea ref=${area} value=${text} aria-label=${label} aria-invalid=${faults.length > 0} aria-describedby="faults" spellcheck=${false} autocomplete="off" autocapitalize="off" wrap="off"
          onInput=${(event) => onText(event.currentTarget.value)} onScroll=${follow} onKeyDown=${key}></textarea></div></div>
    <ol class="faults" id="faults" aria-live="polite" aria-label="what is wrong">${faults.map((fault, at) => html`<${Fault} key=${at} fault=${fault} line=${lines[fault.line - 1]} onGo=${() => show(fault)}/>`)}</ol></div>`;
}
