// What happens to what a feature guards while it fails or is not running: open or closed, as gate, feature and person declare.

import { describe, expect, it } from "vitest";
import type { FailurePolicy } from "./descriptor.ts";
import { EventDispatcher } from "./dispatch/dispatcher.ts";
import { NotRunning } from "./dispatch/fence.ts";
import { InterceptorChain } from "./dispatch/interceptors.ts";
import type { HookEvent } from "./events.ts";
import type { EventSubscription, HookHandler } from "./handler.ts";
import type { FeatureFault } from "./install-report.ts";

const never = new AbortController().signal;
const FAILURES = {
  throws: () => {
    throw new Error("boom");
  },
  "does not run": () => {
    throw new NotRunning("it is away; call it back");
  },
} as const;
const CLOSED = {
  throws: /^the (gate|handler|interceptor) of project:f failed, and it blocks on failure$/,
  "does not run": /^it is away; call it back; until then, what it guards is blocked$/,
} as const;

function fenceOf(onGateFailure: FailurePolicy) {
  const faults: FeatureFault[] = [];
  return {
    faults,
    fence: { deadlineMs: 1_000, onGateFailure, onFault: (fault: FeatureFault) => void faults.push(fault) },
  };
}

describe.each(Object.keys(FAILURES) as (keyof typeof FAILURES)[])("a feature that %s", (how) => {
  const run = FAILURES[how];

  async function stopAt(
    event: HookEvent,
    handler: Partial<HookHandler> & Pick<HookHandler, "kind">,
    policies: { readonly feature?: FailurePolicy | undefined; readonly person?: FailurePolicy } = {},
  ): Promise<string | undefined> {
    const { faults, fence } = fenceOf(policies.person ?? "allow");
    const subscription = {
      feature: "project:f",
      event,
      handler: { ...handler, run },
      onFailure: policies.feature,
    } as unknown as EventSubscription;
    const payload = { text: "x", name: "x", callId: "c", args: {} } as never;
    const { gate } = await new EventDispatcher([subscription], fence).dispatch(event, payload, {
      signal: never,
    });
    expect(faults).toHaveLength(how === "throws" ? 1 : 0); // not running was reported when it stopped
    return gate?.reason;
  }

  it.each([
    // gate, feature, person, closed
    [undefined, undefined, "allow", false],
    [undefined, undefined, "block", true],
    ["allow", undefined, "block", false],
    ["block", undefined, "allow", true],
    ["allow", "block", "allow", true],
    [undefined, "block", "allow", true],
    ["block", "allow", "allow", true],
  ] as const)(
    "a gate that says %s, of one that says %s, where the person says %s: closed %s",
    async (own, feature, person, isClosed) => {
      const gate = { kind: "gate", onFailure: own } as const;
      const reason = await stopAt("input:submit", gate, { person, feature });
      if (isClosed) expect(reason).toMatch(CLOSED[how]);
      else expect(reason).toBeUndefined();
    },
  );

  it.each(["tool:before", "input:submit", "compact:before"] as const)(
    "its transform closes %s, if the feature says so",
    async (event) => {
      expect(await stopAt(event, { kind: "transform" })).toBeUndefined();
      expect(await stopAt(event, { kind: "transform" }, { feature: "block" })).toMatch(CLOSED[how]);
    },
  );

  it("its transform of what cannot be stopped, and its observer, close nothing", async () => {
    expect(await stopAt("tool:after", { kind: "transform" }, { feature: "block" })).toBeUndefined();
    expect(await stopAt("input:submit", { kind: "observe" }, { feature: "block" })).toBeUndefined();
  });

  async function around(half: "enter" | "exit", onFailure?: FailurePolicy) {
    const { faults, fence } = fenceOf("block"); // the person's gate setting does not cover interceptors
    const stage = {
      feature: "project:f",
      match: "*",
      [half]: run,
      onFailure,
    } as never;
    let runs = 0;
    const result = await new InterceptorChain([stage], fence).runWith(
      { tool: "bash", callId: "c", args: {} },
      async () => {
        runs++;
        return { content: [{ kind: "text", text: "the secret" }], isError: false };
      },
      never,
    );
    expect(faults).toHaveLength(how === "throws" ? 1 : 0);
    return { result, runs };
  }

  it("its interceptor stops the call before it, if the feature says so", async () => {
    expect(await around("enter")).toMatchObject({ runs: 1, result: { result: { isError: false } } });
    const { result, runs } = await around("enter", "block");
    expect(runs).toBe(0);
    expect(result.blocked).toMatchObject({ stop: true, by: { feature: "project:f" } });
    expect(result.blocked?.reason).toMatch(CLOSED[how]);
  });

  it("its interceptor withholds the result behind it, if the feature says so", async () => {
    expect(JSON.stringify(await around("exit"))).toContain("the secret");
    const { result, runs } = await around("exit", "block");
    expect(runs).toBe(1);
    expect(JSON.stringify(result)).not.toContain("the secret");
    expect(result).toMatchObject({ resultChangedBy: [{ feature: "project:f" }], result: { isError: true } });
    expect(JSON.stringify(result)).toContain("The call ran, but its result is withheld, because ");
  });
});
