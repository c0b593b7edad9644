import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../protocol/contract.ts";
import { startAddonProcess } from "./addon-process.ts";

it("a character that the addon prints in two pieces is one character of its log", async () => {
  const program = `
    process.stderr.write(Buffer.of(0x67, 0xc3));
    setTimeout(() => process.stderr.write(Buffer.of(0xbc, 0x6e)), 150);
    setTimeout(() => process.exit(0), 300);`;
  const printed: string[] = [];
  await new Promise<void>((resolve) => {
    startAddonProcess({
      argv: [process.execPath, "-e", program],
      cwd: "/",
      env: {},
      limits: DEFAULT_LIMITS,
      handle: async () => ({}),
      onLog: (text) => printed.push(text),
      onGone: () => resolve(),
    });
  });
  expect(printed.length).toBeGreaterThan(1);
  expect(printed.join("")).toBe("gün");
});
