// Google's models on their own wire, through the real command: signatures of thought go back with their calls.

import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createSharedWorkplace } from "../support/indus.ts";

type Loose = Readonly<Record<string, unknown>>;
interface Turn {
  readonly role: string;
  readonly parts: readonly Loose[];
}

/** Why the real API would answer 400: turns that do not alternate, calls without their outcomes or without a proof. */
function refusal({ contents }: { readonly contents: readonly Turn[] }): string | undefined {
  for (const [at, { role, parts }] of contents.entries()) {
    if (role !== (at % 2 === 0 ? "user" : "model")) return `turn ${at}: ${role}`;
    const calls = parts.filter((part) => part.functionCall);
    if (calls.length > 0 && calls[0]?.thoughtSignature === undefined)
      return "Function call is missing a thought_signature";
    const outcomes = contents[at + 1]?.parts.filter((part) => part.functionResponse) ?? [];
    if (calls.length !== outcomes.length) return "function response parts must equal function call parts";
  }
  return undefined;
}

it("works with tools, and what was signed goes back", async () => {
  const bodies: { readonly contents: readonly Turn[]; readonly generationConfig?: Loose }[] = [];
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as (typeof bodies)[number];
      asked.push(request.url, String(request.headers["x-goog-api-key"]));
      const problem = refusal(body);
      if (problem !== undefined) {
        response.writeHead(400, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { code: 400, message: problem, status: "INVALID_ARGUMENT" } }));
        return;
      }
      bodies.push(body);
      const call = { functionCall: { name: "read", args: { path: "a.txt" } } };
      const parts =
        bodies.length === 1
          ? [{ text: "I look.", thought: true }, { ...call, thoughtSignature: "cHJvb2Y=" }, call]
          : [{ text: "done" }];
      const usageMetadata = { promptTokenCount: 50, candidatesTokenCount: 5, thoughtsTokenCount: 7 };
      response.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = {
        candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
        usageMetadata,
      };
      response.end(`data: ${JSON.stringify(chunk)}\r\n\r\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const place = createSharedWorkplace("http://127.0.0.1:9");
  const google = { wire: "gemini", baseUrl: `${url}/v1beta`, apiKey: "key-of-google-1234" };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ providers: { google } }));
  place.file("a.txt", "the text\n");
  const args = ["-p", "--model", "google/gemini-3.1-pro-preview", "--thinking", "high", "look"];
  expect(await place.run(args)).toMatchObject({ code: 0, stdout: "done\n" });
  const address = "/v1beta/models/gemini-3.1-pro-preview:streamGenerateContent?alt=sse";
  expect(asked).toEqual([address, "key-of-google-1234", address, "key-of-google-1234"]);
  expect(bodies[0]?.generationConfig).toEqual({
    thinkingConfig: { includeThoughts: true, thinkingLevel: "high" },
  });
  const [, model, outcomes] = bodies[1]?.contents ?? [];
  expect(model?.parts).toEqual([
    { functionCall: { name: "read", args: { path: "a.txt" } }, thoughtSignature: "cHJvb2Y=" },
    { functionCall: { name: "read", args: { path: "a.txt" } } },
  ]);
  expect(outcomes?.parts).toHaveLength(2);
  const usage = { inputTokens: 50, outputTokens: 12 };
  expect(place.entries().filter(({ type }) => type === "assistant")).toMatchObject([{ usage }, { usage }]);
});

it("the twin: the server refuses a call without its proof", () => {
  const call = { functionCall: { name: "read", args: {} } };
  const contents = [
    { role: "user", parts: [{ text: "x" }] },
    { role: "model", parts: [call] },
    { role: "user", parts: [{ functionResponse: { name: "read" } }] },
  ];
  expect(refusal({ contents })).toContain("thought_signature");
});

it("a key that Google does not take is said to be the matter, though it answers 400", async () => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }];
  const error = { code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT", details };
  const server = createServer((_, response) => {
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const place = createSharedWorkplace();
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1beta`;
  const google = { wire: "gemini", baseUrl, apiKeyEnv: "GEMINI_API_KEY" };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ providers: { google } }));
  const { code, stderr } = await place.run(["-p", "--model", "google/gemini-3.8-flash", "hello"], {
    env: { GEMINI_API_KEY: "key-of-nobody-1234" },
  });
  expect(code).toBe(1);
  expect(stderr).toContain("google refused the key (400): API key not valid. Check GEMINI_API_KEY.");
});
