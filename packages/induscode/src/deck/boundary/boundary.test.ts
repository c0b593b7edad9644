import {
  bashTool,
  defineTool,
  failureResult,
  makeLocalContext,
  type Shell,
  type Tool,
  textResult,
} from "indusagi/capabilities";
import type { JsonValue } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { PATIENCE_MS } from "../../../../../tests/support/until.ts";
import { createAuthority } from "../../feature/authority.ts";
import type { HostCapability } from "../../feature/descriptor.ts";
import type { FenceOptions } from "../../feature/dispatch/fence.ts";
import { createHooks } from "../../feature/dispatch/hooks.ts";
import type { EventSubscription, GateDecision } from "../../feature/handler.ts";
import type { FeatureFault } from "../../feature/install-report.ts";
import type { ToolInterceptor } from "../../feature/interceptor.ts";
import type { Access, ToolContribution } from "../../feature/tool.ts";
import { commandAccess } from "../builtins/accesses.ts";
import type { PermissionDecision, PermissionRequest, Permissions } from "../permissions/permissions.ts";
import { createBoundary } from "./boundary.ts";

const never = new AbortController().signal;
const OPEN: Permissions = {
  explain: async () => ({ outcome: "allow", rulings: [] }),
  deny: async () => ({ kind: "allow" }),
  check: async () => ({ kind: "allow" }),
  recall: () => undefined,
  forget: () => undefined,
  lend: () => () => undefined,
  refusesAll: () => undefined,
};

interface Given {
  readonly run?: Tool["run"];
  readonly permissions?: Partial<Permissions>;
  readonly maxBytes?: number;
  readonly subscriptions?: readonly EventSubscription[];
  readonly interceptors?: readonly ToolInterceptor[];
  readonly isAlone?: boolean;
  readonly accesses?: readonly Access[];
  /** The grants of project:x. */
  readonly granted?: readonly HostCapability[];
  /** For each handler. */
  readonly deadlineMs?: number;
}

const faults: FeatureFault[] = [];
const FENCE: Omit<FenceOptions, "deadlineMs"> = {
  onGateFailure: "allow",
  onFault: (fault) => faults.push(fault),
};

function boundaryOf({
  run = async () => textResult("ran"),
  permissions = {},
  maxBytes = 1_000,
  subscriptions = [],
  interceptors = [],
  isAlone = false,
  granted = [],
  accesses = [],
  deadlineMs = PATIENCE_MS,
}: Given) {
  const calls: JsonValue[] = [];
  const read: JsonValue[] = [];
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
    accesses: (input) => {
      read.push(input);
      return accesses;
    },
    alone: () => isAlone,
  };
  const bash: ToolContribution = {
    tool: bashTool(),
    accesses: (_input, cwd) => [{ kind: "execute", command: "", cwd }],
  };
  const hooks = createHooks({ subscriptions, interceptors }, { ...FENCE, deadlineMs });
  const { run: boundary, exec } = createBoundary({
    hooks,
    find: (name) => ({ put: contribution, bash })[name],
    permissions: { ...OPEN, ...permissions },
    onFault: FENCE.onFault,
    authority: createAuthority({
      reports: () => [{ feature: "project:x", granted, tools: [] }],
      root: "/",
      realPath: async (path) => path,
    }),
    context: (signal) => makeLocalContext("/", { signal, budget: { kind: "head", maxBytes } }),
  });
  return { boundary, calls, exec, hooks, read };
}

const refuse = async (): Promise<PermissionDecision> => ({ kind: "refuse", reason: "it is Sunday" });
const put = (input: JsonValue) => ({ id: "c1", name: "put", input });

