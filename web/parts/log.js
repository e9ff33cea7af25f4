// What the stages of a machine write, followed while somebody looks: folded by stage, each line with an address of its own.
// It is asked for (decision 0060): `next` of an answer is where the next one begins.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { queryPut, view } from "../app/router.js";
import { ask } from "../data/api.js";
import { Copy, Empty, ProblemNote } from "./parts.js";

const LOOK_MS = 400, LINES_MAX = 5000, SHOWN = 400;

/** The lines told so far, and what went wrong with asking; looks again while it is followed. */
function useLines(cluster, node, isFollowed) {
  const [lines, linesSet] = useState([]);
  const [problem, problemSet] = useState(null);
  const next = useRef("");
  useEffect(() => {
    next.current = "";
    linesSet([]);
  }, [cluster, node]);
  useEffect(() => {
    let isOver = false, timer = 0;
    async function look() {
      let wait = LOOK_MS;
      try {
        const query = new URLSearchParams({ node, ...(next.current ? { offset: next.current } : {}) });
        const told = await ask("GET", `/v1/clusters/${encodeURIComponent(cluster)}/logs?${query}`);
        if (isOver) return;
        next.current = told.next;
        if (told.lines.length) linesSet((before) => [...before, ...told.lines].slice(-LINES_MAX));
        if (told.more) wait = 0;
        problemSet(null);
      } catch (error) {
        if (isOver) return;
        problemSet(error);
        wait = LOOK_MS * 5;
      }
      if (isFollowed || wait === 0) timer = setTimeout(look, wait);
    }
    if (node) look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [cluster, node, isFollowed]);
  return { lines, problem };
}

/** Lines by stage and attempt, in their order: [{stage, attempt, lines}]. */
function foldsOf(lines) {
  const folds = new Map();
  for (const line of lines) {
    const key = `${line.stage}.${line.attempt}`;
    if (!folds.has(key)) folds.set(key, { key, stage: line.stage, attempt: line.attempt, lines: [] });
    folds.get(key).lines.push(line);
  }
  return [...folds.values()].sort((a, b) => a.stage - b.stage || a.attempt - b.attempt);
}

function Fold({ fold, name, word, isOpen, marked }) {
  const [isWhole, wholeSet] = useState(false);
  const [isOpenFirst] = useState(isOpen); // whoever reads it is not interrupted by its end
  const at = marked ? Number(marked.split(".")[2]) : -1;
  const from = isWhole || (at >= 0 && at <= fold.lines.length) ? 0 : Math.max(0, fold.lines.length - SHOWN);
  const line = useRef(null);
  useEffect(() => { line.current?.scrollIntoView({ block: "center" }); }, [marked, fold.lines.length > at]);
  return html`<details class="log-fold" open=${isOpenFirst || at >= 0}><summary><b>${name}</b> ${fold.attempt > 1 && html`<span class="dim">attempt ${fold.attempt}</span>`}
      <span class="dim">${fold.lines.length} line${fold.lines.length === 1 ? "" : "s"}</span> ${word && html`<span>${word}</span>`}
      <${Copy} text=${fold.lines.map(({ text }) => text).join("\n")} what="copy the lines"/></summary>
    ${from > 0 && html`<button type="button" class="link" onClick=${() => wholeSet(true)}>${from} lines before these</button>`}
    <ol class="log" start=${from + 1}>${fold.lines.slice(from).map(({ text, time }, n) => {
      const number = from + n + 1, key = `${fold.key}.${number}`;
      return html`<li key=${key} ref=${number === at ? line : null} class=${number === at ? "is-marked" : ""}><a href=${`?line=${key}`} aria-label=${`line ${number} of ${name}`} title=${time ?? ""}
        onClick=${(event) => { event.preventDefault(); queryPut({ line: key }); }}>${number}</a><span>${text}</span></li>`;
    })}</ol></details>`;
}

/** The log of one machine. stages: names in their order; node: what is known of its steps (status.node). */
export function Log({ cluster, name, stages, node }) {
  const isFollowed = node !== undefined && node.step !== "bootstrapped";
  const { lines, problem } = useLines(cluster, name, isFollowed);
  const folds = foldsOf(lines);
  const marked = view.value.query.get("line") ?? "";
  const [failed] = node?.step === "failed" ? [node.stage ?? node.number] : [];
  const last = folds.at(-1)?.key;
  return html`<section aria-label="log" id="log"><h2>Log <span class="dim">${isFollowed && node.step !== "failed" ? "followed" : ""}</span>
      <span class="head-space"></span><code>reeve logs ${cluster}/${name}</code><${Copy} text=${`reeve logs ${cluster}/${name} -F`} what="copy the command"/></h2>
    <${ProblemNote} problem=${problem}/>
    ${folds.length === 0 && !problem && html`<${Empty} title="No stage has written anything.">Output comes here as it is written; it lies with the manager that runs the stages.</${Empty}>`}
    ${folds.map((fold) => html`<${Fold} key=${fold.key} fold=${fold} name=${stages[fold.stage] ?? `stage ${fold.stage}`} marked=${marked.startsWith(`${fold.key}.`) ? marked : ""}
      isOpen=${fold.key === last && node?.step !== "bootstrapped"} word=${failed === fold.stage && fold.key === last ? "failed here" : ""}/>`)}</section>`;
}
