// Plays a recorded answer of a provider through the wire's own reader, whole and disturbed, and says how what came out
// differs from what was expected.

import type {
  AssistantMessage,
  ModelReply,
  ModelRequest,
} from "../../packages/indusagi/src/llmgateway/contract.ts";
import {
  type Correspondent,
  faultOfAnswer,
  faultOfFailure,
} from "../../packages/indusagi/src/llmgateway/model-faults.ts";
import { createSseReader } from "../../packages/indusagi/src/llmgateway/sse.ts";
import type { Wire } from "../../packages/indusagi/src/llmgateway/wires/contract.ts";
import { WIRES } from "../../packages/indusagi/src/llmgateway/wires/table.ts";

/** One recorded answer. `events` is a short way to write `body`: each an object, or a text sent as it is. */
export interface Recording {
  readonly id: string;
  readonly wire: string;
  readonly model?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly events?: readonly unknown[];
  readonly expected?: Expected | null;
  /** What the next request must contain, as it stands in its JSON. */
  readonly mustReturn?: readonly string[] | null;
}

/** What a recording is; a field that is left out is not compared, and the id `*` is any. */
export interface Expected {
  readonly ok: boolean;
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly stop?: string;
  readonly usage?: {
    readonly in: number;
    readonly out: number;
    readonly read: number;
    readonly write: number;
  };
  /** Of a fault. */
  readonly kind?: string;
  /** Words of its message. */
  readonly says?: string;
  /** Why what a foreign yardstick says of it does not hold here. */
  readonly skip?: string;
}

const WIRE_NAMES: Readonly<Record<string, keyof typeof WIRES>> = { openai: "chat", anthropic: "messages" };

/** The wire of a recording; undefined for one that there is none for. */
export async function wireOf({ wire }: Recording): Promise<Wire | undefined> {
  const name = WIRE_NAMES[wire] ?? wire;
  return Object.hasOwn(WIRES, name) ? WIRES[name as keyof typeof WIRES]() : undefined;
}

