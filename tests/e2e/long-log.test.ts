// A log of 200 MB: going on with it takes memory for its entries, not for all that was said in them.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSharedWorkplace } from "../support/indus.ts";
import { isLong } from "../support/long-form.ts";
import { measuredNode } from "../support/measured-node.ts";
import { PATIENCE_MS } from "../support/until.ts";

const TURNS = 20_000;
const WORDS = "what was said in it is of no importance ".repeat(130);
/** It takes 230 MB; how much V8 has not collected yet differs. */
const MOST_MEMORY = 290 * 1024 ** 2;
const REPLY = { message: { role: "assistant", content: [{ kind: "text", text: "Done." }] } };
const USAGE = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };

it.runIf(isLong)(
  "going on with 20,000 turns takes at most 290 MB of memory",
  { timeout: 4 * PATIENCE_MS },
  async () => {
    const { run, home, file, logs, entries } = await createSharedWorkplace();
    const tape = file(
      "tape.jsonl",
      `{"cassette":1,"about":"x"}\n${JSON.stringify({ turn: 1, reply: REPLY })}\n`,
    );
    await run(["-p", "begin", "--cassette", tape]);
    let n = Number(entries().at(-1)?.n);
    const lineOf = (body: object): string => `${JSON.stringify({ n: ++n, at: Date.now(), ...body })}\n`;
    const turns = Array.from({ length: TURNS }, (_, turn) => {
      const call = { kind: "tool_call", id: `c${turn}`, name: "read", input: { path: `src/${turn}.ts` } };
      const content = [{ kind: "text", text: WORDS }, call];
      return [
        lineOf({ type: "user", via: "submit", content: [{ kind: "text", text: `line ${turn}` }] }),
        lineOf({
          type: "assistant",
          message: { role: "assistant", content },
          stop: "tool_calls",
          usage: USAGE,
        }),
        lineOf({ type: "tool", callId: call.id, name: "read", state: "ok", text: WORDS, durationMs: 1 }),
        lineOf({ type: "end", how: "complete", turns: turn + 2 }),
      ];
    });
    writeFileSync(logs()[0] ?? "", turns.flat().join(""), { flag: "a" });
    const peak = join(home, "peak");
    const ended = await run(["-p", "go on", "-c", "--cassette", tape], { env: measuredNode(home, peak) });
    expect(ended).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(entries().at(-1)).toMatchObject({ type: "end", turns: TURNS + 2 });
    expect(Number(readFileSync(peak, "utf8")) * 1024).toBeLessThan(MOST_MEMORY);
  },
);
