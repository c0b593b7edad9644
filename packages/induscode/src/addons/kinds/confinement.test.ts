import { expect, it } from "vitest";
import type { LevelReport, Sandbox, SandboxLevel } from "../sandbox/contract.ts";
import { createConfinement } from "./confinement.ts";

const MODULE = { runtime: "module" } as const;

function linesOn(level: SandboxLevel, levels: readonly LevelReport[]): readonly string[] {
  const sandbox: Sandbox = {
    levelFor: () => level,
    unconfined: () => ["It can use the network."],
    confine: () => ({ argv: [], level }),
    strong: () => undefined,
    levels: () => levels,
  };
  return createConfinement(sandbox, false).lines(MODULE);
}

const NO_BWRAP = { level: "bubblewrap", works: false, reason: "bwrap is not installed" } as const;

it("without a sandbox of the system, it says what each would need", () => {
  const landlock = { level: "landlock", works: false, reason: "the kernel has none" } as const;
  expect(
    linesOn("node-permissions", [NO_BWRAP, landlock, { level: "node-permissions", works: true }]),
  ).toEqual([
    "sandbox: node-permissions",
    "bubblewrap does not work on this machine: bwrap is not installed",
    "landlock does not work on this machine: the kernel has none",
    "not confined: It can use the network.",
  ]);
});

it("with one, it says which, and what that leaves open", () => {
  expect(linesOn("landlock", [NO_BWRAP, { level: "landlock", works: true }])).toEqual([
    "sandbox: landlock",
    "not confined: It can use the network.",
  ]);
});
