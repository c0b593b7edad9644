import { spawnSync } from "node:child_process";
import { deferred, processFacts } from "indusagi/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { PATIENCE_MS } from "../../../../../tests/support/until.ts";
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

describe("a process that closed its output", () => {
  const GOES_ON = "read -r another";

  /** How it is said to have gone: it is told to go on once it is waited for, and then nothing else happens here until it has ended. */
  async function goneWhy(afterwards: string): Promise<string> {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const gone = deferred<string>();
    const running = startAddonProcess({
      argv: ["/bin/sh", "-c", `exec >&-; read -r line; ${afterwards}`],
      cwd: "/",
      env: {},
      limits: DEFAULT_LIMITS,
      handle: async () => ({}),
      onLog: () => undefined,
      onGone: ({ message }) => gone.resolve(message),
    });
    const timers = vi.getTimerCount();
    while (vi.getTimerCount() === timers) await new Promise(setImmediate); // its end of output was heard of
    const { signal } = new AbortController();
    void running.request("describe", {}, { signal, isPatient: true }).catch(() => undefined);
    await new Promise(process.nextTick); // the request is written
    const endsMs = performance.now() + PATIENCE_MS;
    const hasEnded = (): boolean => processFacts(running.pid ?? 0) === undefined;
    if (afterwards !== GOES_ON) while (!hasEnded() && performance.now() < endsMs);
    vi.advanceTimersByTime(60_000);
    return gone.promise;
  }

  it("and ends is reported with its exit code or signal, however late that is known", async () => {
    expect(await goneWhy("exit 7")).toBe("its process exited with code 7");
    expect(await goneWhy("kill -TERM $$")).toBe("its process was killed by SIGTERM");
  });

  it("and goes on running is ended, and the reason is that it closed its output", async () => {
    expect(await goneWhy(GOES_ON)).toBe("it closed its output");
  });
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
