import type { Shell, ShellLaunchOptions } from "indusagi/capabilities";
import { describe, expect, it } from "vitest";
import { commandShell } from "./command-shell.ts";

const GIVEN = { env: { OWN: "1", BOTH: "own" }, limits: { memoryMb: 5, processorSeconds: 6 } };

/** What the inner shell gets of the environment and the limits, by `exec` and by `spawn`. */
async function launched(
  facts: Parameters<typeof commandShell>[1],
  given: Pick<ShellLaunchOptions, "env" | "limits">,
): Promise<readonly Pick<ShellLaunchOptions, "env" | "limits">[]> {
  const got: Pick<ShellLaunchOptions, "env" | "limits">[] = [];
  const note = ({ env, limits }: ShellLaunchOptions): never => {
    got.push({ env, limits });
    throw new Error("enough is known");
  };
  const inner: Shell = {
    exec: async (_command, options) => note(options),
    spawn: (_command, options) => note(options),
  };
  const shell = commandShell(inner, facts);
  const signal = new AbortController().signal;
  await expect(shell.exec("ls", { cwd: "/", signal, ...given })).rejects.toThrow("enough");
  expect(() => shell.spawn("ls", { cwd: "/", ...given })).toThrow("enough");
  return got;
}

describe("the shell of a call's commands", () => {
  it("leaves the environment and the limits of a launch as they are, if it has none of its own", async () => {
    expect(await launched({ isBounded: false }, GIVEN)).toEqual([GIVEN, GIVEN]);
  });

  it("adds its variables to those of the launch, and its own win", async () => {
    const env = { BOTH: "added", ADDED: "2" };
    const both = { ...GIVEN, env: { OWN: "1", BOTH: "added", ADDED: "2" } };
    expect(await launched({ env, isBounded: false }, GIVEN)).toEqual([both, both]);
  });

  it("bounds what passed because it is harmless, whatever the launch says", async () => {
    for (const given of [GIVEN, {}]) {
      const [exec, spawn] = await launched({ isBounded: true }, given);
      expect(exec?.limits).toEqual({ memoryMb: 768, processorSeconds: 600 });
      expect(spawn?.limits).toEqual(exec?.limits);
    }
  });
});
