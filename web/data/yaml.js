// YAML, as far as the page needs it: slips that can be shown while one types, before the manager has read the file, and
// objects of the manager written as a file. What is right or wrong is decided by the manager alone.

const PLAIN = /^[A-Za-z_./][\w./@{}-]*( [\w./@{}-]+)*$/;
const WORDS = /^(y|yes|n|no|on|off|true|false|null|nan|inf)$/i;

function scalar(value) {
  return typeof value === "string" && (!PLAIN.test(value) || WORDS.test(value)) ? JSON.stringify(value) : String(value);
}

/** A value as lines of block YAML. */
function lines(value, indent) {
  if (Array.isArray(value)) {
    return value.flatMap((one) => {
      if (one === null || typeof one !== "object" || !Object.keys(one).length) return [`${indent}- ${empty(one)}`];
      const [first, ...rest] = lines(one, `${indent}  `);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }
  return Object.entries(value).flatMap(([key, one]) => (one !== null && typeof one === "object" && Object.keys(one).length
    ? [`${indent}${scalar(key)}:`, ...lines(one, `${indent}  `)] : [`${indent}${scalar(key)}: ${empty(one)}`]));
}

function empty(one) {
  return Array.isArray(one) ? "[]" : one !== null && typeof one === "object" ? "{}" : scalar(one);
}

const FIRST = ["kind", "name", "id", "version", "from", "labels"], LAST = ["groups", "nodegroups"];

/** An object as a file that reads back as the same; names first, groups last. */
export function yamlWrite(object) {
  const place = (key) => (FIRST.includes(key) ? FIRST.indexOf(key) : LAST.includes(key) ? 99 : 50);
  return `${lines(Object.fromEntries(Object.entries(object).sort(([a], [b]) => place(a) - place(b))), "").join("\n")}\n`;
}

function slip(line, column, length, text, hint = "") {
  return { line, column, length: Math.max(1, length), text, hint, severity: "error", isOurs: true };
}

/** The part of a line that is no comment; what stands in quotes is left as it is. */
function uncommented(text) {
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const one = text[at];
    if (quote) {
      if (one === "\\" && quote === '"') at++;
      else if (one === quote) quote = "";
    } else if ((one === '"' || one === "'") && /[\s:[{,-]|^$/.test(text[at - 1] ?? "")) quote = one;
    else if (one === "#" && (at === 0 || /\s/.test(text[at - 1]))) return [text.slice(0, at), ""];
  }
  return [text, quote];
}

const KEY = /^(\s*(?:- +)*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#:[\]{},"'&*!|>%@`-][^:#]*?|[^\s"'[{:]+?)\s*:(?=\s|$)/;

/** What is wrong at first sight: tabs, quotes that stay open, a colon without a blank, a key twice, a level that was never
 * opened. Lines of block scalars and flow collections over several lines are left to the manager. */
export function yamlSlips(text) {
  const found = [];
  let levels = []; // [{indent, keys}]
  let block = -1, flow = 0;
  for (const [at, whole] of text.split("\n").entries()) {
    const indent = whole.length - whole.trimStart().length;
    if (!whole.trim() || (block >= 0 && indent > block)) continue;
    block = -1;
    const tab = whole.slice(0, indent).indexOf("\t");
    if (tab >= 0) {
      found.push(slip(at + 1, tab + 1, 1, "a tab is used as indentation here", "YAML is indented with blanks; a tab is an error"));
      continue;
    }
    const [line, quote] = uncommented(whole);
    if (/^(---|\.\.\.)(\s|$)/.test(line)) {
      levels = [];
      continue;
    }
    if (!line.trim()) continue;
    if (quote && flow === 0) {
      found.push(slip(at + 1, line.indexOf(quote) + 1, line.length - line.indexOf(quote), "this quote is not closed in its line"));
      continue;
    }
    const bare = line.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (one) => " ".repeat(one.length));
    const before = flow;
    flow = Math.max(0, flow + (bare.match(/[[{]/g)?.length ?? 0) - (bare.match(/[\]}]/g)?.length ?? 0));
    if (before > 0) continue;
    const key = KEY.exec(line);
    if (/[|>][+-]?\d*\s*$/.test(bare) && key) block = indent;
    if (!key) {
      const glued = /^(\s*)([A-Za-z_][\w-]*):([^\s/])/.exec(bare);
      if (glued) found.push(slip(at + 1, glued[0].length, 1, `a blank is missing after '${glued[2]}:'`, `write '${glued[2]}: ${glued[3]}...'`));
      continue;
    }
    const column = key[1].length, name = key[2].replace(/^["']|["']$/g, "");
    while (levels.length && levels.at(-1).indent > column) levels.pop();
    let level = levels.at(-1);
    if (!level || level.indent < column || key[1].includes("-")) {
      if (level && level.indent === column) levels.pop(); // the next item of a list
      level = { indent: column, keys: new Map() };
      levels.push(level);
    }
    if (level.keys.has(name)) found.push(slip(at + 1, column + 1, key[2].length, `'${name}' occurs twice here`, `the first one is in line ${level.keys.get(name)}`));
    else level.keys.set(name, at + 1);
  }
  return found;
}
