// Two texts, line by line.

const CELLS_MAX = 4e6; // beyond it what lies between the first and the last difference is shown as a whole

/** What ends the last line begins no other one. */
function linesOf(text) {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** [{sign, text}]: " " is in both, "-" in the first alone, "+" in the second. */
export function diffLines(before, after) {
  const a = linesOf(before), b = linesOf(after);
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const both = (list) => list.map((text) => ({ sign: " ", text }));
  return [...both(a.slice(0, head)), ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)), ...both(tail ? a.slice(-tail) : [])];
}

/** By the longest common part. */
function middle(a, b) {
  const out = [], width = b.length + 1;
  let at = 0, bt = 0;
  if ((a.length + 1) * width <= CELLS_MAX) {
    const best = new Uint32Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i--) {
      for (let j = b.length - 1; j >= 0; j--) {
        best[i * width + j] = a[i] === b[j] ? best[(i + 1) * width + j + 1] + 1 : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
      }
    }
    while (at < a.length && bt < b.length) {
      if (a[at] === b[bt]) {
        out.push({ sign: " ", text: a[at++] });
        bt++;
      } else if (best[(at + 1) * width + bt] >= best[at * width + bt + 1]) out.push({ sign: "-", text: a[at++] });
      else out.push({ sign: "+", text: b[bt++] });
    }
  }
  return [...out, ...a.slice(at).map((text) => ({ sign: "-", text })), ...b.slice(bt).map((text) => ({ sign: "+", text }))];
}
