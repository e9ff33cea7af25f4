// The heat map: one cell a machine, by zone and group, painted on a canvas. There is no element for a machine, and a
// change of one paints one cell; everything is painted anew only when places, size, colours or filters change.
//
//     row of the fleet -> block (zone, cluster, group) -> place in the block -> x, y
import { isChosen } from "./nodes.js";
import { WORDS, PROBLEMS, FAILED, REFUSED, UNHEALTHY, UNREACHABLE, LEAVING } from "../data/words.js";

const SIZES = [17, 14, 12, 10, 8, 6, 5, 4], GAP = 1, WIDE_GAP = 3, EDGE = 1, BLOCK_GAP = 14, ZONE_GAP = 18, LABEL = 18, ZONE = 26;
const PULSE_MS = 600, PULSES_MAX = 400, PLACES_MS = 400, ASPECT = 2.4, LABEL_LETTER = 6.6, DIM = 0.14;
const GROUP_ROOM = 260; // pixels that the map of one group takes at most, where its cells can be that small
export const NO_TEXT = "none"; // a class without a name
const HUES = 9; // of colours for what has no order: revisions, plugins, groups

const collator = new Intl.Collator("en", { numeric: true });

/** The colour of the n-th of what has no order. */
export function classColour(number) {
  return `hsl(${(210 + number * 360 / HUES * 2) % 360} ${matchMedia("(prefers-color-scheme: dark)").matches ? "42% 52%" : "48% 48%"})`;
}

/** The class of each machine: by a column, or by what `say` knows of it ({ofRow(fleet, row), texts}) or of its group
 * ({numberOf(cluster, group), texts}). */
function classer(fleet, by, say) {
  if (say?.ofRow) return { of: (row) => say.ofRow(fleet, row), text: (number) => say.texts[number] };
  if (!say) {
    const column = by === "revision" ? "generation" : by;
    return { of: (row) => fleet[column][row], text: (number) => fleet.texts[column]?.list[number] ?? "" };
  }
  const known = new Map();
  const of = (row) => {
    const key = fleet.cluster[row] * 2 ** 20 + fleet.group[row];
    if (!known.has(key)) known.set(key, say.numberOf(fleet.text("cluster", row), fleet.text("group", row)));
    return known.get(key);
  };
  return { of, text: (number) => say.texts[number] };
}

