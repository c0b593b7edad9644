// What a provider says of its limits, through the real command: in the log, as JSON, in the status line and in the line of a wait.

import { expect, it } from "vitest";
import { openRichConsole } from "../support/open-console.ts";
import { createServedShared } from "../support/served-workplace.ts";

const HEADERS = {
  "anthropic-ratelimit-requests-limit": "50",
  "anthropic-ratelimit-requests-remaining": "49",
  "anthropic-ratelimit-input-tokens-limit": "1000",
  "anthropic-ratelimit-input-tokens-remaining": "40",
};
const LIMITS = [
  { what: "requests", remaining: 49, limit: 50 },
  { what: "input tokens", remaining: 40, limit: 1_000 },
];

it("are in the entry of the answer, in the log and as JSON, on both wires", async () => {
  for (const model of ["anthropic/scripted", "openai/scripted"]) {
    const place = await createServedShared([{ text: "done", headers: HEADERS }]);
    const { stdout } = await place.run(["--json", "--model", model, "go"]);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly type?: string });
    const answers = lines.filter((line) => line.type === "assistant");
    expect(answers).toMatchObject([{ limits: LIMITS }]);
    expect(place.entries().filter(({ type }) => type === "assistant")).toMatchObject([{ limits: LIMITS }]);
    expect((await place.run(["session", "verify"])).code).toBe(0);
  }
});

it("are not in the entry of a provider that states none", async () => {
  const place = await createServedShared([{ text: "done" }]);
  await place.run(["-p", "--model", "anthropic/scripted", "go"]);
  expect(place.entries().find(({ type }) => type === "assistant")).not.toHaveProperty("limits");
});

it("the one that is used up is named while it is waited for", async () => {
  const headers = { "retry-after": "0", "anthropic-ratelimit-input-tokens-remaining": "0" };
  const trouble = { kind: "status", status: 429, message: "slow down", headers } as const;
  const place = await createServedShared([{ trouble }, { text: "done" }]);
  const { stderr } = await place.run(["-p", "--model", "anthropic/scripted", "go"]);
  expect(stderr).toContain("[rate limit reached (input tokens): retrying in");
});

it("are in the status line when they are nearly used up, and only then", async () => {
  const { type, waitFor, screen } = await openRichConsole([
    { text: "first", headers: HEADERS },
    { text: "second", headers: { ...HEADERS, "anthropic-ratelimit-input-tokens-remaining": "500" } },
  ]);
  type("go\r");
  await waitFor(/input tokens 4 % left/);
  expect(screen()).not.toContain("requests 98");
  type("go on\r");
  await waitFor(/second[\s\S]*\n\n›[^\n]*\n *anthropic(?![^\n]*left)[^\n]*$/);
});
