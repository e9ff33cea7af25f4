// The heat map as a part of a page: keys, pointer, what is spoken, the little note at the cell.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../app/html.js";
import { useKeys } from "../app/keys.js";
import { go } from "../app/router.js";
import { fleet, fleetWatch } from "../data/store.js";
import { problemOf, stateText } from "../data/facts.js";
import { HeatMap } from "./heatmap.js";
import { NodeState, rowHref } from "./nodes.js";

function words(row) {
  return `${fleet.names[row]}, ${stateText(row)}, ${fleet.text("cluster", row)}/${fleet.text("group", row)}${
    fleet.text("zone", row) ? `, zone ${fleet.text("zone", row)}` : ""}${problemOf(row)?.cause ? `: ${problemOf(row).cause}` : ""}`;
}

/** Which batch it is in: the canary goes before the first one. */
function batchText(number, { canary, batch } = {}) {
  if (!batch || number < 0) return "";
  if (number === 0) return canary === 1 ? ", the canary" : `, of the canary of ${canary}`;
  return batch === 1 ? "" : `, batch ${number}`;
}

function Tip({ row, x, y, width, more }) {
  if (row < 0 || !fleet.isThere(row)) return null;
  return html`<div class="map-tip" style=${{ left: `${Math.min(x + 14, Math.max(0, width - 220))}px`, top: `${y + 18}px` }}>
    <b>${fleet.names[row]}</b><br/><${NodeState} row=${row}/><br/>
    <span class="dim">${fleet.text("cluster", row)}/${fleet.text("group", row)} ${fleet.text("zone", row)}${more}</span>${problemOf(row)?.cause && html`<br/>${problemOf(row).cause}`}</div>`;
}

/** options: {by, only, cluster, group, chosen, word, classes, batches}; chosen are words of states, only is the one class that is
 * shown in full, batches of one cluster alone:
 * {of(group) gives {canary, batch} or nothing, version}. */
export function FleetMap({ options }) {
  const canvas = useRef(null), map = useRef(null);
  const [tip, tipSet] = useState({ row: -1 });
  const [spoken, spokenSet] = useState("");
  const wanted = JSON.stringify([options.by, options.only, options.cluster, options.group, [...options.chosen], options.word, options.version, options.batches?.version]);
  useEffect(() => {
    const one = map.current = new HeatMap(canvas.current, () => fleet);
    const leave = fleetWatch((what, row, moved) => (what === "all" ? one.placesMake() : one.rowChanged(row, moved)));
    let width = 0;
    const sized = new ResizeObserver(() => {
      if (canvas.current?.clientWidth !== width) {
        width = canvas.current?.clientWidth ?? 0;
        one.placesMake();
      }
    });
    sized.observe(canvas.current.parentElement);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const recolour = () => {
      one.coloursRead();
      one.paintAll();
    };
    const shown = () => { if (!document.hidden) one.frameWant(); };
    scheme.addEventListener("change", recolour);
    document.addEventListener("visibilitychange", shown);
    return () => {
      leave();
      sized.disconnect();
      scheme.removeEventListener("change", recolour);
      document.removeEventListener("visibilitychange", shown);
      one.end();
    };
  }, []);
  useEffect(() => map.current.optionsSet(options), [wanted]);
  const batchOf = (row) => batchText(map.current?.batches?.[row] ?? -1, row < 0 ? undefined : options.batches?.of(fleet.text("group", row)));
  function show(row) {
    if (row < 0) return;
    const [x, y] = map.current.corner(row);
    tipSet({ row, x, y });
    spokenSet(words(row) + batchOf(row));
    scrollIntoSight(canvas.current, y);
  }
  const open = () => map.current.at >= 0 && fleet.isThere(map.current.at) && go(rowHref(map.current.at));
  function problem(direction) {
    const row = map.current.problem(direction);
    canvas.current.focus({ preventScroll: true });
    if (row < 0) spokenSet("no machine has a problem");
    show(row);
  }
  useKeys([["n", "next problem", () => problem(1)], ["p", "problem before", () => problem(-1)]]);
  function key(event) {
    if (event.key.startsWith("Arrow")) show(map.current.step(event.key));
    else if (event.key === "Enter") open();
    else if (event.key === "Escape") tipSet({ row: map.current.point(-1) });
    else return;
    event.preventDefault();
  }
  function rowOf(event) {
    return map.current.rowAt(event.offsetX, event.offsetY);
  }
  return html`<div class="map data-map">
    <canvas ref=${canvas} tabindex="0" role="application" aria-label="machines by zone and group; arrow keys go through them, n to the next problem, Enter opens one"
      aria-describedby="map-spoken" onKeyDown=${key} onMouseLeave=${() => tipSet({ row: -1 })}
      onMouseMove=${(event) => tipSet({ row: rowOf(event), x: event.offsetX, y: event.offsetY })}
      onClick=${(event) => { const row = rowOf(event); if (row >= 0) go(rowHref(row)); }}></canvas>
    <${Tip} ...${tip} more=${batchOf(tip.row)} width=${canvas.current?.clientWidth ?? 0}/>
    <p id="map-spoken" class="unseen" aria-live="polite">${spoken}</p></div>`;
}

/** The canvas is taller than the window where there are very many. */
function scrollIntoSight(canvas, y) {
  const top = canvas.getBoundingClientRect().top + y;
  if (top < 80 || top > innerHeight - 60) scrollBy({ top: top - innerHeight / 2 });
}
