// An MCP server whose answers were drawn: what it lists, what it says of itself, what it answers to calls, and what it sends unasked.

import type { JsonObject, JsonValue } from "../../packages/indusagi/src/core/schema/json-schema.ts";
import { drawChanged, drawSchema } from "./contributions.ts";
import { type Draw, drawJson } from "./draw.ts";

/** What one server says. The tools that are called are as they should be, and come first. */
export interface McpAnswers {
  readonly initialize: JsonValue;
  readonly tools: readonly JsonValue[];
  /** One for each call, whichever tool it is of: what a message holds besides its id. */
  readonly results: readonly JsonValue[];
  /** Sent one by one before the answers. */
  readonly unasked: readonly JsonValue[];
}

export const CALLED: readonly string[] = ["one", "two", "three", "four"];

export function drawAnswers(
  draw: Draw,
  { tools, calls }: { readonly tools: number; readonly calls: number },
): McpAnswers {
  const many = <T>(length: number, make: (at: number) => T): readonly T[] =>
    Array.from({ length }, (_, at) => make(at));
  return {
    initialize: draw.below(4) === 0 ? drawChanged(draw, INITIALIZE) : INITIALIZE,
    tools: [
      ...CALLED.map((name) => ({ name, inputSchema: { type: "object" }, outputSchema: drawSchema(draw) })),
      ...many(tools, (at) => drawChanged(draw, goodTool(draw, `t${at}`))),
    ],
    results: many(calls, () => drawReply(draw)),
    unasked: many(calls, () => drawChanged(draw, draw.of(UNASKED))),
  };
}

const INITIALIZE: JsonObject = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true }, logging: {} },
  serverInfo: { name: "drawn", version: "1" },
  instructions: "words",
};

function goodTool(draw: Draw, name: string): JsonObject {
  const schema = { type: "object", properties: { a: drawSchema(draw) } };
  return {
    ...{ name, title: "t", description: "d", inputSchema: schema, outputSchema: drawSchema(draw) },
    annotations: { title: "a", readOnlyHint: true },
  };
}

const PARTS: readonly JsonObject[] = [
  { type: "text", text: "words", annotations: { priority: 1, audience: ["user"] } },
  { type: "image", data: "AAAA", mimeType: "image/png" },
  { type: "audio", data: "AAAA", mimeType: "audio/wav" },
  { type: "resource_link", name: "n", uri: "notes://1" },
  { type: "resource", resource: { uri: "notes://2", text: "two" } },
  { type: "resource", resource: { uri: "notes://3", blob: "AAAA", mimeType: "a/b" } },
  { role: "user", content: { type: "text", text: "of a prompt" } },
];

function drawReply(draw: Draw): JsonValue {
  if (draw.below(10) === 0) return { error: drawChanged(draw, { code: -32602, message: "m", data: {} }) };
  const content = Array.from({ length: draw.below(4) }, () => drawChanged(draw, draw.of(PARTS)));
  return { result: drawChanged(draw, { content, structuredContent: drawJson(draw), isError: false }) };
}

const NAMED = (method: string, params: JsonObject = {}): JsonObject => ({ jsonrpc: "2.0", method, params });
/** Notifications, questions to the host, and answers that nobody asked for. */
const UNASKED: readonly JsonObject[] = [
  NAMED("notifications/message", { level: "info", logger: "l", data: "words" }),
  NAMED("notifications/tools/list_changed"),
  NAMED("notifications/prompts/list_changed"),
  NAMED("notifications/resources/list_changed"),
  NAMED("notifications/resources/updated", { uri: "notes://1" }),
  NAMED("notifications/progress", { progressToken: 1, progress: 1, total: 2 }),
  NAMED("notifications/cancelled", { requestId: 7_000_000, reason: "r" }),
  ...[NAMED("ping"), NAMED("roots/list")].map((each) => ({ ...each, id: "a" })),
  { ...NAMED("sampling/createMessage", { messages: [], maxTokens: 1 }), id: "b" },
  { ...NAMED("elicitation/create", { message: "m", requestedSchema: { type: "object" } }), id: "c" },
  { jsonrpc: "2.0", id: 8_000_000, result: { prompts: [], resources: [], contents: [] } },
];

/** The program; the answers lie beside it. It notes nothing, and is asked for a page of tools at a time. */
export const DRAWN_SERVER = `
import { createInterface } from "node:readline";
import { readFileSync } from "node:fs";
const { initialize, tools, results, unasked } = JSON.parse(readFileSync(new URL("answers.json", import.meta.url), "utf8"));
const PAGE = 50;
const write = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = (message) => write({ jsonrpc: "2.0", ...message, id });
  if (method === "initialize") return answer({ result: initialize });
  if (method === "tools/list") {
    const from = Number(params?.cursor ?? 0);
    const more = from + PAGE < tools.length ? { nextCursor: String(from + PAGE) } : {};
    return answer({ result: { tools: tools.slice(from, from + PAGE), ...more } });
  }
  if (method === "tools/call") {
    if (unasked.length > 0) write(unasked.pop());
    return answer(results.pop() ?? { result: { content: [] } });
  }
  if (id !== undefined && method !== undefined) answer({ error: { code: -32601, message: "unknown method" } });
});
`;
