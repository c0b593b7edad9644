// Values that fit: what an event carries, what a tool takes. Small, harmless, and the same every time.

import type { JsonObject, JsonValue } from "indusagi/core";
import type { Registration } from "../../packages/induscode/src/addons/process/protocol/messages.ts";
import type { HookEvent, PayloadOf } from "../../packages/induscode/src/feature/events.ts";
import { PAYLOAD_SHAPES, SHAPE_OF_EVENT } from "../../packages/induscode/src/feature/payload-shapes.ts";

const CALL = { name: "bash", callId: "call_1", args: { command: "true" } };

/** A payload of those events of which the plainest one that fits is no likely one. */
const PAYLOADS: Partial<{ readonly [Event in HookEvent]: JsonObject & PayloadOf<Event> }> = {
  "tool:before": CALL,
  "tool:after": { ...CALL, text: "done", isError: false },
  "chat:params": {
    provider: "anthropic",
    model: "claude",
    params: { maxOutputTokens: 1_000, temperature: 0.5, thinking: "low" },
  },
  "chat:message": { message: { role: "assistant", content: [{ kind: "text", text: "Hello." }] } },
  "shell:env": { command: "true", env: { LANG: "C" } },
  "context:build": { messages: [{ role: "user", content: [{ kind: "text", text: "hello" }] }] },
};

function payloadOf(event: HookEvent): JsonValue {
  const $defs = PAYLOAD_SHAPES as unknown as JsonObject;
  return PAYLOADS[event] ?? sampleOf({ $ref: `#/$defs/${SHAPE_OF_EVENT[event]}` }, { $defs });
}

/** A call as the host makes it. */
export interface SampleCall {
  /** For messages. */
  readonly what: string;
  readonly method: "event" | "enter" | "exit" | "tool" | "command";
  readonly params: JsonObject;
}

/** One call of each handler, half of an interceptor, tool and command. */
export function sampleCalls(registration: Registration): readonly SampleCall[] {
  const { handlers = [], interceptors = [], tools = [], commands = [] } = registration;
  const call = { tool: "bash", callId: "call_1", args: { command: "true" } };
  const result = { content: [{ kind: "text", text: "done" }], isError: false };
  return [
    ...handlers.map(({ event, kind }, handler): SampleCall => {
      const params = { handler, event, payload: payloadOf(event) };
      return { what: `handler ${handler} (${kind} of ${event})`, method: "event", params };
    }),
    ...interceptors.flatMap(({ match, enter, exit }, interceptor): readonly SampleCall[] => {
      const facts = { interceptor, ...call, ...(match === "*" ? {} : { tool: match }) };
      const what = `of interceptor ${interceptor} (${match})`;
      return [
        ...(enter ? [{ what: `the first half ${what}`, method: "enter" as const, params: facts }] : []),
        ...(exit
          ? [{ what: `the second half ${what}`, method: "exit" as const, params: { ...facts, result } }]
          : []),
      ];
    }),
    ...tools.map(({ name, parameters }): SampleCall => {
      const args = sampleOf(parameters as JsonObject);
      return {
        what: `the tool ${name}`,
        method: "tool",
        params: { name, callId: "call_1", args, cwd: "/tmp" },
      };
    }),
    ...commands.map(
      ({ name }): SampleCall => ({
        what: `the command /${name}`,
        method: "command",
        params: { name, args: "", cwd: "/tmp" },
      }),
    ),
  ];
}

const MAX_DEPTH = 12;

/** A value that fits the schema, as far as its plainest keywords tell. */
export function sampleOf(schema: JsonValue, root: JsonValue = schema, depth = 0): JsonValue {
  if (!isObject(schema) || depth > MAX_DEPTH) return "sample";
  for (const key of ["const", "default"] as const) if (schema[key] !== undefined) return schema[key];
  for (const key of ["enum", "examples"] as const) {
    const [first] = Array.isArray(schema[key]) ? schema[key] : [];
    if (first !== undefined) return first;
  }
  if (typeof schema.$ref === "string") return sampleOf(lookUp(schema.$ref, root), root, depth + 1);
  for (const key of ["anyOf", "oneOf", "allOf"] as const) {
    const [first] = Array.isArray(schema[key]) ? schema[key] : [];
    if (first !== undefined) return sampleOf(first, root, depth + 1);
  }
  const [type] = Array.isArray(schema.type) ? schema.type : [schema.type];
  switch (type) {
    case "string":
      return "sample"
        .padEnd(numberOr(schema.minLength, 0), "-")
        .slice(0, numberOr(schema.maxLength, Infinity));
    case "integer":
    case "number":
      return Math.min(numberOr(schema.maximum, Infinity), Math.max(numberOr(schema.minimum, -Infinity), 1));
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return Array.from({ length: Math.min(16, numberOr(schema.minItems, 0)) }, () =>
        sampleOf(schema.items ?? {}, root, depth + 1),
      );
    default:
      return sampleObject(schema, root, depth);
  }
}

function sampleObject(schema: JsonObject, root: JsonValue, depth: number): JsonObject {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = isObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    required
      .filter((key) => typeof key === "string")
      .map((key) => [key, sampleOf(properties[key] ?? {}, root, depth + 1)]),
  );
}

function lookUp(reference: string, root: JsonValue): JsonValue {
  let found: JsonValue | undefined = root;
  for (const step of reference.replace(/^#\/?/, "").split("/").filter(Boolean))
    found = isObject(found) ? found[step.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
  return found ?? {};
}

function numberOr(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
