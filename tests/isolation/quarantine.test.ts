// Three faults of one kind in five minutes quarantine that addon alone (the issue): not two, however many calls one
// breakdown ends, and nobody else.

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";
import { LONG_ONLY, rows } from "../support/long-form.ts";
import { PATIENCE_MS, until } from "../support/until.ts";
import { type Bench, openBench } from "./bench.ts";
import { type Behaviour, KINDS, type Kind, MISSING_KINDS } from "./hook-points.ts";
import { watchMemory } from "./memory-watch.ts";
import { createScene, type Scene } from "./scene.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(createSandbox());
});
afterAll(() => bench?.close());

async function openScene(kind: Kind, behaviour: Behaviour, fenceMs?: number): Promise<Scene> {
  const scene = createScene(bench, { kind, point: "tool:before", behaviour }, fenceMs);
  await scene.open();
  onTestFinished(() => scene.close());
  return scene;
}

/** Whether the good addon after the hostile one did its part. */
async function fire(scene: Scene): Promise<boolean> {
  const payload = { name: "read", callId: "c1", args: {} };
  const { signal } = new AbortController();
  const { gate } = await scene.hooks().dispatcher.dispatch("tool:before", payload, { signal });
  return gate?.by.feature === "project:watching";
}

function stateOf(scene: Scene): string | undefined {
  return scene.loader.code()[0]?.remote.state();
}

const CASES = KINDS.flatMap((kind) =>
  (["throws", "exits", "hangs", "floods"] as const)
    .filter((behaviour) => kind !== "wasm" || behaviour === "throws" || behaviour === "hangs")
    .map((behaviour) => ({ kind, behaviour })),
);

// A behaviour each, and each kind of addon.
const FEW = ["wasm throws", "module exits", "process floods", "python exits"];
const cases = rows(CASES, ({ kind, behaviour }) => FEW.includes(`${kind} ${behaviour}`));
for (const { kind, behaviour } of cases)
  describe.skipIf(MISSING_KINDS.has(kind))(`${kind} x ${behaviour}`, () => {
    it("is in quarantine after the third fault and not before, and says so; the good one goes on", async () => {
      const scene = await openScene(kind, behaviour);
      const remote = scene.loader.code()[0]?.remote;
      const watch = watchMemory();
      for (let times = 1; times <= 3; times++) {
        expect(stateOf(scene), `before the fault ${times}`).not.toBe("quarantined");
        await remote?.register(); // what is measured is the addon, not how long its process takes to start
        expect(await fire(scene)).toBe(true);
        if (behaviour !== "throws") await untilEnded(scene);
      }
      expect(watch.stop()).toBeLessThan(50 * 1024 * 1024);
      const told = scene.heard.map(({ text }) => text).filter((text) => text.includes("quarantine"));
      expect(told).toEqual([
        expect.stringMatching(
          /the addon hostile is in quarantine after 3 handler faults in five minutes\. Now open: the gate of tool:before, .+ To run it again: indus addons restart hostile\. The last fault: ./,
        ),
      ]);
      expect(stateOf(scene)).toBe("quarantined");
      const before = scene.heard.length;
      expect(await fire(scene)).toBe(true); // it takes no part any more, without a further fault
      expect(scene.heard.length).toBe(before);
    });
  });

/** What hangs is ended a moment after its deadline. */
async function untilEnded(scene: Scene): Promise<void> {
  await until(() => stateOf(scene) !== "running");
}

describe.skipIf(MISSING_KINDS.has("process"))("what counts", () => {
  it("one breakdown that ends five calls is one fault", async () => {
    const scene = await openScene("process", "exits");
    await Promise.all([1, 2, 3, 4, 5].map(() => fire(scene)));
    expect(stateOf(scene)).not.toBe("quarantined");
  });

  it(
    "10,000 failing calls tell three faults and the quarantine, and the good one does its part in each",
    LONG_ONLY,
    async () => {
      const scene = await openScene("process", "throws");
      const before = scene.heard.length;
      let good = 0;
      for (let times = 0; times < 10_000; times++) if (await fire(scene)) good++;
      expect(good).toBe(10_000);
      expect(scene.heard.length - before).toBe(4);
    },
  );

  it("after a restart it begins anew, with nothing held against it", async () => {
    const scene = await openScene("process", "throws");
    for (let times = 0; times < 3; times++) await fire(scene);
    expect(stateOf(scene)).toBe("quarantined");
    await scene.loader.code()[0]?.remote.restart();
    await fire(scene);
    await fire(scene);
    expect(stateOf(scene)).toBe("running");
    await fire(scene);
    expect(stateOf(scene)).toBe("quarantined");
  });

  it("that the host ends its process in a call is no fault of the addon", LONG_ONLY, async () => {
    const scene = await openScene("process", "hangs", PATIENCE_MS);
    const remote = scene.loader.code()[0]?.remote;
    for (let times = 0; times < 4; times++) {
      const call = fire(scene);
      await sleep(50);
      await remote?.restart();
      await call;
    }
    expect(stateOf(scene)).not.toBe("quarantined");
  });

  it("that a person stops waiting for its tool is no fault of the addon", async () => {
    const { makeMemoryContext } = await import("../../packages/indusagi/src/capabilities/index.ts");
    const scene = createScene(bench, { kind: "process", point: "none", behaviour: "throws" });
    await scene.open();
    onTestFinished(() => scene.close());
    const before = scene.heard.length;
    const tool = scene.features().tools.find((each) => each.tool.name === "probe_tool")?.tool;
    for (let times = 0; times < 4; times++) {
      const stop = new AbortController();
      const context = await makeMemoryContext("/", { signal: stop.signal });
      const call = tool?.invoke({ id: "c1", name: "probe_tool", input: {} }, context);
      stop.abort(); // with the platform's own reason, as the conductor does
      expect(await call).toMatchObject({ isError: true, output: "Cancelled while probe_tool was running." });
    }
    expect(stateOf(scene)).not.toBe("quarantined");
    expect(scene.heard.slice(before)).toEqual([]);
  });
});
