// Colours that programs write into their output (ECMA-48, "SGR"), as parts of a line with classes. The manager keeps no other sequence
// that a terminal knows. Nothing of it becomes markup.

const ESCAPE = /\x1b\[([0-9;:]*)m/g; // eslint-disable-line no-control-regex
const PLAIN = { fg: -1, bg: -1, bold: false, italic: false, under: false, inverse: false };

/** The nearest of the 16 colours to one of 256, or to red, green and blue. */
function nearest(r, g, b) {
  const top = Math.max(r, g, b);
  if (top < 48) return 0;
  const bits = (r * 1.6 > top ? 1 : 0) + (g * 1.6 > top ? 2 : 0) + (b * 1.6 > top ? 4 : 0);
  return bits === 7 ? (top > 150 ? 7 : 8) : bits;
}

function ofPalette(number) {
  if (number < 16) return number;
  if (number > 231) return nearest(...Array(3).fill(8 + (number - 232) * 10));
  const at = number - 16, level = (one) => (one === 0 ? 0 : 55 + one * 40);
  return nearest(level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6));
}

/** 38;5;N and 38;2;R;G;B: the colour, and how many numbers it took. */
function extended(codes, at) {
  if (codes[at + 1] === 5) return [ofPalette(codes[at + 2] ?? 0), 2];
  if (codes[at + 1] === 2) return [nearest(codes[at + 2] ?? 0, codes[at + 3] ?? 0, codes[at + 4] ?? 0), 4];
  return [-1, 0];
}

function styled(style, codes) {
  let next = { ...style };
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at];
    if (code === 0) next = { ...PLAIN };
    else if (code === 1) next.bold = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.under = true;
    else if (code === 7) next.inverse = true;
    else if (code === 22) next.bold = false;
    else if (code === 23) next.italic = false;
    else if (code === 24) next.under = false;
    else if (code === 27) next.inverse = false;
    else if (code >= 30 && code <= 37) next.fg = code - 30;
    else if (code >= 40 && code <= 47) next.bg = code - 40;
    else if (code >= 90 && code <= 97) next.fg = code - 82;
    else if (code >= 100 && code <= 107) next.bg = code - 92;
    else if (code === 39) next.fg = -1;
    else if (code === 49) next.bg = -1;
    else if (code === 38 || code === 48) {
      const [colour, taken] = extended(codes, at);
      next[code === 38 ? "fg" : "bg"] = colour;
      at += taken;
    }
  }
  return next;
}

/** Dark and bright ones of a hue look the same on a page, which is light or dark itself. */
function classOf({ fg, bg, bold, italic, under, inverse }) {
  const hue = (number) => number % 8;
  const ground = inverse ? (fg >= 0 ? hue(fg) : "ink") : bg >= 0 ? hue(bg) : null;
  return [ground !== null ? `ansi-on-${ground}` : fg >= 0 && `ansi-${hue(fg)}`, bold && "ansi-bold", italic && "ansi-italic", under && "ansi-under"].filter(Boolean).join(" ");
}

/** [{text, class}] of a line; class is empty where it is plain. */
export function ansiParts(line) {
  if (!line.includes("\x1b")) return [{ text: line, class: "" }];
  const parts = [];
  let style = PLAIN, from = 0;
  for (const found of line.matchAll(ESCAPE)) {
    if (found.index > from) parts.push({ text: line.slice(from, found.index), class: classOf(style) });
    from = found.index + found[0].length;
    style = styled(style, found[1].split(/[;:]/).map(Number));
  }
  if (from < line.length) parts.push({ text: line.slice(from), class: classOf(style) });
  return parts;
}

export function ansiPlain(text) {
  return ansiParts(text).map((part) => part.text).join("");
}
