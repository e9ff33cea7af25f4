// One machine: what it is, how it came about, what its stages wrote, what was decided about it and why.
import { useEffect, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { useKeys } from "../app/keys.js";
import { href } from "../app/router.js";
import { ask, may, Problem, scopes } from "../data/api.js";
import { clusters, eventsWatch, fleet, fleetWatch, groups, nodesTick } from "../data/store.js";
import { canRepair as canRepairState, canRetry as canRetryState, desiredOf, isOutdated, isReplaceable, problemOf, stateOf } from "../data/facts.js";
import { Next, RetryDialog } from "../parts/incidents.js";
import { StatusStrip } from "../parts/history.js";
import { LaterDialog } from "../parts/later.js";
import { mediansOf, stagesOf, Timeline, withState } from "../parts/life.js";
import { Log } from "../parts/log.js";
import { NodeState, rowHref } from "../parts/nodes.js";
import { Button, Copy, Empty, Note, ProblemNote, When } from "../parts/parts.js";
import { Configuration, NodeJobDialog } from "../parts/verify.js";
import { because } from "./events.js";

const REPORT_MS = 100, PEERS_EVENTS = 1000, PEERS_MAX = 5000;
const STEPS = { keys: "its keys are being written", keyed: "keyed", facts: "receives the facts of the others", bootstrapped: "bootstrapped", failed: "failed" };

/** "stage 2 of 3, join, attempt 2": where its bootstrap is. */
export function stepText(node, stages) {
  const step = node?.step ?? ""; // there is none before the first one
  if (!node) return "";
  const number = step.startsWith("stage") ? Number(step.split("-")[1]) : node.number;
  const stage = Number.isInteger(number) ? `stage ${number + 1}${stages.length ? ` of ${stages.length}` : ""}${stages[number] ? `, ${stages[number]}` : ""}` : "";
  const attempt = node.attempt > 1 ? `, attempt ${node.attempt}` : "";
  return step.startsWith("stage") ? `${stage}${attempt}` : [STEPS[step] ?? step, stage && `in ${stage}${attempt}`].filter(Boolean).join(" ");
}

/** Labels of its group, and of its cluster where the group has none of that name. */
function labelsOf({ metadata, status }) {
  const own = clusters.value.find((one) => one.metadata.name === metadata.cluster), group = groups.value.find((one) => one.metadata.cluster === metadata.cluster && one.metadata.name === status.group);
  const labels = Object.entries({ ...own?.metadata.labels ?? own?.spec?.labels, ...group?.metadata.labels ?? group?.spec?.labels });
  return labels.length > 0 && html`<span class="chips">${labels.map(([key, value]) => html`<span key=${key} class="chip">${key}=${String(value)}</span>`)}</span>`;
}

/** What the state of a node is, since when, why, what comes next and when. */
function Sentence({ row, object, stages, why }) {
  const name = fleet.names[row], state = stateOf(row), problem = problemOf(row), node = object?.status.node;
  if (problem) {
    return html`<${Note} kind="bad" title=${html`${name} is <${NodeState} row=${row}/>${problem.since > 0 && html`, since <${When} at=${problem.since}/>`}`}>
      <p class="cause">${problem.cause || "no reason was reported"}</p><${Next} ...${problem}/></${Note}>`;
  }
  const text = state === "starting" && node?.step ? stepText(node, stages) : state === "creating" ? object?.status.cause || "its provider creates it" : state === "leaving" ? object?.status.reason?.replaceAll("_", " ") : "";
  return html`<p class="sentence">${name} is <${NodeState} row=${row}/>${text && `: ${text}`}${node?.since && state !== "ready" && html`, since <${When} at=${node.since}/>`}
    ${why?.slot?.verb && html`. Its stages wait for ${why.slot.waitsFor}, since <${When} at=${why.slot.since}/>; ${why.slot.next}`}${isOutdated(row) && (why?.slot ? html`. It waits for ${why.slot.waitsFor}, since <${When} at=${why.slot.since}/>; ${why.slot.next}` : ". The desired state has another generation, or other stages")}</p>`;
}

/** Another machine has the same name while it takes the place of this one, or this one its place. */
function Twins({ cluster, row }) {
  const others = fleet.allNamed(cluster, fleet.names[row]).filter((one) => one !== row);
  return others.length > 0 && html`<${Note} title=${others.length === 1 ? "Two machines have this name." : `${others.length + 1} machines have this name.`}><ul>${others.map((one) => html`
    <li key=${fleet.ids[one]}><a href=${rowHref(one)}>${fleet.names[one]}, ${fleet.ids[one]}</a> <${NodeState} row=${one}/></li>`)}</ul></${Note}>`;
}

function recordOf({ metadata, status }) {
  const since = status.made ? html`<${When} at=${status.made}/>` : "";
  return [["group", html`<a href=${href(["groups", metadata.cluster, ...status.group.split("/")])}>${metadata.cluster}/${status.group}</a>`],
    ["labels", labelsOf({ metadata, status })], ["because", status.reason?.replaceAll("_", " ")], ["tries", status.tries],
    ["machine", status.id && html`${status.id} <${Copy} text=${status.id} what="copy the machine's id"/>`], ["plugin", status.plugin],
    ["address", status.address && html`${status.address} <${Copy} text=${status.address} what="copy the address"/>`],
    ["login", status.user && html`<code>reeve ssh ${metadata.cluster}/${metadata.name}</code> <${Copy} text=${`reeve ssh ${metadata.cluster}/${metadata.name}`} what="copy the command"/>`],
    ["zone", status.zone], ["image", status.image && html`${status.image} <${Copy} text=${status.image} what="copy the image"/>`], ["slot", status.slot], ["made", since], ["generation", status.generation && html`${status.generation} <${Copy} text=${status.generation} what="copy the generation"/>`], ["protected", status.protected && "yes"],
    ["token", html`${metadata.id} <${Copy} text=${metadata.id} what="copy the token"/>`]].filter(([, value]) => value !== undefined && value !== "" && value !== false);
}

/** Signals, each with the word, since when, and what was said: conditions. */
function conditionsOf({ metadata, status }, stages) {
  const node = status.node;
  const rows = [["machine", status.state === "active" ? ["ready", "runs"] : status.state === "delete" ? ["leaving", "is being removed"] : status.fault ? ["refused", status.fault] : ["creating", "is being created"], status.state === "create" ? status.cause : ""]];
  if (status.unhealthy) rows.push(["probe", ["unhealthy", "fails"], status.cause]);
  else if (status.unreachable) rows.push(["probe", ["unreachable", "does not reach the machine"], status.cause]);
  else if (status.starting && !node) rows.push(["probe", ["starting", "not ready yet"], ""]);
  if (node?.step || node?.why) rows.push(["bootstrap", [node.step === "failed" ? "failed" : node.step === "bootstrapped" ? "ready" : "starting", stepText(node, stages) || "waits"], [node.why, node.code !== undefined && `exit ${node.code}`, node.end].filter(Boolean).join(" · "), node.since]);
  if (node?.revoked) rows.push(["keys", ["unhealthy", "revoked"], `by ${node.revoked.by}`, node.revoked.at]);
  if (status.alarm) {
    const command = `reeve describe node ${metadata.cluster}/${metadata.name}`;
    rows.push(["host key", ["unhealthy", "not the expected one"], html`${status.alarm} <span class="dim">if that is correct: <code>${command}</code></span> <${Copy} text=${command} what="copy the command"/>`]);
  }
  return rows;
}

/** A number that is another one when something was reported of the machine: its record, its steps, an event of it. */
function useReportTick(cluster, name, token) {
  const [tick, tickSet] = useState(0);
  useEffect(() => {
    let timer = 0;
    const onReport = () => {
      timer ||= setTimeout(() => {
        timer = 0;
        tickSet((before) => before + 1);
      }, REPORT_MS);
    };
    const leave = [fleetWatch((what, row) => { if (what === "all" || fleet.ids[row] === token) onReport(); }),
      eventsWatch((events) => { if (!events || events.some((event) => event.name === cluster && event.node === name)) onReport(); })];
    return () => {
      leave.forEach((one) => one());
      clearTimeout(timer);
    };
  }, [cluster, name, token]);
  return tick;
}

/** Events of the cluster since a revision: of the machines that were made at about the same time. Those that come are added. */
function usePeers(cluster, begun) {
  const [peers, peersSet] = useState(null);
  useEffect(() => {
    if (begun === undefined) return undefined;
    const known = new Map();
    let timer = 0;
    const take = (events) => {
      for (const event of events) if (event.name === cluster && known.size < PEERS_MAX) known.set(event.number, event);
      timer ||= setTimeout(() => {
        timer = 0;
        peersSet([...known.values()].sort((a, b) => a.number - b.number));
      }, REPORT_MS);
    };
    const leave = eventsWatch((events) => { if (events) take(events); });
    ask("GET", scopes() ? `/v1/events?cluster=${encodeURIComponent(cluster)}&last=${PEERS_EVENTS}` : `/v1/events?after=${Math.max(0, begun - 1)}&limit=${PEERS_EVENTS}`).then(({ items }) => take(items), () => {});
    return () => {
      leave();
      clearTimeout(timer);
    };
  }, [cluster, begun]);
  return peers;
}

/** What is asked of the manager about one machine, asked again when something is reported of it. object, why: undefined while they are
 * asked for, null where there is none. `subject` is its name, or its token where two have that name. */
function useNode(cluster, subject, row) {
  const [found, foundSet] = useState({});
  const token = row < 0 ? "" : fleet.ids[row], name = row < 0 ? subject : fleet.names[row];
  const reportTick = useReportTick(cluster, name, token);
  const step = found.object?.status.node?.step;
  useEffect(() => {
    let isOver = false;
    const query = `cluster=${encodeURIComponent(cluster)}`;
    const part = row >= 0 && !may("viewer", cluster) ? `&group=${encodeURIComponent(fleet.text("group", row))}` : ""; // a right to the group alone
    async function look() {
      const [object, why] = await Promise.all([token ? ask("GET", `/v1/resources/${encodeURIComponent(token)}?${query}${part}`).catch(() => null) : null,
        ask("GET", `/v1/why?${query}&name=${encodeURIComponent(subject)}`).catch((error) => error)]);
      const former = why.hasPrevious ? await ask("GET", `/v1/why?${query}&name=${encodeURIComponent(subject)}&previous=1`).catch(() => null) : null;
      if (isOver) return;
      foundSet((before) => ({ ...before, object, formerSteps: former?.steps ?? [], why: why instanceof Error ? null : why, problem: why instanceof Problem && why.status !== 404 ? why : null }));
    }
    look();
    return () => { isOver = true; };
  }, [cluster, subject, token, reportTick]);
  const peers = usePeers(cluster, found.why?.steps?.find(({ type }) => type === "machine.wanted")?.revision);
  const hasFacts = step === "bootstrapped" || step?.startsWith("stage"); // they are there before the first stage begins
  useEffect(() => {
    if (!hasFacts) return;
    ask("GET", `/v1/clusters/${encodeURIComponent(cluster)}/facts?node=${encodeURIComponent(subject)}`)
      .then((facts) => foundSet((before) => ({ ...before, facts: facts[name] ?? facts })), () => {});
  }, [cluster, subject, hasFacts]);
  return { ...found, peers, token };
}

/** Names of the stages of its group, in their order. */
function useStages(cluster, group) {
  const [names, namesSet] = useState([]);
  const revision = groups.value.find(({ metadata }) => metadata.cluster === cluster && metadata.name === group)?.metadata.revision;
  useEffect(() => {
    if (!group) return;
    ask("GET", `/v1/clusters/${encodeURIComponent(cluster)}?view=effective`).then((reply) => {
      const list = reply.groups?.find(({ path }) => path === group)?.values.find(({ path }) => path === "bootstrap")?.value;
      namesSet(Array.isArray(list) ? list.map(({ bundle }, at) => bundle?.split("@")[0] || `stage ${at}`) : []);
    }, () => {});
  }, [cluster, group, revision]);
  return names;
}

function Why({ why }) {
  if (!why) return null;
  const inputs = Object.entries(why.inputs ?? {});
  return html`<section aria-label="why"><h2>Why</h2>
    <${Note} title=${[why.act, why.rule?.replaceAll("_", " ")].filter(Boolean).join(" · ")}><p>${why.says}</p>${why.fact && html`<p class="dim">${why.fact}</p>`}</${Note}>
    ${inputs.length > 0 && html`<details class="below"><summary>what the rule had before it</summary><dl class="facts">${inputs.flatMap(([part, values]) => Object.entries(values ?? {}).map(([name, value]) => html`
      <dt>${part}.${name}</dt><dd>${String(value)}</dd>`))}</dl></details>`}</section>`;
}

/** Values of a tree, each with its path. */
function leaves(value, path = "") {
  if (value === null || typeof value !== "object") return [[path, String(value)]];
  return Object.entries(value).flatMap(([key, one]) => leaves(one, path ? `${path}.${key}` : key));
}

const LOADING = html`<p class="dim">loading ...</p>`;

/** Conditions, record and events of a machine, each as far as it was answered. */
function Conditions({ object, isThere, stages }) {
  return html`<section aria-label="conditions"><h2>Conditions</h2>${object ? html`<ul class="steps data conditions">${conditionsOf(object, stages).map(([what, [word, text], cause, since]) => html`<li key=${what}>
        <span class="dim">${what}</span><span class="state"><i class=${`swatch is-${word}`} aria-hidden="true"></i>${text}</span><span>${cause} ${since && html`<span class="dim"><${When} at=${since}/></span>`}</span></li>`)}</ul>`
    : object === undefined || isThere ? LOADING : html`<p class="dim">The machine no longer exists; its events are stored.</p>`}</section>`;
}

function Steps({ steps, isAsked }) {
  return html`<section aria-label="events"><h2>Events</h2>${isAsked ? LOADING : steps.length === 0 ? html`<p class="dim">No events of it are stored.</p>` : html`<ol class="steps data">${[...steps].sort((a, b) => b.number - a.number).map((step) => html`<li key=${step.number}>
    <span class="dim"><${When} at=${step.time}/></span><span>${step.type}</span><span>${because(step)}</span></li>`)}</ol>`}</section>`;
}

export function Node({ parts: [, cluster, asked] }) {
  nodesTick.value;
  const [dialog, dialogSet] = useState("");
  const row = fleet.find(cluster, asked), isThere = fleet.isThere(row);
  const name = isThere ? fleet.names[row] : asked;
  const subject = isThere && fleet.allNamed(cluster, name).length > 1 ? fleet.ids[row] : name;
  const { object, why, formerSteps = [], problem, token, peers, facts } = useNode(cluster, subject, row);
  const group = isThere ? fleet.text("group", row) : object?.status.group ?? why?.group;
  const stages = useStages(cluster, object?.status.node || object?.status.starting ? group : "");
  const steps = why?.steps ?? [];
  const isTended = stages.length > 0 || object?.status.node !== undefined;
  const isOperator = may("operator", cluster, group ?? "");
  const canRetry = isOperator && isThere && canRetryState(stateOf(row));
  const canRepair = isOperator && isThere && canRepairState(stateOf(row));
  const canLeave = isOperator && isReplaceable(row) && fleet.text("plugin", row).split("/")[0] === "inventory";
  const canVerify = isOperator && isThere && object?.status.node?.step === "bootstrapped";
  const isOut = stateOf(row) === "maintenance";
  const canDrain = isOperator && isThere && object?.status.node !== undefined && (isOut || ["ready", "drifted"].includes(stateOf(row)));
  const isDrifted = canVerify && object.status.node.verified?.verdict === "drifted";
  useKeys([["l", "to the log", () => document.querySelector("#log")?.scrollIntoView()], ["t", "to the top", () => scrollTo(0, 0)],
    ...(canRepair ? [["r", "repair it", () => dialogSet("RepairDialog")]] : canRetry ? [["r", "try again", () => dialogSet("retry")]] : []), ...(canVerify ? [["v", "verify it", () => dialogSet("verify")]] : []),
    ...(isDrifted ? [["c", "correct it", () => dialogSet("correct")]] : []),
    ...(canDrain ? [["d", isOut ? "return it to service" : "drain it", () => dialogSet(isOut ? "undrain" : "drain")]] : [])], [canRepair, canRetry, canVerify, isDrifted, canDrain, isOut]);
  if (!isThere && why === null) {
    return html`<${Empty} title=${`Nothing is known of ${cluster}/${name}.`}><p><a href=${href(["clusters", cluster])}>The cluster</a></p></${Empty}>`;
  }
  const isAsked = why === undefined && !problem;
  const life = stagesOf(steps, token || why?.token);
  return html`<div class="head"><h1><a class="crumb" href=${href(["clusters", cluster])}>${cluster} /</a> ${name}</h1><${Copy} text=${`${cluster}/${name}`} what="copy the name"/>
      ${isThere ? html`<${NodeState} row=${row}/>` : html`<span class="dim">${isAsked ? "loading ..." : "gone"}</span>`}<span class="head-space"></span>
      ${canRetry && html`<${Button} onClick=${() => dialogSet("retry")}>Try again</${Button}>`}
      ${canVerify && html`<${Button} onClick=${() => dialogSet("verify")}>Verify</${Button}>`}${isDrifted && html`<${Button} onClick=${() => dialogSet("correct")}>Correct</${Button}>`}
      ${canDrain && html`<${Button} onClick=${() => dialogSet(isOut ? "undrain" : "drain")}>${isOut ? "Undrain" : "Drain"}</${Button}>`}
      ${canRepair && html`<${Button} onClick=${() => dialogSet("RepairDialog")}>Repair</${Button}>`}${canLeave && html`<${Button} onClick=${() => dialogSet("DecommissionDialog")}>Decommission</${Button}>`}
      ${isOperator && isReplaceable(row) && html`<${Button} onClick=${() => dialogSet("RebootDialog")}>Reboot</${Button}><${Button} onClick=${() => dialogSet("ReplaceDialog")}>Replace</${Button}>`}
      <code>reeve why ${cluster}/${name}</code><${Copy} text=${`reeve why ${cluster}/${name}`} what="copy the command"/></div>
    <${ProblemNote} problem=${problem}/>
    ${isThere && html`<${Sentence} row=${row} object=${object} stages=${stages} why=${why}/><${Twins} cluster=${cluster} row=${row}/>`}
    <div class="two"><section aria-label="life"><h2>Life</h2>${isThere && html`<${StatusStrip} steps=${steps} token=${token} word=${stateOf(row)}/>`}${problem ? html`<p class="dim">The machine cannot be shown: see the message above.</p>` : html`<${Timeline} stages=${isThere ? withState(life, stateOf(row), problemOf(row)?.since) : life} medians=${peers && group && mediansOf(peers, group)} isAsked=${isAsked}/>`}</section>
      <${Conditions} object=${object} isThere=${isThere} stages=${stages}/></div>
    ${isTended && html`<${Log} cluster=${cluster} name=${subject} stages=${stages} node=${object?.status.node}/>`}
    <div class="two"><div><section aria-label="record"><h2>Record</h2>${object ? html`<dl class="facts data">${recordOf(object).map(([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`)}${why?.machine?.roles?.length > 0 && html`<dt>roles</dt><dd class="chips">${why.machine.roles.map((role) => html`<span key=${role} class="chip">${role}</span>`)}</dd>`}</dl>`
        : object === undefined || isThere ? LOADING : html`<p class="dim">none</p>`}</section>
      ${facts && html`<section aria-label="facts"><h2>Facts <span class="dim">of itself</span></h2><dl class="facts data">${leaves(facts).map(([key, value]) => html`<dt key=${key}>${key}</dt><dd>${value}</dd>`)}</dl></section>`}</div>
      <div><${Configuration} desired=${isThere && desiredOf(cluster, group)} isOutdated=${isThere && isOutdated(row)} node=${object?.status.node}/><${Why} why=${why}/>${!problem && html`<${Steps} steps=${[...formerSteps, ...steps]} isAsked=${isAsked}/>`}</div></div>
    ${dialog === "retry" && html`<${RetryDialog} subject=${`${cluster}/${group}`} onClose=${() => dialogSet("")}/>`}
    ${["verify", "correct", "drain", "undrain"].includes(dialog) && html`<${NodeJobDialog} verb=${dialog} cluster=${cluster} group=${group} name=${name} onClose=${() => dialogSet("")}/>`}
    ${dialog.endsWith("Dialog") && html`<${LaterDialog} name=${dialog} rows=${[row]} onClose=${() => dialogSet("")}/>`}`;
}
