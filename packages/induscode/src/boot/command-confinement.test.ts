// Which sandbox the model's commands get, and what holds where this machine has none.

import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { chooseConfinement } from "./command-confinement.ts";
import { createCommandSandbox } from "./session-sandbox.ts";

const chosen = (
  mode: "auto" | "acceptEdits",
  own: Parameters<typeof chooseConfinement>[1]["settings"],
  narrowed: Parameters<typeof chooseConfinement>[1]["narrowed"] = {},
  flags: Parameters<typeof chooseConfinement>[0] = {},
) => chooseConfinement(flags, { settings: own, narrowed }, mode);

describe("the sandbox of a session", () => {
  it("comes with the mode auto, or as the person says", () => {
    expect(chosen("acceptEdits", {})).toEqual({
      sandbox: "off",
      network: "off",
      hosts: [],
      isRequired: false,
    });
    expect(chosen("auto", {})).toEqual({
      sandbox: "workspace-write",
      network: "off",
      hosts: [],
      isRequired: false,
    });
    expect(chosen("auto", { sandbox: "off" }).sandbox).toBe("off");
    expect(chosen("acceptEdits", { sandbox: "read-only", network: "on" })).toEqual({
      ...{ sandbox: "read-only", network: "on", hosts: [], isRequired: true },
    });
    expect(chosen("auto", { sandbox: "off" }, {}, { sandbox: "read-only" }).sandbox).toBe("read-only");
  });

  it("is narrowed by a repository, and never widened", () => {
    expect(chosen("auto", { network: "on" }, { sandbox: "read-only", network: "off" })).toEqual({
      ...{ sandbox: "read-only", network: "off", hosts: [], isRequired: false },
    });
    expect(chosen("auto", { sandbox: "read-only" }, { sandbox: "off", network: "on" })).toEqual({
      ...{ sandbox: "read-only", network: "off", hosts: [], isRequired: true },
    });
    expect(chosen("acceptEdits", {}, { sandbox: "workspace-write" }).sandbox).toBe("workspace-write");
  });
});

describe("where nothing confines a command", () => {
  const cwd = realpathSync(mkdtempSync(`${tmpdir()}/indus-confinement-`));
  const sandboxOf = (isRequired: boolean, told: string[]) =>
    createCommandSandbox(
      { sandbox: "workspace-write", network: "off", hosts: [], isRequired },
      {
        ...{ cwd, home: cwd, personHome: cwd, env: {}, withhold: [] },
        policy: { mode: "auto", allow: [], ask: [], deny: [] },
        machine: {
          strong: () => undefined,
          levels: () => [{ level: "bubblewrap", works: false, reason: "bwrap is not installed" }],
        },
        tell: (line) => told.push(line),
      },
    );

  it("auto goes on as acceptEdits and says so once", async () => {
    const told: string[] = [];
    const sandbox = sandboxOf(false, told);
    expect([await sandbox?.state(), await sandbox?.state()]).toEqual(["absent", "absent"]);
    expect(told).toEqual([
      "Commands cannot be confined here (bubblewrap: bwrap is not installed): the mode auto treats them as acceptEdits does, and asks.",
    ]);
  });

  it("a sandbox that the person asked for refuses every command", async () => {
    const told: string[] = [];
    const state = await sandboxOf(true, told)?.state();
    expect(state).toEqual({
      refusal: expect.stringContaining("Start with --sandbox off to run them without one"),
    });
    expect(told).toEqual([]);
  });

  it("none is made where none is wanted", () => {
    const off = { sandbox: "off", network: "off", hosts: [], isRequired: false } as const;
    const facts = { ...{ cwd, home: cwd, personHome: cwd, env: {}, withhold: [] }, tell: () => undefined };
    expect(
      createCommandSandbox(off, { ...facts, policy: { mode: "auto", allow: [], ask: [], deny: [] } }),
    ).toBeUndefined();
  });
});
