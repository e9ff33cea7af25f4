// Every machine, in columns. A machine is a row; what is kept of it is a number in each typed array, its name and its
// token. Counters are kept as rows change, so that nobody ever counts all of them.
import { placeOf, WORDS } from "./words.js";

const GONE = 255, IS_OUTDATED = 128;
const COLUMNS = ["cluster", "group", "zone", "generation", "image", "plugin"];

/** Texts that many rows share, each by a number. */
class Texts {
  constructor(list = []) {
    this.list = list;
    this.places = new Map(list.map((text, at) => [text, at]));
  }
  place(text) {
    let at = this.places.get(text);
    if (at === undefined) {
      at = this.list.push(text) - 1;
      this.places.set(text, at);
    }
    return at;
  }
}

export class Fleet {
  constructor(room = 1024) {
    this.room = room;
    this.rows = 0; // used so far, free ones among them
    this.count = 0;
    this.ids = [];
    this.names = [];
    this.word = new Uint8Array(room).fill(GONE);
    for (const column of COLUMNS) this[column] = new Uint32Array(room);
    this.outdated = new Uint8Array(room); // 1: it has not reached the desired generation or stages
    this.silent = new Uint32Array(room); // seconds since 1970; 0: it is heard of
    this.texts = Object.fromEntries(COLUMNS.map((column) => [column, new Texts()]));
    this.problems = new Map(); // row to {cause, hint, next, nextAt, since}, of nodes that need a look
    this.place = new Map(); // token to row
    this.named = new Map(); // "CLUSTER-NUMBER NAME" to rows: two while a machine takes the place of another one
    this.free = [];
    this.totals = new Uint32Array(WORDS.length);
    this.outdatedCount = 0;
    this.lagging = new Map(); // the same numbers as in parts, to how many are outdated
    this.parts = new Map(); // cluster number * 2^20 + group number, to its own totals
  }

  /** From the answer of /v1/fleet. */
  static fromAnswer(answer) {
    const fleet = new Fleet(Math.max(1024, answer.count * 1.25 | 0));
    const columns = answer.columns;
    const tables = { cluster: answer.clusterNames, group: answer.groups, zone: answer.zones,
      generation: answer.generations, image: answer.images, plugin: answer.plugins };
    for (const column of COLUMNS) {
      fleet.texts[column] = new Texts(tables[column]);
      fleet[column].set(columns[column]);
    }
    fleet.silent.set(columns.silent);
    fleet.ids = columns.id;
    fleet.names = columns.name;
    fleet.rows = fleet.count = answer.count;
    const places = answer.displayedNames.map(placeOf);
    for (let row = 0; row < answer.count; row++) {
      fleet.word[row] = places[columns.displayed[row]];
      fleet.outdated[row] = columns.state[row] & IS_OUTDATED ? 1 : 0;
      fleet.place.set(columns.id[row], row);
      fleet.nameAdd(row);
      fleet.tally(row, 1);
    }
    const { row: rows, cause, hint, next, nextAt, since } = answer.problems;
    for (const [at, row] of rows.entries()) {
      fleet.problems.set(row, { cause: answer.causes[cause[at]], hint: answer.hints[hint[at]], next: answer.nexts[next[at]], nextAt: nextAt[at], since: since[at] });
    }
    return fleet;
  }

  /** From several of them, each of other clusters. */
  static fromAnswers(answers) {
    if (answers.length === 1) return Fleet.fromAnswer(answers[0]);
    const fleet = new Fleet();
    for (const answer of answers) {
      const part = Fleet.fromAnswer(answer);
      for (let row = 0; row < part.rows; row++) fleet.put(part.machine(row));
    }
    return fleet;
  }

  /** A row as `put` takes it. */
  machine(row) {
    return { id: this.ids[row], name: this.names[row], word: this.word[row], outdated: this.outdated[row], silent: this.silent[row], problem: this.problems.get(row) ?? null,
      ...Object.fromEntries(COLUMNS.map((column) => [column, this.text(column, row)])) };
  }

  /** What another tab needs to have the same. */
  pack() {
    return { room: this.room, rows: this.rows, count: this.count, ids: this.ids, names: this.names,
      word: this.word, outdated: this.outdated, silent: this.silent, free: this.free, problems: this.problems,
      columns: COLUMNS.map((column) => [column, this[column], this.texts[column].list]) };
  }

  static unpack(packed) {
    const fleet = new Fleet(packed.room);
    Object.assign(fleet, { rows: packed.rows, count: packed.count, ids: packed.ids, names: packed.names,
      word: packed.word, outdated: packed.outdated, silent: packed.silent, free: packed.free, problems: packed.problems });
    for (const [column, numbers, list] of packed.columns) {
      fleet[column] = numbers;
      fleet.texts[column] = new Texts(list);
    }
    for (let row = 0; row < fleet.rows; row++) {
      if (fleet.word[row] !== GONE) {
        fleet.place.set(fleet.ids[row], row);
        fleet.nameAdd(row);
        fleet.tally(row, 1);
      }
    }
    return fleet;
  }

