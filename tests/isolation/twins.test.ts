// The twins of the matrix: each hostile program without the guard does what the guard is for. A cell that passes means
// something only because of these.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { instantiate } from "../../packages/induscode/src/addons/runners/wasm-memory.ts";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { PATIENCE_MS } from "../support/until.ts";
import { type Bench, openBench } from "./bench.ts";
import { orderedModule } from "./build-programs.ts";
import { runByHand } from "./by-hand.ts";
import { type Behaviour, KINDS, type Kind, MISSING_KINDS } from "./hook-points.ts";
import { groupOf, processesOf, residentBytes } from "./processes.ts";
import { createScene, FENCE_MS, LIMITS } from "./scene.ts";

const MIB: number = 1024 * 1024;
const PROGRAMS = ["module", "python", "process"] as const;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(createSandbox());
});
afterAll(() => bench?.close());

function byHand(kind: Kind, behaviour: Behaviour) {
  return runByHand(bench, { kind, point: "tool:before", behaviour });
}

/** As anybody would write it. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

for (const kind of KINDS)
  describe.skipIf(MISSING_KINDS.has(kind))(kind, LONG_ONLY, () => {
    it("throws: without the fence, whoever calls the handler gets the error thrown at it", async () => {
      const scene = createScene(bench, { kind, point: "tool:before", behaviour: "throws" });
      await scene.open();
      const own = scene
        .features()
        .subscriptions.find(({ event, feature }) => event === "tool:before" && feature === "project:hostile");
      const payload = { name: "read", callId: "c1", args: {} };
      const call = async () => own?.handler.run(payload as never, { signal: new AbortController().signal });
      await expect(call()).rejects.toThrow(/thrown on order|unreachable/);
      await scene.close();
    });

    it("hangs: without a deadline, it has not answered after twice the time, and is still there", async () => {
      const { until, text, child } = await byHand(kind, "hangs");
      expect(await until(() => text().includes('"id":2,"result"'), FENCE_MS * 2)).toBe(false);
      expect(child.exitCode).toBeNull();
    });

    it("is-killed: nobody who waits for it ever hears of it", async () => {
      const { until, text, child } = await byHand(kind, "is-killed");
      child.kill("SIGKILL");
      expect(await until(() => child.signalCode === "SIGKILL", PATIENCE_MS)).toBe(true);
      expect(text()).not.toContain('"id":2,"');
    });
  });

for (const kind of PROGRAMS)
  describe.skipIf(MISSING_KINDS.has(kind))(kind, LONG_ONLY, () => {
    it("exits: in the same process, that would have been the session's end", async () => {
      const { child, until } = await byHand(kind, "exits");
      expect(await until(() => child.exitCode !== null, PATIENCE_MS)).toBe(true);
      expect(child.exitCode).toBe(7);
    });

    it("floods: without a limit, sixteen times what a line may have arrives, and it goes on", async () => {
      const { bytes, until } = await byHand(kind, "floods");
      expect(await until(() => bytes() >= 16 * LIMITS.maxFrameBytes, PATIENCE_MS)).toBe(true);
    });

    it("answers garbage, and it arrives", async () => {
      const { text, until } = await byHand(kind, "answers-garbage");
      expect(await until(() => text().includes("this is no JSON\n"), PATIENCE_MS)).toBe(true);
    });

    it("answers with the id of no request, and it arrives", async () => {
      const { text, until } = await byHand(kind, "answers-wrong-ids");
      expect(await until(() => text().includes('"id":987654,"result"'), PATIENCE_MS)).toBe(true);
    });

    it("answers huge JSON: without a limit, a line of 32 MB arrives", async () => {
      const { longestLine, until } = await byHand(kind, "answers-huge-json");
      expect(await until(() => longestLine() >= 32 * MIB, PATIENCE_MS)).toBe(true);
      expect(longestLine()).toBeGreaterThan(LIMITS.maxFrameBytes);
    });

    it("answers deep JSON: without a limit, it overflows the stack of whoever walks it", async () => {
      const { text, until } = await byHand(kind, "answers-deep-json");
      const line = (): string | undefined => /^.*\{"a":\{"a":.*$/m.exec(text())?.[0];
      expect(await until(() => line()?.endsWith("}}}") === true && text().endsWith("\n"), PATIENCE_MS)).toBe(
        true,
      );
      const message: unknown = JSON.parse(line() ?? "");
      expect(() => depthOf(message)).toThrow(RangeError);
    });

    it("allocates: without the sandbox, it takes several times its limit", async () => {
      const { child, until } = await byHand(kind, "allocates");
      expect(await until(() => residentBytes(child.pid ?? 0) > 400 * MIB, PATIENCE_MS)).toBe(true);
    });

    it("forks: without the sandbox, children outlive it and its group", async () => {
      const { child, marker, until } = await byHand(kind, "forks");
      expect(await until(() => child.exitCode === 7, PATIENCE_MS)).toBe(true);
      const group = child.pid ?? Number.NaN;
      const outside = () => processesOf(marker).filter((pid) => groupOf(pid) !== group);
      const haveAllForked = () => processesOf(marker).length === 10 && outside().length === 5;
      expect(await until(haveAllForked, PATIENCE_MS)).toBe(true);
      process.kill(-group, "SIGKILL");
      expect(await until(() => processesOf(marker).length === 5, PATIENCE_MS)).toBe(true);
      await until(() => false, 500); // one that forks and ends is for a moment neither of the two
      expect(processesOf(marker)).toHaveLength(5);
    });

    it("ignores SIGTERM: it is still there after one", async () => {
      const { child, until } = await byHand(kind, "ignores-sigterm");
      await until(() => false, 300);
      child.kill("SIGTERM");
      expect(await until(() => child.exitCode !== null || child.signalCode !== null, 700)).toBe(false);
    });

    it.each(["faults-10000-a-second", "floods-the-console"] as const)(
      "%s: without an allowance, all of them arrive",
      async (behaviour) => {
        const { lines, until } = await byHand(kind, behaviour);
        expect(await until(() => lines() >= 20_000, PATIENCE_MS)).toBe(true);
      },
    );
  });

describe("wasm, called by hand", LONG_ONLY, () => {
  /** The module's answer to an event, and what it sent on the way. */
  function call(behaviour: Behaviour) {
    const bytes = Uint8Array.from(orderedModule(bench.programs.wasm, `tool:before ${behaviour}`));
    let sent = 0;
    let sentBytes = 0;
    const { handle } = instantiate(bytes, (message) => {
      sent++;
      sentBytes += message.length;
      return undefined;
    });
    const request = { jsonrpc: "2.0", id: 2, method: "event", params: { handler: 4, event: "tool:before" } };
    const answer = handle(JSON.stringify(request));
    return { answer, sent, sentBytes };
  }

  it("floods: a gigabyte is sent", () => {
    expect(call("floods").sentBytes).toBeGreaterThan(1024 * MIB);
  });
  it("answers garbage", () => {
    expect(call("answers-garbage").answer).toBe("this is no JSON");
  });
  it("answers with the id of no request", () => {
    expect(call("answers-wrong-ids").answer).toContain('"id":987654');
  });
  it("answers huge JSON: it hands out more than a line may have", () => {
    expect(() => call("answers-huge-json")).toThrow("it passed 12582912 bytes; at most 8388608 are accepted");
  });
  it("answers deep JSON: it overflows the stack of whoever walks it", () => {
    const message: unknown = JSON.parse(call("answers-deep-json").answer ?? "");
    expect(() => depthOf(message)).toThrow(RangeError);
  });
  it("allocates: it takes all of the maximum that its memory declares, and then traps", () => {
    expect(() => call("allocates")).toThrow("unreachable");
  });
  it.each(["faults-10000-a-second", "floods-the-console"] as const)("%s: 20,000 are sent", (behaviour) => {
    expect(call(behaviour).sent).toBe(20_000);
  });
});
