import { expect, test } from "vitest";
import { Aborted } from "../core/abort.ts";
import type {
  ModelDelta,
  ModelFault,
  ModelFaultKind,
  ModelProvider,
  ModelRequest,
  ModelResult,
} from "./contract.ts";
import { type RetryOptions, withRetry } from "./retry.ts";

const REQUEST: ModelRequest = { model: "m", system: "", tools: [], messages: [], params: {} };
const REPLY: ModelResult = {
  ok: true,
  reply: {
    message: { role: "assistant", content: [] },
    stop: "complete",
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  },
};

/** A provider that fails with `faults` in order and then answers. */
function failing(...faults: readonly ModelFault[]): ModelProvider {
  let next = 0;
  return {
    id: "scripted",
    stream: async () => {
      const fault = faults[next++];
      return fault ? { ok: false, fault } : REPLY;
    },
  };
}

async function run(provider: ModelProvider, options: RetryOptions = {}) {
  const waits: number[] = [];
  const deltas: ModelDelta[] = [];
  let nowMs = 5_000;
  const sleep = async (ms: number): Promise<void> => {
    waits.push(ms);
    nowMs += ms;
  };
  const retrying = withRetry(provider, { sleep, random: () => 0.5, now: () => nowMs, ...options });
  const signal = new AbortController().signal;
  const result = await retrying.stream(REQUEST, { signal, onDelta: (delta) => deltas.push(delta) });
  return { result, waits, deltas };
}

const fault = (kind: ModelFaultKind, more: Partial<ModelFault> = {}): ModelFault => ({
  kind,
  message: "It failed.",
  ...more,
});

test("each announced try says how many the time left allows, whatever the tries themselves took", async () => {
  const tries = async (options: RetryOptions = {}): Promise<readonly unknown[]> => {
    const { deltas } = await run(
      failing(fault("server"), fault("server", { retryAfterMs: 500_000 })),
      options,
    );
    return deltas.map((delta) => (delta.kind === "retry" ? [delta.attempt, delta.of] : delta.kind));
  };
  // 2 + 4 + 8 + 16 + 32 s, then a minute each: the thirteenth ends after 542 s. A long wait is taken from the total.
  expect(await tries()).toEqual([
    [1, 13],
    [2, 5],
  ]);
  expect(await tries({ maxTotalMs: Number.POSITIVE_INFINITY })).toEqual([
    [1, undefined],
    [2, undefined],
  ]);
});

test("the number of tries is reached, and not passed, when each fails at once", async () => {
  const { deltas } = await run(failing(...Array<ModelFault>(40).fill(fault("server"))));
  const last = deltas.findLast((delta) => delta.kind === "retry");
  expect(last).toMatchObject({ attempt: 13, of: 13 });
});

test("passing faults are retried, each wait twice the last, each announced", async () => {
  const faults = [fault("overloaded"), fault("transport"), fault("timeout")];
  const { result, waits, deltas } = await run(failing(...faults));
  expect(result).toEqual(REPLY);
  expect(waits).toEqual([2_000, 4_000, 8_000]);
  expect(deltas).toEqual(
    faults.map((each, n) => ({ kind: "retry", attempt: n + 1, of: 13, waitMs: waits[n], fault: each })),
  );
});

test("waits vary by a quarter, so that many clients do not come back together", async () => {
  const least = await run(failing(fault("server")), { random: () => 0 });
  const most = await run(failing(fault("server")), { random: () => 1 });
  expect([least.waits, most.waits]).toEqual([[1_500], [2_500]]);
});

test("waits grow to a minute, and ten minutes are the end", async () => {
  const { result, waits } = await run(failing(...Array<ModelFault>(40).fill(fault("rate_limit"))));
  expect(waits.slice(0, 7)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  const sum = waits.reduce((all, wait) => all + wait);
  expect(sum).toBeGreaterThan(540_000);
  expect(sum).toBeLessThanOrEqual(600_000);
  expect(result).toEqual({
    ok: false,
    fault: fault("rate_limit", { message: `It failed. (tried ${waits.length + 1} times)` }),
  });
});

test("what a call itself took counts among the ten minutes", async () => {
  let nowMs = 0;
  const slow: ModelProvider = {
    id: "slow",
    stream: async () => {
      nowMs += 300_000; // fell silent
      return { ok: false, fault: fault("timeout") };
    },
  };
  const sleep = async (ms: number): Promise<void> => {
    nowMs += ms;
  };
  const { result } = await run(slow, { now: () => nowMs, sleep });
  expect(result).toMatchObject({ fault: { message: "It failed. (tried 2 times)" } });
});

test("the provider's own wait is kept to; one beyond the limit is not begun, and that is said", async () => {
  expect((await run(failing(fault("rate_limit", { retryAfterMs: 120_000 })))).waits).toEqual([120_000]);
  const { result, waits } = await run(failing(fault("rate_limit", { retryAfterMs: 600_001 })));
  expect(waits).toEqual([]);
  expect(result).toMatchObject({
    ok: false,
    fault: { message: "It failed. (not retried: it asks to wait 601 s; the limit is 600 s)" },
  });
});

test("with no time given nothing is tried again, and nothing more is said", async () => {
  const { result, waits } = await run(failing(fault("server")), { maxTotalMs: 0 });
  expect({ result, waits }).toEqual({ result: { ok: false, fault: fault("server") }, waits: [] });
});

test.each(["auth", "request", "not_found", "protocol", "exhausted", "aborted"] as const)(
  "a fault of kind %s is not retried",
  async (kind) => {
    const { result, waits } = await run(failing(fault(kind)));
    expect({ result, waits }).toEqual({ result: { ok: false, fault: fault(kind) }, waits: [] });
  },
);

test("an abort during the wait ends the call", async () => {
  const sleep = () => Promise.reject(new Aborted());
  const { result } = await run(failing(fault("server")), { sleep });
  expect(result).toMatchObject({ ok: false, fault: { kind: "aborted" } });
});
