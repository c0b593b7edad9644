import { defineTool, failureResult, makeLocalContext, type Tool, textResult } from "indusagi/capabilities";
import type { JsonValue } from "indusagi/core";
import { describe, expect, it } from "vitest";
import type { ToolContribution } from "../feature/contract.ts";
import { createBoundary } from "./boundary.ts";
import type { PermissionDecision, Permissions } from "./permissions/permissions.ts";

const never = new AbortController().signal;
const OPEN: Permissions = { deny: async () => ({ kind: "allow" }), check: async () => ({ kind: "allow" }) };

interface Given {
  readonly run?: Tool["run"];
  readonly permissions?: Partial<Permissions>;
  readonly maxBytes?: number;
}

function boundaryOf({ run = async () => textResult("ran"), permissions = {}, maxBytes = 1_000 }: Given) {
  const calls: JsonValue[] = [];
  const contribution: ToolContribution = {
    tool: defineTool({
      name: "put",
      description: "",
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      run: (input, context) => {
        calls.push(input);
        return run(input, context);
      },
    }),
    accesses: () => [],
  };
  const boundary = createBoundary({
    tools: new Map([["put", contribution]]),
    permissions: { ...OPEN, ...permissions },
    context: (signal) => makeLocalContext("/", { signal, budget: { kind: "head", maxBytes } }),
  });
  return { boundary, calls };
}

const refuse = async (): Promise<PermissionDecision> => ({ kind: "refuse", reason: "it is Sunday" });
const put = (input: JsonValue) => ({ id: "c1", name: "put", input });

describe("the tool boundary", () => {
  it("hands the coerced, checked arguments to the tool", async () => {
    const { boundary, calls } = boundaryOf({});
    expect(await boundary(put('{"path":"a"}'), never)).toEqual({
      id: "c1",
      output: "ran",
      text: "ran",
      isError: false,
      state: "ok",
      ranMs: expect.any(Number),
    });
    expect(calls).toEqual([{ path: "a" }]);
  });

  it("answers an unknown tool with the seed's words", async () => {
    const outcome = await boundaryOf({}).boundary({ id: "c1", name: "fly", input: {} }, never);
    expect(outcome).toMatchObject({
      text: 'This session exposes no tool called "fly".',
      isError: true,
      state: "failed",
    });
  });

  it("tells the model what is wrong with its arguments, and asks and runs nothing", async () => {
    let asked = false;
    const { boundary, calls } = boundaryOf({
      permissions: {
        check: async () => {
          asked = true;
          return { kind: "allow" };
        },
      },
    });
    const outcome = await boundary(put({ path: 3 }), never);
    expect(outcome.text).toBe("The arguments do not fit the tool put: path must be string, got number.");
    expect([asked, calls]).toEqual([false, []]);
  });

  it.each(["deny", "check"] as const)("does not run a call that %s refuses, and says why", async (stage) => {
    const { boundary, calls } = boundaryOf({ permissions: { [stage]: refuse } });
    expect(await boundary(put({ path: "a" }), never)).toMatchObject({
      text: "Refused: put was not run, because it is Sunday",
      isError: true,
      state: "refused",
    });
    expect(calls).toEqual([]);
  });

  it("fails closed when the permission check itself breaks", async () => {
    const { boundary, calls } = boundaryOf({
      permissions: { check: () => Promise.reject(new Error("broken")) },
    });
    expect(await boundary(put({ path: "a" }), never)).toMatchObject({ isError: true, state: "failed" });
    expect(calls).toEqual([]);
  });

  it("turns a tool's failure and a tool's throw into outcomes", async () => {
    const failing = boundaryOf({ run: async () => failureResult("no") });
    expect(await failing.boundary(put({ path: "a" }), never)).toMatchObject({
      text: "no",
      isError: true,
      state: "failed",
    });
    const throwing = boundaryOf({ run: () => Promise.reject(new Error("boom")) });
    expect(await throwing.boundary(put({ path: "a" }), never)).toMatchObject({
      isError: true,
      state: "failed",
    });
  });

  it("bounds the text of a tool that does not", async () => {
    const { boundary } = boundaryOf({ run: async () => textResult("x".repeat(1_000_000)), maxBytes: 1_000 });
    const { text } = await boundary(put({ path: "a" }), never);
    expect(text.length).toBeLessThan(6_000);
  });

  it("makes one text of a mixed result", async () => {
    const content = [
      { kind: "text" as const, text: "changed" },
      { kind: "json" as const, value: { diff: "+a" } },
    ];
    const { boundary } = boundaryOf({ run: async () => ({ content, isError: false }) });
    expect(await boundary(put({ path: "a" }), never)).toMatchObject({
      output: content,
      text: 'changed\n{"diff":"+a"}',
    });
  });
});
