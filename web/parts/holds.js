// Holds: what reeve will not do without somebody, with what can be said to it.
import { useState } from "preact/hooks";
import { html } from "../app/html.js";
import { href } from "../app/router.js";
import { may } from "../data/api.js";
import { PAUSED } from "../data/facts.js";
import { Button, When } from "./parts.js";
import { SayDialog } from "./say.js";

// Rules that wait for an answer, as src/plan/advice.def says (tests/web compares); the others go with their reason.
export const ANSWERED = ["common_cause", "listing_brake", "quarantine", "roll_failed", "rollout", "self_suspicion", "store_went_back", "unpinned"];

export function subjectOf({ metadata: { cluster, group } }) {
  return group ? `${cluster}/${group}` : cluster;
}

function wouldText({ wouldCreate, wouldDestroy }) {
  return [wouldDestroy > 0 && `would destroy ${wouldDestroy}`, wouldCreate > 0 && `would create ${wouldCreate}`].filter(Boolean).join(", ");
}

/** Who has set it, when, why and until when; one of the cluster says so where it holds up a group. */
function Pause({ pause, subject }) {
  return html`<div>${pause.of !== subject && html`${pause.of} `}paused${pause.by && html` by <b>${pause.by}</b>, <${When} at=${pause.at}/>`}
    ${pause.until && ` until ${pause.until}`}${pause.why && `: ${pause.why}`}</div>`;
}

/** The buttons by which a hold is answered, each with its dialog. */
export function Answers({ hold }) {
  const [word, wordSet] = useState("");
  const { status } = hold;
  const subject = subjectOf(hold);
  const words = status.rule === PAUSED ? [["resume", "Resume"]] : ANSWERED.includes(status.rule) ? [["reject", "Reject"], ["approve", "Approve"]] : [];
  const title = words.find(([one]) => one === word)?.[1] ?? "";
  if (!may("operator", hold.metadata.cluster, hold.metadata.group ?? "") || !words.length) return null;
  return html`${words.map(([one, text]) => html`<${Button} key=${one} onClick=${() => wordSet(one)} aria-label=${`${text} ${subject} ${status.rule}`}>${text}</${Button}>`)}
    ${word && html`<${SayDialog} word=${word} subject=${subject} rule=${word === "resume" ? "" : status.rule}
      title=${`${title} ${word === "resume" ? subject : status.rule.replaceAll("_", " ")}`} says=${`${status.why}. ${status.advice ?? ""}`} onClose=${() => wordSet("")}/>`}`;
}

export function Hold({ hold, isNamed = true }) {
  const { status } = hold;
  const subject = subjectOf(hold);
  return html`<div class="need">
    <div>${isNamed && html`<a class="name" href=${href(["clusters", hold.metadata.cluster])}>${subject}</a>${" "}`}
      <b>${status.rule.replaceAll("_", " ")}</b>${" "}${wouldText(status) && html`<span>· ${wouldText(status)}</span>`}
      <div class="dim">${status.why}${status.fact && status.fact !== status.why ? `: ${status.fact}` : ""}${status.since && html`, since <${When} at=${status.since}/>`}</div>
      ${status.pauses?.map((one) => html`<${Pause} pause=${one} subject=${subject}/>`)}
      ${status.advice && html`<div>${status.advice}</div>`}</div>
    <div class="need-do"><${Answers} hold=${hold}/></div>
  </div>`;
}
