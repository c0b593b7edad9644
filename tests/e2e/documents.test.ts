// `read` of a PDF, through the real command, against servers that refuse what the real ones refuse: the model is shown it where its
// wire takes documents; elsewhere it reads a line in its place, and the person hears it once.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { WireName } from "../../packages/indusagi/src/llmgateway/wires/table.ts";
import { createSharedWorkplace } from "../support/indus.ts";
import { pdf } from "../support/pdf.ts";
import { startStrictServer } from "../support/strict/server.ts";

const DOCUMENT = pdf(2);
const DATA = DOCUMENT.toString("base64");

it.each<[WireName, string]>([
  ["messages", "claude-opus-5-5"],
  ["responses", "gpt-6.1-sol"],
  ["gemini", "gemini-3.1-pro-preview"],
  ["gemini", "gemini-2.5-flash"],
  ["chat", "deepseek-v4"],
])("%s, %s: a document that is attached and one that is read", async (wire, model) => {
  const calls = ["paper", "long.pdf"].map((path) => ({ name: "read", input: { path } }));
  const server = await startStrictServer((at) =>
    at === 0 ? { thinking: "I look.", calls } : at === 1 ? { calls: calls.slice(0, 1) } : { text: "done" },
  );
  onTestFinished(() => server.close());
  const { run, home, bytes, entries, problems } = createSharedWorkplace();
  const baseUrl = server.url + (wire === "gemini" ? "/v1beta" : "/v1");
  const strict = {
    wire,
    baseUrl,
    apiKey: "key-of-strict-1234",
    models: { [model]: { contextWindow: 400_000 } },
  };
  writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { strict } }));
  bytes("paper", DOCUMENT); // its name says nothing
  bytes("at.pdf", pdf(1));
  bytes("long.pdf", pdf(101, true));
  const { code, stderr } = await run([
    "-p",
    "--model",
    `strict/${model}`,
    "--thinking",
    "high",
    "look",
    "@at.pdf",
  ]);
  expect([code, server.refusals]).toEqual([0, []]);
  const [first = "", second = "", third = ""] = server.bodies.map((body) => JSON.stringify(body));
  expect(second).toContain(
    `A document (application/pdf, ${DOCUMENT.length} bytes, 2 pages), shown with this result.`,
  );
  expect(second).toContain("it has 101 pages; the limit is 100");
  const isShown = wire !== "chat";
  expect(first.includes(pdf(1).toString("base64"))).toBe(isShown);
  expect([second, third].map((body) => body.split(DATA).length - 1)).toEqual(isShown ? [1, 2] : [0, 0]);
  const left = "[A document (application/pdf) is omitted here: a model on this API cannot see it.";
  expect([first, third].map((body) => body.split(left).length - 1)).toEqual(isShown ? [0, 0] : [1, 3]);
  expect(stderr.split("does not accept documents")).toHaveLength(isShown ? 1 : 2);
  expect(entries().find(({ type }) => type === "tool")).toMatchObject({
    images: [{ kind: "image", mediaType: "application/pdf", data: DATA }],
  });
  expect(problems()).toEqual([]);
});
