// The example files of the events, cut into the piece that each event's section of the reference page shows.

/** Below examples/events. */
export const EXAMPLE_FILES = ["every-event.ts", "every_event.py", "every-event.json", "gates/manifest.toml"];

/** The pieces of each language by event; `json` has the cases with the places of their handlers. */
export function examplesOf(sources) {
  const [typescript, python, json, toml] = EXAMPLE_FILES.map((file) => sources[file]);
  const pieces = pieceByPiece(typescript);
  let handler = 0;
  const cases = Object.entries(JSON.parse(json)).map(([event, list]) => [
    event,
    list.map((one) => ({ handler: handler++, event, ...one })),
  ]);
  const gates = toml.split(/\n\n(?=\[\[gate\]\])/).slice(1);
  return {
    typescript: pieces,
    python: pieceByPiece(python),
    json: Object.fromEntries(cases),
    toml: Object.fromEntries(gates.map((gate) => [/event = "([\w:]+)"/.exec(gate)[1], gate.trimEnd()])),
  };
}

/** The paragraphs that register a handler, by event, without their indent. */
function pieceByPiece(source) {
  const found = {};
  for (const paragraph of source.split("\n\n")) {
    const event = /surface\.on\(\s*"([\w:]+)"/.exec(paragraph)?.[1];
    if (event === undefined) continue;
    const lines = paragraph.split("\n").filter((line) => line.startsWith(" "));
    const indent = /^ */.exec(lines[0])[0].length;
    found[event] = [...(found[event] ?? []), lines.map((line) => line.slice(indent)).join("\n")];
  }
  return found;
}
