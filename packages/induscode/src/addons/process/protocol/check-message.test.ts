import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compileSchema, type JsonSchema, type JsonValue } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { HOOK_EVENTS } from "../../../feature/events.ts";
import { createShapeChecks } from "../../../feature/shape.ts";
import { CAPABILITY_KINDS } from "../../source/capability-kinds.ts";
import { checkParams, checkResult, kindOfMethod, withoutNulls } from "./check-message.ts";
import type { AddonToHost, Capability, Registration, UiShape } from "./messages.ts";
import { readRegistration } from "./read-registration.ts";
import { METHODS, SHAPES } from "./shapes.ts";

const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, "addon-protocol.schema.json"), "utf8"),
) as JsonSchema;

const TOOL = { name: "count", callId: "c_1", args: { any: ["thing"] }, cwd: "/ws" };

describe("parameters", () => {
  it("that fit have no problem, with unknown keys and with any JSON where the schema says so", () => {
    expect(checkParams("tool", TOOL)).toBeUndefined();
    expect(checkParams("tool", { ...TOOL, args: null, later: 1 })).toBeUndefined();
    expect(checkParams("cancel", { id: "text" })).toBeUndefined();
    expect(checkParams("fetch", { url: "u", method: "GET", headers: { a: "b" } })).toBeUndefined();
  });

  it.each<readonly [string, JsonValue, string]>([
    ["tool", null, "params must be object, found null"],
    ["tool", [], "params must be object, found array"],
    ["tool", { ...TOOL, name: 1 }, "params.name must be string, found integer"],
    ["tool", { name: "a", callId: "b", args: 1 }, "params.cwd is missing"],
    ["cancel", { id: 1.5 }, "params.id must be integer or string, found number"],
    ["cancel", { id: 2 ** 60 }, "params.id must be integer or string, found number"],
    [
      "diagnostic",
      { severity: "fatal", text: "" },
      'params.severity must be one of "info", "warning", "error", found "fatal"',
    ],
    ["exec", { command: "ls", args: ["a", 2] }, "params.args[1] must be string, found integer"],
    ["fetch", { url: "u", headers: { "x-a b": 1 } }, 'params.headers["x-a b"] must be string, found integer'],
    [
      "fetch",
      { url: "u", headers: { "\u202e": 1 } },
      'params.headers["\\u202e"] must be string, found integer',
    ],
    ["readFile", { Path: "a" }, "params.path is missing"],
    ["readFile", { path: { path: "a" } }, "params.path must be string, found object"],
  ])("of %s: %j", (method, params, problem) => {
    expect(checkParams(method, params)).toBe(problem);
  });

  it("of an unknown method are a problem, also where every object has a property of its name", () => {
    for (const name of ["Tool", "toString", "__proto__", "constructor", ""]) {
      expect(checkParams(name, {})).toBe(`unknown method ${JSON.stringify(name)}`);
      expect(kindOfMethod(name, "hostToAddon")).toBeUndefined();
    }
  });

  it("lack what only the prototype has", () => {
    const inherited = Object.create({ path: "/etc/passwd" }) as JsonValue;
    expect(checkParams("readFile", inherited)).toBe("params.path is missing");
  });
});

describe("results", () => {
  it("may have texts of as many characters as the schema says, whatever they take in memory", () => {
    const ofLength = (length: number): JsonValue => ({ protocol: 1, id: "\u{1f600}".repeat(length) });
    expect(checkResult("describe", ofLength(100))).toBeUndefined();
    expect(checkResult("describe", ofLength(101))).toBe(
      "result.id must have at most 100 characters, found more",
    );
  });

  it("may be null where nothing is required", () => {
    expect(checkResult("event", null)).toBeUndefined();
    expect(checkResult("dispose", null)).toBeUndefined();
    expect(checkResult("tool", null)).toBe("result must be object, found null");
  });

  it("may say null for no change, where an answer says what changes (twin: elsewhere null is a value)", () => {
    expect(checkResult("event", { payload: null, stop: null, reason: null })).toBeUndefined();
    expect(checkResult("enter", { args: null, stop: null })).toBeUndefined();
    expect(checkResult("exit", { result: null })).toBeUndefined();
    expect(withoutNulls("exit", { result: null, later: 1 })).toEqual({ later: 1 });
    expect(checkResult("tool", { content: [], isError: null })).toBe(
      "result.isError must be boolean, found null",
    );
  });

  it("may have content as one text, and a block's kind as type", () => {
    expect(checkResult("tool", { content: "text" })).toBeUndefined();
    expect(checkResult("exit", { result: { content: [{ type: "text", text: "a" }] } })).toBeUndefined();
  });

  it.each<readonly [string, JsonValue, string]>([
    [
      "tool",
      { content: [{ kind: "text" }, { kind: "video" }] },
      'result.content[1].kind must be one of "text", "json", "image", found "video"',
    ],
    [
      "tool",
      { content: Array(1_001).fill({ kind: "text" }) },
      "result.content must have at most 1000 items, found 1001",
    ],
    [
      "describe",
      { protocol: 1, id: "x".repeat(101) },
      "result.id must have at most 100 characters, found more",
    ],
    ["event", { stop: "yes" }, "result.stop must be boolean, found string"],
    ["ack", {}, "ack is a notification and has no result"],
  ])("of %s: %j", (method, result, problem) => {
    expect(checkResult(method, result)).toEqual(problem);
  });
});

