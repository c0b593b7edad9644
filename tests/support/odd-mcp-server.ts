// An MCP server for tests whose answers are not as the protocol has them: each tool gives one kind of odd result, and what it lists and
// says of itself is odd, too. It is a program without dependencies.

/** Its source. */
export const ODD_MCP_SERVER = `
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
const schema = { type: "object" };
const text = (text) => ({ type: "text", text });
const RESULTS = {
  plain: { content: [text("fine")] },
  part: { content: [text("before"), { type: "video", data: "AAAA" }, { type: "note", text: "words" }, 5, text("after")] },
  notes: { content: [{ ...text("kept"), annotations: { priority: "high", audience: "all" }, more: 1 }], isError: null, extra: {} },
  nothing: {},
  empty: { content: [] },
  none: null,
  said: { content: "just words" },
  wrong: { content: [text(7), { type: "image" }, { type: "resource" }, { type: "resource_link", uri: 3 }] },
  misfit: { content: [text("two")], structuredContent: { count: "two" } },
  listed: { content: [], structuredContent: ["a", "b"] },
  matched: { content: [text("ok")], structuredContent: { id: "a1" } },
  steep: { content: [text("top")], structuredContent: JSON.parse("[".repeat(300) + "]".repeat(300)) },
  beside: { content: [text("3 found")], structuredContent: { ids: ["a", "b", "c"] } },
  alike: { content: [text('{ "n": 1 }')], structuredContent: { n: 1 } },
  wrapped: { content: [text("a"), text("b")], structuredContent: { result: ["a", "b"] } },
  hollow: { content: [text("b")], structuredContent: {} },
  large: { content: [text("much")], structuredContent: { all: "x".repeat(20000) } },
  unmatched: { content: [text("no")], structuredContent: { id: "b1" } },
};
const OUTPUT = { misfit: { type: "object", properties: { count: { type: "number" } } }, plain: { type: "object" }, part: "no schema" };
// Such a check may take long: the host makes it on a thread.
OUTPUT.matched = OUTPUT.unmatched = { type: "object", properties: { id: { type: "string", pattern: "^a" } } };
const good = Object.keys(RESULTS).map((name) => ({ name, inputSchema: schema, outputSchema: OUTPUT[name] }));
const PAGES = [
  [
    { name: "rooted", inputSchema: { anyOf: [{ type: "object" }] } },
    { name: "bare" },
    { name: "lasting", inputSchema: schema, execution: { taskSupport: "required" } },
    { name: "either-way", inputSchema: schema, execution: { taskSupport: "optional" } },
    { name: "worded", inputSchema: "an object" },
    { name: "texts", inputSchema: { type: "string" } },
    { name: "either", inputSchema: { type: ["object", "null"] } },
    ...good.slice(0, 4),
  ],
  [
    null,
    { name: 5, inputSchema: schema },
    { name: "loose", title: 7, description: 3, annotations: { readOnlyHint: "yes" }, icons: "x", inputSchema: schema, execution: [] },
    { name: "deep", inputSchema: JSON.parse('{"type":"object","properties":{"x":'.repeat(60) + "{}" + "}}".repeat(60)) },
    { name: "long", description: "x".repeat(20000), inputSchema: schema },
    ...good.slice(4),
  ],
];
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = (result) => send({ jsonrpc: "2.0", id, result });
  if (method === "initialize") return answer({ protocolVersion: params.protocolVersion, capabilities: { tools: true }, instructions: 5 });
  if (method === "tools/list") {
    const page = Number(params?.cursor ?? 0);
    return answer({ tools: PAGES[page], nextCursor: page === 0 ? "1" : null });
  }
  if (method === "tools/call") {
    send({ jsonrpc: "2.0", id: { toString: 1, valueOf: 1 }, result: {} }); // nobody asked
    if (params.name === "loose") return send({ jsonrpc: "2.0", id, error: { code: "E_WRONG", message: { why: "odd" } } });
    if (params.name === "long") return send({ id, error: "no way" });
    return answer(params.name in RESULTS ? RESULTS[params.name] : { content: [text("called")] });
  }
  if (id !== undefined) send({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown method " + method } });
});
`;

/** A manifest that starts `command`; `more` are further lines of `[run]`. */
export const serverManifest = (id: string, command: readonly string[], more = ""): string =>
  `id = "${id}"\ndescription = "x"\n\n[run]\nmcp = ${JSON.stringify(command)}\n${more}`;
