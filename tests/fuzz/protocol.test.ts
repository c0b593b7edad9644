// Whatever an addon's process writes, the host's end of the pipe reads it, refuses it, or ends the connection.

import { expect } from "vitest";
import {
  compileSchema,
  type JsonObject,
  type JsonValue,
} from "../../packages/indusagi/src/core/schema/json-schema.ts";
import {
  checkParams,
  checkResult,
} from "../../packages/induscode/src/addons/process/protocol/check-message.ts";
import {
  DEFAULT_LIMITS,
  ProtocolBreach,
} from "../../packages/induscode/src/addons/process/protocol/contract.ts";
import { createFrameReader, excessOf } from "../../packages/induscode/src/addons/process/protocol/frames.ts";
import { createPeer } from "../../packages/induscode/src/addons/process/protocol/peer.ts";
import { readMessage } from "../../packages/induscode/src/addons/process/protocol/read-message.ts";
import { METHODS, SHAPES } from "../../packages/induscode/src/addons/process/protocol/shapes.ts";
import * as fc from "../support/fast-check.ts";
import { anyText, bagOf, jsonOf, nested, textOf } from "./inputs.ts";
import { property, watchPrototypes } from "./property.ts";

watchPrototypes();

const maxDepth = 30;
const limits = { maxFrameBytes: 2_000, maxDepth, maxValues: 200 };
const keys = ["jsonrpc", "id", "method", "params", "result", "error", "Method", "ID"];

const ids = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 4 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<JsonValue>(null, "1", -1, 1.5, 2 ** 60, true, [], {}, "__proto__"),
  },
);
const methodNames = [...Object.keys(METHODS.hostToAddon), ...Object.keys(METHODS.addonToHost)];
const methods = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...methodNames) },
  { weight: 1, arbitrary: fc.constantFrom<JsonValue>("toString", "__proto__", "", 1, null) },
);
const fieldNames = Object.values(SHAPES).flatMap(({ properties = {} }) => Object.keys(properties));
const params = fc.oneof(
  bagOf({ id: ids, text: anyText, path: anyText, command: anyText }),
  jsonOf(fieldNames),
);
const message = bagOf({
  jsonrpc: fc.constantFrom("2.0", "2.0", "2.0", "2.0", "1.0", 2),
  id: ids,
  method: methods,
  params,
});
const answer = bagOf({
  jsonrpc: fc.constant("2.0"),
  id: ids,
  result: params,
  error: bagOf({ code: fc.constantFrom(-32603, 0.5, "1"), message: anyText, data: params }),
});
const garbage = textOf(
  ["{", "}", "[", "]", '"', "\\", ":", ",", '"id"', "1", "\r", "\0", "\ud800", "__proto__"],
  40,
);
const line = fc.oneof(
  { weight: 4, arbitrary: message.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: answer.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: garbage },
  { weight: 1, arbitrary: jsonOf(keys).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 60 }).map((depth) => JSON.stringify(nested(depth))) },
);
const stream = fc
  .array(fc.tuple(line, fc.constantFrom("\n", "\n", "\n", "\r\n", "\n\n", "")), { maxLength: 8 })
  .map((lines) => Buffer.from(lines.flat().join("")));
const cuts = fc.array(fc.nat(3_000), { maxLength: 5 });

function pieces(bytes: Buffer, at: readonly number[]): readonly Buffer[] {
  const places = [0, ...at.toSorted((a, b) => a - b), bytes.length];
  return places
    .slice(1)
    .map((end, index) => bytes.subarray(places[index], Math.max(end, places[index] ?? 0)));
}

function readAll(chunks: readonly Uint8Array[]): readonly unknown[] {
  const seen: unknown[] = [];
  const reader = createFrameReader({
    limits,
    onMessage: (value) => seen.push(value),
    onEmptyLine: () => seen.push("(empty)"),
  });
  for (const chunk of chunks)
    try {
      reader.receive(chunk);
    } catch (error) {
      if (!(error instanceof ProtocolBreach)) throw error;
      seen.push({ breach: error.kind }); // how much of a long line was there by then depends on the cuts
    }
  return seen;
}