describe("the tool boundary", () => {
  it("hands the coerced, checked arguments to the tool", async () => {
    const { boundary, calls } = boundaryOf({});
    expect(await boundary(put('{"path":"a"}'), never)).toEqual({
      finalInput: { path: "a" },
      id: "c1",
      output: "ran",
      text: "ran",
      isError: false,
      state: "ok",
      ranMs: expect.any(Number),
    });
    expect(calls).toEqual([{ path: "a" }]);
  });

  it("answers a call of an unknown tool with a failure that names it", async () => {
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
    const outcome = await boundary(put({ path: [3] }), never);
    expect(outcome.text).toBe(
      "The arguments do not fit the tool put: path must be string, got array. It takes { path: string }.",
    );
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

describe("hooks at the boundary", () => {
  const by = { feature: "project:x", version: "1" } as const;
  const before = (handler: EventSubscription<"tool:before">["handler"]): EventSubscription =>
    ({ ...by, event: "tool:before", handler }) as EventSubscription;

  it("tool:before may rewrite the arguments; the schema and the permission check see the rewritten ones, once", async () => {
    const checked: unknown[] = [];
    const { boundary, calls } = boundaryOf({
      subscriptions: [before({ kind: "transform", run: (payload) => ({ ...payload, args: { path: "b" } }) })],
      permissions: {
        check: async (request) => {
          checked.push(request);
          return { kind: "allow" };
        },
      },
    });
    expect(await boundary(put({ path: "a" }), never)).toMatchObject({
      state: "ok",
      finalInput: { path: "b" },
      changes: [{ at: "tool:before", ...by }],
    });
    expect(calls).toEqual([{ path: "b" }]);
    expect(checked).toHaveLength(1);
  });

  it("what a call touches is read once for each set of arguments", async () => {
    const unchanged = boundaryOf({ subscriptions: [before({ kind: "gate", run: () => undefined })] });
    await unchanged.boundary(put({ path: "a" }), never);
    expect(unchanged.read).toEqual([{ path: "a" }]);
    const changed = boundaryOf({
      subscriptions: [before({ kind: "transform", run: () => ({ args: { path: "b" } }) })],
      granted: [{ kind: "files", read: true, write: false, execute: false }],
      accesses: [{ kind: "read", path: "/b" }],
    });
    expect(await changed.boundary(put({ path: "a" }), never)).toMatchObject({ state: "ok" });
    expect(changed.read).toEqual([{ path: "a" }, { path: "b" }]);
  });

  it.each([
    ["coerced only", [], { path: "a" }],
    [
      "coerced, then rewritten",
      [before({ kind: "transform", run: () => ({ args: { path: "b" } }) })],
      { path: "b" },
    ],
    ["coerced, then only seen", [before({ kind: "transform", run: () => undefined })], { path: "a" }],
  ])(
    "of arguments that are %s, what the tool got is the final input",
    async (_how, subscriptions, finalInput) => {
      const { boundary, calls } = boundaryOf({ subscriptions });
      expect(await boundary(put('{"path":"a"}'), never)).toMatchObject({ state: "ok", finalInput });
      expect(calls).toEqual([finalInput]);
    },
  );

  it("a rewrite to arguments that do not fit is refused before the tool sees them", async () => {
    const { boundary, calls } = boundaryOf({
      subscriptions: [before({ kind: "transform", run: (payload) => ({ ...payload, args: { path: 7 } }) })],
    });
    expect((await boundary(put({ path: "a" }), never)).text).toContain("path must be string");
    expect(calls).toEqual([]);
  });

  it("a gate stops the call and its reason reaches the model, with who said so", async () => {
    const { boundary, calls } = boundaryOf({
      subscriptions: [before({ kind: "gate", run: () => ({ stop: true, reason: "not today" }) })],
    });
    expect(await boundary(put({ path: "a" }), never)).toMatchObject({
      text: "Refused: put was not run, because not today (project:x)",
      state: "refused",
    });
    expect(calls).toEqual([]);
  });

  it("a gate that fails lets the call pass and is a fault, unless it blocks on failure", async () => {
    const fail = (): never => {
      throw new Error("boom");
    };
    faults.length = 0;
    const open = boundaryOf({ subscriptions: [before({ kind: "gate", run: fail })] });
    expect(await open.boundary(put({ path: "a" }), never)).toMatchObject({ state: "ok" });
    expect(faults).toMatchObject([
      { kind: "handler", owner: "project:x", message: "project:x failed at tool:before: boom" },
    ]);
    const closed = boundaryOf({ subscriptions: [before({ kind: "gate", onFailure: "block", run: fail })] });
    expect(await closed.boundary(put({ path: "a" }), never)).toMatchObject({ state: "refused" });
  });

  it("interceptors wrap the tool: enter forward, exit in reverse, and may recover an error", async () => {
    const seen: string[] = [];
    const stage = (name: string): ToolInterceptor => ({
      ...by,
      match: "*",
      enter: () => void seen.push(`enter ${name}`),
      exit: ({ error }) => {
        seen.push(`exit ${name} ${error}`);
        return name === "b" ? textResult("recovered") : undefined;
      },
    });
    const { boundary } = boundaryOf({
      run: async () => failureResult("no"),
      interceptors: [stage("a"), stage("b")],
    });
    expect(await boundary(put({ path: "a" }), never)).toMatchObject({
      text: "recovered",
      state: "ok",
      changes: [{ at: "intercept:exit", ...by }],
    });
    expect(seen).toEqual(["enter a", "enter b", "exit b no", "exit a undefined"]);
  });

  it("an interceptor may block, and then the tool and every later stage stay out", async () => {
    const { boundary, calls } = boundaryOf({
      interceptors: [
        { ...by, match: "put", enter: () => ({ stop: true, reason: "closed" }) },
        { ...by, match: "put", enter: () => ({ args: { path: "never" } }) },
      ],
    });
    expect(await boundary(put({ path: "a" }), never)).toMatchObject({
      state: "refused",
      text: "Refused: put was not run, because closed (project:x)",
    });
    expect(calls).toEqual([]);
  });

  it("no stage turns a host's refusal into a success", async () => {
    const { boundary } = boundaryOf({
      permissions: { check: refuse },
      interceptors: [{ ...by, match: "*", exit: () => textResult("all fine") }],
      subscriptions: [
        {
          ...by,
          event: "tool:after",
          handler: { kind: "transform", run: (p) => ({ ...p, text: "all fine" }) },
        } as EventSubscription,
      ],
    });
    expect(await boundary(put({ path: "a" }), never)).toMatchObject({
      state: "refused",
      text: "Refused: put was not run, because it is Sunday",
    });
  });

  it("tool:after may change what the model reads, within the budget", async () => {
    const { boundary } = boundaryOf({
      subscriptions: [
        {
          ...by,
          event: "tool:after",
          handler: { kind: "transform", run: (p) => ({ ...p, text: `${"text" in p && p.text} and more` }) },
        } as EventSubscription,
      ],
    });
    expect(await boundary(put({ path: "a" }), never)).toMatchObject({
      text: "ran and more",
      changes: [{ at: "tool:after", ...by }],
    });
  });

  it("a command that a handler runs does not wait for the call that waits for the handler", async () => {
    faults.length = 0;
    const stop = async (): Promise<GateDecision> => {
      const { stdout } = await exec("echo never", never);
      return { stop: true, reason: stdout.trim() };
    };
    const given = before({ kind: "gate", run: ({ name }) => (name === "put" ? stop() : undefined) });
    const { boundary, exec } = boundaryOf({ isAlone: true, subscriptions: [given] });
    expect(await boundary(put({ path: "a" }), never)).toMatchObject({
      state: "refused",
      text: expect.stringContaining("never (project:x)"),
    });
    expect(faults).toEqual([]);
  });

  it("a handler that never answers is cut at its deadline and reported (twin: a gate is waited for, an observer is not)", async () => {
    const hang = () => new Promise<never>(() => undefined);
    for (const kind of ["gate", "observe"] as const) {
      faults.length = 0;
      const { boundary, hooks } = boundaryOf({
        subscriptions: [before({ kind, run: hang })],
        deadlineMs: 100,
      });
      expect(await boundary(put({ path: "a" }), never)).toMatchObject({ state: "ok" });
      expect(faults.length).toBe(kind === "gate" ? 1 : 0);
      await hooks.dispatcher.settled();
      expect(faults[0]?.message).toBe("project:x failed at tool:before: no answer within 100 ms");
    }
  });

  it("a changed call is refused where its changer might not make it, with the addon, the deed and the grant; told once", async () => {
    faults.length = 0;
    const { boundary, calls } = boundaryOf({
      subscriptions: [before({ kind: "transform", run: () => ({ args: { path: "b" } }) })],
      accesses: [{ kind: "read", path: "/b" }],
    });
    for (const _ of [1, 2])
      expect(await boundary(put({ path: "a" }), never)).toMatchObject({
        state: "refused",
        text: "Refused: put was not run, because project:x changed it to read /b, and may not do that itself: it lacks the grant files with read",
        changes: [{ at: "tool:before", ...by }],
      });
    expect(calls).toEqual([]);
    expect(faults.map(({ message }) => message)).toEqual([
      "project:x: a call of put was refused: project:x changed it to read /b, and may not do that itself: it lacks the grant files with read",
    ]);
  });

  it("arguments that are the model's again in the end are nobody else's", async () => {
    const { boundary } = boundaryOf({
      subscriptions: [
        before({ kind: "transform", run: () => ({ args: { path: "b" } }) }),
        before({ kind: "transform", run: () => ({ args: { path: "a" } }) }),
      ],
      accesses: [{ kind: "read", path: "/a" }],
    });
    expect(await boundary(put({ path: "a" }), never)).toMatchObject({ state: "ok" });
  });

  describe("the result of a call", () => {
    const other = { feature: "project:other" } as const;
    const looks = async (isChanged: boolean): Promise<readonly string[]> => {
      const seen: string[] = [];
      const look = (kind: string): ToolInterceptor => ({
        ...(kind === "x" ? by : other),
        match: "*",
        exit: ({ result }) => void seen.push(`${kind}: ${JSON.stringify(result.content)}`),
      });
      const after = (kind: string): EventSubscription =>
        ({
          ...(kind === "x" ? by : other),
          event: "tool:after",
          handler: {
            kind: "observe",
            run: ({ text }: { text: string }) => void seen.push(`${kind}: ${text}`),
          },
        }) as unknown as EventSubscription;
      const { boundary } = boundaryOf({
        run: async () => textResult("content"),
        granted: [{ kind: "files", read: true, write: false, execute: false }],
        accesses: [{ kind: "read", path: "/b" }],
        subscriptions: [
          ...(isChanged ? [before({ kind: "transform", run: () => ({ args: { path: "b" } }) })] : []),
          after("x"),
          after("other"),
        ],
        interceptors: [look("x"), look("other")],
      });
      expect(await boundary(put({ path: "a" }), never)).toMatchObject({ state: "ok", text: "content" });
      return seen;
    };

    it("that features changed is shown to those alone that might make it (twin: of another to all)", async () => {
      const outline =
        "[a result of 7 bytes, not shown: another addon changed this call, which you are not allowed to make]";
      const whole = '[{"kind":"text","text":"content"}]';
      expect(await looks(true)).toEqual([
        `other: ${JSON.stringify([{ kind: "text", text: outline }])}`,
        `x: ${whole}`,
        "x: content",
        `other: ${outline}`,
      ]);
      expect(await looks(false)).toEqual([`other: ${whole}`, `x: ${whole}`, "x: content", "other: content"]);
    });
  });
});

describe("a command and the sandbox", () => {
  interface Ran {
    readonly where: "inside" | "outside";
    readonly limits: boolean;
  }

  /** What ran where, and the requests that were decided. */
  function confinedScene(
    decision: PermissionDecision,
    state: "in force" | "absent" | { readonly refusal: string } = "in force",
  ) {
    const ran: Ran[] = [];
    const requests: PermissionRequest[] = [];
    const shellOf = (where: Ran["where"]): Shell => ({
      exec: async (_command, { limits }) => {
        ran.push({ where, limits: limits !== undefined });
        const ended = { code: 0, signal: null, timedOut: false, aborted: false, totalBytes: 0 };
        return { stdout: "", stderr: "", ...ended };
      },
      spawn: () => {
        throw new Error("not used");
      },
    });
    const bash: ToolContribution = {
      tool: bashTool({ isConfined: true }),
      accesses: commandAccess,
      runsInShell: true,
    };
    const hooks = createHooks({ subscriptions: [], interceptors: [] }, { ...FENCE, deadlineMs: PATIENCE_MS });
    const { run, exec } = createBoundary({
      hooks,
      find: () => bash,
      permissions: {
        ...OPEN,
        check: async (request) => {
          requests.push(request);
          return decision;
        },
      },
      authority: createAuthority({ reports: () => [], root: "/w", realPath: async (path) => path }),
      sandbox: {
        state: async () => state,
        shell: shellOf("inside"),
        shellTo: (host) => (host === "a.example" ? shellOf("inside") : undefined),
        judge: () => undefined,
        sees: () => false,
        shellAt: ({ path }) => (path === "/shared" ? shellOf("inside") : undefined),
        running: () => 0,
        outside: (work) => work(),
      },
      context: (signal) => ({ ...makeLocalContext("/w", { signal }), shell: shellOf("outside") }),
    });
    const call = (input: JsonValue) => run({ id: "c", name: "bash", input }, never);
    return { call, exec, ran, requests };
  }

  const LOOKS: PermissionDecision = { kind: "allow", stays: true, isHarmless: true };

  it.each([
    ["the model's", { command: "ls" }, { kind: "allow" }, "inside"],
    ["one that leaves", { command: "ls", outside: "x" }, { kind: "allow" }, "outside"],
    ["one that asks to leave and only looks", { command: "ls", outside: "x" }, LOOKS, "inside"],
    ["one in a folder elsewhere", { command: "ls", cwd: "/v" }, { kind: "allow" }, "outside"],
  ] as const)("%s runs where it was decided", async (_whose, input, decision, where) => {
    const { call, ran, requests } = confinedScene(decision);
    await call(input);
    expect(ran.map((each) => each.where)).toEqual([where]);
    const [request] = requests;
    expect([request?.confined === true, request?.leaving?.canStay]).toEqual(
      "outside" in input ? [false, true] : "cwd" in input ? [false, false] : [true, undefined],
    );
  });

  it("what stays with a host runs nowhere if that host cannot be reached there (twin: it can)", async () => {
    for (const [host, ran] of [
      ["b.example", []],
      ["a.example", [{ where: "inside", limits: false }]],
    ] as const) {
      const given = confinedScene({ kind: "allow", stays: true, host });
      await given.call({ command: "make", outside: "x" });
      expect(given.ran).toEqual(ran);
    }
  });

  it("a feature's command is decided as one that leaves, and a person's as theirs (twin: without a sandbox both are)", async () => {
    const feature = confinedScene(LOOKS);
    await feature.exec("ls", never, "project:x");
    expect([feature.ran, feature.requests[0]?.leaving?.canStay]).toEqual([
      [{ where: "inside", limits: true }],
      true,
    ]);
    const person = confinedScene({ kind: "allow", isHarmless: true });
    await person.exec("ls", never);
    expect([person.ran, person.requests[0]?.leaving]).toEqual([
      [{ where: "outside", limits: false }],
      undefined,
    ]);
    for (const state of ["absent", { refusal: "none here" }] as const) {
      const twin = confinedScene({ kind: "allow" }, state);
      await twin.exec("ls", never, "project:x");
      expect([twin.ran[0]?.where, twin.requests[0]?.leaving]).toEqual(["outside", undefined]);
    }
  });

  it("what passes only because it looks has limits, and what was allowed has none", async () => {
    const looks = confinedScene({ kind: "allow", isHarmless: true });
    await looks.call({ command: "ls" });
    const allowed = confinedScene({ kind: "allow" });
    await allowed.call({ command: "ls" });
    expect([looks.ran[0]?.limits, allowed.ran[0]?.limits]).toEqual([true, false]);
  });

  it("leaving, it runs alone (twin: inside, two run at once)", async () => {
    const together = async (input: JsonValue): Promise<number> => {
      const { call, requests } = confinedScene({ kind: "allow" });
      let begun = 0;
      const first = call(input).then(() => (begun = requests.length));
      await Promise.all([first, call(input)]);
      return begun;
    };
    expect(await together({ command: "ls", outside: "x" })).toBe(1);
    expect(await together({ command: "ls" })).toBe(2);
  });
});
