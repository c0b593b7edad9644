import { Aborted } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { untilHolds } from "../../../../../tests/support/until.ts";
import { createBackground, MAX_WORKING } from "./background-delegates.ts";
import type { DelegateReport } from "./delegate-desk.ts";
import { MAX_KEPT } from "./kept-delegates.ts";

interface Worked {
  readonly end: (report: DelegateReport) => void;
  readonly lines: string[];
  isClosed: boolean;
}

const DONE: DelegateReport = { ok: true, report: "Found.", turns: 1, cost: 0 };
const WORK = { agent: "scout", objective: "Look." } as const;

function scene() {
  const workers: Worked[] = [];
  const heard: string[] = [];
  const background = createBackground({
    employ: () => {
      const ends: ((report: DelegateReport) => void)[] = [];
      const own: Worked = { end: (report) => ends.at(-1)?.(report), lines: [], isClosed: false };
      workers.push(own);
      return {
        sessionId: `s${workers.length}`,
        facts: () => ({ turns: 1, tokens: 2, cost: 0, lastWords: "Halfway." }),
        steer: (text) => void own.lines.push(`steer ${text}`),
        submit: (text, signal) =>
          new Promise((resolve, reject) => {
            own.lines.push(text);
            ends.push(resolve);
            signal.addEventListener("abort", () => reject(new Aborted()), { once: true });
          }),
        close: async () => {
          own.isClosed = true;
        },
      };
    },
    note: ({ id, status }) => void heard.push(`${id} ${status}`),
    notify: (text) => void heard.push(text.split("\n", 1)[0] ?? ""),
  });
  const signal = new AbortController().signal;
  return { background, workers, heard, signal };
}

describe("delegates in the background", () => {
  it("the model is told of an end that nobody waits for, and of no other", async () => {
    const { background, workers, heard, signal } = scene();
    await background.start([WORK, WORK]);
    const waited = background.wait("delegate-1", signal);
    for (const worker of workers) worker.end(DONE);
    expect(await waited).toMatchObject({ state: "done", said: "Found." });
    await untilHolds(() => expect(background.get("delegate-2").state).toBe("done"));
    expect(heard.filter((each) => each.includes("has ended"))).toEqual([
      "delegate-2 (scout) has ended: done.",
    ]);
  });

  it("whoever stops waiting stops nothing", async () => {
    const { background } = scene();
    await background.start([WORK]);
    await expect(background.wait("delegate-1", AbortSignal.abort())).rejects.toThrow(Aborted);
    expect(background.get("delegate-1")).toMatchObject({ state: "working", said: "Halfway." });
  });

  it("more than may work are refused together, and none of them begins", async () => {
    const { background, workers } = scene();
    await background.start(Array.from({ length: MAX_WORKING - 1 }, () => WORK));
    await expect(background.start([WORK, WORK])).rejects.toThrow(
      /^at most 8 delegates and sessions work in the background/,
    );
    expect(workers).toHaveLength(MAX_WORKING - 1);
  });

  it("of more than are kept, the one that ended first is closed", async () => {
    const { background, workers } = scene();
    for (let at = 0; at < MAX_KEPT + 1; at++) {
      await background.start([WORK]);
      workers.at(-1)?.end(DONE);
      await untilHolds(() => expect(background.list().at(-1)?.state).toBe("done"));
    }
    expect([background.list().length, workers.filter(({ isClosed }) => isClosed)]).toEqual([
      MAX_KEPT,
      [workers[0]],
    ]);
    expect(() => background.get("delegate-1")).toThrow(
      "delegate-1 has ended and was closed, because at most 16 are kept: start another delegate",
    );
    expect(() => background.get("delegate-99")).toThrow('background delegate not found: "delegate-99"');
  });

  it("the end of the session stops those that work, closes all, and nothing begins any more", async () => {
    const { background, workers, heard } = scene();
    await background.start([WORK, WORK]);
    workers[0]?.end(DONE);
    await untilHolds(() => expect(background.get("delegate-1").state).toBe("done"));
    expect(await background.close()).toBe(1);
    expect(heard.at(-1)).toBe("delegate-2 stopped");
    expect(workers.every(({ isClosed }) => isClosed)).toBe(true);
    await expect(background.start([WORK])).rejects.toThrow("this session has ended");
    expect(() => background.send("delegate-1", "More.")).toThrow("this session has ended");
  });
});
