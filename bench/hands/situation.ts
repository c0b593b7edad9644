// One situation: what there is, what the model does, and what is right. Run in a fresh home and folder against a scripted model.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createWorkplace, type RunOptions, type Workplace } from "../../tests/support/indus.ts";
import {
  type RecordedRequest,
  type ScriptedTurn,
  startModelServer,
} from "../../tests/support/model-server.ts";
import { clockMs } from "../clock.ts";

/** Text that is exactly this, or has this in it. */
export type Expected = string | RegExp;

/** What is checked; what is left out is not. */
export interface Right {
  /** What the model reads of each call, in turn. */
  readonly read?: readonly Expected[];
  /** Files afterwards. Bytes above 127 are Latin-1. */
  readonly files?: Readonly<Record<string, string>>;
  /** The last answer on stdout of `-p`. */
  readonly stdout?: Expected;
  readonly stderr?: RegExp;
  /** Default 0. */
  readonly code?: number;
  /** In the first request's messages and prompt. */
  readonly asked?: RegExp;
  readonly requests?: number;
  /** By how many bytes of JSON the messages may grow; before the first answer, how many they may be. */
  readonly bytes: number;
  /** Default 10. */
  readonly seconds?: number;
}

export interface Situation {
  readonly group: string;
  readonly name: string;
  /** In words, for the guide. */
  readonly gets: string;
  readonly right: Right;
  /** Programs without which there is nothing to try. */
  readonly needs?: readonly string[];
  readonly prepare?: (place: Workplace) => void;
  /** The model's turns before it says "done"; by default none. */
  readonly turns?: readonly ScriptedTurn[];
  readonly wire?: "anthropic" | "openai";
  readonly task?: string;
  readonly how?: RunOptions;
}

export interface Tried {
  readonly bytes: number;
  readonly seconds: number;
  /** Everything that is not right. */
  readonly wrong: readonly string[];
}

/** The program that is missing here; undefined if it can be tried. */
export function missingFor({ needs = [] }: Situation): string | undefined {
  return needs.find((program) => spawnSync("sh", ["-c", 'command -v "$0"', program]).status !== 0);
}

export async function tryOut(situation: Situation): Promise<Tried> {
  const { turns = [], wire = "anthropic", task = "go", how = {}, right } = situation;
  const server = await startModelServer((_request, index) => turns[index] ?? { text: "done" });
  try {
    const place = createWorkplace(server.url);
    situation.prepare?.(place);
    const args = ["-p", task, "--model", `${wire}/scripted`, "--permission-mode", "bypass"];
    const startedMs = clockMs();
    const ended = await place.runAlone(args, { deadlineMs: 60_000, ...how });
    const seconds = (clockMs() - startedMs) / 1_000;
    const { requests } = server;
    const bytes = messageBytes(requests.at(-1)) - (requests.length > 1 ? messageBytes(requests[0]) : 0);
    const files = Object.keys(right.files ?? {}).map(
      (path) => [path, contentOf(join(place.cwd, path))] as const,
    );
    const read = place.logs().length === 0 ? [] : outcomes(place);
    const wrong = [
      ...differences("read", right.read ?? [], read),
      ...differences("stdout", [right.stdout], [ended.stdout.trimEnd()]),
      ...differences("stderr", [right.stderr], [ended.stderr]),
      ...differences("code", [String(right.code ?? 0)], [String(ended.code)]),
      ...differences("asked", [right.asked], [JSON.stringify(requests[0]?.body ?? "")]),
      ...files.flatMap(([path, content]) => differences(path, [right.files?.[path]], [content])),
      ...(right.requests === undefined || right.requests === requests.length
        ? []
        : [`${requests.length} requests instead of ${right.requests}`]),
      ...(bytes > right.bytes ? [`${bytes} bytes instead of at most ${right.bytes}`] : []),
      ...(seconds > (right.seconds ?? 10) ? [`${seconds.toFixed(1)} s`] : []),
    ];
    return { bytes, seconds, wrong };
  } finally {
    await server.close();
  }
}

function outcomes(place: Workplace): readonly string[] {
  return place.entries().flatMap((entry) => (entry.type === "tool" ? [entry.text] : []));
}

/** Without the prompt, which is a message on some wires. */
function messageBytes(request: RecordedRequest | undefined): number {
  const messages = (request?.body.messages ?? []) as readonly { readonly role: string }[];
  return Buffer.byteLength(JSON.stringify(messages.filter(({ role }) => role !== "system")));
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "(no such file)";
  }
}

const SHOWN = 300;

function differences(
  what: string,
  expected: readonly (Expected | undefined)[],
  found: readonly string[],
): readonly string[] {
  return expected.flatMap((each, at) => {
    const text = found[at] ?? "(nothing)";
    const isRight = each === undefined || (typeof each === "string" ? text === each : each.test(text));
    return isRight
      ? []
      : [`${what} ${at + 1}: ${JSON.stringify(text.slice(0, SHOWN))} instead of ${String(each)}`];
  });
}
