// Server-sent events read from a fetch: an EventSource does not show why it failed (not logged in? too old?) and hides the
// comments that distinguish a silent connection from a dead one.

/** Hand out each event until the stream ends. Calls `alive` for every piece that comes, `comment` with the text of each comment. */
export async function streamRead(response, event, alive, comment = () => {}) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "", type = "", data = "", id;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    alive();
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line === "") {
        if (data !== "") event(type, JSON.parse(data), id);
        type = data = "";
        id = undefined;
      } else if (line[0] === ":") {
        comment(line.slice(2));
      } else {
        const colon = line.indexOf(": ");
        const field = line.slice(0, colon), text = line.slice(colon + 2);
        if (field === "event") type = text;
        else if (field === "data") data += text;
        else if (field === "id") id = text; // REVISION.REVISION, of objects and of events: no number
      }
    }
  }
}
