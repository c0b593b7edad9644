import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { ModelResult } from "./contract.ts";
import { HTTP_LIMITS } from "./http-stream.ts";
import { runWireCall } from "./wire-call.ts";
import { createChatReader } from "./wires/chat/stream.ts";

/** The result of a call whose server sends `frames`, then `life` again and again, or breaks off. */
async function callWith(
  frames: readonly string[],
  after: { readonly life: string } | "cut",
  limits: Partial<typeof HTTP_LIMITS>,
): Promise<ModelResult> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(frames.map((frame) => `data: ${frame}\n\n`).join(""), () => {
      if (after === "cut") response.destroy();
    });
    if (after === "cut") return;
    const timer = setInterval(() => response.write(after.life), 5);
    response.on("close", () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const whom = { id: "p", url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`) };
  const reader = createChatReader(whom as never, () => undefined);
  const signal = new AbortController().signal;
  return runWireCall({
    whom: whom as never,
    headers: {},
    body: ["{}"],
    reader,
    limits: { ...HTTP_LIMITS, ...limits },
    signal,
    onDelta: () => undefined,
  });
}

const TEXT = '{"choices":[{"delta":{"content":"hello"}}]}';
const FINISH = '{"choices":[{"delta":{},"finish_reason":"stop"}]}';
const WORDS = {
  ok: true,
  reply: { message: { content: [{ kind: "text", text: "hello" }] }, stop: "complete" },
};

test.each([
  ["and then says nothing but signs of life", { life: ": ping\n\n" }, { endMs: 1_000 }],
  ["and then falls silent", { life: "" }, { idleMs: 1_000 }],
  ["and loses the connection", "cut", {}],
] as const)("an answer that states its end is taken without [DONE], %s", async (_, after, limits) => {
  expect(await callWith([TEXT, FINISH], after, limits)).toMatchObject(WORDS);
});

test.each([
  ["comments", ": ping\n\n"],
  ["empty deltas", 'data: {"choices":[{"delta":{}}]}\n\n'],
])("an answer that goes on with %s alone ends as one that fell silent", async (_, life) => {
  const end = await callWith([TEXT], { life }, { progressMs: 150 });
  expect(end).toMatchObject({ ok: false, fault: { kind: "timeout" } });
});

test("the twin: an answer that did not state its end is not taken when it breaks off", async () => {
  expect(await callWith([TEXT], "cut", {})).toMatchObject({ ok: false, fault: { kind: "transport" } });
});
