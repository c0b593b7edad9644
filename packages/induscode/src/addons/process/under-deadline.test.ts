import { expect, it } from "vitest";
import { createTestRemote } from "../../../../../tests/support/test-remote.ts";
import { addonId } from "../contract.ts";
import { underDeadline } from "./under-deadline.ts";

const NEVER = new AbortController().signal;

/** A call with a limit of its own, and a host whose answer to `setModel` is delayed. */
function open(timeoutMs: number, isServer = false) {
  const { remote, calls } = createTestRemote();
  const answer = Promise.withResolvers<undefined>();
  calls.begin(1, {
    session: undefined,
    command: {
      args: "",
      cwd: "/",
      say: () => undefined,
      handles: { setModel: () => answer.promise },
    },
  });
  const ask = (): unknown => calls.handle("setModel", { name: "m" }, { signal: NEVER });
  const facts = { id: addonId("tested"), remote, calls, timeoutMs, isServer };
  const call = (begin: (renew: () => void) => void): Promise<never> =>
    underDeadline(facts, NEVER, (signal, renew) => {
      begin(renew);
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
  return { ask, call, answer };
}

it("a request that the addon keeps open from before wins a call no time (twin: one of the call's own does)", async () => {
  const { ask, call } = open(20);
  ask();
  await expect(call(() => undefined)).rejects.toThrow("the addon tested failed: no answer within 20 ms");
  await expect(call(() => void ask())).rejects.toThrow("the addon tested failed: no answer within 400 ms");
});

it("the wait is not the call's own time: when the answer comes, what was left of the limit counts", async () => {
  const { ask, call, answer } = open(60);
  let isAnswered = false;
  const done = call(() => {
    ask();
    setTimeout(() => {
      isAnswered = true;
      answer.resolve(undefined);
    }, 200);
  });
  await expect(done).rejects.toThrow("no answer within 60 ms");
  expect(isAnswered).toBe(true);
});

it.each([
  [
    true,
    "the addon tested failed: the server did not answer within 0.1 s, which call-seconds in [run] sets",
    true,
  ],
  [false, "the addon tested failed: no answer within 100 ms", false],
])("a server's call lasts as long as it reports progress: %j", async (isServer, message, lasts) => {
  const { call } = open(100, isServer);
  const sinceMs = performance.now();
  const done = call((renew) => {
    const steps = setInterval(renew, 10);
    setTimeout(() => clearInterval(steps), 400);
  });
  await expect(done).rejects.toThrow(message);
  expect(performance.now() - sinceMs > 390).toBe(lasts);
});
