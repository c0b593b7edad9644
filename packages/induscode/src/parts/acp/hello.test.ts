import { PassThrough } from "node:stream";
import { PROTOCOL_VERSION } from "@agentclientprotocol/sdk/unstable";

import { expect, it } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { boundedLines } from "../../channels/bounded-lines.ts";
import { createAgent } from "./agent.ts";
import type { EditorSessions } from "./editor-sessions.ts";
import { answerToHello, type Hello } from "./hello.ts";
import { editorStream } from "./serve-editor.ts";

const MAX_BYTES = 1_000_000;

/** What the library says to these lines, of which the first may have been answered already. */
async function answersOfLibrary(
  [first = "", ...rest]: readonly string[],
  answered?: Hello,
): Promise<readonly unknown[]> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end(rest.map((line) => `${line}\n`).join(""));
  const ends = {
    first: Buffer.from(`${first}\n`),
    lines: boundedLines(input, MAX_BYTES),
    maxBytes: MAX_BYTES,
  };
  const sessions = { find: () => undefined } as unknown as EditorSessions;
  const agent = createAgent(sessions, {} as never, () => undefined);
  await agent.connect(editorStream({ ...ends, answered, output })).closed;
  output.end();
  const said = await output.toArray();
  const lines = Buffer.concat(said).toString().split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as unknown);
}

const line = (message: object): string => JSON.stringify({ jsonrpc: "2.0", ...message });
const hello = (id: unknown, params: unknown): string => line({ id, method: "initialize", params });

it("names the version of the protocol that the library speaks", () => {
  expect(answerToHello(Buffer.from(hello(0, { protocolVersion: 1 })))?.result.protocolVersion).toBe(
    PROTOCOL_VERSION,
  );
});

it("is what the library answers as well, whatever the editor says of itself", async () => {
  const odd = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.boolean());
  const capabilities = fc.record(
    { fs: odd, terminal: odd, plan: odd, auth: fc.oneof(odd, fc.record({ terminal: odd, _meta: odd })) },
    { requiredKeys: [] },
  );
  const params = fc.record(
    {
      protocolVersion: fc.oneof(fc.integer({ min: -1, max: 65_536 }), odd),
      clientCapabilities: fc.oneof(capabilities, odd),
      clientInfo: odd,
      _meta: odd,
    },
    { requiredKeys: [] },
  );
  const ids = fc.oneof(fc.integer(), fc.string(), odd);
  await fc.assert(
    fc.asyncProperty(ids, fc.oneof({ weight: 9, arbitrary: params }, odd), async (id, given) => {
      const text = hello(id, given);
      const early = answerToHello(Buffer.from(text));
      if (early === undefined) return;
      expect(await answersOfLibrary([text])).toEqual([early]);
      expect(await answersOfLibrary([text], early)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

it.each([
  ["a version that is none", hello(0, { protocolVersion: "1" })],
  ["an id that is none", hello([], { protocolVersion: 1 })],
  ["no parameters", hello(0, undefined)],
  ["another request", line({ id: 0, method: "session/new", params: {} })],
  ["a list of messages", `[${hello(0, { protocolVersion: 1 })}]`],
  ["no JSON", "hello"],
])("is left to the library if the line is %s", async (_what, text) => {
  expect(answerToHello(Buffer.from(text))).toBeUndefined();
  expect(JSON.stringify(await answersOfLibrary([text]))).toMatch(/"error"/);
});

it("comes once, and what follows is answered after it", async () => {
  const text = hello(7, { protocolVersion: 1 });
  const next = line({ id: 8, method: "authenticate", params: { methodId: "keys" } });
  const again = hello(9, { protocolVersion: 1 });
  const answered = answerToHello(Buffer.from(text));
  expect(await answersOfLibrary([text, next, again], answered)).toEqual([
    { jsonrpc: "2.0", id: 8, result: {} },
    { ...answered, id: 9 },
  ]);
});
