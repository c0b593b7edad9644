// What hiding secrets costs in a run: every text of its log is passed through the masking code again and timed.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createSecretMask } from "indusagi/core";
import type { ConductorEvent, Entry } from "../packages/induscode/src/conductor/contract.ts";
import { createMaskedEvents, maskedBody } from "../packages/induscode/src/conductor/masked.ts";
import { clockMs } from "./clock.ts";

/** As many credentials as a large environment contains, all different. */
export const secretEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 20 }, (_, number) => [
    `BENCH_TOKEN_${number}`,
    Buffer.from(`secret ${number} of the bench, ${number * 7919}`).toString(
      number % 2 === 0 ? "base64" : "hex",
    ),
  ]),
);

/** The size of the log below `home`, and the time to mask its texts once, including code that is not warm yet. */
export function measureMasking(home: string): { readonly maskingMs: number; readonly megabytes: number } {
  const log = readdirSync(home, { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith(".jsonl"),
  );
  if (log === undefined) throw new Error(`there is no session log below ${home}`);
  const lines = readFileSync(join(home, log), "utf8").trim().split("\n");
  const entries = lines.map((line) => JSON.parse(line) as Entry);
  const mask = createSecretMask();
  const told: ConductorEvent[] = [];
  const startedMs = clockMs();
  for (const [name, value] of Object.entries(secretEnvironment)) mask.add(name, value);
  const events = createMaskedEvents(mask, (event) => told.push(event));
  for (const entry of entries) {
    if (entry.type === "assistant")
      for (const block of entry.message.content) if (block.kind === "text") stream(block.text, events.emit);
    if (entry.type === "tool") mask.value({ content: [{ kind: "text", text: entry.text }] }); // the boundary's part
    events.flush();
    maskedBody(mask, entry);
    mask.text(JSON.stringify(entry)); // as `--json` prints it
  }
  return { maskingMs: clockMs() - startedMs, megabytes: Buffer.byteLength(lines.join("\n")) / 1e6 };
}

function stream(text: string, emit: (event: ConductorEvent) => void): void {
  for (let at = 0; at < text.length; at += 4)
    emit({ kind: "delta", delta: { kind: "text", text: text.slice(at, at + 4) } });
}
