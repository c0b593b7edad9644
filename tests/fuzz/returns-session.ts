// One whole session over both wires' request writers, whose handlers are a test's: a task with two calls, then a compaction.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  AssistantMessage,
  ModelProvider,
  ModelRequest,
} from "../../packages/indusagi/src/llmgateway/contract.ts";
import { createChatWriter } from "../../packages/indusagi/src/llmgateway/wires/chat/request.ts";
import { createMessagesWriter } from "../../packages/indusagi/src/llmgateway/wires/messages/request.ts";
import { createConductor } from "../../packages/induscode/src/conductor/conductor.ts";
import type { ConductorFault, SubmitEnd } from "../../packages/induscode/src/conductor/contract.ts";
import { createLog } from "../../packages/induscode/src/conductor/log.ts";
import { type ReadLog, readEntries } from "../../packages/induscode/src/conductor/log-reader.ts";
import type { Deck } from "../../packages/induscode/src/deck/contract.ts";
import type { HookDispatch } from "../../packages/induscode/src/feature/handler.ts";
import { refusalOf } from "../support/request-rules.ts";

const folder = mkdtempSync(join(tmpdir(), "indus-fuzz-returns-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
let sessions = 0;

const TURNS: readonly AssistantMessage["content"][] = [
  [
    { kind: "thinking", text: "hm", provider: "table", signature: "s" },
    { kind: "text", text: "Reading." },
    { kind: "tool_call", id: "c1", name: "read", input: { path: "a" } },
    { kind: "tool_call", id: "c2", name: "read", input: { path: "b" } },
  ],
  [{ kind: "text", text: "Done." }],
  [{ kind: "text", text: "A summary." }],
];

export interface Played {
  readonly end: SubmitEnd;
  readonly compactFault: ConductorFault | undefined;
  readonly log: ReadLog;
  /** Why a provider would have refused a request. */
  readonly refusals: readonly string[];
  readonly requestBytes: readonly number[];
}

/** Plays it. Rejects with what the session itself ends with. */
export async function playSession({
  dispatcher,
  runTool,
}: {
  readonly dispatcher: HookDispatch;
  readonly runTool: Deck["run"];
}): Promise<Played> {
  const requestBytes: number[] = [];
  const refusals: string[] = [];
  const anthropic = createMessagesWriter("table");
  const openAi = createChatWriter("table");
  const provider: ModelProvider = {
    id: "table",
    stream: async (request: ModelRequest) => {
      const bodies = {
        anthropic: anthropic.body(request).join(""),
        openai: openAi(request, { isOpenAi: true, learnt: new Set() }).join(""),
      } as const;
      for (const [wire, body] of Object.entries(bodies)) {
        const refusal = refusalOf(wire as "anthropic" | "openai", JSON.parse(body));
        if (refusal !== undefined) refusals.push(`${wire}: ${refusal}`);
        requestBytes.push(Buffer.byteLength(body));
      }
      const content = TURNS[requestBytes.length / 2 - 1];
      if (!content) return { ok: false, fault: { kind: "exhausted", message: "no further turn" } };
      const stop = content.some(({ kind }) => kind === "tool_call") ? "tool_calls" : "complete";
      const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
      return { ok: true, reply: { message: { role: "assistant", content }, stop, usage } };
    },
  };
  const id = `s${++sessions}`;
  const path = join(folder, `${id}.jsonl`);
  const conductor = createConductor({
    log: createLog({ id, path, cwd: "/w", version: "1" }),
    entries: [],
    nextLog: () => {
      throw new Error("not in this test");
    },
    resolveModel: async () => ({
      ok: true,
      provider,
      model: "m",
      card: { provider: "table", id: "m", contextWindow: 1_000_000, maxOutputTokens: 1_000 },
    }),
    modelName: "table/m",
    deck: {
      descriptors: [{ name: "read", description: "", parameters: {} }],
      exec: () => Promise.reject(new Error("no commands here")),
      waits: () => false,
      warmUp: async () => undefined,
      named: [],
      meant: (call) => call,
      beginTurn: () => undefined,
      beginRequest: () => undefined,
      ownerOf: () => undefined,
      run: runTool,
    },
    hooks: dispatcher,
    compose: () => "the prompt",
    params: { maxOutputTokens: 100 },
  });
  await conductor.start();
  try {
    const end = await conductor.submit({ content: [{ kind: "text", text: "go" }] });
    const compactFault = await conductor.compact("");
    await conductor.close();
    return { end, compactFault, log: readEntries(path), refusals, requestBytes };
  } finally {
    rmSync(path, { force: true });
  }
}
