// An MCP server for tests: a program without dependencies that speaks the protocol over its standard input and output. Its tools are
// what a test tries with it.

/** A picture of one point, in base64. */
export const MCP_PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** Its source. It notes each method that it was asked in its standard error. */
export const MCP_SERVER = `
import { createInterface } from "node:readline";
import { closeSync, existsSync, openSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const text = (words) => ({ content: [{ type: "text", text: words }] });
const attempt = async (work) => { try { return String(await work()); } catch (error) { return String(error.cause ?? error); } };
const waiting = new Map();
let lastAsked = 0;
const ask = (method, params) => new Promise((answer) => {
  const id = "s" + ++lastAsked;
  waiting.set(id, answer);
  send({ id, method, params });
});
const TOOLS = {
  questions: async ({ method, params }) => text(JSON.stringify(await ask(method, params))),
  say: ({ words }) => text("it says " + words),
  kinds: () => ({ content: [
    { type: "text", text: "words" },
    { type: "image", data: "${MCP_PICTURE}", mimeType: "image/png" },
    { type: "image", data: "AAAA", mimeType: "image/png" },
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    { type: "resource", resource: { uri: "notes://3", blob: "AAAA", mimeType: "application/zip" } },
    { type: "resource", resource: { uri: "notes://4", blob: "${MCP_PICTURE}", mimeType: "image/png" } },
    { type: "resource_link", name: "notes", uri: "notes://1" },
    { type: "resource", resource: { uri: "notes://2", text: "two" } },
  ] }),
  figures: () => ({ content: [], structuredContent: { count: 3 } }),
  "fails-in-pictures": () => ({ content: [{ type: "image", data: "${MCP_PICTURE}", mimeType: "image/png" }], isError: true }),
  fails: () => ({ ...text("no such ticket"), isError: true }),
  refuses: () => { throw { code: -32602, message: "the argument is wrong" }; },
  ends: ({ now }) => (now ? process.exit(9) : text("goes on")),
  reads: async ({ path }) => text(await attempt(() => readFileSync(path, "utf8"))),
  asks: async ({ url }) => text(await attempt(async () => { const answer = await fetch(url); return answer.status + " " + (await answer.text()); })),
  keeps: async ({ name, words }) => text(await attempt(() => { writeFileSync(process.env.HOME + "/" + name, words, { flag: "a" }); return readFileSync(process.env.HOME + "/" + name, "utf8"); })),
  links: async ({ name, to }) => text(await attempt(() => symlinkSync(to, process.env.HOME + "/" + name))),
  opens: async ({ name }) => text(await attempt(() => { closeSync(openSync(process.env.HOME + "/" + name, "r+")); return "open"; })),
  folders: () => text(Object.keys(process.env).filter((name) => /^(HOME|XDG_)/.test(name)).sort().map((name) => name + "=" + process.env[name]).join(" ")),
  slow: async ({ steps, ms, tells }, token) => {
    for (let step = 1; step <= steps; step++) {
      await new Promise((done) => setTimeout(done, ms));
      if (tells) send({ method: "notifications/progress", params: { progressToken: token, progress: step, total: steps, message: "working" } });
    }
    return text("done");
  },
  token: () => text("the token is " + process.env.TICKET_TOKEN + ", " + process.env.HEADER),
  "has spaces, and a name that is far longer than any provider of models accepts": () => text("long"),
};
const names = Object.keys(TOOLS).concat(existsSync(process.argv[2]) ? ["added"] : []);
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? error);
  console.error("asked: " + method);
  if (method === "initialize") {
    const capabilities = { tools: { listChanged: true }, resources: {}, prompts: {} };
    return send({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: "tickets", version: "1" } } });
  }
  // A page at a time, as a server may.
  if (method === "tools/list") {
    const from = Number(params?.cursor ?? 0);
    const tools = names.slice(from, from + 5).map((name) => ({ name, description: "Does " + name + ".", inputSchema: { type: "object" } }));
    return send({ id, result: { tools, ...(from + 5 < names.length ? { nextCursor: String(from + 5) } : {}) } });
  }
  if (method === "prompts/list") return send({ id, result: { prompts: [
    { name: "Review", description: "Reviews a\\nticket.", arguments: [{ name: "ticket", required: true }, { name: "tone" }] },
  ] } });
  if (method === "prompts/get") return send({ id, result: { messages: [
    { role: "user", content: { type: "text", text: params.name + " " + JSON.stringify(params.arguments) } },
    { role: "assistant", content: { type: "text", text: "I begin." } },
  ] } });
  if (method === "resources/list") return send({ id, result: { resources: [{ uri: "notes://1", name: "notes", mimeType: "text/plain", description: "What was\\nsaid." }, { uri: "file:///other", name: "other" }, 5] } });
  if (method === "resources/templates/list") return send({ id, result: { resourceTemplates: [{ uriTemplate: "notes://{day}", name: "a day" }] } });
  if (method === "resources/read") {
    if (params.uri !== "notes://1") return send({ id, error: { code: -32002, message: "no such resource" } });
    return send({ id, result: { contents: [{ uri: params.uri, text: "buy milk" }, { uri: params.uri, blob: "AAAA", mimeType: "application/zip" }] } });
  }
  if (method === "tools/call") {
    try { return send({ id, result: await TOOLS[params.name](params.arguments ?? {}, params._meta?.progressToken) }); }
    catch (error) { return send({ id, error }); }
  }
  if (id !== undefined) send({ id, error: { code: -32601, message: "unknown method " + method } });
});
`;

/** Its manifest as the addon `tickets`; `more` is what it requests. */
export const mcpManifest = (more = ""): string => `id = "tickets"
description = "Tickets."

[run]
mcp = ["node", "server.mjs", "changed"]

[run.env]
HEADER = "Bearer \${TICKET_TOKEN}"

[[capability]]
kind = "secret"
id = "TICKET_TOKEN"
reason = "logs in"
${more}`;