  isThere(row) {
    return row >= 0 && row < this.rows && this.word[row] !== GONE;
  }

  text(column, row) {
    return this.texts[column].list[this[column][row]];
  }

  /** The totals of a group, by word; without a group those of its cluster. */
  totalsOf(cluster, group) {
    const first = this.texts.cluster.places.get(cluster);
    const totals = new Uint32Array(WORDS.length);
    if (first === undefined) return totals;
    if (group !== undefined) {
      const second = this.texts.group.places.get(group);
      return this.parts.get(first * 2 ** 20 + second) ?? totals;
    }
    for (const [key, part] of this.parts) {
      if (Math.floor(key / 2 ** 20) === first) part.forEach((n, word) => { totals[word] += n; });
    }
    return totals;
  }

  /** How many machines of a group are outdated; without a group those of its cluster. */
  outdatedOf(cluster, group) {
    const first = this.texts.cluster.places.get(cluster), second = this.texts.group.places.get(group);
    let sum = 0;
    for (const [key, count] of this.lagging) {
      if (Math.floor(key / 2 ** 20) === first && (group === undefined || key % 2 ** 20 === second)) sum += count;
    }
    return sum;
  }

  tally(row, by) {
    const key = this.cluster[row] * 2 ** 20 + this.group[row];
    let part = this.parts.get(key);
    if (!part) this.parts.set(key, part = new Uint32Array(WORDS.length));
    part[this.word[row]] += by;
    if (this.outdated[row]) {
      this.lagging.set(key, (this.lagging.get(key) ?? 0) + by);
      this.outdatedCount += by;
    }
    this.totals[this.word[row]] += by;
  }

  grow() {
    this.room *= 2;
    for (const column of ["word", "outdated", "silent", ...COLUMNS]) {
      const wider = new this[column].constructor(this.room);
      if (column === "word") wider.fill(GONE);
      wider.set(this[column]);
      this[column] = wider;
    }
  }

  /** A machine as it is now. Returns its row, and whether it is another place than before. */
  put(machine) {
    let row = this.place.get(machine.id);
    let moved = row === undefined;
    if (moved) {
      if (!this.free.length && this.rows === this.room) this.grow();
      row = this.free.length ? this.free.pop() : this.rows++;
      this.place.set(machine.id, row);
      this.ids[row] = machine.id;
      this.count++;
    } else {
      this.tally(row, -1);
      this.nameDrop(row);
    }
    for (const column of COLUMNS) {
      const at = this.texts[column].place(machine[column]);
      if (column === "cluster" || column === "group" || column === "zone") moved ||= this[column][row] !== at;
      this[column][row] = at;
    }
    this.names[row] = machine.name;
    this.word[row] = machine.word;
    this.outdated[row] = machine.outdated;
    this.silent[row] = machine.silent;
    this.problemSet(row, machine.problem);
    this.nameAdd(row);
    this.tally(row, 1);
    return { row, moved };
  }

  /** It is gone. Returns the row that it had, or -1. */
  remove(id) {
    const row = this.place.get(id);
    if (row === undefined) return -1;
    this.tally(row, -1);
    this.nameDrop(row);
    this.problems.delete(row);
    this.word[row] = GONE;
    this.place.delete(id);
    this.free.push(row);
    this.count--;
    return row;
  }

  /** Why it needs a look; null: it needs none. */
  problemSet(row, problem) {
    if (problem) this.problems.set(row, problem);
    else this.problems.delete(row);
  }

  nameAdd(row) {
    const key = `${this.cluster[row]} ${this.names[row]}`, rows = this.named.get(key);
    if (rows) rows.push(row);
    else this.named.set(key, [row]);
  }

  nameDrop(row) {
    const key = `${this.cluster[row]} ${this.names[row]}`, rest = this.named.get(key).filter((one) => one !== row);
    if (rest.length) this.named.set(key, rest);
    else this.named.delete(key);
  }

  /** Rows of the machines that have this name: those that do not leave first, the newer one before the older. */
  allNamed(cluster, name) {
    const isLeaving = (row) => (WORDS[this.word[row]] === "leaving" ? 1 : 0);
    return [...this.named.get(`${this.texts.cluster.places.get(cluster)} ${name}`) ?? []].sort((a, b) => isLeaving(a) - isLeaving(b) || b - a);
  }

  /** The row of a node by its name, or of a machine by its token; -1: there is none. Of two of one name one that does not leave, and of
   * those one that serves. */
  find(cluster, name) {
    const token = this.place.get(name);
    if (token !== undefined && this.text("cluster", token) === cluster) return token;
    const rows = this.allNamed(cluster, name);
    return rows.find((row) => ["ready", "drifted"].includes(WORDS[this.word[row]])) ?? rows[0] ?? -1;
  }

  /** By what the machine of a row is named in an address: its name, or its token where the name means another one. */
  nameOf(row) {
    return this.find(this.text("cluster", row), this.names[row]) === row ? this.names[row] : this.ids[row];
  }
}