/** The text of a recording's answer. */
export function bodyOf({ body, events = [] }: Recording): string {
  if (body !== undefined) return body;
  return events
    .map((event) => {
      if (typeof event === "string") return `${event}\n\n`;
      const { type } = event as { readonly type?: unknown };
      const name = typeof type === "string" ? `event: ${type}\n` : "";
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join("");
}

const WHOM: Correspondent = { id: "recorded", url: new URL("https://recorded.example/v1"), secrets: [] };

export interface Played {
  readonly outcome: Expected;
  readonly message?: AssistantMessage;
  readonly deltas: readonly string[];
}

/** What the wire makes of an answer that comes in these pieces. */
export function play(wire: Wire, recording: Recording, pieces: readonly Buffer[]): Played {
  const { status = 200, headers = {} } = recording;
  const deltas: string[] = [];
  if (status >= 300) {
    const body = Buffer.concat([...pieces]).toString("utf8");
    return { outcome: failed(faultOfAnswer(WHOM, { status, headers, body })), deltas };
  }
  const reader = wire.createReader(WHOM, (delta) =>
    deltas.push(delta.kind === "tool_call" ? `${delta.kind} ${delta.id} ${delta.name}` : delta.kind),
  );
  let end: ReturnType<typeof reader.read>;
  const events = createSseReader((data) => {
    if (end === undefined) end = reader.read(data);
  });
  for (const piece of pieces) if (end === undefined) events.feed(piece);
  if (end !== undefined && end !== "done") return { outcome: failed(end), deltas };
  const reply = reader.reply() ?? faultOfFailure(WHOM, "cut");
  if ("kind" in reply) return { outcome: failed(reply), deltas };
  return { outcome: outcomeOf(reply), message: reply.message, deltas };
}

function failed({ kind, message }: { readonly kind: string; readonly message: string }): Expected {
  return { ok: false, kind, says: message };
}

function outcomeOf({ message, stop, usage }: ModelReply): Expected {
  const textOf = (kind: "text" | "thinking"): string =>
    message.content
      .map((block) => (block.kind === kind ? (block as { readonly text: string }).text : ""))
      .join("");
  return {
    ok: true,
    text: textOf("text"),
    thinking: textOf("thinking"),
    calls: message.content.flatMap((block) =>
      block.kind === "tool_call"
        ? [{ id: block.id, name: block.name, input: block.unparsed ?? block.input }]
        : [],
    ),
    stop,
    usage: {
      in: usage.inputTokens,
      out: usage.outputTokens,
      read: usage.cacheReadTokens,
      write: usage.cacheWriteTokens,
    },
  };
}

/** How `found` differs from `expected`, a line for each field. */
export function differences(found: Expected, expected: Expected): readonly string[] {
  const lines: string[] = [];
  for (const [name, wanted] of Object.entries(expected)) {
    if (name === "proofs") continue;
    const got = found[name as keyof Expected];
    if (name === "says" && typeof got === "string" && got.includes(String(wanted))) continue;
    if (name === "calls" && sameCalls(got as Expected["calls"], wanted as Expected["calls"])) continue;
    if (sorted(got) !== sorted(wanted)) lines.push(`${name}: expected ${short(wanted)}, found ${short(got)}`);
  }
  return lines;
}

function sameCalls(found: Expected["calls"] = [], wanted: Expected["calls"] = []): boolean {
  const anyId = (calls: NonNullable<Expected["calls"]>) =>
    calls.map((call, at) => (wanted[at]?.id === "*" ? { ...call, id: "*" } : call));
  return sorted(anyId(found)) === sorted(anyId(wanted));
}

/** JSON with the keys of every object in order, so that two values are the same text when they are the same. */
function sorted(value: unknown): string {
  return (
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === "object" && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
        : each,
    ) ?? "nothing"
  );
}

function short(value: unknown): string {
  const text = sorted(value);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

/** Forms in which an answer means the same, by name. */
export function sameForms(body: string): readonly (readonly [string, readonly Buffer[]])[] {
  const whole = Buffer.from(body);
  const bytes = Array.from(whole, (_, at) => whole.subarray(at, at + 1));
  const comments = body.replaceAll("\n\n", "\n\n: still here\n\n");
  return [
    ["one byte at a time", bytes],
    ["in random pieces", randomPieces(whole)],
    ["with CRLF", [Buffer.from(body.replaceAll(/\r?\n/g, "\r\n"))]],
    ["with CRLF, one byte at a time", split(Buffer.from(body.replaceAll(/\r?\n/g, "\r\n")), 1)],
    ["with CR", [Buffer.from(body.replaceAll(/\r?\n/g, "\r"))]],
    ["with comments", [Buffer.from(comments)]],
    ["behind a byte order mark", [Buffer.from(`\ufeff${body}`)]],
  ];
}

function split(bytes: Buffer, size: number): readonly Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

/** Pieces of 1 to 40 bytes, the same ones every time. */
function randomPieces(bytes: Buffer): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let seed = 20_261_122;
  for (let at = 0; at < bytes.length; ) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    const size = 1 + (seed % 40);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

const MAX_CUTS = 300;

/** The answer up to the end of each of its events but the last, and to its middle. */
export function cutForms(body: string): readonly Buffer[] {
  const ends = [...body.matchAll(/\r?\n\r?\n/g)].map((found) => found.index + found[0].length);
  const inner = ends.filter((end) => end < body.trimEnd().length);
  const step = Math.max(1, Math.ceil(inner.length / MAX_CUTS));
  const cuts = [Math.floor(body.length / 2), ...inner.filter((_, at) => at % step === 0)];
  return cuts.map((end) => Buffer.from(body.slice(0, end)));
}

/** Everything that is not as it should be with one recording, a line each. */
export async function check(recording: Recording): Promise<readonly string[]> {
  const wire = await wireOf(recording);
  if (!wire) return [`there is no wire "${recording.wire}"`];
  const body = bodyOf(recording);
  const whole = play(wire, recording, [Buffer.from(body)]);
  const { expected } = recording;
  const problems = [...(expected && expected.skip === undefined ? differences(whole.outcome, expected) : [])];
  for (const [name, pieces] of sameForms(body)) {
    const played = play(wire, recording, pieces);
    const changed = differences(stable(played.outcome), stable(whole.outcome));
    problems.push(...changed.map((line) => `${name}: ${line}`));
  }
  if ((recording.status ?? 200) < 300) {
    for (const cut of cutForms(body)) {
      const { outcome } = play(wire, recording, [cut]);
      if (!outcome.ok) continue;
      // What came behind the end of an answer may be missing: its counts.
      const { usage, ...rest } = stable(outcome);
      const { usage: counted, ...wanted } = stable(whole.outcome);
      problems.push(...differences(rest, wanted).map((line) => `cut after ${cut.length} bytes: ${line}`));
    }
  }
  for (const proof of recording.mustReturn ?? []) {
    const next = whole.message
      ? wire.createWriter(WHOM.id)(nextRequest(recording, whole.message)).join("")
      : "";
    if (!next.includes(proof)) problems.push(`the next request lacks ${short(proof)}`);
  }
  return problems;
}

const MADE_HERE = /^call_[0-9a-hjkmnp-tv-z]{17}$/;

/** An id that was made here is another each time. */
function stable(outcome: Expected): Expected {
  if (outcome.calls === undefined) return outcome;
  const calls = outcome.calls.map((call) => (MADE_HERE.test(call.id) ? { ...call, id: "*" } : call));
  return { ...outcome, calls };
}

/** What is sent after a reply: every call answered. */
function nextRequest({ model = "m" }: Recording, message: AssistantMessage): ModelRequest {
  return {
    model,
    system: "Be brief.",
    tools: [],
    messages: [
      { role: "user", content: [{ kind: "text", text: "hello" }] },
      message,
      ...message.content.flatMap((block) =>
        block.kind === "tool_call"
          ? [{ role: "tool" as const, callId: block.id, name: block.name, text: "done", isError: false }]
          : [],
      ),
      { role: "user", content: [{ kind: "text", text: "go on" }] },
    ],
    params: {},
  };
}
