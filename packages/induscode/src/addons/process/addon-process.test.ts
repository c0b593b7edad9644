import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { startAddonProcess } from "./addon-process.ts";
import { DEFAULT_LIMITS } from "./protocol/contract.ts";

it("a character that the addon prints in two pieces is one character of its log", async () => {
  const program = `
    process.stderr.write(Buffer.of(0x67, 0xc3));
    process.stdin.once("data", () => process.stderr.write(Buffer.of(0xbc, 0x6e), () => process.exit(0)));`;
  const printed: string[] = [];
  const { signal } = new AbortController();
  await new Promise<void>((resolve) => {
    const running = startAddonProcess({
      argv: [process.execPath, "-e", program],
      cwd: "/",
      env: {},
      limits: DEFAULT_LIMITS,
      handle: async () => ({}),
      onLog: (text) => {
        if (printed.push(text) === 1) running.request("describe", {}, { signal }).catch(() => undefined);
      },
      onGone: () => resolve(),
    });
  });
  expect(printed.length).toBeGreaterThan(1);
  expect(printed.join("")).toBe("gün");
});

describe("whoever waits for the process keeps Node alive, in a process with nothing else", () => {
  /** Talks only up to a point, and then keeps running for a while in silence. */
  const PROGRAMS = {
    "an answer that never comes": 'process.stdin.on("data", () => setTimeout(() => process.exit(5), 300));',
    "one that closes its output and goes on": `
      require("node:fs").closeSync(1);
      process.stdin.on("data", () => setTimeout(() => process.exit(5), 100));`,
    "its end, while it answers a call": `
      process.stdin.on("data", (text) => {
        if (!String(text).includes("dispose")) return;
        process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{"protocol":1}}\\n');
        setTimeout(() => process.exit(0), 300);
      });`,
  } as const;

  it.each(Object.entries(PROGRAMS))("%s", (_, program) => {
    const host = `
      const { startAddonProcess } = await import(${JSON.stringify(new URL("./addon-process.ts", import.meta.url).href)});
      const { DEFAULT_LIMITS } = await import(${JSON.stringify(new URL("./protocol/contract.ts", import.meta.url).href)});
      const running = startAddonProcess({
        argv: [process.execPath, "-e", ${JSON.stringify(program)}],
        cwd: "/", env: {}, limits: DEFAULT_LIMITS,
        handle: async () => ({}), onLog: () => undefined, onGone: () => undefined,
      });
      const { signal } = new AbortController();
      const asked = running.request("describe", {}, { signal, isPatient: true }).then(() => "answered", () => "refused");
      const ended = ${program.includes("dispose")} ? running.dispose(60_000).then(() => "disposed") : asked;
      console.log(await asked, await ended);`;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--conditions=indus-source", "--input-type=module", "-e", host],
      { encoding: "utf8" },
    );
    expect({ stdout, stderr }).toEqual({
      stdout: program.includes("dispose") ? "answered disposed\n" : "refused refused\n",
      stderr: "",
    });
  });
});
