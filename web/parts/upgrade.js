// Another revision of the configuration of a group: its stages run in the batches of its rollout.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { ask } from "../data/api.js";
import { asProblem, ChangeDialog, MERGE, pathOf, quoted } from "./change.js";
import { Field, Note, ProblemNote } from "./parts.js";

const numberOf = (revision) => Number(revision.split("@r")[1]);

/** Revisions of the configuration, the newest first; null: not known yet. */
function useRevisions(name) {
  const [found, foundSet] = useState({});
  useEffect(() => {
    let isOver = false;
    ask("GET", `/v1/configs/${encodeURIComponent(name)}`).then(
      ({ revisions }) => { if (!isOver) foundSet({ list: revisions.map(({ revision }) => revision).sort((a, b) => numberOf(b) - numberOf(a)) }); },
      (error) => { if (!isOver) foundSet({ problem: asProblem(error) }); });
    return () => { isOver = true; };
  }, [name]);
  return found;
}

const SHARE = /^\d+%?$/, NUMBER = /^\d+$/, TIME = /^(\d+(ms|s|m|h|d))+$/;
const UNITS = { ms: 1, s: 1000, m: 60000, h: 3600000, d: 86400000 };

/** "1h30m" in milliseconds. */
const msOf = (text) => [...text.matchAll(/(\d+)(ms|s|m|h|d)/g)].reduce((sum, [, number, unit]) => sum + Number(number) * UNITS[unit], 0);

// Limits of one upgrade: the flag, what it is called, what a value looks like, and its member of the request.
const LIMITS = [["batch", "At once", SHARE, "2 or 10%", (text) => ({ batch: text })], ["canary", "Canaries", NUMBER, "1", (text) => ({ canary: Number(text) })],
  ["bake", "Bake", TIME, "10m", (text) => ({ bakeMs: msOf(text) })], ["max-fail", "Failures", SHARE, "1 or 5%", (text) => ({ maxFail: text })],
  ["pause-between", "Pause between batches", TIME, "1m", (text) => ({ pauseMs: msOf(text) })]];

/** The limits that were typed: their flags, and the parameter `batching`. isWrong: one of them has no such value. */
function limitsOf(typed) {
  const given = LIMITS.filter(([flag]) => typed[flag]?.trim());
  const body = Object.assign({}, ...given.map(([flag, , , , memberOf]) => memberOf(typed[flag].trim())));
  return { isWrong: given.some(([flag, , pattern]) => !pattern.test(typed[flag].trim())), flags: given.map(([flag]) => ` --${flag} ${quoted(typed[flag].trim())}`).join(""), batching: given.length ? JSON.stringify(body) : "" };
}

/** Limits of this upgrade alone, and what happens to a node whose stages fail. */
function Limits({ typed, onType }) {
  return html`<details class="below"><summary>Limits of this upgrade alone</summary>
    <p class="dim">They only tighten the rollout policy of the group. Its value applies where a field is empty.</p>
    <div class="pair">${LIMITS.map(([flag, label, pattern, example]) => html`<${Field} key=${flag} name=${flag} label=${label} placeholder=${example} value=${typed[flag] ?? ""} aria-invalid=${Boolean(typed[flag]?.trim()) && !pattern.test(typed[flag].trim())}
      onInput=${(event) => onType({ ...typed, [flag]: event.currentTarget.value })}/>`)}</div></details>`;
}

/** current: the revision that the group has, "web@r1". */
export function UpgradeDialog({ cluster, group, current, onClose }) {
  const subject = `${cluster}/${group}`, path = `/v1/nodegroups/${pathOf(subject)}`;
  const { list, problem } = useRevisions(current.split("@")[0]);
  const [chosen, chosenSet] = useState("");
  const [onFail, onFailSet] = useState("");
  const [typed, typedSet] = useState({});
  const wanted = chosen || list?.[0];
  const { isWrong, flags, batching } = limitsOf(typed);
  const change = wanted && !isWrong ? { method: "PATCH", path, pinAt: path, type: MERGE, query: { batching }, body: { configuration: wanted, ...(onFail ? { rollout: { onFail } } : {}) },
    command: `reeve upgrade ${quoted(subject)} --config ${quoted(wanted)}${onFail ? ` --on-fail ${onFail}` : ""}${flags}` } : null;
  return html`<${ChangeDialog} title=${`Upgrade ${subject}`} change=${change} onClose=${onClose} deed=${() => `Upgrade to ${wanted ?? "another revision"}`}>
    <p>The stages of the revision run on its machines in the batches of its rollout: canary, batch, bake and maxFail apply. It can be undone.</p>
    ${list && html`<label class="field"><span>Revision (now ${current})</span><select class="select" name="revision" value=${wanted} onChange=${(event) => chosenSet(event.currentTarget.value)}>
      ${list.map((one) => html`<option key=${one} value=${one}>${one}${one === list[0] ? ", the newest" : ""}${one === current ? ", as it is" : ""}</option>`)}</select></label>`}
    <label class="field"><span>A node whose stages fail</span><select class="select" name="onFail" value=${onFail} onChange=${(event) => onFailSet(event.currentTarget.value)}>
      <option value="">as the group says</option><option value="keep">stays as it is (keep)</option><option value="revert">runs its previous revision again (revert)</option><option value="clean">is cleaned up and returned (clean)</option></select></label>
    <${Limits} typed=${typed} onType=${typedSet}/>
    ${wanted && wanted === current && html`<${Note} title="The group has this revision already."/>`}
    <${ProblemNote} problem=${problem}/></${ChangeDialog}>`;
}
