// The limits of a delegate's line, when its session takes long to begin.

import { expect, it } from "vitest";
import { type DelegateSession, workerOf } from "./delegate-worker.ts";

it("time that is over before the session has begun ends the line without asking the model", async () => {
  let submits = 0;
  let began: () => void = () => undefined;
  const conductor = {
    status: () => ({ sessionId: "d", costs: [] }),
    subscribe: () => () => undefined,
    abort: () => began(), // nothing to abort yet
    submit: async () => {
      submits++;
      return { kind: "complete", text: "Done.", stop: "complete" };
    },
  } as unknown as DelegateSession["conductor"];
  const start = (): Promise<void> =>
    new Promise((resolve) => {
      began = resolve;
    });
  const worker = workerOf("helper", { conductor, start, close: async () => undefined }, { seconds: 0.001 });
  const { ok, report } = await worker.submit("look", new AbortController().signal);
  expect(ok).toBe(false);
  expect(report).toContain("The delegate did not finish: it has reached its time limit of 0.001 s");
  expect(submits).toBe(0);
});