describe("the schema", () => {
  it("names the events and capabilities that the host has", () => {
    expect(SHAPES.Event?.enum).toEqual(HOOK_EVENTS);
    expect(SHAPES.Capability?.properties?.kind?.enum).toEqual(Object.keys(CAPABILITY_KINDS));
  });

  it("gives a method that both sides have one shape", () => {
    const both = Object.keys(METHODS.hostToAddon).filter((name) => name in METHODS.addonToHost);
    expect(both).toEqual(["cancel"]);
    for (const name of both) expect(METHODS.hostToAddon[name]).toEqual(METHODS.addonToHost[name]);
  });

  it("is what the types of the messages are made of", () => {
    const capability: Capability = { kind: "files", read: true };
    const outcome: AddonToHost["exec"]["result"] = { stdout: "", stderr: "", code: null };
    // @ts-expect-error a number is expected
    const registration: Registration = { protocol: "1" };
    // @ts-expect-error `text` is missing
    const shape: UiShape = { kind: "text" };
    // @ts-expect-error a notification has no result
    const acknowledged: AddonToHost["ack"]["result"] = {};
    expect(checkResult("exec", outcome)).toBeUndefined();
    expect(
      checkResult("describe", { protocol: 1, capabilities: [{ capability, required: true, reason: "" }] }),
    ).toBeUndefined();
    expect(checkResult("describe", registration as never)).toContain("protocol");
    expect(checkParams("ui/render", { shape } as never)).toContain("text");
    expect(checkResult("ack", acknowledged as never)).toContain("has no result");
  });

  it("has no keyword that the checker would have to ignore", () => {
    const { compile } = createShapeChecks(SHAPES);
    for (const [name, shape] of Object.entries(SHAPES)) expect(() => compile(shape), name).not.toThrow();
  });

  it("is read as a JSON Schema validator reads it", async () => {
    const samples: readonly JsonValue[] = [
      ...[null, 1, "a", [], {}, { protocol: 1 }, { protocol: 1.5 }, { protocol: "1" }],
      { protocol: 1, handlers: [{ event: "tool:before", kind: "gate", onFailure: "block" }] },
      { protocol: 1, handlers: [{ event: "tool:before" }], later: true },
      { protocol: 1, tools: [{ name: "a", description: "b", parameters: {} }] },
      { protocol: 1, tools: [{ name: "a", description: "b", parameters: [] }] },
      { protocol: 1, tasks: [{ id: "a", description: "b", graceMs: 60_001 }] },
      { protocol: 1, commands: {} },
      { protocol: 1, interceptors: [{ match: "*", enter: true, exit: false }] },
      {
        protocol: 1,
        capabilities: [{ capability: { kind: "files", read: true }, required: true, reason: "r" }],
      },
    ];
    const check = await compileSchema({ $defs: schema.$defs, $ref: "#/$defs/Registration" } as JsonSchema);
    const isRead = (sample: JsonValue): boolean => {
      if (checkResult("describe", sample) !== undefined) return false;
      const { skipped, notes } = readRegistration(sample as never);
      return skipped.length + notes.length === 0;
    };
    const verdicts = samples.map(isRead);
    const problems = await Promise.all(samples.map((sample) => check(sample)));
    expect(verdicts).toEqual(problems.map((problem) => problem === undefined));
    expect(new Set(verdicts).size).toBe(2);
  });
});
