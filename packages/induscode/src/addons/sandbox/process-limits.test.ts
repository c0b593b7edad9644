import { describe, expect, it, test } from "vitest";
import { programLimits } from "./process-limits.ts";
import { unconfinedAt } from "./unconfined.ts";

describe("programLimits", () => {
  const spec = {
    ...{ readable: [], writable: [], protected: [], mayStartProcesses: false },
    maxMemoryBytes: 100,
  };
  it("gives Node besides what V8 reserves and never fills", () => {
    expect(programLimits({ ...spec, isNode: false }, "linux").dataBytes).toBe(100);
    expect(programLimits({ ...spec, isNode: true }, "linux").dataBytes).toBe(100 + 576 * 1024 ** 2);
  });

  test.skipIf(process.platform !== "linux")("allows a thousand tasks on top of those that run", () => {
    expect(programLimits({ ...spec, isNode: false }).processes).toBeGreaterThan(1024);
  });

  it("does not claim to bound memory where the system does not", () => {
    expect(programLimits({ ...spec, isNode: true }, "darwin").dataBytes).toBeUndefined();
    const macOs = { isRoot: false, node: "26.10.0", platform: "darwin" } as const;
    const sentence = "Its memory is not limited.";
    expect(unconfinedAt("node-permissions", macOs)).toContain(sentence);
    expect(unconfinedAt("none", macOs)).toContain(sentence);
    expect(unconfinedAt("none", { ...macOs, platform: "linux" })).not.toContain(sentence);
  });
});
