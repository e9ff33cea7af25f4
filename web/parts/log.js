// What the stages of a machine write, followed while somebody looks: folded by stage, each line with an address of its own.
// It is asked for (decision 0060): `next` of an answer is where the next one begins. A line has the number that it has in the log of its
// attempt, also where those before it are not in the document, or are not kept here any more.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { queryPut, view } from "../app/router.js";
import { ask } from "../data/api.js";
import { ansiParts, ansiPlain } from "../data/ansi.js";
import { Copy, Empty, ProblemNote } from "./parts.js";

const LOOK_MS = 400, KEPT_MAX = 100000, DROPPED = 10000, SHOWN = 400, MORE = 2000;
const CAUSE_BYTES_MIN = 100; // a cause of so many characters may have been cut

/** The lines of one attempt at one stage: `first` is the number of the first one that is kept. */
class Fold {
  constructor(stage, attempt) {
    Object.assign(this, { key: `${stage}.${attempt}`, stage, attempt, first: 1, lines: [], errorKnown: null });
  }

  get last() {
    return this.first + this.lines.length - 1;
  }

  add(line) {
    this.lines.push(line);
    if (this.lines.length > KEPT_MAX) {
      this.lines.splice(0, DROPPED);
      this.first += DROPPED;
    }
  }

  /** The number of the line that the manager reports as the cause of a failure; the last one where it is none of them. */
  errorOf(why) {
    if (this.errorKnown?.why !== why || (!this.errorKnown.isFound && this.errorKnown.last !== this.last)) {
      const at = why ? this.lines.findIndex(({ text }) => isCause(text, why)) : -1;
      this.errorKnown = { why, last: this.last, isFound: at >= 0, number: at >= 0 ? this.first + at : this.last };
    }
    return this.errorKnown.number;
  }
}

