import { describe, expect, it } from "vitest";
import { createCallOrder } from "./call-order.ts";

/** Enters calls (capitals write, the others do not), lets each take one tick, and returns who ran when. */
async function run(calls: string): Promise<readonly string[]> {
  const order = createCallOrder();
  const seen: string[] = [];
  const running = new Set<string>();
  await Promise.all(
    [...calls].map(async (name) => {
      const leave = await order.enter(name === name.toUpperCase());
      running.add(name);
      seen.push([...running].join(""));
      await new Promise((resolve) => setTimeout(resolve, 2));
      running.delete(name);
      leave();
    }),
  );
  return seen;
}

describe("the order of calls", () => {
  it("runs calls that do not write at once", async () => {
    expect(await run("abc")).toEqual(["a", "ab", "abc"]);
  });

  it("runs a call that writes alone, after all before it and before all behind it", async () => {
    expect(await run("abWcdXY")).toEqual(["a", "ab", "W", "c", "cd", "X", "Y"]);
  });
});