/** How many machines there are of each class, the most first: counted anew, for who looks at it. */
export function classesByGroup(fleet, by, cluster, say) {
  const one = classer(fleet, by, say), counts = new Map();
  for (let row = 0; row < fleet.rows; row++) {
    if (!fleet.isThere(row) || (cluster && fleet.text("cluster", row) !== cluster)) continue;
    const number = one.of(row);
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return [...counts].map(([number, count]) => ({ number, text: one.text(number), count })).sort((a, b) => b.count - a.count);
}

/** Rows by block, in the order in which they are shown. */
function blocksMake(fleet, cluster, group) {
  const own = group ? fleet.texts.group.places.get(group) ?? -1 : -2;
  const only = cluster ? fleet.texts.cluster.places.get(cluster) ?? -1 : -2;
  const blocks = new Map();
  for (let row = 0; row < fleet.rows; row++) {
    if (!fleet.isThere(row) || (only !== -2 && fleet.cluster[row] !== only) || (own !== -2 && fleet.group[row] !== own)) continue;
    const key = `${fleet.zone[row]} ${fleet.cluster[row]} ${fleet.group[row]}`;
    let block = blocks.get(key);
    if (!block) {
      block = { zone: fleet.text("zone", row), cluster: fleet.text("cluster", row), group: fleet.text("group", row), rows: [] };
      blocks.set(key, block);
    }
    block.rows.push(row);
  }
  for (const block of blocks.values()) {
    const keys = new Map(block.rows.map((row) => [row, fleet.names[row]]));
    block.rows.sort((a, b) => collator.compare(keys.get(a), keys.get(b)));
  }
  return [...blocks.values()].sort((a, b) => collator.compare(a.zone, b.zone) || collator.compare(a.cluster, b.cluster) || collator.compare(a.group, b.group));
}

/** Blocks of one zone, one behind the other: [{zone, blocks}]. */
function zonesOf(blocks) {
  const zones = [];
  for (const block of blocks) {
    if (zones.at(-1)?.zone !== block.zone) zones.push({ zone: block.zone, blocks: [] });
    zones.at(-1).blocks.push(block);
  }
  return zones;
}

/** Put blocks beside each other from a point on, in lines that are so wide; returns where the last line ends below. */
function blocksFlow(blocks, left, top, width) {
  let x = left, y = top, line = 0;
  for (const block of blocks) {
    if (x > left && x + block.width > left + width) {
      y += line;
      x = left;
      line = 0;
    }
    Object.assign(block, { x, y });
    x += block.width + BLOCK_GAP;
    line = Math.max(line, block.height + BLOCK_GAP);
  }
  return y + line;
}

/** Give every zone and block its place for cells of this pitch; small zones stand beside each other. Returns the height. */
function blocksPlace(zones, width, pitch) {
  const head = zones.some(({ zone }) => zone) ? ZONE : 0;
  let x = 0, y = 0, below = 0;
  for (const one of zones) {
    for (const block of one.blocks) {
      const label = Math.min(width, `${block.cluster}/${block.group} ${block.rows.length}`.length * LABEL_LETTER);
      block.columns = Math.max(1, Math.min(Math.ceil(Math.sqrt(block.rows.length * ASPECT)), Math.floor(width / pitch)));
      block.width = Math.max(block.columns * pitch, label);
      block.height = LABEL + Math.ceil(block.rows.length / block.columns) * pitch;
    }
    const whole = one.blocks.reduce((sum, block) => sum + block.width + BLOCK_GAP, 0);
    if (x > 0 && x + whole > width) {
      y = below;
      x = 0;
    }
    Object.assign(one, { x, y });
    below = Math.max(below, blocksFlow(one.blocks, x, y + head, width - x));
    x += whole + ZONE_GAP;
  }
  return Math.max(40, below);
}

/** The batch of each row of groups that are replaced in batches: in the order of names, over all zones; a machine and the one
 * that takes its place have the same name. Others: -1. */
function batchesMake(fleet, blocks, say) {
  const numbers = new Int32Array(fleet.room).fill(-1);
  const groups = new Map();
  for (const block of say ? blocks : []) groups.set(block.group, [...groups.get(block.group) ?? [], ...block.rows]);
  for (const [group, rows] of groups) {
    const { canary, batch } = say.of(group) ?? {};
    if (!batch) continue;
    const keys = new Map(rows.map((row) => [row, fleet.names[row]]));
    const names = new Map([...new Set(keys.values())].sort(collator.compare).map((name, at) => [name, at]));
    for (const row of rows) {
      const at = names.get(keys.get(row)) - canary;
      numbers[row] = at < 0 ? 0 : batch === 1 ? 1 : 1 + Math.floor(at / batch); // one at a time: a line at each would say nothing
    }
  }
  return numbers;
}

export class HeatMap {
  /** @param {HTMLCanvasElement} canvas @param {() => object} fleetGet the fleet as it is now */
  constructor(canvas, fleetGet) {
    Object.assign(this, { canvas, fleetGet, blocks: [], zones: [], order: [], dirty: new Set(), pulses: new Map(), at: -1, painted: 0 });
    this.options = { by: "state", cluster: "", chosen: new Set(), word: "" };
    this.context = canvas.getContext("2d");
    this.isMoving = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    canvas.map = this; // for tests: what was painted
    this.coloursRead();
  }

  coloursRead() {
    const style = getComputedStyle(document.documentElement);
    const value = (name) => style.getPropertyValue(name).trim();
    this.states = WORDS.map((word) => value(`--is-${word}`));
    this.hues = null;
    this.isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.inks = { surface: value("--surface"), ink: value("--ink"), soft: value("--ink-soft"), accent: value("--accent"), mark: value("--mark") };
    this.sans = value("--sans");
  }

  optionsSet(options) {
    const isOther = options.cluster !== this.options.cluster || options.group !== this.options.group || options.batches?.version !== this.options.batches?.version;
    this.options = options;
    this.classes = null;
    this.hues = null;
    if (isOther || !this.order.length) this.placesMake();
    else this.paintAll();
  }

  /** Places of all cells, for the width that there is. */
  placesMake() {
    clearTimeout(this.placesTimer);
    this.placesTimer = 0;
    const fleet = this.fleetGet();
    const width = Math.floor(this.canvas.clientWidth);
    if (!width) return;
    this.blocks = blocksMake(fleet, this.options.cluster, this.options.group);
    this.classes = null;
    const room = this.options.group ? GROUP_ROOM : Math.max(340, innerHeight - 250);
    this.zones = zonesOf(this.blocks);
    this.batches = batchesMake(fleet, this.blocks, this.options.batches);
    this.gap = this.batches.some((number) => number >= 0) ? WIDE_GAP : GAP; // lines between cells need room
    this.size = SIZES.find((size) => blocksPlace(this.zones, width, size + this.gap) <= room) ?? SIZES.at(-1);
    const height = blocksPlace(this.zones, width, this.size + this.gap);
    this.order = this.blocks.flatMap(({ rows }) => rows);
    this.blockOf = new Int32Array(fleet.room).fill(-1);
    this.placeOf = new Int32Array(fleet.room);
    this.blocks.forEach((block, number) => block.rows.forEach((row, place) => {
      this.blockOf[row] = number;
      this.placeOf[row] = place;
    }));
    const scale = Math.min(2, devicePixelRatio || 1);
    this.canvas.style.height = `${height}px`;
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.paintAll();
  }

  /** A row changed; moved: it has another place, or none. */
  rowChanged(row, moved) {
    if (moved || !this.blockOf || row >= this.blockOf.length) {
      this.placesTimer ||= setTimeout(() => this.placesMake(), PLACES_MS);
      return;
    }
    if (!this.hasPlace(row)) return;
    this.dirty.add(row);
    if (this.isMoving && this.pulses.size < PULSES_MAX) this.pulses.set(row, performance.now());
    this.frameWant();
  }

  frameWant() {
    if (!this.frame && !document.hidden) this.frame = requestAnimationFrame((now) => this.frameDo(now));
  }

  frameDo(now) {
    this.frame = 0;
    for (const row of this.dirty) if (!this.pulses.has(row)) this.cellPaint(row);
    this.dirty.clear();
    for (const [row, begun] of this.pulses) {
      const share = 1 - (now - begun) / PULSE_MS;
      this.cellPaint(row);
      if (share <= 0 || !this.hasPlace(row)) { // places may have been made anew since: another group is shown, the machine is gone
        this.pulses.delete(row);
      } else {
        const [x, y] = this.corner(row);
        this.context.globalAlpha = Math.min(1, share) * 0.55;
        this.context.fillStyle = this.inks.ink;
        this.context.fillRect(x, y, this.size, this.size);
        this.context.globalAlpha = 1;
      }
    }
    if (this.pulses.size) this.frameWant();
  }

  /** Is a row shown at all? */
  hasPlace(row) {
    return this.blockOf?.[row] >= 0;
  }

  corner(row) {
    const block = this.blocks[this.blockOf[row]];
    const place = this.placeOf[row], pitch = this.size + this.gap;
    return [block.x + place % block.columns * pitch, block.y + LABEL + Math.floor(place / block.columns) * pitch];
  }

  /** Does the next machine of its block belong to another batch? */
  endsBatch(row) {
    const next = this.blocks[this.blockOf[row]].rows[this.placeOf[row] + 1];
    return next !== undefined && this.batches[row] !== this.batches[next];
  }

  isShown(row, fleet) {
    const { chosen, word, only } = this.options;
    return (!only || this.classText(row, fleet) === only) && isChosen(row, chosen) && (!word || fleet.names[row].toLowerCase().includes(word));
  }

  classOf(row, fleet) {
    this.classes ??= classer(fleet, this.options.by, this.options.classes);
    return this.classes.of(row) ?? 0;
  }

  classText(row, fleet) {
    const number = this.classOf(row, fleet);
    return this.classes.text(number) || NO_TEXT;
  }

  colourOf(row, fleet) {
    if (this.options.by === "state") return this.states[fleet.word[row]];
    this.hues ??= new Map();
    const number = this.classOf(row, fleet);
    if (!this.hues.has(number)) this.hues.set(number, this.classColour(number));
    return this.hues.get(number);
  }

  /** Classes that have an order have colours of their own. */
  classColour(number) {
    const name = this.options.classes?.colours?.[number];
    return name ? getComputedStyle(document.documentElement).getPropertyValue(name).trim() : classColour(number);
  }

  cellPaint(row) {
    const fleet = this.fleetGet();
    if (!fleet.isThere(row) || !this.hasPlace(row)) return;
    const { context, size } = this;
    this.painted++;
    const [x, y] = this.corner(row);
    const word = fleet.word[row];
    context.fillStyle = this.inks.surface;
    context.fillRect(x - EDGE, y - EDGE, size + 2 * EDGE, size + 2 * EDGE);
    context.globalAlpha = this.isShown(row, fleet) ? 1 : DIM;
    context.fillStyle = this.colourOf(row, fleet);
    context.fillRect(x, y, size, size);
    context.fillStyle = this.inks.mark;
    const thick = Math.max(1, Math.round(size / 5)), middle = Math.floor((size - thick) / 2);
    if (word === UNHEALTHY || word === FAILED || word === REFUSED) context.fillRect(x + middle, y + 1, thick, size - 2);
    else if (word === UNREACHABLE) context.fillRect(x + 1, y + middle, size - 2, thick);
    else if (word === LEAVING && size > 5) context.fillRect(x + thick + 1, y + thick + 1, size - 2 * thick - 2, size - 2 * thick - 2);
    if (fleet.outdated[row] && size > 5) this.cornerPaint(x + size, y, Math.max(2, Math.round(size / 3)));
    context.globalAlpha = 1;
    if (this.endsBatch(row)) {
      context.fillStyle = this.inks.ink;
      context.fillRect(x + size + EDGE, y - EDGE, 1, size + 2 * EDGE);
    }
    if (row === this.at) {
      context.strokeStyle = this.inks.ink;
      context.lineWidth = 2;
      context.strokeRect(x, y, size, size);
    }
  }

  /** The mark of a machine that is outdated: its upper corner is of another colour. */
  cornerPaint(right, top, length) {
    const { context } = this;
    context.fillStyle = this.inks.ink;
    context.beginPath();
    context.moveTo(right - length, top);
    context.lineTo(right, top);
    context.lineTo(right, top + length);
    context.fill();
  }

  paintAll() {
    const { context, canvas } = this;
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.textBaseline = "top";
    context.font = `600 13px ${this.sans}`;
    context.fillStyle = this.inks.ink;
    for (const { zone, x, y } of this.zones.some(({ zone }) => zone) ? this.zones : []) context.fillText(zone || "no zone", x, y + 4);
    context.font = `12px ${this.sans}`;
    context.fillStyle = this.inks.soft;
    for (const block of this.blocks) {
      context.fillText(`${this.options.cluster ? "" : `${block.cluster}/`}${block.group} ${block.rows.length}`, block.x, block.y, block.width);
    }
    for (const row of this.order) this.cellPaint(row);
    this.dirty.clear();
  }

  /** The row below a point of the canvas, or -1. */
  rowAt(x, y) {
    const pitch = this.size + this.gap;
    for (const block of this.blocks) {
      const column = Math.floor((x - block.x) / pitch), line = Math.floor((y - block.y - LABEL) / pitch);
      if (column >= 0 && line >= 0 && column < block.columns && x < block.x + block.width && y < block.y + block.height) {
        return block.rows[line * block.columns + column] ?? -1;
      }
    }
    return -1;
  }

  /** Put the cursor on a row; returns it. */
  point(row) {
    const before = this.at;
    this.at = row;
    if (this.hasPlace(before)) this.cellPaint(before);
    if (row >= 0) this.cellPaint(row);
    return row;
  }

  /** The row that an arrow key leads to. */
  step(key) {
    if (!this.order.length) return -1;
    const columns = this.hasPlace(this.at) ? this.blocks[this.blockOf[this.at]].columns : 1;
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[key];
    const place = this.at < 0 ? -1 : this.order.indexOf(this.at);
    return this.point(this.order[place < 0 ? 0 : Math.max(0, Math.min(this.order.length - 1, place + by))]);
  }

  /** The next machine (direction 1 or -1) that needs somebody, or -1. */
  problem(direction) {
    const fleet = this.fleetGet(), { length } = this.order;
    const start = this.at < 0 ? (direction > 0 ? -1 : length) : this.order.indexOf(this.at);
    for (let n = 1; n <= length; n++) {
      const row = this.order[(start + direction * n + 2 * length) % length];
      if (fleet.isThere(row) && fleet.word[row] < PROBLEMS) return this.point(row);
    }
    return -1;
  }

  end() {
    clearTimeout(this.placesTimer);
    cancelAnimationFrame(this.frame);
  }
}