/** Is it this line that was reported as the cause? What is not plain ASCII became a '?' for each byte there, and long ones were cut. */
function isCause(text, why) {
  const plain = ansiPlain(text).trim().replace(/[^ -~]|["\\]/gu, (one) => "?".repeat(new TextEncoder().encode(one).length));
  return plain === why || (why.length >= CAUSE_BYTES_MIN && plain.startsWith(why));
}

/** Fetch lines from an offset on, up to the end that the log has at that moment. */
async function pageGet(cluster, query) {
  return ask("GET", `/v1/clusters/${encodeURIComponent(cluster)}/logs?${new URLSearchParams(query)}`);
}

/** Attempts and their lines so far, whether all that there is was read, and what went wrong with asking; looks again while it is
 * followed. `wanted`: STAGE.ATTEMPT that an address names: attempts before the newest are asked for by that alone. */
function useLines(cluster, node, isFollowed, wanted) {
  const [, tick] = useState(0);
  const [problem, problemSet] = useState(null);
  const logRef = useRef(null);
  if (logRef.current?.subject !== `${cluster} ${node}`) logRef.current = { subject: `${cluster} ${node}`, folds: new Map(), next: "", isRead: false, asked: new Set() };
  function take(one, lines) {
    for (const { stage, attempt, text, time } of lines) {
      const key = `${stage}.${attempt}`;
      if (!one.folds.has(key)) one.folds.set(key, new Fold(stage, attempt));
      one.folds.get(key).add({ text, time });
    }
  }
  useEffect(() => {
    let isOver = false, timer = 0;
    const one = logRef.current;
    async function look() {
      let wait = LOOK_MS;
      try {
        const answer = await pageGet(cluster, { node, ...(one.next ? { offset: one.next } : {}) });
        if (isOver) return;
        one.next = answer.next;
        take(one, answer.lines);
        if (answer.more) wait = 0;
        else one.isRead = true;
        problemSet(null);
      } catch (error) {
        if (isOver) return;
        problemSet(error);
        wait = LOOK_MS * 5;
      }
      tick((n) => n + 1);
      if (wait === 0 || isFollowed) timer = setTimeout(look, wait);
    }
    if (node) look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [cluster, node, isFollowed]);
  const { isRead } = logRef.current;
  useEffect(() => {
    const one = logRef.current;
    if (!isRead || !wanted || one.folds.has(wanted) || one.asked.has(wanted)) return;
    one.asked.add(wanted);
    (async () => {
      const [stage, attempt] = wanted.split(".");
      const lines = [];
      for (let next = "", more = true; more && lines.length < KEPT_MAX;) {
        const answer = await pageGet(cluster, { node, stage, attempt, ...(next ? { offset: next } : {}) });
        lines.push(...answer.lines);
        ({ next, more } = answer);
      }
      take(one, lines);
      tick((n) => n + 1);
    })().catch(problemSet);
  }, [cluster, node, wanted, isRead]);
  return { folds: [...logRef.current.folds.values()].sort((a, b) => a.stage - b.stage || a.attempt - b.attempt), isRead, problem };
}

/** A line; its colours are parts of it. */
function Line({ fold, name, number, kind, lineRef }) {
  const { text, time } = fold.lines[number - fold.first], key = `${fold.key}.${number}`;
  return html`<li ref=${lineRef} class=${kind}><a href=${`?line=${key}`} aria-label=${`line ${number} of ${name}`} title=${time ?? ""}
    onClick=${(event) => { event.preventDefault(); queryPut({ line: key }); }}>${number}</a><span>${ansiParts(text).map((part) => (part.class ? html`<span class=${part.class}>${part.text}</span>` : part.text))}</span></li>`;
}

/** The numbers of the lines that are in the document: around the one that is looked for, else the last ones. */
function shownOf(fold, target, more) {
  if (target < fold.first || target > fold.last) return [Math.max(fold.first, fold.last - SHOWN + 1 - more.before), fold.last];
  return [Math.max(fold.first, target - SHOWN / 2 - more.before), Math.min(fold.last, target + SHOWN / 2 + more.after)];
}

/** count: how many lines the fold has; a part with a state of its own is drawn anew only when something that it is given is another. */
function FoldView({ fold, count, name, word, isOpen, marked, error }) {
  const [more, moreSet] = useState({ before: 0, after: 0 });
  const [isOpenFirst] = useState(isOpen); // a reader is not interrupted by its end
  const target = marked || error;
  const [from, to] = shownOf(fold, target, more);
  const isThere = target >= from && target <= to;
  const line = useRef(null), frame = useRef(null);
  useEffect(() => {
    if (!line.current || !isThere) return;
    if (marked) line.current.scrollIntoView({ block: "center" });
    else frame.current.scrollTop = line.current.offsetTop - frame.current.clientHeight / 2; // the page stays where it is
  }, [target, isThere]);
  const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
  return html`<details class="log-fold" open=${isOpenFirst || marked > 0 || error > 0}><summary><b>${name}</b>${fold.attempt > 1 && html` <span class="dim">attempt ${fold.attempt}</span>`}${" "}<span class="dim">${count} line${count === 1 ? "" : "s"}</span>${" "}
      ${word && html`<span>${word}</span>`}</summary>
    <p class="log-tools"><${Copy} text=${() => fold.lines.map(({ text }) => ansiPlain(text)).join("\n")} what="copy the lines" title=${name}/>
    ${from > fold.first ? html`<button type="button" class="link" onClick=${() => moreSet({ ...more, before: more.before + MORE })}>${from - 1} lines before these</button>`
      : fold.first > 1 && html`<span class="dim">${fold.first - 1} earlier lines are no longer loaded; they are shown by <code>reeve logs</code></span>`}</p>
    <ol class="log" ref=${frame} tabindex="0" aria-label=${`lines of ${name}`} start=${from}>${numbers.map((number) => html`<${Line} key=${number} fold=${fold} name=${name} number=${number}
      lineRef=${number === target ? line : undefined} kind=${number === marked ? "is-marked" : number === error ? "is-error" : ""}/>`)}</ol>
    ${to < fold.last && html`<button type="button" class="link" onClick=${() => moreSet({ ...more, after: more.after + MORE })}>${fold.last - to} lines after these</button>`}</details>`;
}

/** The log of one machine. stages: names in their order; node: what is known of its steps (status.node). */
export function Log({ cluster, name, stages, node }) {
  const isFollowed = node !== undefined && node.step !== "bootstrapped";
  const marked = /^[0-9]+\.[0-9]+\.[0-9]+$/.exec(view.value.query.get("line") ?? "")?.[0] ?? "";
  const { folds, isRead, problem } = useLines(cluster, name, isFollowed, marked.split(".").slice(0, 2).join("."));
  const isFailed = node?.step === "failed", failed = isFailed ? `${node.number}.${node.attempt}` : "";
  const last = folds.at(-1)?.key;
  const count = folds.reduce((sum, fold) => sum + fold.last, 0);
  return html`<section aria-label="log" id="log"><h2>Log <span class="dim">${isFollowed && !isFailed ? "followed" : ""}</span>
      <span class="head-space"></span><code>reeve logs ${cluster}/${name}</code><${Copy} text=${`reeve logs ${cluster}/${name} -F`} what="copy the command"/></h2>
    <${ProblemNote} problem=${problem}/>
    ${!isRead && !problem && html`<p class="dim">loading ...${count > 0 ? ` ${count} lines so far` : ""}</p>`}
    ${isRead && folds.length === 0 && !problem && html`<${Empty} title="No stage has any output.">Output appears here while it is written; the manager that runs the stages stores it.</${Empty}>`}
    ${folds.map((fold) => html`<${FoldView} key=${fold.key} fold=${fold} count=${fold.last} name=${stages[fold.stage] ?? `stage ${fold.stage}`} marked=${marked.startsWith(`${fold.key}.`) ? Number(marked.split(".")[2]) : 0}
      isOpen=${fold.key === last && node?.step !== "bootstrapped"} error=${isRead && fold.key === failed ? fold.errorOf(node.why ?? "") : 0} word=${fold.key === failed ? "failed here" : ""}/>`)}</section>`;
}
