import { describe, expect, it } from "vitest";
import type { SubmitEnd } from "./contract.ts";
import { LogError } from "./log.ts";
import { NO_MASK } from "./masked.ts";
import { createOneAtATime } from "./one-at-a-time.ts";

const COMPLETE: SubmitEnd = { kind: "complete", text: "", stop: "complete" };
const nothing = (): void => undefined;

describe("one thing at a time", () => {
  it("a second one, while the first runs, is a busy fault; after it, it runs", async () => {
    const work = createOneAtATime(NO_MASK, nothing);
    let finish = nothing;
    const first = work.run(() => new Promise((resolve) => (finish = () => resolve(COMPLETE))));
    expect(await work.run(async () => COMPLETE)).toMatchObject({ fault: { kind: "busy" } });
    expect(await work.runAside(async () => undefined)).toMatchObject({ kind: "busy" });
    expect(work.whenIdle(() => "done")).toMatchObject({ fault: { kind: "busy" } });
    finish();
    await work.settled();
    expect([await first, work.isBusy()]).toEqual([COMPLETE, false]);
    expect(work.whenIdle(() => "done")).toBe("done");
  });

  it("an abort, while something runs, fires its signal", async () => {
    const work = createOneAtATime(NO_MASK, nothing);
    const end = work.run(async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return { kind: "aborted" };
    });
    work.abort();
    expect(await end).toEqual({ kind: "aborted" });
  });

  it("a failing log is a fault, with the words of whoever is asked about it", async () => {
    const work = createOneAtATime(NO_MASK, nothing);
    const fail = async (): Promise<SubmitEnd> => {
      throw new LogError("disk full");
    };
    expect(await work.run(fail)).toMatchObject({ fault: { kind: "log", message: "disk full" } });
    const asked = await work.run(fail, async ({ message }) => `${message}, and left so`);
    expect(asked).toMatchObject({ fault: { kind: "log", message: "disk full, and left so" } });
  });

  it("any other error, thrown by what runs, is thrown on and leaves nothing running", async () => {
    const work = createOneAtATime(NO_MASK, nothing);
    const broken = work.run(async () => {
      throw new TypeError("broken");
    });
    await expect(broken).rejects.toThrow("broken");
    expect(work.isBusy()).toBe(false);
    expect(() =>
      work.whenIdle(() => {
        throw new TypeError("broken");
      }),
    ).toThrow("broken");
  });

  it("what must come first, where it cannot be done, keeps the rest from running", async () => {
    let ran = false;
    const work = createOneAtATime(NO_MASK, () => {
      throw new LogError("still full");
    });
    const end = await work.run(async () => {
      ran = true;
      return COMPLETE;
    });
    expect([end, ran]).toMatchObject([{ fault: { message: "still full" } }, false]);
  });
});
