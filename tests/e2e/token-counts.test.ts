// The provider's own count of tokens, through the real command, held by servers that refuse what the real ones refuse: near the
// window's end it decides whether the session is compacted, and `/context` shows it. A server that counts nothing is not in the way.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { WireName } from "../../packages/indusagi/src/llmgateway/wires/table.ts";
import { createSharedWorkplace, type Finished } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { type StrictServer, startStrictServer } from "../support/strict/server.ts";

const MODELS: Readonly<Record<WireName, string>> = {
  chat: "deepseek-v4",
  gemini: "gemini-3.1-pro-preview",
  messages: "claude-opus-5-5",
  responses: "gpt-6.1-sol",
};
/** What is read comes, by its length, to more than four fifths of this window together with the prompt. */
const WINDOW = 25_000;

async function readsMuch(
  wire: WireName,
  countOf: Parameters<typeof startStrictServer>[2],
): Promise<Finished & { readonly server: StrictServer }> {
  const read = { name: "read", input: { path: "a.txt" } };
  const server = await startStrictServer(
    (at, body) =>
      JSON.stringify(body).includes("Use these headings")
        ? { text: "THE SUMMARY" }
        : at === 0
          ? { thinking: "I look.", calls: [read, { name: "read", input: { path: "b.txt" } }] }
          : { text: "done" },
    undefined,
    countOf,
  );
  onTestFinished(() => server.close());
  const { run, home, file } = createSharedWorkplace();
  const baseUrl = server.url + (wire === "gemini" ? "/v1beta" : "/v1");
  const models = { [MODELS[wire]]: { contextWindow: WINDOW } };
  const strict = { wire, baseUrl, apiKey: "key-of-strict-1234", models };
  writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { strict } }));
  for (const name of ["a.txt", "b.txt"]) file(name, "a line of text that is read\n".repeat(1_000));
  const args = ["--model", `strict/${MODELS[wire]}`, "--thinking", "high"];
  return { ...(await run(args, { stdin: "read both\n/context\n/quit\n" })), server };
}

const isCompacted = ({ bodies }: StrictServer): boolean =>
  bodies.some((body) => JSON.stringify(body).includes("Use these headings"));

it.each(rows(["messages", "responses", "gemini"] as const, theFirst))(
  "%s: few tokens by its count, and the session is not compacted",
  async (wire) => {
    const { code, server, stdout } = await readsMuch(wire, () => 12_345);
    expect([code, server.refusals]).toEqual([0, []]);
    expect([server.counts.length, isCompacted(server)]).toEqual([2, false]); // before the second request, and for /context
    expect(stdout).toContain("12.3k of 25.0k tokens in the next request, as the provider counts");
  },
);

it("messages: where it counts nothing the estimate decides, and it is asked once", LONG_ONLY, async () => {
  const { code, server, stdout } = await readsMuch("messages", undefined);

  expect([code, isCompacted(server)]).toEqual([0, true]);
  expect(stdout).toContain("tokens in the last request");
});

it("chat: nothing is asked but the model", LONG_ONLY, async () => {
  const { code, server, stdout } = await readsMuch("chat", () => 1);
  expect([code, server.refusals, server.counts, isCompacted(server)]).toEqual([0, [], [], true]);
  expect(stdout).toContain("tokens in the last request");
});
