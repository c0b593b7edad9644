import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { ModelRequest } from "../contract.ts";
import { createLessonBook } from "../lessons.ts";
import { WIRES } from "./table.ts";

const REQUEST: ModelRequest = {
  model: "one",
  system: "",
  tools: [],
  messages: [{ role: "user", content: [{ kind: "text", text: "hello" }] }],
  params: {},
};

const JSON_TYPE = { "content-type": "application/json" };
const STREAM_TYPE = { "content-type": "text/event-stream" };

/** What a provider on `wire` answers to the same request twice, and how often its server was asked. */
async function countTwice(
  wire: keyof typeof WIRES,
  status: number,
  headers: Readonly<Record<string, string>>,
  answer: string,
): Promise<{ readonly counts: readonly unknown[]; readonly asked: number }> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked++;
    request.resume().on("end", () => response.writeHead(status, headers).end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const { createProvider } = await WIRES[wire]();
  const provider = createProvider({ id: "p", baseUrl, lessons: createLessonBook() });
  const { signal } = new AbortController();
  const counts = [
    await provider.countTokens?.(REQUEST, signal),
    await provider.countTokens?.(REQUEST, signal),
  ];
  return { counts, asked };
}

it.each([
  ["messages", '{"input_tokens":7}'],
  ["responses", '{"input_tokens":7}'],
  ["gemini", '{"totalTokens":7}'],
] as const)("a count of tokens is the provider's own (%s)", async (wire, answer) => {
  expect(await countTwice(wire, 200, JSON_TYPE, answer)).toEqual({ counts: [7, 7], asked: 2 });
});

// Each count sends the whole conversation.
it.each([
  ["no such address", 404, JSON_TYPE, '{"error":{"message":"not found"}}', 1],
  ["an answer of the model in place of a count", 200, STREAM_TYPE, 'data: {"type":"message_start"}\n\n', 1],
  ["an object without a count", 200, JSON_TYPE, "{}", 1],
  ["no room at the moment (twin: it may count the next time)", 529, JSON_TYPE, "{}", 2],
] as const)(
  "a provider that cannot count tokens is asked once: %s",
  async (_, status, headers, answer, asked) => {
    for (const wire of ["messages", "responses", "gemini"] as const)
      expect(await countTwice(wire, status, headers, answer)).toEqual({
        counts: [undefined, undefined],
        asked,
      });
  },
);
