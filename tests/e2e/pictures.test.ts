// `read` of a picture, through the real command: the model sees it, the log holds it, and where it cannot be shown that is said.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ScriptedTurn } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const LOOK: ScriptedTurn = { calls: [{ name: "read", input: { path: "shot" } }] };
const DATA = PNG.toString("base64");

it.each(["anthropic/x", "openai/x"])("%s sees it, also when the session goes on", async (model) => {
  const { run, bytes, server, entries } = await createServedShared([
    LOOK,
    { text: "a dot" },
    { text: "still" },
  ]);
  bytes("shot", PNG); // its name says nothing
  expect(await run(["-p", "--model", model, "look"])).toMatchObject({ code: 0, stdout: "a dot\n" });
  expect(server.requests[1]?.rawBody).toContain(DATA);
  expect(server.requests[1]?.rawBody).toContain(
    `A picture (image/png, ${PNG.length} bytes), shown with this result.`,
  );
  expect(entries().find(({ type }) => type === "tool")).toMatchObject({
    images: [{ kind: "image", mediaType: "image/png", data: DATA }],
  });
  expect((await run(["-p", "--model", model, "-c", "and now?"])).code).toBe(0);
  expect(server.requests[2]?.rawBody).toContain(DATA);
  expect((await run(["session", "verify"])).code).toBe(0);
});

it("a model that takes none reads a line in its place, and the person hears it once", async () => {
  const refusal: ScriptedTurn = {
    trouble: { kind: "status", status: 400, message: "This model does not support image input" },
  };
  const { run, bytes, server } = await createServedShared(({ rawBody }, index) =>
    rawBody.includes(DATA) ? refusal : index < 4 ? LOOK : { text: "I see none" },
  );
  bytes("shot", PNG);
  const { code, stderr, stdout } = await run(["-p", "--model", "openai/x", "look"]);
  expect([code, stdout]).toEqual([0, "I see none\n"]);
  expect(stderr.split("does not accept pictures")).toHaveLength(2);
  expect(server.requests.filter(({ rawBody }) => rawBody.includes(DATA))).toHaveLength(1);
  expect(server.requests.at(-1)?.rawBody).toContain("[A picture (image/png) is omitted here:");
});

it("the person's word in models.json counts: not one is sent", async () => {
  const { run, home, bytes, server } = await createServedShared([LOOK, { text: "none" }]);
  writeFileSync(join(home, "models.json"), JSON.stringify({ models: { "openai/x": { images: false } } }));
  bytes("shot", PNG);
  expect((await run(["-p", "--model", "openai/x", "look"])).code).toBe(0);
  expect(server.requests.map(({ rawBody }) => rawBody.includes(DATA))).toEqual([false, false]);
});

it("one that is too large, and what only begins like one, are refused in words", async () => {
  const { run, bytes, server } = await createServedShared([LOOK, { text: "too large" }]);
  bytes("shot", Buffer.concat([PNG, Buffer.alloc(3_750_000)]));
  expect((await run(["-p", "--model", "openai/x", "look"])).code).toBe(0);
  expect(server.requests[1]?.rawBody).toContain("Make a smaller copy and read that.");
});
