// Another revision of the configuration of a group: its stages run in the batches of its rollout.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { ask } from "../data/api.js";
import { asProblem, ChangeDialog, MERGE, pathOf, quoted } from "./change.js";
import { Note, ProblemNote } from "./parts.js";

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

/** current: the revision that the group has, "web@r1". */
export function UpgradeDialog({ cluster, group, current, onClose }) {
  const subject = `${cluster}/${group}`, path = `/v1/nodegroups/${pathOf(subject)}`;
  const { list, problem } = useRevisions(current.split("@")[0]);
  const [chosen, chosenSet] = useState("");
  const wanted = chosen || list?.[0];
  const change = wanted ? { method: "PATCH", path, pinAt: path, type: MERGE, body: { configuration: wanted }, command: `reeve upgrade ${quoted(subject)} --config ${quoted(wanted)}` } : null;
  return html`<${ChangeDialog} title=${`Upgrade ${subject}`} change=${change} onClose=${onClose} deed=${() => `Upgrade to ${wanted ?? "another revision"}`}>
    <p>The stages of the revision run on its machines in the batches of its rollout: canary, batch, bake and maxFail apply. It can be undone.</p>
    ${list && html`<label class="field"><span>Revision (now ${current})</span><select class="select" name="revision" value=${wanted} onChange=${(event) => chosenSet(event.currentTarget.value)}>
      ${list.map((one) => html`<option key=${one} value=${one}>${one}${one === list[0] ? ", the newest" : ""}${one === current ? ", as it is" : ""}</option>`)}</select></label>`}
    ${wanted && wanted === current && html`<${Note} title="The group has this revision already."/>`}
    <${ProblemNote} problem=${problem}/></${ChangeDialog}>`;
}