property(
  "a stream is read the same wherever it is cut, and no further than its first breach",
  fc.tuple(
    fc.oneof(
      stream,
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    ),
    cuts,
  ),
  ([bytes, at]) => {
    const whole = readAll([bytes]);
    expect(readAll(pieces(bytes, at))).toEqual(whole);
    const breach = whole.findIndex((one) => Object.hasOwn(Object(one), "breach"));
    expect(breach === -1 || breach === whole.length - 1).toBe(true);
    expect(JSON.stringify(whole)).not.toContain('"__proto__":');
  },
);

property("the depth of JSON is counted as its nesting", jsonOf(["[", "]{", '"', "\\"]), (value) => {
  const depthOf = (one: JsonValue): number =>
    typeof one === "object" && one !== null
      ? 1 + Object.values(one).reduce<number>((most, item) => Math.max(most, depthOf(item)), 0)
      : 0;
  const json = Buffer.from(JSON.stringify(value));
  const isDeeper = (maxDepth: number): boolean =>
    excessOf(json, { maxDepth, maxValues: Infinity }) !== undefined;
  const depth = depthOf(value);
  expect([isDeeper(depth), depth > 0 && isDeeper(depth - 1)]).toEqual([false, depth > 0]);
});

property("a message is understood or named wrong", fc.oneof(message, answer, jsonOf(keys)), (value) => {
  const read = readMessage(value);
  if (read.kind === "broken" || read.kind === "refused") expect(read.problem).toMatch(/^[ -~]{10,600}$/);
});

property(
  "the host answers each request at most once, and nothing after a breach",
  fc.tuple(stream, cuts),
  async ([bytes, at]) => {
    const answered = new Map<unknown, number>();
    const breaches: ProtocolBreach[] = [];
    let asked = 0;
    const peer = createPeer({
      limits: { ...DEFAULT_LIMITS, ...limits, maxConcurrentRequests: 2, maxMessagesPerSecond: 6 },
      write: (text) => {
        expect(breaches).toEqual([]);
        const sent = JSON.parse(text) as JsonObject;
        if (sent.method === undefined && sent.id !== null)
          answered.set(sent.id, (answered.get(sent.id) ?? 0) + 1);
        return true;
      },
      handle: (method) => {
        asked++;
        if (method === "exec") throw new Error("refused");
        return method === "fetch" ? Promise.resolve({}) : {};
      },
      onBreach: (breach) => breaches.push(breach),
    });
    const signal = new AbortController().signal;
    const outcomes = [1, 2].map(() =>
      peer.request("dispose", {}, { signal }).then(
        () => "answered",
        () => "rejected",
      ),
    );
    answered.clear();
    for (const chunk of pieces(bytes, at)) peer.receive(chunk);
    await new Promise((resolve) => setImmediate(resolve));
    const lines = bytes.toString().split("\n");
    for (const [id, times] of answered)
      expect(times).toBeLessThanOrEqual(lines.filter((text) => text.includes(JSON.stringify(id))).length);
    expect(breaches.length).toBeLessThanOrEqual(1);
    expect(asked).toBeLessThanOrEqual(lines.length);
    if (breaches.length === 1) expect(peer.pending()).toBe(0);
    peer.close(new ProtocolBreach("closed", "the test is over"));
    expect(await Promise.all(outcomes)).toHaveLength(2);
  },
  { cost: 4 },
);

/** A whole number that JSON can write and a program cannot count with: a schema takes it, this protocol does not. */
function hasHugeInteger(value: JsonValue): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasHugeInteger);
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

const schema = { $defs: SHAPES as unknown as JsonObject };
const requests = Object.entries({ ...METHODS.hostToAddon, ...METHODS.addonToHost });

property(
  "parameters and results are checked as a JSON Schema validator checks them",
  fc.tuple(fc.constantFrom(...requests), params),
  async ([[method, shapes], value]) => {
    if (hasHugeInteger(value)) return;
    for (const [name, found] of [
      [shapes.params, checkParams(method, value)],
      [shapes.result, checkResult(method, value)],
    ] as const) {
      if (name === undefined || (value === null && name === shapes.result)) continue;
      const validate = await compileSchema(schemaOf(name));
      expect([name, found === undefined]).toEqual([name, (await validate(value)) === undefined]);
    }
  },
  { cost: 4 },
);

const schemas = new Map<string, JsonObject>();
function schemaOf(name: string): JsonObject {
  const known = schemas.get(name) ?? { ...schema, $ref: `#/$defs/${name}` };
  schemas.set(name, known);
  return known;
}
